/** Reads SIE files as a build does, with their rows as the books see them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadLedger } from '../../builder/books/read/ledger.ts'
import { makingOf } from '../../builder/books/read/read-lines.ts'
import { present } from '../../builder/contract/present.ts'
import { openDatabase } from '../../builder/database/database.ts'
import type { FormatContent } from '../../builder/ingest/format/content.ts'
import type { Intake, LedgerPlan } from '../../builder/ingest/format/intake.ts'
import { READER } from '../../builder/ingest/formats/sie/read.ts'
import type { Company, LedgerSetting } from '../../builder/workspace/company.ts'
import { type LedgerRow, planRows } from './plan-rows.ts'
import { readingOf } from './readings.ts'

export interface SieIntake extends FormatContent {
  /** The rows of each file, as the books have them. */
  readonly rows: () => Promise<LedgerRow[][]>
}

export async function readSie(
  sources: readonly { readonly file: string; readonly bytes: Buffer }[],
  setting: LedgerSetting,
  company: Company,
): Promise<SieIntake> {
  const files = Object.fromEntries(sources.map(({ file, bytes }) => [file, bytes]))
  const content = await readingOf(READER, { ...company, ledger: [setting] }, files)
  return { ...content, rows: () => rowsInBooks(content, company) }
}

const NO_MARKS = { references: [], journals: [], types: [], files: [], transactions: [] }

/** Of each plan, which has the text of its file in the place of the path, the rows with ids, days and members as the books have them. */
export async function rowsInBooks(content: FormatContent, company: Company): Promise<LedgerRow[][]> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-rows-'))
  const texts = content.ledger.map((plan) => plan as LedgerPlan)
  const ledger = texts.map((plan, i) => {
    const path = join(folder, `${i}.csv`)
    writeFileSync(path, plan.path)
    return { ...plan, path }
  })
  const db = await openDatabase({ folders: [folder], keepsSettings: false })
  try {
    const { keys, decimals, classes, departments } = makingOf(
      db,
      company,
      { ...content, ledger } as unknown as Intake,
      null,
    )
    await loadLedger(db, ledger, keys, {
      ...{
        decimals,
        currency: company.currency,
        reach: null,
        extras: [],
        opening: NO_MARKS,
        closing: NO_MARKS,
      },
      ...{ yearEndOf: (year: number) => `${year}-12-31`, adjustmentPeriods: {} },
    })
    const lines = await db.rows<{
      tx: string
      line_id: string
      day: string
      class: number
      department: number
    }>('SELECT tx, line_id, entered::VARCHAR AS day, class, department FROM line ORDER BY file, rowid')
    const idOf = ({ members }: typeof classes, code: number) =>
      code === 0 ? null : present(members[code - 1], 'member').id
    return texts.map((plan) =>
      planRows(plan, plan.path).map((row) => {
        const line = present(lines.shift(), `line of row ${row.row}`)
        return {
          ...row,
          ...{ transaction_id: line.tx, line_id: line.line_id, date: line.day },
          ...{ class: idOf(classes, line.class), department: idOf(departments, line.department) },
        }
      }),
    )
  } finally {
    db.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
