/** Four eyes through the command: what is built waits, somebody else looks at it, approves or rejects it with a key of their own. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { writeFiles } from '../support/workspace.ts'
import {
  begin,
  flat,
  goodCompany,
  inWorkspaceOf,
  printed,
  type Ran,
  says,
  tieout,
  wordsOf,
} from './command.ts'

const approval = suite('cli approval')

const rent = (amount: string, id = 'acme') =>
  goodCompany(id, `3 2025-03-01 rent ${amount}; 3 2025-03-01 bank -${amount}`)

/** A workspace of `acme` that Ann, and where asked Bo, approve; their keys lie beside it. */
async function inApproved(run: (at: At) => Promise<void>, names = ['Ann']): Promise<void> {
  await inWorkspaceOf({ acme: rent('10.00') }, async (cwd) => {
    const at = new At(cwd)
    const lines: string[] = []
    for (const name of names) {
      const made = await at.run(`approvers key --to ${at.key(name)} --name ${name} --json`)
      lines.push(`  - { name: ${name}, key: ${JSON.parse(made.out).key} }`)
    }
    at.settings(`approval: required\napprovers:\n${lines.join('\n')}\n`)
    await run(at)
  })
}

class At {
  readonly cwd: string
  constructor(cwd: string) {
    this.cwd = cwd
  }

  key(name: string): string {
    return join(this.cwd, `${name}.pem`)
  }

  settings(text: string): void {
    writeFileSync(join(this.cwd, 'tieout.yaml'), `keepInputs: true\nretention: { keepLast: 1 }\n${text}`)
  }

  sources(amount: string): void {
    writeFiles(join(this.cwd, 'datasets/acme'), rent(amount))
  }

  run(command: string): Promise<Ran> {
    return tieout(wordsOf(command), { cwd: this.cwd })
  }

  async does(code: number, command: string): Promise<string> {
    return flat(await says(code, command, { cwd: this.cwd }))
  }

  /** The candidate of a build of these sources. */
  async built(amount: string): Promise<string> {
    this.sources(amount)
    const ran = await this.run('build --json')
    assert.is(ran.code, 5, ran.out)
    return JSON.parse(ran.out).companies[0].candidate
  }

  approve(code = 0, name = 'Ann', ...args: string[]): Promise<string> {
    return this.does(code, ['approve acme', ...args, '--key', this.key(name)].join(' '))
  }

  get folder(): string {
    return join(this.cwd, 'snapshots/acme')
  }

  get candidates(): string[] {
    const all = join(this.folder, 'candidates')
    return existsSync(all) ? readdirSync(all) : []
  }

  get snapshots(): string[] {
    return readdirSync(this.folder).filter((name) => name.startsWith('20'))
  }

  /** Published, approved, and verified; the ids so far. */
  async published(...amounts: string[]): Promise<string[]> {
    for (const amount of amounts) {
      await this.built(amount)
      await this.approve()
    }
    return this.snapshots
  }
}

approval(
  'a build waits and is served to nobody; reviewed, approved, it is published with both signatures',
  () =>
    inApproved(async (at) => {
      const candidate = await at.built('10.00')
      assert.equal(at.candidates, [candidate])
      assert.equal(at.snapshots, [])
      assert.match(
        await at.does(0, 'snapshots list'),
        /Nothing is published yet; what waits for approval: tieout review/,
      )
      assert.is(await at.built('10.00'), candidate, 'the same sources make no second candidate')
      assert.equal(at.candidates, [candidate])

      assert.match(await at.does(0, 'review'), /acme \w{16} publish 2025-03-r1-\w+ .* waits Ann/)
      const review = await at.does(0, 'review acme')
      assert.match(review, /Net income accrual 250\.00 -10\.00/)
      assert.match(review, /Cash at the end accrual 1,250\.00 1,240\.00/)
      assert.match(review, /Total assets accrual 1,250\.00 1,240\.00/)
      assert.match(review, /no current snapshot/)
      assert.match(
        await at.approve(0, 'Ann', candidate.slice(0, 16)),
        /is published and current; approved by Ann/,
      )
      assert.equal(at.candidates, [])
      assert.is(at.snapshots.length, 1)
      assert.match(await at.does(0, 'verify'), /^(?!.*(note|damage)).*Verified/)
      assert.match(await at.does(0, 'snapshots log acme'), /publish 2025-03-r1-\w+ .*Ann, \S+@\S+/)

      const second = await at.built('20.00')
      const told = await at.does(0, 'review acme')
      assert.match(told, /Since 2025-03-r1-\w+ 4 figures of accounts and 9 totals changed, in 2025-03/)
      assert.match(told, /6000 Rent 2025-03 10\.00 20\.00 10\.00/)
      const third = await at.built('30.00')
      assert.is.not(third, second)
      assert.equal(at.candidates, [third], 'a newer build takes the place of the one that waits')
      assert.match(await at.approve(1, 'Ann', second.slice(0, 16)), /a newer build replaced it/)
      const verified = await at.does(0, 'verify')
      assert.match(verified, /candidates\/\w{64}: publish of 2025-03-r2-\w+, .* waits for approval/)
    }),
)

