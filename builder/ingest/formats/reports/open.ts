/** The files of one ledger entry, opened: which of them hold reports and which the list of accounts. */
import { present } from '../../../contract/present.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import type { Answers } from '../../claims/claims.ts'
import type { SourceFile } from '../../format/format.ts'
import { undecodable } from '../../text/decode.ts'
import { type ChartEntry, readChartReport } from './accounts.ts'
import { type Report, type ReportFamily, reportsIn } from './rows/layout.ts'
import { type ReportScan, scanReport } from './rows/scan.ts'
import type { OpenReport, RowSource } from './rows/walk.ts'

export interface Opened {
  readonly scans: readonly ReportScan[]
  readonly chart: readonly ChartEntry[]
  /** Mistakes of files that cannot be read as text. */
  readonly findings: readonly Finding[]
}

export async function openReports(
  family: ReportFamily,
  sources: readonly SourceFile[],
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
        rowSource: rowSourceOf(report, source),
      }
      if (report.layout.kind === 'chart') chart.push(...(await readChartReport(open)))
      else opened.push(open)
    }
  }
  const scans: ReportScan[] = []
  for (const open of opened) scans.push(await scanReport(open, family))
  return { scans, chart, findings }
}

function rowSourceOf({ sheet, delimiter }: Report, { path, look }: SourceFile): RowSource {
  if (delimiter !== null) return { path, encoding: look.encoding, delimiter }
  const found = look.workbook?.sheets.find(({ name }) => name === sheet)
  return { sheet: present(found, 'sheet of the report').rows }
}

const noReport = (file: string, { name, knownBy }: ReportFamily): Finding =>
  error('no-report', `holds no report of ${name}: no row with the columns ${knownBy}`, {
    file,
    remedy: 'export the report again, with its header; or take the file out of the folder',
  })
