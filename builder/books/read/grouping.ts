/**
 * Decides which lines are one entry where a file does not number its entries reliably: lines are grouped by what they share, from fine to
 * coarse (ingest/format/entry-names.ts), and the finest group that balances is taken, so that no line is lost and none counts twice.
 */

import { addTo } from '../../contract/grouping.ts'
import { columnsOf, type Database, tablesOf } from '../../database/database.ts'
import type { WholeFile } from '../../ingest/format/entry-names.ts'
import type { LedgerInput } from '../../ingest/format/intake.ts'
import { type Finding, warning } from '../../workspace/findings/finding.ts'
import { NOTHING_OF_WHOLE, sharedSql } from './entry-ids.ts'

/** A group that does not balance: `off` is debits minus credits in minor units. */
interface OpenGroup {
  readonly group: number
  readonly basis: number
  readonly names: readonly string[]
  readonly off: number
}

/** Where the format says which lines are an entry. */
const GROUPED: ReadonlySet<WholeFile['numbers']> = new Set(['each', 'counted'])

/**
 * Gives the lines of the table `line` whose format knows only a part of it the id of their entry; false where there are none. Leaves in the
 * table `scattered` the numbered entries whose lines do not stand together: they may stand in their file twice; and in `joined_groups`, of the
 * groups without a number that count with others, how many there are and in which files.
 */
export async function settleEntries(db: Database, inputs: readonly LedgerInput[]): Promise<boolean> {
  const wholes = inputs.map((input) => (input.kind === 'csv' ? input.whole : undefined))
  const areNamed = wholes.some((whole) => (whole?.ids?.size ?? 0) > 0)
  if (areNamed) await nameEntries(db, wholes)
  if (wholes.every((whole) => whole === undefined || GROUPED.has(whole.numbers))) return areNamed
  await joinLines(db, wholes)
  return true
}

/** The ids of lines begin with that of their entry. */
async function nameEntries(db: Database, wholes: readonly (WholeFile | undefined)[]): Promise<void> {
  await db.run('CREATE TEMP TABLE given (file INTEGER, tx VARCHAR, id VARCHAR)')
  for (const [file, whole] of wholes.entries()) await db.append('given', rowsOf(file, whole?.ids ?? []))
  await db.run(`
    UPDATE line SET tx = given.id, line_id = given.id || substr(line_id, length(line.tx) + 1)
      FROM given WHERE line.file = given.file AND line.tx = given.tx;
    DROP TABLE given`)
}

function* rowsOf(file: number, ids: Iterable<readonly [string, string]>) {
  for (const [text, id] of ids) yield [file, text, id]
}

