/** SIE vouchers as ledger rows: readable unique ids, one effective date per line, and whether each voucher balances. */
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import type { FindingCode } from '../../../workspace/finding-codes.ts'
import { type FiscalYear, type LedgerRow, yearLabel } from '../../format/intake.ts'
import { gapText, shortList } from '../../format/numbering.ts'
import type { Dimensions, Tags } from './dimensions.ts'
import type { SieFile, SieLine, SieVoucher } from './records.ts'
import type { Shown } from './stated.ts'

/** `B 12`, as people write it; empty where the voucher has neither series nor number. */
const referenceOf = ({ series, number }: SieVoucher): string => [series, number].filter(Boolean).join(' ')

/** Gives out each voucher's id over all files: `2011 B 12`; where that repeats, with the date, then counted. */
export function voucherIds(
  years: readonly { readonly file: SieFile; readonly year: FiscalYear }[],
): Map<SieVoucher, string> {
  const plain = new Map<string, SieVoucher[]>()
  for (const { file, year } of years)
    for (const voucher of file.vouchers) {
      const id = [yearLabel(year), referenceOf(voucher)].filter(Boolean).join(' ')
      const same = plain.get(id)
      if (same === undefined) plain.set(id, [voucher])
      else same.push(voucher)
    }
  const ids = new Map<SieVoucher, string>()
  const given = new Set<string>()
  for (const [id, vouchers] of plain)
    for (const voucher of vouchers) {
      const dated = vouchers.length > 1 || referenceOf(voucher) === '' ? `${id} ${voucher.date}` : id
      let unique = dated
      for (let n = 2; given.has(unique); n++) unique = `${dated} (${n})`
      given.add(unique)
      ids.set(voucher, unique)
    }
  return ids
}

export function toLedgerRow(
  line: { readonly account: string; readonly amount: string; readonly line: number },
  entry: {
    readonly id: string
    readonly n: number
    readonly date: string
    readonly memo: string
    readonly reference: string
    readonly journal: string
  },
  tags: Tags,
): LedgerRow {
  return {
    row: line.line,
    transaction_id: entry.id,
    date: entry.date,
    account: line.account,
    debit: null,
    credit: null,
    amount: line.amount,
    class: tags.class,
    department: tags.department,
    memo: entry.memo || null,
    reference: entry.reference || null,
    settles: null,
    basis: null,
    currency: null,
    line_id: `${entry.id}/${entry.n}`,
    journal: entry.journal || null,
    type: null,
    period: null,
    open_item: null,
  }
}

export function readVouchers(
  { file, vouchers, coveredTo }: SieFile,
  year: FiscalYear,
  ids: ReadonlyMap<SieVoucher, string>,
  dimensions: Dimensions,
  shown: Shown,
  emit: (row: LedgerRow) => void,
): Finding[] {
  const findings: Finding[] = []
  const outside: (SieLine & { moved: string })[] = []
  const later: SieLine[] = []
  for (const voucher of vouchers) {
    const id = ids.get(voucher)!
    const sums = new Map<string, number>()
    let debit = 0
    let credit = 0
    voucher.lines.forEach((line, i) => {
      const date = insideYear(line.date, year)
      if (date !== line.date && line.date !== '') outside.push({ ...line, moved: date })
      if (coveredTo !== null && date > coveredTo) later.push(line)
      sums.set(date.slice(0, 7), (sums.get(date.slice(0, 7)) ?? 0) + line.minor)
      if (line.minor > 0) debit += line.minor
      else credit -= line.minor
      const entry = {
        id,
        n: i + 1,
        date,
        memo: line.text,
        reference: referenceOf(voucher),
        journal: voucher.series,
      }
      emit(toLedgerRow(line, entry, dimensions.use(line.objects, { file, row: line.line })))
    })
    // What a line that could not be read would have added is not known: that line is the finding.
    if (voucher.isDamaged) continue
    const name = `voucher ${referenceOf(voucher) || id} of ${voucher.date}`
    const place = { file, row: voucher.line, text: voucher.text || null }
    if (debit !== credit)
      findings.push(
        error(
          'unbalanced-transaction',
          `${name} does not balance: debit ${shown(debit)}, credit ${shown(credit)}, difference ${shown(debit - credit)}`,
          { ...place, remedy: 'correct the voucher in the accounting program and export again' },
        ),
      )
    else
      for (const [month, sum] of sums)
        if (sum !== 0)
          findings.push(
            error(
              'unbalanced-transaction',
              `${name} balances, but not in each month that its lines are dated in: ${month} is off by ${shown(sum)}`,
              { ...place, remedy: 'date its lines in one month, or book through an interim account' },
            ),
          )
  }
  const [first] = outside
  if (first !== undefined)
    findings.push(
      warning(
        'date-outside-year',
        `${outside.length} ${outside.length === 1 ? 'line is' : 'lines are'} dated outside the fiscal year ${year.start} to ${year.end} that their vouchers belong to and count on its nearest day; the first, of ${first.date}, on ${first.moved}`,
        { file, row: first.line, text: first.date, remedy: 'correct the dates in the accounting program' },
      ),
    )
  const [after] = later
  if (after !== undefined)
    findings.push(
      warning(
        'date-after-coverage',
        `the file says that it covers the days up to ${coveredTo} (#OMFATTN), and ${later.length} ${later.length === 1 ? 'line is' : 'lines are'} dated later, the first ${after.date}; they count`,
        {
          file,
          row: after.line,
          text: after.date,
          remedy: 'are all entries of these days in the file? else export the whole fiscal year',
        },
      ),
    )
  return findings
}

/** A posting counts in the period it belongs to, here its voucher's year: on the nearest day of it. */
const insideYear = (date: string, { start, end }: FiscalYear): string =>
  date < start ? start : date > end ? end : date

/** An auditor's first look at a series: each number once, none left out. Numbers that are no integers have no order. */
export function seriesFindings({ file, vouchers }: SieFile): Finding[] {
  const bySeries = new Map<string, Map<number, SieVoucher[]>>()
  for (const voucher of vouchers) {
    if (!/^\d{1,9}$/.test(voucher.number)) continue
    const numbers = bySeries.get(voucher.series) ?? new Map<number, SieVoucher[]>()
    const number = Number(voucher.number)
    const same = numbers.get(number)
    if (same === undefined) numbers.set(number, [voucher])
    else same.push(voucher)
    bySeries.set(voucher.series, numbers)
  }
  return [...bySeries].flatMap(([series, numbers]) => {
    const name = series === '' ? 'vouchers without a series' : `voucher series ${series}`
    const ordered = [...numbers.keys()].sort((a, b) => a - b)
    const gaps = ordered.slice(1).flatMap((number, i) => {
      const before = ordered[i]!
      if (number === before + 1) return []
      return [gapText({ from: before + 1, to: number - 1 })]
    })
    const repeats = ordered.filter((number) => numbers.get(number)!.length > 1)
    const report = (code: FindingCode, list: readonly (string | number)[], line: number, what: string) =>
      list.length === 0
        ? []
        : [
            warning(code, `${name}: ${what} ${shortList(list)}`, {
              file,
              row: line,
              text: series || null,
              remedy: 'ask the bookkeeper why; where vouchers are missing, export the file again',
            }),
          ]
    const lineOf = (number: number | undefined, at: number) =>
      numbers.get(number ?? ordered[0]!)!.at(at)!.line
    return [
      ...report('voucher-gap', gaps, lineOf(ordered[0], 0), 'missing'),
      ...report('voucher-repeat', repeats, lineOf(repeats[0], -1), 'used more than once'),
    ]
  })
}
