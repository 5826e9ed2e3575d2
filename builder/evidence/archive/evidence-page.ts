/**
 * The first page of an evidence bag: what was published in a period and by whom, what was restated and why, which
 * sources it was made from, and how to verify all of it. Plain HTML without scripts, which opens from a disk.
 */

import { dirname } from 'node:path'
import { type Html, html, standaloneHead } from '../../contract/html.ts'
import { timeText } from '../../report/pages/plain-table.ts'
import { stateText } from '../../snapshot/files/input-state.ts'
import {
  INPUTS,
  inputPath,
  LEFT_OUT_FOLDER,
  LOG,
  MANIFEST,
  PRUNED,
  RESTATEMENT,
} from '../../snapshot/files/layout.ts'
import { fileOf, type InputEntry, type Manifest, type Restatement } from '../../snapshot/files/manifest.ts'
import type { Snapshot } from '../../snapshot/files/open.ts'
import type { LogRecord } from '../../snapshot/log/log-record.ts'
import { readFile } from '../../system/plain-file.ts'
import { settingChanges } from '../../workspace/settings-changes.ts'
import type { CompanyHistory, EvidencePeriod } from './company-history.ts'
import type { BagRequest } from './contents.ts'
import { FORMAT_PAGE, signatureCheck, totalsOf } from './readme.ts'
import { PAYLOAD } from './tags.ts'

interface EvidenceFacts {
  readonly company: string
  readonly name: string
  readonly history: CompanyHistory
  readonly request: BagRequest & { readonly period: EvidencePeriod }
  /** Ids of the keys that signed. */
  readonly keyIds: readonly string[]
}

export async function evidencePage(facts: EvidenceFacts): Promise<string> {
  const { name, history, request } = facts
  const { from, through } = request.period
  const title = `Evidence: ${name}, ${from} to ${through}`
  const sections: Html[] = []
  for (const [i, snapshot] of history.snapshots.entries())
    sections.push(await snapshotSection(snapshot, history.snapshots[i - 1] ?? null, history))
  return html`${standaloneHead(title, STYLE)}<h1>${title}</h1>
<p>What was published of these months, and all that was said of it since. Whatever is here can be checked: see <a href="#checking">checking it</a>.</p>
${factsTable(facts)}
<h2>Snapshots</h2>
${snapshotTable(history)}
${sections}
<h2>What was done, in the order of the log</h2>
${logTable(history)}
<h2>What is not in this bag</h2>
${others(history)}
<h2 id="checking">Checking it</h2>
${checking(history.snapshots.at(-1))}
</main>
</body>
</html>
`.text
}

const factsTable = ({ company, name, history, request, keyIds }: EvidenceFacts): Html =>
  table(
    ['', ''],
    [
      ['Company', `${name} (${company})`],
      ['Snapshots', String(history.snapshots.length)],
      [
        'Log',
        html`<a href="${PAYLOAD}/${LOG}">${LOG}</a>, ${history.log.records.length} lines; SHA-256 of the last one <code>${history.log.hashes.at(-1) ?? ''}</code>`,
      ],
      [
        'Keys that signed',
        html`${keyIds.map((id) => html`<a href="public-key-${id}.pem"><code>${id}</code></a> `)}`,
      ],
      ['Written', `${request.baggedAt.toISOString().slice(0, 10)} by ${request.software}`],
    ],
    'facts',
  )

const snapshotTable = (history: CompanyHistory): Html =>
  table(
    ['Snapshot', 'Covers', 'Published', 'By', 'Restates closed months'],
    history.snapshots.map(({ id, manifest }) => {
      const line = history.logged.published.get(id)
      return [
        html`<a href="#${id}">${id}</a>`,
        `${manifest.Coverage.StartDate} to ${manifest.Coverage.EndDate}`,
        timeText(history.logged.publishedAt.get(id) ?? manifest.Build.At),
        line?.By ?? 'before there was a log',
        manifest.Restatement ? (manifest.Restatement.Reason ?? 'yes, without a reason') : 'no',
      ]
    }),
  )

const logTable = (history: CompanyHistory): Html =>
  table(
    ['Line', 'When', 'By', 'What', 'Snapshot', 'Reason', 'Signed with key'],
    history.log.records.map((record) => [
      String(record.Seq),
      timeText(record.At),
      record.By,
      record.Event,
      record.SnapshotId,
      record.Reason ?? '',
      record.KeyId === null ? 'nobody' : html`<code>${record.KeyId}</code>`,
    ]),
  )

