/**
 * Random companies from a seed that bring together what is hardest to compute again: settlements of every kind, disposals
 * shown gross, closing entries, fiscal years that begin inside a month, trees of members, budgets with gaps, tagged metrics.
 */
import { addDays, monthText } from '../../builder/contract/calendar.ts'
import { type Random, seeded } from '../support/random.ts'
import { CHART, companyYaml, type Files } from '../support/workspace.ts'

const ALL_KINDS = `${CHART}vat,2100,Sales tax,Liability,SalesTax
stock,1200,Stock,Asset,Inventory
van,1510,Van,Asset,FixedAsset
float,1050,Card in transit,Liability,Bank
bankfee,6200,Bank charges,Expense,Expense
baddebt,6300,Bad debts,Expense,Expense
`
/** Ids that a file name has to escape. */
const CLASSES =
  'id,name,parent\nEast,East,\nÖst/1,Öst,East\nwest,West,\nwest 2,West two,west\nwest.3,West three,west 2\n'
const DEPARTMENTS = 'id,name,parent\nshop,Shop,\nworks,Works,\n'
const CLASS_IDS = ['', 'East', 'Öst/1', 'west', 'west 2', 'west.3']
const DEPARTMENT_IDS = ['', '', 'shop', 'works']

type Line = readonly [account: string, cents: number, settles?: string]

/** Keeps a ledger of entries that add up to zero. */
class Journal {
  readonly rows: string[] = []
  readonly #random: Random
  readonly #linked: 'settles' | 'open_item'
  #number = 0

  constructor(random: Random, linked: 'settles' | 'open_item') {
    this.#random = random
    this.#linked = linked
  }

  get header(): string {
    return `transaction_id,date,account,amount,class,department,${this.#linked},reference`
  }

