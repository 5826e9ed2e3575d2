/**
 * Records what one snapshot states differently in closed months than another: a summary for the manifest and
 * a list in a file.
 */

import { join } from 'node:path'
import { type DifferingDay, differingDays } from '../../books/read/line-diff.ts'
import type { Frame } from '../../books/reference/frame.ts'
import { parseFrame } from '../../books/reference/frame-schema.ts'
import { byCodePoint } from '../../contract/vocabulary.ts'
import { sha256 } from '../../system/hash.ts'
import { SnapshotDamagedError } from '../files/damage.ts'
import { BOOKS, bookPath } from '../files/layout.ts'
import type { Pointer, RestatedFigure, Restatement } from '../files/manifest.ts'
import { openSnapshot, type Snapshot } from '../files/open.ts'
import { readOrNull } from './agreeing.ts'
import {
  closedThrough,
  type Edition,
  type RestatedFigures,
  type RestatedRow,
  restatedFigures,
} from './closed-months.ts'

/** How many figures the manifest lists and how many days the file lists; all are counted. */
const FIRST = 100
const MOST_DAYS = 10_000

/** What a snapshot restates: the member of its manifest, and the text of `restatement.json`. */
export interface Restated {
  readonly part: Restatement
  /** Null where the previous snapshot is damaged, so that nothing could be compared. */
  readonly file: string | null
}

/** A published snapshot in any folder. */
export type SnapshotFolder = Pick<Snapshot, 'id' | 'company' | 'folder' | 'files'>

/**
 * Opens a snapshot as an edition. Each file is checked against the manifest when it is read.
 * Throws {@link SnapshotDamagedError}.
 */
export function editionOf(snapshot: SnapshotFolder): Edition {
  const read = (path: string): string => {
    const bytes = readOrNull(join(snapshot.folder, path))
    if (bytes && sha256(bytes) === snapshot.files.get(path)?.Sha256) return bytes.toString('utf8')
    throw new SnapshotDamagedError(
      `${path} of snapshot ${snapshot.id} of ${snapshot.company} ${bytes ? 'was changed after publication' : 'is missing'}`,
    )
  }
  const frame = parseFrame(
    read(bookPath('frame.json')),
    (problem) =>
      new SnapshotDamagedError(`books of snapshot ${snapshot.id} of ${snapshot.company}: ${problem}`),
  )
  return { frame, files: snapshot.files, read }
}

/** The restatement where the previous snapshot is damaged and nothing can be compared. */
export const uncompared = (since: string, lock: string, { message }: SnapshotDamagedError): Restated => ({
  part: {
    Reason: null,
    Since: since,
    LockDate: lock,
    Uncompared: message,
    Figures: 0,
    Documents: 0,
    Days: 0,
    Months: [],
    GoneMonths: [],
    First: [],
  },
  file: null,
})

/** Makes the summary and the file of a restatement; null where nothing differs. */
export function restatedOf(
  since: string,
  lock: string,
  figures: RestatedFigures,
  days: readonly DifferingDay[],
): Restated | null {
  const { figures: count, goneMonths, newMonths, labels } = figures
  if (count + goneMonths.length + newMonths.length + labels.length + days.length === 0) return null
  const facts = {
    Since: since,
    LockDate: lock,
    Figures: count,
    Documents: figures.documents.length,
    Days: days.length,
    Months: figures.months,
    GoneMonths: goneMonths,
    ...(newMonths.length > 0 ? { NewMonths: newMonths } : {}),
    ...(labels.length > 0 ? { Labels: labels } : {}),
  }
  const lines = (key: string, list: readonly object[]) =>
    `${JSON.stringify(key)}:${list.length === 0 ? '[]' : `[\n${list.map((each) => JSON.stringify(each)).join(',\n')}\n]`}`
  const text = [
    JSON.stringify(facts).slice(1, -1),
    lines('DocumentList', figures.documents),
    lines('Rows', figures.rows),
    lines('DayList', days.slice(0, MOST_DAYS).map(dayEntry)),
  ]
  return {
    part: { Reason: null, ...facts, First: firstFigures(figures.rows) },
    file: `{${text.join(',\n')}}\n`,
  }
}

/**
 * Picks the figures for the manifest: the earliest month comes first, because it shows what was corrected
 * (every later balance follows from it); unfiltered statements come before filtered ones.
 */
