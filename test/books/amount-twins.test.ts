/** Amounts are read by one rule, in the files that are read here and in those that DuckDB reads. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { amountMacros, amountsSql } from '../../builder/books/amount-sql.ts'
import { openDatabase } from '../../builder/books/database.ts'
import { parseAmount, type RoundingReach, reachOf } from '../../builder/ingest/text/amount.ts'

const twins = suite('amounts in both twins')

const FORMS = [
  { decimal: '.', thousands: '', currency: 'USD' },
  { decimal: '.', thousands: ',', currency: 'USD' },
  { decimal: ',', thousands: '.', currency: 'EUR' },
  { decimal: ',', thousands: ' ', currency: 'SEK' },
  { decimal: '.', thousands: "'", currency: 'CHF' },
  { decimal: '.', thousands: '', currency: 'ZAR' },
] as const
type Form = (typeof FORMS)[number]

/** What DuckDB makes of the texts, in order. */
async function readInSql(
  texts: readonly string[],
  form: Form,
  reach: RoundingReach | null = null,
): Promise<(number | null)[]> {
  const db = await openDatabase()
  try {
    await db.run(`${amountMacros(form.currency)} CREATE TABLE raw (i BIGINT, amount VARCHAR)`)
    await db.append(
      'raw',
      texts.map((text, i) => [i, text]),
    )
    const rows = await db.rows<{ minor: string | null }>(
      `SELECT amount_minor::VARCHAR AS minor FROM (${amountsSql('FROM raw', ['amount'], form, 2, reach)}) ORDER BY i`,
    )
    return rows.map(({ minor }) => (minor === null ? null : Number(minor)))
  } finally {
    db.close()
  }
}

const readHere = (text: string, form: Form) => {
  const minor = parseAmount(text, 2, form).minor
  return minor === undefined ? null : minor + 0
}

async function agree(texts: readonly string[], form: Form): Promise<void> {
  const inSql = await readInSql(texts, form)
  const differing = texts.flatMap((text, i) =>
    readHere(text, form) === inSql[i] ? [] : [{ text, here: readHere(text, form), inSql: inSql[i] }],
  )
  assert.equal(differing, [])
}

