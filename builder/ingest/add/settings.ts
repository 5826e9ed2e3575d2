/** What `tieout add` writes into company.yaml: what the files state, and a marked blank for what they do not state. */
import { basename, extname } from 'node:path'
import { capitalised } from '../../contract/listed.ts'
import type { LedgerFormat } from '../../workspace/company.ts'
import type { CompanyEdit, Setting } from '../../workspace/company-edit.ts'
import { findFiles } from '../../workspace/source-files.ts'
import { BLANK } from '../../workspace/yaml-file.ts'
import { countedValues, proposedAnswers } from '../claims/claims.ts'
import type { Covered } from '../format/covered-lines.ts'
import { wholeYears } from '../format/fiscal-years.ts'
import type { Format, Survey, SurveyedAccount } from '../format/format.ts'
import { COLUMNS } from '../tables/header.ts'
import { INSTANT, parseDate, SERIAL } from '../text/months.ts'
import type { BudgetForm } from './budget-form.ts'
import { proposeForChart } from './cash-flow.ts'
import { describeFormatFiles, describeSurvey, describeYears, LEDGER_ABOUT } from './format.ts'
import type { Recognised, TableForm } from './recognise.ts'
import { calledInMap, proposeWords } from './words.ts'

export type Kind =
  | LedgerFormat
  | 'ledger'
  | 'chart'
  | 'classes'
  | 'departments'
  | 'budget'
  | 'metrics'
  | 'trialBalance'
  | 'control'
type Known = Exclude<Recognised, { readonly kind: 'unknown' }>

/** A recognised file with its place in the company's folder. */
export interface Item {
  readonly from: string
  readonly to: string
  readonly kind: Kind
  readonly known: Known
}

/** What all added files of one format state together. */
export interface SurveyedFormat {
  readonly format: Format
  readonly survey: Survey
}

/**
 * Writes into `edit` what the files state, and blanks for what they do not. `tables` are the days covered by
 * ledgers that are plain tables, `kindsBefore` what the files that are replaced say of accounts.
 */
export async function describe(
  edit: CompanyEdit,
  id: string,
  folder: string,
  items: readonly Item[],
  surveyed: readonly SurveyedFormat[],
  tables: readonly Covered[],
  kindsBefore: ReadonlyMap<string, SurveyedAccount>,
): Promise<void> {
  const surveys = surveyed.map(({ survey }) => survey)
  const said = <Key extends 'name' | 'fiscalMonthEnd' | 'currency'>(key: Key): Survey[Key] =>
    surveys.find((survey) => survey[key] !== null)?.[key] ?? null
  const years = surveys.flatMap((survey) => survey.years)
  edit.answer('id', id, 'names the folder, the snapshots and the URLs')
  edit.answer('name', said('name'), 'as reports show it', { value: inWords(id), why: "by the company's id" })
  const monthEnd =
    surveys.find(({ assumedMonthEnd }) => assumedMonthEnd !== null)?.assumedMonthEnd ??
    wholeYears([...surveys.flatMap(({ covers }) => covers), ...tables])
  edit.answer('fiscalMonthEnd', said('fiscalMonthEnd'), 'last month of the fiscal year, 1 to 12', monthEnd)
  edit.answer('currency', said('currency'), 'ISO 4217 code of the amounts, such as USD, EUR or SEK')
  describeYears(edit, years)
  const sayAccounts = surveys.some(({ accounts }) => accounts.length > 0)
  const hadChart = edit.get('chartOfAccounts') !== undefined
  describeLists(edit, items, sayAccounts)
  for (const { format, survey } of surveyed) {
    const added = await unnamed(edit, folder, items, format.id, 'ledger')
    const files = added.map(({ to }) => to)
    await describeFormatFiles(edit, folder, files, format, survey)
  }
  await describeLedger(edit, folder, items)
  await describeTrialBalances(edit, folder, items)
  await describeBudgets(edit, folder, items)
  await describeMetrics(edit, folder, items)
  describeOpenings(edit, items, surveys)
  if (!hadChart) await proposeForChart(edit, folder)
  for (const { format, survey } of surveyed) describeSurvey(edit, survey, kindsBefore, format)
}

