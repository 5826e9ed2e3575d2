/** A workspace made for one test: files in, a build, and the figures read back as the exact text that was published. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Books } from '../../builder/books/books.ts'
import { readBooks } from '../../builder/books/store/store.ts'
import { type RangeBooks, rangeBooks } from '../../builder/books/sums/ranges.ts'
import { build } from '../../builder/build/build.ts'
import type { BuildResult } from '../../builder/build/result.ts'
import type { StatementScope } from '../../builder/contract/document.ts'
import type { StatementName } from '../../builder/contract/vocabulary.ts'
import { openDatabase } from '../../builder/database/database.ts'
import { BOOKS, snapshotFolder, statementPath } from '../../builder/snapshot/files/layout.ts'
import { type Finding, spelledOut } from '../../builder/workspace/findings/finding.ts'
import { openWorkspace, type Workspace } from '../../builder/workspace/workspace.ts'

/** Paths relative to the company's folder → content. */
export type Files = Readonly<Record<string, string | Buffer>>

export const COMPANY = 'acme'

/** A small chart that most tests share: every section of the balance sheet and the P&L has an account. */
export const CHART = `id,number,name,classification,type
bank,1000,Bank,Asset,Bank
till,1010,Till,Asset,Bank
debtors,1100,Debtors,Asset,AccountsReceivable
plant,1500,Plant,Asset,FixedAsset
plantdep,1590,Plant depreciation,Asset,AccumulatedDepreciation
creditors,2000,Creditors,Liability,AccountsPayable
loan,2500,Loan,Liability,LongTermLiability
capital,3000,Capital,Equity,Capital
drawings,3100,Drawings,Equity,Drawings
retained,3900,Retained earnings,Equity,RetainedEarnings
sales,4000,Sales,Income,Sales
returns,4090,Sales returns,Income,Sales
cogs,5000,Cost of goods,CostOfSales,CostOfSales
rent,6000,Rent,Expense,Expense
depreciation,6100,Depreciation,Expense,Depreciation
gain,8000,Gain on disposal,OtherIncome,OtherIncome
tax,8900,Income tax,OtherExpense,IncomeTax
`

/** `company.yaml` of {@link COMPANY} in USD with the chart and `ledger.csv`, without openings; `more` are further lines, or replace these. */
export function companyYaml(more = ''): string {
  const defaults = {
    id: COMPANY,
    name: 'Acme',
    fiscalMonthEnd: '12',
    currency: 'USD',
    chartOfAccounts: 'chart.csv',
    ledger: '[{ files: ledger.csv }]',
  }
  const given = new Set([...more.matchAll(/^([A-Za-z]+):/gm)].map((match) => match[1]))
  const lines = Object.entries(defaults).filter(([key]) => !given.has(key))
  const opening = given.has('opening') ? '' : 'opening: none\n'
  return `${lines.map(([key, value]) => `${key}: ${value}`).join('\n')}\n${more}\n${opening}`
}

/** `1 2025-01-15 bank 100.00; 1 2025-01-15 sales -100.00` → a ledger CSV: transaction, date, account, amount, [class, department]. */
export const ledgerCsv = (entries: string): string =>
  [
    'transaction_id,date,account,amount,class,department',
    ...entries
      .split(/[;\n]/)
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => {
        const [tx, date, account, amount, cls = '', department = ''] = line.split(/\s+/)
        const none = (tag: string) => (tag === '-' ? '' : tag)
        return [tx, date, account, amount, none(cls), none(department)].join(',')
      }),
    '',
  ].join('\n')

