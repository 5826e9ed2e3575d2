/**
 * Converts the text of an amount to minor units in SQL, by the same rules as parseAmount in ingest/text/amount.ts. Text that
 * is not an amount becomes NULL.
 */
import type { RoundingReach } from '../ingest/text/amount.ts'
import {
  APOSTROPHE,
  BLANKS,
  decorationSteps,
  MINUSES,
  SIDE_STEPS,
  signsOf,
} from '../ingest/text/decorations.ts'
import { quoted } from './database.ts'

const NO_BREAK = '\u00a0'
const AFTER_NO_BREAK = '\u00a1'
/**
 * White space around a value, which does not belong to it. The characters are written literally, because DuckDB would evaluate
 * chr(9) again for each column of each file.
 */
const AROUND = [' ', '\t', '\n', '\r', NO_BREAK]

const replaced = (steps: readonly (readonly [string, string])[], text: string): string =>
  steps.reduce(
    (found, [pattern, by]) =>
      `regexp_replace(${found}, ${quoted(pattern)}, ${quoted(by.replace('$1', '\\1'))}, 'i')`,
    text,
  )

/** SQL that creates the macros, once per database. `normalize_amount_text` strips the symbols of `currency` (an ISO 4217 code). */
export const amountMacros = (currency: string): string => `
-- A blank value is NULL; spaces, tabs, line ends and no-break spaces around a value are removed. Few values have any, and
-- a look at both ends costs a quarter of a trim: a value needs trimming if its first character sorts up to the space, or
-- from the no-break space up to the character after it.
CREATE MACRO begins_bare(t) AS t >= '!' AND (t < '${NO_BREAK}' OR t >= '${AFTER_NO_BREAK}');
CREATE MACRO is_bare(t) AS begins_bare(t) AND NOT (${AROUND.map((blank) => `suffix(t, '${blank}')`).join(' OR ')});
CREATE MACRO trimmed(t) AS trim(t, '${AROUND.join('')}');
CREATE MACRO value_of(t) AS CASE WHEN is_bare(t) THEN t ELSE nullif(trimmed(t), '') END;
CREATE MACRO bare(t) AS trim(translate(t, ${quoted(BLANKS + MINUSES + APOSTROPHE)}, ${quoted(`${' '.repeat(BLANKS.length)}${'-'.repeat(MINUSES.length)}'`)}),
  '${AROUND.filter((blank) => blank !== NO_BREAK).join('')}');
CREATE MACRO normalize_amount_text(t) AS ${replaced(decorationSteps(signsOf(currency)), 'bare(t)')};
CREATE MACRO signed_by_side(t) AS ${replaced(SIDE_STEPS, 't')};
-- A text with a digit at both ends needs no trimming. Nearly all amounts are like that, and a comparison is cheap.
CREATE MACRO is_number(t) AS right(t, 1) BETWEEN '0' AND '9' AND ((t >= '0' AND t < ':') OR (t >= '-0' AND t < '-:'));
-- A thousands separator that is not between groups of digits makes the text unreadable.
CREATE MACRO ungrouped(t, sep, point) AS
  CASE WHEN sep = '' OR NOT contains(t, sep) THEN t
       WHEN regexp_full_match(split_part(t, point, 1), '[+-]?[0-9]{1,3}([' || sep || '][0-9]{2,3})*[' || sep || '][0-9]{3}')
       THEN replace(split_part(t, point, 1), sep, '') || substr(t, length(split_part(t, point, 1)) + 1)
       ELSE replace(t, sep, '?') END;
