/** What Harbor's books grow from: the journal, the seasons, the catalogue, and what has been sold so far. */
import { monthNumber } from '../calendar.ts'
import type { Journal } from '../journal.ts'

export const FIRST_MONTH = '2023-01'
export const LAST_MONTH = '2026-10'

export interface World {
  readonly journal: Journal
  /** Units and cost of what left the warehouse, by month, class and product line. */
  readonly shipped: Map<string, { units: number; cost: number }>
  /** Wholesale customers that have bought at least once. */
  readonly customers: Set<string>
  /** Count of customers at each month's end, for the metrics. */
  readonly customersAt: Map<string, number>
}

/** Whole dollars to cents. */
export const usd = (dollars: number): number => dollars * 100

export const BANK = '1011'
export const RECEIVABLES = '1110'
export const PAYABLES = '2011'

/** Boats go into the water in spring: percent of an average month, January first. */
const SEASON = [62, 68, 95, 128, 146, 138, 120, 108, 92, 84, 78, 81]
export const season = (month: string): number => SEASON[monthNumber(month) - 1]!

/** Volume grows by 5 percent a year, prices by 3: percent of 2023. */
export const growth = (month: string): number => 100 + 5 * (Number(month.slice(0, 4)) - 2023)
export const priceLevel = (month: string): number => 100 + 3 * (Number(month.slice(0, 4)) - 2023)

export interface ProductLine {
  readonly name: string
  readonly sales: string
  readonly cost: string
  readonly inventory: string
  /** Percent of the list price that the goods cost. */
  readonly costPercent: number
  /** Percent of product revenue. */
  readonly weight: number
  readonly items: readonly { readonly name: string; readonly price: number }[]
}

const line = (
  name: string,
  number: number,
  costPercent: number,
  weight: number,
  items: Record<string, number>,
): ProductLine => ({
  name,
  sales: `41${number}0`,
  cost: `51${number}0`,
  inventory: `12${number}0`,
  costPercent,
  weight,
  items: Object.entries(items).map(([item, dollars]) => ({ name: item, price: usd(dollars) })),
})

export const PRODUCT_LINES: readonly ProductLine[] = [
  line('deck hardware', 1, 54, 32, { Cleats: 24, Winches: 890, Hatches: 345, 'Anchor windlasses': 1290 }),
  line('rope and rigging', 2, 50, 23, { 'Mooring line': 86, 'Dyneema coils': 415, Shackles: 12, Blocks: 74 }),
  line('safety equipment', 3, 56, 19, {
    'Life jackets': 79,
    'Survival suits': 395,
    Flares: 46,
    'Life rafts': 2150,
  }),
  line('marine electronics', 4, 65, 26, {
    Chartplotters: 1180,
    'VHF radios': 265,
    Radars: 2480,
    Sounders: 540,
  }),
]

/** Notes that `units` of a product line left the warehouse for `memberClass`; `value` is at wholesale list price. */
export function ship(
  world: World,
  month: string,
  memberClass: string,
  product: ProductLine,
  units: number,
  value: number,
): void {
  const key = `${month}|${memberClass}|${product.name}`
  const before = world.shipped.get(key) ?? { units: 0, cost: 0 }
  const cost = Math.round((value * product.costPercent) / 100)
  world.shipped.set(key, { units: before.units + units, cost: before.cost + cost })
}
