/**
 * Real SIE files, through init, add and build, against what the files say of themselves: every #UB, #RES and #PSALDO
 * is looked up in the published statements. The files are read here by a few lines that share nothing with the
 * importer. Skipped where the sample files are not at hand.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import type { StatementName } from '../../builder/contract/vocabulary.ts'
import { addCompany } from '../../builder/ingest/add/add.ts'
import { statementPath } from '../../builder/snapshot/files/layout.ts'
import { openSnapshot, type Snapshot } from '../../builder/snapshot/files/open.ts'
import { initWorkspace } from '../../builder/workspace/init.ts'
import { openWorkspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'

const SAMPLES = fileURLToPath(new URL('../../../shared/samples/sie/', import.meta.url))
const test = suite<{ root: string }>('real SIE files')
const check = existsSync(SAMPLES) ? test : test.skip
if (!existsSync(SAMPLES))
  process.stdout.write('the SIE sample files are not at hand: their tests are skipped\n')
test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), 'tieout-sie-'))
})

interface Stated {
  readonly account: string
  readonly month: string
  /** Dimension and object, or null for the whole account. */
  readonly object: readonly [string, string] | null
  /** Hundredths. */
  readonly amount: number
}

const hundredths = (text: string): number => Math.round(Number(text) * 100)

function statedIn(file: string, tag: string): Stated[] {
  const text = readFileSync(join(SAMPLES, file), 'latin1')
  const monthly = tag === '#PSALDO'
  const pattern = new RegExp(
    `^${tag}\\s+0\\s+${monthly ? '(\\d{6})\\s+' : ''}(\\d+)\\s+(?:\\{([^}]*)\\}\\s+)?(-?[\\d.]+)`,
    'gm',
  )
  return [...text.matchAll(pattern)].map((match) => {
    const [period, account, list, amount] = monthly ? match.slice(1) : ['', ...match.slice(1)]
    const object = /^\s*(\S+)\s+"?([^"\s}]+)"?\s*$/.exec(list ?? '')
    return {
      account: account!,
      month: period ? `${period.slice(0, 4)}-${period.slice(4)}` : '',
      object: object ? [object[1]!, object[2]!] : null,
      amount: hundredths(amount!),
    }
  })
}

async function published(root: string, file: string) {
  initWorkspace(join(root, 'ws'))
  const workspace = openWorkspace(join(root, 'ws'))
  const added = await addCompany(workspace, 'sample', [join(SAMPLES, file)])
  assert.equal(added.findings, [])
  assert.equal(added.questions, [], 'ready to build')
  const result = await build(workspace, 'sample', { publish: true })
  assert.equal(
    result.findings.filter((found) => found.severity === 'error'),
    [],
  )
  return { result, snapshot: await openSnapshot(workspace.snapshots, 'sample', result.snapshotId!) }
}

interface Row {
  readonly AccountId: string
  readonly Section: string
  readonly Values: readonly number[]
}

/** The published figures of one account: debit-positive hundredths by month, and whether it is a P&L account. */
async function figuresOf(snapshot: Snapshot, stated: Stated) {
  const filter = {
    classId: stated.object?.[0] === '6' ? stated.object[1] : null,
    departmentId: stated.object?.[0] === '1' ? stated.object[1] : null,
  }
  for (const statement of ['ProfitAndLoss', 'BalanceSheet'] as const satisfies readonly StatementName[]) {
    const path = statementPath({ statement, basis: 'ACCRUAL', budgetId: null, ...filter })
    if (!snapshot.has(path)) continue
    const document = JSON.parse((await snapshot.read(path)).toString()) as {
      Periods: { Month: string }[]
      Data: Row[]
    }
    const row = document.Data.find((candidate) => candidate.AccountId === stated.account)
    if (!row) continue
    const debit = ['Asset', 'CostOfSales', 'Expense', 'OtherExpense'].includes(row.Section) ? 1 : -1
    return {
      statement,
      months: document.Periods.map((period) => period.Month),
      values: row.Values.map((value) => Math.round(value * 100) * debit),
    }
  }
  return null
}

async function movement(snapshot: Snapshot, stated: Stated, opening: number): Promise<number> {
  const figures = await figuresOf(snapshot, stated)
  const first = snapshot.manifest.Coverage.StartDate.slice(0, 7)
  // A balance that is zero at every month's end has no row: its opening went in the first month.
  if (!figures) return stated.month === first ? 0 - opening : 0
  const at = figures.months.indexOf(stated.month)
  if (at === -1) return 0
  if (figures.statement === 'ProfitAndLoss') return figures.values[at]!
  return figures.values[at]! - (at === 0 ? opening : figures.values[at - 1]!)
}

