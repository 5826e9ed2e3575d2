/** `tieout show`: prints a published statement with its comparatives. */
import { type Command, Option } from 'commander'
import { type StatementName, statementTitle } from '../builder/contract/vocabulary.ts'
import type { LineValue } from '../builder/report/columns.ts'
import { blocksOf } from '../builder/report/notes.ts'
import { judged, MARKS, MARKS_EXPLAINED, Numbers } from '../builder/report/numbers.ts'
import { hasPartial, PARTIAL, PARTIAL_EXPLAINED } from '../builder/report/partial.ts'
import type { ShownLine, ShownStatement, SnapshotStatement } from '../builder/report/report.ts'
import type { View } from '../builder/report/views.ts'
import { fromOneTo } from './pool/builds.ts'
import { action, examples } from './terminal/command.ts'
import { UsageError } from './terminal/exit.ts'
import { askedFilters, type FilterOptions, filterOptions, resolved, scopeText } from './terminal/filters.ts'
import { type LineColumn, lineTable } from './terminal/narrow.ts'
import { type Terminal, wrap } from './terminal/terminal.ts'

interface Options extends FilterOptions {
  readonly statement: keyof typeof STATEMENTS
  readonly by?: keyof typeof VIEW_BY
  readonly last?: number
  readonly budget?: string
  readonly snapshot?: string
  readonly cents?: boolean
  readonly percent?: boolean
}

const STATEMENTS = {
  'profit-loss': ['ProfitAndLoss'],
  'balance-sheet': ['BalanceSheet'],
  'cash-flow': ['CashFlow'],
  all: ['ProfitAndLoss', 'BalanceSheet', 'CashFlow'],
} as const satisfies Record<string, readonly StatementName[]>

const VIEW_BY = {
  month: 'months',
  quarter: 'quarters',
  year: 'years',
  class: 'classes',
  department: 'departments',
} as const satisfies Record<string, View>

export function declareShow(program: Command): void {
  const command = program
    .command('show')
    .summary('show a statement with budget, prior year and year to date')
    .description(
      'Print a statement of a published snapshot: the last month, or another, beside budget, prior year and year to date; or the last months, quarters or years side by side, or the classes or departments. Groups are those of the chart of accounts. Figures are rounded to whole units one by one; --cents shows them as published.',
    )
    .argument('<company>', 'id of the company')
    .argument('[month]', 'a month, like 2025-03 (default: the last one of the books)')
    .addOption(
      new Option('--statement <name>', 'which statement')
        .choices(Object.keys(STATEMENTS))
        .default('profit-loss'),
    )
    .addOption(new Option('--by <what>', 'what stands side by side').choices(Object.keys(VIEW_BY)))
    .addOption(
      new Option(
        '--last <months>',
        'the last months, side by side (default of --by month: 12); with --by class or department taken together (default: 1)',
      ).argParser(fromOneTo(60)),
    )
  filterOptions(command)
    .option('--budget <id>', 'the budget to compare with (default: the first that covers the year to date)')
    .option('--snapshot <id>', 'the snapshot to read (default: the current one)')
    .option('--cents', 'show figures as published, not in whole units')
    .option('--percent', 'show the profit and loss of the month in percent of income too')
  examples(
    command,
    'tieout show harbor',
    'tieout show harbor 2026-03 --statement balance-sheet',
    'tieout show harbor --by quarter --class retail',
    'tieout show harbor --last 24',
    'tieout show harbor --statement all --cents --json',
  )
  action<Options, [company: string, month?: string]>(
    command,
    async ({ terminal, read }, options, [company, month]) => {
      const { shownStatement } = await import('../builder/report/report.ts')
      const root = (await read([company])).snapshots
      const shown: SnapshotStatement[] = []
      const by = options.by ?? (options.last === undefined ? null : 'month')
      if (options.last !== undefined && by !== 'month' && by !== 'class' && by !== 'department')
        throw new UsageError(`--last says how many months stand side by side, and --by ${by} shows none`)
      if (options.percent && (by !== null || options.statement !== 'profit-loss'))
        throw new UsageError('--percent is of the profit and loss of a month, without --by and --last')
      for (const statement of STATEMENTS[options.statement])
        shown.push(
          resolved(
            await shownStatement(root, {
              company,
              snapshotId: options.snapshot ?? null,
              statement,
              month: month ?? null,
              view: by === null ? 'month' : VIEW_BY[by],
              months: options.last,
              hasShares: options.percent,
              ...askedFilters(options),
              budgetId: options.budget ?? null,
            }),
          ),
        )
      terminal.page({ statements: shown }, () =>
        shown.map((each) => statementText(each, terminal, options.cents ?? false)).join('\n\n\n'),
      )
    },
  )
}