  add(
    date: string,
    lines: readonly Line[],
    reference = '',
    id = `${this.#random.pick(['t', 'A', 'z'])}${++this.#number}`,
  ): string {
    const total = lines.reduce((sum, [, cents]) => sum + cents, 0)
    if (total !== 0) throw new Error(`${id} adds up to ${total}`)
    for (const [account, cents, link = ''] of lines) {
      const tags =
        reference === '' ? [this.#random.pick(CLASS_IDS), this.#random.pick(DEPARTMENT_IDS)] : ['', '']
      this.rows.push([id, date, account, money(cents), ...tags, link, reference].join(','))
    }
    return id
  }
}

const money = (cents: number): string =>
  `${cents < 0 ? '-' : ''}${Math.floor(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, '0')}`

/** An amount in so many parts, some of them of the other sign. */
function parts(random: Random, cents: number, count: number): number[] {
  const first = Array.from({ length: count - 1 }, () => random.between(-200, cents))
  return [...first, first.reduce((rest, part) => rest - part, cents)]
}

/** Money before its document or without one, and money that goes back, with links in either direction, in both and in none; in any order of days. */
function addMoney(journal: Journal, random: Random, n: number, by: (id: string) => string): void {
  const [open, deferred] = random.pick([
    ['debtors', ['sales', 'vat', 'returns', 'plant']],
    ['creditors', ['rent', 'cogs', 'vat', 'plant']],
  ] as const)
  const cents = random.between(100, 300_00) * (open === 'debtors' ? 1 : -1)
  const part = (least: number, most: number) => Math.round((cents * random.between(least, most)) / 100)
  const id = (kind: string) => `${random.pick(['t', 'A', 'z'])}${kind}${n}`
  const [money, document, note, back, again] = [id('m'), id('d'), id('n'), id('b'), id('a')]
  const named = (...ids: readonly string[]) => (random.chance(65) ? by(random.pick(ids)) : '')
  const add = (id: string, sign: number, amount: number, lines: readonly Line[]) => {
    const fee = random.chance(25) ? random.between(-90, 90) : 0
    const fees: Line[] = fee === 0 ? [] : [['bankfee', fee]]
    journal.add(
      addDays('2024-11-05', random.between(0, 110)),
      [['bank', sign * amount - fee], ...fees, ...lines],
      '',
      id,
    )
  }
  const first = part(0, 100)
  const rest: Line[] = cents === first ? [] : [[open, first - cents, named(document, back, again)]]
  add(money, 1, cents, [[open, -first, named(document, back)], ...rest])
  if (random.chance(75)) {
    const gross = part(20, 160)
    const paid = random.chance(20) ? part(-20, 60) : 0
    const shares = parts(random, -gross, random.between(1, 3))
    const lines = shares.map((amount): Line => [random.pick(deferred), amount])
    const date = addDays('2024-11-05', random.between(0, 110))
    const opens: Line[] = [
      [open, gross - paid, named(money, note, back)],
      ...(paid === 0 ? [] : [['bank', paid] as Line]),
    ]
    journal.add(date, [...opens, ...lines], '', document)
  }
  if (random.chance(50)) {
    const amount = part(10, 70)
    const date = addDays('2024-11-05', random.between(0, 110))
    journal.add(
      date,
      [
        [open, -amount, named(document, back)],
        [random.pick(deferred), amount],
      ],
      '',
      note,
    )
  }
  if (random.chance(65)) {
    const amount = part(10, 120)
    add(back, -1, amount, [[open, amount, named(money, money, note, document)]])
    if (random.chance(50)) add(again, 1, amount, [[open, -amount, named(back, back, document)]])
  }
}

/** `settles`: links by the entry that is settled; `open_item`: by a reference that lines share. */
export function settledCompany(seed: number, linked: 'settles' | 'open_item'): Files {
  const random = seeded(`${linked} ${seed}`)
  const journal = new Journal(random, linked)
  const start = '2024-11-01'
  const day = (from: string, days: number) => addDays(from, random.between(0, days))
  // Which open item an opening belongs to is not published: its settlements could not be computed again.
  const opening = linked === 'settles'
  if (opening)
    journal.add(
      start,
      [
        ['bank', 900_00],
        ['debtors', 300_10],
        ['creditors', -200_05],
        ['capital', -1000_05],
      ],
      '',
      'ob',
    )
  for (let n = 0; n < 24; n++) {
    const sale = random.chance(60)
    const [open, deferred] = sale
      ? (['debtors', ['sales', 'sales', 'vat', 'returns']] as const)
      : (['creditors', ['rent', 'cogs', 'vat', 'stock']] as const)
    const sign = random.chance(12) ? -1 : 1
    const gross = random.between(1, 400_00) * sign * (sale ? 1 : -1)
    const accounts = Array.from({ length: random.between(1, 4) }, () => random.pick(deferred))
    const others = parts(random, -gross, accounts.length).map((cents, i): Line => [accounts[i]!, cents])
    const date = day(start, 150)
    const item = `i${n}`
    const link = linked === 'open_item' ? item : ''
    // Some are paid in part at once, at times by more than they come to; some are split over two receivables.
    const paid = random.chance(15) ? Math.round((gross * random.between(5, 130)) / 100) : 0
    const split = random.chance(15) ? Math.round(((gross - paid) * 2) / 3) : 0
    const opens = [gross - paid - split, split].filter((cents, i) => i === 0 || cents !== 0)
    const id = journal.add(date, [
      ...opens.map((cents): Line => [open, cents, link]),
      ...(paid === 0 ? [] : [['bank', paid] as Line]),
      ...others,
    ])
    let left = gross - paid
    for (let s = random.between(0, 3); s > 0; s--) {
      const cents = random.chance(30) ? left : Math.round((gross * random.between(-20, 70)) / 100)
      if (cents === 0) continue
      left -= cents
      const by = linked === 'settles' ? id : item
      const against = random.pick(['bank', 'bank', 'float', 'baddebt', 'returns'])
      const fee = random.chance(20) ? random.between(1, 99) : 0
      const other: Line[] =
        fee === 0
          ? [[against, cents]]
          : [
              [against, cents - fee],
              ['bankfee', fee],
            ]
      const paidOn = addDays(date, random.between(-15, 60))
      journal.add(paidOn < start ? start : paidOn, [[open, -cents, by], ...other])
    }
  }
  for (let n = 0; n < 20; n++) addMoney(journal, random, n, (id) => (linked === 'settles' ? id : `m${n}`))
  // Half of it, whose remainders tie.
  const tied = linked === 'open_item' ? 'tied' : ''
  const halved = journal.add('2024-11-03', [
    ['debtors', 100_00, tied],
    ['sales', -33_33],
    ['returns', -66_67],
  ])
  journal.add('2024-12-03', [
    ['bank', 50_00],
    ['debtors', -50_00, linked === 'settles' ? halved : tied],
  ])
  if (opening) {
    journal.add('2024-12-05', [
      ['bank', 100_10],
      ['debtors', -100_10, 'ob'],
    ])
    journal.add('2025-02-05', [
      ['creditors', 150_00, 'ob'],
      ['bank', -150_00],
    ])
  }
  for (const date of ['2024-11-20', '2025-02-14']) {
    journal.add(date, [
      ['plant', 500_00],
      ['loan', -500_00],
    ])
    journal.add(addDays(date, 9), [
      ['plantdep', -40_00],
      ['depreciation', 40_00],
    ])
    // Two assets in one entry: the dearer one shows the proceeds.
    journal.add(addDays(date, 25), [
      ['bank', 490_00],
      ['plantdep', 40_00],
      ['gain', -10_00],
      ['van', -20_00],
      ['plant', -500_00],
    ])
  }
  journal.add(
    '2024-12-14',
    [
      ['sales', 77_00],
      ['rent', -11_00],
      ['retained', -66_00],
    ],
    'CLOSE',
  )
  journal.add(
    '2025-01-09',
    [
      ['sales', 12_34],
      ['retained', -12_34],
    ],
    'CLOSE',
  )
  journal.add('2025-01-20', [
    ['drawings', 25_00],
    ['retained', -25_00],
  ])
  return {
    'company.yaml': companyYaml(`classes: classes.csv
departments: departments.csv
fiscalYears:
  - { start: 2024-11-01, end: 2024-12-14 }
  - { start: 2024-12-15, end: 2025-02-27 }
  - { start: 2025-02-28, end: 2025-12-31 }
opening: ${opening ? '{ transactions: [ob] }' : 'none'}
closing: { references: [CLOSE] }
disposals: { gainsAndLosses: [gain] }
cashBasis: { maxUnlinked: 100000000 }
`),
    'chart.csv': ALL_KINDS,
    'classes.csv': CLASSES,
    'departments.csv': DEPARTMENTS,
    'ledger.csv': `${journal.header}\n${journal.rows.join('\n')}\n`,
  }
}

const MONTHS = Array.from({ length: 8 }, (_, m) => monthText(2024 * 12 + 8 + m))

/** Budgets of both kinds of equity, whole and with gaps, over a fiscal year's end; metrics of every aggregation. */
export function plannedCompany(seed: number): Files {
  const random = seeded(`planned ${seed}`)
  return {
    'company.yaml': companyYaml(`fiscalMonthEnd: 12
classes: classes.csv
departments: departments.csv
budgets:
  - { id: With, name: b, files: with.csv, parents: own, equity: with-result }
  - { id: without, name: a, files: without.csv, parents: own, equity: without-result }
  - { id: gaps, name: a, files: gaps.csv, parents: own, equity: without-result, resultAccount: retained }
  - { id: silent, name: c, files: silent.csv, parents: own }
metrics: [{ files: metrics.csv, parents: own }]
nonFinancial:
${['sum', 'average', 'last', 'min', 'max'].map((name) => `  - { id: ${name}, name: Metric ${name}, unit: u, aggregation: ${name} }`).join('\n')}
`),
    'chart.csv': ALL_KINDS,
    'classes.csv': CLASSES,
    'departments.csv': DEPARTMENTS,
    'ledger.csv':
      'transaction_id,date,account,amount\n1,2024-09-02,bank,10.00\n1,2024-09-02,sales,-10.00\n2,2025-01-31,rent,3.00\n2,2025-01-31,bank,-3.00\n',
    'with.csv': budget(random, 'with', 0),
    'without.csv': budget(random, 'without', 0),
    'gaps.csv': budget(random, 'without', 6),
    'silent.csv': budget(random, 'with', 10),
    'metrics.csv': metrics(random),
  }
}

/** A whole plan that balances, of two members, less so many percent of its figures. */
function budget(random: Random, equity: 'with' | 'without', gaps: number): string {
  const rows = ['', 'East', ...(gaps === 0 ? [] : ['Öst/1'])].flatMap((tag) => {
    const whole = tag !== 'Öst/1'
    const of = (low: number, high: number) => MONTHS.map(() => random.between(low, high))
    const [plant, loan, capital, sales, rent, till] = [
      of(0, 90),
      of(0, 50),
      of(0, 50),
      of(0, 40),
      of(0, 30),
      of(0, 20),
    ]
    const results = sales!.map((income, m) => income - rent![m]!)
    // From January on last year's result is in equity, whichever way the year's own is shown.
    const sum = (from: number, to: number) => results.slice(from, to).reduce((total, each) => total + each, 0)
    const year = (m: number) => (m < 4 ? 0 : 4)
    const retained = MONTHS.map((_, m) => sum(0, equity === 'with' ? m + 1 : year(m)))
    const result = MONTHS.map((_, m) => (equity === 'with' ? 0 : sum(year(m), m + 1)))
    const claims = MONTHS.map((_, m) => loan![m]! + capital![m]! + retained[m]! + result[m]!)
    const bank = MONTHS.map((_, m) => claims[m]! - plant![m]! - till![m]!)
    const all = { bank, till, plant, loan, capital, retained, sales, rent }
    return Object.entries(all)
      .filter(() => whole || random.chance(50))
      .map(([account, values]) =>
        [account, tag, ...values!.map((value) => (random.chance(gaps) ? '' : value))].join(','),
      )
  })
  return `account,class,${MONTHS}\n${rows.join('\n')}\n`
}

function metrics(random: Random): string {
  const rows = new Map<string, string>()
  for (const metric of ['sum', 'average', 'last', 'min', 'max'])
    for (const [m, month] of MONTHS.slice(0, 6).entries()) {
      const whole = m % 3 === 0
      for (let n = random.between(0, 12); n > 0; n--) {
        const date = whole ? month : `${month}-${String(random.between(1, 28)).padStart(2, '0')}`
        const tagged = random.chance(50) ? [random.pick(CLASS_IDS), random.pick(DEPARTMENT_IDS)] : ['', '']
        const tags = [...tagged, random.pick(['', '', 'without'])]
        const value = (random.between(-5_000_000, 9_000_000) / 10 ** random.between(0, 6)).toFixed(6)
        rows.set([metric, date, ...tags].join(), `${metric},${date},${value},${tags}`)
      }
    }
  return `metric,date,value,class,department,budget\n${[...rows.values()].join('\n')}\n`
}
