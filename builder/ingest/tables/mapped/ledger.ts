/** What the rows of a table say as a whole that a column map reads. */
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import { COMPANY_FILE } from '../../../workspace/workspace.ts'
import type { UnreadColumn } from '../../claims/claims.ts'
import { type CountedRows, type RecordNotes, recordFindings } from '../../format/records.ts'
import type { MappedColumns } from './columns.ts'
import { DIRECTION } from './map.ts'
import type { MapFacts } from './rows.ts'
import type { MappedTable } from './tables.ts'

export class MappedLedger {
  readonly columns: MappedColumns
  readonly #facts: MapFacts
  readonly #notes: RecordNotes

  constructor(columns: MappedColumns, facts: MapFacts, notes: RecordNotes) {
    this.columns = columns
    this.#facts = facts
    this.#notes = notes
  }

  get table(): MappedTable {
    return this.columns.table
  }

  get unread(): UnreadColumn[] {
    return this.columns.unread(this.#facts.values)
  }

  get findings(): Finding[] {
    const { file, shape } = this.table
    const { noSide, openings, skipped } = this.#facts
    const inVain = this.columns.form.skips.flatMap(({ header, values }, i) =>
      values.filter((_, j) => skipped[i]?.[j] === 0).map((value) => this.#nothingSkipped(header, value)),
    )
    return [
      ...(shape === null ? [] : recordFindings(file, shape, this.#notes)),
      ...(noSide === null ? [] : [this.#sideUnknown(noSide)]),
      ...(openings === null ? [] : [this.#openingsSkipped(openings)]),
      ...inVain,
    ]
  }

  #sideUnknown({ count, row, text }: NonNullable<MapFacts['noSide']>): Finding {
    return error(
      'unreadable-side',
      `${text === '' ? 'whether it is a debit or a credit is not stated' : `"${text}" says neither debit nor credit`}${count === 1 ? '' : `; so it is on ${count} rows`}`,
      {
        file: this.table.file,
        row,
        column: this.columns.setting.columns?.[DIRECTION] ?? null,
        text,
        remedy:
          'D or C, Dr or Cr, Debit or Credit, S or H, Soll or Haben, + or - are read; other columns leave the rows out by "skip"',
      },
    )
  }

  #openingsSkipped({ count, row }: CountedRows): Finding {
    const [rows, are] = count === 1 ? ['a row', 'is'] : [`${count} rows`, 'are']
    return error(
      'openings-skipped',
      `${rows} with balances brought forward ${are} left out by "skip": the books would begin without them`,
      {
        file: this.table.file,
        row,
        remedy:
          'take the opening balances in as an entry of the first day, in a file of its own, and leave these rows out of the export; a General Ledger of Sage 50 needs no map: take "columns" and "skip" out of its entry',
      },
    )
  }

  #nothingSkipped(header: string, value: string): Finding {
    return warning(
      'mark-without-match',
      `no row of ${this.table.file} has "${value}" in the column "${header}"`,
      {
        file: COMPANY_FILE,
        column: `${this.columns.key}.skip.${header}`,
        text: value,
        remedy: 'correct it, or take it out: as it stands, it leaves nothing out',
      },
    )
  }
}
