/**
 * Gives others their part of the members that the group does not hold wholly (IFRS 10): of equity by account, and of results. The group's
 * part stays where it was. The interests of others in a member that is itself a group stay whole: only what its owners have is divided.
 */
import { monthOf, monthText } from '../../contract/calendar.ts'
import { currencyDecimals, formatInteger } from '../../contract/currency.ts'
import type { Database } from '../../database/database.ts'
import { lastDaySql, monthTextSql } from '../../database/date-sql.ts'
import type { FormatContent } from '../../ingest/format/content.ts'
import type { Company } from '../../workspace/company.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { hasInterests, shareIn } from '../../workspace/group.ts'
import { addLines } from './lines.ts'
import type { DatedMember, Member } from './members.ts'
import { INTERESTS, INTERESTS_RESULT, NO_ACCOUNT } from './own-accounts.ts'
import { product, share } from './products.ts'

/** Adds to `line_<i>` and `opening_<i>`, which are in the currency of the group, what others hold of the member. */
export async function addInterests(
  db: Database,
  i: number,
  { id, file, setting, days }: DatedMember,
): Promise<readonly Finding[]> {
  if (!hasInterests(setting)) return []
  const first = monthOf(days.from) - 1
  const months = Array.from({ length: monthOf(days.until) - first + 1 }, (_, at) => first + at)
  // What stood before the first month is held as that month is: it is no change of the share.
  const parts = months.map((month) => ({ month, ...partOf(shareIn(setting, Math.max(month, first + 1))) }))
  await db.run(`
    CREATE OR REPLACE TABLE part AS FROM (VALUES ${parts
      .map(({ month, num, den, text }) => `(${month}, ${num}::HUGEINT, ${den}::HUGEINT, '${text}')`)
      .join(', ')}) AS parts(month, num, den, memo);
    CREATE OR REPLACE TABLE moved AS
    SELECT account, kind, department, month, sum(amount) AS amount FROM moved_${i} JOIN account_kind USING (account) GROUP BY ALL
    UNION ALL
    SELECT account, kind, department, ${first}, sum(amount) FROM opening_${i} JOIN account_kind USING (account) GROUP BY ALL;
    CREATE OR REPLACE TABLE divided AS
    WITH cell AS (
      SELECT DISTINCT if(kind = 'result', '${INTERESTS_RESULT}', account) AS account, kind, department FROM moved WHERE kind IN ('result', 'equity')),
    summed AS (
      SELECT cell.*, part.*, coalesce(sum(amount), 0) AS change
      FROM cell CROSS JOIN part LEFT JOIN moved
      ON moved.month = part.month AND moved.department IS NOT DISTINCT FROM cell.department
        AND moved.kind = cell.kind AND (cell.kind = 'result' OR moved.account = cell.account)
      GROUP BY ALL),
    balance AS (
      SELECT * EXCLUDE change, (sum(change) OVER (PARTITION BY account, department ORDER BY month))::BIGINT AS amount FROM summed),
    followed AS (
      SELECT *, coalesce(lag(amount) OVER (PARTITION BY account, department ORDER BY month), 0) AS before FROM balance),
    -- \`kept\` is what others hold of the balance before, by the share of now.
    held AS (
      SELECT *, ${share('month', ORDER)} AS part, ${share('month', ORDER, 'before')} AS kept FROM followed)
    SELECT *, lag(part) OVER (PARTITION BY account, department ORDER BY month) AS part_before FROM held`)
  await db.run(`
    INSERT INTO opening_${i} BY NAME
    SELECT ${NO_ACCOUNT} AS own, unnest([account, '${INTERESTS}']) AS account, department, unnest([-part, part]) AS amount
    FROM divided WHERE month = ${first} AND part <> 0`)
  // Of results, what the month earned is told from what a change of the share moves of those before.
  for (const [name, type, kind, amount] of [
    ['interests', 'NULL', 'equity', 'part - part_before'],
    ['attribution', "'attribution'", 'result', 'part - kept'],
    ['change of share', "'attribution of earlier results'", 'result', 'kept - part_before'],
  ])
    await addLines(
      db,
      i,
      `SELECT '${name} ' || ${monthTextSql('month')} AS tx, ${lastDaySql('month')} AS day, ${NO_ACCOUNT} AS own,
         unnest([account, '${INTERESTS}']) AS account, department, unnest([-(${amount}), ${amount}]) AS amount, ${type} AS type, memo
       FROM divided WHERE kind = '${kind}' AND month > ${first} AND ${amount} <> 0`,
    )
  return proofFindings(db, i, id, file)
}

/** The first are results, so that those of a month are rounded by themselves. */
const ORDER = "kind <> 'result', account, department NULLS FIRST"

/** The part of others as a fraction, and as it is said. */
function partOf(percent: string): { num: bigint; den: bigint; text: string } {
  const [whole = '', decimals = ''] = percent.split('.')
  const den = 100n * 10n ** BigInt(decimals.length)
  return { num: den - BigInt(whole + decimals), den, text: `held at ${percent} %` }
}

/** What others have of the results of a member, month by month, as a metric: the profit and loss shows the whole. */
export async function interestsMetric(
  db: Database,
  i: number,
  { id, file }: Member,
  { currency }: Company,
): Promise<Pick<FormatContent, 'metricDefinitions' | 'metrics'>> {
  const rows = await db.rows<{ day: string; amount: string }>(
    `SELECT ${lastDaySql('month')}::VARCHAR AS day, sum(amount)::VARCHAR AS amount FROM moved_${i}
     WHERE account = '${INTERESTS_RESULT}' AND type = 'attribution' GROUP BY ALL ORDER BY day`,
  )
  if (rows.length === 0) return { metricDefinitions: [], metrics: [] }
  const name = 'Net income of non-controlling interests'
  return {
    metricDefinitions: [{ id: INTERESTS_RESULT, name, unit: currency, aggregation: 'Sum' }],
    metrics: rows.map(({ day, amount }) => ({
      ...{ metric: INTERESTS_RESULT, date: day, wholeMonth: true, class: id, department: null, budget: null },
      ...{ value: formatInteger(amount, currencyDecimals(currency)), file, row: 1 },
    })),
  }
}

/** At the end of each month others hold their part of what assets, liabilities and the interests in the member itself leave. */
async function proofFindings(db: Database, i: number, id: string, file: string): Promise<Finding[]> {
  const months = await db.rows<{ month: number }>(`
    WITH stated AS (
      SELECT month, amount FROM moved_${i} WHERE own = ${NO_ACCOUNT} AND account = '${INTERESTS}'
      UNION ALL SELECT (SELECT min(month) FROM part), amount FROM opening_${i} WHERE own = ${NO_ACCOUNT} AND account = '${INTERESTS}')
    SELECT month FROM (
      SELECT month, num, den,
        (SELECT coalesce(sum(amount), 0) FROM stated WHERE stated.month <= part.month) AS held,
        (SELECT coalesce(-sum(amount), 0) FROM moved WHERE moved.month <= part.month AND kind NOT IN ('result', 'equity')) AS net
      FROM part)
    WHERE held <> ${product('net')} ORDER BY month LIMIT 1`)
  return months.map(({ month }) =>
    error(
      'group-interests-differ',
      `${id}: what others hold at the end of ${monthText(month)} is not their part of its net assets`,
      { file, text: monthText(month), remedy: 'this is a mistake of the program: please report it' },
    ),
  )
}
