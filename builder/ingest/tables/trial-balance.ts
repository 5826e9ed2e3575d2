/** Reads trial balances beside the books: the stated balance of each account. The books compare them, not this room. */
import { join } from 'node:path'
import { currencyDecimals, FIGURE_LIMIT, formatInteger } from '../../contract/currency.ts'
import { addTo } from '../../contract/grouping.ts'
import { present } from '../../contract/present.ts'
import { sha256 } from '../../system/hash.ts'
import { readFile } from '../../system/plain-file.ts'
import type { Company } from '../../workspace/company.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { findFiles } from '../../workspace/source-files.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import {
  type AccountRow,
  basisIn,
  basisOfEntry,
  nameOf,
  type SourceName,
  type SourceRecord,
  sheetName,
} from '../format/intake.ts'
import { AccountForms, type Keys, writtenAccountKeys } from '../format/keys.ts'
import type { TrialBalanceInput } from '../format/own-report.ts'
import { parseAmount } from '../text/amount.ts'
import { delimitersFor, firstRecords, type TextRow } from '../text/csv.ts'
import { decodeText, type Encoding } from '../text/decode.ts'
import { amountForm } from '../text/forms.ts'
import { parseDate } from '../text/months.ts'
import { isCompoundFile, isZip, parseXlsx } from '../workbook/xlsx.ts'
import { dimensionMemberOf, filterIn } from './controls/titles.ts'
import { isTotalLabel } from './totals.ts'
import { type BalanceColumns, dateOfName, dateOfTitle, findBalanceHeader } from './trial-balance-columns.ts'

type Setting = NonNullable<Company['trialBalance']>[number]

export interface TrialBalanceReading {
  readonly balances: readonly TrialBalanceInput[]
  readonly sources: readonly SourceRecord[]
  readonly findings: readonly Finding[]
}

interface Sheet extends SourceName {
  readonly rows: readonly TextRow[]
  readonly encoding: Encoding | 'xlsx'
}

/** Far above any trial balance, which has one row for each account. */
const RECORDS = 200_000

export async function readTrialBalances(
  folder: string,
  company: Company,
  accounts: readonly AccountRow[],
  dimensions: { readonly classes: Keys; readonly departments: Keys },
): Promise<TrialBalanceReading> {
  const balances: TrialBalanceInput[] = []
  const sources: SourceRecord[] = []
  const findings: Finding[] = []
  const context = { company, resolve: resolverOf(accounts), member: dimensionMemberOf(dimensions) }
  for (const [i, setting] of (company.trialBalance ?? []).entries()) {
    const key = `trialBalance.${i}`
    const found = await findFiles(folder, setting.files, `${key}.files`)
    findings.push(...found.findings)
    for (const file of found.files) {
      const bytes = await readFile(join(folder, file))
      const opened = await openSheet(bytes, file, setting)
      if ('code' in opened) findings.push(opened)
      const read = 'code' in opened ? { findings: [] } : readSheet(opened, setting, key, context)
      findings.push(...read.findings)
      balances.push(...(read.balances ?? []))
      sources.push({
        ...('code' in opened ? { file } : nameOf(opened)),
        bytes: bytes.length,
        sha256: sha256(bytes),
        encoding: 'code' in opened ? 'utf-8' : opened.encoding,
        role: 'trialBalance',
        rows: read.balances?.reduce((rows, balance) => rows + balance.rows.length, 0) ?? 0,
      })
    }
  }
  return { balances, sources, findings }
}

/** Gives the account of a row, by its text or by its name in a column of its own; null where it names none. */
type Resolve = (text: string, name: string) => string | null

export function resolverOf(accounts: readonly AccountRow[]): Resolve {
  const written = accounts.map((account) => ({ ...account, means: account.id }))
  const keys = writtenAccountKeys(written)
  const forms = new AccountForms(written)
  return (text, name) =>
    keys.get(text) ??
    forms.find(text) ??
    forms.findNumbered(text) ??
    keys.get(text.split(':').at(-1)?.trim() ?? '') ??
    keys.get(name) ??
    forms.findWithoutZeros(text)
}

