/**
 * The catalogue of manipulations, of approvals: what is done by the very person who builds, who can write the snapshots and has the
 * key that signs them, but not that of an approver; what `tieout verify` must say of it, and that no command goes on from it.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { approve } from '../../builder/evidence/approval/approve.ts'
import { verifyFolder } from '../../builder/evidence/verify/verify.ts'
import { countersigned } from '../../builder/snapshot/approval/approval.ts'
import { openApproverKey } from '../../builder/snapshot/approval/approver-key.ts'
import { APPROVAL, LOG, POINTER, PROPOSAL, SIGNATURE } from '../../builder/snapshot/files/layout.ts'
import type { Pointer } from '../../builder/snapshot/files/manifest.ts'
import { openSigner, type Signer } from '../../builder/snapshot/keys/key-file.ts'
import { type Pen, penOf, privateKeyOf } from '../../builder/snapshot/keys/sign.ts'
import { candidatesIn } from '../../builder/snapshot/log/candidates.ts'
import { closeMonth } from '../../builder/snapshot/log/close.ts'
import { pointerOf } from '../../builder/snapshot/log/history.ts'
import { composeLine, readLog } from '../../builder/snapshot/log/log.ts'
import type { EventDetails, LogEvent } from '../../builder/snapshot/log/log-record.ts'
import { sha256 } from '../../builder/system/hash.ts'
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
  /** A workspace with two approved snapshots of acme, and a third that waits. */
  victim: string
  /** Of whoever builds. */
  signer: Signer
  ann: Pen
  /** Whoever builds, with the form of an approver. */
  builder: Pen
  /** A key that nobody named, with what the log says of an approver. */
  eve: { readonly Name: string; readonly Key: string; readonly pen: Pen }
}

const test = suite<Context>('manipulated approvals')

async function run(cwd: string, ...args: string[]): Promise<string> {
  const ran = await tieout(args, { cwd })
  assert.ok(ran.code === 0 || ran.code === 5, `${args.join(' ')}: ${ran.out}${ran.err}`)
  return ran.out
}

const sources = (cwd: string, rent: string): void =>
  writeFiles(
    join(cwd, 'datasets/acme'),
    goodCompany('acme', `3 2025-03-01 rent ${rent}; 3 2025-03-01 bank -${rent}`),
  )

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-approvals-'))
  const victim = join(context.top, 'victim')
  mkdirSync(victim)
  context.victim = victim
  const keyOf = async (name: string) => {
    const made = await tieout(['approvers', 'key', '--to', join(context.top, `${name}.pem`), '--json'], {
      cwd: context.top,
    })
    return JSON.parse(made.out).key as string
  }
  const key = await keyOf('ann')
  writeFileSync(
    join(victim, 'tieout.yaml'),
    `keepInputs: true\napproval: required\napprovers: [{ name: Ann, key: ${key} }]\n`,
  )
  for (const rent of ['10.00', '20.00', '30.00']) {
    sources(victim, rent)
    await run(victim, 'build')
    if (rent !== '30.00') await run(victim, 'approve', 'acme', '--key', join(context.top, 'ann.pem'))
  }
  context.signer = await openSigner(join(victim, '.tieout'))
  context.ann = await openApproverKey(join(context.top, 'ann.pem'), null)
  const [own] = JSON.parse(readFileSync(join(victim, '.tieout/manifest-keys.json'), 'utf8')).keys
  context.builder = await penOf(privateKeyOf(own))
  const eve = await keyOf('eve')
  context.eve = { Name: 'Eve', Key: eve, pen: await openApproverKey(join(context.top, 'eve.pem'), null) }
})

/** A line as the program would write it, approved with any key. */
async function addApproved(
  folder: string,
  event: LogEvent,
  pointer: Pointer,
  { signer }: Context,
  { keyId, sign }: Pen,
  details: EventDetails = {},
  stated: object = {},
): Promise<void> {
  const line = await composeLine(await readLog(folder), event, pointer, 'a good reason', signer, details)
  const approval = { At: new Date().toISOString(), By: 'ann@office', Name: 'Ann', KeyId: keyId, ...stated }
  writeLines(folder, [...linesOf(folder), await countersigned(line, approval, sign)])
}

/** What waits takes its place, and the pointer names it; gives its id. */
async function placeCandidate(folder: string): Promise<string> {
  const [candidate] = await candidatesIn(folder)
  const id = candidate!.record.SnapshotId
  renameSync(candidate!.snapshot!, join(folder, id))
  rmSync(join(folder, 'candidates'), { recursive: true })
  point(folder, pointerTo(folder, id))
  return id
}

const without = (line: string, member: string): string =>
  line.replace(new RegExp(`,"${member}":("[^"]*"|\\{[^}]*\\})`), '')

const changeLine = (folder: string, number: number, change: (line: string) => string): void =>
  writeLines(
    folder,
    linesOf(folder).map((line, i) => (i === number - 1 ? change(line) : line)),
  )

interface Manipulation {
  act(folder: string, context: Context, ids: readonly string[]): Promise<unknown> | unknown
  readonly says: RegExp
  /** Whether only somebody who knows the approver's key finds it. */
  readonly anchored?: boolean
}

