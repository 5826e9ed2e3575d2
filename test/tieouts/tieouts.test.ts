/** The tie-outs fail closed: change any one figure by a cent, in any statement under any filter, and nothing is published. */

import * as assert from 'uvu/assert'
import type { Books } from '../../builder/books/books.ts'
import { yearStretches } from '../../builder/books/reference/fiscal.ts'
import { filtersOf } from '../../builder/books/reference/tree.ts'
import { readMonthlySums, stretchSums } from '../../builder/books/sums/monthly-sums.ts'
import { periodsOf } from '../../builder/contract/calendar.ts'
import type { Figures, Period } from '../../builder/contract/document.ts'
import { STATEMENTS, type StatementName } from '../../builder/contract/vocabulary.ts'
import type { Manifest } from '../../builder/snapshot/files/manifest.ts'
import { type ComposedStatements, Composer } from '../../builder/statements/compose.ts'
import { type Slice, Slicer, type SliceScope, slicesOfClass } from '../../builder/statements/slice.ts'
import { SPECS } from '../../builder/statements/specs.ts'
import { COMPLETE, postedMonths } from '../../builder/statements/tie-outs/posted.ts'
import { type TieOut, TieOuts } from '../../builder/statements/tie-outs/tieouts.ts'
import { type StatementBody, Totals } from '../../builder/statements/totals.ts'
import { suite } from '../suite.ts'
import { inBooks } from '../support/books.ts'
import { buildWith, CHART, companyYaml, type Files, ledgerCsv } from '../support/workspace.ts'

const test = suite('tie-outs')

const FILES: Files = {
  'company.yaml': companyYaml(
    'classes: members.csv\ndepartments: members.csv\nopening: { transactions: [o] }\nclosing: { accounts: [tax] }\nfiscalMonthEnd: 1',
  ),
  'chart.csv': CHART,
  'members.csv': 'id,name,parent\na,A,\na1,A one,a\nb,B,\n',
  'ledger.csv': ledgerCsv(`o 2024-12-31 bank 50 a; o 2024-12-31 sales -20; o 2024-12-31 capital -30
    1 2025-01-05 bank 10 a1 b; 1 2025-01-05 sales -10 b b; 2 2025-01-06 rent 4 a; 2 2025-01-06 creditors -4 - a1
    3 2025-01-31 tax 6 a; 3 2025-01-31 retained -6; 4 2025-01-20 capital 2; 4 2025-01-20 drawings -2
    5 2025-02-03 plant 7 b b; 5 2025-02-03 bank -7; 6 2025-02-04 cogs 3; 6 2025-02-04 bank -3 a; 7 2025-02-05 gain -1; 7 2025-02-05 till 1 - a`),
}

interface Made {
  readonly scope: SliceScope
  readonly slice: Slice
  readonly statements: ComposedStatements
}

async function* slicesOf({ frame, db, openings }: Books) {
  const slicer = new Slicer(frame, periodsOf(frame.coverage))
  for (const basis of frame.bases) {
    const cells = await readMonthlySums(db, frame, openings, basis)
    for (const classId of filtersOf(frame.classes)) yield* slicesOfClass(frame, basis, cells, classId, slicer)
  }
}

const inSlices = <T>(files: Files, look: (books: Books, slices: readonly Made[]) => Promise<T>): Promise<T> =>
  inBooks(files, async (books) => {
    const slices: Made[] = []
    for await (const { scope, slice } of slicesOf(books))
      slices.push(
        // Both are sound until the next is made.
        structuredClone({ scope, slice, statements: new Composer(books.frame, slice.periods).all(slice) }),
      )
    return look(books, slices)
  })

async function verdict(books: Books, slices: readonly Made[]) {
  const tieOuts = new TieOuts(books.frame)
  for (const { scope, slice, statements } of slices)
    tieOuts.observe({ ...scope, budgetId: null }, slice, statements)
  return tieOuts.finish(await postedMonths(books))
}

const nudged = (values: Figures, p: number): Figures =>
  values.map((value, i) => (i === p ? value + 1 : value))

/** The statement with one figure off by a cent: row or total number `at`, period `p`. */
function tampered(body: StatementBody, part: 'rows' | 'summary', at: number, p: number): StatementBody {
  const change = <Row extends { readonly values: Figures }>(rows: readonly Row[]): Row[] =>
    rows.map((row, i) => (i === at ? { ...row, values: nudged(row.values, p) } : row))
  return part === 'rows' ? { ...body, rows: change(body.rows) } : { ...body, summary: change(body.summary) }
}

test('hold on sound books, on every scope and month', async () => {
  await inSlices(FILES, async (books, slices) => {
    const { tieOuts, findings } = await verdict(books, slices)
    assert.equal(findings, [])
    assert.ok(slices.length > 10)
    for (const { identity, checks, largestDifference } of tieOuts) {
      assert.ok(checks > 0, identity)
      assert.is(largestDifference, 0)
    }
    const scopes = (identity: string) => tieOuts.find((tieOut) => tieOut.identity === identity)!.scopes
    assert.is(scopes('assets = liabilities + equity'), slices.length)
    assert.is(scopes('trial balance sums to zero'), 1)
  })
})

