/**
 * Decides which lines are one entry where a file does not number its entries reliably: lines are grouped by names from fine to coarse
 * (ingest/format/entry-names.ts), and the finest group that balances is taken, so that no line is lost and none counts twice.
 */
import { ALONE, ELSE } from '../ingest/format/entry-names.ts'
import { type Finding, warning } from '../workspace/finding.ts'
import { type Database, tablesOf } from './database.ts'

/** A group that does not balance: `off` is debits minus credits in minor units. */
interface OpenGroup {
  readonly basis: number
  readonly tx: string
  readonly names: readonly string[]
  readonly off: number
}

const short = `split_part(tx, '${ALONE}', 2)`
const finest = `split_part(split_part(tx, '${ALONE}', 1), '${ELSE}', 1)`

/**
 * Gives the lines of the table `line` that name several groups the id of their entry. Leaves in the table `scattered` the numbered entries
 * whose lines do not stand together: they may stand in their file twice; and in `joined_group` the groups without a number that count with
 * others.
 */
export async function settleEntries(db: Database): Promise<void> {
  await db.run(`
    CREATE TEMP TABLE finest AS
      SELECT basis, tx, coalesce(sum(amount) FILTER (NOT opening), 0) AS off, min({'file': file, 'row': row}) AS place, bool_or(opening) AS opening,
        max(row) - min(row) + 1 > count(*) AS scattered
      FROM line WHERE contains(tx, '${ELSE}') OR contains(tx, '${ALONE}') GROUP BY basis, tx;
    CREATE TEMP TABLE joined (basis TINYINT, tx VARCHAR, id VARCHAR)`)
  const open = await db.rows<{ basis: number; tx: string; off: string }>(
    'SELECT basis, tx, off::VARCHAR AS off FROM finest WHERE off <> 0 ORDER BY place',
  )
  await db.append('joined', joinUnbalanced(open))
  await db.run(`
    CREATE TEMP TABLE settled AS
      SELECT basis, tx, scattered AND is_short AND joined.id IS NULL AS scattered, coalesce(joined.id, if(is_short, ${short}, ${finest})) AS id
      FROM (SELECT *, ${short} <> '' AND (opening OR count(*) OVER (PARTITION BY basis, ${short}) = 1) AS is_short FROM finest)
      LEFT JOIN joined USING (basis, tx);
    UPDATE line SET tx = settled.id FROM settled WHERE line.basis = settled.basis AND line.tx = settled.tx;
    CREATE OR REPLACE TABLE scattered AS SELECT DISTINCT basis, id AS tx FROM settled WHERE scattered;
    CREATE OR REPLACE TABLE joined_group AS
      SELECT place.file AS file FROM finest JOIN joined USING (basis, tx) WHERE contains(tx, '${ELSE}');
    DROP TABLE settled; DROP TABLE finest; DROP TABLE joined`)
}

/** Warns of lines without a number that only balance with others. */
export async function joinedFindings(db: Database, files: readonly string[]): Promise<Finding[]> {
  if ((await tablesOf(db, ['joined_group'])).length === 0) return []
  const { found, first, last } = await db.row<{ found: string; first: number; last: number }>(
    'SELECT count(*) AS found, min(file) AS first, max(file) AS last FROM joined_group',
  )
  if (found === '0') return []
  return [
    warning(
      'entries-joined',
      `the file has no number of each entry; ${found} groups of lines balance only together with others, and count as one entry with them`,
      {
        file: first === last ? (files[first] ?? null) : null,
        remedy:
          'no figure depends on it; to tell entries apart, export a column with their number, or the journal',
      },
    ),
  ]
}

/** For each group that does not balance by itself the coarser one in which it counts: the next that balances, else the coarsest. */
function joinUnbalanced(
  groups: readonly { readonly basis: number; readonly tx: string; readonly off: string }[],
): (readonly [basis: number, tx: string, id: string])[] {
  const joined = new Map<OpenGroup, string>()
  let open = groups.map(({ basis, tx, off }): OpenGroup => {
    return { basis, tx, off: Number(off), names: tx.split(ALONE).flatMap((name) => name.split(ELSE)) }
  })
  for (let level = 1; open.length > 0; level++) {
    const sums = new Map<string, number>()
    const keyOf = ({ basis, names }: OpenGroup) => `${basis}${names[level]}`
    const coarser = open.filter(({ names }) => names[level] !== undefined)
    for (const group of coarser) {
      joined.set(group, group.names[level] as string)
      sums.set(keyOf(group), (sums.get(keyOf(group)) ?? 0) + group.off)
    }
    open = coarser.filter((group) => sums.get(keyOf(group)) !== 0)
  }
  return [...joined].map(([{ basis, tx }, id]) => [basis, tx, id])
}
