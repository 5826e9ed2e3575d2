/** `tieout proof`: shows an auditor the tie-outs and sources of a published snapshot. */
import type { Command } from 'commander'
import { addTo } from '../builder/contract/grouping.ts'
import { capitalised } from '../builder/contract/listed.ts'
import { statementTitle } from '../builder/contract/vocabulary.ts'
import type { Proof } from '../builder/inspect/proof.ts'
import { memberOf, stateText } from '../builder/snapshot/files/input-state.ts'
import type { TieOutEntry } from '../builder/snapshot/files/manifest.ts'
import { coverageText } from './pool/builds.ts'
import { action, examples } from './terminal/command.ts'
import { EXIT } from './terminal/exit.ts'
import { askedFilters, basisOption, resolved } from './terminal/filters.ts'
import { money, visible } from './terminal/money.ts'
import { lineTable } from './terminal/narrow.ts'
import { count, plural, type Terminal, wrap } from './terminal/terminal.ts'

interface Options {
  readonly basis?: string
  readonly snapshot?: string
}

export function declareProof(program: Command): void {
  const command = program
    .command('proof')
    .summary('show the tie-outs and sources of a published snapshot')
    .description(
      'Print the proof of a published snapshot: every identity that was checked, on how much and with which figures; the sources with their hashes and control totals; and whether all files still are the ones that were published.',
    )
    .argument('<company>', 'id of the company')
    .option('--snapshot <id>', 'the snapshot to read (default: the current one)')
    .addOption(basisOption().default(undefined, 'both'))
  examples(command, 'tieout proof harbor', 'tieout proof harbor --basis cash --json')
  action<Options, [company: string]>(command, async ({ terminal, read }, options, [company]) => {
    const { proof } = await import('../builder/inspect/proof.ts')
    const found = resolved(
      await proof((await read([company])).snapshots, {
        company,
        snapshotId: options.snapshot ?? null,
        basis: askedFilters(options).basis,
      }),
    )
    terminal.show(found, () => proofText(found, terminal))
    return found.proven ? EXIT.done : EXIT.failed
  })
}

function proofText(found: Proof, terminal: Terminal): string {
  const { paint, width } = terminal
  const { company, snapshotId, current, coverage, currency, tieOuts } = found
  const period = coverageText({ startDate: coverage.StartDate, endDate: coverage.EndDate })
  const checks = tieOuts.reduce((sum, entry) => sum + entry.Checks, 0)
  const verdict = found.proven
    ? `${paint.green('Proven')}: ${plural(checks, 'comparison')} hold to the last digit, and all files are as published.`
    : `${paint.red('Not proven')}: ${found.files.damaged.length > 0 ? plural(found.files.damaged.length, 'file is', 'files are') : 'an identity is'} not as published.`
  return [
    paint.bold(
      wrap(`${company}, snapshot ${snapshotId}${current ? ' (current)' : ''}, ${period}, ${currency}`, width),
    ),
    ...identityText(found, terminal),
    '',
    wrap(
      'Each identity was compared in every month, on as many combinations of class and department as stated. Left and right are its two sides on the unfiltered figures of the last month, added up where it compares several at once; the difference is the largest of all.',
      width,
    ),
    ...groupsOf(tieOuts).flatMap(([title, entries]) => [
      '',
      paint.bold(title),
      tieOutsText(entries, terminal),
    ]),
    '',
    ...sourcesText(found, terminal),
    '',
    wrap(verdict, width),
  ].join('\n')
}

function identityText(found: Proof, { paint, width }: Terminal): string[] {
  const { manifestSha256, previous, files, totals, tool, builtAt, warnings, controlsAgreed } = found
  const lines: [string, string][] = [
    ['Manifest', `sha256 ${manifestSha256}`],
    [
      'Previous',
      previous
        ? `${previous.snapshotId}, sha256 ${previous.manifestSha256} (${previous.state === 'missing' ? 'not here' : previous.state})`
        : 'none, this is the first',
    ],
    [
      'Files',
      files.damaged.length === 0
        ? `${count(files.count)}, ${count(files.bytes)} bytes, all as published`
        : files.damaged.map((each) => paint.red(each)).join('\n'),
    ],
    [
      'Books',
      `${plural(totals.Postings, 'posting')}, ${plural(totals.Transactions, 'transaction')}, ${plural(totals.Documents, 'document')}, ${plural(warnings, 'warning')}`,
    ],
    ...(controlsAgreed
      ? [
          ['Controls', `${plural(controlsAgreed, 'figure')} that the sources state, all agree`] as [
            string,
            string,
          ],
        ]
      : []),
    ['Built', `${builtAt.slice(0, 16).replace('T', ' ')} UTC by ${tool.Name} ${tool.Version}`],
  ]
  return lines.map(([label, text]) => `${paint.dim(label.padEnd(9))} ${wrap(text, width, 10)}`)
}

