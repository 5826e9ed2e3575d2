/** Harbor's six metrics: by month wide, by day long, with gaps, and with targets that belong to a budget. */
import { addDays, dayOf, daysIn, lastDay, monthNumber, monthsBetween, weekday } from '../calendar.ts'
import { share } from '../journal.ts'
import { seeded } from '../random.ts'
import { type Cell, type Sheet, xlsx } from '../xlsx.ts'
import { headcount } from './payroll.ts'
import { FIRST_MONTH, growth, LAST_MONTH, season, type World } from './world.ts'

const MONTHS = monthsBetween(FIRST_MONTH, LAST_MONTH)

/** Workbook with two sheets, months across: people by department, and what was sold by class. */
export const monthlyMetrics = (world: World): Promise<Uint8Array> => xlsx([peopleSheet(), salesSheet(world)])

const byDepartment = (month: string): Map<string, number> => {
  const people = new Map<string, number>()
  for (const { department, people: count } of headcount(month))
    people.set(department, (people.get(department) ?? 0) + count)
  return people
}

function peopleSheet(): Sheet {
  const departments = [...byDepartment('2026-07').keys()].sort()
  return {
    name: 'People',
    rows: [
      ['metric', 'department', ...MONTHS],
      ...departments.map((department): Cell[] => [
        'headcount',
        department,
        ...MONTHS.map((month) => byDepartment(month).get(department) ?? 0),
      ]),
    ],
  }
}

/** Units by month and class, out of what the invoices and tills say left the warehouse. */
function unitsSold(world: World): Map<string, Map<string, number>> {
  const units = new Map<string, Map<string, number>>()
  for (const [key, shipped] of world.shipped) {
    const [month, memberClass] = key.split('|') as [string, string]
    const row = units.get(memberClass) ?? new Map<string, number>()
    row.set(month, (row.get(month) ?? 0) + shipped.units)
    units.set(memberClass, row)
  }
  return units
}

function salesSheet(world: World): Sheet {
  const units = [...unitsSold(world)].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    name: 'Sales',
    rows: [
      ['metric', 'class', ...MONTHS],
      ...units.map(([memberClass, row]): Cell[] => [
        'units-sold',
        memberClass,
        ...MONTHS.map((month) => row.get(month) ?? null),
      ]),
      ['customers', null, ...MONTHS.map((month) => world.customersAt.get(month) ?? null)],
      ['average-order-value', null, ...orderValues('all', 21_300, FIRST_MONTH)],
      ['average-order-value', 'retail-portland', ...orderValues('retail-portland', 14_850, FIRST_MONTH)],
      ['average-order-value', 'retail-boston', ...orderValues('retail-boston', 17_120, '2024-04')],
      ['average-order-value', 'retail-online', ...orderValues('retail-online', 9_940, FIRST_MONTH)],
    ],
  }
}

/** Dollars and cents of an average order; none before the shop was open. */
function orderValues(label: string, cents: number, from: string): Cell[] {
  const random = seeded(`harbor/order-value/${label}`)
  return MONTHS.map((month) => {
    const value = random.around(share(cents, 60 * growth(month) + 40 * season(month), 10_000), 6)
    return month < from ? null : value / 100
  })
}

/** Long: visits to the web shop by day, use of the workshop by week. */
export function dailyMetrics(): Promise<Uint8Array> {
  const visits = seeded('harbor/web-visits')
  const workshop = seeded('harbor/workshop')
  const rows: Cell[][] = []
  for (const month of MONTHS)
    for (let day = 1; day <= daysIn(month); day++) {
      const date = dayOf(month, day)
      const weekend = [0, 6].includes(weekday(date))
      const usual = share(weekend ? 1_340 : 910, season(month) * growth(month), 10_000)
      // The counter was broken for a week in May 2024: no value is not the value 0.
      const counted = date < '2024-05-13' || date > '2024-05-19'
      const value = visits.around(usual, 30)
      if (counted) rows.push(['web-visits', asDate(date), value])
    }
  for (let friday = '2023-01-06'; friday <= lastDay(LAST_MONTH); friday = addDays(friday, 7)) {
    const percent = workshop.around(share(760, 60 * 100 + 40 * season(friday.slice(0, 7)), 10_000), 9)
    // Rebuilt in January 2025: there was no workshop to use.
    if (!friday.startsWith('2025-01'))
      rows.push(['workshop-utilisation', asDate(friday), Math.min(percent, 1000) / 10])
  }
  return xlsx([{ name: 'Daily', rows: [['metric', 'date', 'value'], ...rows] }])
}

const asDate = (date: string): Date => new Date(`${date}T00:00:00Z`)

/** Long, with the budget that each target belongs to. */
export function targets2026(): Promise<Uint8Array> {
  const months = monthsBetween('2026-01', '2026-12')
  const people = months.flatMap((month): Cell[][] =>
    [...byDepartment(month)].map(([department, count]) => [
      'headcount',
      month,
      count + (department === 'sales' && monthNumber(month) > 6 ? 1 : 0),
      null,
      department,
      'op-2026',
    ]),
  )
  const units = months.flatMap((month): Cell[][] =>
    [
      ['wholesale-ne-marinas', 1_450],
      ['wholesale-ne-fleets', 1_150],
      ['wholesale-se', 1_250],
      ['wholesale-west', 1_050],
      ['retail-portland', 620],
      ['retail-boston', 510],
      ['retail-online', 540],
    ].map(([memberClass, usual]) => [
      'units-sold',
      month,
      share(usual as number, season(month), 100),
      memberClass as string,
      null,
      'op-2026',
    ]),
  )
  return xlsx([
    {
      name: 'Targets',
      rows: [['metric', 'date', 'value', 'class', 'department', 'budget'], ...people, ...units],
    },
  ])
}
