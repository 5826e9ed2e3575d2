/**
 * Eliminates what members have with each other: of two accounts that are one matter, the amount on which both agree. What differs is a
 * finding, and stays in the figures until it is booked.
 */

import { Readable } from 'node:stream'
import { PAIR, TRANSLATION } from '../../books/post/postings.ts'
import { accountLabel } from '../../books/reference/frame.ts'
import { lastDay, monthOf, monthText } from '../../contract/calendar.ts'
import { displayMinor, formatInteger } from '../../contract/currency.ts'
import { isProfitAndLoss } from '../../contract/vocabulary.ts'
import { type Database, quoted } from '../../database/database.ts'
import { type FormatContent, NO_CONTENT } from '../../ingest/format/content.ts'
import type { OpeningRow, SourceRecord } from '../../ingest/format/intake.ts'
import { accountKeys } from '../../ingest/format/keys.ts'
import { csvCell } from '../../ingest/text/csv.ts'
import type { Scratch } from '../../ingest/text/scan.ts'
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import { ELIMINATIONS, type Group, groupFiles } from '../../workspace/group.ts'
import type { AccountMap } from './accounts.ts'
import { type GroupFrame, planOf } from './lines.ts'
import type { DatedMember, Span } from './members.ts'
import { type GroupRow, noAccount, noMember, readGroupTable } from './tables.ts'

/** One side of a pair. */
interface Side {
  /** The place of the member among those that were opened. */
  readonly member: number
  /** The id of its account. */
  readonly own: string
  /** Both, for people. */
  readonly label: string
}

interface Pair {
  readonly file: string
  readonly row: number
  readonly sides: readonly [Side, Side]
  /** The days on which both members belong to the group. */
  readonly days: Span
  /** Whether one of them leaves at the end of these days. */
  readonly ends: boolean
}

export interface Pairs {
  readonly pairs: readonly Pair[]
  readonly sources: readonly SourceRecord[]
  readonly findings: readonly Finding[]
}

/** Reads which accounts of members are one matter. */
export async function readPairs(
  folder: string,
  group: Group,
  members: readonly DatedMember[],
): Promise<Pairs> {
  const named = groupFiles(group).find(({ key }) => key === 'group.intercompany')
  if (named === undefined) return { pairs: [], sources: [], findings: [] }
  const { rows, sources, findings } = await readGroupTable(folder, named, 'intercompany')
  const mistakes: Finding[] = [...findings]
  const side = (
    member: GroupRow<'intercompany'>['member'],
    account: GroupRow<'intercompany'>['account'],
  ): Side | null => {
    const at = members.findIndex(({ id }) => id === member.text)
    const { frame } = members[at] ?? {}
    if (frame === undefined) {
      if (!group.members.some(({ company }) => company === member.text))
        mistakes.push(noMember(member, group))
      return null
    }
    const own = accountKeys(frame.accounts).get(account.text)
    const found = frame.accounts.find(({ id }) => id === own)
    if (found === undefined) {
      mistakes.push(noAccount(account, member.text))
      return null
    }
    return { member: at, own: found.id, label: `${member.text} ${accountLabel(found)}` }
  }
  const pairs = rows.flatMap((row): Pair[] => {
    const [one, other] = [side(row.member, row.account), side(row.with_member, row.with_account)]
    if (one === null || other === null) return []
    const of = [one, other].flatMap(({ member }) => members[member] ?? [])
    const from = of.map(({ days }) => days.from).reduce((a, b) => (a > b ? a : b))
    const until = of.map(({ days }) => days.until).reduce((a, b) => (a < b ? a : b))
    if (from > until) return []
    const ends = of.some(({ setting }) => setting.to === until)
    return [{ file: row.member.file, row: row.member.row, sides: [one, other], days: { from, until }, ends }]
  })
  // Its lines are lines of the group's ledger.
  const ledger = sources.map(
    (source): SourceRecord => ({ ...source, role: 'ledger', format: 'intercompany' }),
  )
  return { pairs, sources: ledger, findings: mistakes }
}

const COLUMNS = ['row', 'transaction_id', 'date', 'account', 'amount', 'class', 'type', 'memo'] as const

/** The entries that eliminate the pairs, in a class of their own: of income and expenses by month, of balances at each month's end. */
export async function eliminate(
  db: Database,
  pairs: readonly Pair[],
  maps: readonly AccountMap[],
  frame: GroupFrame,
  scratch: Scratch,
): Promise<FormatContent> {
  const lines: string[] = []
  const openings: OpeningRow[] = []
  const findings: Finding[] = []
  for (const pair of pairs) {
    const [accounts] = accountsOf(pair, maps)
    // An account without any figure needs no account of the group, and has nothing to eliminate.
    if (accounts === undefined) continue
    const areResults = accounts.map((to) => {
      const kind = frame.chart.find(({ id }) => id === to)?.classification
      return kind !== undefined && isProfitAndLoss(kind)
    })
    if (areResults[0] !== areResults[1]) {
      findings.push(ofTwoKinds(pair))
      continue
    }
    const states = await statesOf(db, pair, areResults[0] === true)
    const entry = entriesOf(pair, accounts, frame)
    // Results are eliminated month by month, balances by what changes in them. What members bring and take is no cash flow.
    for (const [i, { month, agreed }] of states.entries())
      if (month !== null)
        lines.push(
          ...entry.lines(
            monthText(month),
            lastDay(month),
            areResults[0] ? agreed : agreed - (states[i - 1]?.agreed ?? 0n),
          ),
        )
      else if (pair.days.from === frame.span.from) openings.push(...entry.opening(agreed))
      else lines.push(...entry.lines('joining', pair.days.from, agreed, TRANSLATION))
    if (pair.ends && !areResults[0])
      lines.push(...entry.lines('leaving', pair.days.until, -(states.at(-1)?.agreed ?? 0n), TRANSLATION))
    findings.push(...differences(pair, states, frame))
  }
  const path = await scratch.written(Readable.from([`${COLUMNS.join(',')}\n`, ...lines]))
  const ledger = pairs[0] === undefined || lines.length === 0 ? [] : [planOf(pairs[0].file, path, COLUMNS)]
  return { ...NO_CONTENT, ledger, openings, findings }
}