const UNAPPROVED = (event: string) =>
  new RegExp(`line 3 of log\\.jsonl is a "${event}" that nobody approved, although line 1 says`)

const MANIPULATIONS: Readonly<Record<string, Manipulation>> = {
  ...Object.fromEntries(
    (['publish', 'use', 'prune', 'restore', 'adopt'] as const).map((event) => [
      `a line "${event}" that nobody approved`,
      {
        act: (folder: string, { signer }: Context, ids: readonly string[]) =>
          addLine(folder, event, pointerTo(folder, ids[0]!), signer),
        says: UNAPPROVED(event),
      },
    ]),
  ),
  'the end of approval that nobody approved': {
    async act(folder, { signer }, ids) {
      const log = await readLog(folder)
      const pointer = pointerTo(folder, ids[1]!)
      const line = await composeLine(log, 'approval', pointer, 'no need', signer, { Approvers: [] })
      writeLines(folder, [...linesOf(folder), line])
    },
    says: /line 3 of log\.jsonl names approvers, although nobody countersigned it/,
  },
  'approved with the key that signs': {
    act: (folder, context, ids) =>
      addApproved(folder, 'use', pointerTo(folder, ids[0]!), context, context.builder),
    says: /line 3 of log\.jsonl is approved with key \S+, which is none of the approvers'/,
  },
  'approved with the key of somebody else': {
    act: (folder, context, ids) =>
      addApproved(folder, 'use', pointerTo(folder, ids[0]!), context, context.eve.pen),
    says: /line 3 of log\.jsonl is approved with key \S+, which is none of the approvers'/,
  },
  'another approver, approved by that one': {
    act: (folder, context, ids) =>
      addApproved(folder, 'approval', pointerTo(folder, ids[1]!), context, context.eve.pen, {
        Approvers: [{ Name: 'Ann', Key: context.eve.Key }],
      }),
    says: /line 3 of log\.jsonl is approved with key \S+, which is none of the approvers'/,
  },
  'whoever builds made an approver, and approved so by one': {
    async act(folder, context, ids) {
      const [own] = JSON.parse(readFileSync(join(context.victim, '.tieout/manifest-keys.json'), 'utf8')).keys
      const Approvers = [{ Name: 'Bob', Key: own.x as string }]
      await addApproved(folder, 'approval', pointerTo(folder, ids[1]!), context, context.ann, { Approvers })
    },
    says: /line 3 of log\.jsonl makes one key sign and approve/,
  },
  'whoever builds made an approver, by another spelling of the key': {
    async act(folder, context, ids) {
      const [own] = JSON.parse(readFileSync(join(context.victim, '.tieout/manifest-keys.json'), 'utf8')).keys
      const Approvers = [{ Name: 'Bob', Key: respelled(own.x) }]
      await addApproved(folder, 'approval', pointerTo(folder, ids[1]!), context, context.ann, { Approvers })
    },
    says: /line 3 of log\.jsonl makes one key sign and approve/,
  },
  'two approvers with one key, spelled twice': {
    act: (folder, context, ids) =>
      addApproved(folder, 'approval', pointerTo(folder, ids[1]!), context, context.ann, {
        Approvers: [context.eve.Key, respelled(context.eve.Key)].map((Key) => ({ Name: 'Eve', Key })),
      }),
    says: /line 3 of log\.jsonl is not a record/,
  },
  'lines signed with the key of an approver': {
    act: (folder, { ann, signer }, ids) =>
      addLine(folder, 'hold', pointerTo(folder, ids[0]!), { ...signer, ...ann }),
    says: /line 3 of log\.jsonl (makes one key sign and approve|is signed with key)/,
  },
  'the countersignature taken away': {
    act: (folder) => changeLine(folder, 2, (line) => without(line, 'Countersignature')),
    says: /line 2 of log\.jsonl lost its signature/,
  },
  'the approval taken away with it': {
    act: (folder) => changeLine(folder, 2, (line) => without(without(line, 'Countersignature'), 'Approval')),
    says: /line 2 of log\.jsonl is a "publish" that nobody approved, although line 1 says/,
  },
  "the builder's signature taken away": {
    act: (folder) => changeLine(folder, 2, (line) => without(line, 'Signature')),
    says: /line 2 of log\.jsonl lost its signature/,
  },
  'another name under the approval': {
    act: (folder) =>
      changeLine(folder, 2, (line) => line.replace('"Name":"Ann","KeyId"', '"Name":"Bob","KeyId"')),
    says: /line 2 of log\.jsonl was changed: its countersignature is over another text/,
  },
  'the key of an approver under the name of another': {
    act: (folder, context, ids) =>
      addApproved(folder, 'use', pointerTo(folder, ids[0]!), context, context.ann, {}, { Name: 'Bob' }),
    says: /line 3 of log\.jsonl is approved by "Bob" with the key of Ann/,
  },
  'an approval that says more than who gave it': {
    act: (folder, context, ids) =>
      addApproved(folder, 'use', pointerTo(folder, ids[0]!), context, context.ann, {}, { Opinion: 'clean' }),
    says: /line 3 of log\.jsonl does not say who approved it/,
  },
  'an approval on no day': {
    act: (folder, context, ids) =>
      addApproved(folder, 'use', pointerTo(folder, ids[0]!), context, context.ann, {}, { At: 'audited' }),
    says: /line 3 of log\.jsonl does not say who approved it/,
  },
  'what was approved, its manifest without a word of approvers': {
    async act(folder, context, ids) {
      const [line] = linesOf(folder)
      const pointer = await writeManifest(folder, ids[1]!, context.signer, ({ Build, ...manifest }) => {
        const { Approvers: _, ...rest } = Build
        return { ...manifest, Build: rest } as never
      })
      writeLines(folder, [line!])
      await addApproved(folder, 'publish', pointer, context, context.ann)
      point(folder, pointer)
    },
    says: /says that nobody had to approve it, although log\.jsonl names Ann/,
  },
  'another reason in an approved line': {
    act: (folder) => changeLine(folder, 2, (line) => line.replace('"Reason":null', '"Reason":"all is well"')),
    says: /line 2 of log\.jsonl was changed: its countersignature is over another text/,
  },
  'an approved line once more': {
    act: (folder) => writeLines(folder, [...linesOf(folder), linesOf(folder)[1]!]),
    says: /line 3 of log\.jsonl does not follow the line before it/,
  },
  'an approval of one line put under another': {
    async act(folder, { signer }, ids) {
      await addLine(folder, 'use', pointerTo(folder, ids[0]!), signer)
      const [, approval] = /(,"Approval":.*)$/.exec(linesOf(folder)[1]!)!
      changeLine(folder, 3, (line) => `${line.slice(0, -1)}${approval}`)
    },
    says: /line 3 of log\.jsonl was changed: its countersignature is over another text/,
  },
  'what waits moved into its place by hand, with the pointer': {
    act: placeCandidate,
    says: /manifest\.json\.approval is missing.*although manifest\.json had to be approved by Ann/,
  },
  'what waits published by hand, its manifest without a word of approvers': {
    async act(folder, { signer }) {
      const id = await placeCandidate(folder)
      const pointer = await writeManifest(folder, id, signer, ({ Build, ...manifest }) => {
        const { Approvers: _, ...rest } = Build
        return { ...manifest, Build: rest } as never
      })
      point(folder, pointer)
    },
    says: /is not in log\.jsonl, and nobody approved it, although log\.jsonl requires an approval by Ann/,
  },
  'what waits published by hand, under an approval of another snapshot': {
    async act(folder, _context, ids) {
      const id = await placeCandidate(folder)
      writeFileSync(join(folder, id, APPROVAL), readFileSync(join(folder, ids[1]!, APPROVAL)))
    },
    says: /manifest\.json\.approval approves another manifest\.json, of 2025-03-r2/,
  },
  'what waits published by hand, approved by an approver of its own': {
    async act(folder, context) {
      const { eve, signer } = context
      const id = await placeCandidate(folder)
      const Approvers = [{ Name: 'Eve', Key: eve.Key }]
      const pointer = await writeManifest(folder, id, signer, (manifest) => ({
        ...manifest,
        Build: { ...manifest.Build, Approvers },
      }))
      const line = await composeLine(await readLog(folder), 'publish', pointer, null, signer)
      const approval = { At: new Date().toISOString(), By: 'eve@home', Name: 'Eve', KeyId: eve.pen.keyId }
      writeFileSync(join(folder, id, APPROVAL), `${await countersigned(line, approval, eve.pen.sign)}\n`)
      point(folder, pointer)
    },
    says: /is not in log\.jsonl, and nobody approved it, although log\.jsonl requires an approval by Ann/,
  },
  'the approval beside a manifest taken away': {
    act: (folder, _context, ids) => rmSync(join(folder, ids[0]!, APPROVAL)),
    says: /manifest\.json\.approval is missing, or is not a file/,
  },
  'the log written anew without approvals': {
    async act(folder, { signer }, ids) {
      rmSync(join(folder, LOG))
      for (const id of ids) await addLine(folder, 'publish', pointerTo(folder, id), signer)
    },
    says: /says that it had to be approved, but no line of log\.jsonl says by whom it was/,
  },
  'all of the history written anew, as if nobody ever had to approve': {
    async act(folder, { signer }, ids) {
      for (const id of ids) rmSync(join(folder, id, APPROVAL))
      await rewriteHistory(folder, signer, ({ Build, ...manifest }) => {
        const { Approvers: _, ...rest } = Build
        return { ...manifest, Build: rest } as never
      })
    },
    says: /no line of log\.jsonl names approvers, although approvers' keys were given/,
    anchored: true,
  },
}

