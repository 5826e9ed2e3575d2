/** One year of a Swedish builder: project billing with and without VAT, subcontractors, payroll, tax account, closing. */
import { addDays, addMonths, businessDay, dayOf, lastDay, monthNumber, monthsBetween } from '../calendar.ts'
import {
  createJournal,
  type Journal,
  type Line,
  reversed,
  share,
  type Tags,
  type Transaction,
} from '../journal.ts'
import { type Random, seeded } from '../random.ts'
import { LAST_BALANCES } from './accounts.ts'

export const YEAR = { start: '2024-07-01', end: '2025-06-30' } as const
/** Result of 2023/24 in öre, credit: what account 2099 carries into the year. */
export const LAST_RESULT = -84_317_565
export const MONTHS = monthsBetween(YEAR.start.slice(0, 7), YEAR.end.slice(0, 7))

/** Kronor to öre. */
const kr = (kronor: number): number => kronor * 100
const vat = (net: number): number => share(net, 25, 100)
const BANK = '1930'

/** Industrial holidays empty July, the building season peaks in early summer and autumn: percent, July first. */
const PACE = [38, 92, 121, 124, 112, 82, 78, 93, 108, 114, 122, 116]
const pace = (month: string): number => PACE[MONTHS.indexOf(month)]!

interface Site {
  readonly project: string
  readonly centre: string
  readonly customer: string
  /** Kronor billed in an average month, without VAT. */
  readonly monthly: number
  readonly months: readonly [from: string, to: string]
  /** Builders billing builders: the buyer accounts for the VAT. */
  readonly reverseCharge: boolean
}
const SITES: readonly Site[] = [
  {
    project: 'P2401',
    centre: '30',
    customer: 'Medelpad Entreprenad AB',
    monthly: 1_050_000,
    months: ['2024-07', '2025-06'],
    reverseCharge: true,
  },
  {
    project: 'P2402',
    centre: '40',
    customer: 'Njurunda skolförvaltning',
    monthly: 780_000,
    months: ['2024-08', '2025-06'],
    reverseCharge: false,
  },
  {
    project: 'P2403',
    centre: '40',
    customer: 'Familjen Öberg',
    monthly: 215_000,
    months: ['2024-07', '2025-02'],
    reverseCharge: false,
  },
  {
    project: 'P2404',
    centre: '40',
    customer: 'Fastighets AB Hamnmagasinet',
    monthly: 520_000,
    months: ['2024-07', '2025-05'],
    reverseCharge: false,
  },
  {
    project: 'P2501',
    centre: '30',
    customer: 'Stiftelsen Björken',
    monthly: 840_000,
    months: ['2025-01', '2025-06'],
    reverseCharge: false,
  },
]
const HOME_OWNERS = [
  'Åkerlund',
  'Sjöström',
  'Hägglund',
  'Nyström',
  'Björk',
  'Lindqvist',
  'Forsén',
  'Wikström',
]

export function keepBooks(): readonly Transaction[] {
  const journal = createJournal()
  settleLastYear(journal)
  for (const month of MONTHS) {
    const random = seeded(`nordvik/${month}`)
    billSites(journal, month, random)
    billHomeOwners(journal, month, random)
    buyMaterial(journal, month, random)
    hireSubcontractors(journal, month, random)
    runTheOffice(journal, month, random)
    payWages(journal, month, random)
    depreciate(journal, month)
    serveLoan(journal, month)
    onceOnly(journal, month)
    journal.runUntil(lastDay(month))
    valueWorkInProgress(journal, month, random)
    settleVat(journal, month)
  }
  closeYear(journal)
  // What falls due after the year's last day stays open: the file ends there.
  return journal.transactions.filter(({ date }) => date <= YEAR.end)
}

