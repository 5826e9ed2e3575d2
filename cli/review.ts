/** `tieout review`: shows what awaits approval, and which figures it would change. */
import type { Command } from 'commander'
import type { Proposal, ReviewedProposal } from '../builder/evidence/approval/review.ts'
import type { KeyFigure } from '../builder/report/key-figures.ts'
import { restatedText } from '../builder/snapshot/closing/closed-months.ts'
import { shortHash } from '../builder/system/hash.ts'
import { changesSummary, changesTable } from './diff.ts'
import { coverageText } from './pool/builds.ts'
import { action, examples } from './terminal/command.ts'
import { findingsText } from './terminal/findings.ts'
import { money, visible } from './terminal/money.ts'
import { lineTable } from './terminal/narrow.ts'
import { restatementTable, restatementText } from './terminal/restatement.ts'
import { tableText } from './terminal/table.ts'
import { count, type Terminal, wrap } from './terminal/terminal.ts'

export function declareReview(program: Command): void {
  const command = program
    .command('review')
    .summary('show what awaits approval, and what it would change')
    .description(
      'Without a company: list what waits for approval. With one: show what would be published, with its warnings, what it changes against the current snapshot, what it restates in closed months, and net income, cash and total assets of the last month beside the month before. Nothing of it is served until somebody else approves it.',
    )
    .argument('[company]', 'its id')
    .argument('[candidate]', 'the beginning of its hash (default: the only one)')
  examples(command, 'tieout review', 'tieout review acme', 'tieout review acme 3f9c2a1b7d40e6aa --json')
  action(command, async ({ terminal, read }, _options, [company, asked]) => {
    const { companyFolder } = await import('../builder/snapshot/files/layout.ts')
    const { candidatesIn } = await import('../builder/snapshot/log/candidates.ts')
    const { chosenCandidate, companiesWithCandidates } = await import(
      '../builder/evidence/approval/approve.ts'
    )
    const { proposal, review } = await import('../builder/evidence/approval/review.ts')
    const root = (await read(company === undefined ? null : [company])).snapshots
    if (company !== undefined) {
      const found = await review(root, company, await chosenCandidate(root, company, asked ?? null))
      terminal.show(found, () => reviewText(found, terminal))
      return undefined
    }
    const waiting: Proposal[] = []
    for (const id of companiesWithCandidates(root))
      for (const candidate of await candidatesIn(companyFolder(root, id)))
        waiting.push(await proposal(root, id, candidate))
    terminal.show({ waiting }, () => listText(waiting, terminal))
  })
}

function listText(waiting: readonly Proposal[], terminal: Terminal): string {
  if (waiting.length === 0) return 'Nothing waits for approval.'
  const { dim, yellow } = terminal.paint
  return tableText(
    waiting,
    [
      { title: 'Company', of: ({ company }) => company },
      { title: 'Candidate', of: ({ candidate }) => shortHash(candidate) },
      { title: 'What', of: ({ event }) => event },
      { title: 'Snapshot', of: ({ snapshotId }) => visible(snapshotId) },
      { title: 'Proposed (UTC)', of: ({ proposedAt }) => visible(proposedAt.slice(0, 16).replace('T', ' ')) },
      { title: 'By', of: ({ proposedBy }) => visible(proposedBy) },
      {
        title: 'Status',
        of: ({ stale }) => (stale ? 'stale' : 'waits'),
        colour: ({ stale }) => (stale ? dim : yellow),
      },
      { title: 'To be approved by', of: ({ approvedBy }) => visible(approvedBy.join(' or ')) },
    ],
    terminal,
  )
}

const WHAT: Readonly<Record<string, string>> = {
  publish: 'Publish',
  use: 'Go back to',
  restore: 'Take back from an archive',
  prune: 'Remove',
  reopen: 'Open closed months of',
  adopt: 'Vouch for the snapshots as they lie here, the current one',
  approval: 'Change who approves; current is',
}

