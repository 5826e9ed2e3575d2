/**
 * `tieout add`: exports in, a company that can be built out. Recognises each file by content, copies it into the
 * company's folder, and writes or extends company.yaml. Figures are judged by the build, not here.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { isCurrency } from './contract/currency.ts'
import { findFiles } from './ingest/files.ts'
import { type Recognised, recognise } from './ingest/recognise.ts'
import { scanFile } from './ingest/scan.ts'
import { classifyAccounts } from './ingest/sie-accounts.ts'
import { firstUses } from './ingest/sie-checks.ts'
import { Dimensions } from './ingest/sie-dimensions.ts'
import type { SieFile } from './ingest/sie-records.ts'
import { companyId as companyIdSchema } from './workspace/company.ts'
import { CompanyEdit } from './workspace/company-edit.ts'
import { error, type Finding } from './workspace/finding.ts'
import { COMPANY_FILE, companyFolder, readCompany, type Workspace } from './workspace/workspace.ts'
import { BLANK } from './workspace/yaml-file.ts'

export interface AddedFile {
  /** As given. */
  readonly from: string
  /** Relative to the company's folder. */
  readonly to: string
  readonly kind: Kind
  /** The very same file was there already. */
  readonly wasThere: boolean
}

export interface AddResult {
  readonly companyId: string
  readonly files: readonly AddedFile[]
  readonly companyFile: 'created' | 'extended' | 'unchanged'
  /** What was added to company.yaml, by key. */
  readonly changes: readonly string[]
  /** Blanks that must be filled in before a build, and whatever else company.yaml still lacks. */
  readonly questions: readonly Finding[]
  /** Why nothing was added. */
  readonly findings: readonly Finding[]
}

type Kind = 'sie' | 'ledger' | 'chart' | 'classes' | 'departments' | 'budget' | 'metrics'
type Known = Exclude<Recognised, { readonly kind: 'unknown' }>

/** A recognised file and where it goes. */
interface Item {
  readonly from: string
  readonly to: string
  readonly kind: Kind
  readonly known: Known
}

const FOLDERS: Record<Kind, string> = {
  sie: 'ledger/',
  ledger: 'ledger/',
  chart: '',
  classes: '',
  departments: '',
  budget: 'budgets/',
  metrics: 'metrics/',
}

/** All files or none: where one is not understood, or would overwrite another, nothing is written. */
export async function addCompany(
  workspace: Workspace,
  companyId: string,
  files: readonly string[],
): Promise<AddResult> {
  const nothing = (findings: readonly Finding[]): AddResult => ({
    companyId,
    files: [],
    companyFile: 'unchanged',
    changes: [],
    questions: [],
    findings,
  })
  const id = companyIdSchema.safeParse(companyId)
  if (!id.success)
    return nothing([
      error('company-id', `"${companyId}" cannot be a company's id: it ${id.error.issues[0]!.message}`, {
        text: companyId,
        remedy: 'choose another id; it names the folder and stands in URLs',
      }),
    ])
  const folder = companyFolder(workspace, companyId)
  const companyPath = join(folder, COMPANY_FILE)
  const edit = new CompanyEdit(existsSync(companyPath) ? readFileSync(companyPath, 'utf8') : null)
  const { items, findings } = await recogniseAll(files)
  const clashes = await Promise.all(items.map((item) => clash(item, items, folder)))
  const wrong = [
    ...edit.findings,
    ...findings,
    ...clashes.flatMap((found) => found.findings),
    ...(edit.findings.length > 0 ? [] : items.flatMap((item) => taken(item, edit))),
  ]
  if (wrong.length > 0) return nothing(wrong)

  for (const [i, item] of items.entries())
    if (!clashes[i]!.isThere) await copyInto(join(folder, item.to), item.from)
  const isNew = !existsSync(companyPath)
  await describe(edit, companyId, folder, items)
  const isChanged = isNew || edit.changes.length > 0
  if (isChanged) replaceFile(companyPath, edit.toString())
  return {
    companyId,
    files: items.map(({ from, to, kind }, i) => ({ from, to, kind, wasThere: clashes[i]!.isThere })),
    companyFile: isNew ? 'created' : isChanged ? 'extended' : 'unchanged',
    changes: isNew ? [] : edit.changes,
    questions: readCompany(workspace, companyId).findings,
    findings: [],
  }
}