/** Customers' and suppliers' old accounts are settled in July and August; the result is carried to equity. */
function settleLastYear(journal: Journal): void {
  const receivable = kr(LAST_BALANCES[1510]!)
  const payable = -kr(LAST_BALANCES[2440]!)
  const thirds = [share(receivable, 1, 3), share(receivable, 1, 3)]
  for (const [index, part] of [...thirds, receivable - thirds[0]! - thirds[1]!].entries())
    journal.post('C', dayOf('2024-07', 5 + 9 * index), 'Inbetalning, kundfordringar 2023/24', [
      { account: BANK, amount: part },
      { account: '1510', amount: -part },
    ])
  for (const [index, part] of [share(payable, 3, 5), payable - share(payable, 3, 5)].entries())
    journal.post('E', dayOf('2024-07', 10 + 18 * index), 'Betalning, leverantörsskulder 2023/24', [
      { account: '2440', amount: part },
      { account: BANK, amount: -part },
    ])
  journal.post('C', '2024-08-14', 'Skatteverket, ROT 2023/24', [
    { account: BANK, amount: kr(LAST_BALANCES[1513]!) },
    { account: '1513', amount: -kr(LAST_BALANCES[1513]!) },
  ])
  journal.post('A', YEAR.start, 'Omföring av föregående års resultat', [
    { account: '2099', amount: -LAST_RESULT },
    { account: '2098', amount: LAST_RESULT },
  ])
  journal.post('A', '2024-11-20', 'Årsstämma: balanseras i ny räkning', [
    { account: '2098', amount: -LAST_RESULT },
    { account: '2091', amount: LAST_RESULT },
  ])
  journal.post('A', '2024-11-20', 'Årsstämma: utdelning', [
    { account: '2091', amount: kr(400_000) },
    { account: '2898', amount: -kr(400_000) },
  ])
  journal.post('E', '2024-12-12', 'Utdelning utbetald', [
    { account: '2898', amount: kr(400_000) },
    { account: BANK, amount: -kr(400_000) },
  ])
}

function billSites(journal: Journal, month: string, random: Random): void {
  for (const site of SITES.filter(({ months }) => months[0] <= month && month <= months[1])) {
    const net = random.around(share(kr(site.monthly), pace(month), 100), 11)
    const tags = { class: site.project, department: site.centre }
    const date = businessDay(dayOf(month, random.between(24, 28)))
    const tax = site.reverseCharge ? 0 : vat(net)
    // Invoices are rounded to whole kronor; the öre go to an account of their own.
    const rounded = Math.round((net + tax) / 100) * 100
    journal.post('B', date, `${site.customer}, a conto ${site.project}`, [
      { account: '1510', amount: rounded },
      { account: site.reverseCharge ? '3231' : '3041', amount: -net, ...tags },
      { account: '2611', amount: -tax },
      { account: '3740', amount: net + tax - rounded },
    ])
    journal.later(businessDay(addDays(date, 30 + random.between(-2, 12))), (day) =>
      journal.post('C', day, `Inbetalning ${site.customer}`, [
        { account: BANK, amount: rounded },
        { account: '1510', amount: -rounded },
      ]),
    )
  }
}