approval('no server answers from what waits, by whatever path; from what is approved it does', () =>
  inApproved(async (at) => {
    await at.published('10.00')
    const hash = await at.built('20.00')
    const waiting = readdirSync(join(at.folder, 'candidates', hash)).find((name) => name.startsWith('20'))!
    await at.does(0, 'user add a@example.com --first-name A --last-name B --company acme')
    const client = await at.run('client add C --redirect-uri http://127.0.0.1:9/ --json')
    const running = begin(['serve', '--port', '0', '--quiet'], { cwd: at.cwd })
    try {
      const address = /http:\/\/127\.0\.0\.1:(\d+)/.exec(await printed(running, /Ctrl-C/))!
      const { id } = JSON.parse(client.out)
      const made = await at.run(`token --user a@example.com --client ${id} --port ${address[1]}`)
      const headers = { authorization: `Bearer ${made.out.trim()}` }
      const get = (path: string) => fetch(`${address[0]}/companies/acme/${path}`, { headers })
      const [published] = at.snapshots
      assert.is((await get(`snapshots/${published}/files/manifest.json`)).status, 200)
      for (const path of [
        `snapshots/${waiting}/files/manifest.json`,
        `snapshots/${waiting}/tie-outs`,
        `snapshots/candidates/files/${hash}/proposal.json`,
        `snapshots/candidates%2F${hash}%2F${waiting}/files/manifest.json`,
        `snapshots/${published}/files/..%2Fcandidates%2F${hash}%2Fproposal.json`,
        `snapshots/${published}/files/manifest.json.approval`,
        `info?snapshotId=${waiting}`,
      ])
        assert.ok([400, 403, 404].includes((await get(path)).status), `${path}: ${(await get(path)).status}`)
      const rent = async () => (await (await get('snapshots')).text()).includes(waiting)
      assert.is(await rent(), false)
      await at.approve()
      for (let i = 0; i < 100 && !(await rent()); i++) await new Promise((done) => setTimeout(done, 50))
      assert.is(await rent(), true)
      assert.is((await get(`snapshots/${waiting}/files/manifest.json`)).status, 200)
    } finally {
      running.kill('SIGKILL')
      await running
    }
  }),
)

approval('a rejection keeps its reason in the log, and nothing else', () =>
  inApproved(async (at) => {
    await at.published('10.00')
    await at.built('20.00')
    await at.does(2, 'reject acme --reason short')
    await at.does(0, 'reject acme --reason "the rent is booked twice"')
    assert.equal(at.candidates, [])
    assert.match(await at.does(0, 'snapshots log acme'), /reject 2025-03-r2-\w+ .* the rent is booked twice/)
    assert.match(
      await at.does(1, 'reject acme --reason "the rent is booked twice"'),
      /no proposal of acme waits/,
    )
    await at.does(0, 'verify')
    await at.published('20.00')
    assert.is(at.snapshots.length, 2)
  }),
)

