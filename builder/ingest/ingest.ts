/**
 * Reads everything that one company's sources state into one form; mistakes in them are findings. First file of the
 * room. Owns reading: which format a file has, and the canonical rows or read plans made from it. Must not import
 * DuckDB, nor compute statements.
 */
import { join } from 'node:path'
import { sha256 } from '../system/hash.ts'
import { readFile } from '../system/plain-file.ts'
import type { Company, TableSetting } from '../workspace/company.ts'
import { distinct, error, type Finding, warning } from '../workspace/findings/finding.ts'
import { COMMENTARY, type CommentaryText, commentaryFiles } from '../workspace/source-files.ts'
import type { TableStore } from '../workspace/table-address.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'
import { ColumnRows } from './format/column-rows.ts'
import { type FormatContent, joinContent } from './format/content.ts'
import type { AccountRow, Intake, SourceRecord } from './format/intake.ts'
import { nameKeys } from './format/keys.ts'
import { FAMILIES } from './formats/reports/programs/families.ts'
import { dateFormatFindings, type FormatEntry, type LedgerReading, readLedger } from './ledger.ts'
import { readLogo } from './logo.ts'
import { settingLines, withSettingLines } from './setting-lines.ts'
import { overrideCashFlow, readChart } from './tables/chart.ts'
import { readReports } from './tables/controls/read.ts'
import { readAllMetrics, readBudgets } from './tables/figures.ts'
import type { TableKind } from './tables/header.ts'
import { readMembers } from './tables/lists.ts'
import { parentsOf } from './tables/parents/parents.ts'
import { readTables, type TableReading } from './tables/table.ts'
import { readTrialBalances } from './tables/trial-balance.ts'
import { decodeText, undecodable } from './text/decode.ts'
import { Scratch } from './text/scan.ts'

/** Gives the content of a group's members, in the accounts of its chart. */
export type ReadMembers = (chart: readonly AccountRow[], scratch: Scratch) => Promise<FormatContent>

/** An intake whose plans point to decoded copies; call `dispose` to delete these once the books are loaded. */
export interface Ingested extends Intake {
  /** Frees the memory of budgets and metrics, which are in the books by then. */
  forgetFigures(): void
  dispose(): Promise<void>
}

/**
 * Reads everything that `company` names below `folder`, and what it names in buckets: `tables` is asked what these hold, null if
 * none is named; `members` gives what the members of a group have published, null for any other company. Problems of the input are
 * findings, never exceptions.
 */
export async function ingest(
  company: Company,
  folder: string,
  tables: TableStore | null = null,
  members: ReadMembers | null = null,
): Promise<Ingested> {
  const scratch = new Scratch()
  try {
    const intake = await compose(company, folder, scratch, tables, members)
    return { ...intake, forgetFigures: () => forgetFigures(intake), dispose: () => scratch.dispose() }
  } catch (cause) {
    await scratch.dispose()
    throw cause
  }
}

function forgetFigures({ budgets, metrics }: Intake): void {
  for (const rows of [...budgets.map((budget) => budget.rows), metrics])
    if (rows instanceof ColumnRows) rows.clear()
}