async function openSheet(bytes: Buffer, file: string, setting: Setting): Promise<Sheet | Finding> {
  if (isZip(bytes) || isCompoundFile(bytes)) {
    const book = await parseXlsx(bytes, setting.decimal ?? '.', file)
    if (book.findings[0] !== undefined) return book.findings[0]
    const wanted = [setting.sheet ?? []].flat()
    const shown = book.sheets.filter(({ name, isHidden }) =>
      wanted.length > 0 ? wanted.includes(name) : !isHidden,
    )
    const sheet = shown.find(({ rows }) => headerOf(rows, setting) !== null)
    if (sheet === undefined) return noHeader(file, shown[0]?.rows ?? [])
    return {
      ...sheetName(file, sheet.name, book.sheets.length === 1),
      rows: sheet.rows,
      encoding: 'xlsx',
    }
  }
  const { text, encoding } = decodeText(bytes, setting.encoding)
  const readings = delimitersFor(text, setting.delimiter).map((delimiter) =>
    firstRecords(text.replace(/^\uFEFF/, ''), delimiter, RECORDS).map(({ cells }, i) => ({
      row: i + 1,
      cells,
    })),
  )
  const rows = readings.find((each) => headerOf(each, setting) !== null)
  return rows === undefined ? noHeader(file, readings[0] ?? []) : { file, rows, encoding }
}

const headerOf = (rows: readonly TextRow[], setting: Setting) =>
  findBalanceHeader(
    rows.map(({ cells }) => cells),
    setting.columns,
  )

const noHeader = (file: string, rows: readonly TextRow[]): Finding =>
  error('missing-column', 'no row names an account, and a balance or debit and credit', {
    file,
    row: 1,
    text: rows[0]?.cells.filter((cell) => cell !== '').join(', ') || null,
    remedy:
      'name its columns under "columns" in company.yaml: { account: "…", balance: "…" } or { account: "…", debit: "…", credit: "…" }',
  })

interface Context {
  readonly company: Company
  readonly resolve: Resolve
  readonly member: ReturnType<typeof dimensionMemberOf>
}

function readSheet(
  sheet: Sheet,
  setting: Setting,
  key: string,
  { company, resolve, member }: Context,
): { readonly balances?: readonly TrialBalanceInput[]; readonly findings: readonly Finding[] } {
  const { at, columns } = present(headerOf(sheet.rows, setting), 'header of a trial balance')
  const last = sheet.rows.findLastIndex(({ cells }) => isAccountRow(cells, columns))
  const textsOf = (rows: readonly TextRow[]) =>
    rows.flatMap(({ cells }) => cells.map((cell) => cell.trim()).filter((cell) => cell !== ''))
  const titles = textsOf(sheet.rows.slice(0, at))
  const texts = [...titles, ...textsOf(sheet.rows.slice(Math.max(at, last) + 1))]
  const { filter, finding } = filterIn(texts, member, sheet.file, 'take it out of company.yaml')
  if (finding !== null) return { findings: [finding] }
  const stated =
    setting.date ??
    (columns.date === null ? (dateOfTitle(titles.join(' \n ')) ?? dateOfName(sheet.file)) : null)
  if (stated === null && columns.date === null) return { findings: [noDate(sheet.file, key)] }
  const findings: Finding[] = []
  const rows = sheet.rows.slice(at + 1).filter(({ cells }) => isAccountRow(cells, columns))
  const reader = amountReader(rows, columns, setting, company)
  if (reader.unclear !== null) return { findings: [unclearDecimal(sheet.file, reader.unclear)] }
  const byDate = new Map<string, TrialBalanceInput['rows'][number][]>()
  for (const row of rows) {
    const cell = cellIn(row.cells)
    const text = cell(columns.account) || cell(columns.name)
    const date = stated ?? parseDate(cell(columns.date), setting.dateFormat)
    const amount = reader.amount(cell)
    if (date === null || amount === null) {
      const [code, what, found] =
        date === null
          ? (['unreadable-date', `"${cell(columns.date)}" is not a date`, cell(columns.date)] as const)
          : ([
              'unreadable-amount',
              `the balance of ${text} is not an amount in ${company.currency}`,
              row.cells.filter((each) => each !== '').join(' | '),
            ] as const)
      findings.push(
        error(code, what, {
          ...{ file: sheet.file, row: row.row, text: found },
          remedy: 'correct it, or state the form of the file: dateFormat, decimal, thousands',
        }),
      )
      continue
    }
    const account = resolve(text, cell(columns.name))
    const balance = formatInteger(String(amount), currencyDecimals(company.currency))
    addTo(byDate, date, { row: row.row, text, account, amount: balance })
  }
  const basis = setting.basis === undefined ? (basisIn(texts) ?? 'ACCRUAL') : basisOfEntry(setting)
  return {
    findings,
    balances:
      findings.length > 0
        ? []
        : [...byDate].map(([date, each]) => ({
            file: sheet.file,
            row: at + 1,
            basis,
            filter,
            date,
            rows: each,
          })),
  }
}

