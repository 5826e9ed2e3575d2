/**
 * What `tieout add` writes into company.yaml for files of a ledger format: fiscal years, dimensions, kinds of
 * accounts, and one ledger entry for all files.
 */

import { extname, join } from 'node:path'
import { NOT_IN_STATEMENTS } from '../../workspace/company.ts'
import type { CompanyEdit } from '../../workspace/company-edit.ts'
import type { LedgerEngineName } from '../../workspace/engines.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { findFiles } from '../../workspace/source-files.ts'
import { isTableAddress, parseTableAddress, TABLE_FORM } from '../../workspace/table-address.ts'
import { BLANK } from '../../workspace/yaml-file.ts'
import { type Format, openSource, type Survey, type SurveyedAccount } from '../format/format.ts'
import type { FiscalYear } from '../format/intake.ts'
import { formatOf } from '../formats.ts'
import { folderValues } from '../parquet/folders.ts'
import { readFooter } from '../parquet/footer.ts'
import { proposeCashFlow } from './cash-flow.ts'
import { proposeWords } from './words.ts'

export const LEDGER_ABOUT = 'Journal entries. Files of several years are one entry.'
const ACCOUNTS_ABOUT =
  'What kind of account each one is, read from the file and its number in the national chart of accounts. Your corrections are kept.'

/** The path of a format's file, relative to the company's folder. */
export function targetOf({ place: { folder, extension } }: Format, name: string): string {
  const own = extname(name)
  return `${folder}${name.slice(0, name.length - own.length)}${extension === null ? own : `.${extension}`}`
}

/** The pattern for `files` in company.yaml that matches the files of a format and no others. */
const patternOf = ({ place: { folder, extension } }: Format): string =>
  `${folder}*${extension === null ? '' : `.${extension}`}`

/**
 * Adds dimensions and kinds of accounts. A kind that is as the files say which are replaced (`before`) was derived from them, and
 * becomes that of the newer ones; any other is the owner's.
 */
export function describeSurvey(
  edit: CompanyEdit,
  { dimensions, accounts }: Survey,
  before: ReadonlyMap<string, SurveyedAccount>,
  format: Format,
): void {
  let added = 0
  for (const { id, name, target } of dimensions)
    if (edit.addToMap('dimensions', id, target, name, 'Dimensions of the files: class, department, or none.'))
      added++
  if (added > 0) {
    edit.changes.push(`dimensions: ${added} added`)
    proposeWords(edit, dimensions)
  }
  const fresh: SurveyedAccount[] = []
  for (const account of accounts) {
    const { id, name, doubt } = account
    const comment = doubt === null ? name : `${name}; ${doubt}`
    const derived = before.get(id)
    if (
      edit.addToMap(
        'accounts',
        id,
        kindValue(account),
        comment,
        ACCOUNTS_ABOUT,
        derived && kindValue(derived),
      )
    )
      fresh.push(account)
  }
  if (fresh.length > 0) edit.changes.push(`accounts: ${fresh.length} added`)
  proposeCashFlow(
    edit,
    fresh.flatMap(({ id, name, kind }) => (kind === null ? [] : [{ id, name, ...kind }])),
    format.id,
  )
}

const kindValue = ({ kind }: SurveyedAccount) =>
  kind === null
    ? { classification: BLANK }
    : kind.type === NOT_IN_STATEMENTS
      ? { classification: NOT_IN_STATEMENTS }
      : { classification: kind.classification, ...(kind.type === '' ? {} : { type: kind.type }) }

/**
 * Adds fiscal years that `fiscalMonthEnd` does not describe: those that are not twelve months, or that end in
 * another month.
 */
