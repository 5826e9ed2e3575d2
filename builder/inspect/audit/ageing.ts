/**
 * Receivables and payables by party at the end of a day, by how old they are: `tieout ageing`. What settles what decides which lines are
 * open; where the books do not say it, the oldest lines of a party are taken for settled first. Each account adds up to its balance.
 */
import { type Account, decimalsOf, type Frame } from '../../books/reference/frame.ts'
import { formatInteger, minorOfText } from '../../contract/currency.ts'
import { present } from '../../contract/present.ts'
import { type Database, openDatabase, quoted } from '../../database/database.ts'
import type { Snapshot } from '../../snapshot/files/open.ts'
import { basisIn, failed, frameOfReadableBooks, publishedSnapshot, type Resolved } from '../inspect.ts'
import { turnoversOf } from '../trial-balance.ts'
import { accountNamed, dayFindings } from './items.ts'
import { placeLines } from './open-items.ts'

/** Days beyond which an amount stands in the next column. */
const BEYOND = [0, 30, 60, 90] as const
/** The columns: not due, or of the day itself; then by how many days ago the day was. */
export const AGES = ['Current', '1 to 30', '31 to 60', '61 to 90', 'Over 90'] as const

export interface AgeingQuery {
  /** Id or number; null for all receivables and payables. */
  readonly account: string | null
  /** `YYYY-MM-DD`; null for the last day of the books. */
  readonly asOf: string | null
}

/** Amounts are decimal text: what the party owes, or of payables what is owed to it, positive. */
export interface PartyAge {
  /** The id where the lines have one. */
  readonly partyId: string | null
  /** The last name that its lines state; null for lines without a party. */
  readonly party: string | null
  /** By {@link AGES}. */
  readonly amounts: readonly string[]
  readonly total: string
}

export interface AgedAccount {
  readonly id: string
  readonly number: string
  readonly name: string
  /** Whether the books say which lines settle which; else the oldest lines of a party are settled first. */
  readonly by: 'items' | 'movements'
  /** What the trial balance says, the sum of what was aged, and what the one is more than the other. */
  readonly balance: string
  readonly aged: string
  readonly difference: string
}

export interface AgeingSection {
  readonly side: 'receivables' | 'payables'
  readonly parties: readonly PartyAge[]
  readonly amounts: readonly string[]
  readonly total: string
  /** The part of the total that stands on lines without a party. */
  readonly withoutParty: string
  /** How many of the open lines have a due date, by which they are aged; the others are aged by their own date. */
  readonly dueDates: number
  readonly lines: number
  readonly accounts: readonly AgedAccount[]
}

export interface Ageing {
  readonly company: string
  readonly snapshotId: string
  readonly manifestSha256: string
  readonly currency: string
  readonly basis: string
  readonly asOf: string
  readonly ages: readonly string[]
  readonly sections: readonly AgeingSection[]
  /** Whether every account adds up to its balance. */
  readonly addsUp: boolean
}

export interface AgeingRequest extends AgeingQuery {
  readonly company: string
  readonly snapshotId: string | null
}

/** Throws SnapshotDamagedError. Unknown names and days are findings. */
export async function ageing(root: string, request: AgeingRequest): Promise<Resolved<Ageing>> {
  const opened = await publishedSnapshot(root, request.company, request.snapshotId)
  return opened.findings ? opened : ageingOf(opened.value, request)
}

/** The same of a snapshot that is open. */
export async function ageingOf(snapshot: Snapshot, request: AgeingQuery): Promise<Resolved<Ageing>> {
  const frame = await frameOfReadableBooks(snapshot)
  const basis = basisIn(frame, null)
  if (basis.findings) return basis
  const asOf = request.asOf ?? frame.coverage.endDate
  const strange = dayFindings(frame, { asOf })
  if (strange.length > 0) return failed(...strange)
  const accounts = accountsOf(frame, request.account)
  if (accounts.findings) return accounts
  const of = { basis: basis.value, classId: null, departmentId: null }
  const { rows } = await turnoversOf(
    snapshot,
    frame,
    of,
    { startDate: frame.coverage.startDate, endDate: asOf },
    false,
  )
  const balances = new Map(rows.map(({ id, closing }) => [id, closing]))
  const db = await openDatabase({ folders: [snapshot.folder] })
  try {
    const signs = accounts.value.map(
      (account) => [account.id, sideOf(account) === 'payables' ? -1 : 1] as const,
    )
    await placeLines(db, snapshot, frame, { signs, basis: basis.value, asOf })
    await db.run(`CREATE TABLE open_line AS ${OPEN_LINES.replaceAll('$asOf', `DATE ${quoted(asOf)}`)}`)
    const sections: AgeingSection[] = []
    for (const side of ['receivables', 'payables'] as const) {
      const own = accounts.value.filter((account) => sideOf(account) === side)
      if (own.length > 0) sections.push(await sectionOf(db, frame, side, own, balances))
    }
    const zero = formatInteger('0', decimalsOf(frame))
    return {
      value: {
        ...{ company: snapshot.company, snapshotId: snapshot.id, manifestSha256: snapshot.manifestHash },
        ...{ currency: frame.currency, basis: basis.value.toLowerCase(), asOf, ages: AGES, sections },
        addsUp: sections.every((each) => each.accounts.every(({ difference }) => difference === zero)),
      },
    }
  } finally {
    db.close()
  }
}

