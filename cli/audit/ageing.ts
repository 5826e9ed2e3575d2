/** `tieout ageing`: receivables and payables by party, by how old they are. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Ageing, AgeingSection, PartyAge } from '../../builder/inspect/audit/ageing.ts'
import { thisProgram } from '../../builder/system/version.ts'
import { action, examples } from '../terminal/command.ts'
import { csvText, refuseBoth, sheetsName } from '../terminal/csv.ts'
import { EXIT } from '../terminal/exit.ts'
import { resolved } from '../terminal/filters.ts'
import { money } from '../terminal/money.ts'
import { lineTable } from '../terminal/narrow.ts'
import { plural, type Terminal, wrap } from '../terminal/terminal.ts'

interface Options {
  readonly asOf?: string
  readonly account?: string
  readonly snapshot?: string
  readonly to?: string
  readonly csv?: boolean
}

export function declareAgeing(program: Command): void {
  const command = program
    .command('ageing')
    .summary('show receivables and payables by party, by how old they are')
    .description(
      'Age the receivables and payables of a published snapshot by party at the end of a day: by due date, else by the date of the document. Where the books do not say what settles what, the oldest lines of a party are settled first, which is said. The total of each account is held against its balance.',
    )
    .argument('<company>', 'id of the company')
    .option('--as-of <day>', 'the day, like 2025-12-31 (default: the last of the books)')
    .option('--account <account>', 'one account, by id or number (default: all receivables and payables)')
    .option('--snapshot <id>', 'the snapshot to read (default: the current one)')
    .option('--csv', 'print it as CSV')
    .option('--to <file>', 'write it to a new workbook (.xlsx) or page (.html)')
  examples(
    command,
    'tieout ageing harbor --as-of 2025-12-31',
    'tieout ageing harbor --account 1110 --csv',
    'tieout ageing harbor --as-of 2025-12-31 --to ageing.xlsx',
  )
  action<Options, [company: string]>(command, async ({ terminal, read }, options, [company]) => {
    refuseBoth(terminal, options.csv)
    const to = sheetsName(options.to)
    const { ageing } = await import('../../builder/inspect/audit/ageing.ts')
    const found = resolved(
      await ageing((await read([company])).snapshots, {
        company,
        ...{ snapshotId: options.snapshot ?? null, account: options.account ?? null },
        asOf: options.asOf ?? null,
      }),
    )
    if (to !== undefined) {
      const { ageingSheets, writeSheets } = await import('../../builder/report/export/audit-workbook.ts')
      await writeSheets(ageingSheets(found, thisProgram()), resolve(to))
    }
    terminal.show(found, () => (options.csv ? ageingCsv(found) : ageingText(found, to, terminal)))
    return found.addsUp ? EXIT.done : EXIT.failed
  })
}

const ageingCsv = ({ sections, ages }: Ageing): string =>
  csvText(
    ['side', 'party_id', 'party', ...ages.map((age) => age.toLowerCase().replaceAll(' ', '_')), 'total'],
    sections.flatMap(({ side, parties }) =>
      parties.map(({ partyId, party, amounts, total }) => [side, partyId, party, ...amounts, total]),
    ),
  )

function ageingText(found: Ageing, to: string | undefined, terminal: Terminal): string {
  const { paint, width } = terminal
  return [
    paint.bold(wrap(`Receivables and payables by age, ${found.asOf}`, width)),
    wrap(`${found.company}, ${found.basis}, ${found.currency}, days since each amount was due`, width),
    paint.dim(`snapshot ${found.snapshotId}`),
    ...(found.sections.length === 0 ? ['', 'The books have no receivables and no payables.'] : []),
    ...found.sections.flatMap((section) => sectionText(section, found, terminal)),
    ...(to === undefined ? [] : ['', `${paint.green('Written')} to ${to}`]),
  ].join('\n')
}

function sectionText(section: AgeingSection, { ages, currency }: Ageing, terminal: Terminal): string[] {
  const { paint, width } = terminal
  const { side, parties, accounts, amounts, total } = section
  const sum: PartyAge = { partyId: null, party: 'Total', amounts, total }
  return [
    '',
    paint.bold(side === 'receivables' ? 'Receivables' : 'Payables'),
    lineTable<PartyAge>(
      [...parties, sum],
      [
        { title: 'Id', of: ({ partyId }) => partyId ?? '', dispensable: 2, flexible: 8 },
        { title: 'Party', of: ({ party }) => party ?? NO_PARTY, flexible: 12 },
        ...ages.map((title, i) => ({
          title,
          of: (row: PartyAge) => money(row.amounts[i] ?? ''),
          right: true,
        })),
        { title: 'Total', of: (row: PartyAge) => money(row.total), right: true },
      ],
      terminal,
    ).text,
    ...accounts.map(({ id, number, name, balance, difference }) =>
      wrap(
        `${number || id} ${name}: ${money(balance)} ${currency} in the trial balance${/[1-9]/.test(difference) ? `, ${paint.red(`${money(difference)} more than here`)}; please report this` : ', which is the sum here'}.`,
        width,
      ),
    ),
    ...howAged(section, currency).map((line) => wrap(line, width)),
  ]
}

export const NO_PARTY = '(no party)'

/** How the amounts of a section were aged, and what is not known of them, in sentences. */
function howAged({ accounts, lines, dueDates, withoutParty }: AgeingSection, currency: string): string[] {
  const said = (by: 'items' | 'movements') =>
    accounts.filter((account) => account.by === by).map(({ id, number }) => number || id)
  const [items, movements] = [said('items'), said('movements')]
  return [
    ...(items.length === 0 ? [] : [`By open items: ${items.join(', ')}.`]),
    ...(movements.length === 0
      ? []
      : [
          `By last movements, since the books do not say what settles what: ${movements.join(', ')}. The oldest lines of a party are taken for settled first.`,
        ]),
    ...(dueDates < lines
      ? [`${plural(lines - dueDates, 'open line')} without a due date: aged by the date of the line.`]
      : []),
    ...(/[1-9]/.test(withoutParty)
      ? [`${money(withoutParty)} ${currency} stand on lines that name no party.`]
      : []),
  ]
}
