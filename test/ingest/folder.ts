/** A company's folder made for one test, and the ingest of it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import writeWorkbook, { type SheetData } from 'write-excel-file/node'
import { stringify } from 'yaml'
import { type Ingested, ingest } from '../../builder/ingest/ingest.ts'
import { type Company, companySchema } from '../../builder/workspace/company.ts'
import type { Finding } from '../../builder/workspace/findings/finding.ts'

export type Files = Readonly<Record<string, string | Buffer>>

export async function inFolder<T>(files: Files, run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-ingest-'))
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), content)
    }
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

export const codes = (findings: readonly Finding[]): string[] => findings.map(({ code }) => code)

/** The one finding with this code. */
export function only(findings: readonly Finding[], code: string): Finding {
  const found = findings.filter((finding) => finding.code === code)
  if (found.length !== 1) throw new Error(`expected one ${code}, found: ${JSON.stringify(findings, null, 1)}`)
  return found[0]!
}

export const workbook = (sheets: Readonly<Record<string, SheetData>>): Promise<Buffer> =>
  writeWorkbook(
    Object.entries(sheets).map(([sheet, data]) => ({ sheet, data, dateFormat: 'yyyy-mm-dd' })),
  ).toBuffer()

export const day = (text: string): Date => new Date(`${text}T00:00:00Z`)
