/** Goods bought and sold on, and the running bills: payables, prepayments, cards, accruals, mistakes mended. */
import { addDays, addMonths, businessDay, dayOf, lastDay, monthNumber } from '../calendar.ts'
import { firstOfNextMonth, type Line, reversed, share, type Tags } from '../journal.ts'
import { type Random, seeded } from '../random.ts'
import {
  BANK,
  growth,
  LAST_MONTH,
  PAYABLES,
  PRODUCT_LINES,
  type ProductLine,
  priceLevel,
  season,
  usd,
  type World,
} from './world.ts'

const SUPPLIERS: Record<string, readonly string[]> = {
  'deck hardware': ['Lewmar Americas', 'Schaefer Marine'],
  'rope and rigging': ['New England Ropes', 'Crosby Fittings'],
  'safety equipment': ['Mustang Survival', 'Viking Life-Saving'],
  'marine electronics': ['Raymarine Inc.', 'Furuno USA'],
}

/** Cost of an average month per product line, from what the sales plan expects; stock is kept for about two. */
function expectedCost(product: ProductLine, month: string): number {
  const average = share(share(usd(400_000), product.weight, 100), product.costPercent, 60)
  return share(share(average, season(month), 100), growth(month) * priceLevel(month), 10_000)
}

const shipments = (world: World, month: string, product: ProductLine): { class: string; cost: number }[] =>
  [...world.shipped].flatMap(([key, { cost }]) => {
    const [shippedIn, memberClass, name] = key.split('|') as [string, string, string]
    return shippedIn === month && name === product.name ? [{ class: memberClass, cost }] : []
  })
const shippedCost = (world: World, month: string, product: ProductLine): number =>
  shipments(world, month, product).reduce((sum, { cost }) => sum + cost, 0)

/** Buys what left the shelves and what the next month and a half will need; freight on the bill, imports with duty. */
export function buyGoods(world: World, month: string): void {
  const random = seeded(`harbor/purchases/${month}`)
  for (const product of PRODUCT_LINES) {
    const now = shippedCost(world, month, product)
    const [next, after] = [1, 2].map((ahead) => expectedCost(product, addMonths(month, ahead)))
    const need = now + next! + share(after!, 1, 2) - world.journal.balance(product.inventory)
    if (need < usd(8_000)) continue
    const parts = need > usd(120_000) ? 2 : 1
    for (let part = 0; part < parts; part++) {
      const goods = random.around(Math.round(need / parts), 12)
      receiveGoods(world, month, random, product, goods)
    }
  }
  if (monthNumber(month) % 3 === 0) goodsInTransit(world, month, random)
}

function receiveGoods(
  world: World,
  month: string,
  random: Random,
  product: ProductLine,
  goods: number,
): void {
  const supplier = random.pick(SUPPLIERS[product.name]!)
  const date = businessDay(dayOf(month, random.between(2, 24)))
  const imported = product.name === 'marine electronics' && supplier === 'Furuno USA'
  const tags: Tags = { department: 'purchasing' }
  const charges: Line[] = [
    { account: '5210', amount: share(goods, random.between(14, 26), 1000), ...tags, memo: 'Freight in' },
    { account: '5220', amount: imported ? share(goods, 31, 1000) : 0, ...tags, memo: 'Customs duty' },
  ]
  // Imports are paid for in part when they are ordered.
  const deposit = imported ? share(goods, 30, 100) : 0
  if (deposit > 0)
    world.journal.post('PMT', businessDay(dayOf(month, 1)), `Deposit ${supplier}`, [
      { account: '1340', amount: deposit, ...tags },
      { account: BANK, amount: -deposit, ...tags },
    ])
  const lines: Line[] = [
    { account: product.inventory, amount: goods, department: 'warehouse', memo: `Goods, ${product.name}` },
    ...charges,
    { account: '1340', amount: -deposit, ...tags, memo: 'Deposit applied' },
  ]
  const bill = owe(world, 'BIL', date, supplier, tags, lines)
  if (random.chance(7)) returnGoods(world, random, bill, product, goods)
  pay(world, bill, addDays(date, random.between(28, 44)), random.chance(15) ? 1 : 0)
}

interface Bill {
  readonly id: string
  readonly date: string
  readonly supplier: string
  readonly tags: Tags
  readonly payables: string
  open: number
}

