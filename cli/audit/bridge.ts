/** `tieout bridge`: leads from the balances of one close to those of another, account by account. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { DifferingLine } from '../../builder/books/read/line-diff.ts'
import type { Bridge, BridgeRow, EquityLine } from '../../builder/inspect/audit/bridge.ts'
import { thisProgram } from '../../builder/system/version.ts'
import { action, examples } from '../terminal/command.ts'
import { csvText, refuseBoth, sheetsName } from '../terminal/csv.ts'
import { EXIT } from '../terminal/exit.ts'
import { askedFilters, basisOption, resolved } from '../terminal/filters.ts'
import { money } from '../terminal/money.ts'
import { lineTable } from '../terminal/narrow.ts'
import { plural, type Terminal, wrap } from '../terminal/terminal.ts'

interface Options {
  readonly basis?: string
  readonly csv?: boolean
  readonly to?: string
}

export function declareBridge(program: Command): void {
  const command = program
    .command('bridge')
    .summary('lead from the balances of one close to those of another')
    .description(
      'For each account: the balance as the older snapshot stated it, what the newer one corrected of it, what happened since, and the balance now, equity first; then the lines that were corrected, and the entries that moved equity since. Snapshots are named by their ids or beginnings of them, like 2025-11.',
    )
    .argument('<company>', 'id of the company')
    .argument('[old]', 'a snapshot (default: the one before the new one)')
    .argument('[new]', 'a snapshot (default: the current one)')
    .addOption(basisOption())
    .option('--csv', 'print the accounts as CSV')
    .option('--to <file>', 'write it with all lines to a new workbook (.xlsx) or page (.html)')
  examples(
    command,
    'tieout bridge harbor',
    'tieout bridge harbor 2025-11 2025-12',
    'tieout bridge harbor 2025-11 2025-12 --to bridge.xlsx',
  )
  action<Options, [company: string, before?: string, now?: string]>(
    command,
    async ({ terminal, read }, options, [company, before, now]) => {
      refuseBoth(terminal, options.csv)
      const to = sheetsName(options.to)
      const { bridge } = await import('../../builder/inspect/audit/bridge.ts')
      const found = resolved(
        await bridge((await read([company])).snapshots, {
          ...{ company, before: before ?? null, now: now ?? null },
          basis: askedFilters(options).basis,
        }),
      )
      if (to !== undefined) {
        const { bridgeSheets, writeSheets } = await import('../../builder/report/export/audit-workbook.ts')
        await writeSheets(bridgeSheets(found, thisProgram()), resolve(to))
      }
      terminal.show(found, () => (options.csv ? bridgeCsv(found) : bridgeText(found, to, terminal)))
      return found.addsUp ? EXIT.done : EXIT.failed
    },
  )
}

const AMOUNTS = ['old', 'corrections', 'activity', 'new'] as const

const bridgeCsv = ({ rows }: Bridge): string =>
  csvText(
    ['account', 'number', 'name', 'classification', ...AMOUNTS],
    rows.map((row) => [
      row.id,
      row.number,
      row.name,
      row.classification,
      ...AMOUNTS.map((column) => row[column]),
    ]),
  )

function bridgeText(found: Bridge, to: string | undefined, terminal: Terminal): string {
  const { paint, width } = terminal
  const { before, now, corrected, equity } = found
  const closed = (close: Bridge['before']) =>
    `${close.snapshotId}, through ${close.endDate}, published ${close.publishedAt.slice(0, 10)}${close.publishedBy === '' ? '' : ` by ${close.publishedBy}`}`
  const titles = {
    old: `Then ${before.endDate}`,
    corrections: 'Corrected',
    activity: 'Since',
    new: `Now ${now.endDate}`,
  }
  return [
    paint.bold(wrap(`Bridge from ${before.endDate} to ${now.endDate}`, width)),
    paint.dim(wrap(`from ${closed(before)}`, width)),
    paint.dim(wrap(`to ${closed(now)}`, width)),
    ...(now.reason === null ? [] : [wrap(`Closed months were restated: ${now.reason}`, width)]),
    wrap(`${found.company}, ${found.basis}, ${found.currency}, debit positive`, width),
    '',
    lineTable<BridgeRow>(
      found.rows,
      [
        { title: 'Account', of: ({ id, number }) => number || id, flexible: 8 },
        { title: 'Name', of: ({ name }) => name, dispensable: 1, flexible: 10 },
        ...AMOUNTS.map((column) => ({
          title: titles[column],
          of: (row: BridgeRow) => money(row[column]),
          right: true,
        })),
      ],
      terminal,
    ).text,
    '',
    found.addsUp
      ? `${paint.green('Adds up')}: each row from left to right, and each column to zero.`
      : paint.red('The bridge does not add up; please report this.'),
    ...listed(corrected, 'line was corrected', 'lines were corrected', correctedText, terminal),
    ...listed(equity, 'line moved equity since', 'lines moved equity since', equityText, terminal),
    ...(to === undefined ? [] : ['', `${paint.green('Written')} to ${to}`]),
  ].join('\n')
}

const MOST_LINES = 20

function listed<Line>(
  lines: readonly Line[],
  one: string,
  many: string,
  text: (shown: readonly Line[], terminal: Terminal) => string,
  terminal: Terminal,
): string[] {
  if (lines.length === 0) return []
  const rest = lines.length - MOST_LINES
  return [
    '',
    terminal.paint.bold(plural(lines.length, one, many)),
    text(lines.slice(0, MOST_LINES), terminal),
    ...(rest > 0 ? [terminal.paint.dim(`and ${rest} more: --to and --json have all`)] : []),
  ]
}

const correctedText = (lines: readonly DifferingLine[], terminal: Terminal): string =>
  lineTable<DifferingLine>(
    lines,
    [
      { title: '', of: ({ side }) => (side === 'added' ? '+' : '-') },
      { title: 'Date', of: ({ date }) => date ?? 'opening' },
      { title: 'Entry', of: ({ transactionId }) => transactionId ?? '', dispensable: 2, flexible: 8 },
      { title: 'Account', of: ({ account }) => account, flexible: 8 },
      { title: 'Amount', of: ({ amount }) => money(amount), right: true },
      { title: 'Memo', of: ({ memo }) => memo ?? '', dispensable: 4, flexible: 10 },
      { title: 'Source', of: ({ file, row }) => `${file}:${row}`, dispensable: 3, flexible: 12 },
    ],
    terminal,
  ).text

const equityText = (lines: readonly EquityLine[], terminal: Terminal): string =>
  lineTable<EquityLine>(
    lines,
    [
      { title: 'Account', of: ({ account }) => account, flexible: 8 },
      { title: 'Date', of: ({ date }) => date },
      { title: 'Entry', of: ({ entry }) => entry, dispensable: 2, flexible: 8 },
      { title: 'Amount', of: ({ amount }) => money(amount), right: true },
      { title: 'Memo', of: ({ memo }) => memo ?? '', dispensable: 4, flexible: 10 },
      { title: 'Source', of: ({ file, row }) => `${file}:${row}`, dispensable: 3, flexible: 12 },
    ],
    terminal,
  ).text
