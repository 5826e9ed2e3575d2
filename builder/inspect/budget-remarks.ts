/** Explains why a budget row of a SIE file states another amount than the figure made from it. */

import type { Line } from '../books/read/lineage.ts'
import type { Frame } from '../books/reference/frame.ts'
import { currencyDecimals } from '../contract/currency.ts'
import { isProfitAndLoss } from '../contract/vocabulary.ts'
import { cleaned, fieldsIn } from '../ingest/formats/sie/lines.ts'
import { parseFigure } from '../ingest/text/amount.ts'
import type { Manifest } from '../snapshot/files/manifest.ts'
import type { SourceRow } from './source-lines.ts'

const TURNED: readonly string[] = ['Income', 'OtherIncome', 'Liability', 'Equity']

/** One remark for each reason found. `sources` are the source rows of the lines; null where they were not asked for. */
export function budgetRemarks(
  frame: Frame,
  { Inputs }: Pick<Manifest, 'Inputs'>,
  lines: readonly Line[],
  sources: readonly SourceRow[] | null,
): string[] {
  const sie = new Set(Inputs.filter(({ Format }) => Format === 'sie').map(({ File }) => File))
  const own = lines.filter(({ kind, file }) => kind === 'budget' && file !== null && sie.has(file))
  const kinds = new Map(frame.accounts.map(({ id, classification }) => [id, classification]))
  const isTurned = own.some(({ account }) => TURNED.includes(kinds.get(account) ?? ''))
  const isBalance = ({ account }: Line) => {
    const classification = kinds.get(account)
    return classification !== undefined && !isProfitAndLoss(classification)
  }
  const decimals = currencyDecimals(frame.currency)
  const minor = (amount: string) => BigInt(parseFigure(amount, decimals).minor ?? 0)
  const size = (value: bigint) => (value < 0n ? -value : value)
  // Several lines may be shares of one row, so that they are added up before the comparison.
  const counted = new Map<string, bigint>()
  for (const { file, row, amount } of own.filter((line) => !isBalance(line)))
    counted.set(`${file}:${row}`, (counted.get(`${file}:${row}`) ?? 0n) + minor(amount))
  const shares = (sources ?? []).flatMap(({ file, row, text }) => {
    const stated = text === null ? null : statedIn(text)
    const value = counted.get(`${file}:${row}`)
    if (stated === null || value === undefined || size(minor(stated)) === size(value)) return []
    return [
      `${file}:${row} states ${stated} for the whole account; other rows state parts of it for objects (cost centres, projects) and are counted by themselves, so that the rest counts here`,
    ]
  })
  return [
    ...(isTurned
      ? [
          'SIE writes debits as positive amounts: a #PBUDGET row of income, liabilities or equity has the opposite sign of its figure.',
        ]
      : []),
    ...(own.some(isBalance)
      ? [
          'A #PBUDGET row of a balance sheet account states the change of its month: the figure is the opening balance and all changes up to the month, of which the row states the last.',
        ]
      : []),
    ...shares,
  ]
}

/** The amount of a budget row such as `#PBUDGET 0 202501 3001 {} -1000.00`; null for any other row. */
function statedIn(text: string): string | null {
  const source = cleaned(text)
  if (!/^#PBUDGET(?!\w)/i.test(source)) return null
  return fieldsIn(source, '#PBUDGET'.length)?.fields[3] ?? null
}