const sorted = (tieOuts: readonly TieOut[]): string[] => tieOuts.map((each) => JSON.stringify(each)).sort()

test('parts that several sums absorb stay as they are, so that they can be absorbed again', async () => {
  await inSlices(FILES, async (books, slices) => {
    const posted = await postedMonths(books)
    const parts = filtersOf(books.frame.classes).map((id) => {
      const piece = new TieOuts(books.frame)
      for (const { scope, slice, statements } of slices)
        if (scope.classId === id) piece.observe({ ...scope, budgetId: null }, slice, statements)
      return piece.data()
    })
    const before = structuredClone(parts)
    const finish = (absorbed = parts) => {
      const whole = new TieOuts(books.frame)
      for (const part of absorbed) whole.absorb(part)
      return whole.finish(posted)
    }
    const { tieOuts, findings } = finish()
    assert.equal(findings, [])
    assert.equal(parts, before)
    assert.equal(finish().tieOuts, tieOuts)
    // In whichever order they come, they are what one pass finds.
    const one = sorted((await verdict(books, slices)).tieOuts)
    for (const each of [tieOuts, finish(parts.toReversed()).tieOuts]) assert.equal(sorted(each), one)
  })
})

test('fail for any figure that is off by a cent', async () => {
  await inSlices(FILES, async (books, slices) => {
    const missed: string[] = []
    for (const [n, { scope, slice, statements }] of slices.entries())
      for (const statement of STATEMENTS)
        for (const part of ['rows', 'summary'] as const)
          for (const at of statements[statement][part].keys()) {
            const p = (at + n) % slice.periods.length
            const changed = withStatement(statements, statement, tampered(statements[statement], part, at, p))
            const { findings } = await verdict(books, slices.with(n, { scope, slice, statements: changed }))
            const { accountId, name } = statements[statement][part][at] as {
              accountId?: string
              name?: string
            }
            if (findings.length === 0)
              missed.push(`${statement} ${scope.classId}/${scope.departmentId} ${accountId ?? name} ${p}`)
          }
    assert.equal(missed, [])
  })
})

const WEEKS: Files = {
  ...FILES,
  'company.yaml': companyYaml(
    'fiscalYears: [{ start: 2024-01-01, end: 2024-12-28 }, { start: 2024-12-29, end: 2025-12-27 }]',
  ),
  'ledger.csv':
    ledgerCsv(`1 2024-11-15 bank 9; 1 2024-11-15 sales -9; 2 2024-12-20 bank 10; 2 2024-12-20 sales -10
    3 2024-12-30 rent 4; 3 2024-12-30 creditors -4; 4 2024-12-30 plant 7; 4 2024-12-30 bank -7; 5 2025-01-05 bank 1; 5 2025-01-05 gain -1`),
}

test('fail for any figure of a part of a month that is off by a cent', async () => {
  await inBooks(WEEKS, async ({ frame, db, openings }) => {
    const scope = { basis: 'ACCRUAL', budgetId: null, classId: null, departmentId: null } as const
    const { stretches, places } = yearStretches(frame)
    assert.is(places.length, 2)
    const made = async (periods: readonly Period[], sums?: string): Promise<Made> => {
      const cells = await readMonthlySums(db, frame, openings, 'ACCRUAL', sums)
      const [first] = slicesOfClass(frame, 'ACCRUAL', cells, null, new Slicer(frame, periods))
      const { slice } = structuredClone(first!)
      return structuredClone({ scope, slice, statements: new Composer(frame, periods).all(slice) })
    }
    const months = await made(periodsOf(frame.coverage))
    const parts = await made(stretches, stretchSums(frame, stretches))
    const verdict = (statements: ComposedStatements, slice = parts.slice) => {
      const tieOuts = new TieOuts(frame)
      tieOuts.observe(scope, months.slice, months.statements)
      tieOuts.observeDivided(scope, slice, statements)
      const whole = new TieOuts(frame)
      whole.absorb(tieOuts.data())
      return whole.finish(new Map([['ACCRUAL', []]])).findings
    }
    assert.equal(verdict(parts.statements), [])
    let changed = 0
    for (const statement of STATEMENTS)
      for (const part of ['rows', 'summary'] as const)
        for (const at of parts.statements[statement][part].keys())
          for (const p of places) {
            const body = tampered(parts.statements[statement], part, at, p)
            assert.ok(
              verdict(withStatement(parts.statements, statement, body)).length > 0,
              `${statement} ${part} ${at}`,
            )
            changed++
          }
    assert.ok(changed > 40)
    // Each stretch may be right by itself, and the books of another.
    const fewer = await made(
      stretches,
      stretchSums(frame, stretches).replace('FROM posting', "FROM posting WHERE day <> DATE '2024-12-30'"),
    )
    assert.match(verdict(fewer.statements, fewer.slice)[0]!.message, 'parts of a month add up to it')
  })
})

