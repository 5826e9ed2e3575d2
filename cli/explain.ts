/** `tieout explain`: shows the ledger lines behind one published figure, with file and row. */
import { type Command, Option } from 'commander'
import type { Line } from '../builder/books/read/lineage.ts'
import { headingOf, wordOf } from '../builder/books/reference/presentation.ts'
import { capitalised } from '../builder/contract/listed.ts'
import { statementTitle } from '../builder/contract/vocabulary.ts'
import type { ExplainedLine, ExplainRequest, Explanation } from '../builder/inspect/explain.ts'
import { action, examples } from './terminal/command.ts'
import { csvText, refuseBoth } from './terminal/csv.ts'
import { EXIT } from './terminal/exit.ts'
import { askedFilters, type FilterOptions, filterOptions, resolved, scopeText } from './terminal/filters.ts'
import { money, visible } from './terminal/money.ts'
import { amountsText, lineTable } from './terminal/narrow.ts'
import { sourcesText, unscaledText } from './terminal/source-rows.ts'
import { count, plural, type Terminal, wrap } from './terminal/terminal.ts'

interface Options extends FilterOptions {
  readonly statement?: string
  readonly budget?: string
  readonly snapshot?: string
  readonly all?: boolean
  readonly source?: boolean
  readonly csv?: boolean
}

const STATEMENT_OF = {
  'profit-loss': 'ProfitAndLoss',
  'balance-sheet': 'BalanceSheet',
  'cash-flow': 'CashFlow',
} as const
const METRICS = 'metrics'

export function declareExplain(program: Command): void {
  const command = program
    .command('explain')
    .summary('show the lines behind a published figure')
    .description(
      'Show what one published figure is made of, down to file and row of the source, and that it adds up. An account is named by id or number; also computed rows (net-income, current-year-earnings, prior-years-not-closed, balancing) and totals (NetIncome, TotalAssets, EndingCash, …), and metrics by id or name.',
    )
    .argument('<company>', 'id of the company')
    .argument('<account>', 'account, computed row, total or metric')
    .argument('<month>', 'a month, like 2025-03')
    .addOption(
      new Option(
        '--statement <name>',
        'the statement to look at (default: the one that the account is on); "metrics" for a metric with the name of an account',
      ).choices([...Object.keys(STATEMENT_OF), METRICS]),
    )
    .option('--budget <id>', 'explain the figure of this budget')
  filterOptions(command)
    .option('--snapshot <id>', 'the snapshot to read (default: the current one)')
    .option('--all', 'list every line, not only those of the month')
    .option('--source', 'also print the rows of the sources, where these were kept (keepInputs)')
    .option('--csv', 'print all lines as CSV')
  examples(
    command,
    'tieout explain harbor 4010 2025-03',
    'tieout explain harbor 1210 2025-03 --statement cash-flow',
    'tieout explain harbor 4010 2025-03 --source',
    'tieout explain harbor headcount 2025-03',
    'tieout explain harbor NetIncome 2025-03 --class retail',
    'tieout explain harbor current-year-earnings 2025-03 --all --csv',
  )
  action<Options, [company: string, account: string, month: string]>(
    command,
    async ({ terminal, read }, options, [company, account, month]) => {
      refuseBoth(terminal, options.csv)
      const { snapshots } = await read([company])
      const request = {
        company,
        account,
        month,
        snapshotId: options.snapshot ?? null,
        budgetId: options.budget ?? null,
        ...askedFilters(options),
        sources: options.source === true,
      }
      const addsUp =
        (await showMetric(snapshots, request, options, terminal)) ??
        (await showFigure(snapshots, request, options, terminal))
      return addsUp ? EXIT.done : EXIT.failed
    },
  )
}

type Request = Omit<ExplainRequest, 'statement' | 'all'>

/** Explains a metric, and returns whether it adds up; null where the request is not about a metric. */
async function showMetric(
  snapshots: string,
  request: Request,
  { statement, csv }: Options,
  terminal: Terminal,
): Promise<boolean | null> {
  if (statement !== undefined && statement !== METRICS) return null
  const { explainMetric } = await import('../builder/inspect/explain-metric.ts')
  const metric = await explainMetric(snapshots, { ...request, only: statement === METRICS })
  if (metric === null) return null
  const explained = resolved(metric)
  const { metricCsv, metricText } = await import('./explain-metric.ts')
  terminal.show(explained, () => (csv ? metricCsv(explained.values) : metricText(explained, terminal)))
  return explained.addsUp
}

