/** Four eyes through the command: what is built waits, somebody else looks at it, approves or rejects it with a key of their own. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { until } from '../support/until.ts'
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
      await until(async () => assert.is(await rent(), true))
      assert.is((await get(`snapshots/${waiting}/files/manifest.json`)).status, 200)
    } finally {
      running.kill('SIGKILL')
      await running
    }
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
      await at.does(0, 'verify --files-only')
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
