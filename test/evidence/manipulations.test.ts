/**
 * The catalogue of manipulations: what is done to published snapshots by somebody who can write them and knows the public
 * key, but does not have the private one; what `tieout verify` must say of it, and with which exit code.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { verifyFolder } from '../../builder/evidence/verify/verify.ts'
import { INPUTS, LOG, MANIFEST, POINTER, SIGNATURE } from '../../builder/snapshot/files/layout.ts'
import { openSigner, type Signer } from '../../builder/snapshot/keys/key-file.ts'
import { goodCompany, tieout } from '../cli/command.ts'
import { suite } from '../suite.ts'
import { messagesIn } from '../support/damages.ts'
import { writeFiles } from '../support/workspace.ts'
import {
  addLine,
  copyOf,
  linesOf,
  manifestOf,
  point,
  pointerTo,
  rewriteHistory,
  snapshotsIn,
  writeLines,
  writeManifest,
} from './attacker.ts'

interface Context {
  top: string
  /** A workspace with three snapshots of acme, of which the second is held; sources are kept. */
  victim: string
  /** The public keys of the victim, as a file and by their ids. */
  keys: string
  known: ReadonlySet<string>
  /** A workspace that published the same books with an invented sale, under a key of its own. */
  attacker: string
  /** The attacker's key. */
  forger: Signer
}

const test = suite<Context>('manipulations')

const rentOf = (amount: string, sale = '') =>
  goodCompany('acme', `3 2025-03-01 rent ${amount}; 3 2025-03-01 bank -${amount}${sale}`)
const SALE = '; 9 2025-02-20 bank 90000.00; 9 2025-02-20 sales -90000.00'

async function run(cwd: string, ...args: string[]): Promise<string> {
  const ran = await tieout(args, { cwd })
  assert.is(ran.code, 0, `${args.join(' ')}: ${ran.out}${ran.err}`)
  return ran.out
}

async function publish(cwd: string, sale = ''): Promise<void> {
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'tieout.yaml'), 'keepInputs: true\n')
  for (const rent of ['10.00', '20.00', '30.00']) {
    writeFiles(join(cwd, 'datasets/acme'), rentOf(rent, sale))
    await run(cwd, 'build')
  }
}

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-evidence-'))
  context.victim = join(context.top, 'victim')
  context.attacker = join(context.top, 'attacker')
  await publish(context.victim)
  await publish(context.attacker, SALE)
  const [, second] = snapshotsIn(join(context.victim, 'snapshots/acme'))
  await run(context.victim, 'snapshots', 'hold', 'acme', second!, '--reason', 'tax audit of 2025')
  context.keys = join(context.top, 'victim.jwks.json')
  writeFileSync(context.keys, await run(context.victim, 'snapshots', 'key'))
  context.known = (await openSigner(join(context.victim, '.tieout'))).known
  context.forger = await openSigner(join(context.attacker, '.tieout'))
})

interface Manipulation {
  /** `folder` is that of the company. */
  act(folder: string, context: Context, ids: readonly string[]): Promise<void> | void
  readonly says: RegExp
  /** Whether it takes the figures, computed again. */
  readonly figures?: boolean
}

const takeOver = (folder: string, { attacker }: Context) => {
  rmSync(folder, { recursive: true })
  copyOf(join(attacker, 'snapshots/acme'), folder)
}
const asLink = (path: string) => {
  renameSync(path, `${path}.aside`)
  const away = join(path, '..', '..', `elsewhere-${Math.abs(path.length)}`)
  renameSync(`${path}.aside`, away)
  symlinkSync(away, path)
}

/** A line as a program of format 1 would have written it, but for what stands before its number. */
const withoutFormat = (line: string, members = ''): string => line.replace('"Format":2,', members)