/** Runs with a fresh workspace that holds one company, and removes it afterwards. */
export async function inWorkspace<T>(
  files: Files,
  run: (workspace: Workspace) => Promise<T>,
  company = COMPANY,
): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), 'tieout-test-'))
  try {
    writeFileSync(join(root, 'tieout.yaml'), 'datasets: datasets\nsnapshots: snapshots\n')
    writeFiles(join(root, 'datasets', company), files)
    return await run(openWorkspace(root))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

export function writeFiles(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

/** What a build said and, where it published, what it published. */
export interface Built {
  readonly result: BuildResult
  /** Absolute path of a file of the snapshot, which may not be there. */
  path(path: string): string
  /** Text of a file of the snapshot. */
  read(path: string): string
  statement(statement: StatementName, filters?: Filters): Read
  /** The published books, as the ad-hoc engine loads them; closed with the workspace. */
  books(): Promise<RangeBooks>
}

export type Filters = Partial<Omit<StatementScope, 'statement'>>

/** A statement with each figure as the text that stands in the file; null where there is none. */
export interface Read {
  readonly text: string
  readonly months: readonly string[]
  /** By account id; rows that are zero throughout are not there. */
  readonly rows: Readonly<Record<string, readonly (string | null)[]>>
  readonly totals: Readonly<Record<string, readonly (string | null)[]>>
}

export const scopeOf = (statement: StatementName, filters: Filters = {}): StatementScope => ({
  statement,
  basis: 'ACCRUAL',
  budgetId: null,
  classId: null,
  departmentId: null,
  ...filters,
})

/** Builds and publishes one company made of `files` (with {@link CHART} and a plain company.yaml unless given). */
export async function buildWith<T>(files: Files, look: (built: Built) => T | Promise<T>): Promise<T> {
  const all = { 'company.yaml': companyYaml(), 'chart.csv': CHART, ...files }
  return inWorkspace(all, async (workspace) => {
    const opened: Books[] = []
    try {
      return await look(await buildIn(workspace, COMPANY, opened))
    } finally {
      for (const books of opened) books.db.close()
    }
  })
}

export async function buildIn(workspace: Workspace, company: string, opened: Books[] = []): Promise<Built> {
  const result = await build(workspace, company, { publish: true })
  const folder = () => {
    if (result.snapshotId === null) throw new Error(`refused:\n${findingsText(result.findings)}`)
    return snapshotFolder(workspace.snapshots, company, result.snapshotId)
  }
  const path = (relative: string): string => join(folder(), relative)
  const read = (relative: string): string => readFileSync(path(relative), 'utf8')
  return {
    result,
    path,
    read,
    statement: (statement, filters) => readStatement(read(statementPath(scopeOf(statement, filters)))),
    books: async () => {
      const books = await rangeBooks(await readBooks(join(folder(), BOOKS)))
      opened.push(books)
      return books
    },
  }
}

/** Numbers are taken as text: what a double makes of them is not what is tested. */
export function readStatement(text: string): Read {
  const quoted = text.replace(
    /"Values":\[([^\]]*)\]/g,
    (_, values: string) =>
      `"Values":[${values
        .split(',')
        .filter((value) => value !== '')
        .map((value) => (value === 'null' ? value : `"${value}"`))
        .join(',')}]`,
  )
  const document = JSON.parse(quoted) as {
    Periods: { Month: string }[]
    Data: { AccountId: string; Values: (string | null)[] }[]
    Summary: { Name: string; Values: (string | null)[] }[]
  }
  return {
    text,
    months: document.Periods.map((period) => period.Month),
    rows: Object.fromEntries(document.Data.map((row) => [row.AccountId, row.Values])),
    totals: Object.fromEntries(document.Summary.map((row) => [row.Name, row.Values])),
  }
}

/** The published postings, as an auditor's tool reads them: cells of each row joined by blanks. */
export async function postings(built: Built, columns: string, order = 'ALL'): Promise<string[]> {
  const db = await openDatabase({ folders: null })
  try {
    const path = built.path('books/postings.parquet')
    const rows = await db.rows(`SELECT ${columns} FROM read_parquet('${path}') ORDER BY ${order}`)
    return rows.map((row) => Object.values(row).join(' '))
  } finally {
    db.close()
  }
}

/** Checks such a company, and publishes nothing: enough where a test is about findings. */
export const checkWith = <T>(
  files: Files,
  look: (built: Pick<Built, 'result'>) => T | Promise<T>,
): Promise<T> =>
  inWorkspace({ 'company.yaml': companyYaml(), 'chart.csv': CHART, ...files }, async (workspace) =>
    look({ result: await build(workspace, COMPANY, { publish: false }) }),
  )

/** The findings of a company made of `files`, which may or may not be refused. */
export const findingsOf = (files: Files): Promise<readonly Finding[]> =>
  checkWith(files, ({ result }) => result.findings)

/** One line per finding: severity, place, code, message. */
export const findingsText = (findings: readonly Finding[]): string =>
  findings
    .map(spelledOut)
    .map(
      ({ severity, code, message, file, row, column, text, remedy }) =>
        `${severity} ${code} ${file ?? '-'}:${row ?? '-'}:${column ?? '-'} [${text ?? '-'}] ${message}\n  → ${remedy ?? '-'}\n`,
    )
    .join('')

export const codes = (findings: readonly Finding[]): string[] => findings.map((found) => found.code)

/** The one finding with this code. */
export function only(findings: readonly Finding[], code: string): Finding {
  const found = findings.filter((finding) => finding.code === code)
  if (found.length !== 1) throw new Error(`expected one ${code}, found:\n${findingsText(findings)}`)
  return spelledOut(found[0]!)
}
