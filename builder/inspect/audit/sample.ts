/**
 * Draws a sample from the items of an account: `tieout sample`. The seed is the SHA-256 of the manifest's hash and a secret of the auditor:
 * whoever is audited cannot foresee it, whoever draws cannot choose it once the commitment to the secret is known, and anybody who
 * is told the secret draws the same again.
 */
import { decimalsOf } from '../../books/reference/frame.ts'
import { formatInteger } from '../../contract/currency.ts'
import type { Basis } from '../../contract/vocabulary.ts'
import { parseAmount } from '../../ingest/text/amount.ts'
import { sha256 } from '../../system/hash.ts'
import type { Finding } from '../../workspace/findings/finding.ts'
import {
  basisIn,
  failed,
  frameOfReadableBooks,
  publishedSnapshot,
  type Resolved,
  unknown,
} from '../inspect.ts'
import { sizeFactor } from './gamma.ts'
import { type Item, itemsOf } from './items.ts'

export const METHODS = ['mus', 'random', 'stratified'] as const
export type Method = (typeof METHODS)[number]

export interface SampleRequest {
  readonly company: string
  readonly snapshotId: string | null
  readonly basis: Basis | null
  readonly account: string
  /** The open items of this day; null for the lines on one side. */
  readonly asOf: string | null
  readonly side: 'debit' | 'credit'
  /** Null for the days of the books. */
  readonly from: string | null
  readonly through: string | null
  readonly method: Method
  /** Of monetary-unit sampling: amounts as text, and the confidence in percent. */
  readonly tolerable: string | null
  readonly expected: string
  readonly confidence: number
  /** Of the other methods: how many items, beside the key items. */
  readonly size: number | null
  /** Items of this amount and more are all taken; null for none but those that the method takes anyway. */
  readonly key: string | null
  /** Amounts that divide strata, ascending. */
  readonly strata: readonly string[]
  readonly secret: string
}

/** Amounts are decimal text in the direction of the balance. */
export interface DrawnItem {
  readonly id: string
  readonly date: string | null
  readonly memo: string | null
  readonly file: string | null
  readonly row: number | null
  readonly amount: string
  /** `key`: taken for its size. `negative`: goes the other way, and is to be tested apart. */
  readonly kind: 'key' | 'drawn' | 'negative'
}

export interface Sample {
  readonly company: string
  readonly snapshotId: string
  readonly manifestSha256: string
  readonly currency: string
  readonly basis: string
  readonly account: string
  readonly name: string
  readonly asOf: string | null
  readonly method: Method
  /** Numbers and amounts of items: of all, of those drawn from, of key items, and of those that go the other way. */
  readonly population: Readonly<Record<'all' | 'positive' | 'key' | 'negative', Counted>>
  /** Whether all items add up to the balance or turnover of the account. */
  readonly addsUp: boolean
  /** Of monetary-unit sampling. */
  readonly design: Design | null
  readonly secret: string
  /** SHA-256 of the secret, to be told before. */
  readonly commitment: string
  readonly seed: string
  readonly items: readonly DrawnItem[]
}

export interface Counted {
  readonly items: number
  readonly amount: string
}

export interface Design {
  readonly tolerable: string
  readonly expected: string
  readonly confidence: number
  readonly factor: number
  readonly interval: string
}