/** A table; where all headers are empty, the first column names the rows. */
function table(head: readonly string[], rows: readonly (readonly (string | Html)[])[], kind = ''): Html {
  const named = head.some((cell) => cell !== '')
  return html`<div class="wide"><table class="${kind}">
${named ? html`<thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>` : null}
<tbody>
${rows.map(
  ([
    first = '',
    ...cells
  ]) => html`<tr><th scope="row">${first}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
)}</tbody></table></div>`
}

async function snapshotSection(
  snapshot: Snapshot,
  before: Snapshot | null,
  { logged }: CompanyHistory,
): Promise<Html> {
  const { id, manifest, manifestHash } = snapshot
  const line: LogRecord | undefined = logged.published.get(id)
  return html`<section id="${id}">
<h2>${id}</h2>
${table(
  ['', ''],
  [
    [
      'Files',
      html`<a href="${PAYLOAD}/${id}/">${PAYLOAD}/${id}</a>, listed with their hashes in <a href="${PAYLOAD}/${id}/${MANIFEST}">${MANIFEST}</a>`,
    ],
    ['Manifest', html`SHA-256 <code>${manifestHash}</code>`],
    [
      'Published',
      line
        ? `${timeText(line.At)} by ${line.By}${line.Event === 'restore' ? ', restored from an archive' : ''}`
        : timeText(manifest.Build.At),
    ],
    ['Made by', `${manifest.Tool.Name} ${manifest.Tool.Version}`],
    [
      'Made of',
      `${manifest.Totals.Postings} postings in ${manifest.Totals.Transactions} transactions, ${manifest.Currency}`,
    ],
    [
      'Tie-outs',
      `${manifest.TieOuts.reduce((sum, { Checks }) => sum + Checks, 0)} comparisons, no difference`,
    ],
  ],
  'facts',
)}
<h3>Totals of the last months</h3>
<pre>${(await totalsOf(snapshot)).join('\n').trim()}</pre>
<h3>Closed months</h3>
${restatementPart(id, manifest.Restatement ?? null)}
<h3>Settings</h3>
${await settingsPart(snapshot, before)}
<h3>Sources</h3>
${sourcesPart(manifest, before?.manifest ?? null)}
</section>
`
}

function restatementPart(id: string, restatement: Restatement | null): Html {
  if (!restatement) return html`<p>As published before.</p>`
  const { Reason, Since, LockDate, Figures, First } = restatement
  return html`<p>Restates ${Figures} figures of months up to ${LockDate}, published in ${Since}: <strong>${Reason ?? 'no reason'}</strong>. <a href="${PAYLOAD}/${id}/${RESTATEMENT}">${RESTATEMENT}</a> lists all of them${First.length > 0 ? '; the first are:' : '.'}</p>
${
  First.length === 0
    ? null
    : table(
        ['Figure', 'Statement', 'Basis', 'Month', 'Before', 'Now'],
        First.map((figure) => [
          figure.Name,
          figure.Statement,
          (figure.Basis ?? '').toLowerCase(),
          figure.Month,
          figure.Old,
          figure.New ?? 'not stated',
        ]),
        'figures',
      )
}`
}

/**
 * Compares the settings with those of the snapshot before by their hash, and key by key where both company.yaml
 * were kept.
 */
async function settingsPart({ folder, manifest }: Snapshot, before: Snapshot | null): Promise<Html> {
  if (!before) return html`<p>The first snapshot here: there is nothing to compare them with.</p>`
  const [old, now] = [before.manifest.Configuration?.Sha256, manifest.Configuration?.Sha256]
  if (old !== undefined && old === now) return html`<p>As of ${before.id}.</p>`
  const texts = await Promise.all([keptSettings(before), keptSettings({ folder, manifest })])
  const [oldText, nowText] = texts
  if (oldText == null || nowText == null)
    return html`<p>They differ from those of ${before.id}; company.yaml was not kept with both, so it cannot be said in what.</p>`
  const changes = settingChanges(oldText, nowText)
  return html`<p>They differ from those of ${before.id}${changes.length === 0 ? ' in what tieout.yaml says of snapshots.' : ':'}</p>