for (const [name, { act, says, anchored = false }] of Object.entries(MANIPULATIONS))
  test(name, async (context) => {
    const { top, victim, signer, ann } = context
    const workspace = copyOf(victim, join(mkdtempSync(join(top, 'case-')), 'workspace'))
    const folder = join(workspace, 'snapshots/acme')
    await act(folder, context, snapshotsIn(folder))
    const look = async (approverKeys?: ReadonlySet<string>) => {
      const options = { figures: false, known: signer.known, ...(approverKeys ? { approverKeys } : {}) }
      const found = await verifyFolder(folder, 'company', options)
      return { verified: found.verified, told: messagesIn(found) }
    }
    if (!anchored) {
      const { verified, told } = await look()
      assert.match(told, says)
      assert.is(verified, false)
      // Nor does anything go on from it: with the approver's key either.
      const before = readFileSync(join(folder, 'current.json'), 'utf8')
      const request = {
        company: 'acme',
        candidate: null,
        pen: ann,
        inUse: async () => new Set<string>(),
        figures: false,
      }
      await approve(join(workspace, 'snapshots'), request, { signer }).catch(() => {})
      if (!name.includes('beside a manifest'))
        assert.is(readFileSync(join(folder, 'current.json'), 'utf8'), before)
    }
    const named = await look(new Set([ann.keyId]))
    assert.match(named.told, says)
    assert.is(named.verified, false)
  })

