/** All that one company's sources say, in one form; whatever is wrong with them is in the findings. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Company, TableSetting } from '../workspace/company.ts'
import { error, type Finding } from '../workspace/finding.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'
import { overrideCashFlow, readChart } from './chart.ts'
import { sha256 } from './files.ts'
import type { Intake, SourceRecord } from './intake.ts'
import { readLedger } from './ledger.ts'
import { readMembers } from './members.ts'
import { Scratch } from './scan.ts'
import { readTables, type TableReading } from './table.ts'

/** An intake, and the removal of the decoded copies that its plans point to: call it when the books are loaded. */
export interface Ingested extends Intake {
  dispose(): Promise<void>
}

const NOTHING: TableReading = { tables: [], sources: [], findings: [] }

/** Reads everything that `company` names under `folder`. Problems of the input are findings, never exceptions. */
export async function ingest(company: Company, folder: string): Promise<Ingested> {
  const scratch = new Scratch()
  const read = (setting: TableSetting | undefined, role: SourceRecord['role'], key: string) =>
    setting === undefined ? Promise.resolve(NOTHING) : readTables(folder, setting, role, key)
  const [configuration, ledger, chartTables, classTables, departmentTables] = await Promise.all([
    readConfiguration(folder),
    readLedger(folder, company, scratch),
    read(company.chartOfAccounts, 'chart', 'chartOfAccounts'),
    read(company.classes, 'classes', 'classes'),
    read(company.departments, 'departments', 'departments'),
  ])
  const chart = readChart(chartTables.tables, company.chartOfAccounts, [])
  const overridden = overrideCashFlow(chart.accounts, company.cashFlow ?? {})
  const classes = readMembers(classTables.tables, company.classes, [])
  const departments = readMembers(departmentTables.tables, company.departments, [])
  const readings = [ledger, chartTables, classTables, departmentTables]
  return {
    sources: [configuration, ...readings.flatMap((reading) => reading.sources)],
    accounts: overridden.accounts,
    classes: classes.members,
    departments: departments.members,
    fiscalYears: company.fiscalYears ?? [],
    ledger: ledger.inputs,
    openings: [],
    priorResults: [],
    controls: [],
    budgets: [],
    metricDefinitions: [],
    metrics: [],
    closingAccounts: [],
    findings: [
      ...chartMissing(company, ledger.inputs.length > 0),
      ...readings.flatMap((reading) => reading.findings),
      ...chart.findings,
      ...overridden.findings,
      ...classes.findings,
      ...departments.findings,
    ],
    dispose: () => scratch.dispose(),
  }
}

async function readConfiguration(folder: string): Promise<SourceRecord> {
  const bytes = await readFile(join(folder, COMPANY_FILE))
  return {
    file: COMPANY_FILE,
    bytes: bytes.length,
    sha256: sha256(bytes),
    encoding: 'utf-8',
    role: 'configuration',
    rows: null,
  }
}

/** A CSV or workbook of entries names accounts, and says nothing about them. */
const chartMissing = (company: Company, hasTabularLedger: boolean): Finding[] =>
  company.chartOfAccounts !== undefined || !hasTabularLedger
    ? []
    : [
        error(
          'missing-chart',
          'there is no chart of accounts: what kind of account each one is, nothing says',
          {
            file: COMPANY_FILE,
            column: 'chartOfAccounts',
            remedy: 'name a file with the columns id, name and classification under "chartOfAccounts"',
          },
        ),
      ]
