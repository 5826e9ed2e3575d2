/** A Finnish dental practice, April to March: card takings, Kela and insurers, wages, an X-ray machine on credit. */
import {
  addDays,
  addMonths,
  businessDay,
  dayOf,
  daysIn,
  lastDay,
  monthNumber,
  monthsBetween,
  weekday,
} from '../calendar.ts'
import { byDate, createJournal, type Journal, type Line, share, type Transaction } from '../journal.ts'
import { type Random, seeded } from '../random.ts'

const MONTHS = monthsBetween('2024-04', '2026-09')
const BANK = '1910'
const eur = (euros: number): number => euros * 100

/** Patients stay away in July and come back in autumn: percent, January first. */
const VISITS = [108, 104, 110, 102, 101, 82, 41, 98, 116, 118, 114, 86]
const visits = (month: string): number => VISITS[monthNumber(month) - 1]!
/** Fees and rents rise by 3 percent each January. */
const level = (month: string): number => 100 + 3 * (Number(month.slice(0, 4)) - 2024)

/** The general rate went from 24 to 25.5 percent on 1 September 2024; dental care itself is exempt. */
const vatPerMille = (date: string): number => (date < '2024-09-01' ? 240 : 255)

export function keepBooks(): readonly Transaction[] {
  const journal = createJournal()
  openBooks(journal)
  for (const month of MONTHS) {
    const random = seeded(`lakeside/${month}`)
    takeCards(journal, month, random)
    billInsurers(journal, month, random)
    buySupplies(journal, month, random)
    runPractice(journal, month, random)
    payWages(journal, month, random)
    keepEquipment(journal, month)
    payTaxes(journal, month)
    journal.runUntil(lastDay(month))
    countSupplies(journal, month, random)
    provideForTax(journal, month)
  }
  return numbered(journal.transactions)
}

/** One series of voucher numbers, in order of date: what the practice's bookkeeper writes on the receipts. */
const numbered = (transactions: readonly Transaction[]): Transaction[] =>
  byDate(transactions).map((transaction, index) => ({ ...transaction, id: String(index + 1) }))

function openBooks(journal: Journal): void {
  const lines: Line[] = [
    { account: '1130', amount: eur(148_600) },
    { account: '1139', amount: -eur(61_250) },
    { account: '1150', amount: eur(14_900) },
    { account: '1159', amount: -eur(9_100) },
    { account: '1510', amount: eur(8_430) },
    { account: '1701', amount: eur(11_872) + 40 },
    { account: '1900', amount: eur(350) },
    { account: '1910', amount: eur(64_318) + 27 },
    { account: '2000', amount: -eur(8_000) },
    { account: '2621', amount: -eur(54_000) },
    { account: '2871', amount: -eur(6_204) - 15 },
    { account: '2920', amount: -eur(5_940) },
    { account: '2945', amount: -eur(4_880) },
    { account: '2960', amount: -eur(12_700) },
  ]
  const profits = lines.reduce((sum, line) => sum + line.amount, 0)
  journal.post('V', '2024-04-01', 'Opening balances', [...lines, { account: '2250', amount: -profits }])
  journal.post('V', '2024-04-18', 'Kela and insurers, March', [
    { account: BANK, amount: eur(11_872) + 40 },
    { account: '1701', amount: -eur(11_872) - 40 },
  ])
  journal.post('V', '2024-04-15', 'Suppliers, March', [
    { account: '2871', amount: eur(6_204) + 15 },
    { account: BANK, amount: -eur(6_204) - 15 },
  ])
  journal.post('V', '2024-04-12', 'Withholding tax and pensions, March', [
    { account: '2920', amount: eur(5_940) },
    { account: '2945', amount: eur(4_880) },
    { account: BANK, amount: -eur(10_820) },
  ])
}

/** Every Friday the terminal is read; the money comes on Monday, less the card company's fee. */
function takeCards(journal: Journal, month: string, random: Random): void {
  for (let day = 1; day <= daysIn(month); day++) {
    const date = dayOf(month, day)
    if (weekday(date) !== 5) continue
    const volume = (euros: number) =>
      random.around(share(share(eur(euros), visits(month), 100), level(month), 100), 14)
    const dentist = volume(6_900)
    const hygiene = volume(1_450)
    const products = volume(240)
    const vat = share(products, vatPerMille(date), 1000)
    const total = dentist + hygiene + products + vat
    journal.post('V', date, 'Card takings of the week', [
      { account: '1710', amount: total },
      { account: '3000', amount: -dentist },
      { account: '3010', amount: -hygiene },
      { account: '3020', amount: -products },
      { account: '2939', amount: -vat },
    ])
    const fee = share(total, 11, 1000)
    journal.later(addDays(date, 3), (monday) =>
      journal.post('V', monday, 'Card payout', [
        { account: BANK, amount: total - fee },
        { account: '8560', amount: fee },
        { account: '1710', amount: -total },
      ]),
    )
    if (!random.chance(8)) continue
    const refund = eur(random.between(40, 180)) + 50
    journal.post('V', date, 'Refund to a patient', [
      { account: '3090', amount: refund },
      { account: BANK, amount: -refund },
    ])
  }
}

