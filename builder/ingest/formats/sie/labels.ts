/** The labels of a SIE file outside of vouchers: a table from each label to how its line is read. */
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import type { FindingCode } from '../../../workspace/findings/finding-codes.ts'
import type { Values } from '../../claims/claim-format.ts'
import type { FiscalYear, UnreadRow } from '../../format/intake.ts'
import { type AmountProblem, parseFigure } from '../../text/amount.ts'
import { type Fields, isoDate } from './lines.ts'
import { referenceOf } from './numbers.ts'
import {
  BALANCE_LABELS,
  type BalanceLabel,
  type SieAccount,
  type SieBalance,
  type SieDimension,
  type SieFile,
  type SieHead,
} from './records.ts'

export interface Item extends Fields {
  readonly label: string
  readonly line: number
  readonly source: string
}

const AMOUNT_PROBLEMS: Record<AmountProblem, { message: string; remedy: string }> = {
  'unreadable-amount': {
    message: 'is not an amount',
    remedy: 'SIE writes amounts as digits with a decimal point and no separators: -1234.50',
  },
  'too-many-decimals': {
    message: 'has more decimals than the currency',
    remedy: 'export amounts in the smallest unit of the currency; they are never rounded',
  },
  'amount-too-large': { message: 'is too large for exact figures', remedy: 'check the amount' },
}

const YEAR_REMEDY = 'SIE numbers years from the current one: 0, -1, -2'
const isIndex = (text: string): boolean => /^-?\d+$/.test(text)

/** The records of a file outside of its vouchers, and what is wrong with them. */
export class Statements {
  readonly file: string
  readonly decimals: number
  readonly findings: Finding[] = []
  readonly unread: UnreadRow[] = []
  /** The open voucher, as people write it: `B 12`. */
  voucher = ''
  readonly years = new Map<number, FiscalYear>()
  readonly accounts = new Map<string, SieAccount>()
  readonly accountKinds = new Map<string, string>()
  readonly dimensions = new Map<string, SieDimension>()
  readonly objects: SieFile['objects'][number][] = []
  readonly balances: SieBalance[] = []
  /** What was stated. */
  readonly head: { -readonly [key in keyof SieHead]?: SieHead[key] } = {}
  /** Of labels that are not read. */
  readonly others: Values = new Map()
  /** Lines of #KSUMMA: one opens the file, another closes it. */
  checksums = 0

  constructor(file: string, decimals: number) {
    this.file = file
    this.decimals = decimals
  }

  report(
    code: FindingCode,
    message: string,
    { line: row, source }: { readonly line: number; readonly source: string },
    remedy: string,
  ): void {
    this.findings.push(error(code, message, { file: this.file, row, text: source, remedy }))
    this.unread.push(...lostBy(code, this.file, row, source, this.voucher))
  }

  /** A field as written and in minor units; null, and a finding, where it is not an amount. */
  amountOf(item: Item, field: number): { readonly amount: string; readonly minor: number } | null {
    const amount = item.fields[field] ?? ''
    const { minor, problem } = parseFigure(amount, this.decimals)
    if (problem === undefined) return { amount, minor }
    const { message, remedy } = AMOUNT_PROBLEMS[problem]
    this.report(problem, `"${amount}" ${message} (#${item.label})`, item, remedy)
    return null
  }

  /** Most lines are of the same day as the one before. */
  #last = { value: '', date: null as string | null }

  /** ISO; null, and a finding, where the text is not a date. */
  dateOf(item: Item, value: string): string | null {
    if (value !== this.#last.value) this.#last = { value, date: isoDate(value) }
    const { date } = this.#last
    if (date === null)
      this.report(
        'unreadable-date',
        `"${value}" is not a date (#${item.label})`,
        item,
        'SIE writes dates as YYYYMMDD',
      )
    return date
  }
}

type Handler = (file: Statements, item: Item) => void

/** Labels of the standard that say nothing about figures. */
export const BESIDE: ReadonlySet<string> = new Set(
  'FLAGGA PROGRAM FORMAT GEN BKOD ADRESS FNR FTYP KPTYP TAXAR ENHET SRU'.split(' '),
)

/** Labels that are in neither are skipped, as the standard asks, once their values were looked at. */
export const LABELS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['SIETYP', stated('type')],
  ['FNAMN', stated('name')],
  ['ORGNR', stated('organisation')],
  [
    'VALUTA',
    ({ head }, { fields: [currency = ''], line }) => {
      head.currency = currency.toUpperCase()
      head.currencyLine = line
    },
  ],
  [
    'OMFATTN',
    (file, item) => {
      file.head.coveredTo = file.dateOf(item, item.fields[0] ?? '')
    },
  ],
  ['KSUMMA', (file) => void file.checksums++],
  ['RAR', readYear],
  [
    'KONTO',
    ({ accounts }, { fields: [id = '', name = ''], line }) =>
      void accounts.set(id, { id, name: name || id, line }),
  ],
  [
    'KTYP',
    ({ accountKinds }, { fields: [id = '', kind = ''] }) => void accountKinds.set(id, kind.toUpperCase()),
  ],
  [
    'DIM',
    ({ dimensions }, { fields: [id = '', name = ''] }) => void dimensions.set(id, { id, name, parent: null }),
  ],
  [
    'UNDERDIM',
    ({ dimensions }, { fields: [id = '', name = '', parent = ''] }) =>
      void dimensions.set(id, { id, name, parent: parent || null }),
  ],
  [
    'OBJEKT',
    ({ objects }, { fields: [dimension = '', id = '', name = ''], line }) =>
      void objects.push({ dimension, id, name: name || id, line }),
  ],
  ...BALANCE_LABELS.map((label): [string, Handler] => [label, readBalance(label)]),
])

