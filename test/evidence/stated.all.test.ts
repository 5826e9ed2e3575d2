/** What an insider with the real key writes into manifests and log beside figures that hold. */
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { verifyFolder } from '../../builder/evidence/verify/verify.ts'
import { LOG } from '../../builder/snapshot/files/layout.ts'
import type { InputEntry, Manifest, Pointer } from '../../builder/snapshot/files/manifest.ts'
import { openSigner, type Signer } from '../../builder/snapshot/keys/key-file.ts'
import type { EventDetails, LogEvent } from '../../builder/snapshot/log/log-record.ts'
import { goodCompany, inWorkspaceOf, tieout } from '../cli/command.ts'
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

const test = suite<{ top: string; honest: string; signer: Signer }>('stated')

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-stated-'))
  context.honest = join(context.top, 'honest')
  await inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    for (const [entries, kind] of [
      ['', 'Expense,Expense'],
      ['3 2025-02-11 rent 5.00; 3 2025-02-11 bank -5.00', 'Expense,Depreciation'],
    ] as const) {
      const files = goodCompany('acme', entries)
      const chart = String(files['chart.csv']).replace('Rent,Expense,Expense', `Rent,${kind}`)
      writeFiles(join(cwd, 'datasets/acme'), { ...files, 'chart.csv': chart })
      const built = await tieout(['build'], { cwd })
      assert.is(built.code, 0, built.out + built.err)
    }
    copyOf(cwd, context.honest)
  })
  context.signer = await openSigner(join(context.honest, '.tieout'))
  const published = join(context.honest, 'snapshots/acme')
  const [, last] = snapshotsIn(published)
  assert.ok(manifestOf(published, last!).Warnings.some(({ code }) => code === 'account-retyped'))
  const { outcome } = await verifyFolder(published, 'company', { figures: true, known: context.signer.known })
  assert.is(outcome, 'verified')
})

const RELEASED = '2b1cfd60387d36881a62996b1e16a6d6dd39bb7c218ca6ace5591a668190dea3'

const onLedger = (change: (input: InputEntry) => Partial<InputEntry>) => (manifest: Manifest) => ({
  Inputs: manifest.Inputs.map((input) => (input.Role === 'ledger' ? { ...input, ...change(input) } : input)),
})

type Stated = Readonly<Record<string, unknown>>

