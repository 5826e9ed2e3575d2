/**
 * Guards closed months: a build that would state their figures differently than the current snapshot needs a
 * reason, or is not published. The snapshot keeps the list of what it restates, and verification computes
 * that list again. Owns which months are closed and what differs in them. Must not compare anything but
 * figures and names.
 */

import { join } from 'node:path'
import type { Books } from '../../books/books.ts'
import type { DifferingDay } from '../../books/read/line-diff.ts'
import type { Frame } from '../../books/reference/frame.ts'
import { writeBooks } from '../../books/store/store.ts'
import { present } from '../../contract/present.ts'
import { byCodePoint } from '../../contract/vocabulary.ts'
import { readFileSync } from '../../system/plain-file.ts'
import { scratchFolder } from '../../system/scratch-folder.ts'
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import { SnapshotDamagedError } from '../files/damage.ts'
import type { FileList } from '../files/file-list.ts'
import { BOOKS, bookPath } from '../files/layout.ts'
import type { FileEntry, Restatement } from '../files/manifest.ts'
import { openSnapshot, readPointer, type Snapshot } from '../files/open.ts'
import { reopenCommand } from '../log/close.ts'
import type { Closed } from './agreeing.ts'
import { Comparison, closedThrough, type Edition, restatedText } from './closed-months.ts'
import type { LockDate } from './lock-date.ts'
import { type ProgramChange, programReason, programText } from './program-change.ts'
import { editionOf, type Restated, restatedDays, restatedOf, uncompared } from './restated.ts'

export interface Guard {
  /**
   * The hash that a document is expected to have: `observe` needs the text of a document with another one. Null where
   * the text is needed in any case, undefined where it never is.
   */
  known(path: string): string | null | undefined
  /** What {@link agrees} needs to compare documents where they are made; null where there is nothing to compare. */
  readonly closed: Closed | null
  /** Says that these documents agree, so that they are not compared again. */
  agree(paths: readonly string[]): void
  /** Compares a document as it is composed; for a dry run, which does not keep documents. */
  observe(path: string, hash: string, text: () => string): void
  /**
   * Ends the comparison after the last document. `staged` holds the documents and books of a build; it is
   * null in a dry run, whose documents were observed. With a `reason` nothing is refused.
   */
  finish(
    staged: Staged | null,
    books: Books,
    ledgerFiles: readonly string[],
    reason: string | null,
  ): Promise<Ruling>
}

interface Staged {
  readonly folder: string
  readonly files: FileList
}

interface Ruling {
  /** An error among them forbids the publication. */
  readonly findings: readonly Finding[]
  /** The member of the manifest; null where closed months are as they were published. */
  readonly restatement: Restatement | null
  /** The text of `restatement.json`; null where there is none. */
  readonly file: string | null
}

const inOrder = (files: Iterable<FileEntry>) => [...files].sort((a, b) => byCodePoint(a.Path, b.Path))

/** The guard of a company that has no closed months, or no snapshot yet. */
const IDLE: Guard = {
  closed: null,
  agree: () => {},
  known: () => undefined,
  observe: () => {},
  finish: async () => ({ findings: [], restatement: null, file: null }),
}

/**
 * Opens the guard for a build. `current` is the current snapshot, or null where there is none or it is
 * damaged; the pointer tells which. `program` says how another program, which made that snapshot, may explain
 * differences; null where this one made it.
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
    return guardOfDamaged(company, lockDate, uncompared(pointer.SnapshotId, lockDate.through, problem))
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
    const { logged } = lockDate
    this.#comparison = new Comparison(before, frame, closedThrough(lock), logged && closedThrough(logged))
  }

  get closed(): Closed | null {
    return this.#comparison.sameCurrency
      ? { folder: this.#previous.folder, through: closedThrough(this.#lock) }
      : null
  }

  agree(paths: readonly string[]): void {
    this.#comparison.agree(paths)
  }

  known(path: string): string | null {
    return this.#before.files.get(path)?.Sha256 ?? null
  }

  observe(path: string, hash: string, text: () => string): void {
    this.#unlessDamaged(() => this.#comparison.compare(path, hash, text))
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
      if (staged)
        for (const { Path, Sha256 } of inOrder(staged.files))
          this.#comparison.compare(Path, Sha256, () => readFileSync(join(staged.folder, Path), 'utf8'))
      return this.#comparison.finish()
    })
    const id = this.#previous.id
    if (this.#damage || !figures)
      return uncompared(id, this.#lock, present(this.#damage, `reason why ${id} was not compared`))
    try {
      return restatedOf(id, this.#lock, figures, await this.#days(staged, books, ledgerFiles))
    } catch (problem) {
      if (problem instanceof SnapshotDamagedError) return uncompared(id, this.#lock, problem)
      throw problem
    }
  }

  /**
   * After one damaged document nothing more is compared: the others cannot show that all closed months are
   * unchanged.
   */
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
    const { frame } = this.#before
    if (staged) return restatedDays(frame, before, join(staged.folder, BOOKS), this.#lock)
    const scratch = scratchFolder('books')
    const folder = scratch.path
    try {
      await writeBooks(books, folder, ledgerFiles)
      return await restatedDays(frame, before, folder, this.#lock)
    } finally {
      scratch.remove()
    }
  }
}

/**
 * The guard for a damaged previous snapshot: whether closed months are restated cannot be known, so a reason
 * is needed.
 */
const guardOfDamaged = (company: string, lockDate: LockDate, restated: Restated): Guard => ({
  closed: null,
  agree: () => {},
  known: () => undefined,
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

/** The finding for a restatement without a reason: an error in a build, a warning in a dry run. */
function restatementFinding(
  company: string,
  part: Restatement,
  { place, isNew }: LockDate,
  dryRun: boolean,
  program: ProgramChange | null,
): Finding {
  const severity = dryRun ? warning : error
  const publish = `tieout build ${company} --restate "reason"`
  if (part.Uncompared !== undefined)
    return severity(
      'restatement-unknown',
      `months up to ${part.LockDate} are closed, but whether their figures stay as published in ${part.Since} is unknown: ${part.Uncompared}`,
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
          ? `no listed rule change explains this: have the programs that published ${part.Since} and that built this one checked, before you publish with the reason: ${publish}`
          : part.Figures + part.Days + part.GoneMonths.length === 0 && part.Labels !== undefined
            ? `leave the names as they were published; or, where they have to change, publish with the reason: ${publish}`
            : `date the correction in an open month; or, where closed months must be restated, publish with the reason: ${publish}. ${isNew ? 'If these are the last entries of a month that you are closing just now: build first, then close it' : `Or open them again: ${reopenCommand(company, part.LockDate.slice(0, 7))}`}`,
    },
  )
}
