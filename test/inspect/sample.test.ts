/** Samples: items that add up to an account, the same draw by another program, and projections worked by hand. */
import { spawnSync } from 'node:child_process'
import * as assert from 'uvu/assert'
import { projected } from '../../builder/inspect/audit/evaluate.ts'
import { factorFor, sizeFactor } from '../../builder/inspect/audit/gamma.ts'
import { type Sample, type SampleRequest, sample } from '../../builder/inspect/audit/sample.ts'
import { evaluate } from '../../builder/inspect/audit/worksheet.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { inPublished } from '../support/published.ts'
import { seeded } from '../support/random.ts'
import { CHART, COMPANY, companyYaml } from '../support/workspace.ts'

const test = suite('sample')

const SECRET = 'what only the auditor knows'

const published = (ledger: string, run: (workspace: Workspace) => Promise<void>, yaml = ''): Promise<void> =>
  inPublished(
    { 'company.yaml': companyYaml(yaml), 'chart.csv': CHART, 'ledger.csv': ledger },
    async (workspace) => {
      await run(workspace)
    },
  )

const ask = (workspace: Workspace, request: Partial<SampleRequest>) =>
  sample(workspace.snapshots, {
    ...{ company: COMPANY, snapshotId: null, basis: null, account: '1100', asOf: null, side: 'debit' },
    ...{ from: null, through: null, method: 'mus', tolerable: '100', expected: '0', confidence: 95 },
    ...{ size: null, key: null, strata: [], secret: SECRET, ...request },
  })

async function drawn(workspace: Workspace, request: Partial<SampleRequest>): Promise<Sample> {
  const { value, findings } = await ask(workspace, request)
  assert.is(findings, undefined, JSON.stringify(findings))
  assert.ok(value!.addsUp)
  return value!
}

const OPEN_ITEMS = `transaction_id,date,account,amount,settles,memo
1,2025-01-10,debtors,1000.00,,
1,2025-01-10,sales,-1000.00,,
2,2025-01-12,debtors,500.00,,Sail
2,2025-01-12,sales,-500.00,,
3,2025-02-03,bank,400.00,,
3,2025-02-03,debtors,-400.00,1,Part of boat
4,2025-02-04,bank,500.00,,
4,2025-02-04,debtors,-500.00,2,Sail paid
5,2025-02-10,debtors,300.00,,Rope
5,2025-02-10,sales,-300.00,,
6,2025-02-11,returns,50.00,,
6,2025-02-11,debtors,-50.00,,Credit note
7,2025-03-01,bank,300.00,,
7,2025-03-01,debtors,-300.00,5,Rope paid
`

test('a balance is drawn from its open items, which add up to it on any day', () =>
  published(OPEN_ITEMS, async (workspace) => {
    const request = { asOf: '2025-02-28', method: 'random', size: 10 } as const
    const { items, population } = await drawn(workspace, request)
    assert.equal(
      items.map(({ id, date, amount, kind }) => `${id} ${date} ${amount} ${kind}`),
      ['1 2025-01-10 600.00 drawn', '5 2025-02-10 300.00 drawn', '6 2025-02-11 -50.00 negative'],
    )
    // Each stands with the words of the line that began it.
    assert.equal(
      items.map(({ memo }) => memo),
      [null, 'Rope', 'Credit note'],
    )
    assert.equal(population, {
      ...{ all: { items: 3, amount: '850.00' }, positive: { items: 2, amount: '900.00' } },
      ...{ key: { items: 0, amount: '0.00' }, negative: { items: 1, amount: '-50.00' } },
    })
    const march = await drawn(workspace, { ...request, asOf: '2025-03-31' })
    assert.is(march.population.all.amount, '550.00')
    const keys = await drawn(workspace, { ...request, size: 1, key: '600' })
    assert.equal(
      keys.items.map(({ id, kind }) => `${id} ${kind}`),
      ['1 key', '5 drawn', '6 negative'],
    )
    const sales = await drawn(workspace, { account: 'sales', side: 'credit', method: 'random', size: 9 })
    assert.equal(
      sales.items.map(({ amount }) => amount),
      ['1000.00', '500.00', '300.00'],
    )
  }))