/** Work at home: the tax agency pays three tenths of the labour, two months later. */
function billHomeOwners(journal: Journal, month: string, random: Random): void {
  const tags = { class: 'P2405', department: '20' }
  for (let i = 0; i < 3; i++) {
    const owner = random.pick(HOME_OWNERS)
    const labour = share(kr(random.between(24_000, 68_000)), pace(month), 100)
    const material = share(labour, random.between(20, 60), 100)
    const tax = vat(labour) + vat(material)
    const deduction = Math.min(Math.floor(share(labour + vat(labour), 30, 100) / 100) * 100, kr(50_000))
    const date = businessDay(dayOf(month, random.between(8, 27)))
    const owed = labour + material + tax - deduction
    journal.post('B', date, `${owner}, ROT-arbete`, [
      { account: '1510', amount: owed },
      { account: '1513', amount: deduction },
      { account: '3041', amount: -labour, ...tags },
      { account: '3051', amount: -material, ...tags },
      { account: '2611', amount: -tax },
    ])
    journal.later(businessDay(addDays(date, random.between(18, 34))), (day) =>
      journal.post('C', day, `Inbetalning ${owner}`, [
        { account: BANK, amount: owed },
        { account: '1510', amount: -owed },
      ]),
    )
    journal.later(businessDay(addDays(date, 62)), (day) =>
      journal.post('C', day, 'Skatteverket, utbetalning ROT', [
        { account: BANK, amount: deduction },
        { account: '1513', amount: -deduction },
      ]),
    )
  }
  const service = share(kr(random.between(90_000, 160_000)), pace(month), 100)
  const date = businessDay(dayOf(month, 26))
  journal.post('B', date, 'Norrlandsbostäder, serviceavtal', [
    { account: '1510', amount: service + vat(service) },
    { account: '3041', amount: -service, department: '20' },
    { account: '2611', amount: -vat(service) },
  ])
  journal.later(businessDay(addDays(date, 30)), (day) =>
    journal.post('C', day, 'Inbetalning Norrlandsbostäder', [
      { account: BANK, amount: service + vat(service) },
      { account: '1510', amount: -service - vat(service) },
    ]),
  )
}

/** A supplier's invoice with VAT, paid when due. */
function owe(journal: Journal, date: string, supplier: string, cost: Line, terms: number): void {
  const tax = vat(cost.amount)
  journal.post('D', date, supplier, [
    cost,
    { account: '2641', amount: tax },
    { account: '2440', amount: -cost.amount - tax },
  ])
  payLater(journal, date, supplier, cost.amount + tax, terms)
}

const payLater = (journal: Journal, date: string, supplier: string, amount: number, terms: number): void =>
  journal.later(businessDay(addDays(date, terms)), (day) =>
    journal.post('E', day, `Betalning ${supplier}`, [
      { account: '2440', amount },
      { account: BANK, amount: -amount },
    ]),
  )

const activeSites = (month: string) => SITES.filter(({ months }) => months[0] <= month && month <= months[1])

function buyMaterial(journal: Journal, month: string, random: Random): void {
  for (const site of activeSites(month)) {
    const cost = random.around(share(share(kr(site.monthly), pace(month), 100), 27, 100), 18)
    const supplier = random.pick(['Timrå Trävaror AB', 'Norrlands Byggmaterial AB', 'Sundsvalls Betong AB'])
    const date = businessDay(dayOf(month, random.between(3, 25)))
    owe(
      journal,
      date,
      supplier,
      { account: '4010', amount: cost, class: site.project, department: site.centre },
      30,
    )
  }
  const small = share(kr(random.between(18_000, 42_000)), pace(month), 100)
  const home = { class: 'P2405', department: '20' }
  owe(
    journal,
    businessDay(dayOf(month, 9)),
    'Färg & Kakel i Sundsvall AB',
    { account: '4010', amount: small, ...home },
    30,
  )
  const hire = share(kr(random.between(26_000, 58_000)), pace(month), 100)
  const scaffold = { class: random.pick(activeSites(month)).project, department: '50' }
  owe(
    journal,
    businessDay(dayOf(month, 17)),
    'Ställningar & Maskiner AB',
    { account: '5210', amount: hire, ...scaffold },
    30,
  )
}

/** Subcontractors bill without VAT: the builder books both the output and the input tax. */
function hireSubcontractors(journal: Journal, month: string, random: Random): void {
  for (const site of activeSites(month)) {
    if (site.project === 'P2403' && random.chance(50)) continue
    const cost = random.around(share(share(kr(site.monthly), pace(month), 100), 24, 100), 20)
    const supplier = random.pick(['Elektriska i Timrå AB', 'Rör & Värme Norr AB', 'Målerifirma Ekström'])
    const date = businessDay(dayOf(month, random.between(10, 27)))
    journal.post('D', date, supplier, [
      { account: '4425', amount: cost, class: site.project, department: site.centre },
      { account: '2647', amount: vat(cost) },
      { account: '2614', amount: -vat(cost) },
      { account: '2440', amount: -cost },
    ])
    payLater(journal, date, supplier, cost, 30)
  }
}