const withStatement = (
  statements: ComposedStatements,
  name: StatementName,
  body: StatementBody,
): ComposedStatements => ({
  ...statements,
  [name]: body,
})

/** As a composer would make it that knows nothing of an account: totals and cash are without it too. */
function without(body: StatementBody, statement: StatementName, id: string): StatementBody {
  const cash = (name: string) => body.summary.find((row) => row.name === name)?.values ?? new Float64Array()
  const totals = new Totals(
    SPECS[statement],
    body.summary[0]!.values.map(() => 0),
  )
  return totals.bodyOf(
    body.rows.filter(({ accountId }) => accountId !== id),
    { beginning: cash('BeginningCash'), ending: cash('EndingCash') },
  )
}

test('a composer that leaves an account out is caught by name, on each statement', async () => {
  await inSlices(FILES, async (books, slices) => {
    const whole = slices.find(({ scope }) => scope.classId === null && scope.departmentId === null)!
    let left = 0
    for (const statement of STATEMENTS)
      for (const { id } of books.frame.accounts) {
        const row = whole.statements[statement].rows.find(({ accountId }) => accountId === id)
        if (!row?.values.some((value) => value !== 0)) continue
        left++
        const made = slices.map(({ scope, slice, statements }) => ({
          scope,
          slice,
          statements: withStatement(statements, statement, without(statements[statement], statement, id)),
        }))
        const { tieOuts } = await verdict(books, made)
        const failed = tieOuts.filter(
          (tieOut) => tieOut.identity === COMPLETE && tieOut.largestDifference > 0,
        )
        assert.equal(
          failed.map((tieOut) => tieOut.statement),
          [statement],
          `${statement} without ${id}`,
        )
      }
    assert.is(left, 13)
  })
})

test('a failure names statement, filter, month, identity, both sides and the difference', async () => {
  await inSlices(FILES, async (books, slices) => {
    const n = slices.findIndex(({ scope }) => scope.classId === 'b' && scope.departmentId === null)
    const { scope, slice, statements } = slices[n]!
    const at = statements.BalanceSheet.summary.findIndex(({ name }) => name === 'TotalAssets')
    const changed = withStatement(
      statements,
      'BalanceSheet',
      tampered(statements.BalanceSheet, 'summary', at, slice.periods.length - 1),
    )
    const { findings } = await verdict(books, slices.with(n, { scope, slice, statements: changed }))
    assert.ok(findings.every(({ code, severity }) => code === 'tie-out-failed' && severity === 'error'))
    assert.match(
      findings.map(({ message }) => message).join('\n'),
      /BalanceSheet, ACCRUAL, class b, 2025-02: "assets = liabilities \+ equity" does not hold: \S+ against \S+, a difference of 0\.01/,
    )
  })
})

test('their results are part of the snapshot: every identity on every combination, both sides, difference', async () => {
  const entries = await buildWith(
    FILES,
    ({ read }) => (JSON.parse(read('tie-outs.json')) as { Data: Record<string, unknown>[] }).Data,
  )
  const sheets = entries.filter(({ Identity }) => Identity === 'assets = liabilities + equity')
  assert.ok(sheets.some(({ ClassId }) => ClassId === 'b'))
  assert.ok(sheets.some(({ ClassId, DepartmentId }) => ClassId === null && DepartmentId === null))
  for (const entry of entries) {
    assert.is(entry.Result, 'pass')
    assert.is(entry.Difference, '0.00')
    assert.is(entry.Left, entry.Right)
  }
})

test('of several budgets the manifest states the sides of the last one', async () => {
  const budget = (amount: number): string => `account,month,amount\nsales,2025-01,${amount}\n`
  const files = {
    ...FILES,
    'company.yaml': String(FILES['company.yaml']).replace(
      /$/,
      '\nbudgets: [{ id: one, name: One, files: one.csv }, { id: two, name: Two, files: two.csv }]\n',
    ),
    'one.csv': budget(700),
    'two.csv': budget(30),
  }
  await buildWith(files, ({ read }) => {
    const { TieOuts: all } = JSON.parse(read('manifest.json')) as Manifest
    const sums = all.find(({ Basis, Statement }) => Basis === 'BUDGET' && Statement === 'ProfitAndLoss')
    // Sales, and each of the totals that it is part of.
    assert.is(Number(sums!.Left) % 30, 0, sums!.Left)
    assert.is(Number(sums!.Left) % 700, Number(sums!.Left), 'nothing of the first budget')
    assert.is(sums!.Left, sums!.Right)
  })
})