approval(
  'the log rules: neither without the setting, nor with others in it, anything is published unapproved',
  () =>
    inApproved(
      async (at) => {
        const settings = readFileSync(join(at.cwd, 'tieout.yaml'), 'utf8')
        await at.published('10.00')
        at.settings('')
        await at.built('20.00')
        assert.match(
          await at.does(0, 'approvers'),
          /acme Ann .* tieout\.yaml says something else; the log counts/,
        )
        const eve = JSON.parse((await at.run(`approvers key --to ${at.key('Eve')} --json`)).out).key
        at.settings(`approval: required\napprovers: [{ name: Eve, key: ${eve} }]\n`)
        assert.match(await at.approve(1, 'Eve'), /belongs to no approver of acme; approvers: Ann, Bo/)
        await at.approve(0, 'Bo')
        // Others approve from now on: one of the present approvers has to say so.
        await at.does(5, 'approvers propose acme --reason "Eve comes in the place of both"')
        assert.match(await at.does(0, 'review acme'), /Approvers Eve \([\w-]{43}\)/)
        await at.approve(1, 'Eve')
        await at.approve(0, 'Ann')
        await at.built('30.00')
        await at.approve(1, 'Ann')
        await at.approve(0, 'Eve')
        // And nobody has to any more.
        at.settings('')
        await at.does(5, 'approvers propose acme --reason "one person is left here"')
        await at.approve(0, 'Eve')
        at.sources('40.00')
        await at.does(0, 'build')
        await at.does(0, 'verify')
        assert.match(settings, /approval/)
      },
      ['Ann', 'Bo'],
    ),
)

approval('going back, pruning, taking back and reopening wait as well, and are done when approved', () =>
  inApproved(async (at) => {
    const [first, second] = await at.published('10.00', '20.00')
    const zip = join(at.cwd, 'first.zip')
    await at.does(0, `archive acme ${first} --to ${zip}`)
    assert.match(await at.does(0, `verify ${zip}`), /Verified/)
    const current = () => JSON.parse(readFileSync(join(at.folder, 'current.json'), 'utf8')).SnapshotId

    await at.does(5, `use acme ${first} --reason "the second has the wrong rent"`)
    assert.is(current(), second)
    assert.match(await at.does(0, 'review acme'), /Go back to 2025-03-r1-\w+ .*the wrong rent/)
    await at.approve()
    assert.is(current(), first)
    await at.does(5, `use acme ${second} --reason "the second was right after all"`)
    await at.approve()

    await at.published('30.00')
    assert.match(await at.does(5, 'prune --yes'), /waits for the approval/)
    assert.is(at.snapshots.length, 3)
    assert.match(await at.does(0, 'review acme'), /Remove 2025-03-r1-\w+ .*And 2025-03-r2-\w+/)
    await at.approve()
    assert.is(at.snapshots.length, 1)
    assert.match(await at.does(0, 'verify'), /2 snapshots were pruned/)
    assert.ok(existsSync(join(at.folder, 'pruned', first!, 'manifest.json.approval')))

    await at.does(5, `restore ${zip}`)
    assert.equal(at.snapshots.length, 1)
    await at.approve()
    assert.equal(at.snapshots.length, 2)
    await at.does(0, 'verify')

    await at.does(0, 'close acme 2025-03')
    await at.does(5, 'reopen acme 2025-03 --reason "a bill of March came late"')
    await at.approve()
    assert.match(await at.does(0, 'snapshots log acme'), /reopen .* 2025-02-28 .*a bill of March came late/)
    await at.does(0, 'verify')
  }),
)

approval('what was entered since makes a candidate stale: built and reviewed again', () =>
  inApproved(async (at) => {
    const [first] = await at.published('10.00')
    const before = await at.built('20.00')
    await at.does(0, `snapshots hold acme ${first} --reason "tax audit of 2025"`)
    assert.match(
      await at.approve(1, 'Ann', before.slice(0, 16)),
      /is stale: log\.jsonl has changed since it was proposed, .* hold of .*"tieout build acme".*, and review that/,
    )
    assert.match(await at.does(0, 'review acme'), /Stale: the log went on/)
    const again = await at.built('20.00')
    assert.is.not(again, before)
    assert.equal(at.candidates, [again])
    await at.approve()
    await at.does(0, 'verify')
  }),
)

