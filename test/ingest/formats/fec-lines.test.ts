/** Lines, entries and journals of a FEC, as its reader passes them on. */

import * as assert from 'uvu/assert'
import type { FormatContent } from '../../../builder/ingest/format/content.ts'
import { READER } from '../../../builder/ingest/formats/fec/read.ts'
import { type Finding, spelledOut } from '../../../builder/workspace/findings/finding.ts'
import { suite } from '../../suite.ts'
import { fecOf, type Line, lines } from '../../support/fec.ts'
import { fields } from '../../support/fields.ts'
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

const change = (rows: readonly Line[], at: number, changed: Line): Line[] =>
  rows.map((row, i) => (i === at ? { ...row, ...changed } : row))

test('entries whose lines do not stand together', async () => {
  const long = lines(
    Array.from(
      { length: 60 },
      (_, i) => `OD 25 20231201 ${i % 2 ? 607000 : 512000} ${i % 2 ? '-' : ''}3,00`,
    ).join('\n'),
  )
  for (const rows of [
    [...YEAR, ...long],
    [...YEAR].sort((a, b) => a.CompteNum!.localeCompare(b.CompteNum!)),
    [...YEAR].reverse(),
  ])
    assert.equal(await foundInBooks(fecOf(rows), 'unbalanced-transaction'), [])
  const open = fecOf(change([...YEAR, ...long], 30, { Debit: '9999,00', Credit: '' }))
  assert.equal(fields(await foundInBooks(open, 'unbalanced-transaction'), 'row', 'text'), [
    [32, '2023 VE 15'],
  ])
})

test('journals of openings, wherever a line shows that they are', async () => {
  const late = [...SALES.flat(), ...OPENING]
  assert.equal((await content(fecOf(late))).openingJournals, ['AN'])
  const named = await content(
    fecOf(
      [...OPENING, ...SALES.flat(), ...lines('AN 2 20230101 512000 5,00\nAN 2 20230101 101000 -5,00')].map(
        (row, i) =>
          row.JournalCode === 'AN'
            ? { ...row, JournalCode: '90', JournalLib: i > 20 && i % 2 === 0 ? 'A NOUVEAUX' : '' }
            : row,
      ),
    ),
  )
  assert.equal(named.openingJournals, ['90'])
  assert.equal(found(named, 'opening-inside-year'), [])
})

test('entries that stand there twice', async () => {
  const again = async (...rows: readonly (readonly Line[])[]) =>
    (await foundInBooks(fecOf(rows.flat()), 'entry-repeated'))
      .filter(({ severity }) => severity === 'error')
      .map(({ row, message }) => `${row} ${message.split(' in the file')[0]}`)
  assert.equal(await again(YEAR, YEAR), ['52 25 entries, 2023 AN 1 first, stand'])
  assert.equal(await again(YEAR, SALES[3]!), ['52 entry 2023 VE 4 stands'])
  assert.equal(await again(YEAR, [...SALES[3]!].reverse()), ['52 entry 2023 VE 4 stands'])
  assert.equal(await again(YEAR, SALES[3]!.slice(1)), [])
  assert.equal(await again(YEAR, SALES[22]!, SALES[3]!, SALES[22]!), [
    '52 3 entries, 2023 VE 23 first, stand',
  ])
  const long = lines(
    Array.from(
      { length: 40 },
      (_, i) => `OD 25 20231201 ${i % 2 ? 607000 : 512000} ${i % 2 ? '-' : ''}${i >> 1},00`,
    ).join('\n'),
  )
  assert.equal(await again(YEAR, long, SALES[0]!, long), ['92 2 entries, 2023 VE 1 first, stand'])
  // Lines that stand between those of an entry divide it; the books ask about it by its lines.
  assert.equal(
    await again(
      YEAR,
      long.flatMap((line) => [line, ...sale(1, 0)]),
      SALES[0]!,
      long,
    ),
    ['172 entry 2023 VE 1 stands'],
  )
  // Another number of that name is on another day.
  assert.equal(await again(YEAR, sale(3, 4, '20231224'), SALES[3]!), [])
  assert.equal(
    await again(
      YEAR.map((row) => ({ ...row, EcritureNum: '0' })),
      SALES[3]!,
      SALES[5]!,
      SALES[3]!,
    ),
    ['56 entry 2023 VE 4 stands'],
  )
})

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

test('names of accounts that change', async () => {
  const named = YEAR.map((row, i) => ({ ...row, CompteLib: i % 3 === 0 ? '' : `${row.CompteLib} ${i >> 3}` }))
  const read = await content(fecOf(named))
  assert.is(read.accounts.find((row) => row.id === '411000')?.name, 'Clients 5')
})
