/** Reads SIE files as a build does, with their rows as the books see them. */
import type { FormatContent } from '../../builder/ingest/format/content.ts'
import type { LedgerPlan } from '../../builder/ingest/format/intake.ts'
import { READER } from '../../builder/ingest/formats/sie/read.ts'
import type { Company, LedgerSetting } from '../../builder/workspace/company.ts'
import { type LedgerRow, planRows } from './plan-rows.ts'
import { readingOf } from './readings.ts'

export interface SieIntake extends Omit<FormatContent, 'ledger'> {
  readonly ledger: readonly { readonly file: string; readonly rows: readonly LedgerRow[] }[]
}

export async function readSie(
  sources: readonly { readonly file: string; readonly bytes: Buffer }[],
  setting: LedgerSetting,
  company: Company,
): Promise<SieIntake> {
  const files = Object.fromEntries(sources.map(({ file, bytes }) => [file, bytes]))
  const content = await readingOf(READER, { ...company, ledger: [setting] }, files)
  return {
    ...content,
    // The text of a file stands in the place of its path.
    ledger: (content.ledger as readonly LedgerPlan[]).map((plan) => ({
      file: plan.file,
      rows: planRows(plan, plan.path),
    })),
  }
}