test('what nobody touched: verified, with the keys of signer and approver named', async ({ victim, top }) => {
  const folder = copyOf(join(victim, 'snapshots/acme'), join(mkdtempSync(join(top, 'case-')), 'copy'))
  const [keys, approvers] = [join(top, 'keys.json'), join(top, 'approvers.json')]
  writeFileSync(keys, await run(victim, 'snapshots', 'key'))
  writeFileSync(approvers, await run(victim, 'approvers', 'keys', 'acme'))
  await run(top, 'verify', folder, '--key', keys, '--approvers', approvers)
  const wrong = await tieout(['verify', folder, '--files-only', '--key', keys, '--approvers', keys], {
    cwd: top,
  })
  assert.is(wrong.code, 1)
  assert.match(
    wrong.out.replace(/\s+/g, ' '),
    /line 1 of log\.jsonl is approved by "Ann" with key \S+, which belongs to none of the approvers that were named/,
  )
  // One snapshot by itself, and as an archive, says who approved it.
  const [id] = snapshotsIn(folder)
  await run(top, 'verify', join(folder, id!), '--files-only', '--key', keys, '--approvers', approvers)
  const zip = join(top, 'acme.zip')
  await run(victim, 'archive', 'acme', '--to', zip)
  await run(top, 'verify', zip, '--files-only', '--key', keys, '--approvers', approvers)
  const bag = join(top, 'evidence.zip')
  await run(victim, 'evidence', 'acme', '--from', '2025-01', '--through', '2025-12', '--to', bag)
  await run(top, 'verify', bag, '--files-only', '--key', keys, '--approvers', approvers)
})

function asLink(path: string): void {
  const away = join(path, '../../../..', `away-${path.length}`)
  renameSync(path, away)
  symlinkSync(away, path)
}

/** What is done to what waits, after it was reviewed; and what approving it says. */
const CHANGED: Readonly<
  Record<string, { act(candidate: string, id: string, context: Context): unknown; says: RegExp }>
> = {
  'a figure of it changed': {
    act: (candidate, id) => {
      const path = join(candidate, id, 'statements/profit-loss/accrual/actuals/all/all.json')
      writeFileSync(path, readFileSync(path, 'utf8').replace('30.00', '31.00'))
    },
    says: /was changed since it was built: statements\/profit-loss\/.* was changed/,
  },
  'its manifest written anew by whoever builds': {
    act: (candidate, id, { signer }) =>
      writeManifest(candidate, id, signer, (manifest) => ({ ...manifest, Warnings: [], ControlsAgreed: 99 })),
    says: /does not hold the 2025-03-r3-\w+ of acme that was proposed/,
  },
  'its signature taken away': {
    act: (candidate, id) => rmSync(join(candidate, id, SIGNATURE)),
    says: /manifest\.json\.sig is missing/,
  },
  'a source that it keeps taken away': {
    act: (candidate, id) => rmSync(join(candidate, `${id}-inputs`), { recursive: true }),
    says: /ledger\.csv, a kept source of 2025-03-r3-\w+, is missing/,
  },
  'the proposed line changed': {
    act: (candidate) => {
      const path = join(candidate, PROPOSAL)
      writeFileSync(path, readFileSync(path, 'utf8').replace('"Reason":null', '"Reason":"fine"'))
    },
    says: /was changed: its signature is over another text/,
  },
  'its folder replaced by a link': {
    act: (candidate) => asLink(candidate),
    says: /candidates\/[0-9a-f]{64} of acme is a symbolic link, not a proposal/,
  },
  'its snapshot replaced by a link': {
    act: (candidate, id) => asLink(join(candidate, id)),
    says: /is missing beside its proposal/,
  },
  'the proposed line unsigned': {
    act: (candidate) => {
      const path = join(candidate, PROPOSAL)
      writeFileSync(path, without(readFileSync(path, 'utf8'), 'Signature'))
    },
    says: /lost its signature/,
  },
}