test('an entry whose number is also a line id is an item of its own; a payment belongs to the open item of what it settles', () =>
  published(
    `transaction_id,line_id,date,account,amount,settles,open_item
1,2,2025-01-05,debtors,100.00,,A
1,3,2025-01-05,sales,-100.00,,
2,4,2025-01-06,debtors,40.00,,
2,5,2025-01-06,sales,-40.00,,
3,6,2025-01-20,bank,90.00,,
3,7,2025-01-20,debtors,-90.00,1,
`,
    async (workspace) => {
      const { items } = await drawn(workspace, { asOf: '2025-01-31', method: 'random', size: 9 })
      assert.equal(
        items.map(({ id, amount, kind }) => `${id} ${amount} ${kind}`),
        ['A 10.00 drawn', '2 40.00 drawn'],
      )
    },
  ))

test('what cannot be drawn says what to write', () =>
  published(OPEN_ITEMS, async (workspace) => {
    const said = async (request: Partial<SampleRequest>): Promise<string> =>
      (await ask(workspace, request))
        .findings!.map(({ code, message, remedy }) => `${code}: ${message}; ${remedy}`)
        .join()
    assert.match(await said({ account: '1101' }), /unknown-account: .*1100/)
    assert.match(await said({ asOf: '2025-02-30' }), /not-a-day/)
    assert.match(await said({ asOf: '2025-03-31', account: 'bank' }), /no-open-items: .*1000 Bank.*--side/)
    assert.match(await said({ asOf: '2025-04-01' }), /not-a-day: 2025-04-01 .*2025-01-01 to 2025-03-31/)
    assert.match(await said({ from: '2024-12-31' }), /not-a-day: 2024-12-31/)
    assert.match(await said({ from: '2025-02-01', through: '2025-01-31' }), /not-a-day: .*exchange --from/)
    const strata = { method: 'stratified', size: 5, strata: ['400', '300'] } as const
    assert.match(await said(strata), /not-an-amount: .*400,300 do not ascend/)
    assert.match(await said({ tolerable: null }), /not-an-amount: .*--tolerable 20000/)
    assert.match(await said({ tolerable: '1.005' }), /not-an-amount/)
    assert.match(await said({ tolerable: '100', expected: '61' }), /more than 60 %/)
    assert.match(await said({ method: 'random' }), /--size 25/)
  }))

test('what a stratum has too few items for is drawn from the others', () =>
  published(OPEN_ITEMS, async (workspace) => {
    const strata = { account: 'debtors', method: 'stratified', strata: ['600'] } as const
    const items = async (size: number) => (await drawn(workspace, { ...strata, size })).items
    assert.is((await items(3)).length, 3)
    assert.is((await items(9)).length, 3)
    assert.is((await items(1)).length, 1)
  }))

test('factors are those of the tables of the AICPA’s guide', () => {
  const ratios = Array.from({ length: 13 }, (_, i) => i / 20)
  const table = (confidence: number) => ratios.map((ratio) => sizeFactor(confidence, ratio))
  assert.equal(table(0.95), [3, 3.31, 3.68, 4.11, 4.63, 5.24, 6, 6.92, 8.09, 9.59, 11.54, 14.18, 17.85])
  assert.equal(table(0.9), [2.31, 2.52, 2.77, 3.07, 3.41, 3.83, 4.33, 4.95, 5.72, 6.71, 7.99, 9.7, 12.07])
  assert.equal(
    [0, 1, 2, 3, 4, 5].map((found) => factorFor(0.95, found)),
    [3, 4.75, 6.3, 7.76, 9.16, 10.52],
  )
})

test('a projection worked by hand: shares of the interval, key items as they are, increments by share', () => {
  const item = (book: bigint, audited: bigint, isKey = false) => ({ id: '', book, audited, isKey })
  const interval = 1_000_000n
  const right = Array.from({ length: 20 }, () => item(5000n, 5000n))
  const clean = projected(right, interval, 3_000_000n, 0.95)
  assert.equal(
    [clean.projected, clean.allowance, clean.limit, clean.isTolerable],
    [0n, 3_000_000n, 3_000_000n, true],
  )
  // 20 % and 5 % of an interval, and 70,000 in a key item. 0.2 × (4.75 − 3 − 1) + 0.05 × (6.30 − 4.75 − 1) = 0.1775.
  const found = projected(
    [
      ...right,
      item(50_000n, 47_500n),
      item(10_000n, 8000n),
      item(2_000_000n, 1_930_000n, true),
      item(40_000n, 50_000n),
      // An understatement lowers what is projected, but not the limit.
      item(3_000_000n, 3_060_000n, true),
    ],
    interval,
    3_400_000n,
    0.95,
  )
  assert.equal(found, {
    ...{ items: 25, wrong: 5, known: 2500n + 2000n + 70_000n - 10_000n - 60_000n },
    ...{
      projected: 70_000n - 60_000n + 250_000n - 250_000n,
      allowance: 3_177_500n,
      limit: 70_000n + 250_000n + 3_177_500n,
    },
    isTolerable: false,
  })
})

