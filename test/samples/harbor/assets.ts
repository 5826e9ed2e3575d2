/** Harbor's register of equipment: bought, depreciated straight-line, sold or scrapped. */
import { addMonths, businessDay, dayOf, lastDay, monthNumber } from '../calendar.ts'
import { type Line, share } from '../journal.ts'
import { buyEquipment } from './purchases.ts'
import { BANK, usd, type World } from './world.ts'

interface Asset {
  readonly name: string
  readonly account: string
  readonly cost: number
  /** Months of useful life, from the month after it was bought. */
  readonly life: number
  /** Month and supplier of the purchase; none for what the company was founded with. */
  readonly bought?: readonly [month: string, supplier: string]
  /** Month in which it goes, and what it fetches. */
  readonly gone?: readonly [month: string, proceeds: number]
  readonly department: string
  readonly class?: string
}

const FOUNDED = '2022-12'
const REGISTER: readonly Asset[] = [
  { name: 'Racks and lifts', account: '1510', cost: usd(180_000), life: 84, department: 'warehouse' },
  { name: 'Delivery trucks', account: '1520', cost: usd(140_000), life: 60, department: 'delivery' },
  {
    name: 'Vans of 2022',
    account: '1520',
    cost: usd(100_000),
    life: 60,
    department: 'delivery',
    gone: ['2025-08', usd(58_500)],
  },
  { name: 'Office and shop furniture', account: '1530', cost: usd(60_000), life: 84, department: 'admin' },
  { name: 'Servers and tills', account: '1540', cost: usd(30_000), life: 36, department: 'it' },
  {
    name: 'Old terminals',
    account: '1540',
    cost: usd(15_000),
    life: 36,
    department: 'it',
    gone: ['2024-11', usd(600)],
  },
  { name: 'Portland fit-out', account: '1550', cost: usd(120_000), life: 120, department: 'ops' },
  { name: 'Trademarks', account: '1720', cost: usd(30_000), life: 180, department: 'admin' },
  {
    name: 'Forklift',
    account: '1510',
    cost: usd(38_400),
    life: 84,
    department: 'warehouse',
    bought: ['2023-06', 'Yale Northeast'],
  },
  {
    name: 'Boston fit-out',
    account: '1550',
    cost: usd(145_200),
    life: 120,
    department: 'sales',
    class: 'retail-boston',
    bought: ['2024-02', 'Suffolk Interiors'],
  },
  {
    name: 'Boston furniture',
    account: '1530',
    cost: usd(42_000),
    life: 84,
    department: 'sales',
    class: 'retail-boston',
    bought: ['2024-03', 'Suffolk Interiors'],
  },
  {
    name: 'Delivery van',
    account: '1520',
    cost: usd(61_800),
    life: 60,
    department: 'delivery',
    bought: ['2024-05', 'Portland Ford'],
  },
  {
    name: 'Laptops',
    account: '1540',
    cost: usd(36_450),
    life: 36,
    department: 'it',
    bought: ['2025-04', 'CDW'],
  },
  {
    name: 'Box truck',
    account: '1520',
    cost: usd(88_700),
    life: 60,
    department: 'delivery',
    bought: ['2025-09', 'Freightliner of Maine'],
  },
  {
    name: 'Racking, second aisle',
    account: '1510',
    cost: usd(54_300),
    life: 84,
    department: 'warehouse',
    bought: ['2026-05', 'Yale Northeast'],
  },
]

export const openingAssets = (): Line[] =>
  REGISTER.filter((asset) => !asset.bought).map((asset) => ({ account: asset.account, amount: asset.cost }))

/** 1510 → 1610 and 6810, … ; trademarks 1720 → 1729 and 6860. */
const accumulated = (asset: Asset) => (asset.account === '1720' ? '1729' : `16${asset.account.slice(2)}`)
const expense = (asset: Asset) => (asset.account === '1720' ? '6860' : `68${asset.account.slice(2)}`)

const monthsApart = (from: string, to: string): number =>
  12 * (Number(to.slice(0, 4)) - Number(from.slice(0, 4))) + monthNumber(to) - monthNumber(from)

/** Depreciated up to and including `month`: cumulative, so that the last month takes the odd cents. */
function depreciatedBy(asset: Asset, month: string): number {
  const age = Math.max(0, monthsApart(asset.bought?.[0] ?? FOUNDED, month))
  return share(asset.cost, Math.min(age, asset.life), asset.life)
}

export function keepRegister(world: World, month: string): void {
  for (const asset of REGISTER.filter((candidate) => candidate.bought?.[0] === month))
    buyEquipment(
      world,
      businessDay(dayOf(month, 14)),
      asset.bought![1],
      asset.account,
      asset.cost,
      asset.department,
    )
  const held = REGISTER.filter((asset) => !(asset.gone && asset.gone[0] < month))
  world.journal.post(
    'DEP',
    lastDay(month),
    'Depreciation',
    held.flatMap((asset): Line[] => {
      const amount = depreciatedBy(asset, month) - depreciatedBy(asset, addMonths(month, -1))
      const tags = { class: asset.class, department: asset.department }
      return [
        { account: expense(asset), amount, ...tags, memo: asset.name },
        { account: accumulated(asset), amount: -amount, ...tags, memo: asset.name },
      ]
    }),
  )
  for (const asset of held.filter((candidate) => candidate.gone?.[0] === month)) dispose(world, asset, month)
}

function dispose(world: World, asset: Asset, month: string): void {
  const proceeds = asset.gone![1]
  const written = depreciatedBy(asset, month)
  const gain = proceeds - (asset.cost - written)
  const department = asset.department
  world.journal.post('AST', lastDay(month), `Sold: ${asset.name}`, [
    { account: BANK, amount: proceeds, department },
    { account: accumulated(asset), amount: written, department },
    { account: asset.account, amount: -asset.cost, department },
    { account: gain > 0 ? '7020' : '8040', amount: -gain, department },
  ])
}
