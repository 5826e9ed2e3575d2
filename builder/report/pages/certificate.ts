/**
 * A page for the auditor: which snapshot this is, what it was made from, what was checked, and how to check it again.
 * It states what the manifest says; the files were checked against the manifest before.
 */

import { displayDecimal } from '../../contract/currency.ts'
import { type Html, html } from '../../contract/html.ts'
import { keptText, sourceFacts } from '../../snapshot/files/completeness.ts'
import { stateText } from '../../snapshot/files/input-state.ts'
import type { InputEntry, Manifest, TieOutEntry } from '../../snapshot/files/manifest.ts'
import type { Snapshot } from '../../snapshot/files/open.ts'
import { withoutNotes } from '../../workspace/findings/finding.ts'
import { findingList } from './finding-list.ts'
import { factsTable, textTable, timeText } from './plain-table.ts'
/** `closedThrough` is the day through which the books are closed; null where no month is. */
export function certificate(
  { company, id, manifest, manifestHash }: Snapshot,
  name: string,
  closedThrough: string | null,
): Html {
  const { Coverage, Totals, Tool, Build, Restatement } = manifest
  const warnings = withoutNotes(manifest.Warnings)
  const count = (n: number) => displayDecimal(String(n))
  return html`${factsTable([
    ['Company', `${name} (${company})`],
    ['Months', `${Coverage.StartDate} to ${Coverage.EndDate}`],
    ['Currency', manifest.Currency],
    ['Closed through', closedThrough ?? 'no month is closed'],
    ['Snapshot', id],
    ['SHA-256 of manifest.json', html`<code>${manifestHash}</code>`],
    ['SHA-256 of the figures', html`<code>${manifest.ContentHash}</code>`],
    ['Signed with key', Build.KeyId === undefined ? 'not signed' : html`<code>${Build.KeyId}</code>`],
    ['Built', `${timeText(Build.At)} by ${Tool.Name} ${Tool.Version}`],
    [
      'Holds',
      `${count(Totals.Postings)} postings in ${count(Totals.Transactions)} transactions; ${count(Totals.Documents)} documents`,
    ],
    ['Restates closed months', Restatement ? restated(Restatement) : 'no'],
    ['Warnings', warnings.length === 0 ? 'none' : `${warnings.length}, listed below`],
  ])}
<h2>Sources</h2>
${textTable('What was read, with control totals', ['File', 'Holds', 'Rows', 'Debits', 'Credits', 'SHA-256'], manifest.Inputs.map(sourceRow))}
<h2>Completeness and accuracy of each source</h2>
<p>Sources are ${keptText(manifest)}. Answers to questions about them stand in company.yaml, which is one of them; who published and closed, and when, is in the history.</p>
${manifest.Inputs.map(
  (input) => html`<h3>${input.File}</h3>
${factsTable(sourceFacts(manifest, input), `Facts of ${input.File}`)}`,
)}<h2>Checks</h2>
<p>${agreed(manifest)}</p>
${textTable(
  'What holds in every month, class and department',
  ['Rule', 'Statement', 'Basis', 'Of filters', 'Checks', 'Largest difference'],
  manifest.TieOuts.map(tieOutRow),
)}
${warnings.length === 0 ? null : html`<h2>Warnings</h2>\n${findingList(warnings)}`}<h2>To verify it</h2>
<p>In the workspace, or with a copy of the snapshots and the public key:</p>
<pre>tieout verify ${company} --snapshot ${id}</pre>
<p>It computes every figure again from the books, checks every file against manifest.json and the signature against the key. The format of
the files is documented, so that any other program can do the same; <code>tieout explain</code> leads from a figure to the rows of the sources.</p>
`
}

const restated = ({ Figures, LockDate, Reason }: NonNullable<Manifest['Restatement']>): string =>
  `${displayDecimal(String(Figures))} figures up to ${LockDate}${Reason === null ? '' : `: ${Reason}`}`

function agreed({ ControlsAgreed }: Manifest): string {
  if (ControlsAgreed === undefined)
    return 'How many figures of the sources agree with the books was not counted then.'
  return ControlsAgreed === 0
    ? 'The sources state no totals of their own that the books could be held against.'
    : `${displayDecimal(String(ControlsAgreed))} totals and balances that the sources state about themselves agree with the books.`
}

const sourceRow = ({
  File,
  Role,
  RowsRead,
  Debit,
  Credit,
  ...state
}: InputEntry): [string, ...(string | Html)[]] => [
  File,
  Role,
  displayDecimal(String(RowsRead)),
  Debit === null ? '' : displayDecimal(Debit),
  Credit === null ? '' : displayDecimal(Credit),
  html`<code>${state.Sha256 ?? stateText(state)}</code>`,
]

const tieOutRow = (entry: TieOutEntry): [string, ...string[]] => [
  entry.Identity,
  entry.Statement,
  entry.Basis.toLowerCase(),
  displayDecimal(String(entry.Scopes)),
  displayDecimal(String(entry.Checks)),
  displayDecimal(entry.LargestDifference),
]