/** Unknown names and amounts that cannot be used are findings. Throws SnapshotDamagedError. */
export async function sample(root: string, request: SampleRequest): Promise<Resolved<Sample>> {
  const opened = await publishedSnapshot(root, request.company, request.snapshotId)
  if (opened.findings) return opened
  const snapshot = opened.value
  const frame = await frameOfReadableBooks(snapshot)
  const asked = basisIn(frame, request.basis)
  if (asked.findings) return asked
  const basis = asked.value
  const decimals = decimalsOf(frame)
  const read = readAmounts(request, decimals)
  if (read.findings) return read
  const found = await itemsOf(snapshot, frame, {
    ...{ account: request.account, basis, asOf: request.asOf, side: request.side },
    ...{ from: request.from ?? frame.coverage.startDate, through: request.through ?? frame.coverage.endDate },
  })
  if (found.findings) return found
  const { account, items, addsUp } = found.value
  const seed = sha256(`${snapshot.manifestHash} ${request.secret}`)
  const { design, keyFrom, taken } = drawn(items, request, read.value, BigInt(`0x${seed}`))
  const text = (minor: bigint): string => formatInteger(String(minor), decimals)
  const counted = (of: readonly Item[]): Counted => ({
    items: of.length,
    amount: text(of.reduce((sum, { amount }) => sum + amount, 0n)),
  })
  const isKey = ({ amount }: Item) => keyFrom !== null && amount >= keyFrom
  const kindOf = (item: Item): DrawnItem['kind'] | null =>
    item.amount < 0n ? 'negative' : isKey(item) ? 'key' : taken.has(item) ? 'drawn' : null
  return {
    value: {
      ...{ company: snapshot.company, snapshotId: snapshot.id, manifestSha256: snapshot.manifestHash },
      ...{ currency: frame.currency, basis: basis.toLowerCase(), account: account.number || account.id },
      ...{ name: account.name, asOf: request.asOf, method: request.method, addsUp },
      population: {
        all: counted(items),
        positive: counted(items.filter(({ amount }) => amount > 0n)),
        key: counted(items.filter(isKey)),
        negative: counted(items.filter(({ amount }) => amount < 0n)),
      },
      design: design && {
        ...{ tolerable: text(design.tolerable), expected: text(design.expected) },
        ...{ confidence: request.confidence, factor: design.factor, interval: text(design.interval) },
      },
      ...{ secret: request.secret, commitment: sha256(request.secret), seed },
      items: items.flatMap((item) => {
        const kind = kindOf(item)
        return kind === null ? [] : [{ ...item, amount: text(item.amount), kind }]
      }),
    },
  }
}

interface Amounts {
  readonly tolerable: bigint
  readonly expected: bigint
  readonly key: bigint | null
  readonly strata: readonly bigint[]
}

/** Above it a sample by monetary units needs more items than a look at all. */
const MOST_EXPECTED = 0.6

function readAmounts(request: SampleRequest, decimals: number): Resolved<Amounts> {
  const findings: Finding[] = []
  const say = (message: string, text: string, remedy: string) =>
    findings.push(unknown('not-an-amount', message, text, remedy))
  const read = (option: string, text: string, least: number): bigint => {
    const { minor } = parseAmount(text, decimals)
    if (minor === undefined || minor < least) {
      say(
        `--${option} ${text} is not an amount${least > 0 ? ' above zero' : ''}`,
        text,
        `write it like --${option} 20000`,
      )
      return 1n
    }
    return BigInt(minor)
  }
  const isMus = request.method === 'mus'
  if (isMus && request.tolerable === null)
    say('a sample by monetary units needs the tolerable misstatement', '', '--tolerable 20000')
  if (!isMus && request.size === null) say(`a ${request.method} sample needs a size`, '', '--size 25')
  const amounts: Amounts = {
    tolerable: request.tolerable === null ? 1n : read('tolerable', request.tolerable, 1),
    expected: read('expected', request.expected, 0),
    key: request.key === null ? null : read('key', request.key, 1),
    strata: request.strata.map((each) => read('strata', each, 1)),
  }
  if (amounts.strata.some((bound, i) => bound <= (amounts.strata[i - 1] ?? 0n)) && findings.length === 0)
    say(
      `the amounts of --strata ${request.strata.join()} do not ascend`,
      request.strata.join(),
      'begin with the smallest: --strata 1000,10000',
    )
  if (
    isMus &&
    request.tolerable !== null &&
    Number(amounts.expected) > MOST_EXPECTED * Number(amounts.tolerable)
  )
    say(
      `the expected misstatement is more than ${MOST_EXPECTED * 100} % of the tolerable one`,
      request.expected,
      'look at all items instead, or agree on another tolerable misstatement',
    )
  return findings.length > 0 ? failed(...findings) : { value: amounts }
}

