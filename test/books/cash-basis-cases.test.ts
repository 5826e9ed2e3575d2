/**
 * The cash basis of money, documents and links of every kind (cash-basis-cases.yaml), against figures worked by hand. All stand in one
 * company, each in months of its own; those of open items in another. What a later export adds changes nothing before its documents.
 */
import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { type CashDifferences, cashDifferences } from '../../builder/books/cash-basis/published.ts'
import { NEWEST_RULES } from '../../builder/books/post/accounting-rules.ts'
import { readBooks } from '../../builder/books/store/store.ts'
import { monthText } from '../../builder/contract/calendar.ts'
import { suite } from '../suite.ts'
import { type Built, buildWith, CHART, codes, companyYaml } from '../support/workspace.ts'

const test = suite('cash-basis-cases')

interface Case {
  readonly is: string
  readonly lines: string
  readonly right: string
  readonly told?: string
  readonly restates?: number
}
const groups = parse(readFileSync(new URL('cash-basis-cases.yaml', import.meta.url), 'utf8')) as Record<
  string,
  readonly Case[]
>
/** Each case after the one before: its months are counted from `start`, and it has `span` of them. */
const placed = (cases: readonly (Case & { readonly name: string })[]) => {
  let next = 2000 * 12 - 1
  return cases.map((each) => {
    const start = next
    const span = Math.max(...[...each.lines.matchAll(/ (\d+): /g)].map(([, month]) => Number(month)))
    next += span
    return { ...each, start, span }
  })
}
type Placed = ReturnType<typeof placed>[number]
const ROWS = {
  ProfitAndLoss:
    'sales returns rent bankfee baddebt fx depreciation unapplied-receipts unapplied-payments opening-receivables-collected'.split(
      ' ',
    ),
  BalanceSheet: 'debtors creditors vat plant'.split(' '),
} as const
const TAGS = ['north', 'south']

/** The ledger of these cases, as an export made in month `until` of each would have it. */
function ledgerOf(cases: readonly Placed[], link: 'settles' | 'open_item', until: number): string {
  const entries = cases.flatMap(({ lines, start }, i) =>
    lines.split('; ').flatMap((entry) => {
      const [, id, month, all] = /^(\w+) (\d+): (.*)$/.exec(entry)!
      if (Number(month) > until) return []
      const date = `${monthText(start + Number(month))}-10`
      return all!.split(', ').map((line) => {
        const [, account, amount, tag = '', to = ''] = /^(\S+) (\S+)(?: @(\S+))?(?: >(\S+))?$/.exec(line)!
        return [`${i}/${id}`, date, account, amount, tag, to === 'ob' || to === '' ? to : `${i}/${to}`].join(
          ',',
        )
      })
    }),
  )
  const opening = ['bank,400,north', 'bank,500,south', 'debtors,100,', 'capital,-1000,'].map(
    (line) => `ob,2000-01-01,${line},`,
  )
  return `transaction_id,date,account,amount,class,${link}\n${[...opening, ...entries].join('\n')}\n`
}

type Moves = ReadonlyMap<string, number>

/** What moves on the cash basis: cents by row, member and month. */
function movesOf(built: Built): Moves {
  const moves = new Map<string, number>()
  for (const [name, accounts] of Object.entries(ROWS))
    for (const tag of ['', ...(name === 'ProfitAndLoss' ? TAGS : [])]) {
      const statement = built.statement(name as keyof typeof ROWS, {
        basis: 'CASH',
        ...(tag && { classId: tag }),
      })
      for (const account of accounts)
        for (const [at, month] of statement.months.entries()) {
          const cents = (i: number) => Math.round(Number(statement.rows[account]?.[i] ?? 0) * 100)
          const moved = cents(at) - (name === 'BalanceSheet' && at > 0 ? cents(at - 1) : 0)
          if (moved !== 0) moves.set(`${account}${tag && `@${tag}`} ${month}`, moved)
        }
    }
  return moves
}