const CASES: Readonly<Record<string, [stated: (manifest: Manifest) => Stated, told: RegExp]>> = {
  'another first day': [
    ({ Coverage }) => ({ Coverage: { ...Coverage, StartDate: '2024-01-01' } }),
    /states the first day as 2024-01-01, the books give 2025-01-01/,
  ],
  'another currency': [() => ({ Currency: 'EUR' }), /states the currency as EUR, the books give USD/],
  'another number of documents': [
    ({ Totals }) => ({ Totals: { ...Totals, Documents: 1 } }),
    /states the number of documents as 1, the books give \d+/,
  ],
  'another number of postings': [
    ({ Totals }) => ({ Totals: { ...Totals, Postings: Totals.Postings + 1 } }),
    /states the number of postings as \d+, the books give \d+/,
  ],
  'another number of transactions': [
    ({ Totals }) => ({ Totals: { ...Totals, Transactions: 1 } }),
    /states the number of transactions as 1, the books give \d+/,
  ],
  'another version of this program': [
    ({ Tool }) => ({ Tool: { ...Tool, Version: '0.2.0' } }),
    /names tieout 0\.2\.0 with \d+ rules, which is not program [0-9a-f]{64}/,
  ],
  'other rules than this program has': [
    ({ Tool }) => ({ Tool: { ...Tool, Rules: 1 } }),
    /with 1 rules, which is not program/,
  ],
  'no program': [
    ({ Build: { Program: _, ...Build } }) => ({ Build }),
    /names tieout \S+ with \d+ rules, which is not program without a fingerprint/,
  ],
  'a released program under another version': [
    ({ Build }) => ({ Build: { ...Build, Program: RELEASED } }),
    /which is not program 2b1cfd60/,
  ],
  'a source outside of the company': [
    onLedger(() => ({ File: '../other/ledger.csv' })),
    /says that \.\.\/other\/ledger\.csv lies outside the folder of the company/,
  ],
  'a path in the place of the hash of a source': [
    onLedger(() => ({ Sha256: '../../../secret.csv' })),
    /is not a manifest any more: Inputs\.\d+\.Sha256: a SHA-256 in lower-case hexadecimal digits is expected/,
  ],
  'an invented role': [
    onLedger(() => ({ Role: 'proof' })),
    /is read as "proof", which is no role of a source/,
  ],
  'a source that is listed twice': [
    ({ Inputs }) => ({ Inputs: [...Inputs, ...Inputs.slice(-1)] }),
    /says that \S+ is listed twice/,
  ],
  'one source with two sizes': [
    ({ Inputs }) => ({ Inputs: [...Inputs, { ...Inputs.at(-1)!, Role: 'chart', Bytes: 1 }] }),
    /has two sizes or hashes/,
  ],
  'fewer rows than postings': [
    onLedger(() => ({ RowsRead: 1 })),
    /ledger\.csv has 1 rows, 0 rejected, and \d postings/,
  ],
  'rows that were rejected': [onLedger(() => ({ RowsRejected: 1 })), /rows, 1 rejected/],
  'an earlier first day': [
    onLedger(() => ({ FirstDate: '2024-12-01' })),
    /the books hold postings of ledger\.csv from 2025-01-01 through 2025-02-11?0?; manifest\.json states 2024-12-01/,
  ],
  'an earlier last day': [
    onLedger(() => ({ LastDate: '2025-01-31' })),
    /manifest\.json states 2025-01-01 through 2025-01-31/,
  ],
  'debits and credits that are not posted': [
    onLedger(() => ({ Debit: '9.00' })),
    /the control totals of that source are debits of 9\.00/,
  ],
  'a source that was kept, where none are': [
    onLedger(() => ({ Kept: true, Sha256: null })),
    /ledger\.csv was kept, against the setting keepInputs/,
  ],
  'an account that changed its kind, of which nothing is said': [
    ({ Warnings }) => ({ Warnings: Warnings.filter(({ code }) => code !== 'account-retyped') }),
    /warns otherwise of accounts that changed their kind since 2025-02-r1-\w+ than the two charts give it/,
  ],
  'another account that changed its kind': [
    ({ Warnings }) => ({
      Warnings: Warnings.map((each) => ({ ...each, message: each.message.replace('Rent', 'Bank') })),
    }),
    /warns otherwise of accounts that changed their kind/,
  ],
  'a member that no manifest has': [
    (manifest) => ({ ...manifest, Opinion: 'unqualified', Build: { ...manifest.Build, Auditor: 'Ann' } }),
    /manifest\.json has members that its format has not: Opinion, Build\.Auditor/,
  ],
  'no sources': [() => ({ Inputs: null }), /not a manifest any more: Inputs: /],
  'a warning that is none': [() => ({ Warnings: [null] }), /not a manifest any more: Warnings\.0: /],
  'a lock date that is a number': [() => ({ LockedThrough: 5 }), /not a manifest any more: LockedThrough: /],
  'no coverage': [() => ({ Coverage: {} }), /not a manifest any more: Coverage\.StartDate: /],
}

for (const [name, [stated, told]] of Object.entries(CASES))
  test(name, async ({ top, honest, signer }) => {
    const folder = copyOf(join(honest, 'snapshots/acme'), join(mkdtempSync(join(top, 'case-')), 'acme'))
    await rewriteHistory(folder, signer, (manifest) => ({ ...manifest, ...stated(manifest) }) as Manifest)
    const found = await verifyFolder(folder, 'company', { figures: true, known: signer.known })
    assert.is(found.outcome, 'damaged')
    const messages = messagesIn(found)
    assert.match(messages, told)
    assert.not.match(messages, /Cannot read|is not a function/)
  })

type Attack = (folder: string, ids: readonly string[], signer: Signer) => Promise<void>

/** The last snapshot once more, with the last line of the log and the pointer. */
const republished =
  (change: (manifest: Manifest) => Partial<Manifest>): Attack =>
  async (folder, [, last], signer) => {
    const changed = change(manifestOf(folder, last!))
    const id = changed.SnapshotId ?? last!
    if (id !== last) renameSync(join(folder, last!), join(folder, id))
    const pointer = await writeManifest(folder, id, signer, (manifest) => ({ ...manifest, ...changed }))
    writeLines(folder, linesOf(folder).slice(0, -1))
    await addLine(folder, 'publish', pointer, signer, {}, null)
    point(folder, pointer)
  }

