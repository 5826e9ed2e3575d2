/** Invoices and how they are paid: receipts late, in parts, with discount, in advance, credited, written off. */
import { addDays, businessDay, dayOf, daysIn, lastDay } from '../calendar.ts'
import { type Line, reversed, share, type Tags } from '../journal.ts'
import { type Random, seeded } from '../random.ts'
import {
  BANK,
  growth,
  LAST_MONTH,
  PRODUCT_LINES,
  type ProductLine,
  priceLevel,
  RECEIVABLES,
  season,
  ship,
  usd,
  type World,
} from './world.ts'

interface Customer {
  readonly name: string
  readonly class: string
  /** Percent of an average order. */
  readonly size: number
  /** Days after the due date at which this customer usually pays. */
  readonly late: number
  readonly tax?: readonly [account: string, perMille: number]
  readonly until?: string
}

const FLORIDA = ['2230', 60] as const
const CUSTOMERS: readonly Customer[] = [
  { name: 'Boothbay Marina', class: 'wholesale-ne-marinas', size: 120, late: 4 },
  { name: 'Camden Yacht Yard', class: 'wholesale-ne-marinas', size: 150, late: 12 },
  { name: 'Newport Boatworks', class: 'wholesale-ne-marinas', size: 170, late: 2 },
  { name: 'Mystic River Marine', class: 'wholesale-ne-marinas', size: 90, late: 20 },
  { name: 'Plymouth Harbor Services', class: 'wholesale-ne-marinas', size: 60, late: 8 },
  { name: 'Gloucester Trawlers Co-op', class: 'wholesale-ne-fleets', size: 140, late: 25 },
  { name: 'New Bedford Scallop Fleet', class: 'wholesale-ne-fleets', size: 180, late: 15 },
  { name: 'Stonington Lobster Co-op', class: 'wholesale-ne-fleets', size: 80, late: 5 },
  { name: 'Charleston Ship Store', class: 'wholesale-se', size: 100, late: 6 },
  { name: 'Savannah Marine Supply', class: 'wholesale-se', size: 85, late: 18 },
  { name: 'Key West Charters', class: 'wholesale-se', size: 70, late: 10, tax: FLORIDA },
  { name: 'Biscayne Sailing School', class: 'wholesale-se', size: 45, late: 3, tax: FLORIDA },
  { name: 'Puget Sound Chandlery', class: 'wholesale-west', size: 110, late: 7 },
  { name: 'San Diego Marine Exchange', class: 'wholesale-west', size: 130, late: 9 },
  { name: 'Astoria Fishing Gear', class: 'wholesale-west', size: 65, late: 28 },
  { name: 'Halifax Marine (Canada)', class: 'EXP', size: 95, late: 30, until: '2024-03' },
]
const WORKSHOP_CUSTOMERS = [
  'Casco Bay Ferries',
  'Maine Sailing Academy',
  'Harpswell Yacht Club',
  'Islesboro Boat Co.',
]
const MAINE = ['2210', 55] as const

interface Invoice {
  readonly id: string
  readonly date: string
  readonly customer: string
  readonly tags: Tags
  open: number
}

/** One month's invoices, with everything that will happen to them put on the calendar. */
export function invoiceMonth(world: World, month: string): void {
  const random = seeded(`harbor/invoices/${month}`)
  const count = Math.max(4, Math.round((10 * season(month) * growth(month)) / 10_000))
  const active = CUSTOMERS.filter((customer) => customer.until === undefined || month <= customer.until)
  for (let i = 0; i < count; i++) wholesaleInvoice(world, month, random, random.pick(active))
  for (let i = 0; i < random.between(3, 4); i++) workshopInvoice(world, month, random)
  for (let i = 0; i < 2; i++) rentalInvoice(world, month, random)
  world.customersAt.set(month, world.customers.size)
}

function productLines(world: World, month: string, random: Random, customer: Customer): Line[] {
  const chosen = new Map<string, Line>()
  for (let i = 0; i < random.between(2, 3); i++) {
    const product = weighted(random)
    const item = random.pick(product.items)
    const price = share(item.price, priceLevel(month), 100)
    const units = Math.max(
      1,
      Math.round(share(usd(random.between(10_000, 30_000)), customer.size, 100) / price),
    )
    ship(world, month, customer.class, product, units, units * price)
    // One line per product line on an invoice; a second item of it adds to that line.
    const before = chosen.get(product.sales)
    chosen.set(product.sales, {
      account: product.sales,
      amount: (before?.amount ?? 0) - units * price,
      class: customer.class,
      department: 'sales',
      memo: before ? `${before.memo}, ${units} × ${item.name}` : `${units} × ${item.name}`,
    })
  }
  return [...chosen.values()]
}

