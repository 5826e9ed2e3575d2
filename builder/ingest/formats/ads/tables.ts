/**
 * The tables of the Audit Data Standard: GL_Detail, Trial_Balance, Chart_Of_Accounts, each a delimited file or a sheet.
 * Each is known by its columns, in the names of the AICPA's standard or of ISO 21378, whatever their capitals.
 */
import type { Company } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import type { SourceFile } from '../../format/format.ts'
import { type SourceName, sheetName } from '../../format/intake.ts'
import type { FilePreview } from '../../format/preview.ts'
import { type RecordTable, recordFindings, recordsOfFile, recordsOfSheet } from '../../format/records.ts'

export type AdsKind = 'detail' | 'balance' | 'chart'

/** Names without underscores and capitals: the AICPA's, then ISO's and the API's. */
const FIELDS = {
  journal: 'journalid',
  line: 'journalidlinenumber',
  date: 'effectivedate',
  account: 'glaccountnumber',
  name: 'glaccountname',
  accountType: 'accounttype',
  subtype: 'accountsubtype',
  caption: 'fscaption',
  parent: 'parentglaccountnumber|parentaccountnumber',
  header: 'jeheaderdescription',
  description: 'jelinedescription',
  source: 'source',
  year: 'fiscalyear',
  period: 'period|accountingperiod',
  unit: 'businessunitcode',
  side: 'amountcreditdebitindicator|creditdebitindicator',
  asOf: 'balanceasofdate',
  enteredOn: 'entereddate|createddate',
  enteredBy: 'enteredby|createduserid',
} as const
type Field = keyof typeof FIELDS

/** One amount in one currency; functional first, since those are the books. */
export interface Measure {
  readonly amount: number | null
  readonly beginning: number | null
  readonly ending: number | null
  readonly currency: number | null
}
const MEASURES = [
  [
    'functionalamount',
    'beginningfunctionalamount',
    'endingfunctionalamount',
    'functionalamountcurrency|functionalcurrencycode|functionalcurrency',
  ],
  ['amount', 'amountbeginning', 'amountending', 'amountcurrency'],
  [
    'reportingamount',
    'reportingamountbeginning|beginningreportingamount|amountbeginningreporting',
    'reportingamountending|endingreportingamount|amountendingreporting',
    'reportingamountcurrency|reportingcurrencycode|reportingcurrency|amountreportingcurrency',
  ],
  [
    'localamount',
    'localamountbeginning|beginninglocalamount|amountbeginninglocal',
    'localamountending|endinglocalamount|amountendinglocal',
    'localamountcurrency|localcurrencycode|localcurrency|amountlocalcurrency',
  ],
] as const

export interface AdsTable extends SourceName, RecordTable {
  readonly kind: AdsKind
  readonly at: { readonly [field in Field]: number | null }
  readonly measures: readonly Measure[]
  /** Columns that tag a line: Business_Unit_Code and Segment01 and on, by the name that stands there. */
  readonly dimensions: readonly { readonly name: string; readonly at: number }[]
  /** Columns that are none of these, by header; and Source, which is read and may say that a line is of a budget. */
  readonly others: readonly (readonly [header: string, at: number])[]
}

const plain = (header: string): string => header.toLowerCase().replace(/[^a-z0-9]/g, '')

interface Header extends Omit<AdsTable, 'source' | 'file' | 'records' | 'shape'> {
  readonly width: number
}

/** Null where the columns are not those of a table of the standard. */
function readHeader(cells: readonly string[]): Header | null {
  const names = cells.map(plain)
  const find = (wanted: string): number | null => {
    const found = wanted
      .split('|')
      .map((name) => names.indexOf(name))
      .find((index) => index !== -1)
    return found ?? null
  }
  const at = Object.fromEntries(
    Object.entries(FIELDS).map(([field, wanted]) => [field, find(wanted)]),
  ) as AdsTable['at']
  const measures = MEASURES.map(([amount, beginning, ending, currency]) => ({
    amount: find(amount),
    beginning: find(beginning),
    ending: find(ending),
    currency: find(currency),
  }))
  const has = (column: 'amount' | 'ending') => measures.some((measure) => measure[column] !== null)
  const kind = kindOf(at, has('amount'), has('ending'))
  if (kind === null) return null
  const dimensions = cells.flatMap((cell, at) =>
    plain(cell) === FIELDS.unit || /^segment\d+$/.test(plain(cell)) ? [{ name: cell.trim(), at }] : [],
  )
  const read = new Set([
    ...Object.values(at),
    ...measures.flatMap((measure) => Object.values(measure)),
    ...dimensions.map((dimension) => dimension.at),
  ])
  const others = cells.flatMap((cell, i): [string, number][] =>
    plain(cell) === '' || (read.has(i) && i !== at.source) ? [] : [[cell.trim(), i]],
  )
  return { kind, at, measures, dimensions, others, width: names.findLastIndex((name) => name !== '') + 1 }
}

