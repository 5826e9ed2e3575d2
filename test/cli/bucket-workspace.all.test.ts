/** Workspaces whose snapshots are in a bucket: every command works on what is there, and none on the working copy alone. */
import { appendFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { present } from '../../builder/contract/present.ts'
import type { FileEntry } from '../../builder/snapshot/files/manifest.ts'
import { deadlineIn } from '../../builder/snapshot/places/bucket/bucket.ts'
import {
  type CompanyObject,
  getObject,
  objectKey,
  readHeld,
  swapHeld,
} from '../../builder/snapshot/places/bucket/company-object.ts'
import { filesAndFolders } from '../../builder/system/durable.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { suite } from '../suite.ts'
import { type Fault, missing, type Store, startStore } from '../support/s3.ts'
import { CHART, writeFiles } from '../support/workspace.ts'
import { type Build, built, type Machine, onTwoMachines, post, shareKeys } from './bucket-harness.ts'

const test = suite('workspaces in a bucket')
let store: Store
test.before(async () => {
  store = await startStore()
})
test.after(() => store.stop())
test.after.each(() => store.fail(null))

const refused: Fault = (asked, response) => {
  asked.resume()
  response.writeHead(403, { 'content-type': 'application/xml' })
  response.end('<Error><Code>AccessDenied</Code><Message>no</Message></Error>')
  return true
}

const YEAR = ['--from', '2025-01', '--through', '2025-12']
interface Log {
  readonly records: readonly { readonly Event: string }[]
}
const events = async (machine: Machine): Promise<readonly string[]> =>
  (await machine.json<Log>('snapshots', 'log', 'acme')).records.map(({ Event }) => Event)

test('what one machine publishes, each command finds on the other, and the other way round', () =>
  onTwoMachines(store, async (one, other) => {
    const first = await built(one)
    assert.not.ok(existsSync(join(one.root, 'snapshots')), 'nothing is published in a folder')
    const keyless = await other.run('build')
    assert.is(keyless.code, 3, keyless.out + keyless.err)
    assert.match(keyless.out + keyless.err, /signing-key-lost/)
    shareKeys(one, other)
    const same = await other.json<Build>('build')
    assert.is(same.companies[0]?.outcome, 'unchanged')
    post(one, other)
    const second = await built(other)
    assert.match(await one.done('snapshots', 'list'), new RegExp(`${first}[^]*${second}`))

    // What only reads; the first of these copies all of it.
    rmSync(join(other.root, '.tieout/bucket'), { recursive: true })
    assert.match(await other.done('show', 'acme', '2025-02', '--statement', 'profit-loss'), /255/)
    assert.match(await other.done('explain', 'acme', 'sales', '2025-02'), /Adds up[^\n]*yes/)
    assert.match(await other.done('diff', 'acme'), /Sales/)
    assert.match(await other.done('trial-balance', 'acme'), /Sales/)
    await other.done('proof', 'acme')
    await other.done('check')
    await other.done('report', 'acme', '--to', join(other.root, 'report'))
    await other.done('export', 'acme', '--what', 'statements', '--to', join(other.root, 'acme.csv'))
    await other.done('archive', 'acme', first, '--to', join(other.root, 'first.zip'))
    await other.done('evidence', 'acme', ...YEAR, '--to', join(other.root, 'evidence.zip'))
    await other.done('verify', join(other.root, 'first.zip'))
    assert.match(await other.done('verify'), /2 snapshots are as published/)
    assert.match(await other.done('verify', 'acme'), new RegExp(second))
    const head = await other.done('snapshots', 'head', 'acme')
    await one.done('review')
    await one.done('approvers')

    // What changes the log is published.
    await one.done('snapshots', 'hold', 'acme', first, '--reason', 'case 4711')
    assert.not.equal(await other.done('snapshots', 'head', 'acme'), head)
    await other.done('snapshots', 'release', 'acme', first, '--reason', 'case 4711 is closed')
    await one.done('use', 'acme', first, '--reason', 'the second one was wrong')
    const back = await other.json<Build>('build')
    assert.is(back.companies[0]!.outcome, 'unchanged', 'what was rolled back is not published again')
    post(one, other)
    await built(other)
    await other.done('use', 'acme', second, '--reason', 'no, it was right')
    await one.done('close', 'acme', '2025-01')
    await other.done('reopen', 'acme', '2025-01', '--reason', 'an invoice came late')
    await one.done('keys', 'signing', 'rotate', '--reason', 'every year in January')
    shareKeys(one, other)
    await other.done('prune', '--yes')
    assert.not.match(await one.done('snapshots', 'list'), new RegExp(first))
    await other.done('restore', join(other.root, 'first.zip'))
    assert.is(
      (await events(one)).join(),
      'publish,publish,hold,release,use,publish,use,close,reopen,rotate,prune,restore',
    )
    assert.match(await other.done('verify'), /3 snapshots are as published/)
  }))

test('without the bucket no command acts on the working copy', () =>
  onTwoMachines(store, async (one) => {
    const first = await built(one)
    store.fail(refused)
    for (const args of [
      ['build'],
      ['check'],
      ['show', 'acme'],
      ['explain', 'acme', 'sales', '2025-02'],
      ['diff', 'acme'],
      ['trial-balance', 'acme'],
      ['proof', 'acme'],
      ['report', 'acme', '--to', join(one.root, 'report')],
      ['export', 'acme', '--what', 'statements', '--to', join(one.root, 'acme.csv')],
      ['archive', 'acme', '--to', join(one.root, 'acme.zip')],
      ['evidence', 'acme', ...YEAR, '--to', join(one.root, 'evidence.zip')],
      ['verify'],
      ['verify', 'acme'],
      ['snapshots'],
      ['snapshots', 'log', 'acme'],
      ['snapshots', 'head', 'acme'],
      ['snapshots', 'hold', 'acme', '--reason', 'case 4711'],
      ['snapshots', 'adopt', 'acme', '--reason', 'it was found here'],
      ['use', 'acme', first, '--reason', 'it was the right one'],
      ['close', 'acme', '2025-01'],
      ['reopen', 'acme', '2025-01', '--reason', 'an invoice came late'],
      ['prune', '--yes'],
      ['review'],
      ['approvers'],
      ['keys', 'signing'],
      ['keys', 'signing', 'rotate', '--reason', 'every year in January'],
    ]) {
      const { code, out, err } = await one.run(...args)
      assert.is(code, 1, `${args.join(' ')}: ${out}${err}`)
      assert.match(out + err, /the bucket\s+s3:\S+\s+cannot be used/, args.join(' '))
    }
    store.fail(null)
    assert.equal(await events(one), ['publish'])
    await built(one).catch(() => {})
    const left = filesAndFolders(join(one.root, '.tieout/bucket'))[0].filter((path) =>
      /changes|\.lock/.test(path),
    )
    assert.equal(left, [], 'no scratch folder and no lock is left')
  }))

test('a bucket that does not keep the conditions of writes is refused before anything is built', () =>
  onTwoMachines(store, async (one) => {
    store.fail((asked) => {
      delete asked.headers['if-match']
      return false
    })
    const { code, out, err } = await one.run('build')
    assert.is(code, 1)
    assert.match(out + err, /does not\s+keep\s+the\s+condition\s+If-Match/)
  }))

test('a backup in another bucket brings back one object, and all of them', () =>
  onTwoMachines(store, async (one, _, name) => {
    await built(one)
    const at = ['--endpoint', store.endpoint]
    const backup = await store.bucket()
    const save = () =>
      one.json<{ companies: { files: number }[] }>('snapshots', 'copy', '--to', `s3://${backup}/books`, ...at)
    await save()
    post(one)
    await built(one)
    assert.ok((await save()).companies[0]!.files > 0)
    assert.is((await save()).companies[0]!.files, 0, 'what is there is not sent again')
    const head = await one.done('snapshots', 'head', 'acme')
    const [own, saved] = [
      await store.open(name, { prefix: 'books' }),
      await store.open(backup, { prefix: 'books' }),
    ]
    const keys: string[] = []
    for await (const { key } of own.list('')) keys.push(key)

    const { Current } = JSON.parse((await own.get('companies/acme.json'))!.bytes.toString())
    const lost = `objects/${Current.ManifestSha256}`
    await own.remove(lost)
    rmSync(join(one.root, '.tieout/bucket'), { recursive: true })
    const missed = await one.run('verify')
    assert.is(missed.code, 1)
    const said = (missed.out + missed.err).replace(/\s+/g, ' ')
    assert.match(said, new RegExp(`${lost} in s3://${name}/books is missing; bring it back`))
    await own.putOnce(lost, (await saved.get(lost))!.bytes)
    assert.match(await one.done('verify'), /2 snapshots are as published/)

    await one.done('snapshots')
    for (const key of keys) await own.remove(key)
    const restore = ['snapshots', 'copy', '--from', `s3://${backup}/books`, ...at]
    const refused = await one.run(...restore)
    assert.is(refused.code, 1)
    assert.match(refused.out + refused.err, /has\s+nothing\s+of\s+acme\s+any\s+more,\s+although\s+it\s+had/)
    rmSync(join(one.root, '.tieout/bucket'), { recursive: true })
    await one.done(...restore)
    assert.match(await one.done('verify'), /2 snapshots are as published/)
    assert.is(await one.done('snapshots', 'head', 'acme'), head)
  }))

test('a group is built, proven, archived and pruned with the snapshots of its members, which another machine published', () =>
  onTwoMachines(store, async (one, other) => {
    const group =
      'id: firm\nname: Firm\nfiscalMonthEnd: 12\ncurrency: USD\nchartOfAccounts: chart.csv\ngroup: { members: [{ company: acme }] }\n'
    for (const { root } of [one, other])
      writeFiles(join(root, 'datasets/firm'), { 'company.yaml': group, 'chart.csv': CHART })
    const member = (await one.json<Build>('build', 'acme')).companies[0]!.snapshotId
    shareKeys(one, other)
    await other.done('build', 'firm')
    assert.match(await one.done('verify', 'firm'), /1 snapshot is as published/)
    await one.done('archive', 'firm', '--to', join(one.root, 'firm.zip'))
    await one.done('verify', join(one.root, 'firm.zip'))
    assert.match(await one.done('explain', 'firm', 'sales', '2025-02', '--source'), /250/)
    post(one)
    await one.json<Build>('build', 'acme')
    for (const more of [[], ['--yes']])
      assert.match(
        await other.done('prune', 'acme', ...more),
        new RegExp(`${member}[^]*firm \\S+ was made from it`),
      )
    assert.match(await one.done('verify', 'firm'), /1 snapshot is as published/)
  }))

test.needs(missing)

test('what one machine proposes, another one approves: builds, a pruning, an archive, closed months', () =>
  onTwoMachines(store, async (one, other) => {
    const key = join(other.root, 'ann.pem')
    const made = await other.run('approvers', 'key', '--to', key, '--json')
    const approver = `{ name: Ann, key: ${JSON.parse(made.out).key} }`
    for (const { root } of [one, other])
      appendFileSync(join(root, 'tieout.yaml'), `approval: required\napprovers: [${approver}]\n`)
    const approved = async (...args: readonly string[]) => {
      const { code, out, err } = await one.run(...args)
      assert.is(code, 5, `${args.join(' ')}: ${out}${err}`)
      if (!existsSync(join(other.root, '.tieout/manifest-keys.json'))) shareKeys(one, other)
      await other.done('approve', 'acme', '--key', key)
    }
    await approved('build')
    const zip = join(one.root, 'first.zip')
    await one.done('archive', 'acme', '--to', zip)
    post(one, other)
    await approved('build')
    await approved('prune', '--yes')
    await approved('restore', zip)
    await one.done('close', 'acme', '2025-02')
    await approved('reopen', 'acme', '2025-02', '--reason', 'the bank statement came late')
    await other.done('verify')
    assert.equal(await events(one), ['publish', 'publish', 'prune', 'restore', 'close', 'reopen'])
  }))

test('what was changed in the bucket between the review and the approval is not approved', () =>
  onTwoMachines(store, async (one, other, name) => {
    const key = join(other.root, 'ann.pem')
    const made = await other.run('approvers', 'key', '--to', key, '--json')
    const approver = `{ name: Ann, key: ${JSON.parse(made.out).key} }`
    for (const { root } of [one, other])
      appendFileSync(join(root, 'tieout.yaml'), `approval: required\napprovers: [${approver}]\n`)
    const proposed = async (): Promise<string> => {
      assert.is((await one.run('build')).code, 5)
      shareKeys(one, other)
      const { waiting } = await other.json<{ waiting: readonly { candidate: string }[] }>('review')
      return waiting.at(-1)!.candidate
    }
    const bucket = await store.open(name, { prefix: 'books' })
    /** Another content of the files whose path the pattern meets; none for null. */
    const change = async (pattern: RegExp, content: (was: Buffer) => Buffer | null): Promise<void> => {
      const { object, tag } = present(await readHeld(bucket, 'acme'), 'acme in the bucket')
      const Files: FileEntry[] = []
      for (const file of object.Files) {
        const is = pattern.test(file.Path) ? content(await getObject(bucket, file.Sha256)) : undefined
        if (is) {
          await bucket.putOnce(objectKey(sha256(is)), is)
          Files.push({ Path: file.Path, Bytes: is.length, Sha256: sha256(is) })
        } else if (is === undefined) Files.push(file)
      }
      assert.ok(await swapHeld(bucket, { ...object, Files }, { object, tag }, deadlineIn(60_000, Date.now)))
    }
    const object = async () => (await readHeld(bucket, 'acme'))!.object
    const reviewed = await proposed()
    const before = await object()
    const setBack = async (to: CompanyObject) => {
      const { tag } = (await readHeld(bucket, 'acme'))!
      assert.ok(await swapHeld(bucket, to, { object: to, tag }, deadlineIn(60_000, Date.now)))
    }
    for (const [pattern, content, says] of [
      [
        /proposal\.json$/,
        (was) => Buffer.from(String(was).replace('"Reason":null', '"Reason":"a"')),
        /no candidate of acme/,
      ],
      [
        /manifest\.json$/,
        (was) => Buffer.from(String(was).replace('"Warnings"', ' "Warnings"')),
        /does not hold the \S+ of acme that was proposed/,
      ],
      [
        /profit-loss.*all\.json$/,
        (was) => Buffer.from(String(was).replace('1', '2')),
        /was changed since it was built: statements/,
      ],
      [/postings\.parquet$/, () => null, /postings\.parquet is missing/],
    ] as readonly (readonly [RegExp, (was: Buffer) => Buffer | null, RegExp])[]) {
      await change(pattern, content)
      // A machine that has looked at the proposal has it still, and approves what it looked at.
      rmSync(join(other.root, '.tieout/bucket'), { recursive: true, force: true })
      const ran = await other.run('approve', 'acme', reviewed, '--key', key)
      assert.is(ran.code, 1, `${pattern} ${ran.out}`)
      assert.match(ran.err.replace(/\s+/g, ' '), says)
      assert.is((await object()).Current, null)
      await setBack(before)
    }
    await other.done('approve', 'acme', reviewed, '--key', key)
    const first = await object()
    post(one, other)
    await other.done('approve', 'acme', await proposed(), '--key', key)
    const second = await object()
    await other.done('snapshots', 'list')

    // Set back behind a machine that saw more, and the pointer alone.
    await setBack(first)
    const behind = await other.run('verify', 'acme')
    assert.is.not(behind.code, 0, behind.out)
    assert.match(behind.err.replace(/\s+/g, ' '), /lacks lines of the log of acme that it had/)
    await setBack({ ...second, Current: first.Current })
    const moved = await other.run('verify', 'acme')
    assert.is(moved.code, 1, moved.out)
    assert.match(moved.out, /current\.json names .* was rolled back by hand/)
  }))
