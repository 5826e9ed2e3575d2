/** `tieout journal-tests`: looks through the journal entries of a snapshot for those that an auditor asks about. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Benford } from '../../builder/inspect/audit/benford.ts'
import type { Hit, JournalTests, RuleResult } from '../../builder/inspect/audit/journal-tests.ts'
import { thisProgram } from '../../builder/system/version.ts'
import { action, examples } from '../terminal/command.ts'
import { sheetsName } from '../terminal/csv.ts'
import { EXIT, UsageError } from '../terminal/exit.ts'
import { askedFilters, basisOption, resolved } from '../terminal/filters.ts'
import { money } from '../terminal/money.ts'
import { lineTable } from '../terminal/narrow.ts'
import { tableText } from '../terminal/table.ts'
import { count, plural, type Terminal, wrap } from '../terminal/terminal.ts'

interface Options {
  readonly from?: string
  readonly through?: string
  readonly basis?: string
  readonly snapshot?: string
  readonly rule?: string[]
  readonly set?: string[]
  readonly list: string
  readonly to?: string
}

export function declareJournalTests(program: Command): void {
  const command = program
    .command('journal-tests')
    .summary('look through journal entries for those that an auditor asks about')
    .description(
      'Test the journal entries of a published snapshot (AS 2401, ISA 240): entries on weekends and holidays, round amounts, seldom pairs of accounts, entries without words, reversals, duplicates, gaps in numbers, first digits and others. Says first that all lines are there. The same snapshot and parameters give the same result.',
    )
    .argument('<company>', 'id of the company')
    .option('--from <month>', 'the first month, like 2025-01 (default: the first that the books cover)')
    .option('--through <month>', 'the last month (default: the last that the books cover)')
    .addOption(basisOption())
    .option('--snapshot <id>', 'the snapshot to read (default: the current one)')
    .option('--rule <name...>', 'only these tests (default: all)')
    .option('--set <rule.parameter=value...>', 'parameters of tests, like round-amount.of=5000')
    .option('--list <n>', 'how many lines of each test are shown', '5')
    .option('--to <file>', 'write all lines to a new workbook (.xlsx) or page (.html)')
  examples(
    command,
    'tieout journal-tests harbor --from 2025-01 --through 2025-12',
    'tieout journal-tests harbor --set below-limit.limit=5000 holiday.days=01-01,12-25,2025-04-18',
    'tieout journal-tests harbor --rule key-word --set key-word.words=bonus,loan --list 50',
    'tieout journal-tests harbor --from 2025-01 --to tests-2025.xlsx',
  )
  action<Options, [company: string]>(command, async ({ terminal, read }, options, [company]) => {
    const list = listed(options.list)
    const parameters = parametersOf(options.set ?? [])
    const to = sheetsName(options.to)
    const { journalTests } = await import('../../builder/inspect/audit/journal-tests.ts')
    const { writeJournalTests } = await import('../../builder/report/export/audit-workbook.ts')
    const { snapshots } = await read([company])
    const tests = resolved(
      await journalTests(
        snapshots,
        {
          company,
          ...{
            snapshotId: options.snapshot ?? null,
            from: options.from ?? null,
            through: options.through ?? null,
          },
          basis: askedFilters(options).basis,
          ...{ rules: options.rule ?? [], parameters, list },
        },
        async (lines, found) => {
          if (to !== undefined) await writeJournalTests(lines, found, resolve(to), thisProgram())
        },
      ),
    )
    terminal.show(tests, () => testsText(tests, to, terminal))
    return tests.population.isComplete ? EXIT.done : EXIT.failed
  })
}

function listed(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new UsageError(`--list ${text} is not a number of lines, such as 20`)
}

function parametersOf(texts: readonly string[]): Map<string, string> {
  return new Map(
    texts.map((text) => {
      const at = text.indexOf('=')
      if (at < 1) throw new UsageError(`--set ${text}: write rule.parameter=value, like round-amount.of=5000`)
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
    }),
  )
}

function testsText(tests: JournalTests, to: string | undefined, terminal: Terminal): string {
  const { paint, width } = terminal
  const { population, currency, startDate, endDate } = tests
  const complete = population.isComplete
    ? `${paint.green('Complete')}: debits equal credits, and both are those of the trial balance.`
    : paint.red('Debits, credits and the trial balance differ; please report this.')
  return [
    paint.bold(wrap(`Tests of journal entries, ${startDate} to ${endDate}`, width)),
    paint.dim(`snapshot ${tests.snapshotId}, ${tests.basis}`),
    '',
    wrap(
      `${plural(population.lines, 'line')} of ${plural(population.entries, 'entry', 'entries')}, debits ${money(population.debit)} ${currency}, credits ${money(population.credit)} ${currency}. ${complete}`,
      width,
    ),
    '',
    rulesText(tests.rules, terminal),
    ...tests.rules.filter(({ listed }) => listed.length > 0).map((rule) => hitsText(rule, terminal)),
    ...(tests.benford.length === 0 ? [] : [benfordText(tests.benford, terminal)]),
    '',
    wrap(
      `SHA-256 of the hits: ${tests.sha256}${to === undefined ? '. All lines as a workbook: --to <file>.xlsx' : ''}`,
      width,
    ),
    ...(to === undefined ? [] : [`${paint.green('Written')} to ${to}`]),
  ].join('\n')
}

const rulesText = (rules: readonly RuleResult[], terminal: Terminal): string =>
  tableText(
    rules,
    [
      { title: 'Test', of: ({ id }) => id },
      {
        title: 'What it finds',
        of: ({ title, leftOut }) => (leftOut === null ? title : `left out: ${leftOut}`),
      },
      { title: 'Lines', of: ({ hits, leftOut }) => (leftOut === null ? count(hits) : ''), right: true },
      {
        title: 'Entries',
        of: ({ entries, leftOut }) => (leftOut === null ? count(entries) : ''),
        right: true,
      },
    ],
    terminal,
  )

function hitsText({ id, title, hits, listed }: RuleResult, terminal: Terminal): string {
  const rest = hits - listed.length
  return [
    '',
    terminal.paint.bold(`${id}: ${title}`),
    lineTable<Hit>(
      listed,
      [
        { title: 'Date', of: ({ date }) => date },
        { title: 'Entry', of: ({ entry }) => entry, dispensable: 3, flexible: 8 },
        { title: 'Account', of: ({ account, name }) => `${account} ${name}`.trim(), flexible: 12 },
        { title: 'Debit', of: ({ debit }) => money(debit), right: true },
        { title: 'Credit', of: ({ credit }) => money(credit), right: true },
        { title: 'Why', of: ({ why }) => why, dispensable: 1, flexible: 12 },
        { title: 'Party', of: ({ party }) => party ?? '', dispensable: 5, flexible: 10 },
        { title: 'Memo', of: ({ memo }) => memo ?? '', dispensable: 4, flexible: 10 },
        { title: 'Source', of: ({ file, row }) => `${file}:${row}`, dispensable: 2, flexible: 12 },
      ],
      terminal,
    ).text,
    ...(rest > 0 ? [terminal.paint.dim(`and ${plural(rest, 'more line', 'more lines')}`)] : []),
  ].join('\n')
}

const MOST_ACCOUNTS = 8

function benfordText(benford: readonly Benford[], terminal: Terminal): string {
  const judged = benford.filter(({ conformity }) => conformity !== null)
  const few = benford.length - judged.length
  const text = few === 0 ? '' : `${plural(few, 'account')} with fewer than 1,000 amounts: no verdict.`
  return [
    '',
    terminal.paint.bold('First two digits of debits of ten and more (Benford’s law)'),
    ...(judged.length === 0
      ? []
      : [
          tableText(
            judged.slice(0, MOST_ACCOUNTS),
            [
              { title: 'Account', of: ({ account }) => account ?? 'all' },
              { title: 'Amounts', of: ({ amounts }) => count(amounts), right: true },
              { title: 'Deviation', of: ({ deviation }) => deviation.toFixed(4), right: true },
              { title: 'Chi-squared', of: ({ chiSquared }) => chiSquared.toFixed(1), right: true },
              { title: 'Conformity', of: ({ conformity }) => conformity ?? '' },
              { title: 'Most beyond chance', of: ({ most }) => most.map(({ digits }) => digits).join(', ') },
            ],
            terminal,
          ),
        ]),
    ...(text === '' ? [] : [wrap(text, terminal.width)]),
  ].join('\n')
}
