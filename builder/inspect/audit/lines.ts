/**
 * Opens the lines of the books of a published snapshot as the population of an audit test, and proves that they are complete: they
 * balance, and their debits and credits are those of the trial balance. Owns, as the first file of its room, what an auditor draws
 * and tests. Must not change what a snapshot says.
 */
import { join } from 'node:path'
import { PUBLISHED_IN_BALANCES } from '../../books/post/postings.ts'
import { decimalsOf, type Frame } from '../../books/reference/frame.ts'
import type { DateRange } from '../../contract/document.ts'
import type { Basis } from '../../contract/vocabulary.ts'
import { decimalOfMinor, minorOfDecimal } from '../../database/amount-sql.ts'
import { columnsOf, type Database, openDatabase, parquetSql, quoted } from '../../database/database.ts'
import { BOOKS } from '../../snapshot/files/layout.ts'
import type { Snapshot } from '../../snapshot/files/open.ts'
import { basisIn, daysIn, frameOfReadableBooks, publishedSnapshot, type Resolved } from '../inspect.ts'
import { turnoversOf } from '../trial-balance.ts'

export interface LinesRequest {
  readonly company: string
  readonly snapshotId: string | null
  readonly basis: Basis | null
  /** First and last month, `YYYY-MM`; null for the first and last month of the books. */
  readonly from: string | null
  readonly through: string | null
}

/** What the lines add up to. Amounts are decimal text. */
export interface Population {
  readonly lines: number
  readonly entries: number
  readonly debit: string
  readonly credit: string
  /** Whether debits equal credits, and both are those of the trial balance of the same days. */
  readonly isComplete: boolean
}

export interface AuditedLines extends DateRange {
  readonly snapshot: Snapshot
  readonly frame: Frame
  readonly basis: Basis
  readonly population: Population
  /**
   * Has the tables `account` (id, number, name, classification, type) and `line`: seq, entry, line_id, kind (`KINDS`), date, account, class,
   * department, amount (minor units, debit positive), memo, reference, journal, type, party, party_id, entered_on, entered_by, file, row.
   */
  readonly db: Database
  close(): void
}

/** Columns that only some books have: empty in others. */
const LATER_COLUMNS: Readonly<Record<string, string>> = {
  party: 'VARCHAR',
  party_id: 'VARCHAR',
  entered_on: 'DATE',
  entered_by: 'VARCHAR',
}

/** Opens the lines of the days asked for. Unknown names and months are findings. The caller closes them. */
export async function openLines(root: string, request: LinesRequest): Promise<Resolved<AuditedLines>> {
  const opened = await publishedSnapshot(root, request.company, request.snapshotId)
  if (opened.findings) return opened
  const snapshot = opened.value
  const frame = await frameOfReadableBooks(snapshot)
  const asked = basisIn(frame, request.basis)
  if (asked.findings) return asked
  const range = daysIn(frame, request)
  if (range.findings) return range
  const basis = asked.value
  const db = await openDatabase({ folders: [snapshot.folder] })
  try {
    await makeTables(db, snapshot, frame, basis, range.value)
    const population = await populationOf(db, snapshot, frame, basis, range.value)
    return { value: { ...range.value, snapshot, frame, basis, population, db, close: () => db.close() } }
  } catch (problem) {
    db.close()
    throw problem
  }
}

async function makeTables(
  db: Database,
  { folder }: Snapshot,
  frame: Frame,
  basis: Basis,
  { startDate, endDate }: DateRange,
): Promise<void> {
  const source = parquetSql(join(folder, BOOKS, 'postings.parquet'))
  const columns = await columnsOf(db, source)
  const later = Object.entries(LATER_COLUMNS).map(([name, type]) =>
    columns.includes(name) ? name : `NULL::${type} AS ${name}`,
  )
  await db.run(`
    CREATE TABLE account (id VARCHAR, number VARCHAR, name VARCHAR, classification VARCHAR, type VARCHAR);
    CREATE TABLE line AS
    SELECT seq, transaction_id AS entry, line_id, kind, date, account, class, department,
      ${minorOfDecimal('amount', decimalsOf(frame))} AS amount, memo, reference, journal, type, ${later.join(', ')}, file, row
    FROM ${source}
    WHERE basis = ${quoted(basis.toLowerCase())} AND ${PUBLISHED_IN_BALANCES} AND date BETWEEN DATE '${startDate}' AND DATE '${endDate}'
    ORDER BY seq`)
  await db.append(
    'account',
    frame.accounts.map(({ id, number, name, classification, type }) => [
      id,
      number,
      name,
      classification,
      type,
    ]),
  )
}

async function populationOf(
  db: Database,
  snapshot: Snapshot,
  frame: Frame,
  basis: Basis,
  range: DateRange,
): Promise<Population> {
  const found = await db.row<{ lines: string; entries: string; debit: string; credit: string }>(
    `SELECT count(*)::VARCHAR AS lines, count(DISTINCT entry)::VARCHAR AS entries,
       ${moneySql(frame, 'sum(amount) FILTER (amount > 0)')} AS debit, ${moneySql(frame, '-sum(amount) FILTER (amount < 0)')} AS credit
     FROM line`,
  )
  const { totals } = await turnoversOf(
    snapshot,
    frame,
    { basis, classId: null, departmentId: null },
    range,
    false,
  )
  return {
    ...{
      lines: Number(found.lines),
      entries: Number(found.entries),
      debit: found.debit,
      credit: found.credit,
    },
    isComplete:
      found.debit === found.credit && found.debit === totals.debit && found.credit === totals.credit,
  }
}

/** SQL for a number of minor units as decimal text. Nothing is zero. */
export const moneySql = (frame: Pick<Frame, 'currency'>, minor: string): string =>
  `${decimalOfMinor(`coalesce(${minor}, 0)`, decimalsOf(frame), 38)}::VARCHAR`