const sideOf = ({ type, classification }: Account): AgeingSection['side'] =>
  type === 'AccountsPayable' || classification === 'Liability' ? 'payables' : 'receivables'

function accountsOf(frame: Frame, asked: string | null): Resolved<readonly Account[]> {
  if (asked === null)
    return {
      value: frame.accounts.filter(({ type }) => type === 'AccountsReceivable' || type === 'AccountsPayable'),
    }
  const account = accountNamed(frame, asked)
  return account.findings ? account : { value: [account.value] }
}

/** Lines of one item, or of one party, are a group: what goes against its balance settles its oldest lines first, and the rest is open. */
const OPEN_LINES = `
  WITH summed AS (
      SELECT *, sum(amount) OVER own AS residue, sum(amount) FILTER (amount > 0) OVER own AS above,
        -sum(amount) FILTER (amount < 0) OVER own AS below
      FROM placed WINDOW own AS (PARTITION BY account, party_key, part)),
    counted AS (
      SELECT *, sum(abs(amount)) OVER (PARTITION BY account, party_key, part ORDER BY date, seq)
        - coalesce(CASE WHEN residue > 0 THEN below ELSE above END, 0) AS beyond
      FROM summed WHERE sign(amount) = sign(residue))
  SELECT account, party_key, due_date IS NOT NULL AS has_due_date, $asOf - coalesce(due_date, date) AS days,
    sign(residue) * least(abs(amount), beyond) AS amount
  FROM counted WHERE beyond > 0`

interface AgeRow extends Record<string, unknown> {
  readonly key: string | null
  readonly name: string | null
  readonly amounts: readonly string[]
}

async function sectionOf(
  db: Database,
  frame: Frame,
  side: AgeingSection['side'],
  accounts: readonly Account[],
  balances: ReadonlyMap<string, string>,
): Promise<AgeingSection> {
  const decimals = decimalsOf(frame)
  const money = (minor: bigint): string => formatInteger(String(minor), decimals)
  const own = `account IN (${accounts.map(({ id }) => quoted(id)).join(', ')})`
  const column = BEYOND.map((days) => `(days > ${days})::INTEGER`).join(' + ')
  const rows = await db.rows<AgeRow>(`
    WITH known AS (SELECT party_key, arg_max(party_name, (date, seq)) AS name FROM line WHERE party_name IS NOT NULL GROUP BY party_key)
    SELECT party_key AS key, any_value(known.name) AS name,
      [${AGES.map((_, i) => `coalesce(sum(amount) FILTER (${column} = ${i}), 0)::VARCHAR`).join(', ')}] AS amounts
    FROM open_line LEFT JOIN known USING (party_key) WHERE ${own}
    GROUP BY party_key ORDER BY party_key IS NULL, lower(any_value(known.name)), party_key`)
  const { lines, due } = await db.row<{ lines: string; due: string }>(
    `SELECT count(*)::VARCHAR AS lines, count(*) FILTER (has_due_date)::VARCHAR AS due FROM open_line WHERE ${own}`,
  )
  const sums = rows.map(({ amounts }) => amounts.map(BigInt))
  const total = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, each) => sum + each, 0n)
  const columns = AGES.map((_, i) => total(sums.map((amounts) => present(amounts[i], 'sum of an age'))))
  const nobody = rows.findIndex(({ key }) => key === null)
  return {
    ...{ side, amounts: columns.map(money), total: money(total(columns)) },
    parties: rows.map(({ key, name }, i) => ({
      partyId: key?.startsWith('id ') ? key.slice('id '.length) : null,
      party: key === null ? null : (name ?? key.slice('id '.length)),
      ...{ amounts: (sums[i] ?? []).map(money), total: money(total(sums[i] ?? [])) },
    })),
    withoutParty: money(total(sums[nobody] ?? [])),
    ...{ lines: Number(lines), dueDates: Number(due) },
    accounts: await agedAccounts(db, side, accounts, balances, money),
  }
}

/** Accounts with lines or a balance, held against the trial balance. */
async function agedAccounts(
  db: Database,
  side: AgeingSection['side'],
  accounts: readonly Account[],
  balances: ReadonlyMap<string, string>,
  money: (minor: bigint) => string,
): Promise<AgedAccount[]> {
  const found = await db.rows<{ account: string; linked: boolean; aged: string }>(
    `SELECT account, linked, coalesce(sum(amount), 0)::VARCHAR AS aged FROM linked LEFT JOIN open_line USING (account) GROUP BY ALL`,
  )
  return accounts.flatMap(({ id, number, name }): AgedAccount[] => {
    const row = found.find(({ account }) => account === id)
    const stated = minorOfText(balances.get(id) ?? '0')
    const balance = side === 'payables' ? -stated : stated
    const aged = BigInt(row?.aged ?? '0')
    if (row === undefined && balance === 0n) return []
    const by = row?.linked ? 'items' : 'movements'
    return [
      { id, number, name, by, balance: money(balance), aged: money(aged), difference: money(balance - aged) },
    ]
  })
}