function owe(
  world: World,
  series: string,
  date: string,
  supplier: string,
  tags: Tags,
  lines: readonly Line[],
  payables = PAYABLES,
): Bill {
  const open = lines.reduce((sum, line) => sum + line.amount, 0)
  const id = world.journal.post(series, date, supplier, [
    ...lines,
    { account: payables, amount: -open, ...tags },
  ])
  return { id, date, supplier, tags, payables, open }
}

/** Pays what is open then, less a discount in percent for paying at once. */
function pay(world: World, bill: Bill, date: string, discountPercent = 0): void {
  world.journal.later(businessDay(date), (day) => {
    if (bill.open === 0) return
    const discount = share(bill.open, discountPercent, 100)
    world.journal.post('PMT', day, `Payment ${bill.supplier}`, [
      { account: bill.payables, amount: bill.open, ...bill.tags, settles: bill.id },
      { account: '5940', amount: -discount, ...bill.tags, memo: 'Discount taken' },
      { account: BANK, amount: discount - bill.open, ...bill.tags },
    ])
    bill.open = 0
  })
}

/** Faulty goods go back: the supplier's credit note is set against the open bill. */
function returnGoods(world: World, random: Random, bill: Bill, product: ProductLine, goods: number): void {
  world.journal.later(businessDay(addDays(bill.date, random.between(5, 15))), (day) => {
    const credit = share(goods, random.between(4, 12), 100)
    world.journal.post('SCN', day, `Supplier credit ${bill.supplier}`, [
      { account: PAYABLES, amount: credit, ...bill.tags, settles: bill.id },
      { account: product.inventory, amount: -credit, department: 'warehouse', memo: 'Faulty goods returned' },
    ])
    bill.open -= credit
  })
}

/** At quarter's end goods are on the way that no bill has come for: accrued, and reversed on the first. */
function goodsInTransit(world: World, month: string, random: Random): void {
  const amount = usd(random.between(14_000, 48_000))
  const lines: Line[] = [
    { account: '1250', amount, department: 'purchasing' },
    { account: '2019', amount: -amount, department: 'purchasing' },
  ]
  accrueAndReverse(world, month, 'Goods in transit', lines)
}

function accrueAndReverse(world: World, month: string, memo: string, lines: readonly Line[]): void {
  const id = world.journal.post('ADJ', lastDay(month), memo, lines)
  world.journal.later(firstOfNextMonth(lastDay(month)), (day) =>
    world.journal.post('REV', day, `Reversal of ${id}: ${memo}`, reversed(lines), id),
  )
}

/** What was shipped in the month leaves the stock at cost; year-end counts find what is missing or unsaleable. */
export function bookCostOfSales(world: World, month: string): void {
  const date = lastDay(month)
  const department = 'warehouse'
  const lines: Line[] = PRODUCT_LINES.flatMap((product) => {
    const sold = shipments(world, month, product)
    const cost = shippedCost(world, month, product)
    return [
      ...sold.map((entry) => ({
        account: product.cost,
        amount: entry.cost,
        class: entry.class,
        department,
      })),
      { account: product.inventory, amount: -cost, department },
    ]
  })
  world.journal.post('COS', date, 'Cost of goods shipped', lines)
  if (monthNumber(month) !== 12) return
  const random = seeded(`harbor/count/${month}`)
  for (const product of PRODUCT_LINES) {
    const missing = share(world.journal.balance(product.inventory), random.between(2, 8), 1000)
    world.journal.post('STK', date, `Stock count, ${product.name}`, [
      { account: '5910', amount: missing, department },
      { account: product.inventory, amount: -missing, department },
    ])
  }
  const obsolete = usd(random.between(3_000, 9_000))
  world.journal.post('STK', date, 'Reserve for unsaleable stock', [
    { account: '5920', amount: obsolete, department: 'purchasing' },
    { account: '1290', amount: -obsolete, department: 'purchasing' },
  ])
}

/** A bill that comes again and again. `months`: which months it comes in, `*` for all. */
interface RunningBill {
  readonly supplier: string
  readonly account: string
  readonly dollars: number
  readonly months: '*' | readonly number[]
  readonly day: number
  readonly terms: number
  readonly class?: string
  readonly department?: string
  /** Percent by which the amount varies. */
  readonly varies?: number
  /** Percent by which it rises each year. */
  readonly rises?: number
  readonly from?: string
  readonly until?: string
  /** Heating and boat shows have seasons of their own. */
  readonly byMonth?: readonly number[]
}