function weighted(random: Random): ProductLine {
  let mark = random.between(1, 100)
  for (const product of PRODUCT_LINES) {
    mark -= product.weight
    if (mark <= 0) return product
  }
  return PRODUCT_LINES[0]!
}

function wholesaleInvoice(world: World, month: string, random: Random, customer: Customer): void {
  world.customers.add(customer.name)
  const date = businessDay(dayOf(month, random.between(2, 28)))
  const goods = productLines(world, month, random, customer)
  const shipping: Line = {
    account: '4310',
    amount: -usd(random.between(90, 640)),
    class: customer.class,
    department: 'delivery',
    memo: 'Shipping',
  }
  const lines = [...goods, ...(random.chance(70) ? [shipping] : [])]
  // A large fleet order now and then is paid for in part before it is shipped.
  const ordered = total(lines)
  const deposit = ordered > usd(75_000) && random.chance(25) ? Math.round(ordered / 300) * 100 : 0
  const depositId = deposit > 0 ? depositInvoice(world, date, customer, deposit) : null
  const applied: Line[] =
    depositId === null
      ? []
      : [{ account: '2440', amount: deposit, class: customer.class, memo: `Deposit ${depositId}` }]
  const tags = { class: customer.class }
  const id = world.journal.reserve('INV', date)
  const early = depositId === null && random.chance(2)
  const invoice = post(world, id, date, customer.name, tags, [...lines, ...applied], customer.tax)
  if (early) paidInAdvance(world, invoice, random)
  else if (depositId !== null) payLater(world, invoice, addDays(date, 30 + customer.late))
  else settle(world, invoice, random, customer, lines)
}

function workshopInvoice(world: World, month: string, random: Random): void {
  const date = businessDay(dayOf(month, random.between(5, daysIn(month))))
  const tags = { class: 'services-rigging', department: 'workshop' }
  const labour = share(usd(random.between(9_000, 19_000)), season(month), 100)
  const parts = random.chance(60) ? usd(random.between(800, 4_800)) : 0
  const customer = random.pick(WORKSHOP_CUSTOMERS)
  const lines: Line[] = [
    { account: random.chance(65) ? '4210' : '4220', amount: -labour, ...tags, memo: 'Labour' },
    // Parts come from the shelves: another department on the same document.
    {
      account: '4120',
      amount: -parts,
      class: 'services-rigging',
      department: 'sales',
      memo: 'Rope and fittings',
    },
  ]
  if (parts > 0) ship(world, month, 'services-rigging', PRODUCT_LINES[1]!, Math.round(parts / usd(80)), parts)
  const id = world.journal.reserve('INV', date)
  const invoice = post(world, id, date, customer, tags, lines, parts > 0 ? ['2210', 55, parts] : undefined)
  settle(world, invoice, random, { name: customer, class: tags.class, size: 100, late: 6 }, lines)
}

function rentalInvoice(world: World, month: string, random: Random): void {
  const date = businessDay(lastDay(month))
  const tags = { class: 'services-rental', department: 'workshop' }
  const fee = share(usd(random.between(3_200, 6_800)), season(month), 100)
  const id = world.journal.reserve('INV', date)
  const customer = random.pick(WORKSHOP_CUSTOMERS)
  const lines = [{ account: '4230', amount: -fee, ...tags, memo: 'Equipment rental' }]
  const invoice = post(world, id, date, customer, tags, lines, MAINE)
  settle(world, invoice, random, { name: customer, class: tags.class, size: 100, late: 3 }, lines)
}

/** A deposit invoice bills no revenue: it stands as a liability until the order is shipped. */
function depositInvoice(world: World, orderDate: string, customer: Customer, deposit: number): string {
  const date = addDays(orderDate, -1)
  const id = world.journal.reserve('DIN', date)
  const lines = [{ account: '2440', amount: -deposit, class: customer.class, memo: 'Deposit on order' }]
  const invoice = post(world, id, date, customer.name, { class: customer.class }, lines)
  payLater(world, invoice, addDays(date, 10))
  return id
}

/** Books a document on receivables; tax is on all lines, or on the stated part of them. */
function post(
  world: World,
  id: string,
  date: string,
  customer: string,
  tags: Tags,
  lines: readonly Line[],
  tax?: readonly [account: string, perMille: number, taxed?: number],
): Invoice {
  const net = total(lines)
  const due = tax ? share(tax[2] ?? net, tax[1], 1000) : 0
  const taxLine: Line[] = tax ? [{ account: tax[0], amount: -due, class: tags.class, memo: 'Sales tax' }] : []
  world.journal.postAs(
    id,
    date,
    customer,
    [{ account: RECEIVABLES, amount: net + due, ...tags }, ...lines, ...taxLine],
    `${id}/${customer.split(' ')[0]}`,
  )
  return { id, date, customer, tags, open: net + due }
}

const total = (lines: readonly Line[]): number => 0 - lines.reduce((sum, line) => sum + line.amount, 0)