/** Grouped by basis, then by statement, in the order of the manifest. */
function groupsOf(tieOuts: readonly TieOutEntry[]): [string, TieOutEntry[]][] {
  const groups = new Map<string, TieOutEntry[]>()
  const bases = [...new Set(tieOuts.map((entry) => entry.Basis))]
  for (const basis of bases)
    for (const entry of tieOuts.filter((each) => each.Basis === basis)) {
      const statement = statementTitle(entry.Statement)
      const title = `${capitalised(statement)}, ${basis.toLowerCase()}`
      addTo(groups, title, entry)
    }
  return [...groups]
}

function tieOutsText(entries: readonly TieOutEntry[], terminal: Terminal): string {
  const table = lineTable(
    entries,
    [
      { title: 'Identity', of: ({ Identity }) => Identity },
      { title: 'Combinations', of: ({ Scopes }) => count(Scopes), right: true, dispensable: 1 },
      { title: 'Comparisons', of: ({ Checks }) => count(Checks), right: true, dispensable: 1 },
      { title: 'Left', of: ({ Left }) => money(Left), right: true },
      { title: 'Right', of: ({ Right }) => money(Right), right: true },
      { title: 'Difference', of: ({ LargestDifference }) => money(LargestDifference), right: true },
    ],
    terminal,
  )
  // A proof leaves no column out: where a row is too long for the terminal, it takes two lines.
  if (table.omitted.length === 0) return table.text
  return entries
    .map(({ Identity, Scopes, Checks, Left, Right, LargestDifference }) => {
      const extent = `${plural(Scopes, 'combination')}, ${plural(Checks, 'comparison')}`
      const sides = `${money(Left)} and ${money(Right)}, difference ${money(LargestDifference)}`
      return wrap(`${Identity}\n${extent}: ${sides}`, terminal.width, 2)
    })
    .join('\n')
}

/** The hashes in the form that `sha256sum --check` reads, run in the company's folder. */
function sourcesText({ sources }: Proof, terminal: Terminal): string[] {
  const ledgers = sources.filter((source) => source.balanced !== null)
  const hashed = sources.filter(({ Sha256 }) => Sha256 !== null)
  const others = sources.filter(({ Sha256 }) => Sha256 === null)
  const members = others.filter((each) => memberOf(each) !== null)
  const objects = others.filter((each) => memberOf(each) === null)
  const { paint } = terminal
  const statesOf = (title: string, of: Proof['sources']) =>
    of.length === 0
      ? []
      : [
          ...['', paint.bold(title)],
          ...of.map((each) => `${stateText(each)}  ${count(each.Bytes)} bytes  ${visible(each.File)}`),
        ]
  return [
    paint.bold('Ledgers'),
    lineTable(
      ledgers,
      [
        { title: 'File', of: ({ File }) => File },
        { title: 'Rows', of: ({ RowsRead }) => count(RowsRead), right: true },
        { title: 'From', of: ({ FirstDate }) => FirstDate ?? '', dispensable: 2 },
        { title: 'To', of: ({ LastDate }) => LastDate ?? '', dispensable: 1 },
        { title: 'Debit', of: ({ Debit }) => money(Debit), right: true },
        { title: 'Credit', of: ({ Credit }) => money(Credit), right: true },
        { title: 'Debits = credits', of: ({ balanced }) => (balanced ? 'yes' : 'no') },
      ],
      terminal,
    ).text,
    '',
    paint.bold('Sources, by SHA-256'),
    // Sheets of one workbook are separate sources in one file, which is listed once.
    ...new Set(
      hashed.map(({ File, Sha256 }) => `${Sha256}  ${visible(File.replace(/(\.xlsx)#.*$/i, '$1'))}`),
    ),
    ...statesOf('Members, by the SHA-256 of their manifests', members),
    ...statesOf('Objects of a bucket, by the ETag that its store gave them', objects),
  ]
}