async function compose(
  company: Company,
  folder: string,
  scratch: Scratch,
  store: TableStore | null,
  members: ReadMembers | null,
): Promise<Intake> {
  const [configuration, commentary, logo, ledger, tables] = await Promise.all([
    readConfiguration(folder, company),
    readCommentary(folder),
    readLogo(folder, company),
    readLedger(folder, company, scratch, store),
    readAllTables(company, folder),
  ])
  const own = readChart(tables.chart.tables, company.chartOfAccounts, [])
  const carried = members
    ? await members(own.accounts, scratch)
    : await readFormats(ledger.entries, withKinds(company, own.accounts), scratch)
  const lists = composeLists(company, tables, carried)
  const { accounts, classes, departments, fiscalYears } = lists
  const dimensions = {
    classes: nameKeys(classes),
    departments: nameKeys(departments),
    parents: { class: parentsOf(classes), department: parentsOf(departments) },
  }
  const trialBalances = await readTrialBalances(folder, company, accounts, dimensions)
  const { fiscalMonthEnd, fiscalYearName } = company
  const calendar = { fiscalMonthEnd, fiscalYears, fiscalYearName }
  const context = { ...dimensions, calendar }
  const [program] = FAMILIES.filter(({ id }) => ledger.entries.some(({ format }) => format.id === id))
  const reports = await readReports(folder, company, { ...context, accounts, program: program?.name ?? null })
  const budgets = await readBudgets(folder, company, { ...context, accounts }, carried.budgets)
  const metrics = await readAllMetrics(folder, company, context, budgets.budgets, carried)
  const readings = [
    tables.chart,
    tables.classes,
    tables.departments,
    ledger,
    trialBalances,
    reports,
    commentary,
    logo,
    budgets,
    metrics,
  ]
  const findings = [
    ...settingFindings(company, ledger),
    ...[...readings, carried, lists].flatMap((reading) => reading.findings),
    ...[budgets, metrics].flatMap((reading) => reading.ofFigures),
  ]
  return {
    sources: [configuration, ...carried.sources, ...readings.flatMap((reading) => reading.sources)],
    accounts,
    classes,
    departments,
    fiscalYears,
    ledger: [...carried.ledger, ...ledger.inputs],
    openings: carried.openings,
    statesOpenings: carried.statesOpenings,
    ...(carried.consolidation && { consolidation: carried.consolidation }),
    ...(company.opening?.priorYearsNotClosed === undefined
      ? {}
      : { priorYearsLine: settingLines(folder)('opening.priorYearsNotClosed') }),
    priorResults: carried.priorResults,
    controls: carried.controls,
    totals: carried.totals,
    trialBalances: trialBalances.balances,
    reports: reports.reports,
    budgets: budgets.budgets,
    metricDefinitions: metrics.definitions,
    metrics: metrics.rows,
    commentary: commentary.texts,
    logo: logo.logo,
    closingAccounts: carried.closingAccounts,
    openingJournals: carried.openingJournals,
    closingTypes: carried.closingTypes,
    unread: carried.unread,
    differing: carried.differing,
    findings: withSettingLines(distinct(findings), folder),
  }
}

/** The joined content of all files of formats with a parser of their own. */
async function readFormats(
  entries: readonly FormatEntry[],
  company: Company,
  scratch: Scratch,
): Promise<FormatContent> {
  const contents: FormatContent[] = []
  for (const { format, files, setting } of entries) {
    const content = await format.read(files, setting, company, scratch)
    contents.push({
      ...content,
      sources: content.sources.map((source) => ({ format: format.id, ...source })),
    })
  }
  return joinContent(contents)
}

/**
 * Accounts, members and fiscal years: those of company.yaml and its lists first, then those that the ledger's files
 * declare.
 */
function composeLists(company: Company, tables: AllTables, carried: FormatContent) {
  const chart = readChart(tables.chart.tables, company.chartOfAccounts, carried.accounts)
  const { accounts, findings } = overrideCashFlow(chart.accounts, company.cashFlow, company.overdrafts)
  const classes = readMembers(tables.classes.tables, company.classes, carried.classes, 'class')
  const departments = readMembers(
    tables.departments.tables,
    company.departments,
    carried.departments,
    'department',
  )
  return {
    accounts,
    classes: classes.rows,
    departments: departments.rows,
    fiscalYears: company.fiscalYears ?? carried.fiscalYears,
    findings: [...chart.findings, ...findings, ...classes.findings, ...departments.findings],
  }
}

/** What company.yaml states of itself is who answered its questions. */
async function readConfiguration(folder: string, { answered = {} }: Company): Promise<SourceRecord> {
  const bytes = await readFile(join(folder, COMPANY_FILE))
  return {
    file: COMPANY_FILE,
    bytes: bytes.length,
    sha256: sha256(bytes),
    encoding: 'utf-8',
    role: 'configuration',
    rows: null,
    stated: Object.entries(answered).map(([question, by]) => `${question}: ${by}`),
  }
}