function stated(key: 'type' | 'name' | 'organisation'): Handler {
  return ({ head }, { fields: [text = null] }) => {
    head[key] = text
  }
}

function readYear(file: Statements, item: Item): void {
  const [index = '', from = '', to = ''] = item.fields
  const start = file.dateOf(item, from)
  const end = file.dateOf(item, to)
  if (!isIndex(index))
    file.report('unreadable-year', `"${index}" is not the index of a year (#RAR)`, item, YEAR_REMEDY)
  else if (start !== null && end !== null && start < end) file.years.set(Number(index), { start, end })
  else if (start !== null && end !== null)
    file.report('fiscal-year', `the year ${index} ends before it starts`, item, 'correct #RAR')
}

/** #PSALDO and #PBUDGET have a month before the account, and name objects. */
function readBalance(label: BalanceLabel): Handler {
  const isMonthly = label === 'PSALDO' || label === 'PBUDGET'
  return (file, item) => {
    const [year = '', ...rest] = item.fields
    const [period, account = ''] = isMonthly ? rest : [undefined, rest[0]]
    const month = isMonthly ? isoMonth(period ?? '') : null
    if (!isIndex(year))
      return file.report(
        'unreadable-year',
        `"${year}" is not the index of a year (#${label})`,
        item,
        YEAR_REMEDY,
      )
    if (isMonthly && month === null)
      return file.report(
        'unreadable-date',
        `"${period ?? ''}" is not a month (#${label})`,
        item,
        'SIE writes months as YYYYMM',
      )
    const read = file.amountOf(item, isMonthly ? 3 : 2)
    if (read === null) return
    const { objects, line } = item
    file.balances.push({ label, year: Number(year), month, account, objects, ...read, line })
  }
}

/** `201101` → `2011-01`; some programs write a whole date. */
function isoMonth(text: string): string | null {
  const date = isoDate(`${text.slice(0, 6)}01`)
  return date !== null && (text.length === 6 || isoDate(text) !== null) ? date.slice(0, 7) : null
}

/** Labels that decide how all other lines are read: without them nothing in the file can be checked. */
const DECIDES = /^#(RAR|VALUTA|SIETYP)\b/i

/** What the books lack because of a line with an error; empty where more than that line is lost. */
function lostBy(code: FindingCode, file: string, row: number, source: string, voucher: string): UnreadRow[] {
  if (code === 'truncated-file' || DECIDES.test(source)) return []
  const line = /^#TRANS\s+"?([^\s"{]*)/i.exec(source)
  if (line !== null) return [{ file, row, of: 'entry', account: line[1] || null, entry: voucher || null }]
  const opening = /^#O?IB\s+(?!-)\S+\s+"?([^\s"{]*)/i.exec(source)
  if (opening !== null) return [{ file, row, of: 'opening', account: opening[1] || null }]
  // Without a readable #VER all lines of the voucher are lost. Where only its date is missing, each line is reported by itself.
  const isWholeVoucher = code === 'unreadable-line' && /^#VER\b/i.test(source)
  if (isWholeVoucher) return [{ file, row, of: 'entry', account: null, entry: referenceIn(source) }]
  return [{ file, row, of: 'statement', account: null }]
}

/** The voucher that a line with an open quotation mark begins, by what stands above it; null where that is not known. */
function referenceIn(source: string): string | null {
  const [, series = '', number = ''] = /^#VER\s+"?([^\s"]*)"?\s+"?([^\s"]*)/i.exec(source) ?? []
  return referenceOf({ series, number }) || null
}
