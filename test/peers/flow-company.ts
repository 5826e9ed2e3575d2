/**
 * Random companies whose entries are about assets, loans and equity: what the rules of accounting.md §5 about entries look at. Lines are split,
 * with tags that differ inside an entry; several of these things may be one entry, which is taken back at times.
 */
import { type Random, seeded } from '../support/random.ts'
import { companyYaml, type Files } from '../support/workspace.ts'

const CHART = `id,number,name,classification,type,cash_flow
bank,1000,Bank,Asset,Bank,
till,1010,Till,Asset,Bank,
debtors,1100,Debtors,Asset,AccountsReceivable,
stock,1200,Stock,Asset,Inventory,
prepaid,1300,Paid in advance,Asset,OtherCurrentAsset,
buyer,1310,Due from buyers of assets,Asset,OtherCurrentAsset,Investing
plant,1500,Plant,Asset,FixedAsset,
van,1510,Vans,Asset,FixedAsset,
plantdep,1590,Depreciation of plant,Asset,AccumulatedDepreciation,
vandep,1591,Depreciation of vans,Asset,AccumulatedDepreciation,
written,1592,Written off directly,Asset,AccumulatedDepreciation,Investing
shares,1700,Shares held,Asset,OtherAsset,
creditors,2000,Creditors,Liability,AccountsPayable,
builders,2010,Due to builders,Liability,AccountsPayable,Investing
card,2050,Card,Liability,CreditCard,
vat,2100,Sales tax,Liability,SalesTax,
accrued,2200,Accrued,Liability,OtherCurrentLiability,
owed,2300,Owed to owners,Liability,OtherCurrentLiability,
credit,2400,Line of credit,Liability,Bank,
loan,2500,Loan,Liability,LongTermLiability,
lease,2510,Lease,Liability,LongTermLiability,
capital,3000,Capital,Equity,Capital,
drawings,3100,Drawings,Equity,Drawings,
reserve,3200,Reserve,Equity,OtherEquity,
retained,3900,Retained earnings,Equity,RetainedEarnings,
sales,4000,Sales,Income,Sales,
wages,6000,Wages,Expense,Expense,
depreciation,6100,Depreciation,Expense,Depreciation,
used,5100,Depreciation of plant,CostOfSales,Depreciation,
gain,8000,Gain on disposal,OtherIncome,OtherIncome,
loss,8100,Loss on disposal,OtherExpense,OtherExpense,
tax,8900,Income tax,OtherExpense,IncomeTax,
`
type Line = readonly [account: string, cents: number]

/** What one entry may be about, in amounts *a* > *b* > *c*. */
const ABOUT = {
  gain: 'bank a-b+c, plantdep b, plant -a, gain -c',
  'loss, with tax': 'bank a-b, vandep b, van -a, loss c, vat -c',
  'on credit': 'debtors a-b+c, plantdep b, plant -a, gain -c',
  'to a buyer who owes': 'buyer a-b+c, vandep b, van -a, gain -c',
  'trade-in': 'van -a, vandep b, van a+c, bank -a, gain a-b-c',
  'several assets': 'plant -a, van -b, plantdep c, vandep c, bank a+b-c, loss -c',
  'paid by overdraft': 'credit a-b-c, plantdep b, plant -a, loss c',
  'paid by card': 'card a-b-c, vandep b, van -a, loss c',
  'with income tax': 'bank a-b, plantdep b, plant -a, gain -c, tax c',
  scrapping: 'plantdep b, loss a-b, plant -a',
  'scrapping, charged': 'vandep b, depreciation a-b, van -a',
  'depreciation up to date': 'depreciation c, plantdep -c, plantdep b+c, bank a, plant -a-b, gain -c',
  'a loan paid off': 'plantdep b, loan a-b, plant -a-c, loss c',
  'written off, then sold': 'gain a, plant -a',
  'sold, written off before': 'bank a, gain -a',
  'land, with a charge of the month': 'bank a+c, plant -a, gain -c, used b, plantdep -b',
  bought: 'plant a, vat b, bank -a-b',
  'on account': 'van a, creditors -a',
  'owed to builders': 'plant a, builders -b, card b-a',
  'by loan': 'plant a, loan -a',
  'by loan in part': 'van a, loan -b, credit b-a',
  'with a down payment': 'plant a, prepaid -b, bank b-a',
  lease: 'van a, lease -a, lease b, wages a-b, bank -a',
  'capital in kind': 'plant a, stock b, capital -a-b',
  'exchanged for shares': 'shares a+c, plant -a, plantdep b, gain -b-c',
  dividend: 'drawings a, bank -a',
  'dividend owed': 'retained a, owed -a',
  'shares for staff': 'wages a, reserve -a',
  correction: 'retained a, stock -b, accrued b-a',
  'a line of nothing': 'wages a, reserve -a, till 0',
  'capital in kind and for a loan': 'plant a, stock b, loan c, capital -a, reserve -b-c',
  refinanced: 'loan a, lease -a-b, bank b',
  'loan made capital': 'loan a, capital b-a, sales -b',
  revalued: 'plant a, reserve -a',
  'inside equity': 'retained a, reserve -a',
  payroll: 'wages a, accrued -b, bank b-a',
  charge: 'depreciation a, used b, plantdep -a, vandep -b',
  'charged directly': 'depreciation a, plant -b, written b-a',
  invoice: 'debtors a, sales b-a, vat -b',
  'income tax': 'tax a, accrued -a',
  transfer: 'till a, bank -a',
}
const KINDS = Object.values(ABOUT)

