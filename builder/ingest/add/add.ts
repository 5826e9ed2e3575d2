/**
 * `tieout add`: sets up a company from export files. Recognises each file by its content, copies it into the
 * company's folder, and creates or extends company.yaml. Owns recognising files and proposing settings. Must not
 * judge figures: the build does.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { replaceFile } from '../../system/durable.ts'
import { namedFile, readDimensions, readLedgerSettings, readTableSetting } from '../../workspace/company.ts'
import { CompanyEdit } from '../../workspace/company-edit.ts'
import { error, type Finding, hasErrors, warning } from '../../workspace/findings/finding.ts'
import { isLeftBehind } from '../../workspace/source-files.ts'
import { COMPANY_FILE, datasetFolder, type Workspace } from '../../workspace/workspace.ts'
import { readYamlText } from '../../workspace/yaml-file.ts'
import { LEDGER_COLUMNS } from '../format/ledger-columns.ts'
import { withFolders } from '../parquet/folders.ts'
import { readChart } from '../tables/chart.ts'
import { DIRECTION } from '../tables/mapped/map.ts'
import { readTables } from '../tables/table.ts'
import { scanFile } from '../text/scan.ts'
import { describeTable, type TableEntry, tableFindings, targetOf } from './format.ts'
import { type ChartTexts, NO_CHART, type ProposedColumn } from './propose-map.ts'
import { type Recognised, recognise } from './recognise.ts'
import { describe, type Item, type Kind, type SurveyedFormat } from './settings.ts'
import {
  assumedIn,
  type CompanyFileLine,
  contradictions,
  idFindings,
  openQuestions,
  type StatedSettings,
  writeStated,
} from './stated.ts'
import { sourcesThere, successions } from './successors.ts'
import { controlsAlone, kindsIn, leftBehind, notAFile, surveyAll, withKindsThere } from './surveys.ts'
import type { MapRequest } from './table-readings.ts'
import { listKind } from './words.ts'

export interface AddedFile {
  /** The path as the user gave it. */
  readonly from: string
  /** The path relative to the company's folder. */
  readonly to: string
  readonly kind: Kind
  /** The folder already held this file, byte for byte. */
  readonly wasThere: boolean
  /** The file took the place of another one: of its own name, or those in `instead`. */
  readonly replaced: boolean
  /** Files under other names whose entries the new file contains; they were deleted from the company's folder. */
  readonly instead: readonly string[]
}

export interface AddOptions {
  readonly replace?: boolean
  /**
   * Set where the files are ledgers of another program: canonical column → header, for the columns that the user
   * named.
   */
  readonly map?: { readonly [column: string]: string } | null
  /** What the user states, since no file does. */
  readonly stated?: StatedSettings
  /** A table of a lake that stays where it is: an entry of "ledger". */
  readonly table?: TableEntry | null
}

export interface AddResult {
  readonly companyId: string
  readonly files: readonly AddedFile[]
  readonly companyFile: 'created' | 'extended' | 'unchanged'
  /** What was added to company.yaml, one text for each key. */
  readonly changes: readonly string[]
  /** Blanks that must be filled in before a build, and other mistakes of company.yaml. */
  readonly questions: readonly Finding[]
  /** Lines with an open question that does not stop a build: the build warns until it is answered. */
  readonly mayWait: readonly CompanyFileLine[]
  /** Lines of company.yaml that hold an assumption made now, for the user to check. */
  readonly assumed: readonly CompanyFileLine[]
  /** Column maps proposed for ledgers of other programs, for the user to check. */
  readonly maps: readonly { readonly file: string; readonly columns: readonly ProposedColumn[] }[]
  /** Where one of these is an error, nothing was added. */
  readonly findings: readonly Finding[]
}

/** Where tables go; a format states its own folder. */
const FOLDERS = {
  ledger: 'ledger/',
  chart: '',
  classes: '',
  departments: '',
  budget: 'budgets/',
  metrics: 'metrics/',
  trialBalance: 'trial-balances/',
  control: 'controls/',
} as const

export const NOTHING = {
  files: [],
  companyFile: 'unchanged',
  changes: [],
  questions: [],
  mayWait: [],
  assumed: [],
  maps: [],
} as const

/**
 * Adds all files or none: where one is not recognised, or would overwrite another, nothing is written. Mistakes of
 * the input are findings of the result; throws only what the file system throws.
 */
