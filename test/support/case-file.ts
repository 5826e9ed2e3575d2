/**
 * Cases kept as data, in a YAML file: the files of a company, and all that comes of them. A case that differs from another in some lines
 * names it (`of`) and states these lines; what is read, and the figures, stand there as far as they differ too. `UPDATE=1` writes
 * what comes anew, and then a person reads the difference.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import * as assert from 'uvu/assert'
import { parse, parseDocument, Scalar } from 'yaml'
import { build } from '../../builder/build/build.ts'
import type { Intake, Origin } from '../../builder/ingest/format/intake.ts'
import { type Finding, LEFT_OUT_TEXT } from '../../builder/workspace/findings/finding.ts'
import type { Test } from '../suite.ts'
import { added, proposed } from './added.ts'
import { changed, differences } from './line-changes.ts'
import { intakeOf } from './readings.ts'
import {
  type Built,
  buildIn,
  COMPANY,
  type Files,
  inWorkspace,
  postings,
  readStatement,
} from './workspace.ts'

/** How far a company is taken: its files are read, its books checked, a snapshot published; or the files are added to nothing, and then built with answers. */
const HOW = { read, check, build: built, add, added: addedAndBuilt }

interface Try {
  readonly how?: keyof typeof HOW
  /** Findings alone, or the postings beside the figures. */
  readonly look?: 'findings' | 'postings'
  /** Path in the company's folder → text. */
  readonly files?: Readonly<Record<string, string>>
  /** Path → changed lines of the file of the case that this one is of, or its whole text; null for a file that is not there. */
  readonly changes?: Readonly<Record<string, string | null>>
  /** Key of company.yaml → what is answered beside the usual. */
  readonly answers?: Readonly<Record<string, string>>
  readonly comes?: string
}

interface Case extends Try {
  readonly case: string
  /** The case whose files these are, but for the changes; the first of `tries` is that of the others. */
  readonly of?: string
  /** One idea shown by several inputs. */
  readonly tries?: readonly Try[]
}

interface Outcome {
  /** What it ended in, and what is told. */
  readonly told: readonly string[]
  /** What is read, or published. */
  readonly content: readonly string[]
}

interface Done extends Outcome {
  readonly how: keyof typeof HOW
  readonly files: Readonly<Record<string, string>>
}

/** Declares a test for each input of a file of cases, or of some of them, beside the test that calls this. */
export function cases<At>(test: Test<At>, file: URL, some = <One>(all: One[]): One[] => all): void {
  const text = readFileSync(file, 'utf8')
  const document = parseDocument(text)
  const all = parse(text) as readonly Case[]
  const done = new Map<string, Promise<Done>>()
  const firstOf = (title: string): Promise<Done> => {
    const at = all.find((each) => each.case === title)
    assert.ok(at, `there is no case "${title}"`)
    const known = done.get(title) ?? doneOf(triesOf(at!)[0]!, null)
    done.set(title, known)
    return known
  }
  const numbered = [...all.entries()]
  for (const [i, given] of process.env.UPDATE === '1' ? numbered : some(numbered))
    for (const [n, one] of triesOf(given).entries())
      test(n === 0 ? given.case : `${given.case}, ${n + 1}`, async () => {
        const isOwn = given.of === undefined && n === 0
        const base = isOwn ? null : await firstOf(given.of ?? given.case)
        const { told, content, how } = isOwn ? await firstOf(given.case) : await doneOf(one, base)
        const isOther = base?.how !== how || base.content.length === 0 || content.length === 0
        const rest = isOther ? content : differences(base.content, content)
        const isSame = content.length > 0 && rest.length === 0
        const comes = [...told, ...(isSame ? ['otherwise the same'] : rest), ''].join('\n')
        if (process.env.UPDATE !== '1') return assert.is(comes, one.comes)
        const block = new Scalar(comes)
        block.type = Scalar.BLOCK_LITERAL
        document.setIn(given.tries === undefined ? [i, 'comes'] : [i, 'tries', n, 'comes'], block)
      })
  test.after(() => {
    if (process.env.UPDATE === '1') writeFileSync(file, document.toString({ lineWidth: 0 }))
  })
}

/** Of several inputs, how far they are taken may stand once. */
const triesOf = ({ tries, ...given }: Case): readonly Try[] =>
  tries?.map((one) => ({
    ...(given.how && { how: given.how }),
    ...(given.look && { look: given.look }),
    ...one,
  })) ?? [given]