function kindOf(at: AdsTable['at'], hasAmount: boolean, hasEnding: boolean): AdsKind | null {
  if (at.account === null) return null
  if (at.journal !== null && at.date !== null && hasAmount) return 'detail'
  if (hasEnding && (at.asOf !== null || (at.year !== null && at.period !== null))) return 'balance'
  return at.name !== null && (at.accountType !== null || at.caption !== null) ? 'chart' : null
}

/** By the first row of the file, or of each sheet. */
export const looksLikeAds = (look: FilePreview): boolean =>
  look.samples(1).some(({ rows }) => readHeader(rows[0] ?? []) !== null)

/** All tables of a file; none where its header is not one of the standard. */
export function tablesOf(source: SourceFile): AdsTable[] {
  const { look, file } = source
  if (look.workbook !== null)
    return look.workbook.sheets.flatMap(({ name, rows }): AdsTable[] => {
      const header = readHeader(rows[0]?.cells ?? [])
      if (header === null) return []
      const below = rows.slice(1)
      const records = () => recordsOfSheet(below)
      return [{ ...header, source, ...sheetName(file, name, false), shape: null, records }]
    })
  for (const { delimiter, rows } of look.samples(1)) {
    const header = readHeader(rows[0] ?? [])
    if (header === null || delimiter === null) continue
    const shape = { delimiter, width: header.width, headerRow: 1 }
    const records = () => recordsOfFile(source, shape)
    return [{ ...header, source, file, shape, records }]
  }
  return []
}

/** Rows with cells, one by one; what is wrong with the records is in `findings` when the last one was taken. */
export async function* rowsOf(
  { file, shape, records }: AdsTable,
  findings: Finding[],
): AsyncGenerator<{ readonly row: number; readonly cells: readonly string[] }> {
  const { batches, notes } = records()
  for await (const batch of batches)
    for (const { row, cells } of batch) if (cells !== null) yield { row, cells }
  if (shape !== null) findings.push(...recordFindings(file, shape, notes()))
}

export const cellAt = (cells: readonly string[], at: number | null): string =>
  at === null ? '' : (cells[at]?.trim() ?? '')

/** `2025-01-31`, `20250131`, `2025-01-31T00:00:00`; other forms stay, for the books to read or to name. */
export function isoDate(text: string): string {
  const [, year, month, day] = /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ].*)?$/.exec(text) ?? []
  return year === undefined ? text : `${year}-${month}-${day}`
}

/** The number of a period of the year: `M01`, `P1` and `1` are 1, as is the whole `Year`. Null where the text is not a period. */
export function periodNumber(text: string): number | null {
  if (/^(fy|year|y)$/i.test(text)) return 1
  const [, digits] = /^[mp]?0*(\d{1,2})$/i.exec(text) ?? []
  return digits === undefined ? null : Number(digits)
}

/** A measure that a table has, and the currencies that its rows name. */
interface UsedMeasure {
  readonly measure: Measure
  /** In capitals; empty text where a row names none. */
  readonly currencies: Set<string>
}

/** The measures for which the table has the column; their currencies are added as the rows are read. */
export const usedMeasures = ({ measures }: AdsTable, column: 'amount' | 'ending'): UsedMeasure[] =>
  measures
    .filter((measure) => measure[column] !== null)
    .map((measure) => ({ measure, currencies: new Set() }))

/** The first measure whose rows are all in the currency of the books. */
export const measureIn = (used: readonly UsedMeasure[], currency: string): UsedMeasure | undefined =>
  used.find(({ currencies }) => [...currencies].every((code) => code === '' || code === currency))

export function currencyMismatch(file: string, used: readonly UsedMeasure[], currency: string): Finding {
  const found = [...new Set(used.flatMap(({ currencies }) => [...currencies]))].filter((code) => code !== '')
  return error(
    'currency-mismatch',
    `no amount of the file is in ${currency} throughout: they are in ${found.join(', ')}`,
    {
      ...{ file, row: 1, text: found.join(', ') },
      remedy: `write currency: ${found[0] ?? '…'} in company.yaml, if that is the currency of the books; else export functional amounts`,
    },
  )
}

export const TARGETS = ['class', 'department'] as const

/** Class, department or none: by company.yaml, else by the name of the column. */
export const targetOf = (name: string, stated: Company['dimensions']): (typeof TARGETS)[number] | 'none' =>
  stated?.[name] ?? (/^business_?unit_?code$/i.test(name) ? 'class' : 'none')

/** The columns that name the class and the department of a line; the first that is not empty counts. */
export function memberColumns({ dimensions }: AdsTable, stated: Company['dimensions']) {
  const of = (target: string) =>
    dimensions.filter(({ name }) => targetOf(name, stated) === target).map(({ at }) => at)
  return { class: of('class'), department: of('department') }
}