/** The lines of such an entry. */
const lines = (about: string, given: Readonly<Record<string, number>>): Line[] =>
  about.split(', ').map((line) => {
    const [account, sum] = line.split(' ')
    const terms = [...sum!.matchAll(/(-?)([abc])/g)]
    return [
      account!,
      terms.reduce((total, [, minus, name]) => total + (minus === '' ? 1 : -1) * given[name!]!, 0),
    ]
  })
const CLASSES = ['', 'east', 'shop', 'west']
const DEPARTMENTS = ['', 'works', 'office']

/** What exports without numbers of entries make of their ids. */
const IDS: readonly ((n: number, date: string) => string)[] = [
  (n) => `e${n}`,
  (n) => `e${n}`,
  (_, date) => date,
  (_, date) => date.slice(0, 7),
]

export function flowCompany(seed: number): Files {
  const random = seeded(`flow ${seed}`)
  const id = IDS[seed % IDS.length]!
  const rows: string[] = []
  const add = (n: number, date: string, lines: readonly Line[], settles = '') => {
    for (const [account, cents] of lines)
      for (const part of split(random, cents)) {
        const link = account === 'debtors' || account === 'creditors' ? settles : ''
        rows.push(
          [
            id(n, date),
            date,
            account,
            money(part),
            random.pick(CLASSES),
            random.pick(DEPARTMENTS),
            link,
          ].join(','),
        )
      }
  }
  for (let n = 1; n <= 45; n++) {
    const all = Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () =>
      lines(random.pick(KINDS), amounts(random)),
    ).flat()
    const date = `2025-0${random.between(1, 3)}-${random.between(10, 14)}`
    add(n, date, all)
    const back = all.map(([account, cents]): Line => [account, -cents])
    // Taken back later, in an entry of its own or, in another month, under the number of the first.
    if (random.chance(15)) add(random.pick([n, n + 1000]), `2025-0${random.between(4, 5)}-12`, back)
    const due = all.filter(([account]) => account === 'debtors' || account === 'creditors')
    for (const [account, cents] of due)
      if (random.chance(60)) {
        const paid = Math.round((cents * random.pick([40, 100])) / 100)
        add(
          n + 2000,
          `2025-0${random.between(3, 5)}-20`,
          [
            [account, -paid],
            ['bank', paid],
          ],
          id(n, date),
        )
      }
  }
  return {
    'company.yaml': companyYaml(`classes: classes.csv
departments: departments.csv
${random.chance(60) ? `disposals: { gainsAndLosses: [${random.pick(['gain', 'gain, loss'])}] }\n` : ''}${random.chance(60) ? 'overdrafts: [credit]\n' : ''}${random.chance(60) ? 'cashFlow: { owed: Financing }\n' : ''}cashBasis: { maxUnlinked: 1000000000 }
`),
    'chart.csv': CHART,
    'classes.csv': 'id,name,parent\neast,East,\nshop,Shop,east\nwest,West,\n',
    'departments.csv': 'id,name,parent\nworks,Works,\noffice,Office,\n',
    'ledger.csv': `transaction_id,date,account,amount,class,department,settles\n${rows.join('\n')}\n`,
  }
}

/** Three amounts, mostly the greatest first; small ones, whose shares leave remainders, are among them. */
function amounts(random: Random): Record<string, number> {
  const a = random.between(3, random.pick([9, 900, 90_000]))
  const b = random.between(1, random.chance(90) ? a - 1 : a + 5)
  return { a, b, c: random.between(0, b) }
}

/** An amount as one to three lines, one of which may have the other sign. */
function split(random: Random, cents: number): number[] {
  if (random.chance(65)) return [cents]
  const first = Math.round((cents * random.between(-40, 120)) / 100)
  return random.chance(50) ? [first, cents - first] : [first, 1, cents - first - 1]
}

const money = (cents: number): string => (cents / 100).toFixed(2)
