/** Reads SIE files as a build does, with their rows as the books see them. */
import type { FormatContent } from '../../builder/ingest/format/content.ts'
import {
  LEDGER_COLUMNS,
  type LedgerColumn,
  type LedgerPlan,
  type LedgerRow,
} from '../../builder/ingest/format/intake.ts'
import { WORK } from '../../builder/ingest/formats/sie/parts.ts'
import { readSieFiles } from '../../builder/ingest/formats/sie/read.ts'
import { recordsIn } from '../../builder/ingest/text/delimited.ts'
import type { Company, LedgerSetting } from '../../builder/workspace/company.ts'
import { InParts } from './in-parts.ts'

export interface SieIntake extends Omit<FormatContent, 'ledger'> {
  readonly ledger: readonly { readonly file: string; readonly rows: readonly LedgerRow[] }[]
}

export async function readSie(
  sources: readonly { readonly file: string; readonly bytes: Buffer }[],
  setting: LedgerSetting,
  company: Company,
): Promise<SieIntake> {
  const reader = new InParts(readSieFiles, WORK, { ...company, ledger: [setting] })
  const files = Object.fromEntries(sources.map(({ file, bytes }) => [file, bytes]))
  const content = (await reader.reading(files, null)) as FormatContent
  return {
    ...content,
    ledger: content.ledger.map((plan) => ({ file: plan.file, rows: rowsOf(plan as LedgerPlan) })),
  }
}

/** Of a plan that has the text of its file in the place of the path. */
function rowsOf({ path: text, header, rowColumn }: LedgerPlan): LedgerRow[] {
  const [, ...records] = recordsIn(text, ',', () => {})
  return records.map(({ cells }) => {
    const cell = (name: string): string => cells[header.indexOf(name)] ?? ''
    const values = LEDGER_COLUMNS.map((column): [LedgerColumn, string | null] => [
      column,
      (header.includes(column) && cell(column)) || null,
    ])
    return { row: Number(cell(rowColumn!)), ...Object.fromEntries(values) } as LedgerRow
  })
}
