/** Lines, entries and journals of a FEC, as its reader passes them on. */

import * as assert from 'uvu/assert'
import type { FormatContent } from '../../../builder/ingest/format/content.ts'
import { READER } from '../../../builder/ingest/formats/fec/read.ts'
import { type Finding, spelledOut } from '../../../builder/workspace/findings/finding.ts'
import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'
import { fecOf, type Line, lines } from '../../support/fec.ts'
import { companyOf, type Files, foundIn as found, readingOf } from '../../support/readings.ts'
import { findingsOf } from '../../support/workspace.ts'

const test = suite('lines of a FEC')

const YAML =
  'id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: EUR\nledger: [{ files: "ledger/*.txt", format: fec }]\n'
const COMPANY = companyOf(YAML)
const NAME = '123456789FEC20231231.txt'

/** What a check finds in the books of a file. */
const foundInBooks = async (fec: string, code: string): Promise<Finding[]> =>
  (await findingsOf({ 'company.yaml': YAML, [`ledger/${NAME}`]: fec }))
    .filter((found) => found.code === code)
    .map(spelledOut)

const content = (fec: Files | string | Buffer): Promise<FormatContent> =>
  readingOf(READER, COMPANY, typeof fec === 'string' || Buffer.isBuffer(fec) ? { [NAME]: fec } : fec)

const OPENING = lines(`
  AN 1 20230101 512000 1000,00
  AN 1 20230101 101000 -1000,00`)
const day = (i: number): string =>
  `2023${String((i % 12) + 1).padStart(2, '0')}${String((i % 28) + 1).padStart(2, '0')}`
const sale = (i: number, number: string | number = i + 1, date = day(i)): Line[] =>
  lines(`
    VE ${number} ${date} 411000 1${i},00 F${i} Vente ${i}
    VE ${number} ${date} 707000 -1${i},00 F${i} Vente ${i}`)
const SALES = Array.from({ length: 24 }, (_, i) => sale(i))
const YEAR: readonly Line[] = [...OPENING, ...SALES.flat()]

test('gaps in the numbers', async () => {
  const numbered = (numbers: readonly (string | number)[], journals = ['VE']) =>
    fecOf(
      numbers.flatMap((number, i) =>
        sale(i, number).map((row) => ({ ...row, JournalCode: journals[i % journals.length]! })),
      ),
    )
  const numbers = Array.from({ length: 60 }, (_, i) => i + 1)
  const gap = async (...given: Parameters<typeof numbered>) => {
    const [gaps] = found(await content(numbered(...given)), 'voucher-gap')
    return gaps && `${gaps.row} ${spelledOut(gaps).message.split(': ')[1]}`
  }
  assert.is(await gap(numbers), undefined)
  assert.is(await gap([...numbers].reverse()), undefined)
  assert.is(await gap(numbers.filter((n) => n % 20 !== 7)), '14 7, 27, 47')
  assert.is(
    await gap(
      numbers.filter((n) => n % 20 !== 7),
      ['VE', 'BQ', 'OD'],
    ),
    '14 7, 27, 47',
  )
  const mixed = numbers.map((n) => (n * 37) % 61).filter((n) => n < 20 || n > 25)
  assert.is(await gap(mixed), `${2 * mixed.indexOf(26) + 2} 20 to 25`)
  assert.is(await gap([...mixed, 26, 27, 28]), `${2 * mixed.indexOf(26) + 2} 20 to 25`)
})

test('more entries that do not balance than are listed', async () => {
  const many = Array.from({ length: 20 }, () => YEAR).flat()
  const each = many.map((row, i) => ({ ...row, EcritureNum: String(i), Debit: '1,00', Credit: '' }))
  assert.is((await foundInBooks(fecOf(each), 'unbalanced-transaction')).length, 201)
})

cases(test, new URL('cases/fec-lines.yaml', import.meta.url))