/** Explains a figure of a statement, and returns whether it adds up. */
async function showFigure(
  snapshots: string,
  request: Request,
  { statement, csv, all }: Options,
  terminal: Terminal,
): Promise<boolean> {
  const { explain } = await import('../builder/inspect/explain.ts')
  const explained = resolved(
    await explain(snapshots, {
      ...request,
      statement: statement ? STATEMENT_OF[statement as keyof typeof STATEMENT_OF] : null,
      all: all === true || csv === true,
    }),
  )
  terminal.show(explained, () => (csv ? linesCsv(explained.lines) : explanationText(explained, terminal)))
  return explained.addsUp
}

const linesCsv = (lines: readonly Line[]): string =>
  csvText(
    [
      'part',
      'kind',
      'date',
      'transaction_id',
      'line_id',
      'account',
      'class',
      'department',
      'debit',
      'credit',
      'amount',
      'total',
      'memo',
      'reference',
      'settles',
      'file',
      'row',
      'party',
    ],
    lines.map((line) => [
      line.part,
      line.kind,
      line.date,
      line.transactionId,
      line.lineId,
      line.account,
      line.classId,
      line.departmentId,
      line.debit,
      line.credit,
      line.amount,
      line.total,
      line.memo,
      line.reference,
      line.settles,
      line.file,
      line.row,
      line.party,
    ]),
  )

function explanationText(explained: Explanation, terminal: Terminal): string {
  const { paint, width } = terminal
  const { account, published, notStated, total, currency, difference, addsUp, shares, words } = explained
  const name = [account.number || (account.kind === 'account' ? account.id : ''), account.name]
  const title = name.filter((part) => part !== '').join(' ')
  const verdict = notStated
    ? wrap(`${paint.yellow('Not stated')}: ${notStated.detail} (${notStated.reason}).`, width)
    : addsUp
      ? `${paint.green('Adds up to the published figure')}: yes`
      : `${paint.red('Does not add up to the published figure')}: a difference of ${money(difference)} ${currency}; please report this`
  return [
    paint.bold(wrap(`${visible(title)}, ${explained.month}`, width)),
    wrap(`${scopeText(explained)}${elsewhere(explained)}`, width),
    paint.dim(
      wrap(
        `${explained.document ?? `nothing is posted there in this ${wordOf('class', words)} and ${wordOf('department', words)}`}, snapshot ${explained.snapshotId}`,
        width,
      ),
    ),
    '',
    ...bodyText(explained, terminal),
    '',
    ...sourcesText(explained, terminal),
    ...explained.remarks.map((remark) => paint.dim(wrap(visible(remark), width))),
    ...(explained.remarks.length > 0 ? [''] : []),
    amountsText(
      [
        ...(explained.by === 'phase' && shares.length > 1
          ? shares.map(
              (share) => [capitalised(share.name), share.amount, plural(share.lines, 'line')] as const,
            )
          : []),
        ['All lines add up to', total, currency],
        ['Published', published, currency],
      ],
      width,
    ),
    verdict,
  ].join('\n')
}

/**
 * Names the other statements on which the account has a figure: a balance sheet account also stands on the cash
 * flow.
 */
function elsewhere({ statement, standsOn }: Explanation): string {
  const others = standsOn.filter((each) => each !== statement).map(statementTitle)
  return others.length === 0 ? '' : ` (also on the ${others.join(' and the ')})`
}

function bodyText(explained: Explanation, terminal: Terminal): string[] {
  const { shares, by, lines, allLines } = explained
  if (shares.length === 0) return ['No line of the books is behind this figure.']
  const hint = (text: string) => terminal.paint.dim(wrap(text, terminal.width))
  const text: string[] = []
  if (by !== 'phase') text.push(sharesText(explained, terminal))
  if (lines.length > 0) {
    if (text.length > 0) text.push('')
    const table = linesText(explained, terminal)
    text.push(table.text)
    if (explained.basisSource === 'Derived')
      text.push(
        hint('The cash basis is derived: a line is the settled share of the posting in its source row.'),
      )
    if (table.omitted.length > 0)
      text.push(hint(`Left out for want of room: ${table.omitted.join(', ')}; --csv and --json have them.`))
  }
  if (!allLines) {
    const hidden = shares.reduce((sum, share) => sum + share.lines, 0) - lines.length
    text.push(hint(`--all lists ${lines.length === 0 ? 'the' : 'the other'} ${plural(hidden, 'line')}.`))
  }
  return text
}

