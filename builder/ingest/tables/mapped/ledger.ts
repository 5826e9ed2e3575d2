/** What the rows of a table say as a whole that a column map reads, of which the parts are joined in their order. */
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import { COMPANY_FILE } from '../../../workspace/workspace.ts'
import { moreValues, type UnreadColumn } from '../../claims/claims.ts'
import type { TableCopy } from '../../format/copied-tables.ts'
import { type CountedRows, moreRows, NO_RECORDS, placedBelow, recordFindings } from '../../format/records.ts'
import type { MappedColumns } from './columns.ts'
import { DIRECTION } from './map.ts'
import { type MapFacts, type MapForm, MappedRows } from './rows.ts'
import type { MappedTable } from './tables.ts'

/** Complete when the last part was joined. */
export class MappedLedger implements TableCopy<MapForm, MapFacts> {
  readonly columns: MappedColumns
  notes = NO_RECORDS
  #facts: MapFacts

  constructor(columns: MappedColumns) {
    this.columns = columns
    this.#facts = this.writer().facts
  }

  get table(): MappedTable {
    return this.columns.table
  }

  get form(): MapForm {
    return this.columns.form
  }

  writer(): MappedRows {
    return new MappedRows(this.form)
  }

  join(part: MapFacts, above: number): void {
    const { noSide, openings, skipped, values } = this.#facts
    this.#facts = {
      noSide: moreRows(noSide, placedBelow(part.noSide, above)),
      openings: moreRows(openings, placedBelow(part.openings, above)),
      skipped: skipped.map((counts, i) => counts.map((count, j) => count + (part.skipped[i]?.[j] ?? 0))),
      values: values.map((counts, i) => moreValues(counts, part.values[i] ?? new Map())),
    }
  }

  get unread(): UnreadColumn[] {
    return this.columns.unread(this.#facts.values)
  }

  get findings(): Finding[] {
    const { file, shape } = this.table
    const { noSide, openings, skipped } = this.#facts
    const inVain = this.form.skips.flatMap(({ header, values }, i) =>
      values.filter((_, j) => skipped[i]?.[j] === 0).map((value) => this.#nothingSkipped(header, value)),
    )
    return [
      ...(shape === null ? [] : recordFindings(file, shape, this.notes)),
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
