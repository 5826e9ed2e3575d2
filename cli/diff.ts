/**
 * `tieout diff`: shows which figures a snapshot states differently from an earlier one, and the ledger lines behind
 * them.
 */
import type { Command } from 'commander'
import { filterTexts } from '../builder/books/reference/presentation.ts'
import { statementTitle } from '../builder/contract/vocabulary.ts'
import type { Diff, FigureChange, FigureChanges } from '../builder/inspect/diff.ts'
import { action, examples } from './terminal/command.ts'
import { csvText, refuseBoth } from './terminal/csv.ts'
import { askedFilters, basisOption, type FilterOptions, memberOptions, resolved } from './terminal/filters.ts'
import { money, visible } from './terminal/money.ts'
import { lineTable } from './terminal/narrow.ts'
import { restatementText } from './terminal/restatement.ts'
import { count, plural, type Terminal, wrap } from './terminal/terminal.ts'

interface Options extends FilterOptions {
  readonly csv?: boolean
  readonly lines?: boolean
}

export function declareDiff(program: Command): void {
  const command = program
    .command('diff')
    .summary('list the figures that changed between two published snapshots')
    .description(
      'List the figures that two snapshots of a company state differently, by statement, account or metric, and month: old, new and change; and the lines of the books that only one of them holds, with file and row. Months that only one covers are named, not listed.',
    )
    .argument('<company>', 'id of the company')
    .argument('[old]', 'a snapshot (default: the one before the new one)')
    .argument('[new]', 'a snapshot (default: the current one)')
    .addOption(basisOption().default(undefined, 'both'))
  memberOptions(command)
    .option('--lines', 'list only lines of the books, not figures')
    .option('--csv', 'print the figures as CSV; with --lines, the lines')
  examples(
    command,
    'tieout diff harbor',
    'tieout diff harbor 2025-11-r1-3f9c2a 2025-12-r1-8461fb',
    'tieout diff harbor --basis accrual --csv',
    'tieout diff harbor --class retail --department sales',
    'tieout diff harbor --lines --csv > lines.csv',
  )
  action<Options, [company: string, before?: string, now?: string]>(
    command,
    async ({ terminal, read }, options, [company, before, now]) => {
      refuseBoth(terminal, options.csv)
      const { diff } = await import('../builder/inspect/diff.ts')
      const found = resolved(
        await diff((await read([company])).snapshots, {
          company,
          before: before ?? null,
          now: now ?? null,
          ...askedFilters(options),
        }),
      )
      terminal.show(found, () => {
        if (options.csv) return options.lines ? linesCsv(found) : diffCsv(found)
        return diffText(options.lines ? { ...found, changes: [] } : found, terminal, options.lines)
      })
    },
  )
}

/** A budget is compared once, since it states the same figures on each basis. */
const scopeOf = ({ statement, basis, budgetId }: FigureChange): string =>
  [
    statementTitle(statement),
    ...(budgetId === null ? (basis === null ? [] : [basis.toLowerCase()]) : [`budget ${budgetId}`]),
  ].join(', ')

const diffCsv = ({ changes }: Diff): string =>
  csvText(
    ['statement', 'basis', 'budget', 'id', 'name', 'total', 'month', 'old', 'new', 'change'],
    changes.map((each) => [
      each.statement,
      each.budgetId === null ? (each.basis?.toLowerCase() ?? null) : null,
      each.budgetId,
      each.id,
      each.name,
      each.total ? 'yes' : 'no',
      each.month,
      each.before,
      each.now,
      each.change,
    ]),
  )

const linesCsv = ({ lines }: Diff): string =>
  csvText(
    [
      'side',
      'basis',
      'kind',
      'date',
      'transaction',
      'account',
      'class',
      'department',
      'amount',
      'memo',
      'file',
      'row',
    ],
    lines.map((line) => [
      line.side,
      line.basis,
      line.kind,
      line.date,
      line.transactionId,
      line.account,
      line.classId,
      line.departmentId,
      line.amount,
      line.memo,
      line.file,
      String(line.row),
    ]),
  )

/** Rows shown without --verbose: the correction of one line changes every balance after it. */
const LISTED = 40

const moreText = (rows: readonly unknown[], verbose: boolean): string[] =>
  !verbose && rows.length > LISTED ? [`and ${count(rows.length - LISTED)} more (--verbose lists them)`] : []

