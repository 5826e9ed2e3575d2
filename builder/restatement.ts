/**
 * The guard over closed months: a build that would state their figures differently than the current snapshot is
 * published with a reason or not at all. What it restates is kept with the snapshot; verification computes it again.
 */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Books } from './books/books.ts'
import { type DifferingDay, differingDays } from './books/differing.ts'
import type { Frame } from './books/frame.ts'
import { writeBooks } from './books/store.ts'
import {
  Comparison,
  closedThrough,
  type Edition,
  type RestatedFigures,
  type RestatedRow,
  restatedFigures,
  restatedText,
} from './closed-months.ts'
import { type Content, isWhole } from './contract/bytes.ts'
import { later } from './contract/calendar.ts'
import { byCodePoint } from './contract/vocabulary.ts'
import type { LockDate } from './lock-date.ts'
import { type ProgramChange, programReason, programText } from './program-change.ts'
import type { FileList } from './snapshot/file-list.ts'
import { BOOKS, bookPath } from './snapshot/layout.ts'
import type { FileEntry, RestatedFigure, Restatement } from './snapshot/manifest.ts'
import { openSnapshot, readPointer, type Snapshot, SnapshotDamagedError, sha256 } from './snapshot/open.ts'
import { error, type Finding, warning } from './workspace/finding.ts'

/** Figures and days in the manifest, and days in the file: everything is counted, so many are named. */
const FIRST = 100
const MOST_DAYS = 10_000

/** What a snapshot restates: the part for its manifest, and the text of `restatement.json`. */
export interface Restated {
  readonly part: Restatement
  /** Null where the snapshot before is damaged, so that nothing could be compared. */
  readonly file: string | null
}

export interface Guard {
  /** For a dry run, which keeps no documents: each as it is composed. */
  observe(path: string, content: Content): void
  /**
   * After the documents, those of a stage or those observed; and the books, of which a dry run has no files yet. With
   * a reason nothing is refused.
   */
  finish(
    staged: Staged | null,
    books: Books,
    ledgerFiles: readonly string[],
    reason: string | null,
  ): Promise<Ruling>
}

export interface Staged {
  readonly folder: string
  readonly files: FileList
}

export interface Ruling {
  /** An error forbids publication. */
  readonly findings: readonly Finding[]
  /** For the manifest; null where closed months are as they were published. */
  readonly restatement: Restatement | null
  /** The text of `restatement.json`. */
  readonly file: string | null
}

const inOrder = (files: Iterable<FileEntry>) => [...files].sort((a, b) => byCodePoint(a.Path, b.Path))

/** A company without closed months, or without a snapshot. */
const IDLE: Guard = {
  observe: () => {},
  finish: async () => ({ findings: [], restatement: null, file: null }),
}

/**
 * `current` is the current snapshot; null where there is none, or where it is damaged: which of the two, is asked here.
 * `program` is what another program than this one, which made it, may have to do with the differences.
 */
export async function openGuard(
  root: string,
  frame: Frame,
  current: Snapshot | null,
  lockDate: LockDate,
  program: ProgramChange | null = null,
): Promise<Guard> {
  const company = frame.companyId
  const pointer = await readPointer(root, company)
  if (pointer === null || lockDate.through === null) return IDLE
  try {
    const previous =
      current ?? (await openSnapshot(root, company, pointer.SnapshotId, pointer.ManifestSha256))
    return new ClosedMonths(previous, editionOf(previous), frame, lockDate, lockDate.through, program)
  } catch (problem) {
    if (!(problem instanceof SnapshotDamagedError)) throw problem
    return blind(company, lockDate, unknown(pointer.SnapshotId, lockDate.through, problem))
  }
}

/** A published snapshot, wherever it lies. */
export type Compared = Pick<Snapshot, 'id' | 'company' | 'folder' | 'files'>