/** What Kela and insurers owe for the month's patients is billed on its last day and paid three weeks later. */
function billInsurers(journal: Journal, month: string, random: Random): void {
  const owed = random.around(share(share(eur(9_800), visits(month), 100), level(month), 100), 12)
  journal.post('V', lastDay(month), 'Kela and insurers', [
    { account: '1701', amount: owed },
    { account: '3000', amount: -owed },
  ])
  journal.later(businessDay(addDays(lastDay(month), random.between(17, 25))), (day) =>
    journal.post('V', day, 'Received from Kela and insurers', [
      { account: BANK, amount: owed },
      { account: '1701', amount: -owed },
    ]),
  )
}

/** Bought on account; VAT on purchases is a cost, since the practice's care is exempt. */
function owe(
  journal: Journal,
  date: string,
  supplier: string,
  account: string,
  amount: number,
  terms: number,
): void {
  journal.post('V', date, supplier, [
    { account, amount },
    { account: '2871', amount: -amount },
  ])
  journal.later(businessDay(addDays(date, terms)), (day) =>
    journal.post('V', day, `Paid ${supplier}`, [
      { account: '2871', amount },
      { account: BANK, amount: -amount },
    ]),
  )
}

function buySupplies(journal: Journal, month: string, random: Random): void {
  for (const day of [6, 20])
    owe(
      journal,
      businessDay(dayOf(month, day)),
      'Hammasväline Oy',
      '4000',
      random.around(share(eur(1_680), visits(month), 100), 22),
      14,
    )
  owe(
    journal,
    businessDay(dayOf(month, 27)),
    'Hammaslaboratorio Näsi',
    '4100',
    random.around(share(eur(3_150), visits(month), 100), 20),
    21,
  )
}

/** `account supplier, euros, day, months ('' = all), percent of variation` */
const RUNNING: readonly (readonly [string, string, number, number, string, number])[] = [
  ['7230', 'Kiinteistö Oy Hämeenkatu 12', 3_180, 2, '', 0],
  ['7250', 'Siivouspalvelu Kuura', 640, 25, '', 0],
  ['7370', 'Tampereen Energia', 390, 18, '', 22],
  ['7680', 'Potilasohjelma Oy', 545, 5, '', 0],
  ['7750', 'Plandent Huolto', 1_420, 12, '02 05 08 11', 35],
  ['7800', 'Potilasvakuutus', 1_960, 10, '01', 0],
  ['8050', 'Mainostoimisto Pyynikki', 880, 14, '01 04 08 10', 25],
  ['8170', 'Apollonia', 1_250, 16, '03 11', 10],
  ['8380', 'Tilitoimisto Järvi', 465, 20, '', 0],
  ['8450', 'Elisa', 132, 8, '', 6],
]

function runPractice(journal: Journal, month: string, random: Random): void {
  for (const [account, supplier, euros, day, months, varies] of RUNNING) {
    if (months !== '' && !months.split(' ').includes(month.slice(5))) continue
    const amount = random.around(share(eur(euros), level(month), 100), varies)
    owe(journal, businessDay(dayOf(month, day)), supplier, account, amount, 14)
  }
}

function payWages(journal: Journal, month: string, random: Random): void {
  const dentists = share(eur(15_400), level(month), 100)
  const assistants = random.around(share(eur(7_650), level(month), 100), 3)
  const gross = dentists + assistants
  const tax = share(gross, 285, 1000)
  const ownShare = share(gross, 86, 1000)
  const pension = share(gross, 174, 1000)
  const social = share(gross, 13, 1000)
  journal.post('V', businessDay(dayOf(month, 28)), 'Wages', [
    { account: '5000', amount: dentists },
    { account: '5010', amount: assistants },
    { account: '6130', amount: pension },
    { account: '6300', amount: social },
    { account: '2920', amount: -tax - social },
    { account: '2945', amount: -ownShare - pension },
    { account: BANK, amount: tax + ownShare - gross },
  ])
  journal.later(businessDay(dayOf(addMonths(month, 1), 12)), (day) =>
    journal.post('V', day, 'Withholding tax and pensions', [
      { account: '2920', amount: tax + social },
      { account: '2945', amount: ownShare + pension },
      { account: BANK, amount: -tax - social - ownShare - pension },
    ]),
  )
  const holiday = monthNumber(month) === 7 ? -share(gross, 62, 100) : share(gross, 6, 100)
  journal.post('V', lastDay(month), 'Holiday pay', [
    { account: '5990', amount: holiday },
    { account: '2960', amount: -holiday },
  ])
}

