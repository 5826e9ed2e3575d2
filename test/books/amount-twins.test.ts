/** Amounts are read by one rule, in the files that are read here and in those that DuckDB reads. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { amountMacros, amountsSql } from '../../builder/database/amount-sql.ts'
import { openDatabase } from '../../builder/database/database.ts'
import { parseAmount, type RoundingReach, reachOf } from '../../builder/ingest/text/amount.ts'
import { AMOUNT_FORMS, type AmountForm, ROUNDED_AMOUNTS } from '../ingest/text/amount-cases.ts'
import { suite } from '../suite.ts'

const twins = suite('amounts in both twins')
type Form = Pick<AmountForm, 'decimal' | 'thousands' | 'currency'>
const BY_COMMA = { decimal: '.', thousands: ',', currency: 'USD' } as const

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
  const minor = parseAmount(text, 2, { ...form, isSigned: true }).minor
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

for (const form of AMOUNT_FORMS)
  twins(`${form.name}: any text is read alike`, async () => {
    const texts = fc.sample(fc.oneof(soup, around(grouped), around(soup)), { numRuns: 6000, seed: 20250101 })
    assert.ok(texts.filter((text) => readHere(text, form) !== null).length > 100)
    await agree(texts, form)
  })

for (const form of AMOUNT_FORMS)
  twins(`${form.name}: each case is read, or refused`, async () => {
    const inSql = await readInSql(
      form.cases.map(([text]) => text),
      form,
    )
    for (const [i, [text, minor]] of form.cases.entries()) {
      assert.is(readHere(text, form), minor, `"${text}" here`)
      assert.is(inSql[i], minor, `"${text}" in SQL`)
    }
  })

for (const [tolerance, text, minor] of ROUNDED_AMOUNTS)
  twins(`"${text}" with a tolerance of ${tolerance}`, async () => {
    const reach = reachOf(tolerance, 2)
    assert.is(parseAmount(text, 2, { ...BY_COMMA, rounding: reach }).minor ?? null, minor, 'here')
    assert.equal(await readInSql([text], BY_COMMA, reach), [minor], 'in SQL')
  })

twins('any text with a tolerance is read alike', async () => {
  const number = fc
    .tuple(fc.constantFrom('', '-', '+'), fc.nat(9999), fc.stringMatching(/^[0-9]{1,7}$/))
    .map(([sign, whole, fraction]) => `${sign}${whole}.${fraction}`)
  const texts = fc.sample(fc.oneof(number, around(number), soup), { numRuns: 4000, seed: 20250102 })
  for (const tolerance of ['0.005', '0.002', '0.00005']) {
    const reach = reachOf(tolerance, 2)
    const inSql = await readInSql(texts, BY_COMMA, reach)
    const differing = texts.filter((text, i) => {
      const { minor } = parseAmount(text, 2, { ...BY_COMMA, isSigned: true, rounding: reach })
      return (minor === undefined ? null : minor + 0) !== inSql[i]
    })
    assert.equal(differing, [])
  }
})
