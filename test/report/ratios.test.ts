/**
 * Every ratio of random companies against sums of their ledger lines, which are added up here without the code of statements and reports.
 * A rounded quotient is right where no other whole number is nearer to it, so that nothing is divided here.
 */
import * as assert from 'uvu/assert'
import { reportPages } from '../../builder/report/pages/site.ts'
import { openReport } from '../../builder/report/report.ts'
import { chosen, seed } from '../seed.ts'
import { suite } from '../suite.ts'
import { centsText } from '../support/oracle.ts'
import { type Random, seeded } from '../support/random.ts'
import { buildIn, COMPANY, companyYaml, type Files, inWorkspace } from '../support/workspace.ts'

const SEEDS = chosen(Array.from({ length: 8 }, (_, n) => seed + n))

const ACCOUNTS: Readonly<Record<string, readonly [kind: string, type: string]>> = {
  bank: ['Asset', 'Bank'],
  deposit: ['Asset', 'CashEquivalent'],
  debtors: ['Asset', 'AccountsReceivable'],
  notes: ['Asset', 'AccountsReceivable'],
  stock: ['Asset', 'Inventory'],
  prepaid: ['Asset', 'OtherCurrentAsset'],
  plant: ['Asset', 'FixedAsset'],
  suppliers: ['Liability', 'AccountsPayable'],
  card: ['Liability', 'CreditCard'],
  vat: ['Liability', 'SalesTax'],
  accruals: ['Liability', 'OtherCurrentLiability'],
  loan: ['Liability', 'LongTermLiability'],
  capital: ['Equity', 'Capital'],
  sales: ['Income', 'Sales'],
  goods: ['CostOfSales', 'CostOfSales'],
  rent: ['Expense', 'Expense'],
  interest: ['OtherExpense', 'OtherExpense'],
}
const LAST = '2026-03'

interface Line {
  /** `YYYY-MM` */
  readonly month: string
  readonly account: string
  /** Cents, debit positive. */
  readonly cents: bigint
}

const monthPlus = (month: string, by: number): string => {
  const number = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 + by
  return `${Math.floor(number / 12)}-${String((number % 12) + 1).padStart(2, '0')}`
}

/** Entries of two lines from the first month of the books to the last. */
function linesOf(random: Random, first: string): Line[] {
  const lines: Line[] = []
  for (let month = first; month <= LAST; month = monthPlus(month, 1))
    for (let n = 0; n < 8; n++) {
      const [debit, credit] = random.chance(60)
        ? random.pick([
            ['bank', 'sales'],
            ['debtors', 'sales'],
            ['goods', 'stock'],
            ['stock', 'suppliers'],
            ['rent', 'bank'],
          ] as const)
        : [random.pick(Object.keys(ACCOUNTS)), random.pick(Object.keys(ACCOUNTS))]
      if (debit === credit || (n > 0 && random.chance(20))) continue
      const cents = BigInt(random.between(1, random.chance(10) ? 9_000_000_000_000 : 900_000))
      lines.push({ month, account: debit, cents }, { month, account: credit, cents: -cents })
    }
  return lines
}

const chartOf = (accounts: typeof ACCOUNTS): string =>
  `id,number,name,classification,type\n${Object.entries(accounts)
    .map(([id, [kind, type]], i) => `${id},${1000 + i},${id},${kind},${type}\n`)
    .join('')}`

const filesOf = (lines: readonly Line[], heads: ReadonlyMap<string, string>): Files => ({
  'company.yaml': companyYaml(`nonFinancial: [{ id: heads, name: Heads, aggregation: last }]
metrics: [{ files: heads.csv }]
ratios: { incomePer: { heads: {} }, beside: { heads: { target: 3.5 } } }`),
  'chart.csv': chartOf(ACCOUNTS),
  'heads.csv': `metric,date,value\n${[...heads].map(([month, value]) => `heads,${month}-28,${value}\n`).join('')}`,
  'ledger.csv': `transaction_id,date,account,amount\n${lines.map(({ month, account, cents }, i) => `t${i >> 1},${month}-05,${account},${centsText(cents)}\n`).join('')}`,
})

