/**
 * The CSV of the plain-text accounting programs, one dialect each: hledger print, hledger register, bean-query, ledger
 * csv. Known by the header, or by the first row where there is no header. States which cell is what, and reads no figures.
 */
import type { FilePreview } from '../../format/preview.ts'
import { type PlainAmount, splitAmount } from './amounts.ts'
import { commentDate, commentTags, type Tag } from './tags.ts'

/** One posting as its row says it. */
export interface PlainPosting {
  /** Rows of one transaction follow one another and share this; null where the program names none. */
  readonly transaction: string | null
  readonly date: string
  /** Without the marks of a virtual posting. */
  readonly account: string
  /** `(account)` balances with nothing, `[account]` with others of its kind: neither is real money. */
  readonly isVirtual: boolean
  readonly amount: PlainAmount
  /** The same amount as other columns of the row state it; null where they do not, or agree. */
  readonly otherwise: string | null
  readonly memo: string
  readonly reference: string
  /** Where a name occurs twice, the last one counts. */
  readonly tags: readonly Tag[]
}

/** By what a file is known. */
interface DialectForm {
  /** For people. */
  readonly name: string
  readonly delimiter: string
  /** ledger up to 3.3.0 writes \" for a quote. */
  readonly isEscaped: boolean
  readonly hasHeader: boolean
  /** In small letters. */
  readonly header: readonly string[]
}

export interface Dialect extends DialectForm {
  readonly width: number
  /** The command that states amounts as they were paid, in one currency. */
  readonly atCost: string
  readonly isHeader: (cells: readonly string[]) => boolean
  readonly posting: (cells: readonly string[]) => PlainPosting
}

type Cell = (name: string) => string

interface Kind extends Pick<Dialect, 'name' | 'atCost'> {
  /** Required columns; `a|b` is one of the two. */
  readonly needs: readonly string[]
  /** Columns that are neither required nor tags. */
  readonly knows: readonly string[]
  readonly posting: (cell: Cell) => Omit<PlainPosting, 'account' | 'isVirtual' | 'otherwise'>
  readonly otherwise?: (cell: Cell) => string | null
}

const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' | ')

const HLEDGER_COST = 'hledger print -B --real -O csv'

const KINDS: readonly Kind[] = [
  {
    name: 'hledger print',
    atCost: HLEDGER_COST,
    needs: ['txnidx', 'date', 'description', 'account', 'amount', 'commodity', 'posting-comment'],
    knows: ['date2', 'status', 'code', 'comment', 'credit', 'debit', 'posting-status'],
    posting: (cell) => ({
      transaction: cell('txnidx'),
      date: commentDate(cell('posting-comment'), cell('date')) ?? cell('date'),
      amount: { number: cell('amount'), commodity: cell('commodity') },
      memo: cell('description'),
      reference: cell('code'),
      tags: [...commentTags(cell('comment')), ...commentTags(cell('posting-comment'))],
    }),
    otherwise: bySides,
  },
  {
    name: 'hledger register',
    atCost: HLEDGER_COST,
    needs: ['txnidx', 'date', 'code', 'description', 'account', 'amount', 'total'],
    knows: [],
    posting: (cell) => ({
      transaction: cell('txnidx'),
      date: cell('date'),
      amount: splitAmount(cell('amount')),
      memo: cell('description'),
      reference: cell('code'),
      tags: [],
    }),
  },
  {
    name: 'bean-query',
    atCost: 'number(weight) AS amount, currency(weight) AS currency',
    needs: ['date', 'account', 'narration', 'weight|position|amount|number', 'weight|position|currency'],
    knows:
      'id type flag payee filename lineno location links tags balance year month day other_accounts'.split(
        ' ',
      ),
    posting: (cell) => ({
      transaction: cell('id') || null,
      date: cell('date'),
      amount: beancountAmount(cell),
      memo: joined(cell('payee'), cell('narration')),
      reference: '',
      tags: [],
    }),
  },
]

/** hledger writes each amount twice: with its sign, and as a debit or a credit. */
function bySides(cell: Cell): string | null {
  const [amount, debit, credit] = [cell('amount'), cell('debit'), cell('credit')]
  // The other side is empty, or zero.
  const isZero = (text: string): boolean => /^[-0.,]*$/.test(text)
  const stated = isZero(credit) ? debit || credit : isZero(debit) ? `-${credit}` : `${debit} and -${credit}`
  return stated === '' || stated === amount || (isZero(stated) && isZero(amount)) ? null : stated
}

