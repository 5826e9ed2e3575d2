/**
 * A second implementation, in Python, of docs/format.md and of nothing else: it computes every document of a snapshot from
 * the published books, and finds no difference on the golden companies, two samples and random books that are hard to compute.
 * Skipped where there is no python3 with the package duckdb, which reads Parquet.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { build } from '../../builder/build/build.ts'
import { RESTATEMENT, snapshotFolder } from '../../builder/snapshot/layout.ts'
import { verifyFolder } from '../../builder/verify/verify.ts'
import { suite } from '../suite.ts'
import {
  buildIn,
  CHART,
  COMPANY,
  companyYaml,
  type Files,
  inWorkspace,
  ledgerCsv,
  writeFiles,
} from '../support/workspace.ts'
import { plannedCompany, settledCompany } from './format/companies.ts'
import { generate } from './ledger-generator.ts'

const PROGRAM = fileURLToPath(new URL('format/recompute.py', import.meta.url))
const OUTSIDER = fileURLToPath(new URL('outsider/main.py', import.meta.url))
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
  readonly differences: readonly string[]
  readonly figures: number
  readonly documents: number
}

function recomputed(snapshots: readonly string[]): Answer {
  const { stdout, stderr } = spawnSync('python3', ['-B', PROGRAM, ...snapshots], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const lines = stdout.trimEnd().split('\n')
  const sum = /^(\d+) figures in (\d+) documents of (\d+) snapshots compared, (\d+) differences$/.exec(
    lines.pop()!,
  )
  assert.ok(sum, `${stdout}${stderr}`)
  assert.is(stderr, '', 'nothing is left unchecked')
  assert.is(Number(sum[3]), snapshots.length)
  assert.is(Number(sum[4]), lines.length)
  return { differences: lines, figures: Number(sum[1]), documents: Number(sum[2]) }
}

/**
 * The differences that another program finds, whose author had the page alone: neither the builder nor the first program, which
 * was written beside the page. It prints the name of a snapshot, then what differs there.
 */
function byOutsider(snapshots: readonly string[]): { readonly count: number; readonly told: string } {
  const { stdout, stderr } = spawnSync('python3', ['-B', OUTSIDER, ...snapshots], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const sum = / figures in \d+ documents of (\d+) snapshots compared, (\d+) differences$/.exec(
    stdout.trimEnd(),
  )
  assert.ok(sum, `${stdout}${stderr}`)
  assert.is(Number(sum[1]), snapshots.length)
  return { count: Number(sum[2]), told: stdout }
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
      // By the program itself too: the control totals of sources of every format are those of its books.
      const own = await verifyFolder(copy, 'snapshot', { figures: true, known: null })
      assert.ok(own.verified, JSON.stringify(own.companies))
      return copy
    },
    company,
  )
}

/** A snapshot that states a closed month anew. */
async function restated(folder: string): Promise<string> {
  const files = (sales: string): Files => ({
    'company.yaml': companyYaml('lockDate: 2025-01-31'),
    'chart.csv': CHART,
    'ledger.csv': ledgerCsv(`1 2025-01-10 bank ${sales}; 1 2025-01-10 sales -${sales}`),
  })
  return inWorkspace(files('10.00'), async (workspace) => {
    await buildIn(workspace, COMPANY)
    writeFiles(join(workspace.datasets, COMPANY), files('11.00'))
    const { snapshotId } = await build(workspace, COMPANY, { publish: true, restate: 'a digit was wrong' })
    const copy = join(folder, 'restated')
    cpSync(snapshotFolder(workspace.snapshots, COMPANY, snapshotId!), copy, { recursive: true })
    assert.ok(existsSync(join(copy, RESTATEMENT)))
    return copy
  })
}

const idIn = (folder: string): string =>
  (parse(readFileSync(join(folder, 'company.yaml'), 'utf8')) as { id: string }).id

