/**
 * Translates the lines of a member into the currency of the group (IAS 21): income, expenses and what moves at the average of the month,
 * equity at the rate of its day, and what assets and liabilities stand at by the closing rate of each month. What the rates make of it is
 * the translation difference. Products are rounded half away from zero for each account and month; what its lines, which balance by
 * entry, add up to beside that is an entry of the month.
 */

import { TRANSLATION } from '../../books/post/postings.ts'
import { decimalsOf } from '../../books/reference/frame.ts'
import { monthText } from '../../contract/calendar.ts'
import { decimalOfMinor } from '../../database/amount-sql.ts'
import { type Database, quoted } from '../../database/database.ts'
import { lastDaySql, monthSql, monthTextSql } from '../../database/date-sql.ts'
import type { Scratch } from '../../ingest/text/scan.ts'
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import {
  DIFFERENCE,
  type TranslatedMonth,
  type TranslatedPart,
  type Translation,
} from '../../workspace/group.ts'
import { addLines, createSums, type Stated } from './lines.ts'
import type { DatedMember, Member } from './members.ts'
import { share } from './products.ts'
import type { MemberRates, Rate } from './rates.ts'
import { type Rounding, statePostings } from './stated.ts'

interface Translated {
  readonly stated: Stated
  readonly translation: Translation
  readonly findings: readonly Finding[]
}

const fraction = ({ num, den, text }: Rate): string => `${num}::HUGEINT, ${den}::HUGEINT, ${quoted(text)}`

/** Translates `line_<i>`, which gets the columns rate and own_amount, and `opening_<i>`; see createLines. */
export async function translate(
  db: Database,
  i: number,
  member: DatedMember,
  rates: MemberRates,
  rounding: Rounding,
  scratch: Scratch,
): Promise<Translated> {
  const { months } = rates
  const stated = await statePostings(db, i, member, rates, rounding, scratch)
  const money = decimalOfMinor('amount', decimalsOf(member.frame), 18)
  const said = `${money} || ' ${member.frame.currency} ' || rate`
  await db.run(`
    CREATE OR REPLACE VIEW line_${i} AS
    SELECT posting.row, tx, day, own, department, stated.amount::BIGINT AS amount, type, posting.amount AS own_amount, rate
    FROM own_${i} posting POSITIONAL JOIN stated_${i} stated;
    ALTER TABLE opening_${i} RENAME TO own_opening_${i};
    CREATE TABLE opening_${i} AS
    SELECT own, account, department, ${share('own', 'department NULLS FIRST')} AS amount FROM own_opening_${i} JOIN opening_rate USING (own);
    INSERT INTO opening_${i} SELECT '${DIFFERENCE}', '${DIFFERENCE}', NULL, -sum(amount) FROM opening_${i} HAVING sum(amount) <> 0;
    CREATE OR REPLACE TABLE month_rate AS FROM (VALUES ${[...months]
      .map(([month, { closing }]) => `(${month}, ${fraction(closing)})`)
      .join(', ')}) AS rates(month, num, den, rate)`)
  await createSums(db, i, ', rate, sum(own_amount)::BIGINT AS own_amount')
  if (rounding === 'by entry') await roundMonths(db, i)
  // Equity at the rate of its day, and entries whose lines stand apart, do not balance.
  await addLines(
    db,
    i,
    `SELECT tx, max(day) AS day, '${DIFFERENCE}' AS own, '${DIFFERENCE}' AS account, NULL AS department, -sum(amount) AS amount,
       NULL AS type, 'rates of days, rounding' AS memo
     FROM line_${i} GROUP BY tx, year(day), month(day) HAVING sum(amount) <> 0`,
  )
  await revalue(db, i, said)
  const proof = await proven(db, i, member, months)
  return {
    ...{ stated, translation: proof.translation },
    findings: [...(await averageFindings(db, i, member)), ...(stated.isExact ? proof.findings : [])],
  }
}

/** What the lines of an account and month lack to the rounded product of their sum is an entry of that month. */
const roundMonths = (db: Database, i: number): Promise<void> =>
  addBalanced(
    db,
    i,
    `SELECT concat_ws(' ', 'rounding', type, ${monthTextSql('month')}) AS tx, ${lastDaySql('month')} AS day,
       own, account, department, sum(stated - amount)::BIGINT AS amount, type, 'rounding' AS memo
     FROM (
       SELECT *, ${share('own, month, num, den', 'type NULLS FIRST, department NULLS FIRST, rate', 'own_amount')} AS stated
       FROM sum_${i} JOIN own_rate USING (rate))
     GROUP BY month, own, account, department, type`,
  )