async function recogniseAll(files: readonly string[]): Promise<{ items: Item[]; findings: Finding[] }> {
  const items: Item[] = []
  const findings: Finding[] = []
  // The same file named twice on the command line is one file.
  for (const from of new Set(files.map((file) => resolve(file)))) {
    if (!statSync(from, { throwIfNoEntry: false })?.isFile()) {
      findings.push(
        error('no-such-file', `there is no file ${from}`, { file: basename(from), remedy: 'check the name' }),
      )
      continue
    }
    const known = await recognise(from)
    if (known.kind === 'unknown') {
      findings.push(...known.findings)
      continue
    }
    const kind = known.kind === 'members' ? listKind(basename(from)) : known.kind
    if (kind === null)
      findings.push(
        error('ambiguous-list', 'a list of ids and names: of classes, or of departments?', {
          file: basename(from),
          remedy: 'put "class" or "department" into its file name',
        }),
      )
    else items.push({ from, known, kind, to: FOLDERS[kind] + fileName(from, kind) })
  }
  return { items, findings }
}

/** One pattern, `ledger/*.se`, then names the files of all years, whatever their programs call them. */
function fileName(from: string, kind: Kind): string {
  const name = basename(from)
  return kind === 'sie' ? `${name.slice(0, name.length - extname(name).length)}.se` : name
}

const listKind = (name: string): 'classes' | 'departments' | null => {
  const isClass = /class|klass|proje[ck]t/i.test(name)
  const isDepartment = /dep|avd|cost.?cent|location/i.test(name)
  return isClass === isDepartment ? null : isClass ? 'classes' : 'departments'
}

/** A file is never overwritten: the same bytes are left as they are, others are refused. */
async function clash(
  item: Item,
  items: readonly Item[],
  folder: string,
): Promise<{ readonly isThere: boolean; readonly findings: readonly Finding[] }> {
  const refuse = (other: string) => ({
    isThere: false,
    findings: [
      error('file-exists', `${item.from} would overwrite ${other}, which is another file`, {
        file: item.to,
        remedy: 'rename it, or remove the old one first',
      }),
    ],
  })
  const twin = items.find((other) => other !== item && other.to === item.to)
  if (twin !== undefined) return refuse(twin.from)
  const target = join(folder, item.to)
  if (!existsSync(target)) return { isThere: false, findings: [] }
  const [old, new_] = await Promise.all([scanFile(target), scanFile(item.from)])
  return old.sha256 === new_.sha256 ? { isThere: true, findings: [] } : refuse(item.to)
}

/** company.yaml names one chart and one list each. */
const SINGLE: { readonly [kind in Kind]?: string } = {
  chart: 'chartOfAccounts',
  classes: 'classes',
  departments: 'departments',
}
function taken({ kind, to }: Item, edit: CompanyEdit): Finding[] {
  const key = SINGLE[kind]
  const set = key === undefined ? undefined : edit.get(key)
  const named = typeof set === 'string' ? set : (set as { files?: unknown } | undefined)?.files
  if (named === undefined || named === to) return []
  return [
    error('already-set', `company.yaml already names ${named} as ${key}`, {
      file: COMPANY_FILE,
      column: key!,
      text: String(named),
      remedy: `to use ${to} instead, copy it into the folder and change "${key}"`,
    }),
  ]
}

/** Writes what the files say into company.yaml, and a blank for what they do not say. */
async function describe(
  edit: CompanyEdit,
  id: string,
  folder: string,
  items: readonly Item[],
): Promise<void> {
  const sie = items.flatMap(({ known }) => (known.kind === 'sie' ? [known.sie] : []))
  const latest = [...sie].sort((a, b) => yearOf(a).end.localeCompare(yearOf(b).end)).at(-1)
  edit.answer('id', id, 'names the folder, the snapshots and the URLs')
  edit.answer('name', latest?.name ?? null, 'as reports show it')
  edit.answer(
    'fiscalMonthEnd',
    latest === undefined ? null : Number(yearOf(latest).end.slice(5, 7)),
    'last month of the fiscal year, 1 to 12',
  )
  edit.answer(
    'currency',
    latest !== undefined && isCurrency(latest.currency) ? latest.currency : null,
    'ISO 4217 code of the amounts, such as USD, EUR or SEK',
  )
  if (sie.length > 0) describeYears(edit, sie)
  describeLists(edit, items, sie.length > 0)
  await describeLedger(edit, folder, items)
  await describeBudgets(edit, folder, items)
  await describeMetrics(edit, folder, items)
  if (sie.length > 0) describeSie(edit, sie)
}

