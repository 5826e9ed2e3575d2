/** A queue in which owners take turns: an owner with a hundred items delays each other owner by one item at a time. */

interface FairQueue<T> {
  readonly size: number
  sizeOf(owner: string): number
  /** Adds an item behind the others of this owner. */
  push(owner: string, item: T): void
  /** Adds an item before all others, whoever owns those. */
  unshift(owner: string, item: T): void
  /** The item that `shift` would return. */
  peek(): T | undefined
  /** Removes the next item of the owner whose turn it is, and passes the turn on. */
  shift(): T | undefined
  remove(owner: string, item: T): boolean
}

interface Turn<T> {
  readonly owner: string
  readonly items: T[]
}

export function createFairQueue<T>(): FairQueue<T> {
  /** Owners with items, in the order of their turns. */
  let turns: Turn<T>[] = []
  const turnOf = (owner: string): Turn<T> | undefined => turns.find((turn) => turn.owner === owner)
  const without = (gone: Turn<T>): Turn<T>[] => turns.filter((turn) => turn !== gone)
  return {
    get size() {
      return turns.reduce((sum, { items }) => sum + items.length, 0)
    },
    sizeOf: (owner) => turnOf(owner)?.items.length ?? 0,
    push: (owner, item) => {
      const turn = turnOf(owner)
      if (turn === undefined) turns.push({ owner, items: [item] })
      else turn.items.push(item)
    },
    unshift: (owner, item) => {
      const turn = turnOf(owner) ?? { owner, items: [] }
      turn.items.unshift(item)
      turns = [turn, ...without(turn)]
    },
    peek: () => turns[0]?.items[0],
    shift: () => {
      const turn = turns.shift()
      const item = turn?.items.shift()
      if (turn !== undefined && turn.items.length > 0) turns.push(turn)
      return item
    },
    remove: (owner, item) => {
      const turn = turnOf(owner)
      const place = turn?.items.indexOf(item) ?? -1
      if (turn === undefined || place < 0) return false
      turn.items.splice(place, 1)
      if (turn.items.length === 0) turns = without(turn)
      return true
    },
  }
}