const MANIPULATIONS: Readonly<Record<string, Manipulation>> = {
  'an invented sale, all of it unsigned': {
    async act(folder, context) {
      takeOver(folder, context)
      await rewriteHistory(folder, null)
    },
    says: /line 1 of log\.jsonl is not signed[\s\S]*manifest\.json is not signed, although the keys/,
  },
  'an invented sale, all of it signed with another key': {
    act: takeOver,
    says: /is signed with key \S+, which is none of the known ones[\s\S]*manifest\.json\.sig is of key/,
  },
  'an invented sale, the log signed away with its files': {
    async act(folder, context) {
      takeOver(folder, context)
      await rewriteHistory(folder, null, (manifest) => ({ ...manifest, Format: 1 }))
      rmSync(join(folder, LOG))
    },
    says: /manifest\.json is not signed, although the keys/,
  },
  'the newest manifest unsigned': {
    async act(folder, _context, ids) {
      point(folder, await writeManifest(folder, ids[2]!, null, (manifest) => manifest))
    },
    says: /is not signed, although the keys/,
  },
  'an unsigned rollback after a signed log': {
    async act(folder, _context, ids) {
      await addLine(folder, 'use', pointerTo(folder, ids[0]!), null)
      point(folder, pointerTo(folder, ids[0]!))
    },
    says: /line 5 of log\.jsonl is not signed/,
  },
  'an unsigned pruning after a signed log': {
    async act(folder, _context, ids) {
      await addLine(folder, 'prune', pointerTo(folder, ids[0]!), null)
      rmSync(join(folder, ids[0]!), { recursive: true })
    },
    says: /line 5 of log\.jsonl is not signed/,
  },
  'a hold released by somebody else': {
    act: (folder, { forger }, ids) => addLine(folder, 'release', pointerTo(folder, ids[1]!), forger),
    says: /line 5 of log\.jsonl is signed with key \S+, which is none of the known ones/,
  },
  'history adopted by somebody else': {
    act: (folder, { forger }, ids) => addLine(folder, 'adopt', pointerTo(folder, ids[2]!), forger),
    says: /line 5 of log\.jsonl is signed with key \S+, which is none/,
  },
  'an event that nobody knows': {
    act: (folder, { forger }, ids) => addLine(folder, 'praise' as never, pointerTo(folder, ids[2]!), forger),
    says: /line 5 of log\.jsonl is a "praise", an event that this version of Tieout does not know/,
  },
  'the log deleted': {
    act: (folder) => rmSync(join(folder, LOG)),
    says: /log\.jsonl is missing or empty, although manifest\.json of \S+ names a line of it/,
  },
  'the log emptied': {
    act: (folder) => writeLines(folder, []),
    says: /log\.jsonl is missing or empty, although/,
  },
  'the log cut behind its first line': {
    act: (folder) => writeLines(folder, linesOf(folder).slice(0, 1)),
    says: /lacks the line that was its last when \S+ was published: it was cut/,
  },
  'the log begun anew by somebody else': {
    async act(folder, { forger }, ids) {
      rmSync(join(folder, LOG))
      await addLine(folder, 'publish', pointerTo(folder, ids[2]!), forger)
    },
    says: /line 1 of log\.jsonl is signed with key/,
  },
  'a line taken out of the log': {
    act: (folder) => writeLines(folder, linesOf(folder).toSpliced(1, 1)),
    says: /line 2 of log\.jsonl does not follow the line before it/,
  },
  'the reason in a line changed': {
    act: (folder) =>
      writeLines(
        folder,
        linesOf(folder).map((line) => line.replace('tax audit', 'a mistake')),
      ),
    says: /line 4 of log\.jsonl was changed: its signature is over another text/,
  },
  'the first snapshot deleted': {
    act: (folder, _context, ids) => rmSync(join(folder, ids[0]!), { recursive: true }),
    says: /log\.jsonl says that it was published, and nothing that it was pruned/,
  },
  'the newest snapshot deleted, and the pointer moved back': {
    act(folder, _context, ids) {
      rmSync(join(folder, ids[2]!), { recursive: true })
      point(folder, pointerTo(folder, ids[1]!))
    },
    says: /snapshot \S+ is missing: log\.jsonl says that it was published/,
  },
  'the pointer moved back': {
    act: (folder, _context, ids) => point(folder, pointerTo(folder, ids[0]!)),
    says: /current\.json names \S+, although log\.jsonl says that \S+ is current/,
  },
  'a snapshot of somebody else put behind the last one': {
    async act(folder, { attacker, forger }, ids) {
      const theirs = join(attacker, 'snapshots/acme')
      const id = snapshotsIn(theirs)[2]!.replace('-r3-', '-r4-')
      copyOf(join(theirs, snapshotsIn(theirs)[2]!), join(folder, id))
      const pointer = await writeManifest(folder, id, forger, (manifest) => ({
        ...manifest,
        SnapshotId: id,
        Revision: 4,
        Previous: pointerTo(folder, ids[2]!),
      }))
      point(folder, pointer)
    },
    says: /manifest\.json\.sig is of key \S+, which is none of the known ones/,
  },
  'a signature of another manifest': {
    act: (folder, _context, ids) =>
      renameSync(join(folder, ids[0]!, SIGNATURE), join(folder, ids[1]!, SIGNATURE)),
    says: /does not sign this manifest\.json/,
  },
  'a format that is not known': {
    async act(folder, { forger }, ids) {
      point(folder, await writeManifest(folder, ids[2]!, forger, (manifest) => ({ ...manifest, Format: 5 })))
    },
    says: /is of format 5, which this version of Tieout does not know/,
  },
  'a manifest that lists no books': {
    async act(folder, context) {
      takeOver(folder, context)
      for (const id of snapshotsIn(folder)) rmSync(join(folder, id, 'books'), { recursive: true })
      await rewriteHistory(folder, context.forger, (manifest) => ({
        ...manifest,
        Files: manifest.Files.filter(({ Path }) => !Path.startsWith('books/')),
      }))
    },
    says: /does not list books\/frame\.json/,
    figures: true,
  },
  'compared with a snapshot that was not current': {
    async act(folder, { forger }, ids) {
      const other = pointerTo(folder, ids[0]!)
      await writeManifest(folder, ids[2]!, forger, (manifest) => ({ ...manifest, ComparedWith: other }))
    },
    says: /says that closed months were compared with \S+, although log\.jsonl says that \S+ was current/,
  },
  'a link in the place of a snapshot': {
    act: (folder, _context, ids) => asLink(join(folder, ids[0]!)),
    says: /is a link, not what was published there/,
  },
  'a link in the place of a manifest': {
    act: (folder, _context, ids) => asLink(join(folder, ids[0]!, MANIFEST)),
    says: /manifest\.json is missing, or is not a file/,
  },
  'a link in the place of a signature': {
    act: (folder, _context, ids) => asLink(join(folder, ids[0]!, SIGNATURE)),
    says: /manifest\.json\.sig is missing, or is not a file/,
  },
  'a link in the place of the log': {
    act: (folder) => asLink(join(folder, LOG)),
    says: /log\.jsonl is a link/,
  },
  'a link in the place of the pointer': {
    act: (folder) => asLink(join(folder, POINTER)),
    says: /current\.json is a link/,
  },
  'a link in the place of the kept sources': {
    act: (folder) => asLink(join(folder, INPUTS)),
    says: /inputs is a link/,
  },
  'a line of format 1 behind those of format 2': {
    act: (folder) => writeLines(folder, [...linesOf(folder), withoutFormat(linesOf(folder).at(-1)!)]),
    says: /line 5 of log\.jsonl is of format 1, although the line before it is of format 2/,
  },
  'a line of format 1 that says what none of them could': {
    act: (folder) => writeLines(folder, [withoutFormat(linesOf(folder)[0]!, '"Approvers":[],')]),
    says: /line 1 of log\.jsonl is of format 1, although no line of format 1 had "Approvers"/,
  },
  'a line of a format that is not known': {
    act: (folder) => writeLines(folder, [linesOf(folder)[0]!.replace('"Format":2', '"Format":3')]),
    says: /line 1 of log\.jsonl is of format 3, which this version of Tieout does not know/,
  },
  'a manifest that names a member twice': {
    act(folder, _context, ids) {
      const path = join(folder, ids[2]!, MANIFEST)
      writeFileSync(
        path,
        readFileSync(path, 'utf8').replace('"Currency"', '"Currency":"EUR","\\u0043urrency"'),
      )
    },
    says: /manifest\.json is not a manifest any more: it names "Currency" twice/,
  },
  'a line of the log that names a member twice': {
    act: (folder) =>
      writeLines(
        folder,
        linesOf(folder).map((line) => line.replace('{"Format":2', '{"Event":"use","Format":2')),
      ),
    says: /line 1 of log\.jsonl is not a record/,
  },
  'a pointer that names a member twice': {
    act: (folder, _context, ids) =>
      writeFileSync(
        join(folder, POINTER),
        JSON.stringify(pointerTo(folder, ids[2]!)).replace('{', '{"SnapshotId":"2025-01-r1-000000",'),
      ),
    says: /current\.json is not readable any more/,
  },
  'a snapshot of another company': {
    async act(folder, { forger }, ids) {
      await writeManifest(folder, ids[1]!, forger, (manifest) => ({ ...manifest, CompanyId: 'bolt' }))
    },
    says: /is one of company bolt, not of acme/,
  },
}