/** `account supplier, kronor, day, months ('' = all), cost centre, percent of variation` */
const OFFICE: readonly (readonly [string, string, number, number, string, string, number])[] = [
  ['5010', 'Birsta Lokaler AB', 32_000, 1, '', '10', 0],
  ['5020', 'Medelpads Elnät', 7_400, 20, '', '50', 20],
  ['5030', 'Fjärrvärme Sundsvall', 4_900, 21, '10 11 12 01 02 03 04', '50', 25],
  ['5060', 'Rent & Snyggt', 3_600, 12, '', '10', 0],
  ['5070', 'Lås & Larm Mitt', 8_200, 14, '09 02', '50', 30],
  ['5410', 'Verktygsboden AB', 14_500, 8, '', '50', 45],
  ['5420', 'Bygglet Programvara', 6_900, 4, '', '10', 0],
  ['5460', 'Skruv & Spik AB', 9_800, 11, '', '50', 35],
  ['5480', 'Skyddskläder Norr', 18_500, 15, '09 03', '50', 15],
  ['5611', 'Mack i Norr AB', 27_000, 28, '', '50', 18],
  ['5612', 'Trygg Fordon', 9_200, 5, '01', '50', 0],
  ['5613', 'Bilverkstan i Timrå', 12_400, 18, '08 10 01 04 06', '50', 50],
  ['5615', 'Billeasing Sverige', 21_500, 2, '', '50', 0],
  ['5710', 'Åkeri Ådalen', 16_500, 23, '', '50', 30],
  ['5910', 'Sundsvalls Annonsbyrå', 11_500, 13, '08 10 01 03 05', '10', 25],
  ['6071', 'Krog Stenhuggeriet', 2_400, 19, '09 12 03 06', '10', 40],
  ['6110', 'Kontorsgrossisten', 2_100, 7, '', '10', 40],
  ['6212', 'Mobilbolaget', 8_600, 6, '', '10', 8],
  ['6230', 'Stadsnätet', 1_900, 6, '', '10', 0],
  ['6420', 'Revisionsbyrån Ljustadalen', 48_000, 16, '10', '10', 0],
  ['6530', 'Ekonomikonsult Mitt', 14_800, 22, '', '10', 6],
  ['6540', 'IT-partner Västernorrland', 9_700, 3, '', '10', 12],
  ['6550', 'Konstruktörerna i Sundsvall', 36_000, 24, '08 11 02 05', '30', 30],
  ['6580', 'Advokatfirman Höga Kusten', 28_000, 19, '04', '10', 0],
  ['6980', 'Byggföretagen', 15_500, 10, '01', '10', 0],
  ['7610', 'Utbildningscentrum Mitt', 19_500, 21, '10 02', '10', 20],
  ['7620', 'Företagshälsan', 6_200, 25, '09 01 05', '10', 10],
]

function runTheOffice(journal: Journal, month: string, random: Random): void {
  for (const [account, supplier, kronor, day, months, department, varies] of OFFICE) {
    if (months !== '' && !months.split(' ').includes(month.slice(5))) continue
    const amount = random.around(kr(kronor), varies)
    owe(
      journal,
      businessDay(dayOf(month, day)),
      supplier,
      { account, amount, department },
      day === 1 ? 3 : 30,
    )
  }
  const charges = kr(random.between(280, 640))
  journal.post('A', businessDay(dayOf(month, 28)), 'Bankkostnader', [
    { account: '6570', amount: charges, department: '10' },
    { account: BANK, amount: -charges },
  ])
  const meals = kr(random.between(90, 420)) + 50
  journal.post('A', businessDay(dayOf(month, 16)), 'Fika och lunch, kassan', [
    { account: '7690', amount: meals, department: '10' },
    { account: '1910', amount: -meals },
  ])
  journal.post('A', businessDay(dayOf(month, 17)), 'Uttag till kassan', [
    { account: '1910', amount: meals },
    { account: BANK, amount: -meals },
  ])
  // A yearly premium is paid in September and spread over the year.
  if (month === '2024-09') {
    journal.post('D', '2024-09-12', 'Länsförsäkringen, årspremie', [
      { account: '1730', amount: kr(174_000) },
      { account: '2440', amount: -kr(174_000) },
    ])
    payLater(journal, '2024-09-12', 'Länsförsäkringen', kr(174_000), 20)
  }
  const premium = month < '2024-09' ? kr(29_100) : kr(14_500)
  journal.post('A', lastDay(month), 'Periodisering, försäkring', [
    { account: '6310', amount: premium, department: '10' },
    { account: '1730', amount: -premium },
  ])
}