/** `acme-supplies` → `Acme Supplies`. */
export const inWords = (id: string): string =>
  id
    .split(/[-_]+/)
    .filter((word) => word !== '')
    .map(capitalised)
    .join(' ')

/** Asks for the opening balances unless the ledger or a trial balance states them. */
function describeOpenings(edit: CompanyEdit, items: readonly Item[], surveys: readonly Survey[]): void {
  const isStated =
    surveys.some(({ statesOpenings }) => statesOpenings) || items.some(({ kind }) => kind === 'trialBalance')
  if (!isStated) edit.answer('opening', null, OPENING_ABOUT)
}
const OPENING_ABOUT =
  'none: the books begin with the first entry; else what marks the opening balances: { references: [OPENING] }, or { files: [ledger/opening.csv] }; no such line where the ledger itself says them'

function describeLists(edit: CompanyEdit, items: readonly Item[], sayAccounts: boolean): void {
  for (const [kind, key] of LISTS) {
    const item = items.find((each) => each.kind === kind)
    const sheet = item === undefined || !('form' in item.known) ? {} : sheetSetting(item.known.form)
    const value =
      item === undefined ? null : Object.keys(sheet).length > 0 ? { files: item.to, ...sheet } : item.to
    if (value !== null || (kind === 'chart' && !sayAccounts))
      edit.answer(key, value, `columns ${COLUMNS[kind].join(', ')}`)
  }
}

const LISTS = [
  ['chart', 'chartOfAccounts'],
  ['classes', 'classes'],
  ['departments', 'departments'],
] as const

/** The added files of `kind` that no entry of the list `key` matches yet. */
async function unnamed(
  edit: CompanyEdit,
  folder: string,
  items: readonly Item[],
  kind: Kind,
  key: string,
): Promise<Item[]> {
  const named = await Promise.all(edit.entries(key).map(({ files }) => findFiles(folder, String(files), key)))
  const covered = new Set(named.flatMap(({ files }) => files))
  return items.filter((item) => item.kind === kind && !covered.has(item.to))
}

async function describeLedger(edit: CompanyEdit, folder: string, items: readonly Item[]): Promise<void> {
  const entries = new Map<string, Entry & { readonly files: string[] }>()
  for (const { to, known } of await unnamed(edit, folder, items, 'ledger', 'ledger')) {
    if (known.kind !== 'ledger') continue
    const entry = ledgerEntry(known)
    const key = JSON.stringify([entry, basisWord(to)])
    const alike = entries.get(key)
    if (alike === undefined) entries.set(key, { ...entry, files: [to] })
    else alike.files.push(to)
  }
  for (const { files, settings, comment } of entries.values()) {
    proposeWords(edit, calledInMap(settings.columns))
    for (const pattern of await patternsOf(folder, files))
      edit.addToList('ledger', { files: pattern, ...settings }, comment, LEDGER_ABOUT)
  }
  if (edit.get('ledger') === undefined)
    edit.addToList(
      'ledger',
      { files: BLANK, basis: BLANK },
      'columns transaction_id, date, account, debit, credit',
      LEDGER_ABOUT,
    )
}

interface Entry {
  readonly settings: { readonly [key: string]: Setting }
  /** Explains the blanks and names what is to be checked; null where there is nothing to say. */
  readonly comment: string | null
}

export function ledgerEntry(known: Extract<Known, { readonly kind: 'ledger' }>): Entry {
  const { hasBasis, columns, form } = known
  const { settings, comments } = formSettings(form)
  const map = columns && Object.fromEntries(Object.entries(columns).map(([name, at]) => [name, at ?? BLANK]))
  const all = [
    ...(hasBasis ? [] : ['basis: accrual or cash']),
    ...comments,
    ...(map ? ['columns: read from the header, please check'] : []),
    ...(map?.transaction_id === BLANK
      ? ['transaction_id: the header of the column that all lines of one entry share']
      : []),
    ...(form.detected === null ? [] : [`read as ${form.detected}`]),
  ]
  return {
    settings: { ...(hasBasis ? {} : { basis: BLANK }), ...settings, ...(map ? { columns: map } : {}) },
    comment: all.join('; ') || null,
  }
}

