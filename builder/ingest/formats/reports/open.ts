/** The files of one ledger entry, opened: which of them hold reports and which the list of accounts. */
import { present } from '../../../contract/present.ts'
import { error, type Finding } from '../../../workspace/finding.ts'
import type { Answers } from '../../claims/claims.ts'
import type { SourceFile } from '../../format/format.ts'
import { CHUNK, csvRow } from '../../format/records.ts'
import type { TextRow } from '../../text/csv.ts'
import { markLength, undecodable } from '../../text/decode.ts'
import type { Scratch } from '../../text/scan.ts'
import { type ChartEntry, readChartReport } from './accounts.ts'
import type { ReportHands } from './parts.ts'
import { type Report, type ReportFamily, reportsIn } from './rows/layout.ts'
import type { ReportScan } from './rows/scan.ts'
import type { OpenReport, RowSource } from './rows/walk.ts'
import { scanReports } from './scan-reports.ts'

export interface Opened {
  readonly scans: readonly ReportScan[]
  readonly chart: readonly ChartEntry[]
  /** Mistakes of files that cannot be read as text. */
  readonly findings: readonly Finding[]
}

/** Who else reads reports, in parts. */
export interface Dividing {
  readonly hands: ReportHands
  /** Holds the text of sheets. */
  readonly scratch: Scratch
}

/** `dividing`: null where each report is read as a whole. */
export async function openReports(
  family: ReportFamily,
  sources: readonly SourceFile[],
  dividing: Dividing | null,
  skip?: Answers['skip'],
): Promise<Opened> {
  const opened: OpenReport[] = []
  const chart: ChartEntry[] = []
  const findings: Finding[] = []
  for (const source of sources) {
    const { look, scan, file } = source
    if (look.encoding === 'utf-8' && scan.encoding !== 'utf-8' && look.workbook === null) {
      findings.push(undecodable(file, look.encoding, null))
      continue
    }
    findings.push(...(look.workbook?.findings ?? []))
    const reports = reportsIn(look, family, skip)
    if (reports.length === 0 && (look.workbook?.findings ?? []).length === 0)
      findings.push(noReport(file, family))
    for (const report of reports) {
      const open: OpenReport = {
        ...report,
        source: file,
        file: reports.length > 1 ? `${file}#${report.sheet}` : file,
        rowSource: await rowSourceOf(report, source, dividing),
      }
      if (report.layout.kind === 'chart') chart.push(...(await readChartReport(open)))
      else opened.push(open)
    }
  }
  const scans: ReportScan[] = []
  for await (const scan of scanReports(opened, family, dividing?.hands ?? null)) scans.push(scan)
  return { scans, chart, findings }
}

async function rowSourceOf(
  { sheet, delimiter }: Report,
  { path, scan, look }: SourceFile,
  dividing: Dividing | null,
): Promise<RowSource> {
  if (delimiter !== null) return { path, encoding: look.encoding, delimiter, mark: markLength(scan.head) }
  const found = look.workbook?.sheets.find(({ name }) => name === sheet)
  const { rows } = present(found, 'sheet of the report')
  if (dividing === null) return { sheet: rows }
  // Others read the sheet as text.
  const text = await dividing.scratch.written(textOf(rows))
  return { path: text, encoding: 'utf-8', delimiter: ',', mark: 0 }
}

/** Rows keep their numbers: where the sheet has none, the text has a blank one. */
async function* textOf(rows: readonly TextRow[]): AsyncGenerator<string> {
  let text = ''
  let last = 0
  for (const { row, cells } of rows) {
    text += '\n'.repeat(row - last - 1) + csvRow(cells)
    last = row
    if (text.length < CHUNK) continue
    yield text
    text = ''
  }
  yield text
}

const noReport = (file: string, { name, knownBy }: ReportFamily): Finding =>
  error('no-report', `holds no report of ${name}: no row with the columns ${knownBy}`, {
    file,
    remedy: 'export the report again, with its header; or take the file out of the folder',
  })
