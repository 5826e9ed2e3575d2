/** What one snapshot states differently of closed months than another: summed up for the manifest, and listed in a file. */
import { join } from 'node:path'
import type { Frame } from '../books/frame.ts'
import { parseFrame } from '../books/frame-schema.ts'
import { type DifferingDay, differingDays } from '../books/line-diff.ts'
import { byCodePoint } from '../contract/vocabulary.ts'
import { SnapshotDamagedError } from '../snapshot/damage.ts'
import { BOOKS, bookPath } from '../snapshot/layout.ts'
import type { RestatedFigure, Restatement } from '../snapshot/manifest.ts'
import type { Snapshot } from '../snapshot/open.ts'
import { sha256 } from '../workspace/hash.ts'
import { readFileSync } from '../workspace/plain-file.ts'
import {
  closedThrough,
  type Edition,
  type RestatedFigures,
  type RestatedRow,
  restatedFigures,
} from './closed-months.ts'

/** Figures and days in the manifest, and days in the file: everything is counted, so many are named. */
const FIRST = 100
const MOST_DAYS = 10_000

/** What a snapshot restates: the part for its manifest, and the text of `restatement.json`. */
export interface Restated {
  readonly part: Restatement
  /** Null where the snapshot before is damaged, so that nothing could be compared. */
  readonly file: string | null
}

/** A published snapshot, wherever it lies. */
export type Compared = Pick<Snapshot, 'id' | 'company' | 'folder' | 'files'>

/** As an edition: every file is held against its manifest as it is read. */
export function editionOf(snapshot: Compared): Edition {
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

function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw problem
  }
}

/** Where the snapshot before is damaged. */
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

/** Null where nothing differs. */
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

/** The earliest month tells what was corrected: every balance after it follows. Unfiltered statements go before others. */
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

/** What is compared. */
export interface ClosedThrough {
  /** Through which day months are closed. */
  readonly lock: string
  /** As far as the log knew before. */
  readonly logged: string | null
  /** Format 1 did not compare names, and counted days of which nothing was stated before. */
  readonly isFormat1: boolean
}

/**
 * The days up to the lock date of which the books in the folder `before` state something else: what they do not cover, and a
 * basis that they do not have, is stated for the first time.
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

/** What a snapshot restates of another one, from what lies published; the books of both were verified. */
export async function restatedBetween(
  previous: Compared,
  snapshot: Compared,
  { lock, logged, isFormat1 }: ClosedThrough,
): Promise<Restated | null> {
  const [before, now] = [editionOf(previous), editionOf(snapshot)]
  const books = [join(previous.folder, BOOKS), join(snapshot.folder, BOOKS)] as const
  const days = isFormat1
    ? await differingDays(...books, lock)
    : await restatedDays(before.frame, ...books, lock)
  const figures = restatedFigures(before, now, closedThrough(lock), logged && closedThrough(logged))
  return restatedOf(previous.id, lock, isFormat1 ? { ...figures, labels: [] } : figures, days)
}