/** Workers on sites by cost centre and project, the office by itself; tax and social charges go to the tax account. */
function payWages(journal: Journal, month: string, random: Random): void {
  const workers = activeSites(month).map(
    (site): Line => ({
      account: '7010',
      amount: random.around(share(share(kr(site.monthly), Math.max(pace(month), 60), 100), 15, 100), 6),
      class: site.project,
      department: site.centre,
    }),
  )
  const service: Line = {
    account: '7010',
    amount: random.around(kr(92_000), 5),
    class: 'P2405',
    department: '20',
  }
  const office: Line[] = [
    { account: '7210', amount: kr(148_000), department: '10' },
    { account: '7210', amount: kr(46_500), department: '50' },
  ]
  const sick: Line[] = random.chance(55)
    ? [{ account: '7081', amount: kr(random.between(2_400, 9_800)), department: '30' }]
    : []
  const gross = [...workers, service, ...office, ...sick]
  const sum = gross.reduce((total, line) => total + line.amount, 0)
  const withheld = Math.round(share(sum, 29, 100) / 100) * 100
  const allowance = kr(random.between(6, 22) * 290)
  const date = businessDay(dayOf(month, 25))
  journal.post('L', date, `Löner ${month}`, [
    ...gross,
    { account: '7321', amount: allowance, department: '30' },
    { account: '2710', amount: -withheld },
    { account: BANK, amount: withheld - sum - allowance },
  ])
  const charges = gross.map(
    (line): Line => ({ ...line, account: '7510', amount: share(line.amount, 3142, 10_000) }),
  )
  const charged = charges.reduce((total, line) => total + line.amount, 0)
  journal.post('L', date, `Arbetsgivaravgifter ${month}`, [...charges, { account: '2731', amount: -charged }])
  const pension = share(sum, 55, 1000)
  owePension(journal, month, pension)
  // Holiday pay builds up all year and is taken in July.
  const holiday = month.endsWith('-07') ? -share(sum, 60, 100) : share(sum, 7, 100)
  journal.post('L', lastDay(month), 'Semesterlöneskuld', [
    { account: '7090', amount: holiday, department: '30' },
    { account: '7519', amount: share(holiday, 3142, 10_000), department: '30' },
    { account: '2920', amount: -holiday },
    { account: '2940', amount: -share(holiday, 3142, 10_000) },
  ])
  // By the 12th of the next month the tax account is filled and emptied.
  payTaxAccount(journal, dayOf(addMonths(month, 1), 12), [
    { account: '2710', amount: withheld },
    { account: '2731', amount: charged },
    { account: '2518', amount: kr(24_000) },
  ])
  if (month === '2024-07')
    payTaxAccount(journal, '2024-07-12', [
      { account: '2710', amount: -kr(LAST_BALANCES[2710]!) },
      { account: '2731', amount: -kr(LAST_BALANCES[2731]!) },
    ])
}

