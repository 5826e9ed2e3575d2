/** The sheets of a workbook: statements in reading order, tables with all rows, and the provenance of all of it. */
import { capitalised } from '../../contract/listed.ts'
import { present } from '../../contract/present.ts'
import { statementTitle } from '../../contract/vocabulary.ts'
import type { Database } from '../../database/database.ts'
import { SPECS } from '../../statements/specs.ts'
import { BOLD, plainDigits } from './looks.ts'
import { type Provenance, provenanceRows } from './provenance.ts'
import type { ExportedStatement, StatementLine } from './statements.ts'
import { asTexts, type ColumnKind, type ExportTable } from './table.ts'
import type { Sheet, SheetLayout } from './xlsx.ts'
import type { Losses, SheetCell } from './xlsx-cells.ts'
import type { CellStyle } from './xlsx-styles.ts'

const WIDTH = { section: 14, number: 12, name: 36, money: 16, date: 12 }
export const bold = (text: string): SheetCell => ({ text, style: BOLD })
const moneyStyle = (decimals: number): CellStyle => ({ format: plainDigits(decimals) })

/** A statement with months as columns; each total stands below the last section that it includes. */
export function monthsSheet({ scope, months, lines }: ExportedStatement, decimals: number): Sheet {
  const [plain, total] = [moneyStyle(decimals), { ...moneyStyle(decimals), ...BOLD }]
  const row = (line: StatementLine): SheetCell[] => [
    line.total || line.section === null ? null : { text: line.section },
    line.number === null ? null : { text: line.number },
    line.total ? bold(worded(line.name)) : { text: line.name },
    ...line.figures.map((number) => (number === null ? null : { number, style: line.total ? total : plain })),
  ]
  const rows: SheetCell[][] = [
    [bold('Section'), bold('Number'), bold('Account'), ...months.map(bold)],
    ...inReadingOrder(scope.statement, lines).map(row),
  ]
  return {
    name: capitalised(statementTitle(scope.statement)),
    widths: [WIDTH.section, WIDTH.number, WIDTH.name, ...months.map(() => WIDTH.money)],
    frozen: { rows: 1, columns: 3 },
    rows: once(rows),
  }
}

/** `NetCashFromOperating` → `Net cash from operating` */
const worded = (name: string): string =>
  name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

function inReadingOrder(
  statement: ExportedStatement['scope']['statement'],
  lines: readonly StatementLine[],
): StatementLine[] {
  const { sections, totals } = SPECS[statement]
  const due = new Map(
    totals.map(([name, of]) => [
      name,
      of === 'cash'
        ? sections.length - 1
        : Math.max(...Object.keys(of).map((each) => (sections as readonly string[]).indexOf(each))),
    ]),
  )
  return sections.flatMap((section, i) => [
    ...lines.filter((line) => !line.total && line.section === section),
    ...lines.filter((line) => line.total && due.get(line.name) === i),
  ])
}

const WIDTHS: Record<ColumnKind, number> = { text: 18, money: WIDTH.money, date: WIDTH.date, integer: 10 }

export function tableSheet(
  db: Database,
  title: string,
  table: Pick<ExportTable, 'columns' | 'query' | 'decimals'> & { readonly name: string },
): Sheet {
  const money = moneyStyle(table.decimals)
  const cell: Record<ColumnKind, (text: string) => SheetCell> = {
    text: (text) => ({ text }),
    money: (number) => ({ number, style: money }),
    date: (date) => ({ date }),
    integer: (number) => ({ number }),
  }
  const of = table.columns.map(({ kind }) => cell[kind])
  async function* rows(): AsyncGenerator<SheetCell[][]> {
    yield [table.columns.map(({ name }) => bold(name))]
    for await (const columns of db.texts(asTexts(table)))
      yield rowsOf(
        of.map((cell, c) =>
          present(columns[c], `column ${c} of ${table.name}`).map((text) =>
            text === null ? null : cell(text),
          ),
        ),
      )
  }
  return {
    name: title,
    widths: table.columns.map(({ kind }) => WIDTHS[kind]),
    frozen: { rows: 1, columns: 0 },
    rows: rows(),
  }
}

/** Turns columns of equal length into rows. */
const rowsOf = (columns: readonly (readonly SheetCell[])[]): SheetCell[][] =>
  (columns[0] ?? []).map((_, r) => columns.map((column) => column[r] ?? null))

/** The last sheet, because it also states which values of the other sheets had to be changed. */
export function provenanceSheet(provenance: Provenance, losses: Losses, layout?: SheetLayout): Sheet {
  async function* rows(): AsyncGenerator<SheetCell[][]> {
    yield provenanceRows(provenance).flatMap(([title, list]) => [
      [bold(title)],
      ...list.map((cells) => cells.map((text): SheetCell => ({ text }))),
      [],
    ])
    const notes = [
      ...(losses.longFigures > 0
        ? [`${losses.longFigures} figures of more than 15 digits are texts: a spreadsheet would round them`]
        : []),
      ...(losses.longTexts > 0 ? [`${losses.longTexts} texts were cut at 32,767 characters`] : []),
    ]
    if (notes.length > 0) yield [[bold('Notes')], ...notes.map((text) => [{ text }])]
  }
  return {
    name: 'Provenance',
    widths: [46, 14, 10, 12, 13, 16, 17, 11, 11],
    frozen: { rows: 0, columns: 0 },
    rows: rows(),
    ...(layout ? { layout } : {}),
  }
}

/** The rows of a sheet that are there already. */
export async function* once<T>(value: T): AsyncGenerator<T> {
  yield value
}
