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
const referenceOf = ({ series, number }: SieVoucher): string =>
  series === '' || number === '' ? series + number : `${series} ${number}`

/** `2011 B 12`, where the year's label is `2011`; the label alone where the voucher has neither series nor number. */
const plainId = (label: string, voucher: SieVoucher): string => {
  const reference = referenceOf(voucher)
  return reference === '' ? label : `${label} ${reference}`
}

/** Gives out the ids of each file's vouchers, in their order: the plain id; where that repeats in any file, with the date, then counted. */
export function voucherIds(
  years: readonly { readonly file: SieFile; readonly year: FiscalYear }[],
): Map<SieFile, readonly string[]> {
  const labelled = years.map(({ file, year }) => ({ file, label: yearLabel(year) }))
  const counts = new Map<string, number>()
  for (const { file, label } of labelled)
    for (const voucher of file.vouchers) {
      const id = plainId(label, voucher)
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
  const given = new Set<string>()
  const idOf = (label: string, voucher: SieVoucher): string => {
    const id = plainId(label, voucher)
    const dated = counts.get(id) === 1 && id !== label ? id : `${id} ${voucher.date}`
    let unique = dated
    for (let n = 2; given.has(unique); n++) unique = `${dated} (${n})`
    given.add(unique)
    return unique
  }
  return new Map(
    labelled.map(({ file, label }) => [file, file.vouchers.map((voucher) => idOf(label, voucher))]),
  )
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
  /** Of the vouchers of each file, in their order. */
  readonly ids: ReadonlyMap<SieFile, readonly string[]>
  readonly dimensions: Dimensions
  readonly shown: Shown
}

/** Gives each line of a year's vouchers as a ledger row to `emit`, and returns what is wrong with the vouchers. */
export function readVouchers(
  sie: SieFile,
  year: FiscalYear,
  { ids, dimensions, shown }: VoucherReading,
  emit: (row: LedgerRow) => void,
): Finding[] {
  const { file, vouchers, coveredTo } = sie
  const idsOfFile = present(ids.get(sie), `ids of the vouchers of ${file}`)
  const findings: Finding[] = []
  const outside: MovedLine[] = []
  const later: SieLine[] = []
  for (const [i, voucher] of vouchers.entries()) {
    const id = present(idsOfFile[i], 'id of a voucher')
    const reference = referenceOf(voucher)
    const counted: CountedLine[] = []
    for (const line of voucher.lines) {
      const date = insideYear(line.date, year)
      if (date !== line.date && line.date !== '') outside.push({ ...line, moved: date })
      if (coveredTo !== null && date > coveredTo) later.push(line)
      counted.push({ date, minor: line.minor })
      const entry = { id, n: counted.length, date, memo: line.text, reference, journal: voucher.series }
      emit(toLedgerRow(line, entry, dimensions.use(line.objects, { file, row: line.line })))
    }
    // Where a line could not be read, the sum of the voucher is not known: that line has its own finding.
    if (!voucher.isDamaged) findings.push(...unbalanced(file, voucher, id, counted, shown))
  }
  return [...findings, ...datedOutside(file, year, outside), ...datedAfterCoverage(file, coveredTo, later)]
}

/** The day on which a line counts, and its amount in minor units. */
interface CountedLine {
  readonly date: string
  readonly minor: number
}

/** Debit minus credit by month. */
function sumsByMonth(lines: readonly CountedLine[]): Map<string, number> {
  const months = new Map<string, number>()
  for (const { date, minor } of lines) {
    const month = date.slice(0, 7)
    months.set(month, (months.get(month) ?? 0) + minor)
  }
  return months
}

/** A voucher balances as a whole, and in each month that its lines are dated in. */
function unbalanced(
  file: string,
  voucher: SieVoucher,
  id: string,
  lines: readonly CountedLine[],
  shown: Shown,
): Finding[] {
  const isOneDay = lines.every(({ date }) => date === lines[0]?.date)
  const off = lines.reduce((sum, { minor }) => sum + minor, 0)
  if (off === 0 && isOneDay) return []
  const name = `voucher ${referenceOf(voucher) || id} of ${voucher.date}`
  const report = (message: string, remedy: string) =>
    error('unbalanced-transaction', `${name} ${message}`, {
      file,
      row: voucher.line,
      text: voucher.text || null,
      remedy,
    })
  if (off !== 0) {
    const debit = lines.reduce((sum, { minor }) => sum + Math.max(minor, 0), 0)
    return [
      report(
        `does not balance: debit ${shown(debit)}, credit ${shown(debit - off)}, difference ${shown(off)}`,
        'correct the voucher in the accounting program and export again',
      ),
    ]
  }
  return [...sumsByMonth(lines)].flatMap(([month, sum]) =>
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
  const bySeries = new Map<string, { readonly number: number; readonly voucher: SieVoucher }[]>()
  for (const voucher of vouchers) {
    if (!/^\d{1,9}$/.test(voucher.number)) continue
    const numbered = { number: Number(voucher.number), voucher }
    const series = bySeries.get(voucher.series)
    if (series === undefined) bySeries.set(voucher.series, [numbered])
    else series.push(numbered)
  }
  return [...bySeries].flatMap(([series, numbered]) => {
    const name = series === '' ? 'vouchers without a series' : `voucher series ${series}`
    const ordered = numbered.sort((a, b) => a.number - b.number)
    const gaps = ordered.flatMap(({ number }, i) => {
      const before = ordered[i - 1]?.number ?? number - 1
      return number <= before + 1 ? [] : [gapText({ from: before + 1, to: number - 1 })]
    })
    const repeats = ordered.filter(({ number }, i) => number === ordered[i - 1]?.number)
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
    const repeated = [...new Set(repeats.map(({ number }) => number))]
    const last = repeats.findLast(({ number }) => number === repeated[0])
    return [
      ...report('voucher-gap', gaps, ordered[0]?.voucher, 'missing'),
      ...report('voucher-repeat', repeated, last?.voucher, 'used more than once'),
    ]
  })
}
