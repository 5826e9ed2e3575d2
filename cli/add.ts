/** `tieout add`: adds export files to the workspace, and writes the company.yaml that describes them. */
import { join } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { BuildResult } from '../builder/build/result.ts'
import { isCurrency } from '../builder/contract/currency.ts'
import type { AddResult } from '../builder/ingest/add/add.ts'
import type { StatedSettings } from '../builder/ingest/add/stated.ts'
import { LEDGER_ENGINES, type LedgerEngineName } from '../builder/workspace/engines.ts'
import type { Finding } from '../builder/workspace/findings/finding.ts'
import type { Workspace } from '../builder/workspace/workspace.ts'
import { coverageText } from './pool/builds.ts'
import { action, examples } from './terminal/command.ts'
import { EXIT, UsageError } from './terminal/exit.ts'
import { countsText, findingsText, fromHere } from './terminal/findings.ts'
import { lineTable } from './terminal/narrow.ts'
import { showBuilds } from './terminal/progress.ts'
import { askQuestions, canAsk } from './terminal/questions.ts'
import { plural, type Terminal, wrap } from './terminal/terminal.ts'

export function declareAdd(program: Command): void {
  // `--map` alone asks for a proposal; `--map date="Posting Date"` also states a part of it. The order does not
  // matter.
  const stated: Record<string, string> = {}
  const command = program
    .command('add')
    .summary('recognise exports and set a company up from them')
    .description(
      'Recognise exports, copy them into datasets/, and write a commented company.yaml: ready to build where the files say all, with marked blanks where they do not.',
    )
    .argument('<company-id>', 'short name: lower-case letters, digits, "-" and "_"')
    .argument(
      '[file...]',
      'ledgers, charts of accounts, classes, departments, budgets, metrics, trial balances',
    )
    .option('--replace', 'put newer exports in the place of files of the same name, or of the same days')
    .addOption(
      new Option(
        '--map [column=header]',
        'the ledgers among the files are of another program: propose which header is which column; repeat it for each column that you know',
      ).argParser((text) => Object.assign(stated, assignment(text))),
    )
    .option('--name <name>', 'as reports show the company')
    .addOption(
      new Option('--currency <code>', 'of the amounts, such as EUR: for files that do not say it').argParser(
        currency,
      ),
    )
    .addOption(
      new Option(
        '--year-end <month>',
        'the last month of the fiscal year, such as 6, june or 06-30: for files that do not say it',
      ).argParser(monthOf),
    )
    .addOption(
      new Option(
        '--table <pattern>',
        "Parquet files of a lake, below the company's folder (lake/**/*.parquet) or in a bucket (s3a://lake/gl/**/*.parquet), which stay where they are",
      ),
    )
    .addOption(
      new Option('--engine <engine>', 'what reads the table, instead of DuckDB').choices(LEDGER_ENGINES),
    )
    .addOption(
      new Option(
        '--member <company-id>',
        'make a group of companies that have published, instead of files; repeat it for each member',
      ).argParser((text, before: readonly string[] = []) => [...before, text]),
    )
    .addOption(new Option('--basis <basis>', 'of ledgers that do not say it').choices(['accrual', 'cash']))
  examples(
    command,
    'tieout add ovnbolaget transaktioner.se',
    'tieout add harbor chart-of-accounts.csv ledger-2025.csv budget.xlsx',
    'tieout add harbor chart.csv ledger.csv --currency USD --year-end 12 --basis accrual',
    'tieout add harbor ledger-2025.csv --replace',
    "tieout add group chart.csv --table 'lake/**/*.parquet' --engine spark",
    "tieout add group chart.csv --table 's3a://lake/gl/**/*.parquet' --engine spark",
    'tieout add acme-group --member acme-us --member acme-west',
    'tieout add harbor gl-entries.xlsx --map --map date="Posting Date" --map amount=-Net',
  )
  action<Options, [companyId: string, ...files: string[]]>(
    command,
    async (
      { terminal, open },
      { map, replace = false, table, engine, member, ...given },
      [companyId, ...files],
    ) => {
      const isOfFiles = files.length > 0 || replace || [map, table, engine, given.basis].some(Boolean)
      if (member === undefined ? files.length === 0 : isOfFiles)
        throw new UsageError(
          'name export files; or, for a group, its members by --member and nothing of files',
        )
      const { addCompany } = await import('../builder/ingest/add/add.ts')
      const { datasetFolder } = await import('../builder/workspace/workspace.ts')
      const workspace = await open()
      const added =
        member === undefined
          ? await addCompany(workspace, companyId, files, {
              replace,
              map: map === undefined ? null : stated,
              stated: statedIn(given),
              table: table === undefined ? null : { table, ...(engine && { engine }) },
            })
          : await groupOf(workspace, companyId, member, given)
      const result = await asked(workspace, added, terminal)
      const base = datasetFolder(workspace, companyId)
      const refused = result.findings.some((finding) => finding.severity === 'error')
      const unanswered = result.questions.length
      // "Ready" promises that a build will not be refused, so that the check of a build is run first.
      const check = refused || unanswered > 0 ? null : await tried(workspace, companyId, terminal)
      const shown = check && { outcome: check.outcome, findings: check.findings }
      terminal.show({ ...result, check: shown }, () =>
        refused
          ? `${findingsText(result.findings, terminal)}\n\n${terminal.paint.red('Nothing was added')}: ${countsText(result.findings)}.`
          : addedText(result, check, terminal, base) +
            (workspace.keepInputs ? '' : keepText(result, terminal)),
      )
      return refused || check?.outcome === 'refused' ? EXIT.findings : EXIT.done
    },
  )
}

