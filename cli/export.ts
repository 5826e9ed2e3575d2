/** `tieout export`: writes figures of a snapshot, with their provenance, as CSV, Parquet, Arrow or a workbook. */
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { present } from '../builder/contract/present.ts'
import type { StatementName } from '../builder/contract/vocabulary.ts'
import type { Resolved } from '../builder/inspect/inspect.ts'
import type { Exported } from '../builder/report/export/export.ts'
import {
  EXPORT_FORMATS,
  type ExportFormat,
  PACK,
  TABLES,
  type TableName,
} from '../builder/report/export/names.ts'
import type { Provenance } from '../builder/report/export/provenance.ts'
import { thisProgram } from '../builder/system/version.ts'
import { action, examples } from './terminal/command.ts'
import { UsageError } from './terminal/exit.ts'
import { askedFilters, type FilterOptions, filterOptions, resolved } from './terminal/filters.ts'
import { money } from './terminal/money.ts'
import { tableText } from './terminal/table.ts'
import { count, type Terminal, wrap } from './terminal/terminal.ts'

interface Options extends FilterOptions {
  readonly snapshot?: string
  readonly format?: ExportFormat
  readonly what: TableName | 'all' | typeof PACK
  readonly month?: string
  readonly cents?: boolean
  readonly ageing?: boolean
  readonly bridge?: string | true
  readonly statement?: readonly string[]
  readonly budget?: string
  readonly from?: string
  readonly through?: string
  readonly to: string
}

const STATEMENTS: Readonly<Record<string, StatementName>> = {
  'profit-loss': 'ProfitAndLoss',
  'balance-sheet': 'BalanceSheet',
  'cash-flow': 'CashFlow',
}

export function declareExport(program: Command): void {
  const command = program
    .command('export')
    .summary(
      'write a board pack as a workbook; statements, balances and postings as CSV, Parquet, Arrow or a workbook',
    )
    .description(
      'Write the figures of a published snapshot for other programs: statements (a row per line and month; in a workbook as people read them), the trial balance of every month, and every posting with its source file and row. Each export says which snapshot, filters, sources and control totals it is of: inside Parquet, Arrow and workbooks, in a .provenance.json beside CSV. In CSV, a text that a spreadsheet would take for a formula begins with an apostrophe. --what pack writes a workbook to send on: profit and loss, balance sheet and cash flow of a month as the report shows them, with formulas that give the published figures.',
    )
    .argument('<company>', 'id of the company')
    .addOption(
      new Option('--format <format>', 'of the files (default: by the ending of --to)').choices(
        EXPORT_FORMATS,
      ),
    )
    .addOption(
      new Option('--what <what>', 'which table, all tables, or the board pack')
        .choices([...TABLES, 'all', PACK])
        .default('statements'),
    )
    .requiredOption('--to <path>', 'a new file with the ending of the format; a new folder for all tables')
    .option('--snapshot <id>', 'the snapshot to read (default: the current one)')
    .addOption(
      new Option('--statement <name...>', 'which statements (default: all)').choices(Object.keys(STATEMENTS)),
    )
    .option(
      '--budget <id>',
      'figures of this budget (default: actuals); in a pack the budget beside them (default: the first that covers the year to date)',
    )
    .option('--from <month>', 'the first month, like 2025-01 (default: the first that the books cover)')
    .option('--through <month>', 'the last month (default: the last that the books cover)')
    .option('--month <month>', 'of a pack, like 2025-03 (default: the last that the books cover)')
    .option('--cents', 'in a pack, show figures as published, not in the unit of the statements')
    .option('--ageing', 'in a pack, receivables and payables by party and age at the end of the month too')
    .option(
      '--bridge [snapshot]',
      'in a pack, the bridge from the snapshot before, or from this one, too (its id or the beginning of it)',
    )
  filterOptions(command)
  examples(
    command,
    'tieout export harbor --what pack --to board-pack.xlsx',
    'tieout export harbor --what pack --month 2026-03 --cents --to march.xlsx',
    'tieout export harbor --what pack --ageing --bridge 2026-02 --to march.xlsx',
    'tieout export harbor --what all --to harbor.xlsx',
    'tieout export harbor --from 2025-01 --through 2025-12 --to harbor-2025.csv',
    'tieout export harbor --what postings --class retail --to retail.parquet',
    'tieout export harbor --what all --format csv --to harbor-tables',
  )
  action<Options, [company: string]>(command, async ({ terminal, read }, options, [company]) => {
    refuseOthers(options)
    terminal.note(`${company}: writing ${options.to}`)
    const { snapshots } = await read([company])
    const exported = resolved(await written(snapshots, company, options))
    terminal.show(exported, () => exportedText(exported, terminal))
  })
}

