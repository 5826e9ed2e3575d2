/**
 * The lines of a statement in the order in which people read it: headings, accounts below the groups of the chart, or of the
 * company's own layout, subtotals and totals. The lines hold no figure: each says what it adds up, so that the same lines serve
 * every column.
 */
import type { Account } from '../books/reference/frame.ts'
import { isProfitAndLoss, type StatementName } from '../contract/vocabulary.ts'
import type { PublishedRow, PublishedStatement } from '../snapshot/files/documents.ts'
import { DIFFERENCE } from '../workspace/group.ts'
import { ownBalanceSheetPart, ownProfitAndLoss } from './custom-layout.ts'
import { accountLine, grouped, heading, type LineStyle, type ReportLine, totalLine } from './groups.ts'
import { keyLines } from './key-lines.ts'
import { PARTS } from './parts.ts'
import type { FigureSource } from './source.ts'

/** The lines of one statement for all of these documents together: an account that only one of them states has its line. */
export function reportLinesOf(
  statement: StatementName,
  documents: readonly PublishedStatement[],
  source: Pick<FigureSource, 'frame' | 'layout' | 'hasChart'>,
): ReportLine[] {
  const { accounts, presentation } = source.frame
  const chart = new Map(accounts.map((account) => [account.id, account]))
  const rows = new Map<string, PublishedRow>()
  for (const document of documents)
    for (const [id, row] of document.rows) if (!rows.has(id)) rows.set(id, row)
  const { ProfitAndLoss: ownResult, BalanceSheet: ownPosition } = presentation?.layout ?? {}
  if (statement === 'ProfitAndLoss' && ownResult)
    return ownProfitAndLoss(ownResult, [...rows.values()], chart)
  const below = documents.some(({ withoutCash }) => withoutCash.size > 0) ? WITHOUT_CASH : []
  const shown = PARTS[statement].flatMap((part) => {
    const own = [...rows.values()].filter(({ section }) => section === part.section)
    const style: LineStyle = { measure: statement === 'BalanceSheet' ? 'last' : 'sum', better: part.better }
    const lines =
      part.section === 'Operating'
        ? operating(own, chart, style)
        : statement === 'BalanceSheet' && ownPosition
          ? ownBalanceSheetPart(ownPosition, own, chart, style)
          : grouped(own, chart, style, 1)
    return [
      ...(lines.length === 0 ? [] : [heading(part.section, part.heading, 0), ...lines]),
      ...(part.total ? [totalLine(part.total, style.measure, 'subtotal')] : []),
      ...part.totals.map((total) => totalLine(total, style.measure, 'total')),
    ]
  })
  if (source.layout === 1) return [...shown.map(firstNamed), ...below]
  return [...shown, ...keyLines(statement, [...rows.values()], chart, source), ...below]
}

const firstNamed = (line: ReportLine): ReportLine =>
  line.id === 'prior-years-not-closed' ? { ...line, label: 'Undistributed prior-year earnings' } : line

/** What stands below a cash flow whose entries without cash are in none of its rows (IAS 7.43). */
const WITHOUT_CASH: readonly ReportLine[] = [
  heading('without-cash-below', 'Investing and financing without cash, not included above', 0),
  ...(['Investing', 'Financing'] as const).map(
    (section): ReportLine => ({
      ...{ id: `without-cash-${section}`, kind: 'account', depth: 1, number: '', label: section },
      ...{ measure: 'sum', better: null, of: { withoutCash: section } },
    }),
  ),
]

/**
 * Operating activities as readers know them (IAS 7.20): net income, what of it is no cash, then the changes of working
 * capital. Accumulated depreciation moves by depreciation, which is what its line is called here.
 */
function operating(
  rows: readonly PublishedRow[],
  chart: ReadonlyMap<string, Account>,
  style: LineStyle,
): ReportLine[] {
  const kindOf = ({
    accountId,
  }: PublishedRow): 'result' | 'depreciation' | 'gain' | 'capital' | 'balancing' => {
    if (accountId === 'net-income') return 'result'
    // What changed rates make of cash is no working capital (IAS 7.28).
    if (accountId === 'balancing' || accountId === DIFFERENCE) return 'balancing'
    if (accountId === 'without-cash') return 'gain'
    const account = chart.get(accountId)
    if (account?.type === 'AccumulatedDepreciation' || account?.type === 'Depreciation') return 'depreciation'
    return account && isProfitAndLoss(account.classification) ? 'gain' : 'capital'
  }
  const of = (kind: ReturnType<typeof kindOf>) => rows.filter((row) => kindOf(row) === kind)
  const plain = (kind: ReturnType<typeof kindOf>) => of(kind).map((row) => accountLine(row, style, 1))
  const depreciation = of('depreciation').map(({ accountId }) => accountId)
  const capital = grouped(of('capital'), chart, style, 2)
  return [
    ...plain('result'),
    ...(depreciation.length === 0 ? [] : [depreciationLine(depreciation, style)]),
    ...plain('gain'),
    ...(capital.length === 0
      ? []
      : [heading('working-capital', 'Changes in working capital', 1), ...capital]),
    ...plain('balancing'),
  ]
}

const depreciationLine = (accounts: readonly string[], style: LineStyle): ReportLine => ({
  ...{ id: 'depreciation', kind: 'account', depth: 1, number: '', label: 'Depreciation and amortization' },
  ...{ ...style, of: { accounts } },
})
