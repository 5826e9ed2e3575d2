/** `tieout report` and `tieout open`: write a published snapshot as pages that a browser opens from the disk. */
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Command, Option } from 'commander'
import { BASES, type Basis } from '../builder/contract/vocabulary.ts'
import type { PrintedReport } from '../builder/report/print.ts'
import type { WrittenReport } from '../builder/report/write.ts'
import { action, examples } from './terminal/command.ts'
import { UsageError } from './terminal/exit.ts'
import { resolved } from './terminal/filters.ts'
import { plural, type Terminal, wrap } from './terminal/terminal.ts'

interface Options {
  readonly snapshot?: string
}

interface ReportOptions extends Options {
  readonly to?: string
  readonly pdf?: string
  readonly basis?: Lowercase<Basis>
}

export function declareReport(program: Command): void {
  const command = declared(
    program
      .command('report')
      .summary('write the statements as pages for a browser')
      .description(
        'Write the statements of a published snapshot as pages: an overview, profit and loss with budget and prior year, by month and by year, balance sheet and cash flow, of every basis, class and department. Any browser shows them from the disk; they need no server and no script, and print on paper. Figures are in whole units; each carries the exact one.',
      ),
  )
    .option('--to <folder>', 'write the pages to this new folder')
    .option('--pdf <file>', 'print them to this new file, with an installed Chromium, Chrome or Edge')
    .addOption(
      new Option('--basis <basis>', 'of the PDF (default: the first of the books)').choices([
        'accrual',
        'cash',
      ]),
    )
  examples(
    command,
    'tieout report harbor --to ~/harbor-report',
    'tieout report harbor 2026-03 --to ~/harbor-2026-03',
    'tieout report harbor --pdf ~/harbor.pdf',
  )
  action<ReportOptions, [company: string, month?: string]>(
    command,
    async ({ terminal, read }, options, [company, month]) => {
      const { to, pdf, basis } = options
      if (to === undefined && pdf === undefined)
        throw new UsageError('where to? Give --to with a new folder, or --pdf with a new file')
      const root = (await read([company])).snapshots
      const asked = { company, snapshotId: options.snapshot ?? null, month: month ?? null }
      const { writeReport } = await import('../builder/report/write.ts')
      const { printReport } = await import('../builder/report/print.ts')
      const written =
        to === undefined ? null : resolved(await writeReport(root, { ...asked, to: resolve(to) }))
      const printed =
        pdf === undefined
          ? null
          : resolved(await printReport(root, { ...asked, basis: basisNamed(basis), to: resolve(pdf) }))
      terminal.show({ ...written, pdf: printed }, () =>
        [written && writtenText(written, terminal), printed && printedText(printed, terminal)]
          .filter((text) => text !== null)
          .join('\n'),
      )
    },
  )
}

const basisNamed = (name: Lowercase<Basis> | undefined): Basis | null =>
  BASES.find((basis) => basis.toLowerCase() === name) ?? null

const printedText = (
  { company, snapshotId, basis, bytes, file }: PrintedReport,
  { width }: Terminal,
): string =>
  wrap(
    `${company} ${snapshotId}, ${basis.toLowerCase()}: ${plural(Math.ceil(bytes / 1000), 'kB', 'kB')} of PDF in ${file}`,
    width,
  )

export function declareOpen(program: Command): void {
  const command = declared(
    program
      .command('open')
      .summary('show the statements in a browser')
      .description(
        'Write the pages of "tieout report" below .tieout/reports and open them in the browser. Where there is none, it prints the address.',
      ),
  )
  examples(command, 'tieout open harbor', 'tieout open harbor 2026-03')
  action<Options, [company: string, month?: string]>(
    command,
    async ({ terminal, read }, options, [company, month]) => {
      const { removeTree } = await import('../builder/system/durable.ts')
      const { writeReport } = await import('../builder/report/write.ts')
      const { mkdirSync } = await import('node:fs')
      const { snapshots, state } = await read([company])
      const reports = join(state, 'reports')
      mkdirSync(reports, { recursive: true })
      const to = join(reports, company)
      removeTree(to)
      const written = resolved(
        await writeReport(snapshots, {
          company,
          snapshotId: options.snapshot ?? null,
          month: month ?? null,
          to,
        }),
      )
      const address = pathToFileURL(written.page).href
      if (!terminal.json) openInBrowser(address)
      terminal.show({ ...written, address }, () => `${company} ${written.snapshotId}: ${address}`)
    },
  )
}

const declared = (command: Command): Command =>
  command
    .argument('<company>', 'id of the company')
    .argument('[month]', 'a month, like 2025-03 (default: the last one of the books)')
    .option('--snapshot <id>', 'the snapshot to read (default: the current one)')

const writtenText = (
  { company, snapshotId, pages, bytes, page }: WrittenReport,
  { width }: Terminal,
): string =>
  wrap(
    `${company} ${snapshotId}: ${plural(pages, 'page')}, ${plural(Math.ceil(bytes / 1000), 'kB', 'kB')}. Open ${pathToFileURL(page).href}`,
    width,
  )

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
}

/** Opens the address in a browser. Where that fails, the user has the printed address. */
function openInBrowser(address: string): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const opener = spawn(program, [...args, address], { stdio: 'ignore', detached: true })
  opener.on('error', () => {})
  opener.unref()
}