approval('two who approve at once: one line, and nothing published twice', () =>
  inApproved(
    async (at) => {
      await at.published('10.00')
      await at.built('20.00')
      const approve = (name: string) => at.run(`approve acme --key ${at.key(name)}`)
      const both = await Promise.all([approve('Ann'), approve('Bo')])
      const codes = both.map(({ code }) => code)
      assert.ok(codes.includes(0), JSON.stringify(both))
      const log = JSON.parse((await at.run('snapshots log acme --json')).out)
      assert.is(log.records.length, 2)
      assert.is(at.snapshots.length, 2)
      await at.does(0, 'verify')
    },
    ['Ann', 'Bo'],
  ),
)

approval('keys: with a passphrase, made by openssl, of somebody else, and never the one that builds', () =>
  inApproved(async (at) => {
    assert.is(statSync(at.key('Ann')).mode & 0o777, 0o600)
    assert.match(await at.does(1, `approvers key --to ${at.key('Ann')}`), /never written over/)
    const own = join(at.cwd, '.tieout/ann.pem')
    await at.built('10.00')
    assert.match(await at.does(2, `approvers key --to ${own}`), /keeps its own keys/)
    assert.match(await at.does(2, 'approve acme'), /TIEOUT_APPROVER_KEY/)
    assert.match(await at.does(3, 'approve acme --key nobody.pem'), /does not exist/)
    writeFileSync(join(at.cwd, 'text.pem'), 'no key')
    assert.match(await at.does(3, 'approve acme --key text.pem'), /holds no private key/)

    // The key that snapshots are signed with, in the form of an approver's.
    const [signing] = JSON.parse(readFileSync(join(at.cwd, '.tieout/manifest-keys.json'), 'utf8')).keys
    const { createPrivateKey } = await import('node:crypto')
    const pem = createPrivateKey({ key: signing, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' })
    writeFileSync(at.key('builder'), pem)
    assert.match(await at.approve(1, 'builder'), /this key signs snapshots/)
    at.settings(`approval: required\napprovers: [{ name: Builder, key: ${signing.x} }]\n`)
    assert.match(
      await at.does(3, 'build'),
      /the key of the approver Builder signs snapshots in this workspace, too/,
    )

    const env = { TIEOUT_APPROVER_PASSPHRASE: 'open sesame' }
    const made = await tieout(['approvers', 'key', '--to', at.key('Bo'), '--name', 'Bo', '--json'], {
      cwd: at.cwd,
      env,
    })
    assert.match(readFileSync(at.key('Bo'), 'utf8'), /BEGIN ENCRYPTED PRIVATE KEY/)
    at.settings(`approval: required\napprovers: [{ name: Bo, key: ${JSON.parse(made.out).key} }]\n`)
    await at.built('11.00')
    assert.match(await at.approve(2, 'Bo'), /is encrypted: put its passphrase/)
    const wrong = { TIEOUT_APPROVER_PASSPHRASE: 'open barley' }
    const args = ['approve', 'acme', '--key', at.key('Bo')]
    assert.is((await tieout(args, { cwd: at.cwd, env: wrong })).code, 3)
    assert.is((await tieout(args, { cwd: at.cwd, env })).code, 0)
  }),
)

approval('settings that say half of it are refused; several companies end with the worst', () =>
  inApproved(async (at) => {
    const yaml = readFileSync(join(at.cwd, 'tieout.yaml'), 'utf8')
    for (const half of [
      'approval: required\n',
      'approvers: [{ name: Ann, key: short }]\n',
      'approval: maybe\n',
    ]) {
      at.settings(half)
      await at.does(3, 'build')
    }
    writeFileSync(join(at.cwd, 'tieout.yaml'), yaml)
    writeFiles(join(at.cwd, 'datasets/beta'), rent('1.00', 'beta'))
    await at.does(5, 'build')
    writeFiles(join(at.cwd, 'datasets/beta'), { 'ledger.csv': 'nothing' })
    await at.does(3, 'build')
    rmSync(join(at.cwd, 'datasets/beta'), { recursive: true })
    const { companies } = JSON.parse((await at.run('build --json')).out)
    assert.equal(
      companies.map(({ outcome }: { outcome: string }) => outcome),
      ['waiting'],
    )
  }),
)
