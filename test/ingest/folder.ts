/** A company's folder made for one test, and the ingest of it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import writeWorkbook, { type SheetData } from 'write-excel-file/node'
import { stringify } from 'yaml'
import { type Ingested, ingest } from '../../builder/ingest/ingest.ts'
import { type Company, companySchema } from '../../builder/workspace/company.ts'
import type { Finding } from '../../builder/workspace/findings/finding.ts'
import { codes, type Files, only, writeFiles } from '../support/workspace.ts'

export { codes, type Files, only }

export async function inFolder<T>(files: Files, run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-ingest-'))
  try {
    writeFiles(folder, files)
    return await run(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const CHART = `id,number,name,classification,type
a1,1000,Bank,Asset,Bank
a2,1500,Equipment,Asset,FixedAsset
l1,2000,Loan,Liability,LongTermLiability
i1,4000,Sales,Income,Sales
e1,6000,Rent,Expense,Expense
`
export const LEDGER = `transaction_id,date,account,debit,credit
1,2025-01-15,1000,100.00,
1,2025-01-15,4000,,100.00
`
export const FILES: Files = { 'chart.csv': CHART, 'ledger.csv': LEDGER }
export const SETTINGS = {
  id: 'harbor',
  name: 'Harbor',
  fiscalMonthEnd: 12,
  currency: 'USD',
  chartOfAccounts: 'chart.csv',
  ledger: [{ files: 'ledger.csv' }] as unknown[],
}

/** Ingests a small sound company, with these settings and files on top. */
export function ingestWith<T = Ingested>(
  settings: object,
  files: Files = {},
  look: (intake: Ingested, folder: string) => T | Promise<T> = (intake) => intake as T,
): Promise<T> {
  const company = { ...SETTINGS, ...settings }
  return inFolder({ ...FILES, ...files, 'company.yaml': stringify(company) }, async (folder) => {
    const intake = await ingest(companySchema.parse(company) as Company, folder)
    try {
      return await look(intake, folder)
    } finally {
      await intake.dispose()
    }
  })
}

/** The one finding, and nothing else wrong. */
export const sole = ({ findings }: Pick<Ingested, 'findings'>, code: string): Finding => {
  assert.equal(codes(findings), [code])
  return only(findings, code)
}

export const errors = ({ findings }: Pick<Ingested, 'findings'>): string[] =>
  codes(findings.filter(({ severity }) => severity === 'error'))

/** The company with one budget in `b.csv`, of this text, or in `b.xlsx`. */
export const ingestBudget = (content: string | Buffer, entry: object = {}, settings: object = {}) => {
  const file = typeof content === 'string' ? 'b.csv' : 'b.xlsx'
  const budgets = [{ id: 'b', name: 'B', files: file, ...entry }]
  return ingestWith({ budgets, ...settings }, { [file]: content })
}

/** `account month amount` of each figure of the first budget. */
export const figures = ({ budgets }: Ingested): string[] =>
  Array.from(budgets[0]!.rows, ({ account, month, amount }) => `${account} ${month} ${amount}`)

export const workbook = (sheets: Readonly<Record<string, SheetData>>): Promise<Buffer> =>
  writeWorkbook(
    Object.entries(sheets).map(([sheet, data]) => ({ sheet, data, dateFormat: 'yyyy-mm-dd' })),
  ).toBuffer()

export const day = (text: string): Date => new Date(`${text}T00:00:00Z`)
