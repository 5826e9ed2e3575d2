/** What a table says in columns that nobody reads: they are counted, asked or harmless, and rows are left out as company.yaml says. */
import { addTo } from '../../../contract/grouping.ts'
import { type Finding, warning } from '../../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../../workspace/workspace.ts'
import { claimText } from '../../claims/claim-texts.ts'
import {
  type Answers,
  amountClaims,
  type ClaimFacts,
  claimColumns,
  compared,
  countValue,
  isIgnored,
  isSkipped,
  meaningOf,
  meaningOfHeader,
  type UnreadColumn,
} from '../../claims/claims.ts'
import { type TextRow, textAt } from '../../text/csv.ts'
import { columnLetters } from '../../workbook/sheet.ts'
import { positionsOf } from '../header.ts'
import { periodOf } from '../periods.ts'
import { columnsNotRead, missingColumn, type Table } from '../table.ts'

/** Columns at these positions, and those about which company.yaml says which rows count, with their values. */
export function unreadColumns(
  table: Pick<Table, 'file' | 'header' | 'headerRow'> & {
    readonly rows: readonly Pick<TextRow, 'cells'>[]
  },
  others: readonly number[],
  answers: Answers,
  amounts: { readonly at: readonly number[]; readonly currency: string | null } = { at: [], currency: null },
): UnreadColumn[] {
  const { file, header, headerRow, rows } = table
  const named = Object.keys({ ...answers.count, ...answers.skip }).flatMap(
    (name) => positionsOf(header, name)[0] ?? [],
  )
  const names = (those: readonly number[]) => those.map((at) => textAt(header, at))
  const claims = amountClaims(names(others), names(amounts.at), amounts.currency)
  return [...new Set([...others, ...named])].map((at) => {
    const name = textAt(header, at)
    const against = claims.compared.includes(name) && !named.includes(at) ? amounts.at : null
    const values = new Map<string, number>()
    for (const { cells } of rows)
      countValue(values, against === null ? textAt(cells, at) : compared(textAt(cells, at), cells, against))
    return {
      ...{ file, headerRow, header: name, values, isExplained: claims.isExplained },
      ...(against === null ? {} : { against: textAt(header, against[0] ?? -1) }),
    }
  })
}

/**
 * Questions about columns of a table (or of several of one entry) that may change what its rows mean, and one warning about all others.
 * `known`: the columns that are read.
 */
export function claimUnread(
  columns: readonly UnreadColumn[],
  key: string,
  answers: Answers,
  facts: ClaimFacts,
  known: readonly string[],
): Finding[] {
  const { questions, harmless } = claimColumns(columns, key, answers, facts)
  const byFile = new Map<string, UnreadColumn[]>()
  for (const column of harmless) addTo(byFile, column.file, column)
  const warnings = [...byFile].flatMap(([file, own]) =>
    columnsNotRead(
      { file, headerRow: own[0]?.headerRow ?? null },
      own.map(({ header }) => header),
      known,
    ),
  )
  return [...questions, ...warnings]
}

/** What stands above and around a ledger: titles, the name of its sheet, and the headers of its amounts. */
export interface TableTexts {
  readonly file: string
  readonly headerRow: number
  /** Null for text, and where company.yaml names the sheet. */
  readonly sheet: string | null
  readonly titles: readonly string[]
  readonly headers: readonly string[]
}

/** Questions about those that may say something else of all rows below them. */
export const claimTexts = (
  { file, headerRow, sheet, titles, headers }: TableTexts,
  key: string,
  answers: Answers,
  facts: ClaimFacts,
): Finding[] =>
  [
    ...(sheet === null ? [] : [{ what: 'sheet' as const, text: sheet, row: null }]),
    ...titles.map((text) => ({ what: 'title' as const, text, row: null })),
    ...headers.map((text) => ({ what: 'header' as const, text, row: headerRow })),
  ].flatMap(({ text, ...place }) => claimText(text, { file, ...place }, key, answers, facts))

/** The table without the rows that `skip` leaves out; what leaves out none is misspelt. */
export function withoutSkipped(
  table: Table,
  answers: Answers,
): { readonly table: Table; readonly findings: readonly Finding[] } {
  const findings: Finding[] = []
  let { rows } = table
  for (const header of Object.keys(answers.skip ?? {})) {
    const [at] = positionsOf(table.header, header)
    if (at === undefined) {
      findings.push(missingColumn(table, header, header))
      continue
    }
    const kept = rows.filter(({ cells }) => !isSkipped(answers, header, textAt(cells, at)))
    if (kept.length === rows.length) findings.push(nothingSkipped(table, header))
    rows = kept
  }
  return { table: { ...table, rows }, findings }
}

const nothingSkipped = ({ file, key }: Table, header: string): Finding =>
  warning('mark-without-match', `"skip" leaves out no row of ${file} by the column "${header}"`, {
    file: COMPANY_FILE,
    column: `${key}.skip.${header}`,
    remedy: 'correct it, or take it out',
  })

const hasFigures = ({ rows }: Table, column: number): boolean =>
  rows.some(({ cells }) => /^[-+(]?\d/.test(textAt(cells, column)))

/** A company may be a number, and some cells of a unit or of a scenario are. */
const maySay = (table: Table, column: number): boolean => {
  const meaning = meaningOfHeader(textAt(table.header, column))
  return (
    meaning === 'company' ||
    (meaning !== null && table.rows.some(({ cells }) => /^[^-+(\d]/.test(textAt(cells, column))))
  )
}

/** The table with letters over columns of texts that have no header, by which company.yaml can name them. */
export function withLetters(table: Table): Table {
  const header = table.header.map((text, column) =>
    text === '' && table.rows.some(({ cells }) => cells[column] !== '') && !hasFigures(table, column)
      ? columnLetters(column)
      : text,
  )
  return { ...table, header }
}

/** Questions, and the columns that may be figures or are harmless. */
export function claimFigures(
  table: Table,
  others: readonly number[],
  setting: Answers & { readonly dateFormat?: string | undefined; readonly scale?: number | undefined },
  facts: ClaimFacts,
): { readonly others: readonly number[]; readonly findings: readonly Finding[] } {
  const { file, key, header, sheet, above } = table
  const unread = others.filter(
    (column) =>
      periodOf(table, column, setting.dateFormat) === null &&
      (!hasFigures(table, column) ||
        maySay(table, column) ||
        isIgnored(setting, textAt(table.header, column))),
  )
  const columns = unreadColumns(table, unread, setting)
  // One unit in all rows is what "scale" states.
  const scaled = columns.filter(
    (column) =>
      setting.scale !== undefined && column.values?.size === 1 && meaningOf(column, facts) === 'unit',
  )
  const open = columns.filter((column) => !scaled.includes(column))
  const { questions, harmless } = claimColumns(open, key, setting, facts)
  const plain = new Set([...harmless, ...scaled].map((column) => column.header))
  const titles = above.flatMap(({ row, cells }) =>
    [...new Set(cells)].flatMap((text) => claimText(text, { file, row, what: 'title' }, key, setting, facts)),
  )
  const notes = table.rows.flatMap(({ row, cells }) => {
    const [text = '', ...others] = cells.filter((cell) => cell !== '')
    return others.length > 0 ? [] : claimText(text, { file, row, what: 'note' }, key, setting, facts)
  })
  const name = sheet === null ? [] : claimText(sheet, { file, row: null, what: 'sheet' }, key, setting, facts)
  return {
    others: others.filter((column) => !unread.includes(column) || plain.has(textAt(header, column))),
    findings: [...questions, ...titles, ...name, ...notes],
  }
}