async function ratiosOf(files: Files, company = COMPANY): Promise<string> {
  return inWorkspace(files, async (workspace) => {
    const { result } = await buildIn(workspace, company)
    assert.ok(result.snapshotId, JSON.stringify(result.findings))
    const found = await openReport(workspace.snapshots, { company, snapshotId: null, month: null })
    return (await reportPages(found.value!.source, found.value!.month)).get('accrual/all/ratios.html')!
  })
}

interface Cell {
  readonly label: string
  /** As the head of its column names it, `Mar 2026`. */
  readonly month: string
  /** A whole number of its last decimal; null for an empty cell. */
  readonly value: bigint | null
  readonly decimals: number
}

/** The figures of the first table of the page. */
function cellsOf(page: string): Cell[] {
  const [table = ''] = /<table>.*?<\/table>/s.exec(page) ?? []
  const heads = [...table.matchAll(/<th scope="col">(.*?)<\/th>/g)].map(([, head]) => head!)
  return [...table.matchAll(/<th scope="row">(.*?) <span.*?<\/th>(.*?)<\/tr>/gs)].flatMap(([, label, row]) =>
    [...row!.matchAll(/<td([^>]*)>/g)].flatMap(([, attributes], i): Cell[] => {
      const month = heads[i]!
      if (!/^[A-Z][a-z]{2} \d{4}$/.test(month)) return []
      const [, minor] = /data-minor="(-?\d+)"/.exec(attributes!) ?? []
      const [, text] = /data-value="(-?[\d.]+)"/.exec(attributes!) ?? []
      if (minor !== undefined) return [{ label: label!, month, value: BigInt(minor), decimals: 0 }]
      const decimals = text?.split('.')[1]?.length ?? 0
      return [
        { label: label!, month, value: text === undefined ? null : BigInt(text.replace('.', '')), decimals },
      ]
    }),
  )
}

const NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const monthOf = (title: string): string =>
  `${title.slice(4)}-${String(NAMES.indexOf(title.slice(0, 3)) + 1).padStart(2, '0')}`

/** The part and the whole of each ratio; null where there is none. */
function expected(
  label: string,
  month: string,
  first: string,
  lines: readonly Line[],
  heads: ReadonlyMap<string, string>,
): readonly [part: bigint, whole: bigint] | null {
  const sum = (accounts: readonly string[], from: string) =>
    lines
      .filter(({ account, month: own }) => accounts.includes(account) && own >= from && own <= month)
      .reduce((all, { cents }) => all + cents, 0n)
  const of = (...types: string[]) => Object.keys(ACCOUNTS).filter((id) => types.includes(ACCOUNTS[id]![1]))
  const kinds = (...all: string[]) => Object.keys(ACCOUNTS).filter((id) => all.includes(ACCOUNTS[id]![0]))
  const balance = (...types: string[]) => sum(of(...types), '0000')
  const income = (from: string) => -sum(kinds('Income'), from)
  const costs = (from: string, ...more: string[]) => sum(kinds('CostOfSales', ...more), from)
  const begin = `${first.slice(0, 4)}-01`
  const back = monthPlus(month, -11)
  const year = back < begin ? begin : back
  // The books begin with their fiscal year, and so do the months that count.
  const held = BigInt(
    (Number(month.slice(0, 4)) - Number(year.slice(0, 4))) * 12 +
      Number(month.slice(5)) -
      Number(year.slice(5)) +
      1,
  )
  if (month < begin) return null
  const owed = -balance('AccountsPayable', 'CreditCard', 'SalesTax', 'OtherCurrentLiability')
  const cash = balance('Bank', 'CashEquivalent')
  const perYear = (of: bigint, flow: bigint) => [of * 365n * held, flow * 12n] as const
  const head = heads.get(month)
  const [whole = '', fraction = ''] = (head ?? '').split('.')
  const scaled = BigInt(`${whole}${fraction.padEnd(1, '0')}`)
  switch (label) {
    case 'Gross margin':
      return [100n * (income(month) - costs(month)), income(month)]
    case 'Operating margin':
      return [100n * (income(month) - costs(month, 'Expense')), income(month)]
    case 'Net margin':
      return [100n * (income(month) - costs(month, 'Expense', 'OtherExpense')), income(month)]
    case 'Current ratio':
      return [cash + balance('AccountsReceivable', 'Inventory', 'OtherCurrentAsset'), owed]
    case 'Quick ratio':
      return [cash + balance('AccountsReceivable'), owed]
    case 'Days of receivables':
      return perYear(balance('AccountsReceivable'), income(year))
    case 'Days of inventory':
      return perYear(balance('Inventory'), costs(year))
    case 'Days of payables':
      return perYear(-balance('AccountsPayable'), costs(year))
    case 'Income per Heads':
      return head === undefined ? null : [income(year) * 120n, scaled * held]
    case 'Heads':
      return head === undefined ? null : [scaled, 10n]
    default:
      throw new Error(label)
  }
}

