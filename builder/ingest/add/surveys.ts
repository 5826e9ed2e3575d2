/** What files of ledger formats state, all files of a format together. */

import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import {
  type Format,
  openSource,
  type SourceFile,
  type Stated,
  type SurveyedAccount,
} from '../format/format.ts'
import { FORMATS, formatOf } from '../formats.ts'
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

/**
 * The surveys with the kinds of accounts that files of the company's folder state: a later export of the ledger names accounts
 * of a list that was added before. `there` gives the files of a format; they are read only where a kind is missing.
 */
export async function withKindsThere(
  surveyed: readonly SurveyedFormat[],
  items: readonly Item[],
  isKnown: (account: string) => boolean,
  there: (format: Format) => Promise<readonly SourceFile[]>,
  stated: Stated,
): Promise<SurveyedFormat[]> {
  const all: SurveyedFormat[] = []
  for (const each of surveyed) {
    const { format, survey } = each
    const isMissing = survey.accounts.some(({ id, kind }) => kind === null && !isKnown(id))
    const before = isMissing ? await there(format) : []
    if (before.length === 0) {
      all.push(each)
      continue
    }
    const added = items.flatMap(({ known }) =>
      known.kind === 'format' && known.format === format ? [known.source] : [],
    )
    const { accounts } = await format.survey([...before, ...added], stated)
    const together = new Map(accounts.map((account) => [account.id, account]))
    const own = survey.accounts.map((account) =>
      account.kind === null ? (together.get(account.id) ?? account) : account,
    )
    all.push({ format, survey: { ...survey, accounts: own } })
  }
  return all
}

/** The accounts that these files state, by id. */
export async function kindsIn(
  paths: readonly string[],
  stated: Stated,
): Promise<ReadonlyMap<string, SurveyedAccount>> {
  const files = await Promise.all(
    paths.map(async (path) => {
      const source = await openSource(path, basename(path))
      const format = formatOf(source.look)
      return format === null ? [] : [{ format, source }]
    }),
  )
  const surveyed = await surveyEach(files.flat(), stated)
  return new Map(surveyed.flatMap(({ survey }) => survey.accounts.map((account) => [account.id, account])))
}

/** The error where there is no file at `path`; empty where there is one. */
export function notAFile(path: string): Finding[] {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isFile()) return []
  const [message, remedy] =
    stat === undefined
      ? [`there is no file ${path}`, 'check the name']
      : [`${path} is a folder`, 'name the files in it']
  return [error('no-such-file', message, { file: basename(path), remedy })]
}

/** One finding, an error or a warning by `severe`, for all files that a user never means. */
export const leftBehind = (paths: readonly string[], severe: typeof error): Finding =>
  severe(
    'left-behind-file',
    `${paths.map((path) => basename(path)).join(', ')}: left by Windows, macOS or a spreadsheet program, and passed over`,
    { remedy: 'name the exports; nothing need be done about the others' },
  )

/** What is said of the program's own reports where no file is a ledger. */
export const controlsAlone = (items: readonly Item[]): Finding[] =>
  items.some(({ known }) => known.kind === 'format' || known.kind === 'ledger')
    ? []
    : items.flatMap(({ known }) => (known.kind === 'control' ? [known.wrong] : []))
