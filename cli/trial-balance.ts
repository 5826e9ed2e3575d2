/** `tieout trial-balance`: prints the opening balance, debits, credits and closing balance of every account. */
import type { Command } from 'commander'
import { capitalised } from '../builder/contract/listed.ts'
import type { TrialBalance, TrialBalanceRow } from '../builder/inspect/trial-balance.ts'
import { action, examples } from './terminal/command.ts'
import { csvText, refuseBoth } from './terminal/csv.ts'
import { EXIT } from './terminal/exit.ts'
import { askedFilters, type FilterOptions, filterOptions, resolved, scopeText } from './terminal/filters.ts'
import { money } from './terminal/money.ts'
import { lineTable } from './terminal/narrow.ts'
import { type Terminal, wrap } from './terminal/terminal.ts'

interface Options extends FilterOptions {
  readonly snapshot?: string
  readonly csv?: boolean
}

export function declareTrialBalance(program: Command): void {
  const command = program
    .command('trial-balance')
    .summary('show openings, debits, credits and balances of all accounts')
    .description(
      'List every account of a published snapshot with its opening balance, debits, credits and closing balance, debit positive. A month shows P&L accounts as they stand in its fiscal year; without a month all months are one period.',
    )
    .argument('<company>', 'id of the company')
    .argument('[month]', 'a month, like 2025-03 (default: all that the books cover)')
  filterOptions(command)
    .option('--snapshot <id>', 'the snapshot to read (default: the current one)')
    .option('--csv', 'print it as CSV')
  examples(
    command,
    'tieout trial-balance harbor 2025-12',
    'tieout trial-balance harbor 2025-12 --basis cash --csv',
  )
  action<Options, [company: string, month?: string]>(
    command,
    async ({ terminal, read }, options, [company, month]) => {
      refuseBoth(terminal, options.csv)
      const { trialBalance } = await import('../builder/inspect/trial-balance.ts')
      const found = resolved(
        await trialBalance((await read([company])).snapshots, {
          company,
          month: month ?? null,
          snapshotId: options.snapshot ?? null,
          ...askedFilters(options),
        }),
      )
      terminal.show(found, () => (options.csv ? trialBalanceCsv(found) : trialBalanceText(found, terminal)))
      return found.balances || isPart(found) ? EXIT.done : EXIT.failed
    },
  )
}

/**
 * Under a filter the books need not balance, because lines of one transaction may belong to different classes and
 * departments.
 */
const isPart = ({ classId, departmentId }: TrialBalance): boolean => classId !== null || departmentId !== null

const trialBalanceCsv = ({ rows }: TrialBalance): string =>
  csvText(
    ['account', 'number', 'name', 'classification', 'opening', 'debit', 'credit', 'closing'],
    rows.map((row) => [
      row.id,
      row.number,
      row.name,
      row.classification,
      row.opening,
      row.debit,
      row.credit,
      row.closing,
    ]),
  )

function trialBalanceText(found: TrialBalance, terminal: Terminal): string {
  const { paint, width } = terminal
  const { rows, totals, startDate, endDate, currency, snapshotId, balances } = found
  const about = { id: '', number: '', name: 'Total', classification: '', isComputed: true }
  const total: TrialBalanceRow = { ...about, ...totals }
  const verdict = balances
    ? `${paint.green('Debits equal credits')}, and all balances add up to zero.`
    : isPart(found)
      ? 'Part of the books need not balance: other lines of the same transactions carry other tags.'
      : `${paint.red('Debits and credits differ')}; please report this.`
  return [
    paint.bold(wrap(`Trial balance, ${startDate} to ${endDate}`, width)),
    wrap(`${scopeText(found)}, ${currency}, debit positive`, width),
    paint.dim(`snapshot ${snapshotId}`),
    '',
    lineTable(
      [...rows, total],
      [
        {
          title: 'Account',
          of: ({ id, number, isComputed }) => number || (isComputed ? '' : id),
          flexible: 10,
        },
        { title: 'Name', of: ({ name }) => name, dispensable: 1, flexible: 10 },
        ...(['opening', 'debit', 'credit', 'closing'] as const).map((column) => ({
          title: capitalised(column),
          of: (row: TrialBalanceRow) => money(row[column]),
          right: true,
        })),
      ],
      terminal,
    ).text,
    '',
    verdict,
  ].join('\n')
}
