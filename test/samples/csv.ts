/** CSV as the samples write it: RFC 4180 quoting where needed, LF ends, and amounts from whole minor units. */
import type { Transaction } from './journal.ts'

export function csv(rows: readonly (readonly string[])[], delimiter = ','): string {
  const special = new RegExp(`[${delimiter}"\\r\\n]`)
  const cell = (text: string) => (special.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  return rows.map((row) => `${row.map(cell).join(delimiter)}\n`).join('')
}

/** 123450 → `1234.50`; `decimal` and `thousands` as the country writes them. */
export function money(minor: number, decimal = '.', thousands = ''): string {
  const digits = String(Math.abs(minor)).padStart(3, '0')
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, thousands)
  return `${minor < 0 ? '-' : ''}${whole}${decimal}${digits.slice(-2)}`
}

const HEADER = 'transaction_id,date,account,debit,credit,class,department,memo,reference'.split(',')

/** Canonical ledger CSV; `links` adds what only the accrual export carries: settlement links and line ids. */
export function ledgerCsv(transactions: readonly Transaction[], { links }: { links: boolean }): string {
  const rows = transactions.flatMap((transaction) =>
    transaction.lines.map((line, index) => [
      transaction.id,
      transaction.date,
      line.account,
      line.amount > 0 ? money(line.amount) : '',
      line.amount < 0 ? money(-line.amount) : '',
      line.class ?? '',
      line.department ?? '',
      line.memo ?? transaction.memo,
      transaction.reference,
      ...(links ? [line.settles ?? '', `${transaction.id}.${index + 1}`] : []),
    ]),
  )
  return csv([[...HEADER, ...(links ? ['settles', 'line_id'] : [])], ...rows])
}