/** Of lines without a number, which have the id of their finest group so far, or with a number that begins anew each day. */
async function joinLines(db: Database, wholes: readonly (WholeFile | undefined)[]): Promise<void> {
  const filesWith = (isMeant: (whole: WholeFile | undefined) => boolean): string => {
    const files = wholes.flatMap((whole, file) => (isMeant(whole) ? [file] : []))
    return files.length === 0 ? 'false' : `file IN (${files.join(', ')})`
  }
  const byDay = filesWith((whole) => whole?.numbers === 'by-day')
  const unnumbered = await unnumberedSql(db, wholes)
  await db.run(`
    CREATE OR REPLACE TABLE scattered AS
      SELECT basis, tx FROM line
      WHERE ${filesWith((whole) => whole?.numbers === 'once' || whole?.numbers === 'by-day')} AND NOT ${unnumbered.is} GROUP BY basis, tx
      HAVING max(row) - min(row) + 1 > count(*) AND (min(entered) = max(entered) OR bool_or(opening) OR NOT bool_or(${byDay}));
    CREATE TEMP TABLE repeated AS
      SELECT basis, tx FROM line WHERE ${byDay} AND NOT opening AND NOT ${unnumbered.is} GROUP BY basis, tx HAVING min(entered) <> max(entered);
    CREATE TEMP TABLE finest AS
      SELECT row_number() OVER (ORDER BY place) AS "group", * FROM (
        SELECT basis, tx, NULL::DATE AS day, sum(amount) AS off, min({'file': file, 'row': row}) AS place
        FROM line WHERE NOT opening AND ${unnumbered.is} GROUP BY basis, tx HAVING off <> 0
        UNION ALL
        SELECT basis, tx, entered, coalesce(sum(amount), 0), min({'file': file, 'row': row})
        FROM line JOIN repeated USING (basis, tx) WHERE NOT opening GROUP BY basis, tx, entered);
    CREATE TEMP TABLE joined ("group" BIGINT, id VARCHAR)`)
  const open = await db.rows<{ group: string; basis: number; names: string[]; off: string }>(`
    SELECT DISTINCT "group", finest.basis AS basis, off::VARCHAR AS off,
      CASE WHEN finest.day IS NULL THEN ${unnumbered.names} ELSE [finest.tx || ' ' || finest.day, finest.tx] END AS names
    FROM finest JOIN line ON file = place.file AND row = place.row AND line.tx = finest.tx WHERE off <> 0 ORDER BY "group"`)
  await db.append(
    'joined',
    joinUnbalanced(open.map((each) => ({ ...each, group: Number(each.group), off: Number(each.off) }))),
  )
  await db.run(`
    CREATE TEMP TABLE settled AS
      SELECT basis, tx, day, coalesce(id, tx || ' ' || day) AS id FROM finest LEFT JOIN joined USING ("group");
    UPDATE line SET tx = settled.id FROM settled
      WHERE line.basis = settled.basis AND line.tx = settled.tx AND (settled.day IS NULL OR (entered = settled.day AND NOT opening));
    CREATE OR REPLACE TABLE joined_groups AS
      SELECT count(*) AS found, min(place.file) AS first, max(place.file) AS last FROM finest JOIN joined USING ("group") WHERE day IS NULL;
    DROP TABLE settled; DROP TABLE finest; DROP TABLE joined; DROP TABLE repeated`)
}

/** SQL for whether a line has no number, and for the ids that it may have, by its file. */
async function unnumberedSql(db: Database, wholes: readonly (WholeFile | undefined)[]) {
  const columns = new Set(await columnsOf(db, 'line'))
  const [names, finest] = [new Map<string, number[]>(), new Map<string, number[]>()]
  for (const [file, whole] of wholes.entries()) {
    const own = sharedSql(whole ?? NOTHING_OF_WHOLE, (column) => (columns.has(column) ? column : null))
    if (own[0] === undefined) continue
    addTo(names, `[${own.join(', ')}]`, file)
    addTo(finest, own[0], file)
  }
  const caseOf = (sql: typeof names, none: string) =>
    [...sql].reduce((others, [each, own]) => `if(file IN (${own.join(', ')}), ${each}, ${others})`, none)
  return {
    names: caseOf(names, 'NULL::VARCHAR[]'),
    is: `coalesce(line.tx = ${caseOf(finest, 'NULL::VARCHAR')}, false)`,
  }
}

/** Warns of lines without a number that only balance with others. */
export async function joinedFindings(db: Database, files: readonly string[]): Promise<Finding[]> {
  if ((await tablesOf(db, ['joined_groups'])).length === 0) return []
  const { found, first, last } = await db.row<{ found: string; first: number; last: number }>(
    'FROM joined_groups',
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
function joinUnbalanced(groups: readonly OpenGroup[]): (readonly [group: number, id: string])[] {
  const joined = new Map<number, string>()
  let open = groups
  for (let level = 1; open.length > 0; level++) {
    const sums = new Map<string, number>()
    const keyOf = ({ basis, names }: OpenGroup) => `${basis}${names[level]}`
    const coarser = open.filter(({ names }) => names[level] !== undefined)
    for (const each of coarser) {
      joined.set(each.group, each.names[level] as string)
      sums.set(keyOf(each), (sums.get(keyOf(each)) ?? 0) + each.off)
    }
    open = coarser.filter((each) => sums.get(keyOf(each)) !== 0)
  }
  return [...joined]
}
