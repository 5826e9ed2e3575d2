/** SIE vouchers as ledger rows: readable unique ids, one effective date per line, and whether each voucher balances. */
import { present } from '../../../contract/present.ts'
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

/** What the books and the figures of a year take from its vouchers. */
export interface VoucherReading {
  readonly ids: ReadonlyMap<SieVoucher, string>
  readonly dimensions: Dimensions
  readonly shown: Shown
}

/** Gives each line of a year's vouchers as a ledger row to `emit`, and returns what is wrong with the vouchers. */
export function readVouchers(
  { file, vouchers, coveredTo }: SieFile,
  year: FiscalYear,
  { ids, dimensions, shown }: VoucherReading,
  emit: (row: LedgerRow) => void,
): Finding[] {
  const findings: Finding[] = []
  const outside: MovedLine[] = []
  const later: SieLine[] = []
  for (const voucher of vouchers) {
    const id = present(ids.get(voucher), 'id of a voucher')
    const totals: VoucherTotals = { debit: 0, credit: 0, months: new Map() }
    voucher.lines.forEach((line, i) => {
      const date = insideYear(line.date, year)
      if (date !== line.date && line.date !== '') outside.push({ ...line, moved: date })
      if (coveredTo !== null && date > coveredTo) later.push(line)
      addLine(totals, date, line.minor)
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
    // Where a line could not be read, the sum of the voucher is not known: that line has its own finding.
    if (!voucher.isDamaged) findings.push(...unbalanced(file, voucher, id, totals, shown))
  }
  return [...findings, ...datedOutside(file, year, outside), ...datedAfterCoverage(file, coveredTo, later)]
}

/** In minor units. */
interface VoucherTotals {
  debit: number
  credit: number
  /** Month of the lines → debit minus credit. */
  readonly months: Map<string, number>
}

function addLine(totals: VoucherTotals, date: string, minor: number): void {
  const month = date.slice(0, 7)
  totals.months.set(month, (totals.months.get(month) ?? 0) + minor)
  if (minor > 0) totals.debit += minor
  else totals.credit -= minor
}

/** A voucher balances as a whole, and in each month that its lines are dated in. */
function unbalanced(
  file: string,
  voucher: SieVoucher,
  id: string,
  { debit, credit, months }: VoucherTotals,
  shown: Shown,
): Finding[] {
  const name = `voucher ${referenceOf(voucher) || id} of ${voucher.date}`
  const report = (message: string, remedy: string) =>
    error('unbalanced-transaction', `${name} ${message}`, {
      file,
      row: voucher.line,
      text: voucher.text || null,
      remedy,
    })
  if (debit !== credit)
    return [
      report(
        `does not balance: debit ${shown(debit)}, credit ${shown(credit)}, difference ${shown(debit - credit)}`,
        'correct the voucher in the accounting program and export again',
      ),
    ]
  return [...months].flatMap(([month, sum]) =>
    sum === 0
      ? []
      : [
          report(
            `balances, but not in each month that its lines are dated in: ${month} is off by ${shown(sum)}`,
            'date its lines in one month, or book through an interim account',
          ),
        ],
  )
}

/** A line that is dated outside its year, and the day that it counts on. */
interface MovedLine extends SieLine {
  readonly moved: string
}

function datedOutside(file: string, year: FiscalYear, lines: readonly MovedLine[]): Finding[] {
  const [first] = lines
  if (first === undefined) return []
  return [
    warning(
      'date-outside-year',
      `${lines.length} ${lines.length === 1 ? 'line is' : 'lines are'} dated outside the fiscal year ${year.start} to ${year.end} that their vouchers belong to and count on its nearest day; the first, of ${first.date}, on ${first.moved}`,
      { file, row: first.line, text: first.date, remedy: 'correct the dates in the accounting program' },
    ),
  ]
}

function datedAfterCoverage(file: string, coveredTo: string | null, lines: readonly SieLine[]): Finding[] {
  const [first] = lines
  if (first === undefined) return []
  return [
    warning(
      'date-after-coverage',
      `the file says that it covers the days up to ${coveredTo} (#OMFATTN), and ${lines.length} ${lines.length === 1 ? 'line is' : 'lines are'} dated later, the first ${first.date}; they count`,
      {
        file,
        row: first.line,
        text: first.date,
        remedy: 'are all entries of these days in the file? else export the whole fiscal year',
      },
    ),
  ]
}

/** A posting counts in the year of its voucher: one that is dated outside it, on the nearest day of that year. */
const insideYear = (date: string, { start, end }: FiscalYear): string =>
  date < start ? start : date > end ? end : date

/** An auditor's first look at a series: each number once, none left out. Numbers that are not integers have no order. */
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
    const ordered = [...numbers].sort(([a], [b]) => a - b)
    const gaps = ordered.flatMap(([number], i) => {
      const before = ordered[i - 1]?.[0] ?? number - 1
      return number === before + 1 ? [] : [gapText({ from: before + 1, to: number - 1 })]
    })
    const repeats = ordered.filter(([, same]) => same.length > 1)
    const report = (
      code: FindingCode,
      list: readonly (string | number)[],
      voucher: SieVoucher | undefined,
      what: string,
    ) =>
      list.length === 0
        ? []
        : [
            warning(code, `${name}: ${what} ${shortList(list)}`, {
              file,
              row: voucher?.line ?? null,
              text: series || null,
              remedy: 'ask the bookkeeper why; where vouchers are missing, export the file again',
            }),
          ]
    const repeated = repeats.map(([number]) => number)
    return [
      ...report('voucher-gap', gaps, ordered[0]?.[1][0], 'missing'),
      ...report('voucher-repeat', repeated, repeats[0]?.[1].at(-1), 'used more than once'),
    ]
  })
}
