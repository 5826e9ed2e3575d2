/**
 * Lines of ledger files that did not change since the current snapshot: the books take them from its Parquet, so that a
 * build reads only what changed. All that is kept beside the workspace is a note of which files stand in which books, and
 * how they were read; the Parquet counts only where its bytes have the hash that it was published with.
 */
import { constants } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BooksResult } from '../books/books.ts'
import type { PublishedLines } from '../books/published-lines.ts'
import type { Intake, LedgerInput } from '../ingest/format/intake.ts'
import { type Keys, nameKeys, writtenAccountKeys } from '../ingest/format/keys.ts'
import { Scratch, scanFile } from '../ingest/text/scan.ts'
import { bookPath } from '../snapshot/layout.ts'
import type { Snapshot } from '../snapshot/open.ts'
import { type Cache, cacheKey } from '../workspace/cache.ts'
import type { Company } from '../workspace/company.ts'

const POSTINGS = bookPath('postings.parquet')

interface Note {
  /** Of {@link POSTINGS}. */
  readonly sha256: string
  /** What was written for each account, class and department: texts and the ids that they meant. */
  readonly meanings: readonly (readonly (readonly [text: string, id: string])[])[]
  /** By {@link readingOf} an input. */
  readonly files: Readonly<Record<string, Omit<PublishedLines, 'books'>>>
}

export class LinesBefore {
  readonly #cache: Cache
  readonly #intake: Intake
  readonly #scratch = new Scratch()
  readonly #snapshot: Snapshot | null
  /** What a build left of the snapshot, where all that was written then means the same now. */
  readonly #note: Note | null
  /** {@link readingOf} each input. */
  readonly #readings: ReadonlyMap<LedgerInput, string | null>
  #books: Promise<string | null> | undefined

  constructor(snapshot: Snapshot | null, company: Company, intake: Intake, cache: Cache) {
    const bytes = snapshot && cache.find(keyOf(snapshot.manifestHash))
    const note = bytes && (JSON.parse(bytes.toString('utf8')) as Note)
    this.#cache = cache
    this.#intake = intake
    this.#snapshot = snapshot
    this.#note = note && holds(note.meanings, intake) ? note : null
    this.#readings = new Map(intake.ledger.map((input) => [input, readingOf(input, company, intake)]))
  }

  /** The lines of an input that is read as it was then; null where they are to be read. */
  async find(input: LedgerInput): Promise<PublishedLines | null> {
    const reading = this.#readings.get(input)
    const note = this.#note
    const known = reading == null ? undefined : note?.files[reading]
    if (note === null || known === undefined) return null
    this.#books ??= this.#copied(note.sha256)
    const books = await this.#books
    return books === null ? null : { books, ...known }
  }

  /** Notes what the snapshot of this manifest has of the inputs of its books. */
  keep(manifestHash: string, sha256: string, { read, inputs }: BooksResult): void {
    if (read === null) return
    // Where a format makes several inputs of one file, their lines are not told apart by its name.
    const totalsOf = new Map(
      inputs
        .filter(({ file }) => this.#intake.ledger.filter((input) => input.file === file).length === 1)
        .map(({ file, rejected, posted, ...totals }) => [file, totals]),
    )
    const files: [reading: string, Omit<PublishedLines, 'books'>][] = []
    let first = 1
    for (const [i, input] of this.#intake.ledger.entries()) {
      const postings = read.postings.get(i)?.lines ?? 0
      const reading = this.#readings.get(input)
      const totals = totalsOf.get(input.file)
      // Lines that are openings stand elsewhere: such a file is read again.
      if (reading != null && totals?.rows === postings)
        files.push([reading, { file: input.file, first, totals }])
      first += postings
    }
    const meanings = meaningsIn(this.#intake).map(known)
    const note: Note = { sha256, meanings, files: Object.fromEntries(files) }
    this.#cache.keep(keyOf(manifestHash), Buffer.from(JSON.stringify(note)))
  }

  dispose(): Promise<void> {
    return this.#scratch.dispose()
  }

  /** A copy, since a snapshot may be pruned at any time; null where it is not what was published. */
  async #copied(sha256: string): Promise<string | null> {
    if (this.#snapshot === null) return null
    const path = await this.#scratch.file()
    try {
      await copyFile(join(this.#snapshot.folder, POSTINGS), path, constants.COPYFILE_FICLONE)
      return (await scanFile(path)).sha256 === sha256 ? path : null
    } catch {
      return null
    }
  }
}

const keyOf = (manifestHash: string): string => cacheKey('lines', manifestHash)

/** All that says how an input is read, but the names of accounts and members; null where its hash was not taken. */
function readingOf(input: LedgerInput, company: Company, intake: Intake): string | null {
  if (input.kind !== 'csv' || input.sha256 === undefined) return null
  // What was rounded is told from the text, and what was booked for it is no line of the file.
  if (company.rounding !== undefined) return null
  const { file, path, mayHoldBlankRows, ...plan } = input
  const years = [company.fiscalYears ?? intake.fiscalYears, company.fiscalMonthEnd]
  // Only closing periods depend on the fiscal years.
  return cacheKey(JSON.stringify([plan, company.currency, plan.columns.period === undefined ? [] : years]))
}

const meaningsIn = ({ accounts, classes, departments }: Intake): Keys[] => [
  writtenAccountKeys(accounts.map((account) => ({ ...account, means: account.id }))),
  nameKeys(classes),
  nameKeys(departments),
]

/** What could be written then means the same now. Further accounts and members change nothing. */
const holds = (meanings: Note['meanings'], intake: Intake): boolean =>
  meaningsIn(intake).every((keys, i) => meanings[i]?.every(([text, id]) => keys.get(text) === id))

const known = (keys: Keys): (readonly [string, string])[] =>
  [...keys].flatMap(([text, id]) => (id === null ? [] : [[text, id] as const]))