interface Drawn {
  readonly design: { tolerable: bigint; expected: bigint; factor: number; interval: bigint } | null
  readonly keyFrom: bigint | null
  readonly taken: ReadonlySet<Item>
}

function drawn(items: readonly Item[], request: SampleRequest, amounts: Amounts, seed: bigint): Drawn {
  if (request.method === 'mus') return byUnits(items, request.confidence, amounts, seed)
  const { key } = amounts
  const others = items.filter(({ amount }) => amount > 0n && (key === null || amount < key))
  const bounds = request.method === 'stratified' ? amounts.strata : []
  const strata = [...bounds, null].map((bound, i) =>
    others.filter(
      ({ amount }) => (i === 0 || amount >= (bounds[i - 1] ?? 0n)) && (bound === null || amount < bound),
    ),
  )
  const sizes = shared(strata, request.size ?? 0)
  return {
    design: null,
    keyFrom: key,
    taken: new Set(strata.flatMap((stratum, i) => inChanceOrder(stratum, seed).slice(0, sizes[i]))),
  }
}

/** Every unit of money has the same chance: an item is taken where a unit at `start`, `start` + interval, … is one of its. */
function byUnits(
  items: readonly Item[],
  confidence: number,
  { tolerable, expected, key }: Amounts,
  seed: bigint,
): Drawn {
  const factor = sizeFactor(confidence / 100, Number(expected) / Number(tolerable))
  const interval = (tolerable * 100n) / BigInt(Math.round(factor * 100)) || 1n
  const keyFrom = key !== null && key < interval ? key : interval
  const taken = new Set<Item>()
  let next = seed % interval
  let passed = 0n
  for (const item of items) {
    if (item.amount <= 0n || item.amount >= keyFrom) continue
    passed += item.amount
    if (next >= passed) continue
    taken.add(item)
    next += interval
  }
  return { design: { tolerable, expected, factor, interval }, keyFrom, taken }
}

/** Items by the SHA-256 of the seed and their place in the books. */
const inChanceOrder = (items: readonly Item[], seed: bigint): Item[] =>
  items
    .map((item, place) => ({ item, mark: sha256(`${seed.toString(16)} ${place} ${item.id}`) }))
    .sort((a, b) => (a.mark < b.mark ? -1 : 1))
    .map(({ item }) => item)

/** Divides a size among strata by their amounts. What a stratum has too few items for goes to the others. */
function shared(strata: readonly (readonly Item[])[], size: number): number[] {
  const sizes = divided(
    strata.map((stratum) => stratum.reduce((sum, { amount }) => sum + amount, 0n)),
    size,
  )
  const isOver = strata.map(({ length }, i) => (sizes[i] ?? 0) > length)
  if (!isOver.includes(true)) return sizes
  const taken = strata.reduce((sum, { length }, i) => sum + (isOver[i] ? length : 0), 0)
  const others = shared(
    strata.map((stratum, i) => (isOver[i] ? [] : stratum)),
    size - taken,
  )
  return strata.map(({ length }, i) => (isOver[i] ? length : (others[i] ?? 0)))
}

/** Whole numbers by largest remainder; nothing where there are no amounts. */
function divided(sums: readonly bigint[], size: number): number[] {
  const all = sums.reduce((sum, each) => sum + each, 0n)
  if (all === 0n) return sums.map(() => 0)
  const exact = sums.map((sum) => (sum * BigInt(size) * 1000n) / all)
  const sizes = exact.map((each) => Number(each / 1000n))
  const byRemainder = exact
    .map((each, i) => ({ i, rest: each % 1000n }))
    .sort((a, b) => Number(b.rest - a.rest) || a.i - b.i)
  for (const { i } of byRemainder.slice(0, size - sizes.reduce((sum, each) => sum + each, 0)))
    sizes[i] = (sizes[i] ?? 0) + 1
  return sizes
}
