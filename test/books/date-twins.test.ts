/** Dates are read by one rule, in the files that are read here and in those that DuckDB reads. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openDatabase } from '../../builder/books/database.ts'
import { DATE_MACROS, dateSql } from '../../builder/books/date-sql.ts'
import { parseDate } from '../../builder/ingest/text/months.ts'

const twins = suite('dates in both twins')

/** Books know the days of three centuries: what lies outside is no date of an entry. */
const inBooks = (day: string | null): string | null =>
  day !== null && /^(19|2[01])\d\d-\d\d-\d\d$/.test(day) ? day : null
const readHere = (text: string, format: string): string | null => inBooks(parseDate(text, format))

async function readInSql(texts: readonly string[], format: string): Promise<(string | null)[]> {
  const db = await openDatabase()
  try {
    await db.run(`${DATE_MACROS} CREATE TABLE raw (i BIGINT, d VARCHAR)`)
    await db.append(
      'raw',
      texts.map((text, i) => [i, text]),
    )
    const rows = await db.rows<{ day: string | null }>(
      `SELECT ${dateSql('d', format)}::VARCHAR AS day FROM (SELECT i, day_text(d) AS d FROM raw) ORDER BY i`,
    )
    return rows.map(({ day }) => inBooks(day))
  } finally {
    db.close()
  }
}

const CASES: Readonly<Record<string, readonly (readonly [text: string, day: string | null])[]>> = {
  'DD.MM.YY': [
    ['31.12.99', '1999-12-31'],
    ['01.01.69', '1969-01-01'],
    ['31.12.68', '2068-12-31'],
    ['1.1.00', '2000-01-01'],
    ['29.02.00', '2000-02-29'],
    ['29.02.99', null],
    ['31.12.1999', null],
    ['31.12.9', null],
    ['31.12.99 08:15', '1999-12-31'],
    ['36525', null],
  ],
  'M/D/YY': [
    ['12/31/99', '1999-12-31'],
    ['1/2/25', '2025-01-02'],
    ['13/1/25', null],
    ['12/31/2025', null],
  ],
  'DD-MMM-YY': [
    ['31-Dec-99', '1999-12-31'],
    ['31-dec-25', '2025-12-31'],
    ['31-December-25', null],
  ],
  YYMMDD: [
    ['991231', '1999-12-31'],
    ['250131', '2025-01-31'],
    ['45102', null],
    ['2501311', null],
    ['25131', null],
  ],
  'DD.MM.YYYY': [
    ['31.12.1999', '1999-12-31'],
    ['1.2.2025', '2025-02-01'],
    ['31.12.99', null],
    ['31.11.2025', null],
    ['45672', null],
    ['31.12.2025x', null],
  ],
  YYYYMMDD: [
    ['20250131', '2025-01-31'],
    ['2025131', null],
    ['45672', null],
  ],
  'YYYY-MM-DD': [
    ['2025-01-31', '2025-01-31'],
    ['2025-1-31', '2025-01-31'],
    ['25-01-31', null],
    ['2025-01-31T00:00:00Z', '2025-01-31'],
    ['2025-01-31 10:00:00+02:00', null],
    ['45672', null],
  ],
}

for (const [format, cases] of Object.entries(CASES))
  twins(`${format}: what it means, or that it is no date`, async () => {
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
const month = fc.oneof(number, fc.constantFrom('Jan', 'feb', 'MAR', 'Sept', 'June', 'Okt'))
/** A day as the format has it, or nearly so. */
const written = (format: string) =>
  fc
    .tuple(year, month, number, number)
    .map(([y, name, m, d]) =>
      format.replace(/YYYY|YY|MMM|MM|DD|M|D/g, (token) =>
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
  ...Object.keys(CASES),
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

twins.run()