async function doneOf(
  { how = 'read', look, files, answers, changes = {} }: Try,
  base: Done | null,
): Promise<Done> {
  const all: Record<string, string> = { ...(files ?? base?.files) }
  for (const [path, change] of Object.entries(changes))
    if (change === null) delete all[path]
    else all[path] = change.startsWith('@') ? changed(all[path]!, change) : change
  const { told, content } = await HOW[how](all, look === 'postings', answers)
  return { how, files: all, told, content: look === 'findings' ? [] : content }
}

async function read(files: Files): Promise<Outcome> {
  const intake = await intakeOf(files)
  const differing = intake.differing.map(({ finding }) => finding)
  const isRefused = intake.findings.some(({ severity }) => severity === 'error')
  return {
    told: [...intake.findings.flatMap(said), ...differing.flatMap(said)],
    content: isRefused ? [] : contentOf(intake, files),
  }
}

function check(files: Files): Promise<Outcome> {
  return inWorkspace(files, async (workspace) => {
    const { outcome, findings } = await build(workspace, COMPANY, { publish: false })
    return { told: [outcome, ...findings.flatMap(said)], content: [] }
  })
}

function built(files: Files, withPostings: boolean): Promise<Outcome> {
  return inWorkspace(files, async (workspace) => outcomeOf(await buildIn(workspace, COMPANY), withPostings))
}

function addedAndBuilt(files: Files, withPostings: boolean, answers: Try['answers']): Promise<Outcome> {
  return added(
    files,
    async ({ result, built }) => {
      const { told, content } = await outcomeOf(built, withPostings)
      return { told: [...result.questions.map(({ column }) => `asks ${column}`), ...told], content }
    },
    answers,
  )
}

async function outcomeOf(all: Built, withPostings: boolean): Promise<Outcome> {
  const { outcome, findings, snapshotId, tieOuts, controlsAgreed, reportsAgreed, coverage } = all.result
  const differing = tieOuts.filter(({ LargestDifference }) => !/^-?0(\.0+)?$/.test(LargestDifference))
  const told = [outcome, ...findings.flatMap(said), ...differing.map((tieOut) => JSON.stringify(tieOut))]
  if (snapshotId === null) return { told, content: [] }
  const covered = `${coverage?.startDate} to ${coverage?.endDate}`
  const controls = controlsAgreed === 0 ? [] : [`${controlsAgreed} stated figures agree`]
  const reports = reportsAgreed.map((report) => `report agrees: ${JSON.stringify(report)}`)
  const rows = withPostings ? await postings(all, POSTING, 'seq') : []
  const entries = rows.length === 0 ? [] : ['postings', ...rows.map((row) => `  ${row.trimEnd()}`)]
  return { told, content: [covered, ...controls, ...reports, ...figures(all), ...chartOf(all), ...entries] }
}

/** The accounts that are not computed: number, name, classification, type, and where they stand. */
function chartOf({ read: textOf }: Built): string[] {
  const { Data } = JSON.parse(textOf('chart-of-accounts.json')) as { Data: Record<string, unknown>[] }
  const own = Data.filter(({ IsComputed }) => IsComputed === false)
  return [
    'chart of accounts',
    ...own.map(({ Id, Number: number, Name, Classification, Type, ParentId, IsHeader, CashFlowCategory }) =>
      [
        `  ${Id}:`,
        ...[number, Name, Classification, Type, CashFlowCategory].filter(Boolean),
        ...(ParentId === null ? [] : [`under ${ParentId}`]),
        ...(IsHeader === true ? ['heading'] : []),
      ].join(' '),
    ),
  ]
}

const POSTING = `row, date::VARCHAR, account, amount::VARCHAR, transaction_id, ${[
  'class',
  'department',
  'memo',
  'type',
]
  .map((name) => `coalesce('${name}: ' || ${name}, '')`)
  .join(', ')}`

function add(files: Files): Promise<Outcome> {
  return proposed(files, ({ result, yaml }) => ({
    told: [
      ...result.findings.flatMap(said),
      `company.yaml ${result.companyFile}`,
      ...result.files.map(({ kind, to }) => `${kind} ${to}`),
      ...result.changes,
      ...result.questions.map(({ column }) => `asks ${column}`),
    ],
    content: yaml.split('\n').filter((line) => line !== ''),
  }))
}

