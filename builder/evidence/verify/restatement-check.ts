/**
 * Checks what a company's snapshots and its log say about restated closed months: each restatement is
 * computed again from both published snapshots and compared with what was stated about it.
 */

import { join } from 'node:path'
import { type ChartEntry, retypedFindings } from '../../books/check/audit.ts'
import { lastDay, later, monthOf } from '../../contract/calendar.ts'
import { listed } from '../../contract/listed.ts'
import { restatedText } from '../../snapshot/closing/closed-months.ts'
import {
  type ClosedThrough,
  type Restated,
  restatedBetween,
  type SnapshotFolder,
} from '../../snapshot/closing/restated.ts'
import { comparesAggregations } from '../../snapshot/closing/rules.ts'
import type { Damage } from '../../snapshot/files/damage.ts'
import type { CheckedSnapshot } from '../../snapshot/files/files.ts'
import { LOG, listPath, MANIFEST, RESTATEMENT } from '../../snapshot/files/layout.ts'
import {
  comparedWith,
  filesOf,
  type Manifest,
  type Pointer,
  type RestatementFacts,
} from '../../snapshot/files/manifest.ts'
import type { CheckedCompany } from '../../snapshot/log/chain.ts'
import { closedAfterLines, historyOf, isSamePointer } from '../../snapshot/log/history.ts'
import { statedLockDate } from '../../snapshot/log/lock-date.ts'
import type { LogRecord } from '../../snapshot/log/log-record.ts'
import { factsOf } from '../../snapshot/log/use.ts'
import { sha256 } from '../../system/hash.ts'
import { readFile } from '../../system/plain-file.ts'
import type { Finding } from '../../workspace/findings/finding.ts'
import { Differences, type Maker } from './reading.ts'
import { unlistedBooks } from './recompute.ts'

interface Checked {
  readonly damages: readonly Damage[]
  /** Differences in what counts as a restatement, where another program made the snapshot. */
  readonly readings: readonly Damage[]
  readonly notes: readonly string[]
}

const onlyNotes = (...notes: string[]): Checked => ({ damages: [], readings: [], notes })

type Company = Pick<CheckedCompany, 'snapshots' | 'log'>

/**
 * The snapshot with which the closed months are compared. Plain data, so that it can be sent to another
 * process.
 */
export interface ComparedSnapshot {
  readonly previous: CheckedSnapshot
  /** The months that were closed when the snapshot was published; null where none were. */
  readonly closed: ClosedThrough | null
}

/**
 * What the closed months of a snapshot are compared with. Null where the previous snapshot is not here or
 * either of the two is damaged, so that nothing can be said.
 */
export function comparisonOf(
  snapshot: CheckedSnapshot,
  { snapshots, log }: Company,
): ComparedSnapshot | null {
  const previous = soundAmong(snapshots, snapshot.manifest && comparedWith(snapshot.manifest))
  return isSound(snapshot) && previous ? { previous, closed: closedFor(previous, snapshot, log) } : null
}

/**
 * Computes what a snapshot restates in closed months and compares it with what its manifest and
 * `restatement.json` state.
 */
export async function checkRestatement(
  snapshot: CheckedSnapshot,
  maker: Maker,
  { previous, closed }: ComparedSnapshot,
): Promise<Checked> {
  if (!isSound(snapshot) || !isSound(previous)) return onlyNotes()
  const { manifest } = snapshot
  const retyped = await retypedOtherwise(snapshot, previous, maker)
  if (retyped !== null) return damaged(maker, snapshot.id, MANIFEST, retyped)
  const stated = manifest.Restatement
  const found = closed && (await restatedBetween(comparedOf(previous), comparedOf(snapshot), closed))
  if (stated?.Uncompared !== undefined) {
    const wrong = uncomparedProblem(stated, found, previous.id, closed)
    return wrong === null
      ? onlyNotes(
          `${snapshot.id} was published with a reason, and ${comparedNow(stated, found, previous.id)}`,
        )
      : damaged(maker, snapshot.id, MANIFEST, `${MANIFEST} of ${snapshot.id} ${wrong}`)
  }
  // A manifest of format 2 always says whether it restates anything; one of format 1 may not.
  if (stated === undefined && manifest.Format === 1)
    return found
      ? onlyNotes(
          `${snapshot.id} was published before closed months were guarded: ${restatedText(found.part)}`,
        )
      : onlyNotes()
  const problem = problemOf(snapshot.id, previous.id, manifest, found)
  if (problem === null) return onlyNotes()
  const [path, message] = problem
  return damaged(maker, snapshot.id, path, message)
}