function owePension(journal: Journal, month: string, pension: number): void {
  const date = businessDay(dayOf(month, 27))
  journal.post('D', date, 'Fora, pension och försäkring', [
    { account: '7410', amount: pension, department: '10' },
    { account: '7570', amount: share(pension, 9, 100), department: '10' },
    { account: '2440', amount: -pension - share(pension, 9, 100) },
  ])
  payLater(journal, date, 'Fora', pension + share(pension, 9, 100), 20)
  journal.post('A', lastDay(month), 'Särskild löneskatt', [
    { account: '7533', amount: share(pension, 2426, 10_000), department: '10' },
    { account: '2514', amount: -share(pension, 2426, 10_000) },
  ])
}

function payTaxAccount(journal: Journal, date: string, debts: readonly Line[]): void {
  const sum = debts.reduce((total, line) => total + line.amount, 0)
  journal.later(businessDay(date), (day) => {
    journal.post('E', day, 'Insättning på skattekontot', [
      { account: '1630', amount: sum },
      { account: BANK, amount: -sum },
    ])
    journal.post('A', day, 'Skatteverket, avdrag på skattekontot', [
      ...debts,
      { account: '1630', amount: -sum },
    ])
  })
}

/** The month's VAT is gathered on its last day and paid on the 26th of the next. */
function settleVat(journal: Journal, month: string): void {
  const accounts = ['2611', '2614', '2641', '2647']
  const lines = accounts.map((account) => ({ account, amount: -journal.balance(account) }))
  const due = lines.reduce((total, line) => total + line.amount, 0)
  journal.post('A', lastDay(month), 'Momsredovisning', [...lines, { account: '2650', amount: -due }])
  const old = month === '2024-07' ? -kr(LAST_BALANCES[2650]!) : 0
  if (old > 0) payTaxAccount(journal, '2024-08-12', [{ account: '2650', amount: old }])
  if (due > 0) payTaxAccount(journal, dayOf(addMonths(month, 1), 26), [{ account: '2650', amount: due }])
}

const DEPRECIATION: readonly (readonly [
  expense: string,
  accumulated: string,
  kronor: number,
  centre: string,
])[] = [
  ['7820', '1119', 10_700, '50'],
  ['7831', '1219', 28_400, '50'],
  ['7832', '1229', 8_600, '50'],
  ['7834', '1249', 24_300, '50'],
  ['7835', '1259', 3_100, '10'],
]
function depreciate(journal: Journal, month: string): void {
  journal.post(
    'A',
    lastDay(month),
    'Avskrivningar',
    DEPRECIATION.flatMap(([expense, accumulated, kronor, department]): Line[] => {
      // The excavator of November is depreciated from December on.
      const amount = kr(kronor) + (expense === '7831' && month > '2024-11' ? kr(12_000) : 0)
      return [
        { account: expense, amount, department },
        { account: accumulated, amount: -amount },
      ]
    }),
  )
}

function serveLoan(journal: Journal, month: string): void {
  const owed = 0 - kr(LAST_BALANCES[2350]!) - journal.balance('2350')
  if (monthNumber(month) % 3 === 0)
    journal.post('E', businessDay(lastDay(month)), 'Amortering', [
      { account: '2350', amount: kr(90_000) },
      { account: BANK, amount: -kr(90_000) },
    ])
  const interest = share(owed, 485, 120_000)
  journal.post('A', businessDay(lastDay(month)), 'Ränta på lån', [
    { account: '8410', amount: interest, department: '10' },
    { account: BANK, amount: -interest },
  ])
}