type AllTables = Awaited<ReturnType<typeof readAllTables>>

async function readAllTables(company: Company, folder: string) {
  const read = (setting: TableSetting, role: TableKind, key: string) => readTables(folder, setting, role, key)
  const nothing: TableReading = { tables: [], sources: [], findings: [] }
  const one = (setting: TableSetting | undefined, role: TableKind, key: string) =>
    setting === undefined ? nothing : read(setting, role, key)
  const [chart, classes, departments] = await Promise.all([
    one(company.chartOfAccounts, 'chart', 'chartOfAccounts'),
    one(company.classes, 'classes', 'classes'),
    one(company.departments, 'departments', 'departments'),
  ])
  return { chart, classes, departments }
}

/**
 * The company with the kinds of accounts that a chart beside the files states; what company.yaml itself states
 * counts first.
 */
function withKinds(company: Company, accounts: readonly AccountRow[]): Company {
  const kinds = accounts.map(({ id, classification, type }) => [id, { classification, type }] as const)
  return {
    ...company,
    accounts: { ...Object.fromEntries(kinds), ...company.accounts } as Company['accounts'],
  }
}

/** Findings about company.yaml that no single file can show. */
function settingFindings(company: Company, ledger: LedgerReading): Finding[] {
  const findings: Finding[] = []
  const table = (setting: TableSetting | undefined, key: string) =>
    setting === undefined ? [] : dateFormatFindings(setting, key)
  findings.push(
    ...(company.budgets ?? []).flatMap((setting, i) => table(setting, `budgets.${i}`)),
    ...(company.metrics ?? []).flatMap((setting, i) => table(setting, `metrics.${i}`)),
  )
  // A CSV or workbook of entries names accounts but does not state their kinds.
  if (company.chartOfAccounts === undefined && ledger.inputs.length > 0)
    findings.push(
      error('missing-chart', 'there is no chart of accounts: the kind of each account is unknown', {
        file: COMPANY_FILE,
        column: 'chartOfAccounts',
        remedy: 'name a file with the columns id, name and classification under "chartOfAccounts"',
      }),
    )
  return findings
}

export interface CommentaryReading {
  readonly texts: readonly CommentaryText[]
  readonly sources: readonly SourceRecord[]
  readonly findings: readonly Finding[]
}

/** A page shows all of the text and must stay small enough for any browser. */
const MOST_BYTES = 64 * 1024

/** The texts by month. A file whose name is not a month is reported and not read. */
export async function readCommentary(folder: string): Promise<CommentaryReading> {
  const texts: CommentaryText[] = []
  const sources: SourceRecord[] = []
  const findings: Finding[] = []
  const { files, others } = await commentaryFiles(folder)
  for (const file of others)
    findings.push(
      warning('commentary-name', 'is not read: commentary is named by its month', {
        file,
        remedy: `call it ${COMMENTARY}/2026-03.md, by the month that it is about, or put it elsewhere`,
      }),
    )
  for (const file of files) {
    const bytes = await readFile(join(folder, file))
    const { text, encoding, undecodableLine } = decodeText(bytes, 'utf-8')
    if (undecodableLine !== null) findings.push(undecodable(file, encoding, undecodableLine))
    if (bytes.length > MOST_BYTES)
      findings.push(
        error(
          'file-too-large',
          `has ${bytes.length} bytes; the commentary of a month may have ${MOST_BYTES}`,
          {
            file,
            remedy: 'shorten it, or keep the long text elsewhere',
          },
        ),
      )
    const month = file.slice(COMMENTARY.length + 1, -'.md'.length)
    texts.push({ month, file, text: text.replaceAll('\r\n', '\n') })
    const described = { bytes: bytes.length, sha256: sha256(bytes), encoding }
    sources.push({ file, ...described, role: 'commentary', rows: null })
  }
  return { texts, sources, findings }
}