/**
 * What is wrong with the warnings of accounts that changed their kind, which follow from the charts of the two snapshots; null if nothing is.
 * Another program may word them otherwise.
 */
async function retypedOtherwise(snapshot: Sound, previous: Sound, maker: Maker): Promise<string | null> {
  const { id, manifest } = snapshot
  if (manifest.Format === 1 || manifest.Restatement?.Uncompared !== undefined) return null
  const chartOf = async ({ folder }: Sound): Promise<ChartEntry[]> =>
    JSON.parse(await readFile(join(folder, listPath('chart-of-accounts')), 'utf8')).Data
  const given = retypedFindings(await chartOf(previous), await chartOf(snapshot))
  const stated = manifest.Warnings.filter(({ code }) => code === 'account-retyped')
  const texts = (findings: readonly Finding[]) =>
    JSON.stringify(findings.map((each) => (maker === 'another program' ? each.text : each)))
  return texts(given) === texts(stated)
    ? null
    : `${MANIFEST} of ${id} warns otherwise of accounts that changed their kind since ${previous.id} than the two charts give it`
}

function damaged(maker: Maker, snapshotId: string, path: string, message: string): Checked {
  const differences = new Differences(maker)
  differences.add({ kind: 'restatement', snapshotId, path, message })
  return { damages: differences.damages, readings: differences.readings, notes: [] }
}

/**
 * Checks the statement that closed months could not be compared, now that the previous snapshot can be read:
 * it may have been restored since, or the statement may be false. Differences are allowed only with a reason.
 * Returns what is wrong, or null.
 */
function uncomparedProblem(
  stated: RestatementFacts & { readonly Reason?: string | null },
  found: Restated | null,
  since: string,
  closed: ClosedThrough | null,
): string | null {
  const claim = 'says that closed months could not be compared'
  if (closed === null) return `${claim}, although none were closed`
  if (stated.Since !== since || stated.LockDate !== closed.lock)
    return `${claim} with ${stated.Since} through ${stated.LockDate}, although they were those of ${since} through ${closed.lock}`
  const { Reason: _, Since, LockDate, Uncompared, ...counted } = stated
  if (Object.values(counted).some((value) => (Array.isArray(value) ? value.length > 0 : value !== 0)))
    return `${claim}, and how many figures differ`
  return found && !stated.Reason?.trim()
    ? `${claim} with ${since}; they can be, and differ without a reason: ${restatedText(found.part)}`
    : null
}

const comparedNow = (stated: RestatementFacts, found: Restated | null, since: string): string =>
  `${restatedText(stated)}; ${since} is sound here, and compared now ${found ? restatedText(found.part) : 'all closed months are as it states them'}`

/** The months that were closed when the snapshot was published; null where none were. */
function closedFor(previous: Sound, { folder, manifest }: Sound, log: Company['log']): ClosedThrough | null {
  const { Format, LockedThrough, Restatement, Build, Tool } = manifest
  // In format 1 the log does not say which months are closed, and names were not compared.
  const isOld = Format === 1 || LockedThrough === undefined
  const lock = isOld ? later(statedLockDate(previous.folder), statedLockDate(folder)) : LockedThrough
  if (lock === null) return null
  const known = closedAfterLines(log).get(Build.LogSha256 ?? null)
  // Where a snapshot came from another workspace, the log does not have its line; its own statement is used.
  const last = Restatement?.NewMonths?.at(-1)
  const logged = known !== undefined ? known : last === undefined ? null : lastDay(monthOf(`${last}-01`))
  return { lock, logged, isFormat1: Format === 1, comparesAggregations: comparesAggregations(Tool.Rules) }
}

/** A note names at most this number of snapshots. */
const NOTED = 5

/** A note on the snapshots whose closed months cannot be compared, since the snapshot before was pruned or left out. */
export function notCompared({ snapshots, log }: Company): string[] {
  const here = new Set(snapshots.map(({ manifestHash }) => manifestHash))
  const gone = snapshots.filter(({ manifest }) => {
    const hash = manifest?.LockedThrough && manifest.ComparedWith?.ManifestSha256
    return hash && !here.has(hash)
  })
  if (gone.length === 0 || log.records.length === 0) return []
  const ids = gone.map(({ id }) => id)
  return [
    `closed months of ${listed(ids, NOTED)} were not compared: what they were compared with when they were published is not here`,
  ]
}