/** Appends lines as {@link addLines} does, and balances each entry of them by the translation difference. */
async function addBalanced(db: Database, i: number, lines: string): Promise<void> {
  await db.run(`CREATE OR REPLACE TABLE restated AS SELECT * FROM (${lines}) WHERE amount <> 0`)
  await addLines(db, i, 'FROM restated')
  await addLines(
    db,
    i,
    `SELECT tx, any_value(day) AS day, '${DIFFERENCE}' AS own, '${DIFFERENCE}' AS account, NULL AS department, -sum(amount) AS amount,
       any_value(type) AS type, NULL AS memo FROM restated GROUP BY tx HAVING sum(amount) <> 0`,
  )
}

/** What assets and liabilities stand at is stated by the closing rate at each month's end; of cash that is on the cash flow. */
async function revalue(db: Database, i: number, said: string): Promise<void> {
  await db.run(`
    CREATE OR REPLACE TABLE cell AS
    SELECT DISTINCT own, account, kind, department
    FROM (SELECT own, account, department FROM sum_${i} UNION SELECT own, account, department FROM own_opening_${i})
    JOIN account_kind USING (account) WHERE kind NOT IN ('result', 'equity');
    CREATE OR REPLACE TABLE standing AS
    WITH moved AS (
      SELECT own, department, month, sum(amount) AS amount FROM (
        SELECT own, department, month, own_amount AS amount FROM sum_${i}
        UNION ALL SELECT own, department, (SELECT min(month) FROM month_rate), amount FROM own_opening_${i})
      GROUP BY ALL),
    balance AS (
      SELECT cell.*, month_rate.*,
        coalesce(sum(moved.amount) OVER (PARTITION BY cell.own, cell.department ORDER BY month_rate.month), 0)::BIGINT AS amount
      FROM cell CROSS JOIN month_rate LEFT JOIN moved
      ON moved.own = cell.own AND moved.month = month_rate.month AND moved.department IS NOT DISTINCT FROM cell.department)
    SELECT own, account, kind, department, month, amount, rate, ${share('own, month', 'department NULLS FIRST')} AS stated FROM balance`)
  const entry = (kinds: string, name: string, type: string) => `
    SELECT '${name} ' || ${monthTextSql('month')} AS tx, ${lastDaySql('month')} AS day,
      own, account, department, stated - before - coalesce(carried, 0) AS amount, ${type} AS type, memo
    FROM (
      SELECT *, ${said} AS memo, lag(stated) OVER (PARTITION BY own, department ORDER BY month) AS before FROM standing)
    LEFT JOIN (
      SELECT own AS of_own, department AS of_department, month AS of_month, sum(amount)::BIGINT AS carried
      FROM moved_${i} GROUP BY ALL)
    ON of_own = own AND of_month = month AND of_department IS NOT DISTINCT FROM department
    WHERE kind ${kinds} AND before IS NOT NULL`
  for (const [kinds, name, type] of [
    ["= 'cash'", 'translation of cash', 'NULL'],
    ["<> 'cash'", 'translation', `'${TRANSLATION}'`],
  ] as const)
    await addBalanced(db, i, entry(kinds, name, type))
}

/** Equity without a rate of its day, but for what moves inside equity. */
async function averageFindings(db: Database, i: number, { id, file }: Member): Promise<Finding[]> {
  const undated = (table: string) => `
    FROM ${table} WHERE own IN (SELECT own FROM map_${i} JOIN account_kind USING (account) WHERE kind = 'equity' AND own <> '${DIFFERENCE}')
      AND rate IN (SELECT rate FROM own_rate WHERE NOT of_day)`
  const [any] = await db.rows(`SELECT 1 ${undated(`sum_${i}`)} LIMIT 1`)
  if (any === undefined) return []
  const [found] = await db.rows<{ count: string; day: string; row: string }>(`
    WITH undated AS MATERIALIZED (SELECT tx, day, row ${undated(`line_${i}`)})
    SELECT count(*)::VARCHAR AS count, min(day)::VARCHAR AS day, min(row)::VARCHAR AS row FROM undated
    WHERE tx IN (
      SELECT tx FROM own_${i} WHERE tx IN (SELECT tx FROM undated)
        AND own IN (SELECT own FROM map_${i} JOIN account_kind USING (account) WHERE kind NOT IN ('equity', 'interests')))
    HAVING count(*) > 0`)
  if (found === undefined) return []
  return [
    warning(
      'group-equity-average',
      `${id}: ${found.count} postings on equity have no rate of their day, the first on ${found.day}: they are translated at the average of their month`,
      {
        ...{ file, row: Number(found.row), text: found.day },
        remedy: 'name a table as group.historical with member, date, account and rate',
      },
    ),
  ]
}