const QUARTERLY = [3, 6, 9, 12] as const
const WINTER = [190, 180, 150, 100, 60, 30, 25, 25, 40, 90, 130, 180]

const RUNNING: readonly RunningBill[] = [
  {
    supplier: 'Commercial Street Realty',
    account: '6310',
    dollars: 14_500,
    months: '*',
    day: 1,
    terms: 4,
    department: 'warehouse',
    rises: 3,
  },
  {
    supplier: 'Old Port Properties',
    account: '6320',
    dollars: 6_800,
    months: '*',
    day: 1,
    terms: 4,
    class: 'retail-portland',
    department: 'sales',
    rises: 3,
  },
  {
    supplier: 'Seaport Boston LP',
    account: '6320',
    dollars: 9_400,
    months: '*',
    day: 1,
    terms: 4,
    class: 'retail-boston',
    department: 'sales',
    rises: 4,
    from: '2024-03',
  },
  {
    supplier: 'Bath Self Storage',
    account: '6390',
    dollars: 1_150,
    months: '*',
    day: 3,
    terms: 10,
    department: 'warehouse',
    until: '2023-09',
  },
  {
    supplier: 'Central Maine Power',
    account: '6330',
    dollars: 3_900,
    months: '*',
    day: 22,
    terms: 18,
    department: 'warehouse',
    varies: 12,
    rises: 4,
  },
  {
    supplier: 'Summit Natural Gas',
    account: '6340',
    dollars: 1_700,
    months: '*',
    day: 24,
    terms: 18,
    department: 'warehouse',
    varies: 10,
    byMonth: WINTER,
  },
  {
    supplier: 'Troiano Waste Services',
    account: '6370',
    dollars: 1_250,
    months: '*',
    day: 12,
    terms: 25,
    department: 'ops',
    varies: 6,
  },
  {
    supplier: 'Harbor Facilities LLC',
    account: '6350',
    dollars: 2_400,
    months: [2, 4, 5, 7, 9, 11],
    day: 16,
    terms: 30,
    department: 'ops',
    varies: 55,
  },
  {
    supplier: 'Estes Freight Lines',
    account: '5230',
    dollars: 17_500,
    months: '*',
    day: 27,
    terms: 28,
    class: 'wholesale',
    department: 'delivery',
    varies: 14,
    byMonth: [62, 68, 95, 128, 146, 138, 120, 108, 92, 84, 78, 81],
  },
  {
    supplier: 'Uline',
    account: '5240',
    dollars: 3_100,
    months: '*',
    day: 9,
    terms: 30,
    department: 'warehouse',
    varies: 25,
  },
  {
    supplier: 'Downeast Machine Works',
    account: '5320',
    dollars: 6_200,
    months: '*',
    day: 20,
    terms: 30,
    class: 'services-rigging',
    department: 'workshop',
    varies: 35,
    byMonth: [60, 70, 110, 150, 150, 130, 110, 90, 90, 90, 70, 60],
  },
  {
    supplier: 'Hamilton Marine Coatings',
    account: '5310',
    dollars: 4_100,
    months: '*',
    day: 11,
    terms: 30,
    class: 'services-rigging',
    department: 'workshop',
    varies: 30,
  },
  {
    supplier: 'Google Ads',
    account: '6410',
    dollars: 5_600,
    months: '*',
    day: 28,
    terms: 15,
    class: 'retail-online',
    department: 'sales',
    varies: 15,
    rises: 9,
  },
  {
    supplier: 'Maine Boatbuilders Show',
    account: '6420',
    dollars: 12_500,
    months: [3],
    day: 6,
    terms: 14,
    class: 'wholesale-ne',
    department: 'sales',
    varies: 8,
  },
  {
    supplier: 'Fort Lauderdale Boat Show',
    account: '6420',
    dollars: 28_000,
    months: [9],
    day: 10,
    terms: 20,
    class: 'wholesale-se',
    department: 'sales',
    varies: 8,
  },
  {
    supplier: 'Penmor Lithographers',
    account: '6430',
    dollars: 24_000,
    months: [1],
    day: 18,
    terms: 30,
    class: 'wholesale',
    department: 'sales',
    varies: 6,
  },
  {
    supplier: 'Oracle NetSuite',
    account: '6610',
    dollars: 4_300,
    months: '*',
    day: 5,
    terms: 20,
    department: 'it',
    rises: 6,
  },
  {
    supplier: 'Consolidated Communications',
    account: '6620',
    dollars: 1_480,
    months: '*',
    day: 14,
    terms: 20,
    department: 'it',
    varies: 4,
  },
  {
    supplier: 'Verrill Dana LLP',
    account: '6710',
    dollars: 5_500,
    months: [2, 6, 10],
    day: 19,
    terms: 30,
    department: 'admin',
    varies: 40,
  },
  {
    supplier: 'Berry Dunn CPAs',
    account: '6720',
    dollars: 19_500,
    months: [3, 9],
    day: 21,
    terms: 30,
    department: 'finance',
    rises: 4,
  },
  {
    supplier: 'Tidewater Consulting',
    account: '6730',
    dollars: 8_200,
    months: [5, 11],
    day: 13,
    terms: 30,
    department: 'admin',
    varies: 20,
  },
  {
    supplier: 'Anthem Blue Cross',
    account: '6230',
    dollars: 19_800,
    months: '*',
    day: 1,
    terms: 8,
    department: 'admin',
    rises: 7,
  },
  {
    supplier: 'MEMIC',
    account: '6250',
    dollars: 10_500,
    months: QUARTERLY,
    day: 8,
    terms: 20,
    department: 'ops',
    varies: 5,
  },
  {
    supplier: 'City of Portland',
    account: '6760',
    dollars: 2_100,
    months: [4],
    day: 15,
    terms: 15,
    department: 'admin',
  },
  { supplier: 'NMMA', account: '6770', dollars: 4_800, months: [1], day: 12, terms: 20, department: 'sales' },
  {
    supplier: 'Casco Bay Truck Service',
    account: '6520',
    dollars: 2_300,
    months: [1, 3, 4, 6, 8, 10, 12],
    day: 17,
    terms: 25,
    department: 'delivery',
    varies: 45,
  },
  {
    supplier: 'Coastal Training Institute',
    account: '6260',
    dollars: 3_400,
    months: [2, 10],
    day: 23,
    terms: 30,
    department: 'workshop',
    varies: 20,
  },
]