/** The moves of a case inside all of them, as they are written: those of members stand for the whole. */
function written(moves: Moves, { start, span }: Placed, until = span): string {
  const months = Array.from({ length: Math.min(span, until) }, (_, n) => n + 1)
  const rows = Object.values(ROWS).flatMap((accounts) =>
    accounts.flatMap((account) => {
      const members = TAGS.map((tag) => `${account}@${tag}`).filter((row) =>
        months.some((n) => moves.has(`${row} ${monthText(start + n)}`)),
      )
      return (members.length === 0 ? [account] : members).flatMap((row) => {
        const figures = months.flatMap((n) => {
          const cents = moves.get(`${row} ${monthText(start + n)}`)
          return cents === undefined ? [] : [`${n}:${cents / 100}`]
        })
        return figures.length === 0 ? [] : [`${row} ${figures.join(' ')}`]
      })
    }),
  )
  return rows.sort().join('; ')
}

const sorted = (figures: string): string =>
  figures
    .split('; ')
    .map((row) => row.replace(/\.(\d)0\b/g, '.$1'))
    .sort()
    .join('; ')

/** What verification finds where it derives the cash basis of published books again. */
async function differencesIn(folder: string): Promise<CashDifferences | null> {
  let found: CashDifferences | null = null
  const { db } = await readBooks(folder, {}, async (own, frame) => {
    found = await cashDifferences(own, folder, frame, NEWEST_RULES, false)
  })
  db.close()
  return found
}

for (const [link, isOwn] of [
  ['settles', (group: string) => group !== 'open items'],
  ['open_item', (group: string) => group === 'open items'],
] as const) {
  const cases = placed(
    Object.entries(groups).flatMap(([group, own]) =>
      isOwn(group) ? own.map((each) => ({ ...each, name: `${group}: ${each.is}` })) : [],
    ),
  )
  const published = (until: number, look: (moves: Moves) => void | Promise<void>) =>
    buildWith(
      {
        'company.yaml': companyYaml(
          'classes: classes.csv\nopening: { transactions: [ob] }\ncashBasis: { maxUnlinked: 5000 }\n',
        ),
        'chart.csv': `${CHART}vat,2100,Sales tax,Liability,SalesTax\nbankfee,6200,Charges,Expense,Expense
baddebt,6300,Bad debts,Expense,Expense\nfx,8100,Exchange,OtherIncome,OtherIncome\n`,
        'classes.csv': 'id,name\nnorth,North\nsouth,South\n',
        'ledger.csv': ledgerOf(cases, link, until),
      },
      async (built) => {
        assert.is(built.result.outcome, 'published', JSON.stringify(built.result.findings))
        const broken = built.result.tieOuts.filter(({ LargestDifference }) => LargestDifference !== '0.00')
        assert.equal(broken, [])
        assert.ok(codes(built.result.findings).includes('cash-basis-unapplied'))
        assert.equal(await differencesIn(built.path('books')), { postings: [], openings: [] })
        return look(movesOf(built))
      },
    )

  test(`what money is on the cash basis, by ${link}; a later export changes nothing before its documents`, async () => {
    await published(Number.POSITIVE_INFINITY, async (all) => {
      const wrong = cases.flatMap((each) => {
        const found = written(all, each)
        const told = sorted(each.told ?? each.right)
        return found === told ? [] : [`${each.name}: ${found}, not ${told}`]
      })
      assert.is(wrong.join('\n'), '')
      for (const until of [1, 2])
        await published(until, (early) => {
          const restated = cases.flatMap((each) => {
            const [before, after] = [early, all].map((moves) => written(moves, each, until))
            return (before !== after) === until < (each.restates ?? 0)
              ? []
              : [`${each.name}, until ${until}: ${before}, then ${after}`]
          })
          assert.is(restated.join('\n'), '')
        })
    })
  })
}