const ratios = suite('ratios')

for (const n of SEEDS)
  ratios(`seed ${n}: every ratio is the nearest to what the ledger gives`, async () => {
    const random = seeded(`ratios ${n}`)
    const first = random.pick(['2024-01', '2025-01', '2025-07'])
    const lines = linesOf(random, first)
    const heads = new Map<string, string>()
    for (let month = first; month <= LAST; month = monthPlus(month, 1))
      if (!random.chance(20)) heads.set(month, `${random.between(1, 40)}${random.chance(50) ? '.5' : ''}`)
    const cells = cellsOf(await ratiosOf(filesOf(lines, heads)))
    assert.ok(cells.length > 100, `${cells.length} cells`)
    for (const { label, month, value, decimals } of cells) {
      if (label.startsWith('Runway')) continue
      const [part, whole] = expected(label, monthOf(month), first, lines, heads) ?? [0n, 0n]
      const where = `${label}, ${month}: ${value}, of ${part} ÷ ${whole}`
      if (whole <= 0n) assert.is(value, null, where)
      else {
        const off = 2n * ((value ?? 0n) * whole - part * 10n ** BigInt(decimals))
        const isNearest = off < 0n ? -off <= whole : off <= whole
        assert.ok(value !== null && isNearest, where)
        // In the middle between two numbers it is the one that is farther from zero.
        if (off === whole || off === -whole) assert.is(off > 0n, part > 0n, where)
      }
    }
  })

/** Burns 30 in January, 60 in February and 0 in March, of which 40 for a machine; the loan of February is no income. */
const BURNING: Files = {
  'company.yaml': companyYaml(),
  'chart.csv': chartOf(ACCOUNTS),
  'ledger.csv': `transaction_id,date,account,amount
1,2025-12-05,bank,300.00
1,2025-12-05,capital,-300.00
2,2026-01-05,rent,30.00
2,2026-01-05,bank,-30.00
3,2026-02-05,rent,20.00
3,2026-02-05,bank,-20.00
4,2026-02-06,plant,40.00
4,2026-02-06,bank,-40.00
5,2026-02-07,bank,90.00
5,2026-02-07,loan,-90.00
6,2026-03-05,bank,10.00
6,2026-03-05,sales,-10.00
7,2026-03-06,rent,10.00
7,2026-03-06,bank,-10.00
`,
}

const valuesOf = (page: string, label: string) =>
  cellsOf(page)
    .filter((cell) => cell.label === label)
    .map(({ month, value }) => [month, value === null ? null : Number(value)])

