/** Lines of a GL_Detail as rows, however the text is written. */

import * as assert from 'uvu/assert'
import { READER } from '../../../builder/ingest/formats/ads/read.ts'
import { suite } from '../../suite.ts'
import { column } from '../../support/fields.ts'
import { companyOf, foundIn, readingOf, rowsIn } from '../../support/readings.ts'
import { workbook } from '../folder.ts'

const test = suite('rows of the Audit Data Standard')

const ACME = companyOf(
  'id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: USD\nledger: [{ files: "ads/*", format: ads }]\n',
)
const read = (text: string | Buffer, file = 'ads/detail.txt') => readingOf(READER, ACME, { [file]: text })

interface Line {
  readonly entry: number
  readonly date: string
  readonly period: string
  readonly text: string
  readonly account: string
  readonly amount: string
  readonly side: string
  readonly currency: string
  readonly unit: string
  readonly segment: string
}

const HEADER =
  'Journal_ID|Journal_ID_Line_Number|JE_Header_Description|Effective_Date|Fiscal_Year|Period|GL_Account_Number|Amount|Amount_Credit_Debit_Indicator|Amount_Currency|Business_Unit_Code|Segment01'

/** Entries of two lines. */
const lines = (
  count: number,
  change: (i: number) => Partial<Line> = () => ({}),
  from = 0,
): readonly (readonly string[])[] =>
  Array.from({ length: 2 * count }, (_, n) => {
    const i = 2 * from + n
    const entry = Math.floor(i / 2)
    const month = String((entry % 12) + 1).padStart(2, '0')
    const line = {
      ...{ entry, date: `2025-${month}-15`, period: month, text: `Sale ${entry}`, currency: 'USD' },
      ...{ account: String(1000 + 1000 * (i % 2) + (entry % 7)), side: i % 2 === 0 ? 'D' : 'C' },
      ...{ amount: `${entry}.50`, unit: `U${entry % 3}`, segment: entry % 5 === 0 ? '' : `S${entry % 5}` },
      ...change(i),
    }
    return [
      ...[`J${line.entry}`, String(1 + (i % 2)), line.text, line.date, '2025', line.period, line.account],
      ...[line.amount, line.side, line.currency, line.unit, line.segment],
    ]
  })

const written = (rows: readonly (readonly string[])[], end = '\n', delimiter = '|'): string => {
  const cell = (text: string) => (/["\n|,]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  return [HEADER.replaceAll('|', delimiter), ...rows.map((row) => row.map(cell).join(delimiter)), ''].join(
    end,
  )
}

test('line ends, delimiters, encodings, a sheet', async () => {
  const rows = rowsIn(await read(written(lines(90))))
  assert.is(rows.length, 180)
  assert.is(rows[3], '2025 J1,2025 J1 2,2025-02-15,2001,U1,,Sale 1,,,,,1.50,-1.50')
  for (const text of [
    written(lines(90), '\r\n'),
    written(lines(90), '\r'),
    written(lines(90), '\n', ','),
    written(lines(90)).trimEnd(),
    Buffer.from(`\ufeff${written(lines(90))}`, 'utf16le'),
  ])
    assert.equal(rowsIn(await read(text)), rows)
  const sheet = await workbook({ Detail: [HEADER.split('|'), ...lines(90).map((row) => [...row])] })
  assert.equal(rowsIn(await read(sheet, 'ads/a.xlsx')), rows)
})

test('what lines say is told by the row where it stands first', async () => {
  const one = await read(written(lines(90, (i) => (i === 61 || i === 77 ? { side: '?' } : {}))))
  assert.equal(column(foundIn(one, 'unreadable-side'), 'row'), [63])
  const periods = await read(written(lines(90, (i) => (i > 170 ? { period: '3' } : {}))))
  assert.equal(column(foundIn(periods, 'period-differs'), 'row'), [173])
  const members = await read(written(lines(90, (i) => (i > 150 ? { unit: 'all' } : {}))))
  const all = members.classes.filter(({ id }) => id === 'all')
  assert.equal(column(all, 'row'), [153])
})