/**
 * One pattern where it matches these files and no others, so that next month's file is read too; else each file by
 * its name.
 */
async function patternsOf(folder: string, files: readonly string[]): Promise<readonly string[]> {
  const [first, ...others] = files
  if (first === undefined || others.length === 0) return files
  let end = 0
  while (end < first.length && files.every((file) => file[end] === first[end])) end++
  const prefix = first.slice(0, end)
  // Digits at the end are cut off: 2025-01 and 2025-02 share `2025-0`, which would not match 2025-10.
  for (const stem of ['ledger/', 'ledger/**/', prefix.replace(/\d+$/, '').replace(/\d+[-_. ]$/, '')]) {
    const pattern = `${stem}*${extname(first)}`
    const met = (await findFiles(folder, pattern, 'ledger')).files
    if (met.length === files.length && files.every((file) => met.includes(file))) return [pattern]
  }
  return files
}

const sheetSetting = ({ sheets }: TableForm) => {
  if (sheets === null) return {}
  const [only = '', ...others] = sheets
  return { sheet: others.length === 0 ? only : sheets }
}

/**
 * Settings for how the table writes its values. What the rows do not decide becomes a blank, with a comment that
 * names the choices.
 */
function formSettings(form: TableForm): { settings: Entry['settings']; comments: string[] } {
  const { amounts, dates } = form
  const [format = BLANK] = dates.formats
  const isDated = dates.sample !== null
  const isClear = dates.formats.length === 1
  const settings = {
    ...sheetSetting(form),
    ...(amounts.decimal === null ? { decimal: BLANK } : amounts.decimal === ',' ? { decimal: ',' } : {}),
    ...(amounts.thousands === '' ? {} : { thousands: amounts.thousands }),
    ...(isDated ? { dateFormat: isClear ? format : BLANK } : {}),
    ...answers(form),
  }
  const comments = [
    ...form.asked.map(
      ([{ header, values }]) =>
        `${header} holds ${countedValues(values ?? new Map())}: "count" names what counts, "skip" what is left out`,
    ),
    ...(amounts.decimal === null
      ? [`decimal: "." or ",": how "${amounts.unclear}" is meant; state "thousands" too where there is one`]
      : []),
    ...(isDated && !isClear
      ? [
          dates.formats.length === 0
            ? `dateFormat: how "${dates.sample}" is meant, such as DD/MM/YYYY; all dates of a file must be of one form`
            : `dateFormat: how "${dates.sample}" is meant, ${dates.formats.join(' or ')}`,
        ]
      : []),
  ]
  if (isClear && format === INSTANT)
    comments.push(
      `dateFormat: "${dates.sample}" counts on the day that stands there; in another time zone it may be another one`,
    )
  if (isClear && format === SERIAL)
    comments.push(
      `dateFormat: days as a spreadsheet counts them, "${dates.sample}" is ${parseDate(dates.sample ?? '', SERIAL)}`,
    )
  return { settings, comments }
}

/** Which values of a column count, as far as words tell, and a blank for the others, which are to be said. */
function answers({ asked }: TableForm): {
  readonly [key: string]: { readonly [header: string]: string | readonly string[] }
} {
  const said = asked.filter(
    ([{ against }, meaning]) => against === undefined && !/^(currency|rate)$/.test(meaning),
  )
  const all = said.map(([column, meaning]) => ({
    header: column.header,
    ...proposedAnswers(column, meaning),
  }))
  const clear = all.filter(({ count, skip }) => count.length > 0 && skip.length > 0)
  const count = Object.fromEntries(clear.map((each) => [each.header, each.count]))
  const open = Object.fromEntries(all.map(({ header }) => [header, BLANK]))
  return {
    ...(clear.length === 0 ? {} : { count }),
    ...(all.length === 0 ? {} : { skip: open }),
  }
}

