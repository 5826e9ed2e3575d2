/**
 * The ledger entries of company.yaml. A CSV may hold millions of rows: only its header is read here, and the books
 * read the rest by a plan; a workbook becomes rows; SIE files are handed on to their own importer.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Basis } from '../contract/vocabulary.ts'
import type { Company, LedgerSetting } from '../workspace/company.ts'
import { error, type Finding } from '../workspace/finding.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'
import { detectDelimiter, parseHeader } from './csv.ts'
import { decodeText } from './decode.ts'
import { findFiles } from './files.ts'
import {
  LEDGER_COLUMNS,
  type LedgerColumn,
  type LedgerInput,
  type LedgerRow,
  type SourceRecord,
} from './intake.ts'
import { ISO_DATE, isDateFormat, parseDate } from './months.ts'
import { type Scan, type Scratch, scanFile } from './scan.ts'
import { looksLikeSie } from './sie-parse.ts'
import {
  columnsNotRead,
  emptyFile,
  findColumns,
  type Head,
  missingColumn,
  readTable,
  type Table,
  undecodable,
} from './table.ts'
import { isCompoundFile, isZip } from './xlsx.ts'

export interface LedgerReading {
  readonly inputs: readonly LedgerInput[]
  readonly sources: readonly SourceRecord[]
  /** Files in SIE format, by the entry that names them. */
  readonly sie: readonly SieEntry[]
  readonly findings: readonly Finding[]
}

export interface SieEntry {
  readonly setting: LedgerSetting
  readonly files: readonly { readonly file: string; readonly bytes: Buffer; readonly sha256: string }[]
}

export async function readLedger(folder: string, company: Company, scratch: Scratch): Promise<LedgerReading> {
  const inputs: LedgerInput[] = []
  const sources: SourceRecord[] = []
  const sie: SieEntry[] = []
  const findings: Finding[] = []
  const entryOf = new Map<string, string>()
  for (const [i, setting] of company.ledger.entries()) {
    const key = `ledger.${i}`
    findings.push(...dateFormatFindings(setting, key))
    const found = await findFiles(folder, setting.files, `${key}.files`)
    findings.push(...found.findings)
    const sieFiles: SieEntry['files'][number][] = []
    const notRead = new Map<string, Finding>()
    for (const file of found.files) {
      const before = entryOf.get(file)
      if (before !== undefined) {
        findings.push(readTwice(file, before, key, setting.files))
        continue
      }
      entryOf.set(file, key)
      const scan = await scanFile(join(folder, file))
      const format = formatOf(scan, setting)
      if (format === 'sie') {
        sieFiles.push({ file, bytes: await readFile(join(folder, file)), sha256: scan.sha256 })
        continue
      }
      const reading =
        format === 'xlsx'
          ? await readRows(folder, file, setting, key)
          : await planCsv(folder, file, setting, key, scan, scratch)
      inputs.push(...reading.inputs)
      sources.push(...reading.sources)
      findings.push(...reading.findings)
      for (const warning of reading.notRead)
        notRead.set(warning.message, notRead.get(warning.message) ?? warning)
    }
    // Twelve monthly exports with the same extra columns are one thing to look at, not twelve.
    findings.push(...notRead.values())
    if (sieFiles.length > 0) sie.push({ setting, files: sieFiles })
  }
  return { inputs, sources, sie, findings }
}

/** A workbook is one whatever company.yaml says; text is what it says, else what it looks like. */
function formatOf(scan: Scan, setting: LedgerSetting): 'csv' | 'xlsx' | 'sie' {
  if (isZip(scan.head) || isCompoundFile(scan.head)) return 'xlsx'
  if (setting.format !== undefined) return setting.format
  const start = scan.head
    .subarray(0, 256)
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '')
  return looksLikeSie(start) ? 'sie' : 'csv'
}

export const dateFormatFindings = (
  setting: { readonly dateFormat?: string | undefined },
  key: string,
): Finding[] =>
  setting.dateFormat === undefined || isDateFormat(setting.dateFormat)
    ? []
    : [
        error('invalid-date-format', `"${setting.dateFormat}" does not say where year, month and day stand`, {
          file: COMPANY_FILE,
          column: `${key}.dateFormat`,
          text: setting.dateFormat,
          remedy: 'write YYYY or YY, MM or M, DD or D with what stands between them, such as DD.MM.YYYY',
        }),
      ]

const readTwice = (file: string, before: string, key: string, pattern: string): Finding =>
  error('file-read-twice', `${file} is named by ${before} and by ${key}: its entries would count twice`, {
    file: COMPANY_FILE,
    column: `${key}.files`,
    text: pattern,
    remedy: 'narrow one of the two patterns',
  })

interface FileReading {
  readonly inputs: readonly LedgerInput[]
  readonly sources: readonly SourceRecord[]
  readonly findings: readonly Finding[]
  /** Warnings on columns that are not read. */
  readonly notRead: readonly Finding[]
}