const cellIn =
  (cells: readonly string[]) =>
  (index: number | null): string =>
    index === null ? '' : (cells[index]?.trim() ?? '')

/** False for blank rows, headings between accounts, totals and footers. */
function isAccountRow(
  cells: readonly string[],
  { account, name, balance, debit, credit }: BalanceColumns,
): boolean {
  const cell = cellIn(cells)
  const label = cell(account) || cell(name)
  const hasFigure = [balance, debit, credit].some((index) => cell(index) !== '')
  return label !== '' && hasFigure && !(isTotalLabel(label) && !/^\d/.test(label))
}

interface Reader {
  /** An amount that can be read in two ways; null where there is none. */
  readonly unclear: string | null
  /** Minor units, debit positive; null where a cell is not an amount. */
  readonly amount: (cell: (index: number | null) => string) => number | null
}

function amountReader(
  rows: readonly TextRow[],
  columns: BalanceColumns,
  setting: Setting,
  { currency }: Company,
): Reader {
  const figures = [columns.balance, columns.debit, columns.credit].filter((index) => index !== null)
  const form = amountForm(rows.flatMap(({ cells }) => figures.map((index) => cells[index] ?? '')))
  const number = {
    decimal: setting.decimal ?? form.decimal ?? ('.' as const),
    thousands: setting.thousands ?? form.thousands,
    currency,
  }
  const decimals = currencyDecimals(currency)
  const read = (text: string, isSigned = false): number | null => {
    const { minor } = text === '' ? { minor: 0 } : parseAmount(text, decimals, { ...number, isSigned })
    return minor === undefined || Math.abs(minor) >= FIGURE_LIMIT ? null : minor
  }
  return {
    unclear: setting.decimal === undefined && form.decimal === null ? form.unclear : null,
    amount: (cell) => {
      if (columns.balance !== null) return read(cell(columns.balance), true)
      const [debit, credit] = [read(cell(columns.debit)), read(cell(columns.credit))]
      return debit === null || credit === null ? null : debit - credit
    },
  }
}

const unclearDecimal = (file: string, text: string): Finding =>
  error('unclear-decimal', `"${text}" can be read in two ways`, {
    file,
    text,
    remedy: 'state "decimal" (and "thousands") of this trial balance in company.yaml',
  })

const noDate = (file: string, key: string): Finding =>
  error('missing-date', `the day of ${file} is not stated`, {
    file: COMPANY_FILE,
    column: key,
    remedy: 'state it: { files: …, date: 2025-12-31 }',
  })
