/**
 * The cash-basis ledger that an accounting package exports beside its accrual ledger, made from settlement links:
 * a document's profit and loss and sales tax lines wait until the document is settled, then count in proportion.
 * Written apart from the product's own derivation, so that the one can check the other.
 */
import type { Line, Transaction } from './journal.ts'

export interface Kinds {
  isReceivableOrPayable(account: string): boolean
  /** Profit and loss, and sales tax. */
  isDeferred(account: string): boolean
}

/** A document with an open item on receivables or payables. */
interface Document {
  readonly transaction: Transaction
  /** The open item's line: carries account and tags for what is still unsettled. */
  readonly item: Line
  readonly others: readonly Line[]
  settled: number
  /** What has been recognised of each of `others` so far. */
  recognised: readonly number[]
}

export function toCashBasis(transactions: readonly Transaction[], kinds: Kinds): Transaction[] {
  const documents = new Map<string, Document>()
  for (const transaction of transactions) {
    const item = transaction.lines.find((line) => kinds.isReceivableOrPayable(line.account) && !line.settles)
    if (!item) continue
    const others = transaction.lines.filter((line) => line !== item)
    if (others.some((line) => kinds.isReceivableOrPayable(line.account)))
      throw new Error(`${transaction.id} has more than one line on receivables and payables`)
    documents.set(transaction.id, { transaction, item, others, settled: 0, recognised: others.map(() => 0) })
  }
  const cash = transactions.map((transaction) => {
    const document = documents.get(transaction.id)
    return { ...transaction, lines: document ? countedAtOnce(document, kinds) : [...transaction.lines] }
  })
  const byId = new Map(cash.map((transaction) => [transaction.id, transaction]))
  const settlements = transactions
    .flatMap((transaction) => transaction.lines.map((line, index) => ({ transaction, line, index })))
    .filter(({ line }) => line.settles !== undefined)
    .map((settlement) => {
      const document = documents.get(settlement.line.settles!)
      if (!document)
        throw new Error(`${settlement.transaction.id} settles an unknown ${settlement.line.settles}`)
      // Money that came before the document is recognised when the document comes.
      const early = settlement.transaction.date < document.transaction.date
      const carrier = early ? document.transaction : settlement.transaction
      return { ...settlement, document, carrier }
    })
    .sort((a, b) => {
      const left = [a.carrier.date, a.transaction.id] as const
      const right = [b.carrier.date, b.transaction.id] as const
      if (left[0] !== right[0]) return left[0] < right[0] ? -1 : 1
      if (left[1] !== right[1]) return left[1] < right[1] ? -1 : 1
      return a.index - b.index
    })
  for (const { line, document, carrier } of settlements)
    byId.get(carrier.id)!.lines.push(...recognise(document, line.amount, kinds))
  return cash
    .map((transaction) => ({ ...transaction, lines: netOpenItems(transaction.lines, kinds) }))
    .filter(({ lines }) => lines.length > 0)
}

/** What does not wait: the document's own balance sheet lines, and as much of the open item as pays for them. */
function countedAtOnce({ item, others }: Document, kinds: Kinds): Line[] {
  const kept = others.filter((line) => !kinds.isDeferred(line.account))
  const residue = 0 - kept.reduce((sum, line) => sum + line.amount, 0)
  return residue === 0 && kept.length === 0 ? [] : [{ ...item, amount: residue }, ...kept]
}

/** Books the difference between what was recognised before and what the settled share now comes to. */
function recognise(document: Document, settling: number, kinds: Kinds): Line[] {
  document.settled -= settling
  const shares = apportion(
    document.others.map((line) => line.amount),
    document.settled,
    document.item.amount,
  )
  const lines = document.others
    .map((line, index) => ({ ...line, amount: shares[index]! - document.recognised[index]! }))
    .filter((line) => kinds.isDeferred(line.account) && line.amount !== 0)
  document.recognised = shares
  const sum = lines.reduce((total, line) => total + line.amount, 0)
  const { account, class: memberClass, department } = document.item
  return [...lines, { account, class: memberClass, department, amount: -sum }]
}

/**
 * `amounts`, which add up to −`gross`, × `settled` / `gross`, rounded by largest remainder so that the parts add up to
 * −`settled`; ties: first. An invoice and the bill that it mirrors are rounded alike, on amounts without their sign.
 */
export function apportion(amounts: readonly number[], settled: number, gross: number): number[] {
  const mirror = gross > 0 ? -1 : 1
  const [part, whole] = [BigInt(settled) * BigInt(-mirror), BigInt(Math.abs(gross))]
  const exact = amounts.map((amount) => BigInt(amount * mirror) * part)
  // BigInt division truncates: floored here, so that every remainder is from 0 up to the divisor.
  const floors = exact.map((value) => (value - (((value % whole) + whole) % whole)) / whole)
  const remainders = exact.map((value, index) => ({ rest: value - floors[index]! * whole, index }))
  const missing = Number(part - floors.reduce((sum, value) => sum + value, 0n))
  const up = new Set(
    remainders
      .sort((a, b) => (a.rest === b.rest ? a.index - b.index : a.rest > b.rest ? -1 : 1))
      .slice(0, missing)
      .map(({ index }) => index),
  )
  return floors.map((value, index) => (Number(value) + (up.has(index) ? 1 : 0)) * mirror + 0)
}

/** A receipt less what it recognises leaves nothing on receivables: such lines cancel per account and member. */
function netOpenItems(lines: readonly Line[], kinds: Kinds): Line[] {
  const items = new Map<string, Line>()
  const rest: Line[] = []
  for (const line of lines) {
    if (!kinds.isReceivableOrPayable(line.account)) {
      rest.push(line)
      continue
    }
    const { account, class: memberClass, department } = line
    const key = [account, memberClass ?? '', department ?? ''].join('|')
    items.set(key, {
      account,
      class: memberClass,
      department,
      amount: (items.get(key)?.amount ?? 0) + line.amount,
    })
  }
  return [...rest, ...[...items.values()].filter((line) => line.amount !== 0)]
}
