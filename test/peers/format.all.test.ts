/**
 * A second implementation, in Python, whose author had docs/format.md alone: it computes every document of a snapshot from the
 * published books, and finds no difference on the golden companies, two samples and random books that are hard to compute.
 * Skipped where there is no python3 with the package duckdb, which reads Parquet.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { verifyFolder } from '../../builder/evidence/verify/verify.ts'
import { alike } from '../seed.ts'
import { suite } from '../suite.ts'
import { buildIn, CHART, COMPANY, companyYaml, type Files, inWorkspace } from '../support/workspace.ts'
import { plannedCompany, settledCompany } from './companies.ts'
import { flowCompany } from './flow-company.ts'
import { generate } from './ledger-generator.ts'

const PROGRAM = fileURLToPath(new URL('outsider/main.py', import.meta.url))
const DATASETS = fileURLToPath(new URL('../../datasets', import.meta.url))
const GOLDEN = fileURLToPath(new URL('../golden', import.meta.url))

const found = spawnSync('python3', ['-c', 'import duckdb'], { encoding: 'utf8' })
if (found.status !== 0)
  process.stdout.write(
    'no python3 with duckdb (pip install duckdb): the second implementation of docs/format.md is skipped\n',
  )
const test = suite<{ folder: string }>('format')
const check = found.status === 0 ? test : test.skip
test.before((context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tieout-format-'))
})
test.after(({ folder }) => rmSync(folder, { recursive: true, force: true }))

interface Answer {
  readonly differences: number
  readonly figures: number
  /** What the program printed: the name of a snapshot, then what differs there. */
  readonly told: string
}