async function groupOf(workspace: Workspace, companyId: string, members: readonly string[], given: Options) {
  const { addGroup } = await import('../builder/build/propose-group.ts')
  return addGroup(workspace, companyId, members, statedIn(given))
}

/** Asks the open questions, where somebody sits at the terminal. */
async function asked(workspace: Workspace, added: AddResult, terminal: Terminal): Promise<AddResult> {
  if (added.questions.length + added.mayWait.length === 0 || !canAsk(terminal)) return added
  const { companyEdit, openQuestions } = await import('../builder/ingest/add/stated.ts')
  const { edit, save } = companyEdit(workspace, added.companyId)
  await askQuestions(edit, save, terminal)
  return { ...added, ...openQuestions(workspace, added.companyId) }
}

interface Options {
  readonly replace?: boolean
  readonly map?: unknown
  readonly name?: string
  readonly currency?: string
  readonly yearEnd?: number
  readonly basis?: 'accrual' | 'cash'
  readonly table?: string
  readonly member?: readonly string[]
  readonly engine?: LedgerEngineName
}

const statedIn = ({ name, currency, yearEnd, basis }: Options): StatedSettings => ({
  ...(name === undefined ? {} : { name }),
  ...(currency === undefined ? {} : { currency }),
  ...(yearEnd === undefined ? {} : { fiscalMonthEnd: yearEnd }),
  ...(basis === undefined ? {} : { basis }),
})

function currency(text: string): string {
  const code = text.toUpperCase()
  if (!isCurrency(code))
    throw new InvalidArgumentError('It must be an ISO 4217 code such as USD, EUR or SEK.')
  return code
}

const MONTH_NAMES = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** `6`, `june`, `06-30` and `2025-06-30` → 6. */
function monthOf(text: string): number {
  const named = MONTH_NAMES.findIndex((name) => new RegExp(`^${name}[a-z]*$`, 'i').test(text)) + 1
  const digits = /^(?:\d{4}-)?(\d{1,2})(?:-\d{2})?$/.exec(text)?.[1]
  const month = named > 0 ? named : Number(digits ?? 0)
  if (month < 1 || month > 12)
    throw new InvalidArgumentError(
      'It must be a month: its number from 1 to 12, its name, or a day such as 06-30.',
    )
  return month
}

/** `check` is the check of the company as it is now, null where questions are open; `base` is its folder. */
function addedText(result: AddResult, check: BuildResult | null, terminal: Terminal, base: string): string {
  const { paint, width } = terminal
  const { companyId } = result
  const open = result.questions.length
  return [
    ...(result.findings.length > 0 ? [findingsText(result.findings, terminal), ''] : []),
    ...result.files.map(({ from, to, kind, wasThere, replaced, instead }) => {
      const what = wasThere
        ? ', was there already'
        : instead.length > 0
          ? `, instead of ${instead.join(', ')}`
          : replaced
            ? ', instead of the one before'
            : ''
      return wrap(`${from} → ${to} (${kind}${what})`, width, 2)
    }),
    `company.yaml ${result.companyFile}${result.changes.length > 0 ? ':' : ''}`,
    ...result.changes.map((change) => `  ${wrap(change, width, 4)}`),
    ...result.maps.flatMap((proposed) => ['', mapText(proposed, terminal)]),
    ...(result.assumed.length > 0 ? ['', assumedText(result.assumed, terminal, base)] : []),
    ...(open > 0 ? ['', questionsText(result.questions, terminal, base)] : []),
    ...(result.mayWait.length > 0 ? ['', mayWaitText(result.mayWait, terminal, base)] : []),
    ...(check && check.findings.length > 0 ? ['', findingsText(check.findings, terminal, base)] : []),
    '',
    check === null
      ? `${paint.yellow('Not ready yet')}: answer ${plural(open, 'question')} in company.yaml, then: tieout check ${companyId}`
      : check.outcome === 'refused'
        ? `${paint.yellow('Added, but not ready')}: ${countsText(check.findings)}. What each needs stands beside it; then: tieout check ${companyId}`
        : `${paint.green('Ready')}: ${readyText(check)}. Next: tieout build ${companyId}`,
  ].join('\n')
}