export function billRunningCosts(world: World, month: string): void {
  const random = seeded(`harbor/bills/${month}`)
  const number = monthNumber(month)
  for (const cost of RUNNING) {
    if ((cost.from ?? '') > month || (cost.until ?? '9') < month) continue
    if (cost.months !== '*' && !cost.months.includes(number)) continue
    const level = 100 + (cost.rises ?? 2) * (Number(month.slice(0, 4)) - 2023)
    const seasonal = share(share(usd(cost.dollars), level, 100), cost.byMonth?.[number - 1] ?? 100, 100)
    const amount = cost.varies ? random.around(seasonal, cost.varies) : seasonal
    const date = cost.day === 1 ? dayOf(month, 1) : businessDay(dayOf(month, cost.day))
    const tags = { class: cost.class, department: cost.department }
    const wrong = cost.account === '6410' && random.chance(6)
    const account = wrong ? '6430' : cost.account
    const bill = owe(world, 'BIL', date, cost.supplier, tags, [{ account, amount, ...tags }])
    if (wrong) correct(world, bill, amount)
    if (cost.supplier === 'Estes Freight Lines' && random.chance(30)) payInParts(world, bill, cost.terms)
    else pay(world, bill, addDays(date, cost.terms + random.between(-2, 3)))
  }
  payInsurance(world, month)
  if (number % 3 === 0) accrueUnbilled(world, month, random)
}

/** Booked on catalogues, belongs to online advertising: found and moved in the next month. */
function correct(world: World, bill: Bill, amount: number): void {
  world.journal.later(businessDay(addDays(bill.date, 20)), (day) =>
    world.journal.post(
      'COR',
      day,
      `Correction of ${bill.id}: wrong account`,
      [
        { account: '6410', amount, ...bill.tags },
        { account: '6430', amount: -amount, ...bill.tags },
      ],
      bill.id,
    ),
  )
}

function payInParts(world: World, bill: Bill, terms: number): void {
  world.journal.later(businessDay(addDays(bill.date, terms)), (day) => {
    const part = share(bill.open, 3, 7)
    world.journal.post('PMT', day, `Part payment ${bill.supplier}`, [
      { account: bill.payables, amount: part, ...bill.tags, settles: bill.id },
      { account: BANK, amount: -part, ...bill.tags },
    ])
    bill.open -= part
  })
  pay(world, bill, addDays(bill.date, terms + 24))
}

