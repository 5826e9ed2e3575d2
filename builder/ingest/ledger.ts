/**
 * Reads the `ledger` entries of company.yaml. Of a CSV, which may have millions of rows, only the header is read
 * here, and the books read the rest by a plan; the rows of a workbook are copied into one; files of a format with a parser of its own
 * are passed on to it.
 */
import { join } from 'node:path'
import { addTo } from '../contract/grouping.ts'
import type { Company, LedgerSetting } from '../workspace/company.ts'
import { error, type Finding, hasErrors } from '../workspace/findings/finding.ts'
import { findFiles } from '../workspace/source-files.ts'
import { parseTableAddress, type TableStore } from '../workspace/table-address.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'
import type { UnreadColumn } from './claims/claims.ts'
import { type Format, openSource, type SourceFile } from './format/format.ts'
import type { FileReading, LedgerInput, SourceRecord } from './format/intake.ts'
import { LEDGER_COLUMNS } from './format/ledger-columns.ts'
import type { FilePreview } from './format/preview.ts'
import { formatCalled, formatOf } from './formats.ts'
import { KnownFiles } from './known-files.ts'
import { readTableOf } from './lake.ts'
import { TableLogs, withLog } from './parquet/folders.ts'
import { headerAt } from './tables/header.ts'
import { DIRECTION } from './tables/mapped/map.ts'
import { readLedgerTable } from './tables/mapped/read.ts'
import { columnsThatDiffer, planParquet } from './tables/parquet.ts'
import { claimUnread } from './tables/unread/unread.ts'
import { TITLE_ROWS } from './text/csv.ts'
import { lostInFile, mixedInFile, zeroBytes } from './text/lost-letters.ts'
import { isDateFormat } from './text/months.ts'
import { LONGEST_LINE, rowAt, type Scratch } from './text/scan.ts'
import { foreignFile, wrongReport } from './workbook/foreign.ts'

export interface LedgerReading {
  readonly inputs: readonly LedgerInput[]
  readonly sources: readonly SourceRecord[]
  /** Files of formats with a parser of their own, by the entry that names them. */
  readonly entries: readonly FormatEntry[]
  readonly findings: readonly Finding[]
}

/** Files of one format in one entry, which are read together. */
export interface FormatEntry {
  readonly format: Format
  readonly setting: LedgerSetting
  readonly files: readonly SourceFile[]
}

/** `tables` is asked for what lies in buckets; null where nobody can be asked. */
export async function readLedger(
  folder: string,
  company: Company,
  scratch: Scratch,
  tables: TableStore | null = null,
): Promise<LedgerReading> {
  const known = new KnownFiles()
  const logs = new TableLogs()
  const entries = await Promise.all(
    company.ledger.map((setting, i) => namedFiles(folder, setting, `ledger.${i}`)),
  )
  const { currency } = company
  const readings: LedgerReading[] = []
  for (const { address, ...entry } of entries)
    readings.push(
      address === null
        ? await readEntry({ ...entry, currency, folder, scratch, logs }, known)
        : tableReading({ ...entry, currency }, await readTableOf({ ...entry, address }, known, tables)),
    )
  return {
    inputs: readings.flatMap(({ inputs }) => inputs),
    sources: readings.flatMap(({ sources }) => sources),
    entries: readings.flatMap(({ entries }) => entries),
    findings: readings.flatMap(({ findings }) => findings),
  }
}

/** The files of an entry; none where it names a table in a bucket. */
async function namedFiles(folder: string, setting: LedgerSetting, key: string) {
  const address = parseTableAddress(setting.files)
  const found =
    address === null ? await findFiles(folder, setting.files, `${key}.files`) : { files: [], findings: [] }
  return { setting, key, address, found }
}

function tableReading(
  { setting, key, currency }: Pick<LedgerEntry, 'setting' | 'key' | 'currency'>,
  { inputs, sources, findings, unread }: FileReading,
): LedgerReading {
  const badFormat = dateFormatFindings(setting, key)
  return {
    inputs: badFormat.length > 0 || hasErrors(findings) ? [] : inputs,
    sources,
    entries: [],
    findings: [
      ...badFormat,
      ...findings,
      ...claimLedger(unread, setting, key, currency),
      ...columnsThatDiffer(inputs),
    ],
  }
}

/** The same unread columns in twelve monthly exports are asked, or reported, once. */
const claimLedger = (
  unread: FileReading['unread'],
  setting: LedgerSetting,
  key: string,
  currency: string,
): Finding[] => claimUnread(unread, key, setting, { currency }, [...LEDGER_COLUMNS, DIRECTION])

/** One entry of `ledger` in company.yaml. */
interface LedgerEntry {
  readonly folder: string
  readonly setting: LedgerSetting
  /** Its key, such as `ledger.0`. */
  readonly key: string
  readonly currency: string
  readonly found: Awaited<ReturnType<typeof findFiles>>
  /** Where decoded copies of its files are kept. */
  readonly scratch: Scratch
  readonly logs: TableLogs
}