const piece = fc.constantFrom(
  ...[
    '1',
    '12',
    '123',
    '234',
    '000',
    '0',
    '.',
    ',',
    "'",
    '’',
    ' ',
    '\u00a0',
    '\u2009',
    '\u202f',
    '-',
    '−',
    '–',
    '+',
  ],
  ...[
    '(',
    ')',
    '$',
    '€',
    'kr',
    'kr.',
    'Fr.',
    'R',
    'USD',
    'sek',
    'US$',
    'CR',
    'DR',
    '%',
    'e',
    'E+05',
    '\t',
    '?',
    '٣',
    '½',
  ],
)
const soup = fc.array(piece, { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join(''))
const around = (core: fc.Arbitrary<string>) =>
  fc
    .tuple(
      fc.constantFrom('', '-', '(', '$', '-$', '($', '€ ', 'SEK ', "'", '– ', '+', 'CHF ', 'R '),
      core,
      fc.constantFrom('', ')', '-', ' -', ' kr', '€', ' CHF', '%', ' CR', ' kr-', '$)'),
    )
    .map((parts) => parts.join(''))
const grouped = fc
  .tuple(
    fc.nat(999),
    fc.array(fc.integer({ min: 100, max: 999 }), { maxLength: 3 }),
    fc.constantFrom(...",.' ’\u00a0"),
    fc.constantFrom('', '.5', ',50', '.500'),
  )
  .map(([first, groups, separator, fraction]) => [first, ...groups].join(separator) + fraction)

for (const form of FORMS)
  twins(`${form.currency}, decimals after "${form.decimal}", thousands by "${form.thousands}"`, async () => {
    const texts = fc.sample(fc.oneof(soup, around(grouped), around(soup)), { numRuns: 6000, seed: 20250101 })
    assert.ok(texts.filter((text) => readHere(text, form) !== null).length > 100)
    await agree(texts, form)
  })

const USD = FORMS[1]
const cases: [string, Form, number | null][] = []
for (const [text, minor] of [
  ['$1,234.50', 123450],
  ['-$1,234.50', -123450],
  ['$-1,234.50', -123450],
  ['($1,234.50)', -123450],
  ['$ (1,234.50)', -123450],
  ['(1,234.50)', -123450],
  ['( 1,234.50 )', -123450],
  ['1,234.50-', -123450],
  ['1,234.50 USD', 123450],
  ['USD 1,234.50', 123450],
  ['US$1,234.50', 123450],
  ['−1,234.50', -123450],
  ['–1,234.50', -123450],
  ['- 1,234.50', -123450],
  ["'1234.50", 123450],
  ['-', 0],
  ['–', 0],
  ['$ -', 0],
  ['\u00a0$ 1,234.50\u00a0', 123450],
  ['()', null],
  ['(-5)', null],
  ['-5-', null],
  ['((5))', null],
  ['(5', null],
  ['€5', null],
  ['5 kr', null],
  ['5 %', null],
  ['5 CR', null],
  ['1E+05', null],
  ['$', null],
  ['#REF!', null],
  ['1.', 100],
  ['1.50.', null],
  ['1..00', null],
  ['1,2345', null],
  ['--', null],
  ['+5.00', 500],
  ['=(5.00)', null],
  ['=-5.00', null],
  ['="5.00"', null],
  ['=5*3', null],
] as const)
  cases.push([text, USD, minor])

for (const [text, form, minor] of [
  ['1 234,50 kr', FORMS[3], 123450],
  ['1\u2009234,50\u00a0kr', FORMS[3], 123450],
  ['-1 234,50 kr.', FORMS[3], -123450],
  ['SEK 1 234,50', FORMS[3], 123450],
  ['1.234,50 €', FORMS[2], 123450],
  ['€ 1.234,50-', FORMS[2], -123450],
  ['CHF 1’234.50', FORMS[4], 123450],
  ["1'234.50", FORMS[4], 123450],
  ['R 1234.50', FORMS[5], 123450],
] as const)
  cases.push([text, form, minor])

twins('what people write around the digits is read, or refused', async () => {
  for (const form of FORMS) {
    const mine = cases.filter(([, of]) => of === form)
    const texts = mine.map(([text]) => text)
    const inSql = await readInSql(texts, form)
    for (const [i, [text, , minor]] of mine.entries()) {
      assert.is(readHere(text, form), minor, `"${text}" here`)
      assert.is(inSql[i], minor, `"${text}" in SQL`)
    }
  }
})

for (const [tolerance, text, minor] of [
  ['0.005', '0.005', 1],
  ['0.005', '-0.005', -1],
  ['0.005', '0.0050', 1],
  ['0.005', '0.0049', 0],
  ['0.005', '-0.00499999999999999999999999', 0],
  ['0.005', '1.005', 101],
  ['0.005', '+1,234.565', 123457],
  ['0.005', '(1,234.565)', -123457],
  ['0.005', '-9.995', -1000],
  ['0.005', '0.333333333333333333333333333333', 33],
  ['0.005', '1.50', 150],
  ['0.005', '1.005.', null],
  ['0.005', '90071992547409.915', null],
  ['0.05', '2.675', 268],
  ['0.001', '0.001', 0],
  ['0.001', '0.0011', null],
  ['0.001', '0.009', 1],
  ['0.001', '-1.9989', null],
  ['0.001', '-1.9990', -200],
  ['0.004', '0.005', null],
  ['0.0001', '7.0099', 701],
] as const)
  twins(`"${text}" with a tolerance of ${tolerance}`, async () => {
    const reach = reachOf(tolerance, 2)
    assert.is(parseAmount(text, 2, { ...USD, rounding: reach }).minor ?? null, minor, 'here')
    assert.equal(await readInSql([text], USD, reach), [minor], 'in SQL')
  })

twins('any text with a tolerance is read alike', async () => {
  const number = fc
    .tuple(fc.constantFrom('', '-', '+'), fc.nat(9999), fc.stringMatching(/^[0-9]{1,7}$/))
    .map(([sign, whole, fraction]) => `${sign}${whole}.${fraction}`)
  const texts = fc.sample(fc.oneof(number, around(number), soup), { numRuns: 4000, seed: 20250102 })
  for (const tolerance of ['0.005', '0.002', '0.00005']) {
    const reach = reachOf(tolerance, 2)
    const inSql = await readInSql(texts, USD, reach)
    const differing = texts.filter((text, i) => {
      const { minor } = parseAmount(text, 2, { ...USD, rounding: reach })
      return (minor === undefined ? null : minor + 0) !== inSql[i]
    })
    assert.equal(differing, [])
  }
})

twins.run()