export async function addCompany(
  workspace: Workspace,
  companyId: string,
  files: readonly string[],
  options: AddOptions = {},
): Promise<AddResult> {
  const nothing = (findings: readonly Finding[]): AddResult => ({ companyId, ...NOTHING, findings })
  const wrongId = idFindings(companyId)
  if (wrongId.length > 0) return nothing(wrongId)
  const folder = datasetFolder(workspace, companyId)
  const companyPath = join(folder, COMPANY_FILE)
  const read = existsSync(companyPath) ? readYamlText(companyPath, COMPANY_FILE) : null
  if (read?.value === null) return nothing(read.findings)
  const before = read?.value ?? null
  const edit = new CompanyEdit(before)
  if (edit.findings.length > 0) return nothing(edit.findings)
  const wrongTable = options.table ? tableFindings(options.table) : []
  if (wrongTable.length > 0) return nothing(wrongTable)
  const { stated = {} } = options
  const { items, surveyed, placed, instead, covers, kindsBefore, findings } = await planOf(
    edit,
    companyId,
    folder,
    files,
    options,
  )
  if (hasErrors(findings)) return nothing(findings)

  for (const { item, isThere } of placed) if (!isThere) await copyInto(join(folder, item.to), item.from)
  for (const file of [...instead.values()].flat()) rmSync(join(folder, file), { force: true })
  const isNew = before === null
  if (options.table) await describeTable(edit, folder, options.table)
  await describe(edit, companyId, folder, items, surveyed, covers, kindsBefore)
  writeStated(stated, edit)
  const isChanged = isNew || edit.changes.length > 0
  if (isChanged) {
    mkdirSync(dirname(companyPath), { recursive: true })
    replaceFile(companyPath, edit.toString())
  }
  return {
    companyId,
    files: placed.map(({ item: { from, to, kind }, isThere, replaces }) => {
      const old = instead.get(to) ?? []
      return { from, to, kind, wasThere: isThere, replaced: replaces || old.length > 0, instead: old }
    }),
    companyFile: isNew ? 'created' : isChanged ? 'extended' : 'unchanged',
    changes: isNew ? [] : edit.changes,
    ...openQuestions(workspace, companyId),
    assumed: isChanged ? assumedIn(edit.toString(), before ?? '') : [],
    maps: items.flatMap(({ to, known }) =>
      known.kind === 'ledger' && known.proposal !== null ? [{ file: to, columns: known.proposal }] : [],
    ),
    findings,
  }
}

interface Plan {
  readonly items: readonly Item[]
  readonly surveyed: readonly SurveyedFormat[]
  readonly placed: readonly (Clash & { readonly item: Item })[]
  /** For each new file (its path in the company's folder), the files that it replaces. */
  readonly instead: ReadonlyMap<string, readonly string[]>
  readonly covers: Awaited<ReturnType<typeof successions>>['covers']
  /** What the files that are replaced say of accounts. */
  readonly kindsBefore: Awaited<ReturnType<typeof kindsIn>>
  readonly findings: readonly Finding[]
}

/** Recognises the files, decides where they go, and collects what stands against adding them. Writes nothing. */
async function planOf(
  edit: CompanyEdit,
  company: string,
  folder: string,
  files: readonly string[],
  { replace = false, map = null, stated = {} }: AddOptions,
): Promise<Plan> {
  const accounts = await chartAccounts(edit.get('chartOfAccounts'), folder)
  const request = { isMap: map !== null, stated: map ?? {}, accounts }
  const { items, findings } = await recogniseAll(files, request)
  const said = { dimensions: readDimensions(edit.get('dimensions')), opening: edit.get('opening') }
  const surveyed = await surveyAll(items, said)
  const placed = await Promise.all(
    items.map(async (item) => ({ item, ...(await clash(item, items, folder, replace)) })),
  )
  const {
    instead,
    covers,
    findings: again,
  } = await successions(items, {
    company,
    folder,
    replace,
    stated: { dimensions: undefined, opening: edit.get('opening') },
    ledger: readLedgerSettings(edit.entries('ledger')),
  })
  const all = [
    ...findings,
    ...(edit.entries('ledger').length > 0 ? [] : controlsAlone(items)),
    ...Object.entries(map ?? {}).flatMap(([column, header]) => unknownColumn(column, header)),
    ...surveyed.flatMap(({ survey }) => survey.findings),
    ...placed.flatMap((found) => found.findings),
    ...again,
    ...contradictions(
      stated,
      edit,
      surveyed.map(({ survey }) => survey),
    ),
    ...items.flatMap((item) => taken(item, items, edit)),
  ]
  const same = placed.flatMap(({ item, replaces }) => (replaces ? [item.to] : []))
  const replaced = [...same, ...[...instead.values()].flat()].map((file) => join(folder, file))
  const kindsBefore = await kindsIn(replaced, said)
  const except = new Set([...items.map(({ to }) => to), ...[...instead.values()].flat()])
  const written = edit.get('accounts') ?? {}
  const known = await withKindsThere(
    surveyed,
    items,
    (id) => id in (written as object),
    (format) => sourcesThere(format, except, folder),
    said,
  )
  return { items, surveyed: known, placed, instead, covers, kindsBefore, findings: all }
}

const unknownColumn = (column: string, header: string): Finding[] =>
  column === DIRECTION || (LEDGER_COLUMNS as readonly string[]).includes(column)
    ? []
    : [
        error('unknown-column', `"${column}" is not a column of a ledger`, {
          text: `${column}=${header}`,
          remedy: `name one of ${[...LEDGER_COLUMNS, DIRECTION].join(', ')}`,
        }),
      ]

