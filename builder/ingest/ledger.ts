/**
 * The ledger entries of company.yaml. A CSV may hold millions of rows: only its header is read here, and the books
 * read the rest by a plan; a workbook becomes rows; files of a format with a parser of its own are handed on to it.
 */
import { join } from 'node:path'
import type { Basis } from '../contract/vocabulary.ts'
import type { Company, LedgerSetting } from '../workspace/company.ts'
import { error, type Finding, hasErrors } from '../workspace/finding.ts'
import { createReadStream } from '../workspace/plain-file.ts'
import { findFiles } from '../workspace/source-files.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'
import type { Format, SourceFile } from './format/format.ts'
import {
  LEDGER_COLUMNS,
  type LedgerColumn,
  type LedgerInput,
  type LedgerRow,
  type SourceRecord,
} from './format/intake.ts'
import { type Look, lookAt } from './format/preview.ts'
import { csvRow } from './format/records.ts'
import { formatCalled, formatOf } from './formats.ts'
import { type Located, locateHeader, REQUIRED } from './tables/header.ts'
import { type FileReading, isMapped, readMapped } from './tables/mapped-ledger.ts'
import {
  columnsNotRead,
  emptyFile,
  findColumns,
  type Head,
  mergedFigure,
  missingColumn,
  readTable,
  type Table,
} from './tables/table.ts'
import { parseHeader, quoteFault } from './text/csv.ts'
import { decodeText, undecodable } from './text/decode.ts'
import { type OnFault, recordsOf } from './text/delimited.ts'
import { lostInFile, mixedInFile, zeroBytes } from './text/lost-letters.ts'
import { ISO_DATE, isDateFormat, parseDate } from './text/months.ts'
import {
  decodeChunks,
  LONGEST_LINE,
  rowAt,
  type Scan,
  type Scratch,
  scanFile,
  type Title,
} from './text/scan.ts'
import { foreignFile } from './workbook/foreign.ts'
import { isZip } from './workbook/xlsx.ts'

export interface LedgerReading {
  readonly inputs: readonly LedgerInput[]
  readonly sources: readonly SourceRecord[]
  /** Files of a format with a parser of its own, by the entry that names them. */
  readonly entries: readonly FormatEntry[]
  readonly findings: readonly Finding[]
}

/** Files of one format in one entry: they are read together. */
export interface FormatEntry {
  readonly format: Format
  readonly setting: LedgerSetting
  readonly files: readonly SourceFile[]
}