/** What --format says, else what the ending of the file does. */
function formatOf({ format, to }: Pick<Options, 'format' | 'to'>): ExportFormat {
  const ending = EXPORT_FORMATS.find((each) => to.toLowerCase().endsWith(`.${each}`))
  if (format ?? ending) return (format ?? ending) as ExportFormat
  throw new UsageError(
    `which format? ${to} does not end in ${EXPORT_FORMATS.map((each) => `.${each}`).join(', ')}; or give --format ${EXPORT_FORMATS.join('|')}`,
  )
}

/** Options that say nothing of what is asked for are a mistake. */
function refuseOthers({ what, ...options }: Options): void {
  if (options.statement && !['statements', 'all'].includes(what))
    throw new UsageError(`--statement chooses among the statements, and --what is ${what}`)
  if (what === PACK && formatOf(options) !== 'xlsx')
    throw new UsageError('a board pack is a workbook: --to <name>.xlsx')
  if (what === PACK && (options.from ?? options.through) !== undefined)
    throw new UsageError('a board pack is of one month: --month, not --from and --through')
  if (what !== PACK && options.month !== undefined)
    throw new UsageError(`--month is for --what ${PACK}; tables have --from and --through`)
  if (what !== PACK && options.cents)
    throw new UsageError(`--cents is for --what ${PACK}; tables have figures as published`)
  const schedules = options.ageing === true || options.bridge !== undefined
  if (what !== PACK && schedules)
    throw new UsageError(`--ageing and --bridge are for --what ${PACK}; alone they are commands`)
  if (schedules && (options.class ?? options.department) !== undefined)
    throw new UsageError('--ageing and --bridge are of the whole company, not of a class or department')
}

async function written(root: string, company: string, options: Options): Promise<Resolved<Exported>> {
  const { what, month, from, through } = options
  const common = {
    company,
    snapshotId: options.snapshot ?? null,
    ...askedFilters(options),
    budgetId: options.budget ?? null,
    to: resolve(options.to),
    software: thisProgram(),
  }
  if (what === PACK) {
    const { exportPack } = await import('../builder/report/export/pack.ts')
    const { ageing = false, bridge = false, cents = false } = options
    const from = bridge === true ? null : bridge
    return exportPack(root, { ...common, month: month ?? null, cents }, { ageing, bridge: from })
  }
  const { exportFigures } = await import('../builder/report/export/export.ts')
  const names = new Set(options.statement ?? Object.keys(STATEMENTS))
  const statements = [...names].map((name) => present(STATEMENTS[name], `statement "${name}"`))
  return exportFigures(root, {
    ...common,
    what,
    format: formatOf(options),
    statements,
    from: from ?? null,
    through: through ?? null,
  })
}

function exportedText({ company, snapshotId, files, provenance }: Exported, terminal: Terminal): string {
  const { paint, width } = terminal
  const { From, Through } = provenance.Parameters
  return [
    wrap(
      `${paint.green('Exported')} ${company} ${snapshotId}, ${From} to ${Through}: ${files.map(({ path }) => path).join(', ')}`,
      width,
    ),
    ...(provenance.Tables.length === 0 ? [] : ['', tablesText(provenance, terminal)]),
  ].join('\n')
}

const tablesText = ({ Tables }: Provenance, terminal: Terminal): string =>
  tableText(
    Tables.flatMap(({ Table, Rows, ControlTotals }) =>
      Object.entries(ControlTotals).map(([column, sum]) => ({ Table, Rows, column, sum })),
    ),
    [
      { title: 'Table', of: ({ Table }) => Table },
      { title: 'Rows', of: ({ Rows }) => count(Rows), right: true },
      { title: 'Column', of: ({ column }) => column },
      { title: 'Control total', of: ({ sum }) => money(sum), right: true },
    ],
    terminal,
  )