/** Changed figures, one on each line; without --verbose a long list is cut. */
export function changesTable(changes: readonly FigureChange[], terminal: Terminal): string {
  const shown = terminal.verbose ? changes : changes.slice(0, LISTED)
  const { text } = lineTable(
    shown,
    [
      { title: 'Statement', of: scopeOf, flexible: 14 },
      { title: 'Account', of: ({ name }) => name, flexible: 12 },
      { title: 'Month', of: ({ month }) => month },
      { title: 'Old', of: ({ before }) => money(before), right: true, dispensable: 1 },
      { title: 'New', of: ({ now }) => money(now), right: true },
      { title: 'Change', of: ({ change }) => money(change), right: true },
    ],
    terminal,
  )
  return [text, ...moreText(changes, terminal.verbose)].join('\n')
}

function diffText(found: Diff, terminal: Terminal, onlyLines = false): string {
  const { paint, width, verbose } = terminal
  const cut = <T>(rows: readonly T[]) => (verbose ? rows : rows.slice(0, LISTED))
  const more = (rows: readonly unknown[]) => moreText(rows, verbose)
  const { changes, lines } = found
  const within = filterTexts(found).map((filter) => `, ${filter}`)
  return [
    paint.bold(
      wrap(`${found.company}, ${found.before} to ${found.now}, ${found.currency}${within.join('')}`, width),
    ),
    ...(onlyLines ? [] : [wrap(`${changesSummary(found)}.`, width)]),
    ...found.restatements.map((each) =>
      wrap(`${each.snapshotId} restates closed months: ${restatementText(each)}`, width),
    ),
    ...(changes.length === 0 ? [] : ['', changesTable(changes, terminal)]),
    ...(lines.length === 0
      ? []
      : [
          '',
          paint.bold('Lines of the books that only one of them holds, debit positive'),
          lineTable(
            cut(lines),
            [
              {
                title: '',
                of: ({ side }) => (side === 'removed' ? '-' : '+'),
                colour: ({ side }) => (side === 'removed' ? paint.red : paint.green),
              },
              { title: 'Account', of: ({ account }) => account },
              { title: 'Date', of: ({ date }) => date ?? 'opening' },
              { title: 'Transaction', of: ({ transactionId }) => transactionId ?? '', dispensable: 2 },
              { title: 'Basis', of: ({ basis }) => basis, dispensable: 4 },
              { title: 'Amount', of: ({ amount }) => money(amount), right: true },
              { title: 'Memo', of: ({ memo }) => memo ?? '', dispensable: 3, flexible: 10 },
              { title: 'Source', of: ({ file, row }) => `${file}:${row}`, dispensable: 1 },
            ],
            terminal,
          ).text,
          ...more(lines),
        ]),
  ].join('\n')
}

/** `3 figures of accounts and 1 total changed, in 2025-02 to 2025-04; 2026-11 is new; new budget: plan-2026` */
export function changesSummary(found: FigureChanges & Partial<Diff>): string {
  const { changes, newMonths, goneMonths, newBudgets, goneBudgets, classId, departmentId } = found
  const totals = changes.filter(({ total }) => total).length
  const metrics = changes.filter(({ statement }) => statement === 'NonFinancial').length
  const accounts = changes.length - totals - metrics
  const counted = [
    ...(accounts + totals === 0
      ? []
      : [plural(accounts, 'figure of an account', 'figures of accounts'), plural(totals, 'total')]),
    ...(metrics === 0 ? [] : [plural(metrics, 'figure of a metric', 'figures of metrics')]),
  ]
  const months = changes.map(({ month }) => month).sort()
  const span = (list: readonly string[]) => [...new Set([list[0], list.at(-1)])].join(' to ')
  const within = months.length === 0 ? '' : `, in ${span([...new Set(months)])}`
  const figures =
    changes.length === 0
      ? `no figure${classId || departmentId ? '' : ' of the whole company'} changed in the months that both cover`
      : `${new Intl.ListFormat('en').format(counted)} changed${within}`
  const are = (list: readonly string[], what: string) =>
    list.length === 0 ? [] : [`${span(list)} ${list.length === 1 ? 'is' : 'are'} ${what}`]
  const budgets = (list: readonly string[], what: string) =>
    list.length === 0
      ? []
      : [`${what} ${list.length === 1 ? 'budget' : 'budgets'}: ${list.map(visible).join(', ')}`]
  return [
    figures,
    ...are(newMonths, 'new'),
    ...are(goneMonths, 'covered no more'),
    ...budgets(newBudgets, 'new'),
    ...budgets(goneBudgets, 'removed'),
  ].join('; ')
}