function receive(
  world: World,
  date: string,
  invoice: Invoice,
  amount: number,
  extra: readonly Line[] = [],
): void {
  const given = extra.reduce((sum, line) => sum + line.amount, 0)
  world.journal.post('RCP', date, `Receipt ${invoice.customer}`, [
    { account: BANK, amount: amount - given, ...invoice.tags },
    ...extra,
    { account: RECEIVABLES, amount: -amount, ...invoice.tags, settles: invoice.id },
  ])
  invoice.open -= amount
}

const payLater = (world: World, invoice: Invoice, date: string): void =>
  world.journal.later(businessDay(date), (day) => {
    if (invoice.open > 0) receive(world, day, invoice, invoice.open)
  })

/** Money that comes before its invoice is dated: the receipt already names the document it is for. */
function paidInAdvance(world: World, invoice: Invoice, random: Random): void {
  const day = Math.max(1, Number(invoice.date.slice(8)) - random.between(3, 12))
  receive(world, dayOf(invoice.date.slice(0, 7), day), invoice, invoice.open)
}

function settle(
  world: World,
  invoice: Invoice,
  random: Random,
  customer: Customer,
  lines: readonly Line[],
): void {
  const due = addDays(invoice.date, 30 + customer.late + random.between(-6, 14))
  const fate = random.between(1, 100)
  if (fate <= 9) {
    // Paid within ten days, less 2 percent.
    world.journal.later(businessDay(addDays(invoice.date, random.between(5, 10))), (day) => {
      const discount = share(invoice.open, 2, 100)
      receive(world, day, invoice, invoice.open, [
        {
          account: '4920',
          amount: discount,
          class: invoice.tags.class,
          department: 'sales',
          memo: 'Discount 2/10',
        },
      ])
    })
  } else if (fate <= 22) {
    // In two or three parts: a third of the sum first, uneven cents and all.
    world.journal.later(businessDay(addDays(due, -15)), (day) =>
      receive(world, day, invoice, share(invoice.open, 1, 3)),
    )
    if (random.chance(40))
      world.journal.later(businessDay(due), (day) => receive(world, day, invoice, share(invoice.open, 2, 5)))
    payLater(world, invoice, addDays(due, 20))
  } else if (fate <= 30 && lines[0]!.account.startsWith('41')) {
    credit(world, invoice, random, lines[0]!)
    payLater(world, invoice, due)
  } else if (fate === 31) writeOff(world, invoice)
  else if (fate === 32) enteredTwice(world, invoice)
  else payLater(world, invoice, due)
}

/** Goods come back: a credit note over part of a line, applied to the invoice, its tax in proportion. */
function credit(world: World, invoice: Invoice, random: Random, line: Line): void {
  const date = businessDay(addDays(invoice.date, random.between(6, 20)))
  world.journal.later(date, (day) => {
    const returned = share(-line.amount, random.between(8, 30), 100)
    const taxed = taxOf(world, invoice)
    const tax = taxed ? share(returned, taxed.amount, invoice.open - taxed.amount) : 0
    const gross = returned + tax
    world.journal.post('CRN', day, `Credit note ${invoice.customer}`, [
      {
        account: '4910',
        amount: returned,
        class: line.class,
        department: 'sales',
        memo: `Returned from ${invoice.id}`,
      },
      ...(taxed ? [{ account: taxed.account, amount: tax, class: line.class, memo: 'Sales tax' }] : []),
      { account: RECEIVABLES, amount: -gross, ...invoice.tags, settles: invoice.id },
    ])
    invoice.open -= gross
    const product = PRODUCT_LINES.find((candidate) => candidate.sales === line.account)
    if (!product) return
    const cost = share(returned, product.costPercent, 100)
    world.journal.post('STK', day, `Goods returned by ${invoice.customer}`, [
      { account: product.inventory, amount: cost, department: 'warehouse' },
      { account: product.cost, amount: -cost, class: line.class, department: 'warehouse' },
    ])
  })
}

function taxOf(world: World, invoice: Invoice): { account: string; amount: number } | null {
  const document = world.journal.transactions.find((transaction) => transaction.id === invoice.id)
  const tax = document?.lines.find((line) => line.account.startsWith('22'))
  return tax ? { account: tax.account, amount: -tax.amount } : null
}

/** Half is paid, the rest never: written off after seven months. */
function writeOff(world: World, invoice: Invoice): void {
  world.journal.later(businessDay(addDays(invoice.date, 75)), (day) =>
    receive(world, day, invoice, share(invoice.open, 1, 2)),
  )
  world.journal.later(businessDay(addDays(invoice.date, 210)), (day) => {
    world.journal.post('WOF', day, `Written off: ${invoice.customer}`, [
      { account: '6470', amount: invoice.open, class: invoice.tags.class, department: 'finance' },
      { account: RECEIVABLES, amount: -invoice.open, ...invoice.tags, settles: invoice.id },
    ])
    invoice.open = 0
  })
}