function firstFigures(rows: readonly RestatedRow[]): RestatedFigure[] {
  const isWhole = ({ ClassId, DepartmentId }: RestatedRow) => ClassId === null && DepartmentId === null
  const earliest = (some: readonly RestatedRow[]) =>
    some
      .flatMap(({ Figures, ...row }) =>
        Figures.map(([Month, Old, New]): RestatedFigure => ({ ...row, Month, Old, New })),
      )
      .sort((a, b) => byCodePoint(a.Month, b.Month))
  const others = rows.filter((row) => !isWhole(row)).slice(0, FIRST)
  return [...earliest(rows.filter(isWhole)), ...earliest(others)].slice(0, FIRST)
}

const dayEntry = (day: DifferingDay) => ({
  Basis: day.basis,
  Kind: day.kind,
  Date: day.date,
  Account: day.account,
  Class: day.classId,
  Department: day.departmentId,
  Old: day.before,
  New: day.now,
})

/** Which months are compared, and by which rules. */
export interface ClosedThrough {
  /** The last closed day (YYYY-MM-DD). */
  readonly lock: string
  /** The last day that the log had closed before; null where none. */
  readonly logged: string | null
  /**
   * Snapshots of format 1 did not compare names, and counted days that the earlier snapshot did not cover.
   */
  readonly isFormat1: boolean
  /** Whether the rule of that time compared how metrics are aggregated. */
  readonly comparesAggregations: boolean
}

/**
 * Lists the days up to the lock date whose sums differ between the books in two folders. Days outside the
 * earlier coverage, and bases that the earlier books lack, are stated for the first time and do not count.
 */
export async function restatedDays(
  { coverage, bases }: Pick<Frame, 'coverage' | 'bases'>,
  before: string,
  now: string,
  lock: string,
): Promise<DifferingDay[]> {
  const until = coverage.endDate < lock ? coverage.endDate : lock
  const stated = bases.map((basis) => basis.toLowerCase())
  return (await differingDays(before, now, until)).filter(
    ({ basis, date }) => date >= coverage.startDate && stated.includes(basis),
  )
}

/** The edition as if its metrics were aggregated as in the one before. */
function aggregatedAs({ frame: { metrics } }: Edition, now: Edition): Edition {
  const before = new Map(metrics.map(({ id, aggregation }) => [id, aggregation]))
  const same = now.frame.metrics.map((metric) => ({
    ...metric,
    aggregation: before.get(metric.id) ?? metric.aggregation,
  }))
  return { ...now, frame: { ...now.frame, metrics: same } }
}

/** Compares two published snapshots whose books were verified; null where closed months are the same. */
export async function restatedBetween(
  previous: SnapshotFolder,
  snapshot: SnapshotFolder,
  { lock, logged, isFormat1, comparesAggregations }: ClosedThrough,
): Promise<Restated | null> {
  const [before, after] = [editionOf(previous), editionOf(snapshot)]
  const now = comparesAggregations ? after : aggregatedAs(before, after)
  const books = [join(previous.folder, BOOKS), join(snapshot.folder, BOOKS)] as const
  const days = isFormat1
    ? await differingDays(...books, lock)
    : await restatedDays(before.frame, ...books, lock)
  const figures = restatedFigures(before, now, closedThrough(lock), logged && closedThrough(logged))
  return restatedOf(previous.id, lock, isFormat1 ? { ...figures, labels: [] } : figures, days)
}

/**
 * Compares the closed months of two snapshots of a company under `root`, for `tieout use`. Where the current
 * one is damaged, the result says that nothing could be compared; null where nothing differs.
 */
export const restatedByUse =
  (root: string, company: string) =>
  async (before: Pointer, now: Pointer, closedThrough: string): Promise<Restatement | null> => {
    const open = ({ SnapshotId, ManifestSha256 }: Pointer) =>
      openSnapshot(root, company, SnapshotId, ManifestSha256)
    const restated = await open(before)
      .then(
        async (previous): Promise<Restated | null> =>
          restatedBetween(previous, await open(now), {
            lock: closedThrough,
            logged: closedThrough,
            isFormat1: false,
            comparesAggregations: true,
          }),
      )
      .catch((problem: unknown) => {
        if (problem instanceof SnapshotDamagedError)
          return uncompared(before.SnapshotId, closedThrough, problem)
        throw problem
      })
    return restated?.part ?? null
  }