/** The accounts of the group that the sides of a pair are; none where one of them has no figure. */
export function accountsOf({ sides }: Pair, maps: readonly AccountMap[]): (readonly [string, string])[] {
  const [one, other] = sides.map(({ member, own }) => maps[member]?.get(own))
  return one === undefined || other === undefined ? [] : [[one, other]]
}

/** What both sides state of a month, or before the first month of both (null), and the part of the first side that the second states too. */
interface State {
  readonly month: number | null
  readonly sides: readonly [bigint, bigint]
  readonly agreed: bigint
}

async function statesOf(db: Database, pair: Pair, areResults: boolean): Promise<State[]> {
  const [a, b] = [await sumsOf(db, pair.sides[0]), await sumsOf(db, pair.sides[1])]
  const first = monthOf(pair.days.from)
  const at = (sums: ReadonlyMap<number, bigint>, month: number | null) =>
    areResults ? (month === null ? 0n : (sums.get(month) ?? 0n)) : balanceAt(sums, month ?? first - 1)
  const months = Array.from({ length: monthOf(pair.days.until) - first + 1 }, (_, i) => first + i)
  return [null, ...months].map((month) => {
    const sides = [at(a, month), at(b, month)] as const
    return { month, sides, agreed: agreedOn(...sides) }
  })
}

/** Makes the lines that take an amount out of the first account and its counterpart out of the second. */
function entriesOf({ file, row, sides }: Pair, accounts: readonly [string, string], frame: GroupFrame) {
  const amounts = (agreed: bigint) =>
    [-agreed, agreed].map((minor, i) => ({
      account: accounts[i] ?? '',
      amount: formatInteger(String(minor), frame.decimals),
    }))
  const memo = csvCell(`${sides[0].label} with ${sides[1].label}`)
  return {
    opening: (agreed: bigint): OpeningRow[] =>
      agreed === 0n
        ? []
        : amounts(agreed).map((each) => ({
            ...{ ...each, class: ELIMINATIONS, department: null, yearStart: frame.span.from },
            ...{ basis: null, file, row },
          })),
    lines: (name: string, day: string, moved: bigint, type: string = PAIR): string[] =>
      moved === 0n
        ? []
        : amounts(moved).map(
            ({ account, amount }) =>
              `${row},${ELIMINATIONS} ${row} ${name},${day},${csvCell(account)},${amount},${ELIMINATIONS},${type},${memo}\n`,
          ),
  }
}

const ofTwoKinds = ({ file, row, sides }: Pair): Finding =>
  error(
    'intercompany-kinds',
    `${sides[0].label} and ${sides[1].label}: one is in profit and loss, the other on the balance sheet`,
    { file, row, remedy: 'name two accounts that state one matter from both sides' },
  )

function differences(
  { file, row, sides }: Pair,
  states: readonly State[],
  { decimals }: GroupFrame,
): Finding[] {
  const differing = states.filter((state) => state.sides[0] + state.sides[1] !== 0n)
  const [first, ...others] = differing
  if (first === undefined) return []
  const [a, b] = first.sides
  const money = (minor: bigint) => displayMinor(minor, decimals)
  const when = first.month === null ? 'before the first month' : `in ${monthText(first.month)}`
  return [
    warning(
      'intercompany-difference',
      `${sides[0].label} and ${sides[1].label} do not agree: ${when} ${money(a)} and ${money(b)}, ${money(a + b)} apart${others.length === 0 ? '' : `; and so in ${others.length} later ${others.length === 1 ? 'month' : 'months'}`}`,
      {
        ...{ file, row },
        remedy:
          'book what is missing in one of them: what both agree on is eliminated, and the difference stays in the figures',
      },
    ),
  ]
}

/** The key of the balance before the first month. */
const OPENING = -1

/**
 * Creates the table `paired_<i>` (own, month, amount): what accounts of a member move by month, in minor units of the group. It is made
 * before the member joins and leaves: what it brings and takes is nothing that the other side states.
 */
export const createPaired = (db: Database, i: number): Promise<void> =>
  db.run(`
    CREATE TABLE paired_${i} AS
    SELECT own, month, sum(amount) AS amount FROM moved_${i} GROUP BY ALL
    UNION ALL SELECT own, ${OPENING}, sum(amount) FROM opening_${i} GROUP BY ALL`)

async function sumsOf(db: Database, { member, own }: Side): Promise<ReadonlyMap<number, bigint>> {
  const rows = await db.rows<{ month: number; amount: string }>(
    `SELECT month, amount::VARCHAR AS amount FROM paired_${member} WHERE own = ${quoted(own)}`,
  )
  return new Map(rows.map(({ month, amount }) => [month, BigInt(amount)]))
}

const balanceAt = (sums: ReadonlyMap<number, bigint>, month: number): bigint =>
  [...sums].reduce((sum, [at, amount]) => (at <= month ? sum + amount : sum), 0n)

/** The amount of the first side that the second side states too, on its own side of the books. */
function agreedOn(a: bigint, b: bigint): bigint {
  if (a > 0n === b > 0n || a === 0n || b === 0n) return 0n
  const [size, other] = [a < 0n ? -a : a, b < 0n ? -b : b]
  const least = size < other ? size : other
  return a < 0n ? -least : least
}
