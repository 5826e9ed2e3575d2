/**
 * Random small companies against plain arithmetic (test/support/oracle.ts): every statement under every filter, whole
 * months and any days, published and ad hoc. A counterexample is shrunk to the few lines that matter.
 */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { createTotals, Days } from '../../builder/books/read/days.ts'
import { sliceStatement } from '../../builder/contract/slice.ts'
import { STATEMENTS, type StatementName } from '../../builder/contract/vocabulary.ts'
import { answerStatement } from '../../builder/statements/answer.ts'
import { seed, times } from '../seed.ts'
import { suite } from '../suite.ts'
import {
  type Answer,
  centsText,
  daysIn,
  type Filter,
  type Line,
  monthsOf,
  oracle,
  type Span,
  selects,
  type World,
} from '../support/oracle.ts'
import {
  type Built,
  buildWith,
  companyYaml,
  type Files,
  type Read,
  readStatement,
  scopeOf,
} from '../support/workspace.ts'

const test = suite('random companies')

const ACCOUNTS = {
  bank: { section: 'Asset', cash: 'Cash', type: 'Bank' },
  overdraft: { section: 'Liability', cash: 'Cash', type: 'Bank' },
  debtors: { section: 'Asset', cash: 'Operating', type: 'AccountsReceivable' },
  deposit: { section: 'Asset', cash: null, type: '' },
  plant: { section: 'Asset', cash: 'Investing', type: 'FixedAsset' },
  plantdep: { section: 'Asset', cash: 'Operating', type: 'AccumulatedDepreciation' },
  loan: { section: 'Liability', cash: 'Financing', type: 'LongTermLiability' },
  capital: { section: 'Equity', cash: 'Financing', type: 'Capital' },
  drawings: { section: 'Equity', cash: 'Financing', type: 'Drawings' },
  sales: { section: 'Income', cash: null, type: 'Sales' },
  cogs: { section: 'CostOfSales', cash: null, type: 'CostOfSales' },
  rent: { section: 'Expense', cash: null, type: 'Expense' },
  charge: { section: 'Expense', cash: null, type: 'Depreciation' },
  gain: { section: 'OtherIncome', cash: null, type: 'OtherIncome' },
  tax: { section: 'OtherExpense', cash: null, type: 'IncomeTax' },
} as const
type Id = keyof typeof ACCOUNTS
const IDS = Object.keys(ACCOUNTS) as Id[]
/** What entries about assets and their finance touch. */
const ASSETS: readonly Id[] = [
  'bank',
  'plant',
  'plantdep',
  'charge',
  'gain',
  'rent',
  'loan',
  'capital',
  'debtors',
]
const DISPOSALS: readonly Id[] = ['gain']
const RESULTS: readonly Id[] = ['sales', 'cogs', 'rent', 'gain', 'tax']
const EQUITY: readonly Id[] = ['capital', 'drawings']

const CLASSES = { north: null, oslo: 'north', bergen: 'north', harbour: 'bergen', south: null } as const
const DEPARTMENTS = { shop: null, web: 'shop', stock: null } as const

/** Lists of fiscal years, with the settings of company.yaml that bring them about. */
const CALENDARS: readonly { readonly years: World['years']; readonly yaml: string }[] = [
  {
    years: [
      ['2023-01-01', '2023-12-31'],
      ['2024-01-01', '2024-12-31'],
    ],
    yaml: 'fiscalMonthEnd: 12',
  },
  {
    years: [
      ['2023-03-01', '2024-02-29'],
      ['2024-03-01', '2025-02-28'],
    ],
    yaml: 'fiscalMonthEnd: 2',
  },
  {
    years: [
      ['2023-11-10', '2024-01-31'],
      ['2024-02-01', '2025-02-28'],
    ],
    yaml: 'fiscalMonthEnd: 2\nfiscalYears: [{ start: 2023-11-10, end: 2024-01-31 }, { start: 2024-02-01, end: 2025-02-28 }]',
  },
]

/** Years that begin on any day: up to three of them cut months, or the same one. */
const anyYears: fc.Arbitrary<(typeof CALENDARS)[number]> = fc
  .uniqueArray(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 3 })
  .map((days) => {
    const starts = ['2023-11-10', ...days.sort((a, b) => a - b).map((day) => plusDays('2023-11-10', 2 * day))]
    const years = starts.map(
      (start, i): Span => [start, i + 1 < starts.length ? plusDays(starts[i + 1]!, -1) : '2024-12-31'],
    )
    const list = years.map(([start, end]) => `{ start: ${start}, end: ${end} }`).join(', ')
    return { years, yaml: `fiscalMonthEnd: 12\nfiscalYears: [${list}]` }
  })
/** Days on which entries may lie: from within the first year of each calendar to within the second. */
const MONTHS = ['2023-11', '2023-12', '2024-01', '2024-02', '2024-03'] as const

interface Company {
  readonly world: World
  readonly files: Files
  readonly coverage: Span
}

