/** The lines of a report as the canonical CSV that the books read, and the balances that it opens them with. */
import { appendFile } from 'node:fs/promises'
import { currencyDecimals, formatMinor } from '../../../contract/currency.ts'
import { canonicalPlan, ROW } from '../../format/canonical-plan.ts'
import type { LedgerPlan } from '../../format/intake.ts'
import { EXTRA_DAYS, type ExtraColumn } from '../../format/ledger-columns.ts'
import { csvRow } from '../../format/records.ts'
import { parseMonth } from '../../text/months.ts'
import { remembered } from '../../text/remembered.ts'
import { type BooksContext, type Dated, opensBooks, signedOf } from './books.ts'
import { sharedBy } from './entries.ts'
import { hasSides, type Line } from './lines.ts'
import type { MeasureContext } from './measure/measured.ts'
import { memberId } from './members.ts'
import { cellOf } from './rows/cells.ts'
import { dateReader } from './rows/figures.ts'
import type { Layout, ReportFamily, Role, Target } from './rows/layout.ts'

/** Marks the lines that open the books: a journal of balances brought forward. */
export const OPENING_JOURNAL = 'Beginning balance'

const CANONICAL = [
  ROW,
  'transaction_id',
  'date',
  'account',
  'amount',
  'class',
  'department',
  'memo',
  'reference',
  'journal',
  'type',
  'line_id',
  'period',
] as const
/** The amount if amounts have the sign of the account's own side: which of the two counts is known once all reports are read. */
const NATURAL = 'natural amount'
const COLUMNS = [...CANONICAL, NATURAL]
/** Columns that only reports have whose layout has their role. */
const EXTRAS = [
  ['party', 'name'],
  ['due_date', 'dueDate'],
  ['entered_on', 'enteredOn'],
  ['entered_by', 'enteredBy'],
] as const satisfies readonly (readonly [ExtraColumn, Role])[]
const extrasOf = ({ at }: Layout) => EXTRAS.filter(([, role]) => at[role] !== undefined)
export const headerOf = (layout: Layout): string =>
  csvRow([...COLUMNS, ...extrasOf(layout).map(([column]) => column)])

/** What the rows of a report depend on besides its lines. */
export interface RowContext extends Pick<MeasureContext, 'currency' | 'isCredit' | 'isUnknown'> {
  readonly targetOf: (dimension: string) => Target | 'none'
}

/** Makes the row of each line of a report; empty where the amount has no sign, since the kind of its account is unknown. */
export function rowWriter(layout: Layout, context: RowContext, dateFormat: string): (line: Line) => string {
  const { at, dimensions } = layout
  const readDay = dateReader(dateFormat)
  const extras = extrasOf(layout)
  const { isCredit, isUnknown, targetOf } = context
  const decimals = currencyDecimals(context.currency)
  const isSided = hasSides({ layout })
  const memberOf = remembered(memberId)
  const placeOf = (target: Target) => dimensions.findLast(({ id }) => targetOf(id) === target)?.at
  const [classes, departments] = [placeOf('class'), placeOf('department')]
  return ({ row, cells, id, date, number, name, figures: { net } }) => {
    if (!isSided && isUnknown(id)) return ''
    const party = cellOf(cells, at.name)
    const memo = [cellOf(cells, at.memo), party === '' ? '' : `(${party})`].filter((part) => part !== '')
    return csvRow([
      String(row),
      number ?? name ?? '',
      date,
      id,
      formatMinor(net, decimals),
      memberOf(cellOf(cells, classes)),
      memberOf(cellOf(cells, departments)),
      memo.join(' '),
      cellOf(cells, at.num),
      '',
      cellOf(cells, at.type),
      cellOf(cells, at.line),
      at.period === undefined ? '' : postingPeriod(cellOf(cells, at.period)),
      isSided ? '' : formatMinor(isCredit(id) ? 0 - net : net, decimals),
      ...extras.map(([column, role]) => {
        const text = cellOf(cells, at[role])
        return text !== '' && EXTRA_DAYS.includes(column) ? (readDay(text) ?? text) : text
      }),
    ])
  }
}

/** `Jan 2025` → `2025-01`; a text that is not a month, such as a period of adjustments, is reported by the books. */
const postingPeriod = (text: string): string => parseMonth(text) ?? text

/** How the books read the rows of each report, after the lines that open them were added to these. */
export async function plansOf(
  dates: readonly Dated[],
  first: Dated,
  family: ReportFamily,
  context: BooksContext & Pick<MeasureContext, 'isUnknown'>,
): Promise<readonly LedgerPlan[]> {
  const ledger: LedgerPlan[] = []
  for (const at of dates) {
    const { file, path, layout, entries, isTotalled } = at.report
    if (opensBooks(at, first.start, context)) await appendFile(path, openingRows(at, context))
    const entryColumn =
      cellOf(layout.header, layout.at.id) || cellOf(layout.header, layout.at.date) || 'transaction_id'
    const extras = extrasOf(layout).map(([column]) => column)
    const plan = canonicalPlan({ file, path, basis: context.basis }, [...CANONICAL, ...extras])
    const amount = context.signs.amounts && !at.report.hasSides ? NATURAL : 'amount'
    ledger.push({
      ...plan,
      ...{ header: [...COLUMNS, ...extras], columns: { ...plan.columns, amount } },
      whole: {
        ...{ years: [], openingJournals: [], entryColumn },
        // A journal whose total counts an entry twice has it twice.
        numbers: layout.kind === 'journal' && !isTotalled ? 'once' : 'any',
        // Its entries are told apart by the order of rows.
        shared: layout.kind === 'journal' && entries !== 'none' ? [] : sharedBy(family),
      },
    })
  }
  return ledger
}

function openingRows(
  { report, start }: Dated,
  { currency, isCredit, isUnknown, signs }: BooksContext & Pick<MeasureContext, 'isUnknown'>,
): string {
  const rows = [...report.measures].flatMap(([id, { opening }]) => {
    if (opening === null || opening.minor === 0 || (!report.hasSides && isUnknown(id))) return []
    const isTurned = isCredit(id) && (report.hasSides ? signs.balances : signs.amounts)
    const amount = formatMinor(signedOf(opening, isTurned), currencyDecimals(currency))
    const entry = `${OPENING_JOURNAL} ${start}`
    const journal = [OPENING_JOURNAL, '', OPENING_JOURNAL, '', '', '', amount]
    const others = extrasOf(report.layout).map(() => '')
    return csvRow([String(opening.row), entry, start, id, amount, '', '', ...journal, ...others])
  })
  return rows.join('')
}
