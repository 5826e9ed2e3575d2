/** Snapshots made by hand, with manifests and hashes: small enough that every expected figure is a formula here. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { firstDay, lastDay, monthOf, periodsOf } from '../../../builder/contract/calendar.ts'
import type { Period, StatementScope } from '../../../builder/contract/document.ts'
import { encodeList, encodeMetrics, encodePage, encodeStatement } from '../../../builder/contract/encode.ts'
import { BASES, type Basis, STATEMENTS, SUMMARY_NAMES } from '../../../builder/contract/vocabulary.ts'
import {
  INFO,
  type ListName,
  listPath,
  MANIFEST,
  metricsPath,
  pagePath,
  pointerPath,
  snapshotFolder,
  statementPath,
  TIE_OUTS,
} from '../../../builder/snapshot/files/layout.ts'
import { encodeManifest, type Manifest } from '../../../builder/snapshot/files/manifest.ts'
import { sha256 } from '../../../builder/system/hash.ts'

export const COVERAGE = { startDate: '2024-01-01', endDate: '2025-06-30' }
export const BUDGET = { Id: 'B 25/ö', Name: 'Budget 2025', StartMonth: '2025-01', EndMonth: '2025-12' }

const member = (Id: string, ParentId: string | null) => ({
  Id,
  Name: `Name of ${Id}`,
  ParentId,
  IsActive: true,
})
const CLASSES = [member('north', null), member('n/1', 'north'), member('unassigned', null)]
const METRICS = [
  { Id: 'headcount', Name: 'Headcount', Unit: 'people', Aggregation: 'Last' },
  { Id: 'units', Name: 'Units sold', Unit: '', Aggregation: 'Sum' },
]
const account = (Id: string, Name: string, Classification: string, Statements: string[]) => ({
  Id,
  Number: Id,
  Name,
  Classification,
  Type: '',
  ParentId: null,
  IsHeader: false,
  IsActive: true,
  IsComputed: false,
  NormalBalance: 'Debit',
  CashFlowCategory: null,
  Statements,
})

export interface FixtureCompany {
  readonly id: string
  readonly month?: string
  readonly revision?: number
  readonly bases?: readonly Basis[]
  /** Added to every figure, so that revisions differ. */
  readonly shift?: number
  readonly accounts?: number
  /** Without classes, budgets and metrics. */
  readonly bare?: boolean
}

/** Minor units of the sales account in the n-th month. */
export const salesOf = (month: number, shift: number, classId: string | null): number =>
  (100_050 + month * 10 + shift) * (classId === null ? 1 : 2)

/** Writes a snapshot and points to it; gives its id. */
export function publish(root: string, company: FixtureCompany): string {
  const {
    id,
    month = '2025-06',
    revision = 1,
    bases = BASES,
    shift = 0,
    accounts = 3,
    bare = false,
  } = company
  const files = new Map<string, string>()
  const chart = Array.from({ length: accounts }, (_, i) =>
    account(String(4000 + i), `Account ${i} "å"`, 'Income', ['ProfitAndLoss']),
  )
  const lists: Record<ListName, object[]> = {
    'chart-of-accounts': chart,
    budgets: bare ? [] : [BUDGET],
    classes: bare ? [] : CLASSES,
    departments: [],
    'non-financial-list': bare ? [] : METRICS,
  }
  for (const [name, entries] of Object.entries(lists) as [ListName, object[]][]) {
    files.set(listPath(name), encodeList(entries).toString())
    files.set(pagePath(name, 0), encodePage(entries, 0, 100))
  }
  files.set(INFO, `${JSON.stringify(infoOf(id, bases))}\n`)
  files.set(TIE_OUTS, encodeList([TIE_OUT]).toString())
  for (const statement of STATEMENTS)
    for (const classId of bare ? [null] : [null, 'north'])
      for (const basis of BASES) {
        const scope = { statement, basis, budgetId: null, classId, departmentId: null }
        if (bases.includes(basis)) files.set(statementPath(scope), statementText(id, scope, shift, COVERAGE))
        if (bare) continue
        const ofBudget = { ...scope, budgetId: BUDGET.Id }
        const months = { startDate: '2025-01-01', endDate: '2025-12-31' }
        files.set(statementPath(ofBudget), statementText(id, ofBudget, shift, months))
      }
  if (!bare) files.set(metricsPath({ budgetId: null, classId: null, departmentId: null }), metricsText(id))
  return write(root, id, month, revision, files)
}