function reviewText(found: ReviewedProposal, terminal: Terminal): string {
  const { paint, width } = terminal
  const { company, candidate, event, snapshotId, also, approvers, restated, closedThrough, snapshot } = found
  const facts: readonly (readonly [string, string])[] = [
    ['Candidate', shortHash(candidate)],
    ['Proposed', `${found.proposedAt.slice(0, 16).replace('T', ' ')} UTC by ${found.proposedBy}`],
    ['Signed by', found.keyId ?? 'nobody'],
    ...(found.reason === null ? [] : [['Reason', found.reason] as const]),
    ...(also.length === 0 ? [] : [['And', also.join(', ')] as const]),
    ...(approvers === null ? [] : [['Approvers', approversText(approvers)] as const]),
    ...(restated === null ? [] : [['Restates', restatedText(restated)] as const]),
    ...(closedThrough === null ? [] : [['Closed', `through ${closedThrough}`] as const]),
    ['To be', `approved by ${found.approvedBy.join(' or ') || 'nobody'}`],
    ...(snapshot === null ? [] : snapshotFacts(snapshot)),
  ]
  const label = Math.max(...facts.map(([name]) => name.length)) + 2
  const again = event === 'publish' ? `tieout build ${company}` : 'propose it again'
  return [
    paint.bold(wrap(`${company}: ${WHAT[event] ?? event} ${visible(snapshotId)}`, width)),
    ...facts.map(([name, text]) => `${paint.dim(name.padEnd(label))}${wrap(visible(text), width, label)}`),
    ...(snapshot === null ? [] : snapshotTexts(snapshot, terminal)),
    '',
    found.stale
      ? wrap(`Stale: the log went on since it was proposed. Next: ${again}, and review that.`, width)
      : wrap(
          `To publish it: tieout approve ${company} ${shortHash(candidate)} --key FILE. Not to: tieout reject ${company} ${shortHash(candidate)} --reason "…".`,
          width,
        ),
  ].join('\n')
}

const approversText = (approvers: NonNullable<ReviewedProposal['approvers']>): string =>
  approvers.map(({ name, key }) => `${name} (${key})`).join(', ') || 'none: nobody has to approve any more'

type Shown = NonNullable<ReviewedProposal['snapshot']>

const snapshotFacts = ({ builtAt, version, coverage, postings, folder }: Shown) =>
  [
    ['Built', `${builtAt.slice(0, 16).replace('T', ' ')} UTC with ${version}`],
    ['Coverage', `${coverageText(coverage)}, ${count(postings)} postings`],
    ['Files', folder],
  ] as const

function snapshotTexts(snapshot: Shown, terminal: Terminal): string[] {
  const { changes, figures, restatement, warnings, currency } = snapshot
  const { paint, width } = terminal
  return [
    '',
    paint.bold(`The last month, beside the month before, ${currency}`),
    figuresTable(figures, terminal),
    ...(changes === null
      ? ['', wrap('There is no current snapshot that it could be compared with.', width)]
      : ['', wrap(`Since ${changes.since} ${changesSummary(changes)}.`, width)]),
    ...(changes && changes.changes.length > 0 ? [changesTable(changes.changes, terminal)] : []),
    ...(restatement
      ? [
          '',
          wrap(`${paint.yellow('Closed months')}: ${restatementText(restatement)}`, width),
          restatementTable(restatement, terminal),
        ]
      : []),
    ...(warnings.length > 0 ? ['', findingsText(warnings, terminal)] : []),
  ]
}

const NAMES: Readonly<Record<string, string>> = {
  NetIncome: 'Net income',
  EndingCash: 'Cash at the end',
  TotalAssets: 'Total assets',
}

const figuresTable = (figures: readonly KeyFigure[], terminal: Terminal): string =>
  lineTable(
    figures,
    [
      { title: '', of: ({ name }) => NAMES[name] ?? name },
      { title: 'Basis', of: ({ basis }) => basis.toLowerCase(), dispensable: 2 },
      { title: 'Month before', of: ({ before }) => money(before), right: true, dispensable: 1 },
      { title: figures[0]?.month ?? '', of: ({ value }) => money(value), right: true },
    ],
    terminal,
  ).text
