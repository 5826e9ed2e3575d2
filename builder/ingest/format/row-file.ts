/** Writes rows of an importer to a canonical CSV as they come, so that they are never all in memory. */

import { closeSync, openSync, writeFileSync } from 'node:fs'
import { naming } from '../../workspace/effects.ts'
import { csvCell } from '../text/csv.ts'
import { canonicalPlan, ROW } from './canonical-plan.ts'
import type { LedgerColumn, LedgerPlan, LedgerRow, LedgerRows } from './intake.ts'

/** Characters that are collected before they are written. */
const BATCH = 1 << 20

export class RowFile {
  readonly #path: string
  readonly #columns: readonly LedgerColumn[]
  readonly #file: number
  #text: string

  /** `path` must not exist; `columns` are those that a row may fill. */
  constructor(path: string, columns: readonly LedgerColumn[]) {
    this.#path = path
    this.#columns = columns
    this.#file = openSync(path, 'wx', 0o600)
    this.#text = `${[ROW, ...columns].join(',')}\n`
  }

  add(row: LedgerRow): void {
    this.#text += `${row.row},${this.#columns.map((column) => csvCell(row[column] ?? '')).join(',')}\n`
    if (this.#text.length > BATCH) this.#flush()
  }

  close(): void {
    this.#flush()
    closeSync(this.#file)
  }

  /** The plan by which the books read the file. */
  planOf({ file, basis, dateFormat, decimal, thousands }: Omit<LedgerRows, 'rows' | 'kind'>): LedgerPlan {
    return {
      ...canonicalPlan({ file, path: this.#path, basis }, [ROW, ...this.#columns]),
      ...{ dateFormat, decimal, thousands },
    }
  }

  #flush(): void {
    naming(this.#path, () => writeFileSync(this.#file, this.#text))
    this.#text = ''
  }
}

/** The column with the row of the original, which findings and the audit trail show. */