/** Yearly premiums are paid ahead and used up month by month; software licences and rent ahead likewise. */
const PREPAID = [
  {
    supplier: 'Acadia Insurance',
    prepaid: '1310',
    expense: '6360',
    dollars: 26_400,
    month: 2,
    department: 'ops',
  },
  {
    supplier: 'Hanover Insurance',
    prepaid: '1310',
    expense: '6750',
    dollars: 31_200,
    month: 7,
    department: 'admin',
  },
  {
    supplier: 'Progressive Commercial',
    prepaid: '1310',
    expense: '6530',
    dollars: 14_880,
    month: 5,
    department: 'delivery',
  },
  { supplier: 'Microsoft', prepaid: '1330', expense: '6610', dollars: 13_200, month: 10, department: 'it' },
] as const

function payInsurance(world: World, month: string): void {
  for (const policy of PREPAID.filter((candidate) => candidate.month === monthNumber(month))) {
    const date = businessDay(dayOf(month, 10))
    const tags = { department: policy.department }
    const years = Number(month.slice(0, 4)) - 2023
    // A multiple of twelve cents' dollars: each month uses up exactly a twelfth.
    const premium = usd(policy.dollars + 12 * 40 * years)
    const bill = owe(world, 'BIL', date, policy.supplier, tags, [
      { account: policy.prepaid, amount: premium, ...tags },
    ])
    pay(world, bill, addDays(date, 15))
    for (let ahead = 0; ahead < 12; ahead++)
      world.journal.later(lastDay(addMonths(month, ahead)), (day) =>
        world.journal.post('ADJ', day, `${policy.supplier}, month ${ahead + 1} of 12`, [
          { account: policy.expense, amount: premium / 12, ...tags },
          { account: policy.prepaid, amount: -premium / 12, ...tags },
        ]),
      )
  }
}

/** Services received at quarter's end and not yet billed. */
function accrueUnbilled(world: World, month: string, random: Random): void {
  const amount = usd(random.between(2_200, 7_400))
  accrueAndReverse(world, month, 'Consulting received, not billed', [
    { account: '6730', amount, department: 'admin' },
    { account: '2410', amount: -amount, department: 'admin' },
  ])
}

const CARD_SPENDING = [
  { card: '2110', account: '6440', dollars: 2_300, class: 'wholesale', department: 'sales' },
  { card: '2110', account: '6450', dollars: 640, class: 'wholesale', department: 'sales' },
  { card: '2110', account: '6630', dollars: 520, class: undefined, department: 'admin' },
  { card: '2110', account: '6640', dollars: 310, class: 'retail-online', department: 'delivery' },
  { card: '2120', account: '6510', dollars: 3_400, class: undefined, department: 'delivery' },
] as const

/** Cards are charged through the month and paid in full on the 12th of the next. */
export function useCards(world: World, month: string): void {
  const random = seeded(`harbor/cards/${month}`)
  for (const spending of CARD_SPENDING) {
    const tags = { class: spending.class, department: spending.department }
    const amount = random.around(share(usd(spending.dollars), priceLevel(month), 100), 35)
    world.journal.post('CRD', dayOf(month, random.between(3, 27)), 'Card purchase', [
      { account: spending.account, amount, ...tags },
      { account: spending.card, amount: -amount, ...tags },
    ])
  }
  if (month > LAST_MONTH) return
  world.journal.later(lastDay(month), () => {
    for (const card of ['2110', '2120']) {
      const owed = 0 - world.journal.balance(card)
      world.journal.later(businessDay(dayOf(addMonths(month, 1), 12)), (day) =>
        world.journal.post('PMT', day, 'Card statement', [
          { account: card, amount: owed },
          { account: BANK, amount: -owed, department: 'finance' },
        ]),
      )
    }
  })
}

/** Equipment is bought on its own payables account, which the cash flow shows under investing. */
export function buyEquipment(
  world: World,
  date: string,
  supplier: string,
  account: string,
  cost: number,
  department: string,
): void {
  const tags = { department }
  const bill = owe(world, 'CAP', date, supplier, tags, [{ account, amount: cost, ...tags }], '2012')
  pay(world, bill, addDays(date, 30))
}
