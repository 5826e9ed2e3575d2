/** Reads files with the reader of one format, as a build does. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { present } from '../../builder/contract/present.ts'
import type { FormatContent } from '../../builder/ingest/format/content.ts'
import type { Reader, SourceFile } from '../../builder/ingest/format/format.ts'
import type { LedgerPlan } from '../../builder/ingest/format/intake.ts'
import { lookAt } from '../../builder/ingest/format/preview.ts'
import { Scratch, scanFile } from '../../builder/ingest/text/scan.ts'
import { type Company, companySchema } from '../../builder/workspace/company.ts'
import type { Finding } from '../../builder/workspace/finding.ts'

/** Path → content. */
export type Files = Readonly<Record<string, string | Buffer>>

export const companyOf = (yaml: string): Company => companySchema.parse(parse(yaml)) as Company

/** All that is read, with the text of the CSV files in the place of their paths. */
export async function readingOf(
  { read }: Pick<Reader, 'read'>,
  company: Company,
  files: Files,
): Promise<FormatContent> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-reading-'))
  const scratch = new Scratch()
  const setting = present(company.ledger[0], 'entry of "ledger"')
  try {
    const sources: SourceFile[] = []
    for (const [file, content] of Object.entries(files)) {
      const path = join(folder, file)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
      const scan = await scanFile(path)
      sources.push({ file, path, scan, look: await lookAt(path, file, scan, setting) })
    }
    const content = await read(sources, setting, company, scratch)
    const ledger = content.ledger.map((plan) =>
      plan.kind === 'csv' ? { ...plan, path: readFileSync(plan.path, 'utf8') } : plan,
    )
    return { ...content, ledger }
  } finally {
    await scratch.dispose()
    rmSync(folder, { recursive: true, force: true })
  }
}

export const foundIn = ({ findings }: Pick<FormatContent, 'findings'>, code: string): Finding[] =>
  findings.filter((finding) => finding.code === code)

/** The rows of the first file below its header. */
export const rowsIn = ({ ledger: [plan] }: Pick<FormatContent, 'ledger'>): string[] =>
  (plan as LedgerPlan).path.trim().split('\n').slice(1)