export function describeYears(
  edit: CompanyEdit,
  all: readonly (FiscalYear & { readonly doubt?: string | null })[],
): void {
  if (all.length === 0) return
  const listed = edit.entries('fiscalYears')
  const years = new Map(all.map((year) => [year.start, year]))
  const monthEnd = edit.get('fiscalMonthEnd')
  const isPlain = ({ start, end }: { start: string; end: string }) => {
    const next = new Date(`${end}T00:00:00Z`)
    next.setUTCDate(next.getUTCDate() + 1)
    const after = next.toISOString().slice(0, 10)
    const yearLater = `${Number(start.slice(0, 4)) + 1}${start.slice(4)}`
    return after === yearLater && start.endsWith('-01') && Number(end.slice(5, 7)) === monthEnd
  }
  if (listed.length === 0 && [...years.values()].every(isPlain)) return
  for (const [start, { end, doubt }] of [...years].sort())
    if (!listed.some((year) => year.start === start))
      edit.addToList(
        'fiscalYears',
        { start, end },
        doubt ? `please check: ${doubt}` : null,
        'Fiscal years as the books have them; some are not twelve months.',
      )
}

/**
 * Names all files of a format in one ledger entry, because each year's opening balances are checked against the
 * year before.
 */
export async function describeFormatFiles(
  edit: CompanyEdit,
  folder: string,
  added: readonly string[],
  format: Format,
  { settings, comment }: Survey,
): Promise<void> {
  if (added.length === 0) return
  const all = patternOf(format)
  const entry = await entryOf(edit, folder, format)
  if (entry === null) {
    edit.addToList('ledger', { files: all, format: format.id, ...settings }, comment, LEDGER_ABOUT)
    return
  }
  const before = String(entry.files)
  const { files } = await findFiles(folder, before, 'ledger')
  const covered = new Set((await findFiles(folder, all, 'ledger')).files)
  const pattern = files.every((file) => covered.has(file)) ? all : `{${[before, ...added].join(',')}}`
  edit.change('ledger', entry.index, 'files', pattern)
}

/**
 * The ledger entry that states this format, or one without a format whose first file is of it; null where there is
 * none.
 */
async function entryOf(
  edit: CompanyEdit,
  folder: string,
  format: Format,
): Promise<{ readonly index: number; readonly files: unknown } | null> {
  const entries = edit
    .entries('ledger')
    .map((entry, index) => ({ index, files: entry.files, format: entry.format }))
  const stated = entries.find((entry) => entry.format === format.id)
  if (stated !== undefined) return stated
  for (const entry of entries) {
    if (entry.format !== undefined) continue
    const [file] = (await findFiles(folder, String(entry.files), 'ledger')).files
    if (file === undefined) continue
    const path = join(folder, file)
    if (formatOf((await openSource(path, file)).look) === format) return entry
  }
  return null
}

export interface TableEntry {
  readonly table: string
  readonly engine?: LedgerEngineName
}

/** Writes the entry. The basis is asked unless the first file states it; files in a bucket are not read here. */
export async function describeTable(edit: CompanyEdit, folder: string, table: TableEntry): Promise<void> {
  const [file] = isTableAddress(table.table) ? [] : (await findFiles(folder, table.table, 'ledger')).files
  const footer = file === undefined ? null : await readFooter(join(folder, file))
  const columns = footer === null || footer.problem !== null ? [] : footer.columns.map(({ name }) => name)
  const hasBasis = [...columns, ...folderValues(file ?? '').map(([name]) => name)].some((name) =>
    /^basis$/i.test(name),
  )
  const comment = hasBasis
    ? null
    : 'basis: accrual or cash; take it out where the files have a column of this name'
  edit.addToList('ledger', { ...table, ...(hasBasis ? {} : { basis: BLANK }) }, comment, LEDGER_ABOUT)
}

/** What stands against an entry for a table in a bucket. */
export function tableFindings({ table, engine }: TableEntry): Finding[] {
  if (!isTableAddress(table)) return []
  if (parseTableAddress(table) === null)
    return [error('invalid-setting', `"${table}" ${TABLE_FORM}`, { text: table, remedy: 'correct --table' })]
  return engine === undefined
    ? [
        error('invalid-setting', `"${table}" lies in a bucket, where only an engine on a cluster reads it`, {
          text: table,
          remedy: 'name the engine: --engine spark',
        }),
      ]
    : []
}