${
  changes.length === 0
    ? null
    : table(
        ['Setting', 'Before', 'Now'],
        changes.map(({ setting, before: was, now: is }) => [setting, was ?? 'not set', is ?? 'not set']),
      )
}`
}

async function keptSettings({
  folder,
  manifest,
}: Pick<Snapshot, 'folder' | 'manifest'>): Promise<string | null> {
  const input = manifest.Inputs.find(({ Role, Kept }) => Role === 'configuration' && Kept === true)
  if (!input || input.Sha256 === null) return null
  return readFile(inputPath(dirname(folder), input.Sha256), 'utf8').catch(() => null)
}

function sourcesPart({ Inputs }: Manifest, before: Manifest | null): Html {
  const known = new Map((before?.Inputs ?? []).map((input) => [input.File, stateText(input)]))
  return table(
    ['File', 'Role', 'Rows', 'Debit', 'Credit', 'From', 'To', 'SHA-256', 'Since the one before'],
    Inputs.map((input) => [
      linkOf(input),
      input.Role,
      String(input.RowsRead),
      input.Debit ?? '',
      input.Credit ?? '',
      input.FirstDate ?? '',
      input.LastDate ?? '',
      html`<code>${input.Sha256 ?? stateText(input)}</code>`,
      changeOf(input, known, before !== null),
    ]),
    'figures',
  )
}

const linkOf = (input: InputEntry): string | Html =>
  input.Kept
    ? html`<a href="${PAYLOAD}/${INPUTS}/${input.Sha256}" download="${fileOf(input)}">${input.File}</a>`
    : input.File

function changeOf(input: InputEntry, known: ReadonlyMap<string, string>, hasBefore: boolean): string {
  if (!hasBefore) return ''
  const before = known.get(input.File)
  return before === undefined ? 'new' : before === stateText(input) ? 'as before' : 'changed'
}

function others({ leftOut, pruned }: CompanyHistory): Html {
  if (leftOut.length + pruned.length === 0)
    return html`<p>Nothing: these are all snapshots of the company.</p>`
  return html`<p>Of each snapshot that is not here, the manifest and its signature are, so that the chain of all that was published can be followed.</p>
${table(
  ['Snapshot', 'Why', 'What is here of it'],
  [
    ...leftOut.map(({ id }): [string, string, string] => [
      id,
      'it is of other months',
      `${PAYLOAD}/${LEFT_OUT_FOLDER}/${id}`,
    ]),
    ...pruned.map((id): [string, string, string] => [id, 'it was pruned', `${PAYLOAD}/${PRUNED}/${id}`]),
  ],
)}`
}

const checking = (
  last: Snapshot | undefined,
): Html => html`<p>In the folder of this file, nothing is printed where every file is the one that was put here:</p>
<pre>sha256sum --check --quiet sha256sums.txt
sha256sum --check --quiet tagmanifest-sha256.txt</pre>
<p>Each line of ${LOG} names the SHA-256 of the line before it: compare that of the last line with the one that you noted earlier, or were sent after a build. Each manifest names the one before it.</p>
${
  last?.manifest.Build.KeyId === undefined
    ? null
    : html`<p>That the manifest of ${last.id} is the one that was signed (for another snapshot, take its folder and key):</p>
<pre>${signatureCheck(`${PAYLOAD}/${last.id}`, `public-key-${last.manifest.Build.KeyId}.pem`).join('\n')}</pre>
<p>Whose keys these are, this bag cannot say: ask the publisher, who prints them with "tieout snapshots key".</p>`
}
<p>Every figure follows from the ledger in "books" of its snapshot: <a href="${FORMAT_PAGE}">${FORMAT_PAGE}</a> has all the rules. With Tieout, "tieout verify" on this folder or zip does all that, and computes every figure again.</p>`

const STYLE = `:root{color-scheme:light dark;--line:#c6cfca;--soft:#eef3f0;--text:#17211d;--page:#fff;--link:#0f6b4f}
@media (prefers-color-scheme:dark){:root{--line:#3a4741;--soft:#1c2521;--text:#e7edea;--page:#121816;--link:#6fd3af}}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,sans-serif}
main{max-width:76rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem}h2{margin-top:2.5rem;font-size:1.25rem}h3{margin:1.5rem 0 .5rem;font-size:1rem}
a{color:var(--link)}code,pre{font:13px/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
pre{padding:.75rem;background:var(--soft);overflow-x:auto;overflow-wrap:normal}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{padding:.35rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
thead th{white-space:nowrap}tbody th{font-weight:600}.facts th{width:11rem}
.figures td{font-variant-numeric:tabular-nums;white-space:nowrap}.figures code{white-space:normal}
@media print{body{font-size:11px}section{break-before:page}}
`