for (const [name, { act, says }] of Object.entries(CHANGED))
  test(`what waits, and ${name}: not approved`, async (context) => {
    const { top, victim } = context
    const workspace = copyOf(victim, join(mkdtempSync(join(top, 'case-')), 'workspace'))
    const folder = join(workspace, 'snapshots/acme')
    const [candidate] = await candidatesIn(folder)
    await act(candidate!.folder, candidate!.record.SnapshotId, context)
    const before = readFileSync(join(folder, LOG), 'utf8')
    const ran = await tieout(['approve', 'acme', '--key', join(top, 'ann.pem')], { cwd: workspace })
    assert.is(ran.code, 1, ran.out)
    assert.match(ran.err.replace(/\s+/g, ' '), says)
    assert.is(readFileSync(join(folder, LOG), 'utf8'), before)
    assert.is(snapshotsIn(folder).length, 2)
    assert.equal(
      readdirSync(folder).filter((name) => name.startsWith('.')),
      [],
    )
  })

test('litter that is a link is swept, and what it leads to stays', async ({ top, victim }) => {
  const workspace = copyOf(victim, join(mkdtempSync(join(top, 'case-')), 'workspace'))
  const folder = join(workspace, 'snapshots/acme')
  const aside = join(workspace, 'aside')
  mkdirSync(aside)
  writeFileSync(join(aside, 'kept.txt'), 'kept')
  symlinkSync(aside, join(folder, '.stage-abc'))
  await run(workspace, 'build', 'acme')
  assert.not.ok(readdirSync(folder).includes('.stage-abc'))
  assert.is(readFileSync(join(aside, 'kept.txt'), 'utf8'), 'kept')
})

test('figures that do not follow from the books, signed by whoever builds: found when they are approved', async (context) => {
  const { top, victim, signer } = context
  const workspace = copyOf(victim, join(mkdtempSync(join(top, 'case-')), 'workspace'))
  const folder = join(workspace, 'snapshots/acme')
  const [candidate] = await candidatesIn(folder)
  const { folder: place, record } = candidate!
  const id = record.SnapshotId
  const { contentHashOf } = await import('../../builder/snapshot/files/files.ts')
  const { snapshotId } = await import('../../builder/snapshot/files/layout.ts')
  const path = 'statements/profit-loss/accrual/actuals/all/all.json'
  const forged = readFileSync(join(place, id, path), 'utf8').replaceAll('30.00', '31.00')
  writeFileSync(join(place, id, path), forged)
  const Files = manifestOf(place, id).Files.map((file) =>
    file.Path === path ? { ...file, Sha256: sha256(forged), Bytes: Buffer.byteLength(forged) } : file,
  )
  const ContentHash = contentHashOf(Files)
  const other = snapshotId('2025-03', 3, ContentHash)
  const Approvers = manifestOf(place, id).Build.Approvers
  const pointer = await writeManifest(place, id, signer, (manifest) => ({
    ...manifest,
    SnapshotId: other,
    ContentHash,
    Files,
    Build: { ...manifest.Build, ...(Approvers ? { Approvers } : {}) },
  }))
  renameSync(join(place, id), join(place, other))
  const line = await composeLine(
    await readLog(folder),
    'publish',
    { ...pointer, SnapshotId: other },
    null,
    signer,
  )
  writeFileSync(join(place, PROPOSAL), `${line}\n`)
  renameSync(place, join(folder, 'candidates', pointer.ManifestSha256))
  const asReviewed = ['approve', 'acme', record.ManifestSha256.slice(0, 16), '--key', join(top, 'ann.pem')]
  const named = await tieout(asReviewed, { cwd: workspace })
  assert.is(named.code, 1)
  assert.match(named.err.replace(/\s+/g, ' '), /no candidate of \w+ begins with/)
  const ran = await tieout(['approve', 'acme', '--key', join(top, 'ann.pem')], { cwd: workspace })
  assert.is(ran.code, 1, ran.out)
  assert.match(
    ran.err.replace(/\s+/g, ' '),
    /was changed since it was built: .*NetIncome|was changed since it was built/,
  )
  assert.is(snapshotsIn(folder).length, 2)
})

/** Other proposals, signed by whoever builds, that are put in the place of the one that Ann reviewed. */
const SWAPPED: Readonly<Record<string, EventDetails>> = {
  publish: { Approvers: [] },
  use: {},
  prune: {},
  restore: {},
  reopen: { ClosedThrough: '2024-12-31' },
  adopt: { Adopted: [] },
  approval: { Approvers: [] },
  rotate: {
    KeyChange: {
      Event: 'rotate',
      At: '',
      By: '',
      Reason: '',
      Replaces: null,
      PublicKey: 'A'.repeat(43),
      Signature: null,
    },
  },
}

