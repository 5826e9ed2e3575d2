/** All files of `datasets/lakeside`, as a Finnish program writes them: semicolons, decimal commas, Windows letters. */
import { readFileSync } from 'node:fs'
import { csv, money } from '../csv.ts'
import type { Transaction } from '../journal.ts'
import { ACCOUNTS } from './chart.ts'
import { keepBooks } from './ledger.ts'

export async function lakesideFiles(): Promise<Record<string, string | Uint8Array>> {
  return {
    'company.yaml': readFileSync(new URL('company.yaml', import.meta.url)),
    'accounts.csv': csv(
      [['Account', 'Description', 'Class', 'Kind'], ...ACCOUNTS.map((row) => [...row])],
      ';',
    ),
    'journal.csv': windows1252(journalCsv(keepBooks())),
  }
}

const finnishDate = (date: string): string => date.split('-').reverse().join('.')

const journalCsv = (transactions: readonly Transaction[]): string =>
  csv(
    [
      ['Voucher', 'Date', 'Account', 'Amount', 'Text'],
      ...transactions.flatMap(({ id, date, memo, lines }) =>
        lines.map((line) => [id, finnishDate(date), line.account, money(line.amount, ',', ' '), memo]),
      ),
    ],
    ';',
  )

/** The letters of these files have one number in Latin-1, Windows-1252 and Unicode. */
const windows1252 = (text: string): Uint8Array => Buffer.from(text, 'latin1')