const plusDays = (from: string, days: number): string =>
  new Date(Date.parse(`${from}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
const date = (month: string, day: number): string => {
  const last = daysIn(Number(month.slice(0, 4)), Number(month.slice(5)))
  return `${month}-${String(Math.min(day, last)).padStart(2, '0')}`
}
const tag = <T extends object>(members: T) =>
  fc.constantFrom<(keyof T & string) | null>(null, ...(Object.keys(members) as (keyof T & string)[]))
const cents = fc
  .oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -1_000_000, max: 1_000_000 }))
  .map(BigInt)
// The first year of one calendar begins on the 10th.
const day = fc.integer({ min: 10, max: 31 })
const line = (accounts: readonly Id[]) =>
  fc.record({
    account: fc.constantFrom(...accounts),
    amount: cents,
    class: tag(CLASSES),
    department: tag(DEPARTMENTS),
    day,
  })

/** Lines that sum to zero: the last one takes what the others leave. */
const entry = (accounts: readonly Id[]) =>
  fc.tuple(
    fc.constantFrom(...MONTHS),
    fc.array(line(accounts), { minLength: 1, maxLength: 3 }),
    line(accounts),
  )

const company: fc.Arbitrary<Company> = fc
  .record({
    calendar: fc.oneof(fc.constantFrom(...CALENDARS), anyYears),
    entries: fc.array(
      fc.oneof(
        { weight: 4, arbitrary: entry(IDS) },
        { weight: 4, arbitrary: entry(ASSETS) },
        { weight: 1, arbitrary: entry(EQUITY) },
      ),
      {
        minLength: 1,
        maxLength: 8,
      },
    ),
    closings: fc.array(
      fc.record({
        lines: fc.array(line(RESULTS), { minLength: 1, maxLength: 3 }),
        counterpart: line(EQUITY),
        atYearEnd: fc.boolean(),
        month: fc.constantFrom(...MONTHS),
      }),
      { maxLength: 2 },
    ),
    opening: fc.option(fc.array(line(IDS), { minLength: 1, maxLength: 4 })),
    lock: fc.option(fc.constantFrom('2024-01-15', '2024-05-31')),
  })
  .map(({ calendar, entries, closings, opening, lock: wished }) => {
    const { years, yaml } = calendar
    const lines: Line[] = []
    const add = (
      tx: string,
      mark: Line['mark'],
      on: string | ((day: number) => string),
      parts: { account: Id; amount: bigint; class: string | null; department: string | null; day: number }[],
    ) => {
      const rest = -parts.slice(0, -1).reduce((total, { amount }) => total + amount, 0n)
      for (const [i, { account, amount, class: cls, department, day: d }] of parts.entries())
        lines.push({
          tx,
          mark,
          date: typeof on === 'string' ? on : on(d),
          account,
          amount: i === parts.length - 1 ? rest : amount,
          class: cls,
          department,
        })
    }
    for (const [i, [month, parts, last]] of entries.entries())
      add(`e${i}`, null, (d) => date(month, d), [...parts, last])
    for (const [i, { lines: parts, counterpart, atYearEnd, month }] of closings.entries())
      add(`c${i}`, 'closing', atYearEnd ? years[0]![1] : date(month, 15), [...parts, counterpart])
    // The year that the opening opens is the first one that has entries.
    const first = lines.map((each) => each.date).sort()[0]!
    const covered = years.filter(([, end]) => end >= first)
    if (opening)
      add('opening', 'opening', covered[0]![0], [...opening, { ...opening[0]!, account: 'capital' }])
    const posted = lines
      .map((each) => each.date)
      .sort()
      .at(-1)!
    // A lock date after the last year with postings is refused.
    const lastYear = covered.find(([, end]) => end >= posted)
    const lock = wished !== null && wished <= (lastYear?.[1] ?? posted) ? wished : null
    const last = lock !== null && lock > posted ? lock : posted
    const [start] = covered[0]!
    const end = monthsOf([last, `${last.slice(0, 7)}-31`])[0]![1]
    return {
      world: {
        accounts: ACCOUNTS,
        classes: CLASSES,
        departments: DEPARTMENTS,
        years: covered,
        lines,
        disposals: DISPOSALS,
      },
      coverage: [`${start.slice(0, 7)}-01`, end] as const,
      files: {
        'company.yaml': companyYaml(
          `${yaml}\nclasses: classes.csv\ndepartments: departments.csv\nopening: { transactions: [opening] }\nclosing: { references: [CLOSE] }\ndisposals: { gainsAndLosses: [${DISPOSALS.join(', ')}] }\n${lock ? `lockDate: ${lock}` : ''}`,
        ),
        'chart.csv': `id,name,classification,type\n${IDS.map((id) => `${id},${id},${ACCOUNTS[id].section},${ACCOUNTS[id].type}`).join('\n')}\n`,
        'classes.csv': membersCsv(CLASSES),
        'departments.csv': membersCsv(DEPARTMENTS),
        'ledger.csv': `transaction_id,date,account,amount,class,department,reference\n${lines
          .map((each) =>
            [
              each.tx,
              each.date,
              each.account,
              centsText(each.amount),
              each.class ?? '',
              each.department ?? '',
              each.mark === 'closing' ? 'CLOSE' : '',
            ].join(','),
          )
          .join('\n')}\n`,
      },
    }
  })

const membersCsv = (members: Readonly<Record<string, string | null>>): string =>
  `id,name,parent\n${Object.entries(members)
    .map(([id, parent]) => `${id},${id},${parent ?? ''}`)
    .join('\n')}\n`

const FILTERS: readonly Filter[] = [null, ...Object.keys(CLASSES), 'unassigned'].flatMap((classId) =>
  [null, ...Object.keys(DEPARTMENTS), 'unassigned'].map((departmentId) => ({ classId, departmentId })),
)

/** Every figure as text; rows that are zero throughout are not there. */
function expected({ rows, totals }: Answer) {
  const texts = (figures: Answer['rows']) =>
    Object.fromEntries(Object.entries(figures).map(([id, values]) => [id, values.map(centsText)]))
  return {
    rows: texts(
      Object.fromEntries(Object.entries(rows).filter(([, values]) => values.some((value) => value !== 0n))),
    ),
    totals: texts(totals),
  }
}
const sorted = (figures: Read['rows']) =>
  Object.fromEntries(Object.entries(figures).sort(([a], [b]) => (a < b ? -1 : 1)))

function agrees(actual: Read, answer: Answer, what: string): void {
  const wanted = expected(answer)
  assert.equal(actual.totals, wanted.totals, what)
  assert.equal(sorted(actual.rows), sorted(wanted.rows), what)
}

const name = (statement: string, filter: Filter, range: Span) =>
  `${statement} ${filter.classId}/${filter.departmentId} ${range.join(' to ')}`

function publishedAgrees({ world, coverage }: Company, built: Built): void {
  for (const filter of FILTERS) {
    const hasLines = world.lines.some((each) => selects(world, each, filter))
    for (const statement of STATEMENTS) {
      let read: Read | null = null
      try {
        read = built.statement(statement, filter)
      } catch (problem) {
        if ((problem as NodeJS.ErrnoException).code !== 'ENOENT') throw problem
      }
      assert.is(read !== null, hasLines, `a file for ${name(statement, filter, coverage)}`)
      if (read) agrees(read, oracle(world, statement, filter, coverage), name(statement, filter, coverage))
    }
  }
}

test('every published statement is the sum of its ledger lines', async () => {
  await fc.assert(
    fc.asyncProperty(company, (made) =>
      buildWith(made.files, (built) => {
        if (built.result.snapshotId === null)
          assert.unreachable(JSON.stringify(built.result.findings, null, 1))
        publishedAgrees(made, built)
      }),
    ),
    { seed, numRuns: times(8), interruptAfterTimeLimit: 30_000 },
  )
})

const question = fc.record({
  statement: fc.constantFrom<StatementName>(...STATEMENTS),
  filter: fc.constantFrom(...FILTERS),
  bounds: fc.tuple(fc.integer({ min: -10, max: 500 }), fc.integer({ min: -10, max: 500 })),
})

test('any range of days, answered ad hoc, is the sum of its ledger lines; whole months are the published bytes', async () => {
  await fc.assert(
    fc.asyncProperty(company, fc.array(question, { minLength: 40, maxLength: 40 }), (made, questions) =>
      buildWith(made.files, async (built) => {
        const books = await built.books()
        await createTotals(books.db)
        const large = { ...books, days: new Days(Number.POSITIVE_INFINITY) }
        const { world, coverage } = made
        const [first, last] = coverage
        for (const { statement, filter, bounds } of questions) {
          const scope = scopeOf(statement, filter)
          const [from, to] = bounds.map((days) => plusDays(first, days)).sort() as [string, string]
          const inside: Span = [from < first ? first : from, to > last ? last : to]
          const text = await answerStatement(books, scope, { startDate: from, endDate: to })
          const what = name(statement, filter, [from, to])
          assert.is(await answerStatement(large, scope, { startDate: from, endDate: to }), text, what)
          if (inside[0] > inside[1]) assert.equal(readStatement(text).months, [], what)
          else agrees(readStatement(text), oracle(world, statement, filter, inside), what)

          const months: Span = [
            `${inside[0].slice(0, 7)}-01`,
            monthsOf([inside[1], `${inside[1].slice(0, 7)}-31`])[0]![1],
          ]
          if (inside[0] > inside[1] || !world.lines.some((each) => selects(world, each, filter))) continue
          const range = { startDate: months[0], endDate: months[1] }
          assert.fixture(
            await answerStatement(books, scope, range),
            sliceStatement(Buffer.from(built.statement(statement, filter).text), range).toString(),
            what,
          )
        }
      }),
    ),
    { seed, numRuns: times(5), interruptAfterTimeLimit: 30_000 },
  )
})