/** The weight is what a transaction balances by: at cost, in the currency that was paid. */
function beancountAmount(cell: Cell): PlainAmount {
  if (cell('weight') !== '') return splitAmount(cell('weight'))
  if (cell('currency') === '') return splitAmount(cell('position') || cell('amount'))
  return { number: cell('amount') || cell('number'), commodity: cell('currency') }
}

/** `ledger csv` writes no header; the last three are those of the format that our documentation gives. */
const LEDGER_COLUMNS =
  'date code payee account commodity amount state note transaction class department'.split(' ')
const LEDGER_WIDTHS = [8, 11]
const LEDGER: Kind = {
  name: 'ledger csv',
  atCost: 'ledger csv -B --real',
  needs: [],
  knows: LEDGER_COLUMNS,
  posting: (cell) => ({
    transaction: cell('transaction') || null,
    date: cell('date').replaceAll('/', '-'),
    amount: { number: cell('amount'), commodity: cell('commodity').replace(/^"(.*)"$/, '$1') },
    memo: cell('payee'),
    reference: cell('code'),
    tags: ['class', 'department'].map((name) => ({ name, value: cell(name) })),
  }),
}

/** Null where the file is of none of these programs. */
export function dialectOf(look: FilePreview): Dialect | null {
  for (const { delimiter, rows } of look.samples(1)) {
    const header = (rows[0] ?? []).map((cell) => cell.trim().toLowerCase())
    const kind = KINDS.find(({ needs }) =>
      needs.every((names) => names.split('|').some((name) => header.includes(name))),
    )
    if (kind !== undefined && delimiter !== null)
      return dialectIn(kind, { header, delimiter, isEscaped: false, hasHeader: true })
  }
  const width = ledgerWidth(look.head)
  if (width === null) return null
  const isEscaped = /\\"/.test(look.head)
  const header = LEDGER_COLUMNS.slice(0, width)
  return dialectIn(LEDGER, { header, delimiter: ',', isEscaped, hasHeader: false })
}

const LEDGER_ROW = /^\uFEFF?"\d{4}[-/]\d{2}[-/]\d{2}",".*"\r?(\n|$)/

/** Every cell is quoted, and no text of a cell can hold quote, comma, quote unescaped. */
function ledgerWidth(head: string): number | null {
  const [row] = LEDGER_ROW.exec(head) ?? []
  if (row === undefined) return null
  const cells = row.trim().split('","')
  const isAmount = /^-?[\d.,]+$/.test(cells[5] ?? '') && /^[*!]?$/.test(cells[6] ?? '')
  return isAmount && LEDGER_WIDTHS.includes(cells.length) ? cells.length : null
}

/** `(account)` or `[account]`. */
const VIRTUAL = /^\((.*)\)$|^\[(.*)\]$/

function dialectIn(kind: Kind, form: Omit<DialectForm, 'name'>): Dialect {
  const { header } = form
  const { name, atCost, knows, needs, posting, otherwise } = kind
  const at = new Map(header.map((column, i) => [column, i]))
  const known = new Set([...knows, ...needs.flatMap((names) => names.split('|'))])
  // bean-query names any_meta('class') any_meta_cclass, and refuses the name "class", which is a word of its own.
  const tags = header.flatMap((column, i) =>
    known.has(column) ? [] : [{ name: column.replace(/^(any_|entry_)?meta_c|_$/g, ''), at: i }],
  )
  return {
    ...form,
    name,
    atCost,
    width: header.length,
    isHeader: (cells) =>
      form.hasHeader &&
      cells[0]?.trim().toLowerCase() === header[0] &&
      header.every((column, i) => cells[i]?.trim().toLowerCase() === column),
    posting: (cells) => {
      const cell = (column: string) => cells[at.get(column) ?? -1]?.trim() ?? ''
      const text = cell('account')
      const virtual = VIRTUAL.exec(text)
      const { transaction, date, amount, memo, reference, tags: read } = posting(cell)
      const own = tags.map((tag) => ({ name: tag.name, value: cells[tag.at]?.trim() ?? '' }))
      const all = read.length === 0 ? own : [...read, ...own]
      // Field by field, since a spread takes twenty times as long, and this runs for each row.
      return {
        transaction,
        date,
        amount,
        otherwise: otherwise?.(cell) ?? null,
        memo,
        reference,
        tags: all.length === 0 ? all : all.filter(({ value }) => value !== ''),
        account: virtual?.[1] ?? virtual?.[2] ?? text,
        isVirtual: virtual !== null,
      }
    },
  }
}