/** Counts the stated movements that the published statements give. */
async function movementsFound(
  snapshot: Snapshot,
  file: string,
  openingsOf: string,
): Promise<{ whole: string; objects: string }> {
  const openings = new Map(statedIn(openingsOf, '#IB').map((row) => [row.account, row.amount]))
  const counts = { whole: [0, 0], objects: [0, 0] } as Record<'whole' | 'objects', [number, number]>
  for (const stated of statedIn(file, '#PSALDO')) {
    const count = counts[stated.object ? 'objects' : 'whole']
    count[1]++
    const opening = stated.object ? 0 : (openings.get(stated.account) ?? 0)
    if ((await movement(snapshot, stated, opening)) === stated.amount) count[0]++
  }
  return { whole: counts.whole.join(' of '), objects: counts.objects.join(' of ') }
}

check('transaktioner_ovnbolag.se: 82 balances and results, 158 monthly movements', async ({ root }) => {
  const file = 'transaktioner_ovnbolag.se'
  const { snapshot } = await published(root, file)
  let agreed = 0
  const balances = statedIn(file, '#UB')
  const results = statedIn(file, '#RES')
  const openings = new Map(statedIn(file, '#IB').map((row) => [row.account, row.amount]))
  for (const stated of balances) {
    const figures = await figuresOf(snapshot, stated)
    if ((figures?.values.at(-1) ?? openings.get(stated.account) ?? 0) === stated.amount) agreed++
  }
  for (const stated of results) {
    const figures = await figuresOf(snapshot, stated)
    if ((figures?.values.reduce((sum, value) => sum + value, 0) ?? 0) === stated.amount) agreed++
  }
  assert.is(`${agreed} of ${balances.length + results.length}`, '82 of 82')
  assert.is((await movementsFound(snapshot, file, file)).whole, '158 of 158')
})

check(
  'transaktioner_ovnbolag.se: last year’s result is its own row, and the balance sheet balances',
  async ({ root }) => {
    const { snapshot } = await published(root, 'transaktioner_ovnbolag.se')
    const path = statementPath({
      statement: 'BalanceSheet',
      basis: 'ACCRUAL',
      budgetId: null,
      classId: null,
      departmentId: null,
    })
    const sheet = JSON.parse((await snapshot.read(path)).toString()) as {
      Data: Row[]
      Summary: { Name: string; Values: number[] }[]
    }
    assert.equal(
      sheet.Data.find((row) => row.AccountId === 'prior-years-not-closed')?.Values,
      [1151678.15, 1151678.15, 1151678.15],
    )
    const total = (name: string) => sheet.Summary.find((row) => row.Name === name)!.Values
    assert.equal(total('TotalAssets'), total('TotalLiabilitiesAndEquity'))
  },
)

check('the twin with a broken voucher is refused, the voucher named, nothing published', async ({ root }) => {
  initWorkspace(join(root, 'ws'))
  const workspace = openWorkspace(join(root, 'ws'))
  await addCompany(workspace, 'bad', [join(SAMPLES, 'transaktioner_ovnbolag-bad-balance.se')])
  const result = await build(workspace, 'bad', { publish: true })
  assert.is(result.outcome, 'refused')
  const errors = result.findings.filter((found) => found.severity === 'error')
  assert.equal(
    errors.map((found) => found.code),
    ['unbalanced-transaction'],
  )
  assert.match(
    errors[0]!.message,
    /transaction 2011 B 1 of 2011-01-07 does not balance: debits minus credits are -?12,771\.00/,
  )
  assert.equal(
    existsSync(join(workspace.snapshots, 'bad')) ? readdirSync(join(workspace.snapshots, 'bad')) : [],
    [],
  )
})

check('typ4.se gives every movement of its type 3 twin', async ({ root }) => {
  const { snapshot } = await published(root, 'typ4.se')
  assert.equal(await movementsFound(snapshot, 'typ3.se', 'typ4.se'), { whole: '76 of 76', objects: '9 of 9' })
})

check('BL0001_typ4.SE gives every movement of its type 3 twin', async ({ root }) => {
  const { snapshot } = await published(root, 'BL0001_typ4.SE')
  assert.equal(await movementsFound(snapshot, 'BL0001_typ3.SE', 'BL0001_typ4.SE'), {
    whole: '97 of 97',
    objects: '19 of 19',
  })
})
