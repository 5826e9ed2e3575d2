/**
 * Translates the lines of a member into the currency of the group (IAS 21): income, expenses and what moves at the average of the month,
 * equity at the rate of its day, and what assets and liabilities stand at by the closing rate of each month. What the rates make of it is
 * the translation difference. Products are rounded half away from zero for each account and month; lines share them.
 */

import { TRANSLATION } from '../../books/post/postings.ts'
import { decimalsOf } from '../../books/reference/frame.ts'
import { monthText } from '../../contract/calendar.ts'
import { decimalOfMinor } from '../../database/amount-sql.ts'
import { type Database, quoted } from '../../database/database.ts'
import { lastDaySql, monthSql, monthTextSql } from '../../database/date-sql.ts'
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import {
  DIFFERENCE,
  type TranslatedMonth,
  type TranslatedPart,
  type Translation,
} from '../../workspace/group.ts'
import { addLines } from './lines.ts'
import type { DatedMember, Member } from './members.ts'
import { share, type Whole, wholeFor } from './products.ts'
import { type MemberRates, openingDay, type Rate } from './rates.ts'

const fraction = ({ num, den, text }: Rate, type: Whole): string =>
  `${num}::${type}, ${den}::${type}, ${quoted(text)}`

/** The type that holds twice any sum of a member's amounts at any of its rates. */
async function typeFor(db: Database, i: number, { months, days }: MemberRates): Promise<Whole> {
  const { total } = await db.row<{ total: string }>(
    `SELECT coalesce(sum(abs(amount)), 0)::VARCHAR AS total FROM (SELECT amount FROM line_${i} UNION ALL SELECT amount FROM opening_${i})`,
  )
  const rates = [...months.values()].flatMap(({ average, closing }) => [average, closing])
  const largest = [...rates, ...days.map(({ rate }) => rate)].reduce(
    (most, { num, den }) => [num, den].reduce((a, b) => (a > b ? a : b), most),
    1n,
  )
  return wholeFor((2n * BigInt(total) + 1n) * largest)
}

/** Replaces `line_<i>` and `opening_<i>` by their translation; see createLines. */
export async function translate(
  db: Database,
  i: number,
  member: DatedMember,
  rates: MemberRates,
): Promise<{ readonly translation: Translation; readonly findings: readonly Finding[] }> {
  const { months, days } = rates
  const type = await typeFor(db, i, rates)
  const money = decimalOfMinor('amount', decimalsOf(member.frame), 18)
  const said = `${money} || ' ${member.frame.currency} ' || rate`
  await db.run(`
    ALTER TABLE line_${i} RENAME TO own_${i};
    ALTER TABLE opening_${i} RENAME TO own_opening_${i};
    CREATE OR REPLACE TABLE day_rate (day DATE, own VARCHAR, num ${type}, den ${type}, rate VARCHAR);
    CREATE OR REPLACE TABLE month_rate AS FROM (VALUES ${[...months]
      .map(
        ([month, { average, closing }]) =>
          `(${month}, ${fraction(average, type)}, ${fraction(closing, type)})`,
      )
      .join(', ')}) AS rates(month, num, den, rate, closing_num, closing_den, closing_rate)`)
  if (days.length > 0)
    await db.run(
      `INSERT INTO day_rate VALUES ${days
        .map(
          ({ day, account, rate }) =>
            `(DATE '${day}', ${account === null ? 'NULL' : quoted(account)}, ${fraction(rate, type)})`,
        )
        .join(', ')}`,
    )
  const ofDay = (day: string) => `
    LEFT JOIN day_rate one ON kind = 'equity' AND one.day = ${day} AND one.own = line.own
    LEFT JOIN day_rate every ON kind = 'equity' AND every.day = ${day} AND every.own IS NULL`
  const chosen = (other: string) =>
    ['num', 'den', 'rate']
      .map((name) => `coalesce(one.${name}, every.${name}, ${other}${name}) AS ${name}`)
      .join(', ')
  await db.run(`
    CREATE OR REPLACE TABLE priced AS
    SELECT line.*, kind, month, ${chosen('month_rate.')}, coalesce(one.num, every.num) IS NOT NULL AS has_day
    FROM (SELECT *, ${monthSql('day')} AS month FROM own_${i}) line
    JOIN account_kind USING (account) JOIN month_rate USING (month) ${ofDay('line.day')};
    CREATE TABLE line_${i} AS
    SELECT row, tx, day, own, account, department, ${share('own, month, num, den', 'row', 'amount', type)} AS amount, type, ${said} AS memo FROM priced;
    CREATE TABLE opening_${i} AS
    SELECT own, account, department, ${share('own', 'department NULLS FIRST', 'amount', type)} AS amount
    FROM (
      SELECT line.*, ${chosen('month_rate.closing_')}
      FROM own_opening_${i} line JOIN account_kind USING (account) ${ofDay(`DATE '${openingDay(member.days)}'`)}
      CROSS JOIN (SELECT * FROM month_rate ORDER BY month LIMIT 1) month_rate);
    INSERT INTO opening_${i} SELECT '${DIFFERENCE}', '${DIFFERENCE}', NULL, -sum(amount) FROM opening_${i} HAVING sum(amount) <> 0`)
  // Equity at the rate of its day, and rounding, leave entries that do not balance.
  await addLines(
    db,
    i,
    `SELECT tx, max(day) AS day, '${DIFFERENCE}' AS own, '${DIFFERENCE}' AS account, NULL AS department, -sum(amount) AS amount,
       NULL AS type, 'rates of days, rounding' AS memo
     FROM line_${i} GROUP BY tx, year(day), month(day) HAVING sum(amount) <> 0`,
  )
  await revalue(db, i, said, type)
  const proof = await proven(db, i, member, months)
  return {
    translation: proof.translation,
    findings: [...(await averageFindings(db, member)), ...proof.findings],
  }
}