async function planCsv(
  folder: string,
  file: string,
  setting: LedgerSetting,
  key: string,
  scan: Scan,
  scratch: Scratch,
): Promise<FileReading> {
  const path = join(folder, file)
  const encoding = setting.encoding ?? scan.encoding
  const source: SourceRecord = {
    file,
    bytes: scan.bytes,
    sha256: scan.sha256,
    encoding,
    role: 'ledger',
    rows: null,
  }
  const refused = (...findings: Finding[]): FileReading => ({
    inputs: [],
    sources: [source],
    findings,
    notRead: [],
  })
  if (encoding === 'utf-8' && scan.encoding !== 'utf-8') return refused(undecodable(file, encoding, null))
  const head = decodeText(scan.head, encoding).text
  if (head.trim() === '') return refused(emptyFile(file))
  const delimiter = setting.delimiter ?? detectDelimiter(head)
  const { header, findings } = parseHeader(head, delimiter, file)
  if (findings.length > 0) return refused(...findings)
  const layout = layoutOf({ file, key, header }, setting)
  return {
    inputs: [
      {
        kind: 'csv',
        file,
        ...formOf(setting, layout),
        path: encoding === 'utf-8' ? path : await scratch.decoded(path, encoding),
        delimiter,
        columns: Object.fromEntries(Object.entries(layout.at).map(([name, at]) => [name, header[at]!])),
        header,
      },
    ],
    sources: [source],
    findings: layout.findings,
    notRead: layout.notRead,
  }
}

async function readRows(
  folder: string,
  file: string,
  setting: LedgerSetting,
  key: string,
): Promise<FileReading> {
  const { tables, sources, findings } = await readTable(folder, file, setting, 'ledger', key)
  const layouts = tables.map((table) => ({ table, layout: layoutOf(table, setting) }))
  return {
    inputs: layouts.map(({ table, layout }) => ({
      kind: 'rows',
      file: table.file,
      ...formOf(setting, layout),
      dateFormat: ISO_DATE,
      rows: ledgerRows(table, layout, setting.dateFormat),
    })),
    sources,
    findings: [...findings, ...layouts.flatMap(({ layout }) => layout.findings)],
    notRead: layouts.flatMap(({ layout }) => layout.notRead),
  }
}

/** Real dates are ISO already; dates typed as text follow the stated format. What is neither stays for the books to name. */
function ledgerRows(table: Table, layout: Layout, dateFormat: string | undefined): LedgerRow[] {
  const columns = Object.entries(layout.at) as [LedgerColumn, number][]
  const blank = Object.fromEntries(LEDGER_COLUMNS.map((name) => [name, null])) as Record<LedgerColumn, null>
  return table.rows.map(({ row, cells }) => {
    const values = Object.fromEntries(columns.map(([name, at]) => [name, cells[at] || null]))
    const date = values.date ? (parseDate(values.date, dateFormat) ?? values.date) : null
    return { ...blank, ...values, date, row }
  })
}

const formOf = (setting: LedgerSetting, layout: Layout) => ({
  basis: layout.basis,
  dateFormat: setting.dateFormat ?? ISO_DATE,
  decimal: setting.decimal ?? '.',
  thousands: setting.thousands ?? '',
})

interface Layout {
  readonly at: { readonly [name in LedgerColumn]?: number }
  readonly basis: Basis | null
  readonly findings: readonly Finding[]
  readonly notRead: readonly Finding[]
}

/** Which columns count. Those that would contradict what company.yaml says, or one another, are left unread. */
function layoutOf(head: Head, setting: LedgerSetting): Layout {
  const { file, header } = head
  const map = setting.columns
  const found = findColumns(head, LEDGER_COLUMNS, ['transaction_id', 'date', 'account'], map)
  const { amount, debit, credit, basis, ...at } = found.at
  const findings = [...found.findings]
  const sides = debit !== undefined && credit !== undefined
  // A net amount beside debit and credit repeats them, with a sign that exports do not agree on.
  const useAmount = amount !== undefined && (!sides || (map?.amount !== undefined && map.debit === undefined))
  if (!useAmount && !sides) {
    const missing =
      debit === undefined && credit === undefined ? 'amount' : debit === undefined ? 'debit' : 'credit'
    findings.push(missingColumn(file, missing, missing, header))
  }
  const unused = [
    ...(useAmount ? [debit, credit] : [amount]),
    ...(setting.basis === undefined ? [] : [basis]),
    ...found.others,
  ].flatMap((position) => (position === undefined ? [] : [header[position]!]))
  const ownBasis = basis !== undefined && setting.basis === undefined
  return {
    at: {
      ...at,
      ...(useAmount ? { amount } : sides ? { debit, credit } : {}),
      ...(ownBasis ? { basis } : {}),
    },
    basis: ownBasis ? null : setting.basis === 'cash' ? 'CASH' : 'ACCRUAL',
    findings,
    notRead: columnsNotRead(file, unused, LEDGER_COLUMNS),
  }
}
