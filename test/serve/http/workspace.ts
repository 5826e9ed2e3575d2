/** A workspace with two small companies, written as a user would, built by the real builder. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../../builder/build/build.ts'
import { secretHash } from '../../../builder/workspace/access/access-edit.ts'
import { openWorkspace, type Workspace } from '../../../builder/workspace/workspace.ts'
import { stateOf } from '../../support/state.ts'
import { temporaryFolder } from '../companies/fixture.ts'
import { PASSWORD_HASH, REDIRECT_URI, SECRET } from '../oauth/harness.ts'

const COMPANY = `id: acme
name: Acme Trading
fiscalMonthEnd: 12
currency: USD
chartOfAccounts: chart.csv
classes: classes.csv
departments: departments.csv
ledger:
  - { files: accrual.csv, basis: accrual }
  - { files: cash.csv, basis: cash }
budgets:
  - { id: "op 25/ö", name: Operating 2025, files: budget.csv }
metrics:
  - { files: metrics.csv }
nonFinancial:
  - { id: headcount, name: Headcount, unit: people, aggregation: last }
  - { id: units, name: Units sold, aggregation: sum }
`
const CHART = `id,number,name,classification,type,parent,cash_flow,is_active
1000,1000,Bank,Asset,Bank,,,true
1200,1200,Receivables,Asset,AccountsReceivable,,,true
1500,1500,Machines,Asset,FixedAsset,,,true
3000,3000,Capital,Equity,Capital,,,true
4000,4000,Sales,Income,Sales,,,true
6000,6000,Rent,Expense,Expense,,,true
`
const CLASSES = `id,name,parent,is_active
north,North,,true
N/1,North one,north,true
south,South,,true
`
const DEPARTMENTS = `id,name,parent,is_active
ops,Operations,,true
`
const SOLO = `id: solo
name: Solo & Daughter
fiscalMonthEnd: 6
currency: JPY
chartOfAccounts: chart.csv
ledger:
  - { files: accrual.csv, basis: accrual }
`

/** Eighteen months of sales, rent and one machine, on days that no month edge favours. */
export function ledger(decimals: number, extra = 0): string {
  const lines = ['transaction_id,date,account,amount,class,department']
  const money = (minor: number): string => (minor / 10 ** decimals).toFixed(decimals)
  const entry = (id: string, date: string, minor: number, debit: string, credit: string, tags: string) =>
    lines.push(
      `${id},${date},${debit},${money(minor)},${tags}`,
      `${id},${date},${credit},${money(-minor)},${tags}`,
    )
  entry('C1', '2024-01-02', 5_000_000, '1000', '3000', ',')
  entry('M1', '2024-02-20', 1_200_000, '1500', '1000', 'south,')
  for (let month = 0; month < 18; month++) {
    const date = (day: number): string =>
      `${2024 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-${String(day).padStart(2, '0')}`
    entry(`S${month}`, date(10), 100_000 + month * 137 + extra, '1200', '4000', 'N/1,ops')
    entry(`T${month}`, date(25), 70_001 + month * 11, '1000', '4000', 'south,ops')
    entry(`R${month}`, date(15), 40_000, '6000', '1000', month % 2 ? 'north,' : ',')
  }
  return `${lines.join('\n')}\n`
}

const BUDGET = `account,class,2025-01,2025-02,2025-03
4000,north,1000.50,,1200
6000,,400,400,400
`
const METRICS = `metric,date,value
headcount,2024-01-31,12
headcount,2024-02-29,13
units,2024-01-05,3
units,2024-01-20,4
units,2024-02-20,5
`
const ACCESS = `users:
  - { id: ann, email: ann@example.com, firstName: Ann, lastName: Åkesson, companies: [acme, solo], password: "${PASSWORD_HASH}" }
clients:
  - id: reports
    name: Reports
    secretHashes: [${secretHash(SECRET)}]
    redirectUris: [${REDIRECT_URI}]
`

/** Beside Ann, Bob, who may see these companies and their entries. */
export function withBob(access: string, companies: string): string {
  const ann = access.split('\n').find((line) => line.includes('id: ann'))!
  const bob = ann
    .replace('id: ann', 'id: bob')
    .replace('ann@example.com', 'bob@example.com')
    .replace('companies: [acme, solo]', `companies: [${companies}], ledger: [${companies}]`)
  return access.replace(ann, `${ann}\n${bob}`)
}

export interface BuiltWorkspace {
  readonly workspace: Workspace
  /** Of settings the state is added: servers of tests keep it where the tests do. */
  write(path: string, text: string): void
  /** Builds and publishes; gives the snapshot's id. */
  build(company: string): Promise<string>
  remove(): void
}

/** The files of the workspace as it is published first, which are copied for each test file that a process runs. */
let published: Promise<string> | undefined

async function publishOnce(): Promise<string> {
  const { path, remove } = temporaryFolder(process.env.TEST_TMPDIR)
  process.once('exit', remove)
  const write = writing(path)
  for (const [file, text] of Object.entries({
    'company.yaml': COMPANY,
    'chart.csv': CHART,
    'classes.csv': CLASSES,
    'departments.csv': DEPARTMENTS,
    'accrual.csv': ledger(2),
    'cash.csv': ledger(2, 7),
    'budget.csv': BUDGET,
    'metrics.csv': METRICS,
  }))
    write(`datasets/acme/${file}`, text)
  write('datasets/solo/company.yaml', SOLO)
  write('datasets/solo/chart.csv', CHART)
  write('datasets/solo/accrual.csv', ledger(0).replace(/,(N\/1|north|south)?,(ops)?$/gm, ',,'))
  write('tieout.yaml', '')
  for (const company of ['acme', 'solo']) await publish(openWorkspace(path), company)
  return path
}

const writing =
  (folder: string) =>
  (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text, { mode: 0o600 })
  }

async function publish(workspace: Workspace, company: string): Promise<string> {
  const result = await build(workspace, company, { publish: true })
  assert.is(result.outcome, 'published', JSON.stringify(result.findings))
  return result.snapshotId!
}

export async function builtWorkspace(): Promise<BuiltWorkspace> {
  const folder = temporaryFolder()
  published ??= publishOnce()
  cpSync(await published, folder.path, { recursive: true })
  const { database } = await stateOf(folder.path)
  const state = database === null ? '' : `state: ${database}\n`
  const writeAsIs = writing(folder.path)
  const write = (path: string, text: string): void =>
    writeAsIs(path, path === 'tieout.yaml' ? text + state : text)
  write('tieout.yaml', 'server: { port: 0, drainSeconds: 5 }\n')
  write('access.yaml', ACCESS)
  const workspace = openWorkspace(folder.path)
  return { workspace, write, build: (company) => publish(workspace, company), remove: folder.remove }
}
