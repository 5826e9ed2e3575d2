/** What the rows of a file tell about its amounts and dates: only what can be read in one way. */

import * as assert from 'uvu/assert'
import { amountForm, dateForm } from '../../../builder/ingest/text/forms.ts'
import { suite } from '../../suite.ts'

const amounts = suite('form of amounts')
const UNCLEAR = { decimal: null, thousands: '' }

for (const [texts, decimal, thousands] of [
  [['12', '0', ''], '.', ''],
  [['12.50', '-1'], '.', ''],
  [['12,50'], ',', ''],
  [['1.234,50'], ',', '.'],
  [['1,234.50', '12'], '.', ','],
  [['1,234', '12.50'], '.', ','],
  [['1.234', '12,5'], ',', '.'],
  [['1.234.567'], ',', '.'],
  [["1'234.50"], '.', "'"],
  [['1 234,50'], ',', ' '],
  [['1\u00a0234,50', '+2\u202f000,00'], ',', ' '],
  [['$5', '(5.00)', 'n/a', '1.50'], '.', ''],
  [['1.005', '12.50'], '.', ''],
] as const)
  amounts(`${texts.join('  ')} → ${decimal}${thousands}`, () =>
    assert.equal(amountForm(texts), { decimal, thousands, unclear: null }),
  )

for (const texts of [
  ['1,234'],
  ['5', '1.234'],
  ['12.50', '12,50'],
  ["1'000", '1 000'],
  ['1,234.50', '1.234,50'],
])
  amounts(`${texts.join('  ')} is a question`, () => {
    const { unclear, ...form } = amountForm(texts)
    assert.equal(form, UNCLEAR)
    assert.ok(texts.includes(unclear!))
  })

const dates = suite('form of dates')
for (const [texts, formats] of [
  [['2025-01-31', ''], []],
  [['31.01.2025'], ['DD.MM.YYYY']],
  [['03.04.2025'], ['DD.MM.YYYY']],
  [['3.4.25'], ['DD.MM.YY']],
  [['01/31/2025', '02/03/2025'], ['MM/DD/YYYY']],
  [['03/04/2025'], ['DD/MM/YYYY', 'MM/DD/YYYY']],
  [['20250131'], ['YYYYMMDD']],
  [['15-Jan-25'], ['DD-MMM-YY']],
  [['Jan 5, 2025'], ['MMM D, YYYY']],
  [['31.01.2025', '2025-01-31'], []],
  [['Total'], []],
  [['03.01.2025', '14.01.2025', '3l.01.2025'], ['DD.MM.YYYY']],
  [
    ['03/01/2025', '3l/01/2025'],
    ['DD/MM/YYYY', 'MM/DD/YYYY'],
  ],
  [['31.01.2025', 'open', 'n/a'], []],
] as const)
  dates(`${texts.join('  ')} → ${formats.join(' or ') || 'nothing'}`, () =>
    assert.equal(dateForm(texts).formats, formats),
  )
const january = (form: (day: string) => string) =>
  Array.from({ length: 20 }, (_, i) => form(String(i + 1).padStart(2, '0')))
dates('a slip among many dates leaves no doubt', () => {
  const formats = (texts: string[]) => dateForm(texts).formats
  assert.equal(formats([...january((day) => `${day}.01.2025`), '32.01.2025']), ['DD.MM.YYYY'])
  assert.equal(formats([...january((day) => `01/${day}/2025`), 'Total']), ['MM/DD/YYYY'])
  assert.equal(formats([...january((day) => `2025-01-${day}`), '2025-02-30']), ['YYYY-MM-DD'])
  const half = january((day) => `${day}.01.2025`).slice(0, 10)
  assert.equal(formats([...half, ...january((day) => `2025-01-${day}`)]), [])
})
dates('dates of two forms show one that is not ISO', () =>
  assert.is(dateForm(['2025-01-31', '31.01.2025']).sample, '31.01.2025'),
)