/** The translation difference of each month is also what the formula of its parts gives, but for rounding. */
async function proven(
  db: Database,
  i: number,
  { id, file, frame }: Member,
  rates: MemberRates['months'],
): Promise<{ readonly translation: Translation; readonly findings: readonly Finding[] }> {
  const terms = await db.rows<Term & { month: number; cells: string }>(`
    WITH standing_all AS (SELECT month, sum(amount) AS amount, count(*) AS cells FROM standing GROUP BY month)
    SELECT now.month, 'opening' AS part, before.amount::VARCHAR AS amount, now.num::VARCHAR AS num, now.den::VARCHAR AS den,
      then_.num::VARCHAR AS other_num, then_.den::VARCHAR AS other_den, (2 * before.cells)::VARCHAR AS cells
    FROM month_rate now JOIN month_rate then_ ON then_.month = now.month - 1 JOIN standing_all before ON before.month = then_.month
    UNION ALL
    SELECT month, kind, (-sum(own_amount))::VARCHAR, month_rate.num::VARCHAR, month_rate.den::VARCHAR, own_rate.num::VARCHAR, own_rate.den::VARCHAR,
      count(DISTINCT own)::VARCHAR
    FROM sum_${i} JOIN account_kind USING (account) JOIN month_rate USING (month) JOIN own_rate ON own_rate.rate = sum_${i}.rate
    WHERE kind IN ('result', 'equity')
    GROUP BY month, kind, month_rate.num, month_rate.den, own_rate.num, own_rate.den`)
  const stated = await db.rows<{ month: number; amount: string }>(`
    SELECT ${monthSql('day')} AS month, (-sum(amount))::VARCHAR AS amount FROM added_${i}
    WHERE own = '${DIFFERENCE}' GROUP BY ALL`)
  const findings: Finding[] = []
  const months = [...rates.keys()].slice(1).map((month): TranslatedMonth => {
    const own = terms.filter((term) => term.month === month)
    const difference = BigInt(stated.find((each) => each.month === month)?.amount ?? 0)
    const [formula, den] = formulaOf(own)
    const roundings = own.reduce((sum, { cells }) => sum + BigInt(cells), 0n)
    const off = 2n * (difference * den - formula)
    if ((off < 0n ? -off : off) > roundings * den)
      findings.push(
        error(
          'group-translation-differs',
          `${id}: the translation difference of ${monthText(month)} is not what opening net assets, results and equity give at their rates`,
          { file, text: monthText(month), remedy: 'this is a mistake of the program: please report it' },
        ),
      )
    const partOf = (part: TranslatedPart) => {
      const terms = own.filter((term) => term.part === part)
      const amount = terms.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
      return { amount: Number(amount), difference: Number(quotient(...formulaOf(terms))) }
    }
    const parts = { opening: partOf('opening'), result: partOf('result'), equity: partOf('equity') }
    const text = (of: number, rate: 'average' | 'closing') => rates.get(of)?.[rate].text ?? ''
    return {
      month: monthText(month),
      rates: {
        before: text(month - 1, 'closing'),
        average: text(month, 'average'),
        closing: text(month, 'closing'),
      },
      ...{ parts, difference: Number(difference) },
    }
  })
  return { translation: { member: id, currency: frame.currency, months }, findings }
}

/** An amount at the closing rate less the same at another rate, and the part of the formula that it belongs to. */
type Term = { readonly part: TranslatedPart } & {
  readonly [column in 'amount' | 'num' | 'den' | 'other_num' | 'other_den']: string
}

/** What terms add up to, as a numerator and a common denominator. */
function formulaOf(terms: readonly Term[]): readonly [bigint, bigint] {
  const all = terms.reduce((product, term) => product * BigInt(term.den) * BigInt(term.other_den), 1n)
  const sum = terms.reduce(
    (sum, { amount, num, den, other_num, other_den }) =>
      sum +
      BigInt(amount) * ((BigInt(num) * all) / BigInt(den) - (BigInt(other_num) * all) / BigInt(other_den)),
    0n,
  )
  return [sum, all]
}

/** Rounded half away from zero; the denominator is positive. */
function quotient(num: bigint, den: bigint): bigint {
  const size = (2n * (num < 0n ? -num : num) + den) / (2n * den)
  return num < 0n ? -size : size
}