const AGAINST_LOG: Readonly<Record<string, [attack: Attack, told: RegExp]>> = {
  'another snapshot before': [
    republished(() => ({ Previous: null })),
    /says that it follows none, although log\.jsonl published \S+ before/,
  ],
  'a revision left out': [
    republished(({ SnapshotId }) => ({ SnapshotId: SnapshotId.replace('-r2-', '-r5-'), Revision: 5 })),
    /skips a revision: there never was a revision 4 of 2025-02/,
  ],
  'built after it was published': [
    republished(({ Build }) => ({ Build: { ...Build, At: '2126-01-01T00:00:00.000Z' } })),
    /says that it was built at 2126-01-01T00:00:00\.000Z, although line 2 of log\.jsonl published it/,
  ],
  'built before the line that it names': [
    republished(({ Build }) => ({ Build: { ...Build, At: '2020-01-01T00:00:00.000Z' } })),
    /says that it was built at 2020-01-01T00:00:00\.000Z, although it names line 1 of log\.jsonl/,
  ],
  'published twice': [
    (folder, ids, signer) => addLine(folder, 'publish', pointerTo(folder, ids[1]!), signer, {}, null),
    /line 3 of log\.jsonl publishes \S+, as line 2 did before/,
  ],
  'adopted, and nowhere': [
    (folder, ids, signer) =>
      addLine(folder, 'adopt', pointerTo(folder, ids[1]!), signer, {
        Adopted: [{ SnapshotId: '2024-01-r1-aaaaaa', ManifestSha256: 'a'.repeat(64) }],
      }),
    /line 3 of log\.jsonl adopts 2024-01-r1-aaaaaa, which is nowhere here/,
  ],
}
/** Adds a line about the snapshot at `of` (of two), or about what was never published. */
const added =
  (event: LogEvent, of: 0 | 1 | null, details: object = {}): Attack =>
  async (folder, ids, signer) => {
    const pointer = of === null ? NOWHERE : pointerTo(folder, ids[of]!)
    await addLine(folder, event, pointer, signer, details)
  }
const NOWHERE = { SnapshotId: '2025-01-r1-aaaaaa', ManifestSha256: 'a'.repeat(64) }

/** The last snapshot once more, behind another line that its manifest passes over. */
const passingOver =
  (
    event: LogEvent,
    details: (pointer: Pointer) => EventDetails,
    manifest: Partial<Manifest['Build']>,
  ): Attack =>
  async (folder, [first, last], signer) => {
    writeLines(folder, linesOf(folder).slice(0, 1))
    const change = (each: Manifest) => ({
      ...each,
      ComparedWith: null,
      Build: { ...each.Build, ...manifest },
    })
    const pointer = await writeManifest(folder, last!, signer, change)
    await addLine(folder, event, pointerTo(folder, first!), signer, details(pointer))
    await addLine(folder, 'publish', pointer, signer, {}, null)
    point(folder, pointer)
  }

