/** The history of a company: every line of its log, and which figures changed from one snapshot to the next. */
import { displayDecimal } from '../../contract/currency.ts'
import { type Html, html } from '../../contract/html.ts'
import { SUMMARY_LABELS, type SummaryName, statementTitle } from '../../contract/vocabulary.ts'
import type { FigureChange, FigureChanges } from '../../inspect/diff.ts'
import type { LogRecord } from '../../snapshot/log/log-record.ts'
import { textTable, timeText } from './plain-table.ts'

/** What changed from one snapshot to the next; null where the two could not be compared. */
export interface SnapshotStep {
  readonly before: string
  readonly now: string
  readonly changes: FigureChanges | null
}

/** `steps` newest first. */
export const historyPage = (records: readonly LogRecord[], steps: readonly SnapshotStep[]): Html =>
  html`${
    records.length === 0
      ? html`<p>There is no log beside these snapshots.</p>\n`
      : textTable(
          'The signed log, the latest line first',
          ['When', 'What', 'Snapshot', 'By', 'Reason', 'Key'],
          records.toReversed().map(recordRow),
        )
  }<h2>What changed</h2>
${steps.length === 0 ? html`<p>There is one snapshot only.</p>\n` : html`${steps.map(stepText)}`}`

const recordRow = ({
  At,
  Approval,
  Event,
  SnapshotId,
  By,
  Reason,
  KeyId,
}: LogRecord): [string, ...(string | Html)[]] => [
  timeText(Approval?.At ?? At),
  Event,
  SnapshotId,
  Approval ? `${By}, approved by ${Approval.By}` : By,
  Reason ?? '',
  KeyId === null ? 'none' : html`<code>${KeyId}</code>`,
]

const nameOf = ({ total, id, name }: FigureChange): string =>
  total ? (SUMMARY_LABELS[id as SummaryName] ?? name) : name

/** The first figures show what a change is about; `tieout diff` lists all of them. */
const MOST_FIGURES = 12

const stepText = ({ before, now, changes }: SnapshotStep): Html =>
  changes === null
    ? html`<h3>${now}</h3>\n<p>${before} cannot be compared with it.</p>\n`
    : html`<h3>${now}</h3>\n${changesText({ before, now, changes })}`

/** What changed since `before`, in words, and the first figures of it. */
export function changesText({
  before,
  now,
  changes,
}: SnapshotStep & { readonly changes: FigureChanges }): Html {
  const { changes: figures, newMonths, goneMonths } = changes
  const totals = figures.filter(({ total }) => total)
  const shown = [...totals, ...figures.filter(({ total }) => !total)].slice(0, MOST_FIGURES)
  const words = [
    ...(newMonths.length > 0 ? [`new months: ${newMonths.join(', ')}`] : []),
    ...(goneMonths.length > 0 ? [`months that are gone: ${goneMonths.join(', ')}`] : []),
    figures.length === 0
      ? 'no figure of the whole company changed in the months that both have'
      : `${displayDecimal(String(figures.length))} figures of months that both have changed`,
  ]
  return html`<p>Since ${before}: ${words.join('; ')}.</p>
${
  shown.length === 0
    ? null
    : textTable(
        shown.length === figures.length
          ? `What is different in ${now}`
          : `What is different in ${now}: ${shown.length} of ${displayDecimal(String(figures.length))} figures, totals first`,
        ['Figure', 'Statement', 'Basis', 'Budget', 'Month', 'Before', 'Now', 'Change'],
        shown.map((change) => [
          nameOf(change),
          statementTitle(change.statement),
          change.basis?.toLowerCase() ?? '',
          change.budgetId ?? '',
          change.month,
          ...[change.before, change.now, change.change].map((text) =>
            text === null ? '' : displayDecimal(text),
          ),
        ]),
        3,
      )
}`
}