for (const [name, { act, says, figures = false }] of Object.entries(MANIPULATIONS))
  test(name, async (context) => {
    const folder = copyOf(
      join(context.victim, 'snapshots/acme'),
      join(mkdtempSync(join(context.top, 'case-')), 'acme'),
    )
    await act(folder, context, snapshotsIn(folder))
    const found = await verifyFolder(folder, 'company', { figures, known: context.known })
    assert.match(messagesIn(found), says)
    assert.is(found.verified, false)
  })

test('the exit code: in the workspace, and of a copy whose keys are known', async (context) => {
  const { top, victim, keys } = context
  const workspace = copyOf(victim, join(mkdtempSync(join(top, 'case-')), 'workspace'))
  const folder = join(workspace, 'snapshots/acme')
  const { act } = MANIPULATIONS['an invented sale, all of it unsigned']!
  await act(folder, context, snapshotsIn(folder))
  for (const args of [
    ['verify', 'acme', '--files-only'],
    ['verify', folder, '--files-only', '--key', keys],
  ]) {
    const ran = await tieout(args, { cwd: args[1] === 'acme' ? workspace : top })
    assert.is(ran.code, 1, ran.out + ran.err)
    // Lines are wrapped to the width of the terminal.
    assert.match(ran.out.replace(/\s+/g, ' '), /line 1 of log\.jsonl is not signed/)
  }
})