const yearOf = (file: SieFile) => file.years.get(0)!

/** Years of twelve months need no list: `fiscalMonthEnd` says them. */
function describeYears(edit: CompanyEdit, files: readonly SieFile[]): void {
  const listed = (edit.get('fiscalYears') as { start: string }[] | undefined) ?? []
  const years = new Map(
    files.flatMap((file) => [...file.years.values()].map((year) => [year.start, year] as const)),
  )
  const monthEnd = edit.get('fiscalMonthEnd')
  const isPlain = ({ start, end }: { start: string; end: string }) => {
    const next = new Date(`${end}T00:00:00Z`)
    next.setUTCDate(next.getUTCDate() + 1)
    const after = next.toISOString().slice(0, 10)
    const yearLater = `${Number(start.slice(0, 4)) + 1}${start.slice(4)}`
    return after === yearLater && start.endsWith('-01') && Number(end.slice(5, 7)) === monthEnd
  }
  if (listed.length === 0 && [...years.values()].every(isPlain)) return
  for (const [start, { end }] of [...years].sort())
    if (!listed.some((year) => year.start === start))
      edit.addToList(
        'fiscalYears',
        { start, end },
        null,
        'Fiscal years as the books have them; some are not twelve months.',
      )
}

function describeLists(edit: CompanyEdit, items: readonly Item[], hasSie: boolean): void {
  const fileOf = (kind: Kind) => items.find((item) => item.kind === kind)?.to ?? null
  const chart = fileOf('chart')
  if (chart !== null || !hasSie)
    edit.answer(
      'chartOfAccounts',
      chart,
      'columns id, number, name, classification, type, parent, cash_flow, is_active',
    )
  for (const kind of ['classes', 'departments'] as const) {
    const file = fileOf(kind)
    if (file !== null) edit.answer(kind, file, 'columns id, name, parent, is_active')
  }
}

/** Files of `kind` that no entry of the list `key` names yet. */
async function unnamed(
  edit: CompanyEdit,
  folder: string,
  items: readonly Item[],
  kind: Kind,
  key: string,
): Promise<Item[]> {
  const entries = (edit.get(key) as readonly { files?: unknown }[] | undefined) ?? []
  const named = await Promise.all(entries.map(({ files }) => findFiles(folder, String(files), key)))
  const covered = new Set(named.flatMap(({ files }) => files))
  return items.filter((item) => item.kind === kind && !covered.has(item.to))
}

const LEDGER_ABOUT = 'Journal entries. SIE files of several years are one entry.'

const ALL_SIE = 'ledger/*.se'

/** Years must stand in one entry, since each opens with what the one before closed with. */
async function describeSieLedger(edit: CompanyEdit, folder: string, items: readonly Item[]): Promise<void> {
  const added = await unnamed(edit, folder, items, 'sie', 'ledger')
  if (added.length === 0) return
  const entries = (edit.get('ledger') as readonly { files?: unknown; format?: unknown }[] | undefined) ?? []
  const index = entries.findIndex(({ files, format }) => format === 'sie' || /\.s[ei]$/i.test(String(files)))
  if (index === -1) {
    const comment = 'priorYear: psaldo would read the months of the year before, where they are complete'
    edit.addToList('ledger', { files: ALL_SIE, format: 'sie' }, comment, LEDGER_ABOUT)
    return
  }
  const before = String(entries[index]!.files)
  const { files } = await findFiles(folder, before, 'ledger')
  const isCovered = files.every((file) => /^ledger\/[^/]+\.se$/.test(file))
  const pattern = isCovered ? ALL_SIE : `{${[before, ...added.map(({ to }) => to)].join(',')}}`
  edit.change('ledger', index, 'files', pattern)
}