/** What assets and liabilities stand at is stated by the closing rate at each month's end; of cash that is on the cash flow. */
async function revalue(db: Database, i: number, said: string, type: Whole): Promise<void> {
  await db.run(`
    CREATE OR REPLACE TABLE cell AS
    SELECT DISTINCT own, account, kind, department
    FROM (SELECT own, account, department FROM own_${i} UNION SELECT own, account, department FROM own_opening_${i})
    JOIN account_kind USING (account) WHERE kind NOT IN ('result', 'equity');
    CREATE OR REPLACE TABLE standing AS
    WITH moved AS (
      SELECT own, department, ${monthSql('day')} AS month, sum(amount) AS amount FROM own_${i} GROUP BY ALL
      UNION ALL SELECT own, department, (SELECT min(month) FROM month_rate), amount FROM own_opening_${i}),
    balance AS (
      SELECT cell.*, month_rate.month, closing_num AS num, closing_den AS den, closing_rate AS rate,
        coalesce(sum(moved.amount) FILTER (moved.month <= month_rate.month), 0)::BIGINT AS amount
      FROM cell CROSS JOIN month_rate LEFT JOIN moved ON moved.own = cell.own AND moved.department IS NOT DISTINCT FROM cell.department
      GROUP BY ALL)
    SELECT own, account, kind, department, month, amount, rate, ${share('own, month', 'department NULLS FIRST', 'amount', type)} AS stated FROM balance`)
  const entry = (kinds: string, name: string, type: string) => `
    SELECT '${name} ' || ${monthTextSql('month')} AS tx, ${lastDaySql('month')} AS day,
      own, account, department, stated - before - coalesce(carried, 0) AS amount, ${type} AS type, memo
    FROM (
      SELECT *, ${said} AS memo, lag(stated) OVER (PARTITION BY own, department ORDER BY month) AS before FROM standing)
    LEFT JOIN (
      SELECT own AS of_own, department AS of_department, ${monthSql('day')} AS of_month, sum(amount)::BIGINT AS carried
      FROM line_${i} GROUP BY ALL)
    ON of_own = own AND of_month = month AND of_department IS NOT DISTINCT FROM department
    WHERE kind ${kinds} AND before IS NOT NULL`
  for (const [kinds, name, type] of [
    ["= 'cash'", 'translation of cash', 'NULL'],
    ["<> 'cash'", 'translation', `'${TRANSLATION}'`],
  ] as const) {
    await db.run(
      `CREATE OR REPLACE TABLE restated AS SELECT * FROM (${entry(kinds, name, type)}) WHERE amount <> 0`,
    )
    await addLines(db, i, 'FROM restated')
    await addLines(
      db,
      i,
      `SELECT tx, any_value(day) AS day, '${DIFFERENCE}' AS own, '${DIFFERENCE}' AS account, NULL AS department, -sum(amount) AS amount,
         any_value(type) AS type, NULL AS memo FROM restated GROUP BY tx HAVING sum(amount) <> 0`,
    )
  }
}

/** Equity without a rate of its day, but for what moves inside equity. */
async function averageFindings(db: Database, { id, file }: Member): Promise<Finding[]> {
  const [found] = await db.rows<{ count: string; day: string; row: string }>(`
    SELECT count(*)::VARCHAR AS count, min(day)::VARCHAR AS day, min(row)::VARCHAR AS row FROM priced
    WHERE kind = 'equity' AND NOT has_day AND own <> '${DIFFERENCE}'
      AND tx IN (SELECT tx FROM priced GROUP BY tx HAVING bool_or(kind NOT IN ('equity', 'interests')))
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
    SELECT now.month, 'opening' AS part, before.amount::VARCHAR AS amount, now.closing_num::VARCHAR AS num, now.closing_den::VARCHAR AS den,
      then_.closing_num::VARCHAR AS other_num, then_.closing_den::VARCHAR AS other_den, (2 * before.cells)::VARCHAR AS cells
    FROM month_rate now JOIN month_rate then_ ON then_.month = now.month - 1 JOIN standing_all before ON before.month = then_.month
    UNION ALL
    SELECT month, kind, (-sum(amount))::VARCHAR, closing_num::VARCHAR, closing_den::VARCHAR, priced.num::VARCHAR, priced.den::VARCHAR, count(DISTINCT own)::VARCHAR
    FROM priced JOIN month_rate USING (month) WHERE kind IN ('result', 'equity')
    GROUP BY month, kind, closing_num, closing_den, priced.num, priced.den`)
  const stated = await db.rows<{ month: number; amount: string }>(`
    SELECT ${monthSql('day')} AS month, (-sum(amount))::VARCHAR AS amount FROM line_${i}
    WHERE own = '${DIFFERENCE}' AND row > (SELECT coalesce(max(row), 0) FROM own_${i}) GROUP BY ALL`)
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