export async function readLedger(folder: string, company: Company, scratch: Scratch): Promise<LedgerReading> {
  const inputs: LedgerInput[] = []
  const sources: SourceRecord[] = []
  const entries: FormatEntry[] = []
  const findings: Finding[] = []
  const entryOf = new Map<string, string>()
  const contents = new Map<string, string>()
  for (const [i, setting] of company.ledger.entries()) {
    const key = `ledger.${i}`
    const badFormat = dateFormatFindings(setting, key)
    findings.push(...badFormat)
    const found = await findFiles(folder, setting.files, `${key}.files`)
    findings.push(...found.findings)
    const byFormat = new Map<Format, SourceFile[]>()
    const notRead = new Map<string, Finding>()
    for (const file of found.files) {
      const before = entryOf.get(file)
      if (before !== undefined) {
        findings.push(readTwice(file, before, key, setting.files))
        continue
      }
      entryOf.set(file, key)
      const path = join(folder, file)
      const scan = await scanFile(path)
      const content = `${scan.sha256} ${setting.basis ?? ''}`
      const twin = contents.get(content)
      if (twin !== undefined && (isZip(scan.head) || hasRows(scan))) {
        findings.push(sameContent(file, twin))
        continue
      }
      contents.set(content, file)
      const source = { file, path, scan, look: await lookAt(path, file, scan, setting) }
      const foreign = source.look.workbook === null ? foreignFile(source.look.head, file) : null
      if (foreign !== null) {
        findings.push(foreign)
        continue
      }
      const isWide = source.look.encoding.startsWith('utf-16')
      if (scan.zeroByte !== null && source.look.workbook === null && !isWide) {
        findings.push(zeroBytes(file, await rowAt(path, scan.zeroByte)))
        continue
      }
      if (scan.lostLetter !== null && source.look.workbook === null)
        findings.push(await lostInFile(path, file, scan.lostLetter))
      if (scan.utf8InLatin !== null && source.look.workbook === null && setting.encoding === undefined)
        findings.push(await mixedInFile(path, file, scan.utf8InLatin, scan.encoding))
      const format = statedFormat(source.look, setting)
      // XML may well be one line; a workbook has none.
      if (scan.longLine !== null && source.look.workbook === null && format?.id !== 'saft') {
        findings.push(lineTooLong(file, await rowAt(path, scan.longLine)))
        continue
      }
      if (format !== null) {
        byFormat.set(format, [...(byFormat.get(format) ?? []), source])
        continue
      }
      const reading = isMapped(setting)
        ? await readMapped(source, setting, key, scratch)
        : source.look.workbook === null && setting.format !== 'xlsx'
          ? await planCsv(folder, file, setting, key, scan, scratch)
          : await readRows(folder, source, setting, key)
      // What the form or the header leaves unreadable is one mistake, not one in each row.
      if (badFormat.length === 0 && !hasErrors(reading.findings)) inputs.push(...reading.inputs)
      sources.push(...reading.sources)
      findings.push(...reading.findings)
      for (const warning of reading.notRead)
        notRead.set(warning.message, notRead.get(warning.message) ?? warning)
    }
    // Twelve monthly exports with the same extra columns are one thing to look at, not twelve.
    findings.push(...notRead.values())
    for (const [format, files] of byFormat) entries.push({ format, setting, files })
  }
  return { inputs, sources, entries, findings }
}

/** What company.yaml says, else what it looks like; null is a table, and a column map says that it is one. */
function statedFormat(look: Look, { format, columns, skip }: LedgerSetting): Format | null {
  if (format === 'csv' || format === 'xlsx') return null
  if (format !== undefined) return formatCalled(format)
  return columns === undefined && skip === undefined ? formatOf(look) : null
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
          remedy:
            'write YYYY or YY, MM or M or MMM (Jan), DD or D with what stands between them, such as DD.MM.YYYY',
        }),
      ]

const readTwice = (file: string, before: string, key: string, pattern: string): Finding =>
  error('file-read-twice', `${file} is named by ${before} and by ${key}: its entries would count twice`, {
    file: COMPANY_FILE,
    column: `${key}.files`,
    text: pattern,
    remedy: 'narrow one of the two patterns',
  })

/** Branches without entries export the same header: nothing of it counts twice. */
const hasRows = ({ head }: Scan): boolean =>
  /[^\s][\r\n]+[^\s]/.test(head.toString('latin1').replaceAll('\0', ''))

const sameContent = (file: string, twin: string): Finding =>
  error('same-file-twice', `is ${twin} under another name: its entries would count twice`, {
    file,
    remedy: 'remove one of the two files, or let the pattern in company.yaml name only one',
  })

