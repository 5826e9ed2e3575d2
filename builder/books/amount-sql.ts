/** The SQL twin of ingest/text/amount.ts: text of an amount to minor units, by the same rule; what is none is NULL. */
import type { RoundingReach } from '../ingest/text/amount.ts'
import { APOSTROPHE, BLANKS, decorationSteps, MINUSES, signsOf } from '../ingest/text/decorations.ts'
import { quoted } from './database.ts'

const NO_BREAK = '\u00a0'
const AFTER_NO_BREAK = '\u00a1'
/** What may stand around a value and is no part of it. As they are: DuckDB would work out each chr(9) for each column of each file. */
const AROUND = [' ', '\t', '\n', '\r', NO_BREAK]

/** Made once per database: `normalize_amount_text` knows the signs of the books' currency. */
export const amountMacros = (currency: string): string => `
-- Blank is none: spaces, tabs, line ends and no-break spaces around a value are not part of it. Few values have any, and
-- looking at both ends costs a quarter of a trim: the space and what sorts before it begins no bare value, nor does what
-- sorts between the no-break space and the character after it.
CREATE MACRO begins_bare(t) AS t >= '!' AND (t < '${NO_BREAK}' OR t >= '${AFTER_NO_BREAK}');
CREATE MACRO is_bare(t) AS begins_bare(t) AND NOT (${AROUND.map((blank) => `suffix(t, '${blank}')`).join(' OR ')});
CREATE MACRO trimmed(t) AS trim(t, '${AROUND.join('')}');
CREATE MACRO value_of(t) AS CASE WHEN is_bare(t) THEN t ELSE nullif(trimmed(t), '') END;
CREATE MACRO bare(t) AS trim(translate(t, ${quoted(BLANKS + MINUSES + APOSTROPHE)}, ${quoted(`${' '.repeat(BLANKS.length)}${'-'.repeat(MINUSES.length)}'`)}),
  '${AROUND.filter((blank) => blank !== NO_BREAK).join('')}');
CREATE MACRO normalize_amount_text(t) AS ${decorationSteps(signsOf(currency)).reduce(
  (found, [pattern, by]) =>
    `regexp_replace(${found}, ${quoted(pattern)}, ${quoted(by.replace('$1', '\\1'))}, 'i')`,
  'bare(t)',
)};
-- Nothing stands around a text with a digit at both ends; nearly all amounts are such, and a comparison is cheap.
CREATE MACRO is_number(t) AS right(t, 1) BETWEEN '0' AND '9' AND ((t >= '0' AND t < ':') OR (t >= '-0' AND t < '-:'));
-- Separators that do not stand between groups of digits make the text unreadable.
CREATE MACRO ungrouped(t, sep, point) AS
  CASE WHEN sep = '' OR NOT contains(t, sep) THEN t
       WHEN regexp_full_match(split_part(t, point, 1), '[+-]?[0-9]{1,3}([' || sep || '][0-9]{2,3})*[' || sep || '][0-9]{3}')
       THEN replace(split_part(t, point, 1), sep, '') || substr(t, length(split_part(t, point, 1)) + 1)
       ELSE replace(t, sep, '?') END;
-- Zeros after the last digit that counts are no decimals: '1.50' is '1.5', '1.00' is '1.'; a second point stays, and is none.
CREATE MACRO tidy(t) AS CASE WHEN contains(t, '.') THEN rtrim(t, '0') ELSE t END;
CREATE MACRO decimals_of(t) AS CASE WHEN contains(t, '.') THEN length(t) - strpos(t, '.') ELSE 0 END;
-- Digits are moved, never computed with: a cast of text to DECIMAL rounds 1.005 and accepts 1e3 in silence.
CREATE MACRO minor_of_tidy(t, scale) AS
  CASE WHEN decimals_of(t) <= scale AND regexp_full_match(t, '[+-]?[0-9]+([.][0-9]*)?')
       THEN try_cast(replace(t, '.', '') || repeat('0', scale - decimals_of(t)) AS BIGINT) END;
-- Digits behind the last that counts are compared as text: they are left off, or count as one more away from zero.
CREATE MACRO digits_behind(t, scale) AS substr(t, strpos(t, '.') + 1 + scale);
CREATE MACRO rounded_of_tidy(t, scale, down, up) AS
  CASE WHEN decimals_of(t) <= scale OR NOT regexp_full_match(t, '[+-]?[0-9]+[.][0-9]+') THEN NULL
       WHEN digits_behind(t, scale) >= up THEN minor_of_tidy(left(t, strpos(t, '.') + scale), scale) + CASE WHEN starts_with(t, '-') THEN -1 ELSE 1 END
       WHEN digits_behind(t, scale) <= down THEN minor_of_tidy(left(t, strpos(t, '.') + scale), scale) END;