check('the golden companies and two samples', async ({ folder }) => {
  const snapshots: string[] = []
  for (const [kind, inputs] of [
    ['golden', readdirSync(GOLDEN).map((name) => join(GOLDEN, name, 'input'))],
    ['sample', ['lakeside', 'nordvik'].map((name) => join(DATASETS, name))],
  ] as const)
    for (const [i, input] of inputs.entries()) {
      const snapshot = await published(folder, `${kind}-${i}`, input, idIn(input))
      if (snapshot !== null) snapshots.push(snapshot)
      else assert.match(input, /refused/)
    }
  const { differences, figures } = recomputed(snapshots)
  assert.equal(differences, [])
  assert.ok(figures > 50_000, `${figures} figures`)
  const outside = byOutsider(snapshots)
  assert.is(outside.count, 0, outside.told)
})

check(
  'random books: settlements and disposals, cut fiscal years, budgets and metrics of members',
  async ({ folder }) => {
    const snapshots = [await restated(folder)]
    for (const [name, files] of Object.entries({
      settles: settledCompany(2, 'settles'),
      'open-items': settledCompany(5, 'open_item'),
      planned: plannedCompany(1),
      'closed-and-opened': generate(2).files,
      'opened-inside-year': generate(3).files,
    })) {
      const snapshot = await published(folder, name, files)
      assert.ok(snapshot, name)
      snapshots.push(snapshot)
    }
    const { differences, figures } = recomputed(snapshots)
    assert.equal(differences, [])
    assert.ok(figures > 100_000, `${figures} figures`)
    // It does not write restatement.json.
    const outside = byOutsider(snapshots.slice(1))
    assert.is(outside.count, 0, outside.told)
  },
)

/** In one file each: what stands there, what is put in its place, and what must be told. */
const FORGERIES: readonly (readonly [path: string, from: RegExp, to: string, told: RegExp])[] = [
  [
    'statements/profit-loss/accrual/actuals/all/all.json',
    /("sales".*)10\.00/,
    '$110.01',
    /sales, 2024-09: published 10\.01, computed 10\.00$/,
  ],
  [
    'statements/balance-sheet/accrual/actuals/unassigned/unassigned.json',
    /("TotalAssets",.*)7\.00/,
    '$17.10',
    /TotalAssets, 2025-01: published 7\.10, computed 7\.00$/,
  ],
  [
    'statements/balance-sheet/cash/gaps/all/all.json',
    /("Values":\[[^\]]*?)null/,
    '$10.00',
    /: published 0\.00, computed None$/,
  ],
  [
    'statements/cash-flow/accrual/silent/all/all.json',
    /EquityNotStated/,
    'Incomplete',
    /NotStated, 2024-09: published Incomplete, computed EquityNotStated$/,
  ],
  ['metrics/actuals/all/all.json', /("sum",.*?)\d/, '$1777', /sum, 2024-\d\d: published -?777/],
  [
    'chart-of-accounts.json',
    /"NormalBalance":"Debit"/,
    '"NormalBalance":"Credit"',
    /NormalBalance: published Credit/,
  ],
  ['pages/classes/0.json', /"total":6/, '"total":7', /is worded otherwise/],
  ['info.json', /"FiscalMonthEnd":12/, '"FiscalMonthEnd":1', /FiscalMonthEnd: published 1, computed 12$/],
  ['tie-outs.json', /"Checks":13/, '"Checks":14', /published .*'Checks': 14.*computed .*'Checks': 13/],
  ['manifest.json', /"Totals":\{"Postings":4/, '"Totals":{"Postings":5', /Totals is .*5.*computed .*4/],
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
  const { differences } = recomputed([snapshot])
  assert.ok(differences.some((line) => line.includes(` ${REMOVED}: was not published`)))
  assert.ok(byOutsider([snapshot]).count > FORGERIES.length)
  for (const [path, , , told] of FORGERIES)
    assert.ok(
      differences.some((line) => line.includes(` ${path}: `) && told.test(line)),
      `${path}: ${told}\n${differences.join('\n')}`,
    )
})

test.run()
