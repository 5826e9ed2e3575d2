/**
 * Divides CSV files among threads where one file alone would keep the others waiting. The lines are the same as of whole files, in the same
 * row groups of the table, because each part has whole row groups of records.
 */
import { statSync } from 'node:fs'
import type { LedgerInput, LedgerPlan } from '../ingest/format/intake.ts'
import { filePartsOf } from '../ingest/text/file-parts.ts'
import { Scratch } from '../ingest/text/scan.ts'
import { type Database, ROW_GROUP } from './database.ts'
import { type CsvReading, headerRows, mayHoldBlankRows } from './ledger-csv.ts'

/** A part of a file, as a file of its own, which is removed once it is read. */
export interface FilePart {
  readonly file: number
  readonly part: LedgerPlan
  /** The number of records of the file above those of the part. */
  readonly above: number
  /** Notes what was read of it, right afterwards. */
  readonly note: (db: Database, reading: CsvReading) => Promise<void>
}

interface WholeInput {
  readonly file: number
  readonly input: LedgerInput
}

/** A smaller part is not worth it, because planning its SQL takes as long as reading a megabyte. */
const LEAST_BYTES = 2 * 1024 * 1024
/** Larger parts would need more room for temporary files, and threads would wait longer for the first ones. */
const MOST_BYTES = 64 * 1024 * 1024

/** A file is divided where it has more than this times what each thread would have if all had the same. */
const LARGEST_SHARE = 1.25

export class DividedFiles<Part extends object> {
  readonly #whole: readonly (Part | WholeInput)[]
  readonly #threads: number
  readonly #scratch = new Scratch()
  #areWhole = true

  constructor(whole: readonly (Part | WholeInput)[], threads: number) {
    this.#whole = whole
    this.#threads = threads
  }

  /** The same inputs in the same order, of which large ones come in parts. */
  async *parts(): AsyncGenerator<Part | WholeInput | FilePart> {
    const all = this.#whole.reduce((sum, part) => sum + bytesOf(part), 0)
    const share = all / this.#threads
    // A part is half of a share, so that all threads end at about the same time.
    const bytes = Math.min(MOST_BYTES, Math.max(LEAST_BYTES, share / 2))
    const most = Math.max(bytes, LARGEST_SHARE * share)
    for (const part of this.#whole)
      if (isCsv(part) && bytesOf(part) > most && (await canDivide(part.input)))
        yield* this.#partsOf(part.file, part.input, bytes)
      else yield part
  }

  /**
   * Whether each record of the parts that were read became a line. If one did not, because it is blank or cannot be read, its part has no
   * whole row groups, and the numbers of the rows below may be others: the files are to be read again as they are.
   */
  get areWhole(): boolean {
    return this.#areWhole
  }

  dispose(): Promise<void> {
    return this.#scratch.dispose()
  }

  async *#partsOf(file: number, plan: LedgerPlan, bytes: number): AsyncGenerator<FilePart> {
    const headers = headerRows(plan)
    const { delimiter } = plan
    const parts = filePartsOf(plan.path, { delimiter, headers, multiple: ROW_GROUP, bytes }, this.#scratch)
    for await (const { path, above, records } of parts) {
      const through = above + records - headers
      yield {
        file,
        part: { ...plan, path, mayHoldBlankRows: false, isHeaderless: above > 0 || headers === 0 },
        above: Math.max(above, headers),
        note: async (db, { rejected, findings }) => {
          if (rejected > 0 || findings.length > 0 || (await linesOf(db, file)) !== through)
            this.#areWhole = false
        },
      }
    }
  }
}

/** How many lines there are of a file. */
async function linesOf(db: Database, file: number): Promise<number> {
  const { lines } = await db.row<{ lines: string }>(`SELECT count(*) AS lines FROM line WHERE file = ${file}`)
  return Number(lines)
}

const isCsv = <Part extends object>(
  part: Part | WholeInput,
): part is WholeInput & { readonly input: LedgerPlan } => 'input' in part && part.input.kind === 'csv'

const bytesOf = (part: object): number => (isCsv(part) ? statSync(part.input.path).size : 0)

/** Of a file with blank rows only a reader of the whole knows which rows it numbers. */
const canDivide = async (plan: LedgerPlan): Promise<boolean> =>
  plan.delimiter.charCodeAt(0) < 0x80 && (plan.rowColumn !== undefined || !(await mayHoldBlankRows(plan)))