function recomputed(snapshots: readonly string[]): Answer {
  const { stdout, stderr } = spawnSync('python3', ['-B', PROGRAM, ...snapshots], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const sum = /(\d+) figures in \d+ documents of (\d+) snapshots compared, (\d+) differences$/.exec(
    stdout.trimEnd(),
  )
  assert.ok(sum, `${stdout}${stderr}`)
  assert.is(Number(sum[2]), snapshots.length)
  return { differences: Number(sum[3]), figures: Number(sum[1]), told: stdout }
}

/** Builds a company from a folder or files, and copies the snapshot away; null where it is refused. */
async function published(
  folder: string,
  name: string,
  from: string | Files,
  company = COMPANY,
): Promise<string | null> {
  return inWorkspace(
    typeof from === 'string' ? {} : { 'company.yaml': companyYaml(), 'chart.csv': CHART, ...from },
    async (workspace) => {
      if (typeof from === 'string') cpSync(from, join(workspace.datasets, company), { recursive: true })
      const built = await buildIn(workspace, company)
      if (built.result.snapshotId === null) return null
      const copy = join(folder, name)
      cpSync(built.path('.'), copy, { recursive: true })
      if (typeof from !== 'string') return copy
      // By the program itself too: the control totals of sources of every format are those of its books.
      const own = await verifyFolder(copy, 'snapshot', { figures: true, known: null })
      assert.ok(own.verified, JSON.stringify(own.companies))
      return copy
    },
    company,
  )
}

const idIn = (folder: string): string =>
  (parse(readFileSync(join(folder, 'company.yaml'), 'utf8')) as { id: string }).id

check('a third of the golden companies a day, and two samples', async ({ folder }) => {
  const snapshots: string[] = []
  for (const [kind, inputs] of [
    ['golden', alike(readdirSync(GOLDEN).sort()).map((name) => join(GOLDEN, name, 'input'))],
    ['sample', ['lakeside', 'nordvik'].map((name) => join(DATASETS, name))],
  ] as const)
    for (const [i, input] of inputs.entries()) {
      const snapshot = await published(folder, `${kind}-${i}`, input, idIn(input))
      if (snapshot !== null) snapshots.push(snapshot)
      else assert.match(input, /refused/)
    }
  const { differences, figures, told } = recomputed(snapshots)
  assert.is(differences, 0, told)
  assert.ok(figures > 20_000, `${figures} figures`)
})

check(
  'random books: settlements and disposals, cut fiscal years, budgets and metrics of members',
  async ({ folder }) => {
    const snapshots: string[] = []
    for (const [name, files] of Object.entries({
      ...Object.fromEntries(
        alike([...Array(12).keys()]).map((n) => [
          `settled-${n}`,
          settledCompany(n, n % 2 === 0 ? 'settles' : 'open_item'),
        ]),
      ),
      planned: plannedCompany(1),
      'closed-and-opened': generate(2).files,
      'opened-inside-year': generate(3).files,
    })) {
      const snapshot = await published(folder, name, files)
      assert.ok(snapshot, name)
      snapshots.push(snapshot)
    }
    const { differences, figures, told } = recomputed(snapshots)
    assert.is(differences, 0, told)
    assert.ok(figures > 100_000, `${figures} figures`)
  },
)

check('random books about assets, loans and equity: what moves on the cash flow', async ({ folder }) => {
  const snapshots: string[] = []
  for (const n of alike([...Array(9).keys()])) {
    const snapshot = await published(folder, `flow-${n}`, flowCompany(n))
    assert.ok(snapshot, `seed ${n}`)
    snapshots.push(snapshot)
  }
  const { differences, told } = recomputed(snapshots)
  assert.is(differences, 0, told)
})

/** In one file each: what stands there, what is put in its place, and what must be told. */
const FORGERIES: readonly (readonly [path: string, from: RegExp, to: string, told: string])[] = [
  [
    'statements/profit-loss/accrual/actuals/all/all.json',
    /("sales".*)10\.00/,
    '$110.01',
    'Data sales Values[8]: expected "10.00", there is "10.01"',
  ],
  [
    'statements/balance-sheet/accrual/actuals/unassigned/unassigned.json',
    /("TotalAssets",.*)7\.00/,
    '$17.10',
    'Summary TotalAssets Values[12]: expected "7.00", there is "7.10"',
  ],
  [
    'statements/balance-sheet/cash/gaps/all/all.json',
    /("Values":\[[^\]]*?)null/,
    '$10.00',
    'Values[3]: expected null, there is "0.00"',
  ],
  [
    'statements/cash-flow/accrual/silent/all/all.json',
    /EquityNotStated/,
    'Incomplete',
    'NotStated 2024-09 Reason: expected EquityNotStated, there is Incomplete',
  ],
  ['metrics/actuals/all/all.json', /("sum",.*?)\d/, '$1777', 'there is "777'],
  [
    'chart-of-accounts.json',
    /"NormalBalance":"Debit"/,
    '"NormalBalance":"Credit"',
    'NormalBalance: expected Debit, there is Credit',
  ],
  ['pages/classes/0.json', /"total":6/, '"total":7', 'total: expected "6", there is "7"'],
  ['info.json', /"FiscalMonthEnd":12/, '"FiscalMonthEnd":1', 'FiscalMonthEnd: expected "12", there is "1"'],
  ['tie-outs.json', /"Checks":13/, '"Checks":14', 'Checks: expected "13", there is "14"'],
  ['manifest.json', /"Totals":\{"Postings":4/, '"Totals":{"Postings":5', 'Totals: expected {"Postings": 4'],
]
const REMOVED = 'statements/cash-flow/accrual/actuals/unassigned/all.json'

check('a figure that was changed is told', async ({ folder }) => {
  const snapshot = await published(folder, 'forged', plannedCompany(1))
  assert.ok(snapshot)
  for (const [path, from, to] of FORGERIES) {
    const file = join(snapshot, path)
    const text = readFileSync(file, 'utf8')
    assert.match(text, from, path)
    chmodSync(file, 0o644)
    writeFileSync(file, text.replace(from, to))
  }
  rmSync(join(snapshot, REMOVED))
  const lines = recomputed([snapshot]).told.split('\n')
  assert.ok(lines.includes(`${REMOVED}: expected a document, there is none`))
  assert.ok(lines.includes('manifest.json.sig: expected a good signature, there is a bad one'))
  for (const [path, , , told] of FORGERIES) {
    assert.ok(
      lines.some((line) => line.startsWith(`${path} `) && line.includes(told)),
      `${path}: ${told}\n${lines.join('\n')}`,
    )
    if (path !== 'manifest.json')
      assert.ok(lines.some((line) => line.startsWith(`manifest.json Files ${path}: `)))
  }
})