-- Trailing zeros do not count as decimals: '1.50' becomes '1.5', and '1.00' becomes '1.'. A second point stays and makes the
-- text unreadable.
CREATE MACRO tidy(t) AS CASE WHEN contains(t, '.') THEN rtrim(t, '0') ELSE t END;
CREATE MACRO decimals_of(t) AS CASE WHEN contains(t, '.') THEN length(t) - strpos(t, '.') ELSE 0 END;
-- The point is moved in the text, without arithmetic: a cast of text to DECIMAL silently rounds 1.005 and accepts 1e3.
CREATE MACRO minor_of_tidy(t, scale) AS
  CASE WHEN decimals_of(t) <= scale AND regexp_full_match(t, '[+-]?[0-9]+([.][0-9]*)?')
       THEN try_cast(replace(t, '.', '') || repeat('0', scale - decimals_of(t)) AS BIGINT) END;
-- Digits after the currency's last decimal are compared as text: the amount is rounded towards zero or away from zero.
CREATE MACRO digits_behind(t, scale) AS substr(t, strpos(t, '.') + 1 + scale);
CREATE MACRO rounded_of_tidy(t, scale, down, up) AS
  CASE WHEN decimals_of(t) <= scale OR NOT regexp_full_match(t, '[+-]?[0-9]+[.][0-9]+') THEN NULL
       WHEN digits_behind(t, scale) >= up THEN minor_of_tidy(left(t, strpos(t, '.') + scale), scale) + CASE WHEN starts_with(t, '-') THEN -1 ELSE 1 END
       WHEN digits_behind(t, scale) <= down THEN minor_of_tidy(left(t, strpos(t, '.') + scale), scale) END;