const CONTRADICTIONS: Readonly<Record<string, [attack: Attack, told: RegExp]>> = {
  'in use, and never published': [
    added('use', null),
    /line 3 of log\.jsonl is a "use" of 2025-01-r1-aaaaaa, which was not published/,
  ],
  'held, and never published': [added('hold', null), /is a "hold" of \S+, which was not published/],
  'another manifest restored under the id of one that was published': [
    async (folder, ids, signer) =>
      addLine(folder, 'restore', { ...pointerTo(folder, ids[0]!), ManifestSha256: 'a'.repeat(64) }, signer),
    /is a "restore" of another \S+ than was published/,
  ],
  'pruned while it was current': [added('prune', 1), /is a "prune" of \S+, which was current/],
  'pruned while it was held': [
    async (folder, ids, signer) => {
      await added('hold', 0)(folder, ids, signer)
      await added('prune', 0)(folder, ids, signer)
    },
    /line 4 of log\.jsonl is a "prune" of \S+, which was held/,
  ],
  'in use after it was pruned': [
    async (folder, ids, signer) => {
      await added('prune', 0)(folder, ids, signer)
      await added('use', 0)(folder, ids, signer)
    },
    /line 4 of log\.jsonl is a "use" of \S+, which had been pruned/,
  ],
  'released, and not held': [added('release', 0), /is a "release" of \S+, which was not held/],
  'closed beyond what was published': [
    added('close', 1, { ClosedThrough: '2099-12-31' }),
    /is a "close" through 2099-12-31, although \S+ ends on/,
  ],
  'closed in the middle of a month': [
    added('close', 1, { ClosedThrough: '2025-01-15' }),
    /is a "close" through 2025-01-15, which ends no month/,
  ],
  'opened, and closed through a later day': [
    async (folder, ids, signer) => {
      await added('close', 1, { ClosedThrough: '2025-01-31' })(folder, ids, signer)
      await added('reopen', 1, { ClosedThrough: '2025-02-28' })(folder, ids, signer)
    },
    /is a "reopen" through 2025-02-28, although the books were closed through 2025-01-31/,
  ],
  'opened, and never closed': [
    added('reopen', 1, { ClosedThrough: '2099-12-31' }),
    /is a "reopen" through 2099-12-31, although no month was closed/,
  ],
  'closed by what is taken back, beyond its own lock date': [
    added('restore', 0, { ClosedThrough: '2099-12-31' }),
    /is a "restore" that closes the books through 2099-12-31, although those of \S+ were closed through no day/,
  ],
  'closed by an adoption, beyond what was published': [
    added('adopt', 1, { Adopted: [], ClosedThrough: '2099-12-31' }),
    /is a "adopt" that closes the books through 2099-12-31, although those of \S+ were closed through no day/,
  ],
  'closed by a line about something else': [
    added('hold', 1, { ClosedThrough: '2025-01-31' }),
    /is a "hold" with "ClosedThrough"/,
  ],
  'a line that says more than lines say': [
    added('hold', 1, { Auditor: 'somebody' }),
    /line 3 of log\.jsonl has a member that its format has not: Auditor/,
  ],
  'a pointer in a line that says more': [
    async (folder, ids, signer) =>
      added('adopt', 1, { Adopted: [{ ...pointerTo(folder, ids[1]!), Auditor: 'somebody' }] })(
        folder,
        ids,
        signer,
      ),
    /line 3 of log\.jsonl is not a record/,
  ],
  'a pointer that says more': [
    async (folder, ids) => point(folder, { ...pointerTo(folder, ids[1]!), Auditor: 'somebody' } as Pointer),
    /current\.json is not readable any more/,
  ],
  'a build that passes over a closing': [
    passingOver('close', () => ({ ClosedThrough: '2025-01-31' }), { LogSha256: null }),
    /passes over line 1 of log\.jsonl, a "publish" before its publication/,
  ],
  'a build that names a line of a log that was lost, adopted to escape the comparison': [
    passingOver('adopt', (pointer) => ({ Adopted: [pointer] }), { LogSha256: 'a'.repeat(64) }),
    /passes over line 1 of log\.jsonl, a "publish" before its publication/,
  ],
  'the first after an adoption that names another one as current': [
    async (folder, [first, last], signer) => {
      const pointer = await writeManifest(folder, last!, signer, (each) => ({ ...each, ComparedWith: null }))
      writeLines(folder, [])
      rmSync(join(folder, LOG))
      await addLine(folder, 'adopt', pointerTo(folder, first!), signer, {
        Adopted: [pointerTo(folder, first!), pointer],
      })
      await addLine(folder, 'publish', pointer, signer, {}, null)
    },
    /is the first to be published after an adoption that names \S+ as the current one/,
  ],
}
for (const [name, [attack, told]] of Object.entries({ ...AGAINST_LOG, ...CONTRADICTIONS }))
  test(name, async ({ top, honest, signer }) => {
    const folder = copyOf(join(honest, 'snapshots/acme'), join(mkdtempSync(join(top, 'case-')), 'acme'))
    await attack(folder, snapshotsIn(folder), signer)
    const found = await verifyFolder(folder, 'company', { figures: false, known: signer.known })
    assert.match(messagesIn(found), told)
  })

const RESTATEMENT = {
  ...{ Since: '2024-12-r1-aaaaaa', LockDate: '2025-01-31', Reason: 'invoice 2210 was booked wrongly' },
  ...{ Figures: 1, Documents: 1, Days: 1, Months: ['2025-01'], GoneMonths: [], First: [] },
}
for (const [reason, said] of [
  [null, 'no reason'],
  ['the board wants it', 'the reason "the board wants it"'],
] as const)
  test(`a line that gives ${said} where the manifest gives another`, async ({ top, honest, signer }) => {
    const folder = copyOf(join(honest, 'snapshots/acme'), join(mkdtempSync(join(top, 'case-')), 'acme'))
    const told = async (given?: string | null): Promise<string> => {
      await rewriteHistory(folder, signer, (manifest) => ({ ...manifest, Restatement: RESTATEMENT }), given)
      return messagesIn(await verifyFolder(folder, 'company', { figures: false, known: signer.known }))
    }
    assert.ok((await told(reason)).includes(`log.jsonl gives ${said} for the publication of`))
    assert.not.match(await told(), /for the publication of/)
  })