/** Adds the unit and the signs that the sheet suggests, each with a comment for the owner to check. */
function withFigures(
  { settings, comments }: ReturnType<typeof formSettings>,
  { scale, sign, hasEquity }: BudgetForm,
): ReturnType<typeof formSettings> {
  return {
    settings: {
      ...settings,
      ...(scale === null ? {} : { scale: scale.scale }),
      ...(sign === null ? {} : { sign: sign.sign }),
    },
    comments: [
      ...comments,
      ...(scale === null ? [] : [`scale: the sheet says "${scale.text}", please check`]),
      ...(sign === null
        ? []
        : [`sign: ${sign.why}, please check (natural, costs-negative, debit-positive, credit-positive)`]),
      ...(hasEquity
        ? [
            'equity: with-result where equity holds the result of the year, else without-result; for a cash flow',
          ]
        : []),
    ],
  }
}

const NO_FORM: ReturnType<typeof formSettings> = { settings: {}, comments: [] }

async function describeTrialBalances(
  edit: CompanyEdit,
  folder: string,
  items: readonly Item[],
): Promise<void> {
  for (const { to, known } of await unnamed(edit, folder, items, 'trialBalance', 'trialBalance')) {
    if (known.kind !== 'trialBalance') continue
    const form = formSettings(known.form)
    const comments = [...(known.isDated ? [] : ['date: of which day it is']), ...form.comments]
    edit.addToList(
      'trialBalance',
      { files: to, ...(known.isDated ? {} : { date: BLANK }), ...form.settings },
      comments.join('; ') || null,
      'What the accounting program says its accounts stand at: the books must agree, account by account.',
    )
  }
}

async function describeBudgets(edit: CompanyEdit, folder: string, items: readonly Item[]): Promise<void> {
  for (const { to, known } of await unnamed(edit, folder, items, 'budget', 'budgets')) {
    const stem = basename(to, extname(to))
    const id =
      stem
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, '') || 'budget'
    const ids = new Set(edit.entries('budgets').map((budget) => String(budget.id)))
    const form = known.kind === 'budget' ? withFigures(formSettings(known.form), known.figures) : NO_FORM
    let unique = id
    for (let n = 2; ids.has(unique); n++) unique = `${id}-${n}`
    edit.addToList(
      'budgets',
      { id: unique, name: stem, files: to, ...form.settings },
      form.comments.join('; ') || null,
      'Each budget with the id and the name that clients see.',
    )
  }
}

async function describeMetrics(edit: CompanyEdit, folder: string, items: readonly Item[]): Promise<void> {
  for (const { to, known } of await unnamed(edit, folder, items, 'metrics', 'metrics')) {
    const form =
      known.kind === 'metrics'
        ? withFigures(formSettings(known.form), { ...known.figures, sign: null, hasEquity: false })
        : NO_FORM
    const comment = form.comments.join('; ') || null
    edit.addToList(
      'metrics',
      { files: to, ...form.settings },
      comment,
      'Figures that are not money, such as a headcount.',
    )
  }
  const names = new Set(edit.entries('nonFinancial').flatMap(({ id, name }) => [String(id), String(name)]))
  const metrics = new Map(items.flatMap(({ known }) => (known.kind === 'metrics' ? [...known.metrics] : [])))
  for (const [metric, unit] of metrics)
    if (!names.has(metric))
      edit.addToList(
        'nonFinancial',
        { id: metric, name: metric, unit, aggregation: BLANK },
        'sum, average, last, min or max',
        'What each metric is, and how its days become a month: sales add up, a headcount is its last value.',
      )
}

const BASIS_WORDS: { readonly [word: string]: 'accrual' | 'cash' } = {
  accrual: 'accrual',
  cash: 'cash',
  kontant: 'cash',
}

/** The basis in the name of a file. It is no answer: `ledger-cash-2025.csv` may be the ledger of a cash account. */
export const basisWord = (file: string): 'accrual' | 'cash' | null =>
  basename(file)
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .flatMap((word) => BASIS_WORDS[word] ?? [])[0] ?? null