/** Checks the log lines that put another snapshot into use while months were closed. */
export async function checkUses({ snapshots, log: { records } }: Company): Promise<Checked> {
  const damages: Damage[] = []
  const notes: string[] = []
  for (const [i, record] of records.entries()) {
    if (record.Event !== 'use') continue
    const { current, closed } = historyOf(records.slice(0, i))
    const [before, now] = [soundAmong(snapshots, current), soundAmong(snapshots, record)]
    if (!closed || !before || !now) continue
    const stated = record.Restatement
    const lock = closed.ClosedThrough
    const through = { lock, logged: lock, isFormat1: false, comparesAggregations: true }
    const compared = (rule: ClosedThrough) => restatedBetween(comparedOf(before), comparedOf(now), rule)
    let found = await compared(through)
    // A line does not name the rules under which it was written. Those of before are possible where one of the
    // snapshots is from before.
    const isOld = [before, now].some(({ manifest }) => !comparesAggregations(manifest.Tool.Rules))
    if (isOld && problemOfUse(record, found) !== null)
      found = await compared({ ...through, comparesAggregations: false })
    let message: string | null
    if (stated?.Uncompared === undefined) message = problemOfUse(record, found)
    else {
      const wrong = uncomparedProblem({ ...stated, Reason: record.Reason }, found, before.id, through)
      message = wrong === null ? null : `line ${record.Seq} of ${LOG} ${wrong}`
      if (wrong === null)
        notes.push(`${record.SnapshotId} was taken into use, and ${comparedNow(stated, found, before.id)}`)
    }
    if (message !== null) damages.push({ kind: 'restatement', snapshotId: null, path: LOG, message })
  }
  return { damages, readings: [], notes }
}

function problemOfUse(
  { Seq, SnapshotId, Reason, Restatement }: LogRecord,
  found: Restated | null,
): string | null {
  const line = `line ${Seq} of ${LOG} takes ${SnapshotId} into use`
  if (found && (!Restatement || !Reason))
    return `${line}, which states closed months differently, and does not say so: ${restatedText(found.part)}`
  const { Restatement: expected } = factsOf(found?.part ?? null)
  return JSON.stringify(Restatement) === JSON.stringify(expected)
    ? null
    : `${line}, but does not state correctly what that changes in closed months`
}

type Sound = CheckedSnapshot & { readonly manifest: Manifest }
const isSound = (snapshot: CheckedSnapshot): snapshot is Sound =>
  snapshot.manifest !== null && snapshot.damages.length === 0 && unlistedBooks(snapshot.manifest).length === 0

const soundAmong = (snapshots: readonly CheckedSnapshot[], link: Pointer | null): Sound | null => {
  const found = snapshots.find(
    ({ id, manifestHash }) =>
      link && manifestHash && isSamePointer({ SnapshotId: id, ManifestSha256: manifestHash }, link),
  )
  return found && isSound(found) ? found : null
}

const comparedOf = ({ id, folder, manifest }: Sound): SnapshotFolder => ({
  id,
  folder,
  company: manifest.CompanyId,
  files: filesOf(manifest),
})

/**
 * Compares a stated restatement with the computed one; returns the file at fault and the message, or null.
 */
function problemOf(
  id: string,
  before: string,
  { Restatement: stated, Files }: Manifest,
  found: Restated | null,
): [path: string, message: string] | null {
  if (found && !stated)
    return [
      MANIFEST,
      `${id} states closed months differently than before, and gives no reason: ${restatedText(found.part)}`,
    ]
  if (!found && stated)
    return [MANIFEST, `${id} says that it restates closed months, but they are as in ${before}`]
  const file = Files.find(({ Path }) => Path === RESTATEMENT)?.Sha256
  if (file !== (found?.file ? sha256(found.file) : undefined))
    return [RESTATEMENT, `${RESTATEMENT} of ${id} does not list what differs from ${before}`]
  if (!found || !stated) return null
  if (!stated.Reason?.trim()) return [MANIFEST, `${id} restates closed months without a reason`]
  const same = JSON.stringify({ ...stated, Reason: null }) === JSON.stringify(found.part)
  return same
    ? null
    : [MANIFEST, `${MANIFEST} of ${id} summarizes its restatement differently than ${RESTATEMENT}`]
}
