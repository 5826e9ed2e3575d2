/**
 * Reuses the lines of ledger files that did not change since the current snapshot. The books take them from its Parquet, so that
 * a build reads only what changed. The cache holds only a note of which files are in which books, and how they were
 * read. The Parquet counts only if its bytes have the published hash.
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
  /** SHA-256 of {@link POSTINGS}. */
  readonly sha256: string
  /** For accounts, classes and departments: the texts that may be written, and the ids that they meant. */
  readonly meanings: readonly (readonly (readonly [text: string, id: string])[])[]
  /** The published lines of each input, by {@link readingOf}. */
  readonly files: Readonly<Record<string, Omit<PublishedLines, 'books'>>>
}

export class LinesBefore {
  readonly #cache: Cache
  readonly #intake: Intake
  readonly #scratch = new Scratch()
  readonly #snapshot: Snapshot | null
  /** The note about the current snapshot; null if a text has another meaning now. */
  readonly #note: Note | null
  /** The {@link readingOf} of each input. */
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

  /** The published lines of an input that would be read in the same way; null if it must be read. */
  async find(input: LedgerInput): Promise<PublishedLines | null> {
    const reading = this.#readings.get(input)
    const note = this.#note
    const known = reading == null ? undefined : note?.files[reading]
    if (note === null || known === undefined) return null
    this.#books ??= this.#copied(note.sha256)
    const books = await this.#books
    return books === null ? null : { books, ...known }
  }

  /** Notes which inputs are in the books of the snapshot with this manifest. `sha256` is the hash of its postings. */
  keep(manifestHash: string, sha256: string, { read, inputs }: BooksResult): void {
    if (read === null) return
    // If a format makes several inputs from one file, the name of the file does not identify their lines.
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
      // Openings are not among the postings, so a file with openings is read again.
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

  /** The path of a verified copy of the postings, because a snapshot may be pruned at any time; null if it was changed. */
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

/** A key of everything that decides how an input is read, except names of accounts and members; null if it cannot be reused. */
function readingOf(input: LedgerInput, company: Company, intake: Intake): string | null {
  if (input.kind !== 'csv' || input.sha256 === undefined) return null
  // Rounding needs the text of the amounts, which published books lack.
  if (company.rounding !== undefined) return null
  const { file, path, mayHoldBlankRows, ...plan } = input
  const years = [company.fiscalYears ?? intake.fiscalYears, company.fiscalMonthEnd]
  // The fiscal years matter only for closing periods.
  return cacheKey(JSON.stringify([plan, company.currency, plan.columns.period === undefined ? [] : years]))
}

const meaningsIn = ({ accounts, classes, departments }: Intake): Keys[] => [
  writtenAccountKeys(accounts.map((account) => ({ ...account, means: account.id }))),
  nameKeys(classes),
  nameKeys(departments),
]

/** Whether all earlier texts have the same meaning now. New accounts and members change nothing. */
const holds = (meanings: Note['meanings'], intake: Intake): boolean =>
  meaningsIn(intake).every((keys, i) => meanings[i]?.every(([text, id]) => keys.get(text) === id))

const known = (keys: Keys): (readonly [string, string])[] =>
  [...keys].flatMap(([text, id]) => (id === null ? [] : [[text, id] as const]))
