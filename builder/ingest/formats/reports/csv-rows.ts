/** The rows of a measured report as the canonical CSV that the books read. */
import { currencyDecimals, formatMinor } from '../../../contract/currency.ts'
import { canonicalPlan, ROW } from '../../format/canonical-plan.ts'
import type { LedgerPlan } from '../../format/intake.ts'
import { csvRow, withHeader } from '../../format/records.ts'
import type { Cells } from '../../text/delimited.ts'
import { parseMonth } from '../../text/months.ts'
import type { Scratch } from '../../text/scan.ts'
import { type BooksContext, type Dated, opensBooks, type Signs, signedOf } from './books.ts'
import { groupsOf } from './entries.ts'
import { hasSides, type Line, LineReader } from './lines.ts'
import type { MeasureContext } from './measure/measured.ts'
import type { Stated } from './measure/sums.ts'
import { memberId } from './members.ts'
import { cellOf } from './rows/cells.ts'
import type { Forms } from './rows/figures.ts'
import type { ReportFamily, Target } from './rows/layout.ts'
import { leftOutTest } from './rows/left-out.ts'
import type { ReadableReport } from './rows/scan.ts'
import { Sections } from './rows/sections.ts'
import { walk } from './rows/walk.ts'

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

/** What writing the lines of a report takes besides reading them. */
interface Writing {
  readonly signs: Signs
  /** The day that balances brought forward open the books on; null where they do not. */
  readonly openingDay: string | null
  /** Balances brought forward, by account. */
  readonly openings: ReadonlyMap<string, Stated>
  /** Where classes and departments stand. */
  readonly members: { readonly [target in Target]?: number }
  readonly family: ReportFamily
}

class CanonicalRows {
  readonly #report: ReadableReport
  readonly #context: MeasureContext
  readonly #writing: Writing
  readonly #isSided: boolean
  readonly #reader: LineReader
  readonly #isLeftOut: (cells: Cells) => boolean

  constructor(report: ReadableReport, forms: Forms, context: MeasureContext, writing: Writing) {
    this.#report = report
    this.#context = context
    this.#writing = writing
    this.#isSided = hasSides(report)
    this.#isLeftOut = leftOutTest(report.layout)
    this.#reader = new LineReader(report, forms, context, () => {})
  }

  async *rows(): AsyncGenerator<string> {
    const { kind: ofReport } = this.#report.layout
    const day = this.#writing.openingDay
    for await (const steps of walk(this.#report, new Sections())) {
      let part = ''
      for (const { event, section } of steps) {
        const { kind, row, cells } = event
        if (kind === 'line' && this.#isLeftOut(cells)) continue
        if (kind === 'line') {
          const line = this.#reader.line(row, cells, section)
          if (line.figures !== null && !this.#isUnsigned(line.id)) part += this.#line(line)
        } else if (kind === 'total') this.#reader.end()
        else if (kind === 'section' && ofReport === 'journal') this.#reader.begin(event.label)
        else if (day !== null && (kind === 'opening' || (kind === 'section' && event.opening)))
          part += this.#opening(row, this.#reader.account(cells, section), day)
      }
      if (part !== '') yield part
    }
  }

  #isUnsigned = (id: string): boolean => !this.#isSided && this.#context.isUnknown(id)

  #line(line: Line): string {
    const { at } = this.#report.layout
    const { currency, isCredit } = this.#context
    const { signs, members } = this.#writing
    const { cells, figures, id } = line
    const isTurned = !this.#isSided && signs.amounts && isCredit(id)
    const name = cellOf(cells, at.name)
    const member = (position: number | undefined) => {
      const text = cellOf(cells, position)
      return text === '' ? '' : memberId(text)
    }
    return csvRow([
      String(line.row),
      this.#entryOf(line),
      line.date,
      id,
      formatMinor(isTurned ? 0 - figures.net : figures.net, currencyDecimals(currency)),
      member(members.class),
      member(members.department),
      [cellOf(cells, at.memo), name === '' ? '' : `(${name})`].filter((part) => part !== '').join(' '),
      cellOf(cells, at.num),
      '',
      cellOf(cells, at.type),
      cellOf(cells, at.line),
      at.period === undefined ? '' : postingPeriod(cellOf(cells, at.period)),
    ])
  }

  #entryOf({ number, name, date, cells }: Line): string {
    if (number !== null) return number
    return name ?? groupsOf(this.#writing.family, this.#report.layout, cells, date)
  }

  /** The line of a balance brought forward; empty where the row does not open the account. */
  #opening(row: number, id: string | null, day: string): string {
    const stated = id === null ? undefined : this.#writing.openings.get(id)
    if (id === null || stated === undefined || stated.minor === 0 || stated.row !== row) return ''
    if (this.#isUnsigned(id)) return ''
    const { currency, isCredit } = this.#context
    const { signs } = this.#writing
    const isTurned = isCredit(id) && (this.#isSided ? signs.balances : signs.amounts)
    const amount = formatMinor(signedOf(stated, isTurned), currencyDecimals(currency))
    return csvRow([
      String(row),
      `${OPENING_JOURNAL} ${day}`,
      day,
      id,
      amount,
      '',
      '',
      OPENING_JOURNAL,
      '',
      OPENING_JOURNAL,
      '',
      '',
      '',
    ])
  }
}

/** `Jan 2025` → `2025-01`; a text that is not a month, such as a period of adjustments, is reported by the books. */
const postingPeriod = (text: string): string => parseMonth(text) ?? text

interface WriteContext extends BooksContext {
  readonly measure: MeasureContext
  readonly family: ReportFamily
  readonly scratch: Scratch
  /** Of each report, dimension id → what it is. */
  readonly targetOf: (dimension: string) => Target | 'none'
}

export async function writeReports(
  dates: readonly Dated[],
  first: Dated,
  context: WriteContext,
): Promise<readonly LedgerPlan[]> {
  const { measure, scratch, basis } = context
  const ledger: LedgerPlan[] = []
  for (const at of dates) {
    const { file, forms, layout, isTotalled } = at.report
    const entryColumn =
      cellOf(layout.header, layout.at.id) || cellOf(layout.header, layout.at.date) || 'transaction_id'
    const rows = new CanonicalRows(at.report, forms, measure, writingOf(at, first, context))
    const path = await scratch.written(withHeader(csvRow(CANONICAL), rows.rows()))
    ledger.push({
      ...canonicalPlan({ file, path, basis }, CANONICAL),
      whole: {
        ...{ years: [], openingJournals: [], entryColumn },
        // A journal whose total counts an entry twice has it twice.
        numbers: layout.kind === 'journal' && !isTotalled ? 'once' : 'any',
      },
    })
  }
  return ledger
}

function writingOf(at: Dated, first: Dated, context: WriteContext): Writing {
  const { report, start } = at
  const openings = [...report.measures].flatMap(([id, { opening }]) =>
    opening === null ? [] : [[id, opening] as const],
  )
  const members = report.layout.dimensions.flatMap(({ id, at: position }) => {
    const target = context.targetOf(id)
    return target === 'none' ? [] : [[target, position] as const]
  })
  return {
    signs: context.signs,
    openingDay: opensBooks(at, first.start, context) ? start : null,
    openings: new Map(openings),
    members: Object.fromEntries(members),
    family: context.family,
  }
}
