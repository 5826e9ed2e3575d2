/**
 * The text of one SIE file as records with their line numbers. Knows the grammar of SIE 4B (labels, quotes, object
 * lists, voucher blocks) and what each field must look like; knows no accounting and no other file.
 */
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import type { FindingCode } from '../../../workspace/finding-codes.ts'
import type { FiscalYear, UnreadRow } from '../../format/intake.ts'
import { type AmountProblem, parseFigure } from '../../text/amount.ts'
import {
  cleaned,
  type Fields,
  isoDate,
  linesIn,
  split,
  tokenize,
  Voucher,
  type VoucherHead,
} from './lines.ts'
import {
  BALANCE_LABELS,
  type BalanceLabel,
  type SieAccount,
  type SieBalance,
  type SieDimension,
  type SieFile,
  type SieObject,
  type SieVoucher,
} from './records.ts'

interface Item extends Fields {
  readonly label: string
  readonly line: number
  readonly source: string
}

/** Whether a text is a SIE file: its first item is one that SIE puts at the top. */
export const looksLikeSie = (text: string): boolean =>
  /^\s*#(FLAGGA|PROGRAM|FORMAT|GEN|SIETYP|KSUMMA|FNAMN|RAR)\b/i.test(text)

/** `201101` → `2011-01`; some programs write a whole date. */
function isoMonth(text: string): string | null {
  const date = isoDate(`${text.slice(0, 6)}01`)
  return date !== null && (text.length === 6 || isoDate(text) !== null) ? date.slice(0, 7) : null
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

/** Labels that may stand inside a voucher's braces. */
const VOUCHER_LABELS: ReadonlySet<string> = new Set(['TRANS', 'RTRANS', 'BTRANS'])

/**
 * Reads a whole file; every mistake in it is a finding of the result. Labels that SIE does not know, and those that
 * say nothing about figures, are skipped, as the standard asks. `decimals` is the scale of the company's currency.
 */
export function parseSie(file: string, text: string, decimals: number): SieFile {
  const findings: Finding[] = []
  const years = new Map<number, FiscalYear>()
  const accounts = new Map<string, SieAccount>()
  const accountKinds = new Map<string, string>()
  const dimensions = new Map<string, SieDimension>()
  const objects: (SieObject & { name: string; line: number })[] = []
  const balances: SieBalance[] = []
  const vouchers: SieVoucher[] = []
  const history = { added: 0, struck: 0, firstLine: null as number | null }
  const head = {
    type: null as string | null,
    name: null as string | null,
    organisation: null as string | null,
    currency: 'SEK',
    currencyLine: null as number | null,
    coveredTo: null as string | null,
  }
  let checksums = 0

  const unread: UnreadRow[] = []

  const report = (
    code: FindingCode,
    message: string,
    item: { line: number; source: string },
    remedy: string,
  ): void => {
    findings.push(error(code, message, { file, row: item.line, text: item.source, remedy }))
    unread.push(...lostBy(code, file, item.line, item.source))
  }

  const amountOf = (item: Item, field: number): { amount: string; minor: number } | null => {
    const amount = item.fields[field] ?? ''
    const { minor, problem } = parseFigure(amount, decimals)
    if (problem === undefined) return { amount, minor }
    const { message, remedy } = AMOUNT_PROBLEMS[problem]
    report(problem, `"${amount}" ${message} (#${item.label})`, item, remedy)
    return null
  }
  const dateOf = (item: Item, value: string): string | null => {
    const date = isoDate(value)
    if (date === null)
      report(
        'unreadable-date',
        `"${value}" is not a date (#${item.label})`,
        item,
        'SIE writes dates as YYYYMMDD',
      )
    return date
  }

  const balance = (item: Item) => {
    const isMonthly = item.label === 'PSALDO' || item.label === 'PBUDGET'
    const [year = '', ...rest] = item.fields
    const month = isMonthly ? isoMonth(rest[0] ?? '') : null
    if (!/^-?\d+$/.test(year))
      return report(
        'unreadable-year',
        `"${year}" is not the index of a year (#${item.label})`,
        item,
        YEAR_REMEDY,
      )
    if (isMonthly && month === null)
      return report(
        'unreadable-date',
        `"${rest[0] ?? ''}" is not a month (#${item.label})`,
        item,
        'SIE writes months as YYYYMM',
      )
    const read = amountOf(item, isMonthly ? 3 : 2)
    const account = rest[isMonthly ? 1 : 0] ?? ''
    if (read === null) return
    const label = item.label as BalanceLabel
    balances.push({
      label,
      year: Number(year),
      month,
      account,
      objects: item.objects,
      ...read,
      line: item.line,
    })
  }

  const topLevel: { readonly [label: string]: (item: Item) => void } = {
    SIETYP: ({ fields }) => {
      head.type = fields[0] ?? ''
    },
    FNAMN: ({ fields }) => {
      head.name = fields[0] ?? null
    },
    ORGNR: ({ fields }) => {
      head.organisation = fields[0] ?? null
    },
    VALUTA: ({ fields, line }) => {
      head.currency = (fields[0] ?? '').toUpperCase()
      head.currencyLine = line
    },
    OMFATTN: (item) => {
      head.coveredTo = dateOf(item, item.fields[0] ?? '')
    },
    KSUMMA: () => {
      checksums++
    },
    RAR: (item) => {
      const [index = '', from = '', to = ''] = item.fields
      const start = dateOf(item, from)
      const end = dateOf(item, to)
      if (!/^-?\d+$/.test(index))
        report('unreadable-year', `"${index}" is not the index of a year (#RAR)`, item, YEAR_REMEDY)
      else if (start !== null && end !== null && start < end) years.set(Number(index), { start, end })
      else if (start !== null && end !== null)
        report('fiscal-year', `the year ${index} ends before it starts`, item, 'correct #RAR')
    },
    KONTO: ({ fields: [id = '', name = ''], line }) => {
      accounts.set(id, { id, name: name || id, line })
    },
    KTYP: ({ fields: [id = '', kind = ''] }) => {
      accountKinds.set(id, kind.toUpperCase())
    },
    DIM: ({ fields: [id = '', name = ''] }) => {
      dimensions.set(id, { id, name, parent: null })
    },
    UNDERDIM: ({ fields: [id = '', name = '', parent = ''] }) => {
      dimensions.set(id, { id, name, parent: parent || null })
    },
    OBJEKT: ({ fields: [dimension = '', id = '', name = ''], line }) => {
      objects.push({ dimension, id, name: name || id, line })
    },
    ...Object.fromEntries(BALANCE_LABELS.map((label) => [label, balance])),
  }

  // A voucher is open from its #VER to its "}"; `brace` says where the line reader stands.
  let voucher: VoucherHead | null = null
  /** Where the lines of its block begin, in the text. */
  let block = { start: 0, line: 0, count: 0 }
  let isDamaged = false
  let brace: 'outside' | 'inside' | 'skipped' = 'outside'
  let added: Item | null = null

  const openVoucher = (item: Item) => {
    const [series = '', number = '', date = '', memo = ''] = item.fields
    const iso = dateOf(item, date)
    isDamaged = iso === null
    block = { start: 0, line: 0, count: 0 }
    voucher = { series: series === '#' ? '' : series, number, date: iso ?? '', text: memo, line: item.line }
  }
  const closeVoucher = () => {
    const { start, line, count } = block
    if (voucher !== null)
      vouchers.push(new Voucher(voucher, count, isDamaged, { text, start, end: at, line, decimals }))
    voucher = null
    endOfAdded(null)
    brace = 'outside'
  }
  const truncated = (where: { line: number; source: string }) =>
    report(
      'truncated-file',
      `the voucher has no closing "}": ${voucher === null ? 'the block' : `#VER on line ${voucher.line}`} is cut off`,
      where,
      'export the file again, in full',
    )
  /** At the end of the file: inside of a block, or between #VER and its "{". */
  const isCutOff = (): boolean => brace === 'inside' || (voucher !== null && block.start === 0)
  /** An #RTRANS counts through the identical #TRANS that must follow it. */
  const endOfAdded = (next: Item | null) => {
    if (
      added !== null &&
      (next === null ||
        next.label !== 'TRANS' ||
        next.fields.slice(0, 2).join() !== added.fields.slice(0, 2).join())
    )
      findings.push(
        warning(
          'added-line-alone',
          'this added line (#RTRANS) is not followed by its #TRANS; it does not count',
          {
            file,
            row: added.line,
            text: added.source,
            remedy: 'where it should count, export the voucher again',
          },
        ),
      )
    added = next?.label === 'RTRANS' ? next : null
  }
  const voucherLine = (item: Item) => {
    endOfAdded(item)
    if (item.label !== 'TRANS') {
      if (item.label === 'RTRANS') history.added++
      else history.struck++
      history.firstLine ??= item.line
      return
    }
    const own = item.fields[2] ?? ''
    // Its voucher says no date that can be read.
    if (own === '' && voucher?.date === '')
      unread.push({ file, row: voucher.line, of: 'entry', account: item.fields[0] ?? null })
    const isDated = own === '' || dateOf(item, own) !== null
    if (amountOf(item, 1) === null || !isDated) isDamaged = true
    else block.count++
  }

  const readItem = (item: Item) => {
    if (VOUCHER_LABELS.has(item.label)) {
      if (brace === 'inside' && voucher !== null) return voucherLine(item)
      if (brace !== 'skipped')
        report(
          'line-outside-voucher',
          `#${item.label} outside the braces of a voucher`,
          item,
          'a voucher is #VER, "{", its lines, "}"; export the file again',
        )
      return
    }
    if (brace !== 'outside') {
      if (brace === 'skipped' && item.label !== 'VER') return
      truncated(item)
    }
    closeVoucher()
    if (item.label === 'VER') openVoucher(item)
    else topLevel[item.label]?.(item)
  }

  let number = 0
  /** Where the line that is read begins. */
  let at = 0
  for (const { raw, start, next } of linesIn(text, 0, text.length)) {
    number++
    at = start
    const source = cleaned(raw)
    if (source === '{') {
      brace = voucher === null ? 'skipped' : 'inside'
      if (block.start === 0) block = { start: next, line: number + 1, count: 0 }
    } else if (source === '}') closeVoucher()
    else if (source.startsWith('#')) {
      const label = /^#(\w*)/.exec(source)![1]!.toUpperCase()
      const isKnown = label === 'VER' || VOUCHER_LABELS.has(label) || label in topLevel
      const tokens = isKnown ? tokenize(source.slice(label.length + 1)) : null
      if (tokens !== null) {
        const { fields, objects: own } = split(tokens)
        readItem({ fields, objects: own, label, line: number, source })
      } else if (isKnown) {
        isDamaged = true
        report(
          'unreadable-line',
          `#${label}: a quotation mark or an object list is left open`,
          { line: number, source },
          'a quotation mark inside a text is written \\"; an object list is {dimension "object"}',
        )
      }
    }
  }
  at = text.length
  if (isCutOff()) truncated({ line: number, source: '' })
  closeVoucher()
  if (checksums === 1)
    findings.push(
      error('truncated-file', 'the file begins with #KSUMMA but does not end with it', {
        file,
        row: number,
        remedy: 'export the file again, in full',
      }),
    )
  return {
    file,
    ...head,
    years,
    accounts,
    accountKinds,
    dimensions,
    objects,
    balances,
    vouchers,
    history,
    unread,
    findings,
  }
}

/** What a line is about by which all others are read: without it nothing in the file can be judged. */
const DECIDES = /^#(RAR|VALUTA|SIETYP)\b/i

/** What the books lack of a line with an error; nothing where more than that line is lost. */
function lostBy(code: FindingCode, file: string, row: number, source: string): UnreadRow[] {
  if (code === 'truncated-file' || DECIDES.test(source)) return []
  const line = /^#TRANS\s+"?([^\s"{]*)/i.exec(source)
  if (line !== null) return [{ file, row, of: 'entry', account: line[1] || null }]
  const opening = /^#O?IB\s+(?!-)\S+\s+"?([^\s"{]*)/i.exec(source)
  if (opening !== null) return [{ file, row, of: 'opening', account: opening[1] || null }]
  // A voucher whose head is lost is lost with all of its lines; one without a date is told of with each.
  const isWholeVoucher = code === 'unreadable-line' && /^#VER\b/i.test(source)
  return [{ file, row, of: isWholeVoucher ? 'entry' : 'statement', account: null }]
}

const YEAR_REMEDY = 'SIE numbers years from the current one: 0, -1, -2'