async function describeLedger(edit: CompanyEdit, folder: string, items: readonly Item[]): Promise<void> {
  await describeSieLedger(edit, folder, items)
  for (const { to, known } of await unnamed(edit, folder, items, 'ledger', 'ledger')) {
    if (known.kind !== 'ledger') continue
    const named = /cash|kontant/i.test(to) ? 'cash' : /accrual/i.test(to) ? 'accrual' : BLANK
    edit.addToList(
      'ledger',
      {
        files: to,
        ...(known.hasBasis ? {} : { basis: named }),
        ...(known.dateSample === null ? {} : { dateFormat: BLANK }),
      },
      [
        ...(known.hasBasis ? [] : ['basis: accrual or cash']),
        ...(known.dateSample === null
          ? []
          : [`dateFormat: how "${known.dateSample}" is meant, such as DD/MM/YYYY or MM/DD/YYYY`]),
      ].join('; ') || null,
      LEDGER_ABOUT,
    )
  }
  if (edit.get('ledger') === undefined)
    edit.addToList(
      'ledger',
      { files: BLANK, basis: BLANK },
      'columns transaction_id, date, account, debit, credit',
      LEDGER_ABOUT,
    )
}

async function describeBudgets(edit: CompanyEdit, folder: string, items: readonly Item[]): Promise<void> {
  for (const { to } of await unnamed(edit, folder, items, 'budget', 'budgets')) {
    const stem = basename(to, extname(to))
    const id =
      stem
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, '') || 'budget'
    const ids = new Set(
      ((edit.get('budgets') as { id?: unknown }[] | undefined) ?? []).map((budget) => String(budget.id)),
    )
    let unique = id
    for (let n = 2; ids.has(unique); n++) unique = `${id}-${n}`
    edit.addToList(
      'budgets',
      { id: unique, name: stem, files: to },
      null,
      'Each budget with the id and the name that clients see.',
    )
  }
}

async function describeMetrics(edit: CompanyEdit, folder: string, items: readonly Item[]): Promise<void> {
  for (const { to } of await unnamed(edit, folder, items, 'metrics', 'metrics'))
    edit.addToList('metrics', { files: to }, null, 'Figures that are no money.')
  const known = (edit.get('nonFinancial') as { id?: unknown; name?: unknown }[] | undefined) ?? []
  const names = new Set(known.flatMap(({ id, name }) => [String(id), String(name)]))
  const metrics = new Set(items.flatMap((item) => (item.known.kind === 'metrics' ? item.known.metrics : [])))
  for (const metric of metrics)
    if (!names.has(metric))
      edit.addToList(
        'nonFinancial',
        { id: metric, name: metric, unit: '', aggregation: BLANK },
        'sum, average, last, min or max',
        'What each metric is, and how its days become a month: sales add up, a headcount is its last value.',
      )
}

/** What SIE does not say outright is written out, so that an accountant can read and correct it. */
function describeSie(edit: CompanyEdit, files: readonly SieFile[]): void {
  const dimensions = new Dimensions(files, edit.get('dimensions') as undefined)
  let added = 0
  for (const { id, name, target } of dimensions.list())
    if (edit.addToMap('dimensions', id, target, name, 'SIE dimensions: class, department, or none.')) added++
  if (added > 0) edit.changes.push(`dimensions: ${added} added`)

  const uses = firstUses(files)
  const names = new Map(
    files.flatMap((file) => [...file.accounts.values()].map(({ id, name }) => [id, name])),
  )
  const kinds = [...classifyAccounts(files, undefined)].sort(([a], [b]) => (a < b ? -1 : 1))
  added = 0
  for (const [id, kind] of kinds) {
    if (kind === null && !uses.has(id)) continue
    const name = names.get(id) ?? id
    const value =
      kind === null
        ? { classification: BLANK }
        : { classification: kind.classification, ...(kind.type === '' ? {} : { type: kind.type }) }
    const doubt =
      kind === null
        ? '; nothing in the file says what it is'
        : kind.by === 'guess'
          ? '; assumed, please check'
          : ''
    if (edit.addToMap('accounts', id, value, name + doubt, ACCOUNTS_ABOUT)) added++
  }
  if (added > 0) edit.changes.push(`accounts: ${added} added`)
}

const ACCOUNTS_ABOUT =
  'What kind of account each one is, read from the file and the BAS chart of accounts. Correct a line and it holds.'

/** Under another name first: a copy that ends early is never taken for the file. */
async function copyInto(target: string, from: string): Promise<void> {
  mkdirSync(dirname(target), { recursive: true })
  const part = `${target}.part`
  try {
    await copyFile(from, part)
    renameSync(part, target)
  } finally {
    rmSync(part, { force: true })
  }
}

function replaceFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  const part = `${path}.part`
  writeFileSync(part, text)
  renameSync(part, path)
}