/** The same invoice booked a second time, found in the next month and reversed. */
function enteredTwice(world: World, invoice: Invoice): void {
  const original = world.journal.transactions.find((transaction) => transaction.id === invoice.id)!
  const copy = world.journal.reserve('INV', invoice.date)
  world.journal.postAs(copy, invoice.date, original.memo, original.lines, original.reference)
  world.journal.later(businessDay(addDays(invoice.date, 33)), (day) =>
    world.journal.post(
      'REV',
      day,
      `Reversal of ${copy}, entered twice`,
      reversed(original.lines).map((line) =>
        line.account === RECEIVABLES ? { ...line, settles: copy } : line,
      ),
      copy,
    ),
  )
  payLater(world, invoice, addDays(invoice.date, 45))
}

interface Shop {
  readonly class: string
  /** Dollars of an average half month, before tax. */
  readonly takings: number
  readonly from: string
  readonly tax: readonly [account: string, perMille: number]
  /** Percent of the takings that are taxed. */
  readonly taxed: number
  readonly yearlyGrowth: number
}
const SHOPS: readonly Shop[] = [
  { class: 'retail-portland', takings: 52_000, from: '2023-01', tax: MAINE, taxed: 96, yearlyGrowth: 3 },
  {
    class: 'retail-boston',
    takings: 43_000,
    from: '2024-04',
    tax: ['2220', 62.5],
    taxed: 98,
    yearlyGrowth: 9,
  },
  { class: 'retail-online', takings: 31_000, from: '2023-01', tax: MAINE, taxed: 31, yearlyGrowth: 16 },
]

/** Takings of each shop, booked twice a month; the card company pays them out three days later, less its fee. */
export function takeRetail(world: World, month: string): void {
  const random = seeded(`harbor/retail/${month}`)
  for (const date of [dayOf(month, 15), lastDay(month)])
    for (const shop of SHOPS.filter((candidate) => month >= candidate.from)) {
      const level = 100 + shop.yearlyGrowth * (Number(month.slice(0, 4)) - 2023)
      const target = share(share(usd(shop.takings), season(month), 100), level, 100)
      const lines = PRODUCT_LINES.map((product): Line => {
        const item = random.pick(product.items)
        const price = share(item.price, 12 * priceLevel(month), 1000)
        const units = Math.max(1, Math.round(share(random.around(target, 20), product.weight, 100) / price))
        // Shops sell above the wholesale list: the goods cost less of it.
        ship(world, month, shop.class, product, units, share(units * price, 84, 100))
        return { account: product.sales, amount: -units * price, class: shop.class, department: 'sales' }
      })
      const net = total(lines)
      const tax = share(share(net, shop.taxed, 100), shop.tax[1], 1000)
      world.journal.post('POS', date, `Takings ${shop.class}`, [
        { account: '1018', amount: net + tax, class: shop.class },
        ...lines,
        { account: shop.tax[0], amount: -tax, class: shop.class, memo: 'Sales tax' },
      ])
      const fee = share(net + tax, 23, 1000)
      world.journal.later(businessDay(addDays(date, 5)), (day) =>
        world.journal.post('DPT', day, `Card payout ${shop.class}`, [
          { account: BANK, amount: net + tax - fee, class: shop.class },
          { account: '6460', amount: fee, class: shop.class, department: 'finance' },
          { account: '1018', amount: -net - tax, class: shop.class },
        ]),
      )
    }
}

/** The states get on the 20th what was charged for them up to the end of the month before. */
export function remitSalesTax(world: World, month: string): void {
  for (const account of ['2210', '2220', '2230']) {
    const owed = 0 - world.journal.balance(account)
    if (owed > 0 && month <= LAST_MONTH)
      world.journal.later(businessDay(dayOf(month, 20)), (day) =>
        world.journal.post('TAX', day, 'Sales tax return', [
          { account, amount: owed },
          { account: BANK, amount: -owed, department: 'finance' },
        ]),
      )
  }
}

/** Volume rebates, paid out to the three best wholesale customers in December. */
export function grantRebates(world: World, month: string): void {
  if (!month.endsWith('-12')) return
  const random = seeded(`harbor/rebates/${month}`)
  for (const customer of ['Camden Yacht Yard', 'Newport Boatworks', 'New Bedford Scallop Fleet']) {
    const amount = usd(random.between(2_400, 6_200))
    const found = CUSTOMERS.find((candidate) => candidate.name === customer)!
    world.journal.post('RBT', businessDay(dayOf(month, 20)), `Volume rebate ${customer}`, [
      { account: '4930', amount, class: found.class, department: 'sales' },
      { account: BANK, amount: -amount, class: found.class },
    ])
  }
}
