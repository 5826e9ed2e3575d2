/** Reads files as a build does, with the reader of one format or whichever they have. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { present } from '../../builder/contract/present.ts'
import type { FormatContent } from '../../builder/ingest/format/content.ts'
import { openSource, type Reader, type SourceFile } from '../../builder/ingest/format/format.ts'
import type { Intake, LedgerPlan } from '../../builder/ingest/format/intake.ts'
import { ingest } from '../../builder/ingest/ingest.ts'
import { Scratch } from '../../builder/ingest/text/scan.ts'
import { type Company, companySchema } from '../../builder/workspace/company.ts'
import type { Finding } from '../../builder/workspace/findings/finding.ts'
import { type Files, writeFiles } from './workspace.ts'

export type { Files }

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
    writeFiles(folder, files)
    for (const file of Object.keys(files)) {
      const path = join(folder, file)
      sources.push(await openSource(path, file, setting))
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

/**
 * All that the books of a company get of its files, with the text of CSV files in the place of their paths. A build takes twenty
 * times as long, so how a text may be written is shown here.
 */
export async function intakeOf(files: Files): Promise<Intake> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-reading-'))
  try {
    writeFiles(folder, files)
    const intake = await ingest(companyOf(String(files['company.yaml'])), folder)
    const read = withTexts(intake)
    await intake.dispose()
    return read
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** An intake with the text of CSV files in the place of their paths. */
export const withTexts = (intake: Intake): Intake => ({
  ...intake,
  ledger: intake.ledger.map((plan) =>
    plan.kind === 'csv' ? { ...plan, path: readFileSync(plan.path, 'utf8') } : plan,
  ),
})

/** All that an intake with texts says of the company, wherever that stands in its files. */
export function statedIn({ sources, ledger, ...intake }: Intake): string {
  const plans = ledger.map((plan) =>
    plan.kind === 'csv'
      ? {
          ...plan,
          path: plan.rowColumn === undefined ? plan.path : plan.path.replace(/^[^,]*,/gm, ''),
        }
      : { ...plan, sha256: sources.find(({ file }) => file === plan.file)?.sha256 },
  )
  return JSON.stringify(
    [intake, plans],
    (key, value: unknown) => {
      if (key === 'file' || key === 'row') return undefined
      return isRows(value) ? [...value] : value
    },
    1,
  )
}

const isRows = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value