/** An excavator on credit, a van sold, a late customer given up, a mistake and its correction. */
function onceOnly(journal: Journal, month: string): void {
  const post = (series: string, day: number, text: string, lines: readonly Line[]) =>
    journal.post(series, dayOf(month, day), text, lines)
  const events: Record<string, () => void> = {
    '2024-08': () => {
      const wrong: Line[] = [
        { account: '5410', amount: kr(4_750), department: '10' },
        { account: BANK, amount: -kr(4_750) },
      ]
      post('A', 21, 'Skrivare, fel konto', wrong)
      post('A', 28, 'Rättelse av skrivare, fel konto', reversed(wrong))
      post('A', 28, 'Skrivare', [
        { account: '6110', amount: kr(3_800), department: '10' },
        { account: '2641', amount: kr(950) },
        { account: BANK, amount: -kr(4_750) },
      ])
    },
    '2024-11': () => {
      post('A', 4, 'Lån för grävmaskin', [
        { account: BANK, amount: kr(600_000) },
        { account: '2350', amount: -kr(600_000) },
      ])
      post('D', 6, 'Maskincenter Norrland, grävmaskin', [
        { account: '1210', amount: kr(720_000) },
        { account: '2641', amount: kr(180_000) },
        { account: '2440', amount: -kr(900_000) },
      ])
      payLater(journal, '2024-11-06', 'Maskincenter Norrland', kr(900_000), 12)
    },
    '2025-02': () =>
      post('A', 19, 'Försäkringsersättning, inbrott i förrådet', [
        { account: BANK, amount: kr(38_500) },
        { account: '3994', amount: -kr(38_500), department: '50' },
      ]),
    '2025-03': () =>
      post('A', 14, 'Skåpbil såld', [
        { account: BANK, amount: kr(112_500) },
        { account: '2611', amount: -kr(22_500) },
        { account: '1240', amount: -kr(290_000) },
        { account: '1249', amount: kr(241_600) },
        { account: '3973', amount: -kr(41_600), department: '50' },
      ]),
    '2025-05': () =>
      post('A', 22, 'Garantiarbete, avsättning', [
        { account: '6361', amount: kr(60_000), department: '40', class: 'P2404' },
        { account: '2220', amount: -kr(60_000) },
      ]),
  }
  events[month]?.()
}

/** At each quarter's end the work done and not yet billed is counted, project by project. */
function valueWorkInProgress(journal: Journal, month: string, random: Random): void {
  if (monthNumber(month) % 3 !== 0) return
  const lines = activeSites(month).flatMap((site): Line[] => {
    const amount = share(kr(random.between(-180, 190) * 1_000), site.monthly, 1_000_000)
    const tags: Tags = { class: site.project, department: site.centre }
    return [
      { account: '1470', amount, ...tags },
      { account: '4970', amount: -amount, ...tags },
    ]
  })
  journal.post('A', lastDay(month), 'Pågående arbeten', lines)
}

const sumOf = (journal: Journal, from: string, to: string): number =>
  journal.transactions
    .filter(({ date }) => date <= YEAR.end)
    .flatMap(({ lines }) => lines)
    .filter(({ account }) => from <= account && account <= to)
    .reduce((sum, line) => sum + line.amount, 0)

/** Appropriations, tax, and the result carried to equity: `8999` against `2099`. */
function closeYear(journal: Journal): void {
  journal.post('A', YEAR.end, 'Lager enligt inventering', [
    { account: '1410', amount: kr(28_400), department: '50' },
    { account: '4910', amount: -kr(28_400), department: '50' },
  ])
  journal.post('A', YEAR.end, 'Överavskrivningar', [
    { account: '8850', amount: kr(70_000) },
    { account: '2150', amount: -kr(70_000) },
  ])
  const before = 0 - sumOf(journal, '3000', '8899')
  const reserve = Math.floor(share(Math.max(before, 0), 20, 100) / 100_000) * 100_000
  journal.post('A', YEAR.end, 'Periodiseringsfond', [
    { account: '8811', amount: reserve },
    { account: '2125', amount: -reserve },
  ])
  const tax = Math.floor(share(Math.max(before - reserve, 0), 206, 1000) / 100) * 100
  journal.post('A', YEAR.end, 'Årets skatt', [
    { account: '8910', amount: tax },
    { account: '2512', amount: -tax },
  ])
  const result = 0 - sumOf(journal, '3000', '8998')
  journal.post('A', YEAR.end, 'Årets resultat', [
    { account: '8999', amount: result },
    { account: '2099', amount: -result },
  ])
}