test('what was reviewed, and another proposal under its name: not approved', async ({
  top,
  victim,
  signer,
}) => {
  const workspace = copyOf(victim, join(mkdtempSync(join(top, 'case-')), 'workspace'))
  const folder = join(workspace, 'snapshots/acme')
  const [reviewed] = await candidatesIn(folder)
  const { SnapshotId, ManifestSha256 } = reviewed!.record
  const reason = 'a reason that sounds well'
  for (const [event, details] of Object.entries(SWAPPED)) {
    const pointer =
      event === 'publish' ? { SnapshotId, ManifestSha256 } : pointerTo(folder, snapshotsIn(folder)[0]!)
    const line = await composeLine(await readLog(folder), event as LogEvent, pointer, reason, signer, details)
    writeFileSync(join(reviewed!.folder, PROPOSAL), `${line}\n`)
    await notApproved(workspace, reviewed!.hash, join(top, 'ann.pem'))
  }
})

test('what was reviewed, and another build under its name: not approved', async ({ top, victim }) => {
  const workspace = copyOf(victim, join(mkdtempSync(join(top, 'case-')), 'workspace'))
  const folder = join(workspace, 'snapshots/acme')
  const [reviewed] = await candidatesIn(folder)
  sources(workspace, '78.00')
  await run(workspace, 'build')
  const [other] = await candidatesIn(folder)
  renameSync(other!.folder, reviewed!.folder)
  await notApproved(workspace, reviewed!.hash, join(top, 'ann.pem'))
})

test('copies of a proposal in other folders are that proposal once, which is approved', async ({
  top,
  victim,
}) => {
  const workspace = copyOf(victim, join(mkdtempSync(join(top, 'case-')), 'workspace'))
  const folder = join(workspace, 'snapshots/acme')
  const [waiting] = await candidatesIn(folder)
  for (const letter of ['0', 'f']) {
    const copy = copyOf(waiting!.folder, join(folder, 'candidates', letter.repeat(64)))
    rmSync(join(copy, waiting!.record.SnapshotId), { recursive: true })
  }
  assert.equal(await candidatesIn(folder), [waiting])
  await run(workspace, 'approve', 'acme', '--key', join(top, 'ann.pem'))
  await run(workspace, 'verify', '--files-only')
})

/** What no command proposes, signed by whoever builds: it would do what nobody who reviews it expects. */
const UNEXPECTED: readonly (readonly [
  name: string,
  propose: (
    folder: string,
    ids: readonly string[],
    context: Context,
  ) => readonly [LogEvent, string, EventDetails?],
  says: RegExp,
])[] = [
  [
    'another key under the name of the approver, beside a "use"',
    (_folder, ids, { eve }) => ['use', ids[0]!, { Approvers: [{ Name: 'Ann', Key: eve.Key }] }],
    /is a "use" that names other approvers than line 1/,
  ],
  [
    'an adoption beside a "use"',
    (folder, ids) => ['use', ids[0]!, { Adopted: [pointerTo(folder, ids[1]!)] }],
    /is a "use" with "Adopted", a member of "adopt" alone/,
  ],
  [
    'the removal of the current one',
    (folder, ids) => ['prune', ids[0]!, { Also: [pointerTo(folder, ids[1]!)] }],
    /is a "prune" of 2025-03-r2-\w+, which was current/,
  ],
  [
    'a second publication',
    (_folder, ids) => ['publish', ids[0]!],
    /publishes 2025-03-r1-\w+, as line 1 did before/,
  ],
  [
    'the removal of one snapshot twice',
    (folder, ids) => ['prune', ids[0]!, { Also: [pointerTo(folder, ids[0]!)] }],
    /removes a snapshot of acme twice/,
  ],
  [
    'a reopening that opens nothing',
    (_folder, ids) => ['reopen', ids[1]!, { ClosedThrough: '2099-12-31' }],
    /log\.jsonl would be damaged .*is a "reopen" through 2099-12-31, although no month was closed/,
  ],
  [
    'closed months beside what is taken back',
    (_folder, ids) => ['restore', ids[0]!, { ClosedThrough: '2099-12-31' }],
    /is a "restore" that closes the books through 2099-12-31, although those of 2025-03-r1-\w+ were closed through no day/,
  ],
  [
    'an end of approval that names nobody',
    (_folder, ids) => ['approval', ids[1]!],
    /is a "approval" of no approvers/,
  ],
  [
    'the release of what was not held',
    (_folder, ids) => ['release', ids[0]!],
    /is a "release" of 2025-03-r1-\w+, which was not held/,
  ],
  [
    'an adoption of something else than lies here',
    (folder, ids) => ['adopt', ids[1]!, { Adopted: [pointerTo(folder, ids[0]!)] }],
    /is not of the snapshots of acme as they lie here/,
  ],
]

const TODAY = '2026-01-01'

/** What approving a proposal of whoever builds says. */
async function refused(
  workspace: string,
  { top, signer }: Context,
  event: LogEvent,
  id: string,
  details: EventDetails = {},
): Promise<string> {
  const folder = join(workspace, 'snapshots/acme')
  const pointer = pointerTo(folder, id)
  const line = await composeLine(await readLog(folder), event, pointer, 'a good reason', signer, details)
  const hash = sha256(line)
  mkdirSync(join(folder, 'candidates', hash), { recursive: true })
  writeFileSync(join(folder, 'candidates', hash, PROPOSAL), `${line}\n`)
  const ran = await tieout(['approve', 'acme', hash, '--key', join(top, 'ann.pem')], { cwd: workspace })
  assert.is(ran.code, 1, `${event}: ${ran.out}`)
  return ran.err.replace(/\s+/g, ' ')
}