/** As an edition: every file is held against its manifest as it is read. */
function editionOf(snapshot: Compared): Edition {
  const read = (path: string): string => {
    const bytes = readOrNull(join(snapshot.folder, path))
    if (bytes && sha256(bytes) === snapshot.files.get(path)?.Sha256) return bytes.toString('utf8')
    throw new SnapshotDamagedError(
      `${path} of snapshot ${snapshot.id} of ${snapshot.company} ${bytes ? 'was changed after publication' : 'is missing'}`,
    )
  }
  const frame = JSON.parse(read(bookPath('frame.json'))) as Frame
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

class ClosedMonths implements Guard {
  readonly #previous: Snapshot
  readonly #before: Edition
  readonly #frame: Frame
  readonly #lockDate: LockDate
  readonly #lock: string
  readonly #comparison: Comparison
  readonly #program: ProgramChange | null
  #damage: SnapshotDamagedError | null = null

  constructor(
    previous: Snapshot,
    before: Edition,
    frame: Frame,
    lockDate: LockDate,
    lock: string,
    program: ProgramChange | null,
  ) {
    this.#previous = previous
    this.#before = before
    this.#frame = frame
    this.#lockDate = lockDate
    this.#lock = lock
    this.#program = program
    this.#comparison = new Comparison(before, frame, closedThrough(lock))
  }

  observe(path: string, content: Content): void {
    // What comes in pieces is no statement.
    if (!isWhole(content)) return
    this.#unlessDamaged(() => this.#comparison.compare(path, sha256(content), () => content.toString()))
  }

  async finish(
    staged: Staged | null,
    books: Books,
    ledgerFiles: readonly string[],
    reason: string | null,
  ): Promise<Ruling> {
    const restated = await this.#restated(staged, books, ledgerFiles)
    return ruling(this.#frame.companyId, restated, this.#lockDate, staged === null, reason, this.#program)
  }

  async #restated(
    staged: Staged | null,
    books: Books,
    ledgerFiles: readonly string[],
  ): Promise<Restated | null> {
    const figures = this.#unlessDamaged(() => {
      for (const { Path, Sha256 } of inOrder(staged?.files ?? []))
        this.#comparison.compare(Path, Sha256, () => readFileSync(join(staged!.folder, Path), 'utf8'))
      return this.#comparison.finish()
    })
    const id = this.#previous.id
    if (this.#damage || !figures) return unknown(id, this.#lock, this.#damage!)
    try {
      return restatedOf(id, this.#lock, figures, await this.#days(staged, books, ledgerFiles))
    } catch (problem) {
      if (problem instanceof SnapshotDamagedError) return unknown(id, this.#lock, problem)
      throw problem
    }
  }

  /** One damaged document of the snapshot before is enough: nothing is called unchanged on the word of the others. */
  #unlessDamaged<T>(compare: () => T): T | null {
    if (this.#damage) return null
    try {
      return compare()
    } catch (problem) {
      if (!(problem instanceof SnapshotDamagedError)) throw problem
      this.#damage = problem
      return null
    }
  }

  async #days(staged: Staged | null, books: Books, ledgerFiles: readonly string[]): Promise<DifferingDay[]> {
    const path = bookPath('postings.parquet')
    const published = this.#before.files.get(path)
    if (staged && staged.files.find(path)?.Sha256 === published?.Sha256) return []
    await this.#previous.read(path)
    const before = join(this.#previous.folder, BOOKS)
    const until = lastStated(this.#before.frame, this.#lock)
    if (staged) return differingDays(before, join(staged.folder, BOOKS), until)
    const folder = await mkdtemp(join(tmpdir(), 'tieout-'))
    try {
      await writeBooks(books, folder, ledgerFiles)
      return await differingDays(before, folder, until)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** Where the snapshot before cannot be read, nobody can tell whether its closed months are restated. */
const blind = (company: string, lockDate: LockDate, restated: Restated): Guard => ({
  observe: () => {},
  finish: async (staged, _books, _files, reason) =>
    ruling(company, restated, lockDate, staged === null, reason),
})

const ruling = (
  company: string,
  restated: Restated | null,
  lockDate: LockDate,
  dryRun: boolean,
  reason: string | null,
  program: ProgramChange | null = null,
): Ruling => ({
  findings:
    restated && reason === null
      ? [restatementFinding(company, restated.part, lockDate, dryRun, program)]
      : [],
  restatement: restated && { ...restated.part, Reason: reason },
  file: restated?.file ?? null,
})

const unknown = (since: string, lock: string, { message }: SnapshotDamagedError): Restated => ({
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
  const { figures: count, goneMonths, labels } = figures
  if (count + goneMonths.length + labels.length + days.length === 0) return null
  const facts = {
    Since: since,
    LockDate: lock,
    Figures: count,
    Documents: figures.documents.length,
    Days: days.length,
    Months: figures.months,
    GoneMonths: goneMonths,
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

/** The error of a build without a reason, the warning of a dry run. */
function restatementFinding(
  company: string,
  part: Restatement,
  { place }: LockDate,
  dryRun: boolean,
  program: ProgramChange | null,
): Finding {
  const severity = dryRun ? warning : error
  const publish = `tieout build ${company} --restate "reason"`
  if (part.Uncompared !== undefined)
    return severity(
      'restatement-unknown',
      `months up to ${part.LockDate} are closed, but whether their figures stay as published in ${part.Since} cannot be told: ${part.Uncompared}`,
      {
        ...place,
        remedy: `restore the snapshot from its archive ("tieout verify ${company}" names what is damaged); or publish without the comparison: ${publish}`,
      },
    )
  const offered = program && programReason(program)
  return severity(
    'closed-month-restated',
    `${restatedText(part)}: months up to ${part.LockDate} are closed${dryRun ? '; "tieout build" would refuse this' : ''}${program ? programText(program) : ''}`,
    {
      ...place,
      remedy: offered
        ? `where the changed rules explain these figures, publish with that reason: tieout build ${company} --restate "${offered}"`
        : program?.isAll
          ? `no change of a rule is listed that explains it: have the program looked at that published ${part.Since}, or this one, before you publish with the reason: ${publish}`
          : part.Figures + part.Days + part.GoneMonths.length === 0
            ? `leave the names as they were published; or, where they must be others, publish with the reason: ${publish}`
            : `date the correction in an open month; or, where closed months must be restated, publish with the reason: ${publish}. If these are the last entries of a month that you are closing just now: build first, then close it`,
    },
  )
}

/** The last closed day of which anything was stated: a month that is covered for the first time restates nothing. */
const lastStated = ({ coverage }: Frame, lock: string): string =>
  coverage.endDate < lock ? coverage.endDate : lock

/** What a snapshot restates of the one before it, from what lies published; the books of both were verified. */
export async function restatedBetween(
  previous: Compared,
  snapshot: Compared,
  /** Format 1 did not compare names, counted days that were not covered before, and had no log that says what is closed. */
  isFormat1: boolean,
): Promise<Restated | null> {
  const [before, now] = [editionOf(previous), editionOf(snapshot)]
  const lock = isFormat1
    ? later(before.frame.lockedThrough, now.frame.lockedThrough)
    : now.frame.lockedThrough
  if (lock === null) return null
  const until = isFormat1 ? lock : lastStated(before.frame, lock)
  const days = await differingDays(join(previous.folder, BOOKS), join(snapshot.folder, BOOKS), until)
  const figures = restatedFigures(before, now, closedThrough(lock))
  return restatedOf(previous.id, lock, isFormat1 ? { ...figures, labels: [] } : figures, days)
}
