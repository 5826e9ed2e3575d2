/** Seeded draws for the samples: whole-number arithmetic and one division only, so the same on every machine. */

export interface Random {
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  /** True in `percent` of a hundred draws. */
  chance(percent: number): boolean
  pick<T>(list: readonly T[]): T
  /** `amount` moved by up to `percent` either way, a whole number. */
  around(amount: number, percent: number): number
}

/** Each part of a sample draws from its own label, so that a change in one part moves no other. */
export function seeded(label: string): Random {
  const next = mulberry32(fnv1a(label))
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    between,
    chance: (percent) => next() * 100 < percent,
    pick: (list) => list[between(0, list.length - 1)]!,
    around: (amount, percent) =>
      Math.round((amount * between(1000 - percent * 10, 1000 + percent * 10)) / 1000),
  }
}

/** Tommy Ettinger's mulberry32. */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function fnv1a(label: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < label.length; i++) hash = Math.imul(hash ^ label.charCodeAt(i), 0x01000193)
  return hash
}