test('what no command proposes is not approved, under its own hash either', async (context) => {
  const { top, victim } = context
  const workspace = copyOf(victim, join(mkdtempSync(join(top, 'case-')), 'workspace'))
  const folder = join(workspace, 'snapshots/acme')
  const ids = snapshotsIn(folder)
  const before = readFileSync(join(folder, LOG), 'utf8')
  for (const [name, propose, says] of UNEXPECTED) {
    assert.match(await refused(workspace, context, ...propose(folder, ids, context)), says)
    assert.is(readFileSync(join(folder, LOG), 'utf8'), before, name)
  }
  const [waiting] = await candidatesIn(folder)
  const short = await tieout(['review', 'acme', waiting!.hash.slice(0, 15)], { cwd: workspace })
  assert.match(short.err, /give at least 16 characters/)
})

test('a build whose line closes other months than its manifest, or passes over a closing: not approved', async (context) => {
  const { top, victim, signer } = context
  for (const [closes, says] of [
    [null, /passes over line 3 of log\.jsonl, a "close" before its publication/],
    ['2025-02-28', /closes the books through 2025-02-28, but manifest\.json says nothing new/],
  ] as const) {
    const workspace = copyOf(victim, join(mkdtempSync(join(top, 'case-')), 'workspace'))
    const folder = join(workspace, 'snapshots/acme')
    const [waiting] = await candidatesIn(folder)
    if (closes === null)
      await closeMonth(join(workspace, 'snapshots'), 'acme', '2025-01', { signer, today: TODAY })
    const log = await readLog(folder)
    const details = closes === null ? {} : { ClosedThrough: closes }
    const line = await composeLine(log, 'publish', pointerOf(waiting!.record), null, signer, details)
    const place = join(folder, 'candidates', sha256(line))
    copyOf(join(victim, 'snapshots/acme/candidates', waiting!.hash), place)
    writeFileSync(join(place, PROPOSAL), `${line}\n`)
    const before = readFileSync(join(folder, LOG), 'utf8')
    const args = ['approve', 'acme', sha256(line), '--key', join(top, 'ann.pem')]
    const ran = await tieout(args, { cwd: workspace })
    assert.is(ran.code, 1, ran.out)
    assert.match(ran.err.replace(/\s+/g, ' '), says)
    assert.is(readFileSync(join(folder, LOG), 'utf8'), before)
    await run(workspace, 'verify', 'acme', '--files-only')
  }
})

test('going back over closed months: what it restates is reviewed, and computed again when it is approved', async (context) => {
  const { top, victim } = context
  const workspace = copyOf(victim, join(mkdtempSync(join(top, 'case-')), 'workspace'))
  const folder = join(workspace, 'snapshots/acme')
  const [id] = snapshotsIn(folder)
  await run(workspace, 'close', 'acme', '2025-03')
  await run(workspace, 'snapshots', 'hold', 'acme', id!, '--reason', 'tax audit of 2025')
  assert.match(
    await refused(workspace, context, 'use', id!),
    /does not say what it restates in closed months/,
  )
  assert.match(
    await refused(workspace, context, 'prune', id!),
    /is a "prune" of 2025-03-r1-\w+, which was held/,
  )
  rmSync(join(folder, 'candidates'), { recursive: true })
  await run(workspace, 'use', 'acme', id!, '--reason', 'the second has the wrong rent')
  const review = (await run(workspace, 'review', 'acme')).replace(/\s+/g, ' ')
  assert.match(review, /Restates 52 figures in 12 documents differ from 2025-03-r2-\w+, in 2025-03/)
  assert.match(review, /6000 Rent 2025-03 20\.00 10\.00/)
  await run(workspace, 'approve', 'acme', '--key', join(top, 'ann.pem'))
  await run(workspace, 'verify', '--files-only')
})

async function notApproved(workspace: string, hash: string, key: string): Promise<void> {
  const log = join(workspace, 'snapshots/acme', LOG)
  const before = readFileSync(log, 'utf8')
  const ran = await tieout(['approve', 'acme', hash, '--key', key], { cwd: workspace })
  assert.is(ran.code, 1, ran.out)
  assert.match(ran.err.replace(/\s+/g, ' '), /no candidate of acme begins with/)
  assert.is(readFileSync(log, 'utf8'), before)
}

/** The same 32 bytes in other letters: the last one of 43 has two bits that mean nothing. */
const respelled = (key: string): string => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return key.slice(0, -1) + letters[letters.indexOf(key.at(-1)!) + 1]
}

