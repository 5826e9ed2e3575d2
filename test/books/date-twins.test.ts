/** Dates are read by one rule, in the files that are read here and in those that DuckDB reads. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { amountMacros } from '../../builder/database/amount-sql.ts'
import { openDatabase } from '../../builder/database/database.ts'
import { DATE_MACROS, dateSql } from '../../builder/database/date-sql.ts'
import { parseDate } from '../../builder/ingest/text/months.ts'
import { DATE_CASES } from '../ingest/text/date-cases.ts'
import { suite } from '../suite.ts'

const twins = suite('dates in both twins')

/** Books know the days of three centuries: what lies outside is not the date of an entry. */
const inBooks = (day: string | null): string | null =>
  day !== null && /^(19|2[01])\d\d-\d\d-\d\d$/.test(day) ? day : null
const readHere = (text: string, format: string): string | null => inBooks(parseDate(text, format))

async function readInSql(texts: readonly string[], format: string): Promise<(string | null)[]> {
  const db = await openDatabase()
  try {
    await db.run(`${amountMacros('USD')} ${DATE_MACROS} CREATE TABLE raw (i BIGINT, d VARCHAR)`)
    await db.append(
      'raw',
      texts.map((text, i) => [i, text]),
    )
    const rows = await db.rows<{ day: string | null }>(
      `SELECT ${dateSql('d', format)}::VARCHAR AS day FROM (SELECT i, day_text(value_of(d)) AS d FROM raw) ORDER BY i`,
    )
    return rows.map(({ day }) => inBooks(day))
  } finally {
    db.close()
  }
}

for (const [format, cases] of Object.entries(DATE_CASES))
  twins(`${format}: what it means, or that it is not a date`, async () => {
    const inSql = await readInSql(
      cases.map(([text]) => text),
      format,
    )
    for (const [i, [text, day]] of cases.entries()) {
      assert.is(readHere(text, format), day, `"${text}" here`)
      assert.is(inSql[i], day, `"${text}" in SQL`)
    }
  })

const two = (number: number): string => String(number).padStart(2, '0')
const number = fc.nat(40).chain((n) => fc.constantFrom(String(n), two(n)))
const year = fc.oneof(fc.nat(99).map(two), fc.integer({ min: 1899, max: 2201 }).map(String), number)
const month = fc.oneof(
  number,
  fc.constantFrom('Jan', 'feb', 'MAR', 'Sept', 'June', 'Okt', 'août', 'janv.', 'Märzen'),
)
/** A day as the format has it, or nearly so. */
const written = (format: string) =>
  fc.tuple(year, month, number, number).map(([y, name, m, d]) =>
    format
      .replace('SERIAL', `4${y}${d}`)
      .replace('hh:mm:ss', '23:30:00')
      .replace(/YYYY|YY|MMM|MM|DD|M|D/g, (token) =>
        token[0] === 'Y' ? y : token[0] === 'D' ? d : token === 'MMM' ? name : m,
      ),
  )
const separator = fc.constantFrom(...['./-', '. ', ' /', ' ,'].flatMap((signs) => [...signs]), '', ', ')
const texts = fc
  .record({
    order: fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
    parts: fc.tuple(year, month, number),
    first: separator,
    second: fc.option(separator),
    time: fc.constantFrom('', '', '', ' 10:15', 'T00:00:00Z', ' x', '  3:00 PM'),
  })
  .map(({ order, parts, first, second, time }) => {
    const [a, b, c] = order.map((at) => parts[at])
    return `${a}${first}${b}${second ?? first}${c}${time}`
  })

for (const format of [
  ...Object.keys(DATE_CASES),
  'DD MMM YYYY',
  'MMM D, YYYY',
  'MM/DD/YYYY',
  'YYYY/MM/DD',
  'DDMMYYYY',
])
  twins(`${format}: any text is the same day in both, or in none`, async () => {
    const all = fc.sample(fc.oneof(texts, written(format)), { numRuns: 4000, seed: 20250101 })
    const inSql = await readInSql(all, format)
    const here = all.map((text) => readHere(text, format))
    assert.ok(here.filter((day) => day !== null).length > 20, 'some are dates')
    assert.equal(
      all
        .flatMap((text, i) => (here[i] === inSql[i] ? [] : [{ text, here: here[i], inSql: inSql[i] }]))
        .slice(0, 20),
      [],
    )
  })