test('a worksheet that was filled in is projected; what is no amount is named with its row', () => {
  const sheet = (audited: string, separator = ',') =>
    [
      'item,kind,book,audited,interval,tolerable,confidence',
      `1,key,25000.00,25000.00,10000.00,40000.00,95`,
      `2,drawn,500.00,${audited},10000.00,40000.00,95`,
      '3,negative,-20.00,-20.00,10000.00,40000.00,95',
    ]
      .join('\n')
      .replaceAll(',', separator)
  const { value } = evaluate(sheet('400.00'), 'sheet.csv')
  assert.equal(value, {
    ...{ items: 2, wrong: 1, apart: 1, confidence: 95, known: '100.00', projected: '2000.00' },
    ...{ allowance: '31500.00', limit: '33500.00', tolerable: '40000.00', isTolerable: true },
  })
  assert.equal(evaluate(sheet('400.00', ';'), 'sheet.csv').value, value)
  const [finding] = evaluate(sheet('four hundred'), 'sheet.csv').findings!
  assert.equal([finding!.code, finding!.row], ['not-an-amount', 3])
  assert.match(evaluate(sheet(''), 'sheet.csv').findings![0]!.message, 'has an empty "audited" in row 3')
  const [percent] = evaluate(sheet('400.00').replaceAll(',95', ',95%'), 'sheet.csv').findings!
  assert.match(percent!.message, /confidence "95%" is not a percentage from 50 to 99/)
  assert.match(evaluate('item,book\n1,2\n', 'other.csv').findings![0]!.message, /is not a worksheet/)
})

const PYTHON = `
import hashlib, json, sys
out = []
for case in json.load(sys.stdin):
    seed = int(hashlib.sha256((case["manifest"] + " " + case["secret"]).encode()).hexdigest(), 16)
    interval = case["tolerable"] * 100 // round(case["factor"] * 100)
    position, passed, taken = seed % interval, 0, []
    for name, amount in case["items"]:
        if amount <= 0: continue
        if amount >= interval:
            taken.append(name)
            continue
        passed += amount
        if position < passed:
            taken.append(name)
            position += interval
    out.append(taken)
print(json.dumps(out))`

const hasPython = spawnSync('python3', ['--version']).status === 0
if (!hasPython) process.stdout.write('python3 is missing: samples are not drawn again by it\n')
const withPython = hasPython ? test : test.skip

withPython('another program draws the same by monetary units; another secret draws others', () => {
  const random = seeded('sample')
  const amounts = Array.from({ length: 120 }, (_, i): [string, number] => [
    `D-${i}`,
    i % 17 === 0 ? -random.between(100, 5000) : random.between(1, 40_000),
  ])
  const money = (minor: number) => (minor / 100).toFixed(2)
  const ledger = [
    'transaction_id,date,account,amount,open_item',
    ...amounts.flatMap(([id, amount]) => [
      `${id},2025-04-05,debtors,${money(amount)},${id}`,
      `${id},2025-04-05,sales,${money(-amount)},`,
    ]),
    '',
  ].join('\n')
  return published(ledger, async (workspace) => {
    const secrets = Array.from({ length: 20 }, (_, i) => `the secret of auditor ${i}`)
    const ours = []
    for (const secret of secrets)
      ours.push(
        await drawn(workspace, { asOf: '2025-04-30', tolerable: '900.00', expected: '90.00', secret }),
      )
    const cases = ours.map(({ manifestSha256, secret }) => ({
      ...{ manifest: manifestSha256, secret, tolerable: 90_000, factor: 3.68, items: amounts },
    }))
    const { stdout } = spawnSync('python3', ['-c', PYTHON], {
      input: JSON.stringify(cases),
      encoding: 'utf8',
    })
    assert.equal(
      ours.map(({ items }) => items.filter(({ kind }) => kind !== 'negative').map(({ id }) => id)),
      JSON.parse(stdout),
    )
    assert.is(new Set(ours.map(({ items }) => JSON.stringify(items))).size > 10, true)
  })
})