ratios(
  'a runway is cash by what operating and investing took on average; money that was raised is no income',
  async () => {
    const page = await ratiosOf(BURNING)
    // 300 ÷ (90 ÷ 3); before there were three months there is none.
    assert.equal(valuesOf(page, 'Runway in months, by the last three').slice(0, 4), [
      ['Mar 2026', 100],
      ['Mar 2025', null],
      ['Feb 2026', 100],
      ['Jan 2026', 270],
    ])
  },
)

ratios(
  'without a chart, or with an account without a type, current and quick ratio are left out, with the reason',
  async () => {
    const untyped = chartOf({ ...ACCOUNTS, accruals: ['Liability', ''] })
    const ledger = `${BURNING['ledger.csv']}8,2026-03-07,rent,1.00\n8,2026-03-07,accruals,-1.00\n`
    const page = await ratiosOf({ ...BURNING, 'chart.csv': untyped, 'ledger.csv': ledger })
    assert.match(page, 'Current and quick ratio are left out: the chart has no type for 1010 accruals.')
    assert.not.match(page, '<th scope="row">Current ratio')
    const typed = await ratiosOf({ ...BURNING, 'ledger.csv': ledger })
    assert.match(typed, '<th scope="row">Current ratio')
    const sie = await ratiosOf({
      'company.yaml': companyYaml('ledger: [{ files: a.se }]\ncurrency: SEK').replace(
        'chartOfAccounts: chart.csv\n',
        '',
      ),
      'a.se': `#FLAGGA 0
#FORMAT PC8
#SIETYP 4
#FNAMN "Bolag"
#RAR 0 20260101 20261231
#KONTO 1930 "Bank"
#KONTO 3000 "Sales"
#KONTO 2440 "Suppliers"
#KONTO 5010 "Rent"
#VER A 1 20260105 "x"
{
#TRANS 1930 {} 100.00
#TRANS 3000 {} -100.00
}
#VER A 2 20260106 "y"
{
#TRANS 5010 {} 10.00
#TRANS 2440 {} -10.00
}
`,
    })
    assert.match(
      sie,
      'Current and quick ratio are left out: no chart of accounts says which accounts are due within a year.',
    )
  },
)

ratios('targets and limits stand beside the figures, with a mark', async () => {
  const page = await ratiosOf({
    ...BURNING,
    'company.yaml': companyYaml(`ratios:
  netMargin: { target: 10%, least: -5% }
  grossMargin: { target: 100% }
  runway: { least: 12.5 }`),
  })
  const row = (label: string) =>
    new RegExp(`<th scope="row">${label} .*?</tr>`)
      .exec(page)![0]
      .replace(/<svg.*?<\/svg>/, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
  assert.match(row('Net margin'), 'Net margin % 0.0 ▼ 10.0, at least -5.0')
  assert.match(row('Gross margin'), 'Gross margin % 100.0 ▲ 100.0')
  assert.match(row('Runway in months, by the last three'), '10.0 ▼ at least 12.5')
})

ratios('mistakes in targets say what to write', async () => {
  const refused = (setting: string) =>
    inWorkspace({ ...BURNING, 'company.yaml': companyYaml(`ratios:\n  ${setting}`) }, async (workspace) => {
      const { result } = await buildIn(workspace, COMPANY)
      return result.findings.map(({ code, message, remedy }) => `${code}: ${message} ${remedy}`).join('; ')
    })
  assert.match(await refused('grossMargin: { target: 0.4 }'), 'must be a percentage such as 40%')
  assert.match(
    await refused('currentRatio: { least: 1.255 }'),
    'must be a number with at most 2 decimals, such as 1.5',
  )
  assert.match(await refused('quickRatio: { least: 3, most: 2 }'), 'must not be more than "most"')
  assert.match(await refused('grosMargin: { target: 40% }'), 'grossMargin')
  assert.match(await refused('incomePer: { heads: {} }'), 'ratio-metric: "heads" is no metric of the company')
})