/** A finding, and below it what would mend it; what it quotes of the ledger, which not everybody may read, stands in `«»`. */
function said({ severity, code, file, row, column, text, message, remedy, ledgerText }: Finding): string[] {
  const left = [...(ledgerText ?? [])]
  const quoting = (words: string) => words.replaceAll(LEFT_OUT_TEXT, () => `«${left.shift()}»`)
  const place = file === null ? '' : ` ${file}${row === null ? '' : `:${row}`}`
  const cell = `${column === null ? '' : ` ${column}`}${text === null ? '' : ` ${JSON.stringify(text)}`}`
  const lines = [`${severity} ${code}${place}${cell}: ${quoting(message)}`]
  if (remedy !== null) lines.push(`  ${quoting(remedy)}`)
  return [...lines, ...left.map((each) => `  «${each}»`)].map((line) =>
    line.replaceAll('\r', '\\r').replaceAll('\n', '\\n'),
  )
}

/**
 * All that was read, a line for each row, which begins with its place: its file and row, or its row in the only file. What is not there,
 * or empty, is left out.
 */
function contentOf(
  { ledger, sources, findings: _, differing: __, ...intake }: Intake,
  files: Files,
): string[] {
  const read = sources.filter(({ role }) => role !== 'configuration')
  const linesOf = (rows: Iterable<unknown>): string[] =>
    Array.from(rows, (row) => `  ${isScalar(row) ? row : lineOf(row as object, read.length > 1)}`)
  const plans = ledger.flatMap((plan) => {
    if (plan.kind !== 'csv') return [`ledger ${plan.file}`]
    const { kind: _, file, path, columns, header, tags = [], ...forms } = plan
    const rows = path === files[file] ? [] : path.trim().split('\n')
    const lines = [lineOf(forms), lineOf(columns), `header: ${JSON.stringify(header)}`]
    const meanings = Array.from(tags, (tag) => `tag: ${JSON.stringify(tag)}`)
    return [`ledger ${file}`, ...[...lines, ...meanings, ...rows].map((line) => `  ${line}`)]
  })
  const rest = Object.entries(intake).flatMap(([name, value]) => {
    if (name === 'budgets')
      return intake.budgets.flatMap(({ rows, ...budget }) => [`budget ${lineOf(budget)}`, ...linesOf(rows)])
    if (!isRows(value)) return isScalar(value) ? [`${name}: ${value}`] : []
    const lines = linesOf(value)
    return lines.length === 0 ? [] : [name, ...lines]
  })
  const from = read.map(({ bytes: _, sha256: __, ...source }) => `  ${lineOf(source)}`)
  return [...plans, ...rest, 'sources', ...from]
}

/** A row of the only file is named by its number; what is so of all rows unless it is said goes without saying. */
function lineOf(given: object, isOfSeveral = true): string {
  const { file, row, isActive, ...rest } = given as Partial<Origin> & { readonly isActive?: boolean }
  const place =
    row === undefined ? (isOfSeveral ? file : undefined) : `${isOfSeveral ? `${file}:` : ''}${row}`
  const stated: Readonly<Record<string, unknown>> = { ...rest, ...(isActive === false && { isActive }) }
  const values = Object.entries(stated)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([key, value]) => `${key}: ${isScalar(value) ? value : JSON.stringify(value)}`)
  return [...(place === undefined ? [] : [place]), ...values].join(', ')
}

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

const isRows = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value

const TOTALS = /^(NetIncome|TotalAssets|TotalEquity|NetCashFrom.*|BeginningCash|EndingCash)$/

/**
 * Every statement with a figure that is not zero, of the whole company and of each class and department that has a part of it, and the
 * metrics.
 */
function figures({ path, read: textOf }: Built): string[] {
  const paths = (readdirSync(path('.'), { recursive: true }) as string[]).filter((each) =>
    /^(statements|metrics)\/.*\.json$/.test(each),
  )
  const linesIn = (document: string): string[] => {
    const { months, rows, totals } = readStatement(textOf(document))
    const lines = [...Object.entries(rows), ...Object.entries(totals).filter(([name]) => TOTALS.test(name))]
      .filter(([, values]) => values.some((value) => /[1-9]/.test(value ?? '')))
      .map(([name, values]) => `  ${name}: ${values.join(' ')}`)
    return lines.length === 0 ? [] : [`${months[0]} to ${months.at(-1)}`, ...lines]
  }
  return paths.sort().flatMap((document) => {
    const [months, ...lines] = linesIn(document)
    const whole = document.replace(/[^/]+\/[^/]+\.json$/, 'all/all.json')
    const isWhole = document === whole || !isDeepStrictEqual(linesIn(whole).slice(1), lines)
    const title = document.replace(/^statements\/|(\/actuals)?(\/all\/all)?\.json$/g, '')
    return lines.length > 0 && isWhole ? [`${title}, ${months}`, ...lines] : []
  })
}
