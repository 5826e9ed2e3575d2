/**
 * The bridge between two closes: for each account what the older snapshot stated at the end of its last month, what the newer one corrected
 * of it, with the lines of the books that were changed, and what happened since. `diff` gives the figures; this gives the story.
 */
import { join } from 'node:path'
import { PUBLISHED_IN_BALANCES } from '../../books/post/postings.ts'
import { type DifferingLine, differingLines } from '../../books/read/line-diff.ts'
import { decimalsOf, type Frame } from '../../books/reference/frame.ts'
import { firstDay, monthOf } from '../../contract/calendar.ts'
import { formatInteger, minorOfText } from '../../contract/currency.ts'
import type { Basis } from '../../contract/vocabulary.ts'
import { openDatabase, parquetSql, quoted } from '../../database/database.ts'
import { BOOKS } from '../../snapshot/files/layout.ts'
import type { Snapshot } from '../../snapshot/files/open.ts'
import { readHistory } from '../../snapshot/log/history.ts'
import { comparedSnapshots } from '../diff.ts'
import { basisIn, failed, noSuchBasis, type Resolved, unknown } from '../inspect.ts'
import { turnoversOf } from '../trial-balance.ts'

export interface BridgeRequest {
  readonly company: string
  /** Null: the snapshot before the newer one. */
  readonly before: string | null
  /** Null: the current one. */
  readonly now: string | null
  readonly basis: Basis | null
}

/** Amounts are decimal text, debit positive. Result accounts have their balance within the fiscal year. */
export interface BridgeRow {
  readonly id: string
  readonly number: string
  readonly name: string
  readonly classification: string
  readonly old: string
  readonly corrections: string
  readonly activity: string
  readonly new: string
}

/** A line on an equity account since the older close. */
export interface EquityLine extends Record<string, unknown> {
  readonly account: string
  readonly date: string
  readonly entry: string
  readonly amount: string
  readonly memo: string | null
  readonly file: string
  readonly row: number
}

export interface Bridge {
  readonly company: string
  readonly currency: string
  readonly basis: string
  readonly before: Close
  readonly now: Close
  /** Equity first, then as the chart has them; rows that are zero throughout are left out. */
  readonly rows: readonly BridgeRow[]
  /** Each column adds up to zero. Rows add up from left to right because corrections and activity are differences of balances. */
  readonly addsUp: boolean
  /** Lines through the older close that only one of the two has. */
  readonly corrected: readonly DifferingLine[]
  readonly equity: readonly EquityLine[]
}

interface Close {
  readonly snapshotId: string
  readonly manifestSha256: string
  readonly publishedAt: string
  readonly publishedBy: string
  /** The last day of its books, `YYYY-MM-DD`. */
  readonly endDate: string
  readonly reason: string | null
}

export async function bridge(root: string, request: BridgeRequest): Promise<Resolved<Bridge>> {
  const { company } = request
  const opened = await comparedSnapshots(root, { ...request, classId: null, departmentId: null })
  if (opened.findings) return opened
  const { before, now } = opened.value
  const [older, newer, was, is] = [before.snapshot, now.snapshot, before.frame, now.frame]
  const asked = basisIn(is, request.basis)
  if (asked.findings) return asked
  const basis = asked.value
  if (!was.bases.includes(basis)) return failed(noSuchBasis(company, basis, was.bases))
  if (is.coverage.endDate < was.coverage.endDate)
    return failed(
      unknown(
        'no-months',
        `${newer.id} ends before ${older.id}`,
        newer.id,
        `exchange them: tieout bridge ${company} ${newer.id} ${older.id}`,
      ),
    )
  const rows = await rowsOf(older, newer, was, is, basis)
  const until = was.coverage.endDate
  const { published } = await readHistory(root, company)
  const lines = await differingLines(before, now, { basis, classId: null, departmentId: null })
  return {
    value: {
      ...{ company, currency: is.currency, basis: basis.toLowerCase() },
      ...{
        before: closeOf(older, was, published.get(older.id)?.By),
        now: closeOf(newer, is, published.get(newer.id)?.By),
      },
      ...{ rows: rows.map((row) => textsOf(row, is)) },
      addsUp: isZero(rows),
      corrected: lines.filter(({ date }) => date === null || date <= until),
      equity: await equityLines(newer, is, basis, until),
    },
  }
}

