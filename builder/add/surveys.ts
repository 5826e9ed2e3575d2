/** What files of ledger formats state, all files of a format together. */
import { basename } from 'node:path'
import type { Format, SourceFile, Stated, SurveyedAccount } from '../ingest/format/format.ts'
import { lookAt } from '../ingest/format/preview.ts'
import { FORMATS, formatOf } from '../ingest/formats.ts'
import { scanFile } from '../ingest/text/scan.ts'
import type { ReaderPool } from '../ingest/workbook/part-readers.ts'
import type { Item, SurveyedFormat } from './settings.ts'

/** Files of one format are read as one source, since name, currency and years of a company may stand in any of them. */
export const surveyAll = (items: readonly Item[], stated: Stated): Promise<SurveyedFormat[]> =>
  surveyEach(
    items.flatMap(({ known }) => (known.kind === 'format' ? [known] : [])),
    stated,
  )

async function surveyEach(
  files: readonly { readonly format: Format; readonly source: SourceFile }[],
  stated: Stated,
): Promise<SurveyedFormat[]> {
  const surveyed: SurveyedFormat[] = []
  for (const format of FORMATS) {
    const sources = files.flatMap((file) => (file.format === format ? [file.source] : []))
    if (sources.length > 0) surveyed.push({ format, survey: await format.survey(sources, stated) })
  }
  return surveyed
}

/** The accounts that these files state, by id. */
export async function kindsIn(
  paths: readonly string[],
  stated: Stated,
  readers: ReaderPool,
): Promise<ReadonlyMap<string, SurveyedAccount>> {
  const files = await Promise.all(
    paths.map(async (path) => {
      const [file, scan] = [basename(path), await scanFile(path)]
      const look = await lookAt(path, file, scan, {}, readers)
      const format = formatOf(look)
      return format === null ? [] : [{ format, source: { file, path, scan, look } }]
    }),
  )
  const surveyed = await surveyEach(files.flat(), stated)
  return new Map(surveyed.flatMap(({ survey }) => survey.accounts.map((account) => [account.id, account])))
}
