/** `tieout export`: writes figures of a snapshot, with their provenance, as CSV, Parquet, Arrow or a workbook. */
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { present } from '../builder/contract/present.ts'
import type { StatementName } from '../builder/contract/vocabulary.ts'
import type { Exported } from '../builder/export/export.ts'
import { FORMATS, type Format, TABLES, type TableName } from '../builder/export/names.ts'
import { VERSION } from '../builder/workspace/version.ts'
import { action, examples } from './command.ts'
import { UsageError } from './exit.ts'
import { type FilterOptions, filterOptions, filtersOf, resolved } from './filters.ts'
import { money } from './money.ts'
import { tableText } from './table.ts'
import { count, type Terminal, wrap } from './terminal.ts'

interface Options extends FilterOptions {
  readonly snapshot?: string
  readonly format?: Format
  readonly what: TableName | 'all'
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
    .summary('statements, trial balance and postings as CSV, Parquet, Arrow or a workbook')
    .description(
      'Write the figures of a published snapshot for other programs: statements (a row per line and month; in a workbook as people read them), the trial balance of every month, and every posting with its source file and row. Each export says which snapshot, filters, sources and control totals it is of: inside Parquet, Arrow and workbooks, in a .provenance.json beside CSV. In CSV, a text that a spreadsheet would take for a formula begins with an apostrophe.',
    )
    .argument('<company>', 'id of the company')
    .addOption(
      new Option('--format <format>', 'of the files (default: by the ending of --to)').choices(FORMATS),
    )
    .addOption(new Option('--what <table>', 'which table').choices([...TABLES, 'all']).default('statements'))
    .requiredOption('--to <path>', 'a new file with the ending of the format; a new folder for all tables')
    .option('--snapshot <id>', 'of which version (default: the current one)')
    .addOption(
      new Option('--statement <name...>', 'which statements (default: all)').choices(Object.keys(STATEMENTS)),
    )
    .option('--budget <id>', 'figures of this budget (default: actuals)')
    .option('--from <month>', 'the first month, like 2025-01 (default: the first that the books cover)')
    .option('--through <month>', 'the last month (default: the last that the books cover)')
  filterOptions(command)
  examples(
    command,
    'tieout export harbor --what all --to harbor.xlsx',
    'tieout export harbor --from 2025-01 --through 2025-12 --to harbor-2025.csv',
    'tieout export harbor --what postings --class retail --to retail.parquet',
    'tieout export harbor --what all --format csv --to harbor-tables',
  )
  action<Options, [company: string]>(command, async ({ terminal, folder }, options, [company]) => {
    if (options.statement && !['statements', 'all'].includes(options.what))
      throw new UsageError(`--statement chooses among the statements, and --what is ${options.what}`)
    const { openWorkspace } = await import('../builder/workspace/workspace.ts')
    const { exportFigures } = await import('../builder/export/export.ts')
    terminal.note(`${company}: writing ${options.to}`)
    const exported = resolved(
      await exportFigures(openWorkspace(folder).snapshots, {
        company,
        snapshotId: options.snapshot ?? null,
        format: formatOf(options),
        what: options.what,
        statements: [...new Set(options.statement ?? Object.keys(STATEMENTS))].map((name) =>
          present(STATEMENTS[name], `statement "${name}"`),
        ),
        ...filtersOf(options),
        budgetId: options.budget ?? null,
        from: options.from ?? null,
        through: options.through ?? null,
        to: resolve(options.to),
        software: `Tieout ${VERSION}`,
      }),
    )
    terminal.show(exported, () => exportedText(exported, terminal))
    return undefined
  })
}

/** What --format says, else what the ending of the file does. */
function formatOf({ format, to }: Pick<Options, 'format' | 'to'>): Format {
  const ending = FORMATS.find((each) => to.toLowerCase().endsWith(`.${each}`))
  if (format ?? ending) return (format ?? ending) as Format
  throw new UsageError(
    `which format? ${to} does not end in ${FORMATS.map((each) => `.${each}`).join(', ')}; or give --format ${FORMATS.join('|')}`,
  )
}

function exportedText({ company, snapshotId, files, provenance }: Exported, terminal: Terminal): string {
  const { paint, width } = terminal
  const { From, Through } = provenance.Parameters
  return [
    wrap(
      `${paint.green('Exported')} ${company} ${snapshotId}, ${From} to ${Through}: ${files.map(({ path }) => path).join(', ')}`,
      width,
    ),
    '',
    tableText(
      provenance.Tables.flatMap(({ Table, Rows, ControlTotals }) =>
        Object.entries(ControlTotals).map(([column, sum]) => ({ Table, Rows, column, sum })),
      ),
      [
        { title: 'Table', of: ({ Table }) => Table },
        { title: 'Rows', of: ({ Rows }) => count(Rows), right: true },
        { title: 'Column', of: ({ column }) => column },
        { title: 'Control total', of: ({ sum }) => money(sum), right: true },
      ],
      terminal,
    ),
  ].join('\n')
}