-- What is not exact as a double is not an amount, here as in parseAmount.
CREATE MACRO safe(n) AS CASE WHEN n BETWEEN -9007199254740991 AND 9007199254740991 THEN n END;
CREATE MACRO minor_of(t, scale) AS safe(minor_of_tidy(tidy(t), scale));
CREATE MACRO rounded_of(t, scale, down, up) AS safe(rounded_of_tidy(tidy(t), scale, down, up));
`

interface AmountForm {
  readonly decimal: '.' | ','
  readonly thousands: string
}

/**
 * `rows` with each text of `columns` as it was read, blank or not, and beside it `<column>_minor`. Most amounts are written
 * with all their decimals and nothing else: what DuckDB reads of a text as a decimal and writes again as the very same text
 * was neither rounded nor understood in another way. Only the others, `<column>_rest`, go through the patterns: they are
 * NULL elsewhere, since DuckDB computes for every row what stands twice in a branch that few rows take. Each step is a
 * SELECT of its own: the macros name their text many times, and DuckDB would repeat the one inside for each. Only where
 * company.yaml states a tolerance are more decimals rounded; `<column>_rounded` says which were.
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
  const steps = [
    `*, ${each((column) => `${decimalOf(form.decimal === '.' ? column : 'NULL', decimals)} AS ${column}_decimal`)}`,
    `*, ${each((column) => `CASE WHEN ${column}_decimal::VARCHAR = ${column} THEN ${minorOf(`${column}_decimal`, decimals)} END AS ${column}_exact`)}`,
    `*, ${each((column) => `CASE WHEN ${column}_exact IS NULL THEN ${column} END AS ${column}_rest`)}`,
    `* REPLACE (${each((column) => `${bareSql(`${column}_rest`, form)} AS ${column}_rest`)})`,
    `* REPLACE (${each((column) => `${plainSql(`${column}_rest`, form)} AS ${column}_rest`)})`,
    `* REPLACE (${each((column) => `CASE WHEN ${column}_exact IS NULL THEN ${column}_rest ELSE ${column} END AS ${column}`)}),
      ${each((column) => `coalesce(${column}_exact, minor_of(${column}_rest, ${decimals})) AS ${column}_minor`)}`,
  ]
  if (reach !== null)
    steps.push(
      `* REPLACE (${each((column) => `coalesce(${column}_minor, rounded_of(${column}_rest, ${decimals}, '${reach.down}', '${reach.up}')) AS ${column}_minor`)}),
      ${each((column) => `${column}_minor IS NULL AS ${column}_rounded`)}`,
    )
  return steps.reduce((from, step) => `SELECT ${step} FROM (${from})`, rows)
}

/** Fifteen digits are exact as a double; with the factor that moves the point a product of eighteen is one machine word. */
const decimalOf = (value: string, decimals: number): string =>
  `try_cast(${value} AS DECIMAL(${Math.min(15, 17 - decimals)}, ${decimals}))`

const minorOf = (decimal: string, decimals: number): string =>
  `(${decimal} * ${10 ** decimals}::DECIMAL(${decimals + 1}, 0))::BIGINT`

/**
 * A DECIMAL(18) of the currency's decimals as minor units. What is longer goes through 38 digits, which are no machine word
 * and take a hundred times as long.
 */
export const minorOfDecimal = (value: string, decimals: number): string =>
  `coalesce(${minorOf(decimalOf(value, decimals), decimals)}, (${value}::DECIMAL(38, 4) * ${10 ** decimals})::BIGINT)`

/** The text of an amount without what stands around its digits; NULL where blank. */
function bareSql(column: string, { thousands }: AmountForm): string {
  const bare = `normalize_amount_text(value_of(${column}))`
  // Blanks and apostrophes inside have several forms, which become one.
  return thousands === ' ' || thousands === "'"
    ? bare
    : `CASE WHEN is_number(${column}) THEN ${column} ELSE ${bare} END`
}

/** Then the same with a decimal point and nothing between thousands; `minor_of` reads that. */
function plainSql(column: string, { decimal, thousands }: AmountForm): string {
  const plain = `ungrouped(${column}, ${quoted(thousands)}, ${quoted(decimal)})`
  // Under a decimal comma a point is no part of an amount: it makes the text unreadable, not a decimal.
  return decimal === ',' ? `replace(replace(${plain}, '.', '?'), ',', '.')` : plain
}