/** Says once, with a new company, that snapshots can hold what they were made from. */
const keepText = ({ companyFile }: AddResult, { width }: Terminal): string =>
  companyFile === 'created'
    ? `\n${wrap('Snapshots keep the hashes of these files. For an auditor they can keep the files too: keepInputs: true in tieout.yaml.', width)}`
    : ''

/** Runs what `tieout check` does. */
async function tried(workspace: Workspace, company: string, terminal: Terminal): Promise<BuildResult> {
  const { build } = await import('../builder/build/build.ts')
  const shown = showBuilds(1, terminal)
  try {
    return await build(workspace, company, {
      publish: false,
      progress: (...at) => shown.show(company, ...at),
    })
  } finally {
    shown.end(company)
    shown.close()
  }
}

const readyText = ({ postings, coverage, findings }: BuildResult): string =>
  [
    `${plural(postings, 'posting')}, ${coverageText(coverage)}, all checks passed`,
    ...(findings.length > 0 ? [`with ${countsText(findings)}`] : []),
  ].join(', ')

function assignment(text: string): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1)
    throw new InvalidArgumentError(
      'Write column=header, such as date="Posting Date"; files are named before --map.',
    )
  return { [text.slice(0, at).trim()]: text.slice(at + 1).trim() }
}

function mapText({ file, columns }: AddResult['maps'][number], terminal: Terminal): string {
  const { text } = lineTable(
    columns,
    [
      { title: 'Column', of: ({ column }) => column },
      { title: 'Header', of: ({ header }) => header ?? '?' },
      { title: 'Values', of: ({ samples }) => samples.join(', '), dispensable: 1, flexible: 20 },
      { title: 'Why', of: ({ why }) => why, dispensable: 2, flexible: 20 },
    ],
    terminal,
  )
  return `How ${file} is read; please check it in company.yaml ("columns"):\n${text}`
}

/** How many assumed lines are listed; a chart may have one for each account. The rest is counted. */
const MOST_ASSUMED = 8

const lineText =
  (folder: string, width: number) =>
  ({ row, text }: AddResult['assumed'][number]): string =>
    `  ${wrap(`${fromHere(join(folder, 'company.yaml'))}:${row}  ${text}`, width, 4)}`

const mayWaitText = (lines: AddResult['mayWait'], { width }: Terminal, folder: string): string =>
  ['May be answered later; until then a build warns:', ...lines.map(lineText(folder, width))].join('\n')

function assumedText(assumed: AddResult['assumed'], { width }: Terminal, folder: string): string {
  const more = assumed.length - MOST_ASSUMED
  return [
    'Assumed, please check:',
    ...assumed.slice(0, MOST_ASSUMED).map(lineText(folder, width)),
    ...(more > 0 ? [`  and ${plural(more, 'more line')} of company.yaml marked "please check"`] : []),
  ].join('\n')
}

/** Up to this many kinds of accounts are soon written by hand. */
const MOST_KINDS = 3
const listAnswers = (count: number): string =>
  `The list of accounts, with the type of each, answers ${count} of these questions: export it from the accounting program, and add it too.`

/**
 * Lists marked blanks as questions, with their line and key, apart from mistakes. The comment beside each blank
 * says what is asked.
 */
function questionsText(questions: readonly Finding[], terminal: Terminal, folder: string): string {
  const blanks = questions.filter(({ code }) => code === 'blank')
  const others = questions.filter(({ code }) => code !== 'blank')
  const kinds = blanks.filter(
    ({ column }) => column !== null && /^accounts\..+\.classification$/.test(column),
  )
  return [
    ...(others.length > 0 ? [findingsText(others, terminal, folder)] : []),
    ...(kinds.length > MOST_KINDS ? [wrap(listAnswers(kinds.length), terminal.width, 2)] : []),
    ...blanks.map(({ file, row, column }) => `  ${fromHere(join(folder, file ?? ''))}:${row}  ${column}`),
  ].join('\n')
}