function sharesText({ shares, by }: Explanation, terminal: Terminal): string {
  return lineTable(
    shares,
    [
      { title: by === 'row' ? 'Row' : 'Account', of: ({ id, number }) => number || id },
      {
        title: 'Name',
        of: ({ number, id, name }) => (number || name !== id ? name : ''),
        dispensable: 1,
        flexible: 16,
      },
      { title: 'Lines', of: ({ lines }) => count(lines), right: true, dispensable: 2 },
      { title: 'Amount', of: ({ amount }) => money(amount), right: true },
    ],
    terminal,
  ).text
}

/** The day of a line, or the month of a budget line; an opening balance has no date. */
function whenOf({ kind, date }: Line): string {
  if (kind === 'opening' || date === null) return 'opening'
  return kind === 'budget' ? date.slice(0, 7) : date
}

const USUAL_KINDS: ReadonlySet<string> = new Set(['activity', 'opening', 'budget'])

type Shown = Partial<ExplainedLine> & Pick<Line, 'amount' | 'total'> & { readonly what: string }

/** The opening balance, the lines of earlier months as one sum unless --all lists them, and the lines of the month. */
function shownLines({ lines, shares }: Explanation): Shown[] {
  const shown = (line: ExplainedLine): Shown => ({
    ...line,
    what: whenOf(line),
  })
  const of = (phase: Line['phase']) => lines.filter((line) => line.phase === phase)
  const earlier = shares.find((share) => share.id === 'earlier')
  if (!earlier || of('earlier').length > 0) return lines.map(shown)
  const opening = of('opening')
  const month = of('month')
  const carried: Shown = {
    what: 'earlier',
    memo: `${plural(earlier.lines, 'line')} of earlier months`,
    amount: earlier.amount,
    total: earlier.total,
  }
  return [...opening.map(shown), carried, ...month.map(shown)]
}

function linesText(explained: Explanation, terminal: Terminal) {
  const { words } = explained
  const several = explained.by !== 'phase'
  const rows = shownLines(explained)
  return lineTable<Shown>(
    rows,
    [
      { title: 'Date', of: ({ what }) => what },
      { title: 'Account', of: ({ account }) => (several ? (account ?? '') : '') },
      { title: 'Transaction', of: ({ transactionId }) => transactionId ?? '', flexible: 12 },
      { title: 'Line', of: ({ lineId }) => lineId ?? '', dispensable: 9, flexible: 12 },
      { title: 'Kind', of: ({ kind = '' }) => (USUAL_KINDS.has(kind) ? '' : kind), dispensable: 4 },
      { title: headingOf('class', words), of: ({ classId }) => classId ?? '', dispensable: 6, flexible: 12 },
      {
        title: headingOf('department', words),
        of: ({ departmentId }) => departmentId ?? '',
        dispensable: 5,
        flexible: 12,
      },
      { title: 'Party', of: ({ party }) => party ?? '', dispensable: 4, flexible: 12 },
      { title: 'Memo', of: ({ memo }) => memo ?? '', dispensable: 3, flexible: 20 },
      { title: 'Reference', of: ({ reference }) => reference ?? '', dispensable: 7, flexible: 12 },
      { title: 'Settles', of: ({ settles }) => settles ?? '', dispensable: 8, flexible: 12 },
      { title: 'In the sheet', of: unscaledText, right: true, dispensable: 1 },
      { title: 'Amount', of: ({ amount }) => money(amount), right: true },
      { title: 'Total', of: ({ total }) => money(total), right: true, dispensable: 2 },
      { title: 'Source', of: ({ file, row }) => (file == null ? '' : `${file}:${row}`) },
    ],
    terminal,
  )
}