function statementText(shown: SnapshotStatement, terminal: Terminal, cents: boolean): string {
  const { paint, width } = terminal
  const { budget, currency, snapshotId, name, statement, lines } = shown
  const title = statementTitle(statement)
  const { text, omitted } = lineTable(lines, columnsOf(shown, terminal, cents), terminal)
  const [head = '', ...rows] = text.split('\n')
  const about = [
    scopeText({ ...shown, budgetId: null }).replace(`${shown.company}, ${title}, `, ''),
    cents ? currency : new Numbers(shown.decimals, shown.numbers).unit(currency),
    ...(budget ? [`budget: ${budget.name}`] : []),
  ]
  return [
    paint.bold(wrap(`${name}: ${title}`, width)),
    wrap(about.join(', '), width),
    paint.dim(`snapshot ${snapshotId}`),
    '',
    head,
    ...rows.flatMap((row, i) => rowTexts(row, lines[i], lines[i + 1], terminal)),
    ...(lines.some(({ better }) => better) && shown.columns.some(({ kind }) => kind === 'difference')
      ? ['', paint.dim(MARKS_EXPLAINED)]
      : []),
    ...(hasPartial(shown) ? ['', paint.dim(PARTIAL_EXPLAINED)] : []),
    ...noteTexts(shown, terminal),
    ...(omitted.length === 0
      ? []
      : [
          '',
          paint.dim(
            wrap(
              `Left out, since the terminal is narrow: ${omitted.toReversed().join(', ')}. A wider one shows them, and so does "| less -S".`,
              width,
            ),
          ),
        ]),
  ].join('\n')
}

/** Commentary below the statement, by the numbers that stand at its lines. */
const noteTexts = ({ notes }: ShownStatement, { paint, width }: Terminal): string[] =>
  notes.flatMap(({ number, heading, text }) => [
    '',
    paint.bold(`[${number}] ${heading}`),
    ...blocksOf(text).flatMap((block) =>
      typeof block === 'string' ? [wrap(block, width)] : block.map((item) => wrap(`- ${item}`, width)),
    ),
  ])

/** Prints sections and totals in bold, and a blank line after each part of the statement. */
function rowTexts(
  row: string,
  line: ShownLine | undefined,
  next: ShownLine | undefined,
  { paint }: Terminal,
): string[] {
  const ends = line?.depth === 0 && line.kind !== 'heading' && next?.kind === 'heading' && next.depth === 0
  return [line?.depth === 0 ? paint.bold(row) : row, ...(ends ? [''] : [])]
}

function columnsOf(
  { columns, lines, decimals, numbers: style, notes }: ShownStatement,
  { paint }: Terminal,
  cents: boolean,
): LineColumn<ShownLine>[] {
  const numbers = new Numbers(decimals, style)
  const money = (cell: LineValue) => (cents ? numbers.exact(cell) : numbers.shown(cell))
  const marksOf = (id: string) =>
    notes.flatMap(({ line, number }) => (line === id ? [` [${number}]`] : [])).join('')
  const colours = { better: paint.green, worse: paint.red, none: String }
  const figures = columns.map(({ kind, title }, i): LineColumn<ShownLine> => {
    const right = { title, right: true, dispensable: dispensability(kind, title, i) }
    if (kind === 'percent' || kind === 'share')
      return { ...right, of: ({ cells }) => numbers.percent(cells[i] ?? null) }
    if (kind === 'amount') {
      const hasMarks = lines.some(({ partial }) => partial.includes(i))
      const marked = (line: ShownLine) => (line.partial.includes(i) ? PARTIAL : hasMarks ? ' ' : '')
      return { ...right, of: (line) => `${money(line.cells[i] ?? null)}${marked(line)}` }
    }
    return {
      ...right,
      of: (line) => `${money(line.cells[i] ?? null)}${mark(line, i)}`,
      colour: (line) => colours[judged(line, i) ?? 'none'],
    }
  })
  return [
    { title: '', of: ({ id, depth, label }) => `${'  '.repeat(depth)}${label}${marksOf(id)}`, flexible: 24 },
    ...figures,
  ]
}

/** Two characters wide on every line, so that figures stay aligned. */
function mark(line: ShownLine, i: number): string {
  const verdict = judged(line, i)
  return verdict === null ? '  ' : ` ${MARKS[verdict]}`
}

/**
 * The order in which columns are left out: percentages first, then differences, then amounts from the right; the
 * first amount and the year to date stay longest.
 */
function dispensability(kind: ShownStatement['columns'][number]['kind'], title: string, i: number): number {
  if (i === 0) return 0
  if (title === 'Year to date') return 1
  return { percent: 300, share: 250, difference: 200, amount: 100 }[kind] + i
}