const infoOf = (id: string, bases: readonly Basis[]) => ({
  Id: id,
  Name: `Company ${id}`,
  FiscalMonthEnd: 12,
  Currency: 'USD',
  BooksThrough: '2025-06',
  LockedThrough: null,
  FiscalYears: [{ StartDate: '2024-01-01', EndDate: '2024-12-31' }],
  AccountingBases: bases,
})

const TIE_OUT = {
  Identity: 'assets-equal-liabilities-and-equity',
  Statement: 'BalanceSheet',
  Basis: 'ACCRUAL',
  BudgetId: null,
  ClassId: null,
  DepartmentId: null,
  Checks: 18,
  Left: '0.00',
  Right: '0.00',
  Difference: '0.00',
  Result: 'pass',
}

function statementText(
  companyId: string,
  scope: StatementScope,
  shift: number,
  range: { startDate: string; endDate: string },
): string {
  const periods: Period[] = periodsOf(range)
  const values = Float64Array.from(periods, (_, i) => salesOf(i, shift, scope.classId))
  const section = { ProfitAndLoss: 'Income', BalanceSheet: 'Asset', CashFlow: 'Operating' } as const
  return encodeStatement({
    companyId,
    ...scope,
    ...range,
    basisSource: scope.budgetId === null ? 'Books' : 'Budget',
    currency: 'USD',
    periods,
    rows: [
      {
        accountId: '4000',
        accountNumber: '4000',
        accountName: 'Account 0 "å"',
        section: section[scope.statement],
        values,
      },
    ],
    summary: SUMMARY_NAMES[scope.statement].map((name) => ({ name, values })),
  })
}

const metricsText = (companyId: string): string => {
  const periods = periodsOf(COVERAGE)
  return encodeMetrics({
    companyId,
    ...COVERAGE,
    budgetId: null,
    classId: null,
    departmentId: null,
    periods,
    rows: [
      { metricId: 'headcount', values: periods.map((_, i) => (i === 0 ? null : String(40 + i))) },
      { metricId: 'units', values: periods.map((_, i) => `${i}.5`) },
    ],
  })
}

function write(
  root: string,
  id: string,
  month: string,
  revision: number,
  files: Map<string, string>,
): string {
  const listed = [...files]
    .map(([Path, text]) => ({ Path, Bytes: Buffer.byteLength(text), Sha256: sha256(text) }))
    .sort((a, b) => (a.Path < b.Path ? -1 : 1))
  const content = sha256(listed.map(({ Path, Sha256 }) => `${Path} ${Sha256}\n`).join(''))
  const snapshotId = `${month}-r${revision}-${content.slice(0, 6)}`
  const manifest: Manifest = {
    Format: 1,
    CompanyId: id,
    SnapshotId: snapshotId,
    Month: month,
    Revision: revision,
    ContentHash: content,
    Previous: null,
    Tool: { Name: 'tieout', Version: '0.0.0' },
    Currency: 'USD',
    Coverage: {
      StartDate: firstDay(monthOf(COVERAGE.startDate)),
      EndDate: lastDay(monthOf(COVERAGE.endDate)),
    },
    Inputs: [],
    Totals: { Postings: 0, Transactions: 0, Documents: files.size },
    TieOuts: [],
    Warnings: [],
    Files: listed,
    Build: { At: '2025-07-01T00:00:00Z', Host: 'host', Node: 'v20', Seconds: 1 },
  }
  const folder = snapshotFolder(root, id, snapshotId)
  files.set(MANIFEST, encodeManifest(manifest).toString())
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  point(root, id, snapshotId, sha256(files.get(MANIFEST)!))
  return snapshotId
}

/** Swaps the pointer file as publishing does: a rename over the old one. */
export function point(root: string, company: string, SnapshotId: string, ManifestSha256: string): void {
  const pointer = pointerPath(root, company)
  writeFileSync(`${pointer}.new`, `${JSON.stringify({ SnapshotId, ManifestSha256 })}\n`)
  renameSync(`${pointer}.new`, pointer)
}

export function temporaryFolder(parent = tmpdir()): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(parent, 'tieout-serve-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
