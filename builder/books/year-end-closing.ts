/**
 * Finds the closing entries that nobody marked (accounting.md §4): entries of a year's last day that together bring every
 * income and expense account to zero against equity. As activity they would make the profit and loss of the year zero.
 */
import { type Finding, warning } from '../workspace/finding.ts'
import { several } from '../workspace/not-checked.ts'
import { BASIS_CODE } from './codes.ts'
import type { Database } from './database.ts'
import type { Frame } from './frame.ts'
import type { OpeningCell } from './openings.ts'
import { closeLines, KIND } from './postings.ts'

/** An entry with income or expenses on the last day of a fiscal year. */
interface Entry extends Record<string, unknown> {
  readonly basis: number
  readonly tx: string
  readonly day: string
  readonly file: number
  readonly row: string
  /** Whether a line of it is on an equity account; and whether its other lines are all on income and expense accounts. */
  readonly equity: boolean
  readonly closes: boolean
}

/** Income and expense accounts of one basis and year; amounts in minor units, debit positive. */
interface Balance extends Record<string, unknown> {
  readonly basis: number
  readonly account: number
  readonly day: string
  /** The activity of the year up to the day before its last, that of the whole year, and that of entries which may close. */
  readonly before: number
  readonly after: number
  readonly closing: number
  /** What closing entries that are marked took out in that year. */
  readonly closed: number
}

/** Gives closing entries that nobody marked their kind, says which they are, and asks about entries that only may be some. */
export async function closeUnmarked(
  db: Database,
  frame: Frame,
  openings: readonly OpeningCell[],
  files: readonly string[],
): Promise<Finding[]> {
  const years = frame.fiscalYears.map(({ start, end }) => `(DATE '${start}', DATE '${end}')`).join(', ')
  await db.run(`
    CREATE TEMP TABLE year_end AS
    SELECT basis, tx, day, min(file) AS file, arg_min(row, (file, row)) AS row, bool_or(equity) AS equity,
      bool_and(pl OR equity) AND bool_or(equity) AS closes
    FROM posting JOIN account ON account = code
    WHERE kind = ${KIND.activity} AND day IN (SELECT last FROM (VALUES ${years}) AS year(first, last))
    GROUP BY basis, tx, day HAVING bool_or(pl)`)
  const entries = await db.rows<Entry>(
    'SELECT basis, tx, day::VARCHAR AS day, file, row, equity, closes FROM year_end ORDER BY day, file, row',
  )
  if (entries.length === 0) return []
  const balances = await db.rows<Balance>(`
    WITH year(first, last) AS (VALUES ${years})
    SELECT posting.basis, account, last::VARCHAR AS day,
      coalesce(sum(amount) FILTER (kind = ${KIND.activity} AND posting.day < last), 0)::DOUBLE AS before,
      coalesce(sum(amount) FILTER (kind = ${KIND.activity}), 0)::DOUBLE AS after,
      coalesce(sum(amount) FILTER (closes), 0)::DOUBLE AS closing,
      coalesce(sum(amount) FILTER (kind <> ${KIND.activity}), 0)::DOUBLE AS closed
    FROM posting JOIN account ON account = code AND pl JOIN year ON posting.day BETWEEN first AND last
    LEFT JOIN year_end ON year_end.basis = posting.basis AND year_end.tx = posting.tx AND year_end.day = posting.day
    GROUP BY ALL ORDER BY day`)
  const carried = new Map<string, number>()
  const add = (basis: number, account: number, amount: number): number => {
    const sum = (carried.get(`${basis} ${account}`) ?? 0) + amount
    carried.set(`${basis} ${account}`, sum)
    return sum
  }
  for (const { basis, account, amount } of openings) add(BASIS_CODE[basis], account, amount)
  const standing = balances.map((balance) => ({
    ...balance,
    carried: add(balance.basis, balance.account, balance.after + balance.closed),
  }))
  const sure: Entry[] = []
  const findings: Finding[] = []
  for (const { basis, end } of frame.bases.flatMap((each) =>
    frame.fiscalYears.map((year) => ({ basis: BASIS_CODE[each], end: year.end })),
  )) {
    const isOf = (row: { readonly basis: number; readonly day: string }) =>
      row.basis === basis && row.day === end
    const own = entries.filter(isOf)
    const found = judge(standing.filter(isOf))
    if (found === 'closed') sure.push(...own.filter(({ closes }) => closes))
    else if (found !== null) findings.push(question(own, found, files))
  }
  const days = [...new Set(sure.map(({ basis, day }) => `(${basis}, DATE '${day}')`))]
  if (days.length > 0)
    await closeLines(
      db,
      frame,
      `SELECT posting.rowid FROM posting JOIN year_end USING (basis, tx, day)
       WHERE closes AND (basis, day) IN (${days.join(', ')})`,
    )
  await db.run('DROP TABLE year_end')
  return days.length > 0 ? [told(sure, files), ...findings] : findings
}

/** "closed" where it is clear; how many of how many accounts come to zero where it is not; null where nothing looks like it. */
function judge(
  balances: readonly (Balance & { readonly carried: number })[],
): 'closed' | { readonly zero: number; readonly of: number } | null {
  const open = balances.filter(({ after, closing }) => after !== closing)
  const begun = balances.filter(({ before }) => before !== 0)
  // Where the last day has emptied most accounts into another of income or expenses, they would still be zero.
  if (open.length > 0 && open.length * 2 >= begun.length && balances.every(({ after }) => after === 0))
    return 'closed'
  const zero = begun.filter(({ after, carried }) => after === 0 || carried === 0)
  const sum = (of: (balance: Balance) => number) =>
    Math.abs(balances.reduce((total, each) => total + of(each), 0))
  const isEmptied =
    sum(({ after }) => after) * 2 <= sum(({ before }) => before) && sum(({ before }) => before) > 0
  return zero.length >= 2 && zero.length * 2 > begun.length && isEmptied
    ? { zero: zero.length, of: begun.length }
    : null
}

const placeOf = ([first]: readonly Entry[], files: readonly string[]) => ({
  file: files[first?.file ?? -1] ?? null,
  row: first === undefined ? null : Number(first.row),
  text: first?.tx ?? null,
})

const named = (entries: readonly Entry[]): string =>
  several([...new Set(entries.map(({ tx, day }) => `${tx} (${day})`))], 'entry', 'entries')

const told = (entries: readonly Entry[], files: readonly string[]): Finding =>
  warning(
    'closing-entries-found',
    `${named(entries)} on the last day of a fiscal year bring every income and expense account to zero against equity: they count as closing entries, not as income and expenses`,
    {
      ...placeOf(entries, files),
      remedy:
        'nothing to do where that is right; to say so yourself, list them in company.yaml: closing: { transactions: [...] }, or name their journals, references or types there',
    },
  )

function question(
  entries: readonly Entry[],
  { zero, of }: { readonly zero: number; readonly of: number },
  files: readonly string[],
): Finding {
  const likely = entries.filter(({ equity }) => equity)
  const asked = likely.length > 0 ? likely : entries
  return warning(
    'closing-or-activity',
    `the last day of the year brings ${zero} of ${of} income and expense accounts to zero, not all of them against equity alone: ${asked.length === 1 ? 'does' : 'do'} ${named(asked)} close the year?`,
    {
      ...placeOf(asked, files),
      remedy:
        'if so, mark it in company.yaml: closing: { transactions: [...] }, or name its journal, reference or type there; as it stands it counts as income and expenses',
    },
  )
}