test('what nobody touched: verified everywhere, without a remark', async ({ victim, keys, top }) => {
  const copied = copyOf(join(victim, 'snapshots/acme'), join(mkdtempSync(join(top, 'case-')), 'copy'))
  assert.not.match(await run(victim, 'verify', 'acme'), /note|damage/)
  assert.not.match(await run(top, 'verify', copied, '--key', keys), /note|damage/)
})

test('what only an anchor outside can find: the end cut off, everywhere at once', async (context) => {
  const { victim, top } = context
  const workspace = copyOf(victim, join(mkdtempSync(join(top, 'case-')), 'workspace'))
  const folder = join(workspace, 'snapshots/acme')
  const [, , , noted] = /^acme line (\d+) of (\S+) ([0-9a-f]{64})\n$/.exec(
    await run(victim, 'snapshots', 'head', 'acme'),
  )!
  await run(workspace, 'verify', 'acme', '--files-only', '--expect', noted!)
  // What was noted earlier is still there.
  const ids = snapshotsIn(folder)
  await run(
    workspace,
    'verify',
    'acme',
    '--files-only',
    '--expect',
    pointerTo(folder, ids[0]!).ManifestSha256,
  )
  writeLines(folder, linesOf(folder).slice(0, 2))
  rmSync(join(folder, ids[2]!), { recursive: true })
  point(folder, pointerTo(folder, ids[1]!))
  await run(workspace, 'verify', 'acme', '--files-only')
  const found = await tieout(['verify', 'acme', '--files-only', '--expect', noted!], { cwd: workspace })
  assert.is(found.code, 1, found.out)
  assert.match(found.out.replace(/\s+/g, ' '), `nothing here has the SHA-256 that was noted, ${noted}`)
  assert.is((await tieout(['verify', '--expect', noted!], { cwd: workspace })).code, 2)
})

test('an archive of somebody else, unsigned or signed: not with the known key', async (context) => {
  const { attacker, keys, top } = context
  const place = mkdtempSync(join(top, 'case-'))
  const theirs = copyOf(attacker, join(place, 'theirs'))
  for (const how of ['signed', 'unsigned']) {
    if (how === 'unsigned') {
      await rewriteHistory(join(theirs, 'snapshots/acme'), null)
      rmSync(join(theirs, '.tieout'), { recursive: true })
    }
    const zip = join(place, `${how}.zip`)
    await run(theirs, 'archive', 'acme', '--to', zip)
    const verified = await tieout(['verify', zip, '--files-only', '--key', keys], { cwd: top })
    assert.is(verified.code, 1, verified.out)
    assert.match(
      verified.out.replace(/\s+/g, ' '),
      how === 'signed' ? /none of the known ones/ : /is not signed/,
    )
    const empty = join(place, how)
    mkdirSync(empty)
    writeFileSync(join(empty, 'tieout.yaml'), 'snapshots: snapshots\n')
    const restored = await tieout(['restore', zip, '--key', keys], { cwd: empty })
    assert.is(restored.code, 1, restored.out)
    assert.ok(!existsSync(join(empty, 'snapshots/acme', POINTER)))
  }
})

test('only the named keys count; where those of the workspace are lost, none does', async (context) => {
  const { victim, attacker, top } = context
  const theirs = join(top, 'attacker.jwks.json')
  writeFileSync(theirs, await run(attacker, 'snapshots', 'key'))
  const named = await tieout(['verify', 'acme', '--files-only', '--key', theirs], { cwd: victim })
  assert.is(named.code, 1, 'the key of the workspace was not named')
  assert.match(named.out.replace(/\s+/g, ' '), /which is none of the known ones/)
  const keyless = copyOf(victim, join(mkdtempSync(join(top, 'case-')), 'keyless'))
  rmSync(join(keyless, '.tieout'), { recursive: true })
  const lost = await tieout(['verify', 'acme', '--files-only'], { cwd: keyless })
  assert.is(lost.code, 1, lost.out)
  assert.match(lost.out.replace(/\s+/g, ' '), /none of the known ones: there are none/)
})

test('a manifest names the snapshot that its closed months were compared with', ({ victim }) => {
  const folder = join(victim, 'snapshots/acme')
  const [first, second] = snapshotsIn(folder)
  const { Format, ComparedWith, Previous } = manifestOf(folder, second!)
  assert.equal([Format, ComparedWith, Previous], [4, pointerTo(folder, first!), pointerTo(folder, first!)])
})
