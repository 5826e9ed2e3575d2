/** The content of one SIE file, as records with their line numbers; and a table from each label outside of vouchers to how its line is read. */
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import type { FindingCode } from '../../../workspace/findings/finding-codes.ts'
import type { Values } from '../../claims/claim-format.ts'
import type { FiscalYear, UnreadRow } from '../../format/intake.ts'
import { type AmountProblem, parseFigure } from '../../text/amount.ts'
import { type Fields, isoDate } from './lines.ts'
import { referenceOf, type SieObject, Vouchers } from './vouchers.ts'

export interface SieAccount {
  readonly id: string
  readonly name: string
  readonly line: number
}

export interface SieDimension {
  readonly id: string
  readonly name: string
  /** Of an #UNDERDIM: the dimension above it. */
  readonly parent: string | null
}

const BALANCE_LABELS = ['IB', 'UB', 'OIB', 'OUB', 'RES', 'PSALDO', 'PBUDGET'] as const
export type BalanceLabel = (typeof BALANCE_LABELS)[number]

/** A figure that the file states: an opening, a closing, a result, a month's movement or budget. */
export interface SieBalance {
  readonly label: BalanceLabel
  /** #RAR index: 0 is the year of the file, -1 the one before. */
  readonly year: number
  /** `YYYY-MM` of #PSALDO and #PBUDGET. */
  readonly month: string | null
  readonly account: string
  readonly objects: readonly SieObject[]
  /** As written; debit positive. */
  readonly amount: string
  readonly minor: number
  readonly line: number
}

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

/** What a file states, and what is wrong with it. */
export class SieFile {
  readonly file: string
  /** Those of the company's currency. */
  readonly #decimals: number
  /** #SIETYP as written; null where the file has none. */
  type: string | null = null
  name: string | null = null
  organisation: string | null = null
  /** #VALUTA; without it the amounts are in SEK. */
  currency = 'SEK'
  currencyLine: number | null = null
  /** #OMFATTN: the last day that the balances speak of; null where the file does not say. */
  coveredTo: string | null = null
  readonly years = new Map<number, FiscalYear>()
  readonly accounts = new Map<string, SieAccount>()
  /** #KTYP: T asset, S liability or equity, K cost, I income. */
  readonly accountKinds = new Map<string, string>()
  readonly dimensions = new Map<string, SieDimension>()
  readonly objects: (SieObject & { readonly name: string; readonly line: number })[] = []
  balances: SieBalance[] = []
  /** How many lines of vouchers could be read. */
  lineCount = 0
  /** A line of a voucher could not be read, or its date. */
  hasDamage = false
  readonly vouchers: Vouchers
  /** Lines that were added to or struck from vouchers later: they are reported, and never count. */
  readonly history = { added: 0, struck: 0, firstLine: null as number | null }
  /** Of labels that are not read. */
  readonly others: Values = new Map()
  /** Lines that are left out; each is among the findings. */
  readonly unread: UnreadRow[] = []
  readonly findings: Finding[] = []
  /** While it is read, the open voucher, as people write it: `B 12`. */
  voucher = ''
  /** Lines of #KSUMMA: one opens the file, another closes it. */
  checksums = 0
  /** Most lines are of the same day as the one before. */
  #last = { value: '', date: null as string | null }

  constructor(file: string, decimals: number) {
    this.file = file
    this.#decimals = decimals
    this.vouchers = new Vouchers(file)
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
    const { minor, problem } = parseFigure(amount, this.#decimals)
    if (problem === undefined) return { amount, minor }
    const { message, remedy } = AMOUNT_PROBLEMS[problem]
    this.report(problem, `"${amount}" ${message} (#${item.label})`, item, remedy)
    return null
  }

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

type Handler = (file: SieFile, item: Item) => void

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
    (file, { fields: [currency = ''], line }) => {
      file.currency = currency.toUpperCase()
      file.currencyLine = line
    },
  ],
  [
    'OMFATTN',
    (file, item) => {
      file.coveredTo = file.dateOf(item, item.fields[0] ?? '')
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
  return (file, { fields: [text = null] }) => {
    file[key] = text
  }
}

function readYear(file: SieFile, item: Item): void {
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