async function readEntry(entry: LedgerEntry, known: KnownFiles): Promise<LedgerReading> {
  const { setting, key, currency, found } = entry
  const badFormat = dateFormatFindings(setting, key)
  const inputs: LedgerInput[] = []
  const sources: SourceRecord[] = []
  const findings = [...badFormat, ...found.findings]
  const byFormat = new Map<Format, SourceFile[]>()
  const unread: UnreadColumn[] = []
  const take = (reading: FileReading): void => {
    // A form or header that makes the rows unreadable is reported once, and not for each row.
    if (badFormat.length === 0 && !hasErrors(reading.findings)) inputs.push(...reading.inputs)
    sources.push(...reading.sources)
    findings.push(...reading.findings)
    unread.push(...reading.unread)
  }
  // A function of its own, so that the cells of one workbook are gone when the next one is read.
  const readFile = async (file: string): Promise<void> => {
    const opened = await openFile(file, entry, known)
    findings.push(...opened.findings)
    if (opened.source === null) return
    const { source, format } = opened
    if (format === null) take(await readAsTable(source, entry))
    else addTo(byFormat, format, source)
  }
  for (const file of found.files) await readFile(file)
  findings.push(...claimLedger(unread, setting, key, currency), ...columnsThatDiffer(inputs))
  const entries = [...byFormat].map(([format, files]) => ({ format, setting, files }))
  return { inputs, sources, entries, findings }
}

/** A file that can be read, with its format (null for a table); or no source, with the findings that say why. */
type OpenedFile =
  | { readonly source: SourceFile; readonly format: Format | null; readonly findings: readonly Finding[] }
  | { readonly source: null; readonly findings: readonly Finding[] }

async function openFile(file: string, entry: LedgerEntry, known: KnownFiles): Promise<OpenedFile> {
  const refused = (...findings: Finding[]): OpenedFile => ({ source: null, findings })
  const named = known.named(file, entry)
  if (named !== null) return refused(named)
  const path = join(entry.folder, file)
  const source = await openSource(path, file, entry.setting)
  const { scan, look } = source
  const copied = known.copied(source, entry)
  if (copied !== null) return refused(copied)
  if (look.parquet !== null) {
    const log = await entry.logs.above(path)
    if (log !== null) return refused(withLog(file, log, entry.folder))
    return { source, format: null, findings: [] }
  }
  if (entry.setting.format === 'parquet' || entry.setting.engine !== undefined)
    return refused(notParquet(file))
  const format = statedFormat(look, entry.setting)
  const rows = format === null ? (look.samples(TITLE_ROWS + 1)[0]?.rows ?? []) : []
  const wrong =
    headerAt(rows, 'ledger', entry.setting.columns) === null ? wrongReport(rows, file, false) : null
  if (wrong !== null) return refused(wrong)
  if (look.workbook !== null) return { source, format, findings: [] }
  const foreign = foreignFile(look.head, file)
  if (foreign !== null) return refused(foreign)
  if (scan.zeroByte !== null && !look.encoding.startsWith('utf-16'))
    return refused(zeroBytes(file, await rowAt(path, scan.zeroByte)))
  const findings = await wrongLetters(source, entry.setting)
  // An XML file may be a single line.
  if (scan.longLine !== null && format?.id !== 'saft')
    return refused(...findings, lineTooLong(file, await rowAt(path, scan.longLine)))
  return { source, format, findings }
}

/** Warnings about letters that were lost, or that have another encoding than the rest of the text. */
async function wrongLetters({ file, path, scan }: SourceFile, setting: LedgerSetting): Promise<Finding[]> {
  const findings: Finding[] = []
  if (scan.lostLetter !== null) findings.push(await lostInFile(path, file, scan.lostLetter))
  if (scan.utf8InLatin !== null && setting.encoding === undefined)
    findings.push(await mixedInFile(path, file, scan.utf8InLatin, scan.encoding))
  return findings
}

function readAsTable(
  source: SourceFile,
  { setting, key, scratch, currency }: LedgerEntry,
): FileReading | Promise<FileReading> {
  const { file, path, scan, look } = source
  if (look.parquet === null) return readLedgerTable(source, setting, key, scratch, currency)
  const state = { bytes: scan.bytes, sha256: scan.sha256 }
  return planParquet({ file, path, state, footer: look.parquet }, setting, key)
}

/**
 * The format that company.yaml states, else the recognised one; null for a table. A column map says that the file
 * is a table.
 */
function statedFormat(look: FilePreview, { format, columns, skip }: LedgerSetting): Format | null {
  if (format === 'csv' || format === 'xlsx' || format === 'parquet') return null
  if (format !== undefined) return formatCalled(format)
  return columns === undefined && skip === undefined ? formatOf(look) : null
}

const notParquet = (file: string): Finding =>
  error('unreadable-parquet', 'is no Parquet file: it does not begin as one', {
    file,
    remedy: 'correct the pattern, or take "format: parquet" out: files are recognised by their content',
  })

const lineTooLong = (file: string, row: number): Finding =>
  error('line-too-long', `the line is longer than ${LONGEST_LINE / 1024 ** 2} MB`, {
    file,
    row,
    remedy:
      'a row of a ledger is never so long: were line ends lost, or is the file damaged? export it again',
  })

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
            'write YYYY or YY, MM or M or MMM (Jan), DD or D with what stands between them, such as DD.MM.YYYY; or SERIAL for the day numbers of a spreadsheet, YYYY-MM-DDThh:mm:ssZ for the day of an instant',
        }),
      ]