/** What the accounts in the company's chart are called, if it has one: it shows which column of a ledger is the account. */
async function chartAccounts(set: unknown, folder: string): Promise<ChartTexts> {
  const setting = readTableSetting(set)
  if (setting === null) return NO_CHART
  const { tables } = await readTables(folder, setting, 'chart', 'chartOfAccounts')
  const { accounts } = readChart(tables, setting, [])
  const texts = (of: (account: (typeof accounts)[number]) => readonly string[]) =>
    new Set(accounts.flatMap(of).filter((text) => text !== ''))
  return { ids: texts(({ id, number }) => [id, number]), names: texts(({ name }) => [name]) }
}

async function recogniseAll(
  files: readonly string[],
  map: MapRequest,
): Promise<{ items: Item[]; findings: Finding[] }> {
  const items: Item[] = []
  // A file that the user named twice is added once.
  const paths = [...new Set(files.map((file) => resolve(file)))]
  const findings: Finding[] = paths.flatMap(notAFile)
  const left = paths.filter((path) => isLeftBehind(basename(path)))
  if (left.length > 0) findings.push(leftBehind(left, left.length === paths.length ? error : warning))
  const meant = paths.filter((path) => !left.includes(path) && notAFile(path).length === 0)
  for (const { from, known } of await recogniseEach(meant, map)) {
    if (known.kind === 'unknown') {
      findings.push(...known.findings)
      continue
    }
    if (known.kind === 'format') {
      items.push({ from, known, kind: known.format.id, to: targetOf(known.format, basename(from)) })
      continue
    }
    const kind = known.kind === 'members' ? listKind(basename(from)) : known.kind
    // The folders of a partitioned table state values of its rows.
    const name = kind === 'ledger' ? withFolders(from) : basename(from)
    if (kind === null)
      findings.push(
        error('ambiguous-list', 'a list of ids and names: of classes, or of departments?', {
          file: basename(from),
          remedy: 'put "class" or "department" into its file name',
        }),
      )
    else items.push({ from, known, kind, to: FOLDERS[kind] + name })
  }
  return { items, findings }
}

/** Recognises each file. Where a chart is among them, its accounts help to find the account column of the ledgers. */
async function recogniseEach(
  paths: readonly string[],
  map: MapRequest,
): Promise<readonly { readonly from: string; readonly known: Recognised }[]> {
  const all: { readonly from: string; readonly known: Recognised }[] = []
  for (const from of paths) all.push({ from, known: await recognise(from, map) })
  const chart = all.find(({ known }) => known.kind === 'chart')
  if (chart === undefined) return all
  const accounts = await chartAccounts(basename(chart.from), dirname(chart.from))
  return Promise.all(
    all.map(async ({ from, known }) => {
      const isRecognised = known.kind === 'ledger' ? known.proposal === null : known.kind !== 'unknown'
      return { from, known: isRecognised ? known : await recognise(from, { ...map, accounts }) }
    }),
  )
}

interface Clash {
  /** The folder already holds a file of this name with the same bytes. */
  readonly isThere: boolean
  readonly replaces: boolean
  readonly findings: readonly Finding[]
}

/**
 * Checks whether adding would overwrite a file: one with the same bytes is left as it is, another is refused unless
 * `replace` was asked for.
 */
async function clash(item: Item, items: readonly Item[], folder: string, replace: boolean): Promise<Clash> {
  const none: Clash = { isThere: false, replaces: false, findings: [] }
  const refuse = (other: string, remedy: string): Clash => ({
    ...none,
    findings: [
      error('file-exists', `${item.from} would overwrite ${other}, which is another file`, {
        file: item.to,
        remedy,
      }),
    ],
  })
  const twin = items.find((other) => other !== item && other.to === item.to)
  if (twin !== undefined) return refuse(twin.from, 'rename one of the two')
  const target = join(folder, item.to)
  if (!existsSync(target)) return none
  const [old, new_] = await Promise.all([scanFile(target), scanFile(item.from)])
  if (old.sha256 === new_.sha256) return { ...none, isThere: true }
  return replace
    ? { ...none, replaces: true }
    : refuse(item.to, 'if it is a newer export of the same, say --replace; else rename it')
}

/** company.yaml names one file for each of these. */
const SINGLE: { readonly [kind in Kind]?: string } = {
  chart: 'chartOfAccounts',
  classes: 'classes',
  departments: 'departments',
}
function taken({ kind, to, from }: Item, items: readonly Item[], edit: CompanyEdit): Finding[] {
  const key = SINGLE[kind]
  if (key === undefined) return []
  const first = items.find((each) => each.kind === kind)
  if (first !== undefined && first.to !== to)
    return [
      error('already-set', `company.yaml names one file as ${key}, and ${first.from} is one too`, {
        file: from,
        remedy: `add the one that counts; where each lists others, put them into one file, or copy both into the folder and name both: "${key}: { files: ... }"`,
      }),
    ]
  const named = namedFile(edit.get(key))
  if (named === null || named === to) return []
  return [
    error('already-set', `company.yaml already names ${named} as ${key}`, {
      file: COMPANY_FILE,
      column: key,
      text: named,
      remedy: `to use ${to} instead, copy it into the folder and change "${key}"`,
    }),
  ]
}

/** Copies under a temporary name first, so that a copy which was interrupted is never taken for the file. */
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