/** An X-ray machine in 2025, half of it on a loan; the old one is sold. Loan and depreciation month by month. */
function keepEquipment(journal: Journal, month: string): void {
  if (month === '2025-05') {
    owe(journal, '2025-05-14', 'Planmeca Oy', '1130', eur(46_800), 30)
    journal.post('V', '2025-06-10', 'Loan for the X-ray machine', [
      { account: BANK, amount: eur(24_000) },
      { account: '2621', amount: -eur(24_000) },
    ])
    journal.post('V', '2025-05-28', 'Old X-ray machine sold', [
      { account: BANK, amount: eur(4_200) },
      { account: '1139', amount: eur(17_550) },
      { account: '1130', amount: -eur(19_500) },
      { account: '9200', amount: -eur(2_250) },
    ])
  }
  journal.post('V', lastDay(month), 'Depreciation', [
    { account: '6870', amount: month > '2025-05' ? eur(1_560) : eur(1_240) },
    { account: '1139', amount: month > '2025-05' ? -eur(1_560) : -eur(1_240) },
    { account: '6880', amount: month < '2026-04' ? eur(200) : eur(80) },
    { account: '1159', amount: month < '2026-04' ? -eur(200) : -eur(80) },
  ])
  const owed = 0 - journal.balance('2621')
  const interest = share(owed, 430, 120_000)
  journal.post('V', businessDay(dayOf(month, 15)), 'Loan instalment', [
    { account: '2621', amount: eur(1_000) },
    { account: '9460', amount: interest },
    { account: BANK, amount: -eur(1_000) - interest },
  ])
}

/** VAT of a quarter is paid on the 12th of the second month after it; tax in advance each half year; a dividend. */
function payTaxes(journal: Journal, month: string): void {
  if (monthNumber(month) % 3 === 0)
    journal.later(lastDay(month), () => {
      const owed = 0 - journal.balance('2939')
      journal.later(businessDay(dayOf(addMonths(month, 2), 12)), (day) =>
        journal.post('V', day, 'VAT of the quarter', [
          { account: '2939', amount: owed },
          { account: BANK, amount: -owed },
        ]),
      )
    })
  if (month.endsWith('-06') || month.endsWith('-12'))
    journal.post('V', businessDay(dayOf(month, 23)), 'Income tax in advance', [
      { account: '2980', amount: eur(6_200) },
      { account: BANK, amount: -eur(6_200) },
    ])
  if (month.endsWith('-09')) {
    journal.post('V', businessDay(dayOf(month, 9)), 'Dividend decided', [
      { account: '2250', amount: eur(24_000) },
      { account: '2995', amount: -eur(24_000) },
    ])
    journal.later(businessDay(dayOf(month, 19)), (day) =>
      journal.post('V', day, 'Dividend paid', [
        { account: '2995', amount: eur(24_000) },
        { account: BANK, amount: -eur(24_000) },
      ]),
    )
  }
}

function countSupplies(journal: Journal, month: string, random: Random): void {
  if (monthNumber(month) % 3 !== 0) return
  const change = eur(random.between(7_200, 9_900)) - journal.balance('1510')
  journal.post('V', lastDay(month), 'Supplies counted', [
    { account: '1510', amount: change },
    { account: '4400', amount: -change },
  ])
}

/** At the year's end 20 percent of the profit; the result itself stays on its accounts: nothing is closed. */
function provideForTax(journal: Journal, month: string): void {
  if (!month.endsWith('-03')) return
  const start = `${Number(month.slice(0, 4)) - 1}-04-01`
  const profit =
    0 -
    journal.transactions
      .filter(({ date }) => start <= date && date <= lastDay(month))
      .flatMap(({ lines }) => lines)
      .filter(({ account }) => account >= '3000' && account < '9900')
      .reduce((sum, line) => sum + line.amount, 0)
  const tax = share(Math.max(profit, 0), 20, 100)
  journal.post('V', lastDay(month), 'Income tax of the year', [
    { account: '9940', amount: tax },
    { account: '2980', amount: -tax },
  ])
}