const closeOf = ({ id, manifestHash, manifest }: Snapshot, { coverage }: Frame, publishedBy = ''): Close => ({
  ...{
    snapshotId: id,
    manifestSha256: manifestHash,
    publishedAt: manifest.Build.At,
    endDate: coverage.endDate,
  },
  publishedBy,
  reason: manifest.Restatement?.Reason ?? null,
})

interface Amounts {
  readonly about: Pick<BridgeRow, 'id' | 'number' | 'name' | 'classification'>
  readonly old: bigint
  readonly corrections: bigint
  readonly activity: bigint
  readonly new: bigint
}

async function rowsOf(
  older: Snapshot,
  newer: Snapshot,
  was: Frame,
  is: Frame,
  basis: Basis,
): Promise<Amounts[]> {
  const at = async (snapshot: Snapshot, frame: Frame, endDate: string) => {
    const month = { startDate: firstDay(monthOf(endDate)), endDate }
    const { rows } = await turnoversOf(
      snapshot,
      frame,
      { basis, classId: null, departmentId: null },
      month,
      true,
    )
    return new Map(rows.map((row) => [row.id, row]))
  }
  const old = await at(older, was, was.coverage.endDate)
  const again = await at(newer, is, was.coverage.endDate)
  const now = await at(newer, is, is.coverage.endDate)
  const minor = (text = '0'): bigint => minorOfText(text)
  const ids = [...new Set([...now.keys(), ...again.keys(), ...old.keys()])]
  const order = new Map(is.accounts.map(({ id }, place) => [id, place]))
  return ids
    .map((id): Amounts => {
      const {
        number = '',
        name = id,
        classification = '',
      } = now.get(id) ?? again.get(id) ?? old.get(id) ?? {}
      const [a, b, c] = [
        minor(old.get(id)?.closing),
        minor(again.get(id)?.closing),
        minor(now.get(id)?.closing),
      ]
      return {
        about: { id, number, name, classification },
        old: a,
        corrections: b - a,
        activity: c - b,
        new: c,
      }
    })
    .filter((row) => row.old !== 0n || row.corrections !== 0n || row.activity !== 0n || row.new !== 0n)
    .sort(
      (x, y) =>
        Number(y.about.classification === 'Equity') - Number(x.about.classification === 'Equity') ||
        (order.get(x.about.id) ?? order.size) - (order.get(y.about.id) ?? order.size),
    )
}

const COLUMNS = ['old', 'corrections', 'activity', 'new'] as const

const isZero = (rows: readonly Amounts[]): boolean =>
  COLUMNS.every((column) => rows.reduce((sum, row) => sum + row[column], 0n) === 0n)

function textsOf({ about, ...amounts }: Amounts, frame: Frame): BridgeRow {
  const text = (column: (typeof COLUMNS)[number]) => formatInteger(String(amounts[column]), decimalsOf(frame))
  return {
    ...about,
    old: text('old'),
    corrections: text('corrections'),
    activity: text('activity'),
    new: text('new'),
  }
}

/** Who moved equity since a day, when, by which entry: retained earnings first. */
async function equityLines(
  { folder }: Snapshot,
  { accounts }: Frame,
  basis: Basis,
  after: string,
): Promise<EquityLine[]> {
  const equity = accounts
    .filter(({ classification }) => classification === 'Equity')
    .sort((a, b) => Number(b.type === 'RetainedEarnings') - Number(a.type === 'RetainedEarnings'))
    .map(({ id }) => quoted(id))
  if (equity.length === 0) return []
  const db = await openDatabase({ folders: [folder] })
  try {
    const rows = await db.rows<EquityLine & { row: string }>(
      `SELECT account, date::VARCHAR AS date, transaction_id AS entry, amount::VARCHAR AS amount, memo, file, row::VARCHAR AS row
       FROM ${parquetSql(join(folder, BOOKS, 'postings.parquet'))}
       WHERE basis = ${quoted(basis.toLowerCase())} AND ${PUBLISHED_IN_BALANCES} AND date > DATE '${after}' AND account IN (${equity.join(', ')})
       ORDER BY list_position([${equity.join(', ')}], account), seq`,
    )
    return rows.map((row) => ({ ...row, row: Number(row.row) }))
  } finally {
    db.close()
  }
}