const lineTooLong = (file: string, row: number): Finding =>
  error('line-too-long', `the line is longer than ${LONGEST_LINE / 1024 ** 2} MB`, {
    file,
    row,
    remedy: 'this is no row of a ledger: were line ends lost, or the file damaged? export it again',
  })

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
  const located = locateHeader(head, 'ledger', setting)
  const { delimiter } = located
  const below = Buffer.from(head).subarray(located.start).toString('utf8')
  const { header, findings } = parseHeader(below, delimiter, file)
  if (findings.length > 0) return refused(...findings)
  const layout = layoutOf({ file, key, header, headerRow: located.title + 1 }, setting)
  const needsCopy = encoding !== 'utf-8' || located.title > 0
  const decoded = needsCopy ? await scratch.decoded(path, encoding, titleOf(head, located)) : null
  const needsQuotes = scan.hasPaddedQuote || (scan.hasTabbedQuote && delimiter !== '\t')
  const faults: Finding[] = []
  const copy = needsQuotes
    ? await scratch.written(requoted(decoded ?? path, delimiter, file, faults))
    : decoded
  if (faults.length > 0) return refused(...faults)
  return {
    inputs: [
      {
        kind: 'csv',
        file,
        ...formOf(setting, layout),
        ...(copy === null ? { path, mayHoldBlankRows: scan.mayHoldBlankRows } : { path: copy }),
        sha256: scan.sha256,
        delimiter: needsQuotes ? ',' : delimiter,
        columns: Object.fromEntries(Object.entries(layout.at).map(([name, at]) => [name, header[at]!])),
        header,
      },
    ],
    sources: [{ ...source, delimiter }],
    findings: layout.findings,
    notRead: layout.notRead,
  }
}

/**
 * The same records with each quote at the start of its cell: DuckDB takes a quote behind several blanks, or behind a tab, for
 * a part of the cell.
 */
async function* requoted(
  path: string,
  delimiter: string,
  file: string,
  faults: Finding[],
): AsyncGenerator<string> {
  const text = decodeChunks(
    createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>,
    'utf-8',
  )
  const onFault: OnFault = (row, fault) => faults.push(quoteFault(file, row, fault))
  for await (const records of recordsOf(text, delimiter, onFault)) yield records.map(csvRow).join('')
}

function titleOf(head: string, { title, start, end }: Located): Title | null {
  if (title === 0) return null
  const header = Buffer.from(head).subarray(start, end).toString('utf8').trimEnd()
  return { rows: title, header, end, lineEnd: /\r\n|\n|\r/.exec(head)?.[0] ?? '\n' }
}

async function readRows(
  folder: string,
  { file, look }: SourceFile,
  setting: LedgerSetting,
  key: string,
): Promise<FileReading> {
  const { tables, sources, findings } = await readTable(folder, file, setting, 'ledger', key, look.workbook)
  const layouts = tables.map((table) => ({ table, layout: layoutOf(table, setting) }))
  const merged = layouts.flatMap(({ table, layout }) => mergedFigures(table, layout))
  return {
    inputs: layouts.map(({ table, layout }) => ({
      kind: 'rows',
      file: table.file,
      ...formOf(setting, layout),
      dateFormat: ISO_DATE,
      rows: ledgerRows(table, layout, setting.dateFormat),
    })),
    sources,
    findings: [...findings, ...layouts.flatMap(({ layout }) => layout.findings), ...merged],
    notRead: layouts.flatMap(({ layout }) => layout.notRead),
  }
}

const mergedFigures = (table: Table, { at }: Layout): Finding[] =>
  [at.debit, at.credit, at.amount].flatMap((column) =>
    column === undefined
      ? []
      : table.rows.flatMap((row) =>
          row.cells[column] === '' ? [] : (mergedFigure(table, row, column) ?? []),
        ),
  )

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
  const { header } = head
  const map = setting.columns
  const found = findColumns(head, LEDGER_COLUMNS, REQUIRED.ledger, map)
  const { amount, debit, credit, basis, ...at } = found.at
  const findings = [...found.findings]
  const sides = debit !== undefined && credit !== undefined
  // A net amount beside debit and credit repeats them, with a sign that exports do not agree on.
  const useAmount = amount !== undefined && (!sides || (map?.amount !== undefined && map.debit === undefined))
  if (!useAmount && !sides) {
    const missing =
      debit === undefined && credit === undefined ? 'amount' : debit === undefined ? 'debit' : 'credit'
    findings.push(missingColumn(head, missing, missing))
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
    notRead: columnsNotRead(head, unused, LEDGER_COLUMNS),
  }
}