test('one key in two spellings is one key: of whoever builds, and of two approvers', async (context) => {
  const { top, victim, eve } = context
  const workspace = copyOf(victim, join(mkdtempSync(join(top, 'case-')), 'workspace'))
  const [own] = JSON.parse(readFileSync(join(victim, '.tieout/manifest-keys.json'), 'utf8')).keys
  const building = async (...keys: readonly string[]) => {
    const approvers = keys.map((key, i) => `{ name: A${i}, key: ${key} }`).join(', ')
    writeFileSync(join(workspace, 'tieout.yaml'), `approval: required\napprovers: [${approvers}]\n`)
    const ran = await tieout(['build'], { cwd: workspace })
    return `${ran.code} ${ran.out}${ran.err}`.replace(/\s+/g, ' ')
  }
  assert.match(
    await building(respelled(own.x)),
    /^3 .*the key of the approver A0 signs snapshots in this workspace/,
  )
  assert.match(await building(eve.Key, respelled(eve.Key)), /^3 .*must not name one key twice/)
})

test('two approvers of one name are refused where the log has not named them before', async (context) => {
  const { top, victim, eve } = context
  const workspace = copyOf(victim, join(mkdtempSync(join(top, 'case-')), 'workspace'))
  const settings = join(workspace, 'tieout.yaml')
  const text = readFileSync(settings, 'utf8')
  writeFileSync(settings, text.replace(']', `, { name: ANN, key: ${eve.Key} }]`))
  const ran = await tieout(['approvers', 'propose', 'acme', '--reason', 'a second key'], { cwd: workspace })
  assert.is(ran.code, 3, ran.out)
  assert.match(ran.err.replace(/\s+/g, ' '), /two approvers have the name ANN .*a name of their own/)
})

test('a log that is gone: only an approver vouches for what is left, with the approvers whom the manifests name', async (context) => {
  const { top, victim } = context
  const workspace = copyOf(victim, join(mkdtempSync(join(top, 'case-')), 'workspace'))
  const folder = join(workspace, 'snapshots/acme')
  rmSync(join(folder, LOG))
  rmSync(join(folder, 'candidates'), { recursive: true })
  writeFileSync(join(workspace, 'tieout.yaml'), '{}')
  assert.is((await tieout(['build'], { cwd: workspace })).code, 3)
  const adopting = ['snapshots', 'adopt', 'acme', '--reason', 'the disk of the log broke']
  const adopted = await tieout(adopting, { cwd: workspace })
  assert.is(adopted.code, 5, adopted.out + adopted.err)
  assert.ok(!existsSync(join(folder, LOG)))
  await run(workspace, 'approve', 'acme', '--key', join(top, 'ann.pem'))
  await run(workspace, 'verify', 'acme', '--files-only')
  sources(workspace, '40.00')
  // What the log had closed is not known any more: all that was published counts as closed.
  await run(workspace, 'close', 'acme', '2025-03')
  const restating = ['build', 'acme', '--restate', 'the rent of March was another one']
  const built = await tieout(restating, { cwd: workspace })
  assert.is(built.code, 5, built.out + built.err)
  await run(workspace, 'approve', 'acme', '--key', join(top, 'ann.pem'))
  await run(workspace, 'verify', 'acme', '--files-only')
})

test('log and pointer that are gone: nothing moves, whatever lies beside a manifest, until somebody vouches for it', async (context) => {
  const { top, victim } = context
  const workspace = copyOf(victim, join(mkdtempSync(join(top, 'case-')), 'workspace'))
  const folder = join(workspace, 'snapshots/acme')
  for (const name of [LOG, POINTER]) rmSync(join(folder, name))
  const before = readdirSync(folder)
  for (const args of [
    ['build'],
    ['close', 'acme', '2025-01'],
    ['snapshots', 'hold', 'acme', '--reason', 'tax audit'],
    ['approve', 'acme', '--key', join(top, 'ann.pem')],
  ]) {
    const ran = await tieout(args, { cwd: workspace })
    assert.ok(ran.code !== 0 && ran.code !== 5, `${args.join(' ')}: ${ran.out}${ran.err}`)
    assert.equal(readdirSync(folder), before, args.join(' '))
  }
  rmSync(join(folder, 'candidates'), { recursive: true })
  const adopting = ['snapshots', 'adopt', 'acme', '--reason', 'the disk of the log broke']
  assert.is((await tieout(adopting, { cwd: workspace })).code, 5)
  assert.not.ok(existsSync(join(folder, POINTER)) || existsSync(join(folder, LOG)))
  await run(workspace, 'approve', 'acme', '--key', join(top, 'ann.pem'))
  const { SnapshotId } = JSON.parse(readFileSync(join(folder, POINTER), 'utf8')) as Pointer
  assert.is(SnapshotId, snapshotsIn(folder).at(-1))
  await run(workspace, 'verify', 'acme', '--files-only')
})

test('an approval of one company used for another', async (context) => {
  const { top, victim, signer, ann } = context
  const workspace = copyOf(victim, join(mkdtempSync(join(top, 'case-')), 'workspace'))
  const root = join(workspace, 'snapshots')
  copyOf(join(root, 'acme'), join(root, 'bolt'))
  const request = {
    company: 'bolt',
    candidate: null,
    pen: ann,
    inUse: async () => new Set<string>(),
    figures: false,
  }
  const problem = await approve(root, request, { signer }).catch((found: Error) => found.message)
  assert.match(String(problem), /does not hold the \S+ of bolt that was proposed/)
})