-- An integer that is not exact as a double is not an amount, as in parseAmount.
CREATE MACRO safe(n) AS CASE WHEN n BETWEEN -9007199254740991 AND 9007199254740991 THEN n END;
CREATE MACRO minor_of(t, scale) AS safe(minor_of_tidy(tidy(t), scale));
CREATE MACRO rounded_of(t, scale, down, up) AS safe(rounded_of_tidy(tidy(t), scale, down, up));
`

interface AmountForm {
  readonly decimal: '.' | ','
  readonly thousands: string
  /** Given where the columns are exact decimals and not text: the digits after the point of each. */
  readonly scales?: Readonly<Record<string, number>>
}

/**
 * SQL that adds a column `<column>_minor`, in minor units, to `rows` for each of the text `columns`; the texts themselves stay.
 *
 * Most amounts are written with all their decimals and nothing else. If DuckDB reads such a text as a decimal and writes
 * it back as the same text, the value was neither rounded nor misread. Only the other texts, `<column>_rest`, are matched
 * against patterns; `_rest` is NULL for the first kind, because DuckDB evaluates an expression that occurs twice in a rarely
 * taken branch for every row. Each step is a SELECT of its own: the macros use their argument many times, and DuckDB
 * would evaluate a nested expression each time.
 *
 * `reach` is given where company.yaml states a rounding tolerance. Excess decimals are then rounded within it, and
 * `<column>_rounded` is true for amounts that were rounded or cannot be read.
 */
export function amountsSql(
  rows: string,
  columns: readonly string[],
  form: AmountForm,
  decimals: number,
  reach: RoundingReach | null = null,
): string {
  if (columns.length === 0) return rows
  const each = (sql: (column: string) => string): string => columns.map(sql).join(', ')
  const { scales } = form
  const isExact = (column: string): string =>
    scales === undefined
      ? `${column}_decimal::VARCHAR = ${column}`
      : holdsAll(column, scales[column] ?? decimals, decimals)
  const steps = [
    `*, ${each((column) => `${decimalOf(form.decimal === '.' ? column : 'NULL', decimals)} AS ${column}_decimal`)}`,
    `*, ${each((column) => `CASE WHEN ${isExact(column)} THEN ${minorOf(`${column}_decimal`, decimals)} END AS ${column}_exact`)}`,
    `*, ${each((column) => `CASE WHEN ${column}_exact IS NULL THEN ${column}::VARCHAR END AS ${column}_rest`)}`,
    `* REPLACE (${each((column) => `${bareSql(`${column}_rest`, form)} AS ${column}_rest`)})`,
    `* REPLACE (${each((column) => `${plainSql(`${column}_rest`, form)} AS ${column}_rest`)})`,
    `*${scales === undefined ? ` REPLACE (${each((column) => `CASE WHEN ${column}_exact IS NULL THEN ${column}_rest ELSE ${column} END AS ${column}`)})` : ''},
      ${each((column) => `coalesce(${column}_exact, minor_of(${column}_rest, ${decimals})) AS ${column}_minor`)}`,
  ]
  if (reach !== null)
    steps.push(
      `* REPLACE (${each((column) => `coalesce(${column}_minor, rounded_of(${column}_rest, ${decimals}, '${reach.down}', '${reach.up}')) AS ${column}_minor`)}),
      ${each((column) => `(${column} IS NOT NULL AND ${column}_minor IS NULL) AS ${column}_rounded`)}`,
    )
  return steps.reduce((from, step) => `SELECT ${step} FROM (${from})`, rows)
}

/** SQL condition that a decimal with `scale` digits after the point lost none of them in `<column>_decimal`. */
const holdsAll = (column: string, scale: number, decimals: number): string =>
  scale <= decimals
    ? 'true'
    : `${column}_decimal::DECIMAL(${Math.min(15, 17 - decimals) - decimals + scale}, ${scale}) = ${column}`

/** Fifteen digits are exact as a double. A DECIMAL of up to 18 digits, the scaling factor included, fits one machine word. */
const decimalOf = (value: string, decimals: number): string =>
  `try_cast(${value} AS DECIMAL(${Math.min(15, 17 - decimals)}, ${decimals}))`

const minorOf = (decimal: string, decimals: number): string =>
  `(${decimal} * ${10 ** decimals}::DECIMAL(${decimals + 1}, 0))::BIGINT`

/**
 * SQL that converts a DECIMAL(18) with the currency's decimals to minor units. Longer values are computed with 38 digits, which
 * do not fit a machine word and take a hundred times as long.
 */
export const minorOfDecimal = (value: string, decimals: number): string =>
  `coalesce(${minorOf(decimalOf(value, decimals), decimals)}, (${value}::DECIMAL(38, 4) * ${10 ** decimals})::BIGINT)`

/**
 * SQL for whole minor units as a decimal of the currency's scale with so many digits, the inverse of {@link minorOfDecimal}. It
 * multiplies, because a product of decimals is exact; a division gives a double.
 */
export const decimalOfMinor = (minor: string, decimals: number, digits: number): string =>
  decimals === 0
    ? `${minor}::DECIMAL(${digits}, 0)`
    : `(${minor}::DECIMAL(${digits}, 0) * ${(10 ** -decimals).toFixed(decimals)}::DECIMAL(${decimals + 1}, ${decimals}))::DECIMAL(${digits}, ${decimals})`

/** Debits are positive in the column `amount` alone. */
const SIGNED = 'amount_rest'

/** SQL for the text of an amount without white space and currency symbols; NULL where the text is blank. */
function bareSql(column: string, { thousands }: AmountForm): string {
  const value = column === SIGNED ? `signed_by_side(value_of(${column}))` : `value_of(${column})`
  const bare = `normalize_amount_text(${value})`
  // Spaces and apostrophes as thousands separators have several Unicode forms, which are made one.
  return thousands === ' ' || thousands === "'"
    ? bare
    : `CASE WHEN is_number(${column}) THEN ${column} ELSE ${bare} END`
}

/** SQL for the text with a decimal point and without thousands separators, which `minor_of` reads. */
function plainSql(column: string, { decimal, thousands }: AmountForm): string {
  const plain = `ungrouped(${column}, ${quoted(thousands)}, ${quoted(decimal)})`
  // In a file with decimal commas, a point makes the amount unreadable; it must not be taken for a decimal point.
  return decimal === ',' ? `replace(replace(${plain}, '.', '?'), ',', '.')` : plain
}
