/**
 * Owns the tree of a dimension (classes or departments), whose root is *All*. Members are numbered in pre-order from 1, and
 * 0 is `unassigned`. A member and its descendants are thus one range of numbers, and a roll-up is a BETWEEN.
 */
import { addTo } from '../../contract/grouping.ts'
import { present } from '../../contract/present.ts'
import { byCodePoint, UNASSIGNED } from '../../contract/vocabulary.ts'

export interface Member {
  readonly id: string
  readonly name: string
  readonly parentId: string | null
  readonly isActive: boolean
}

/** A range of member numbers; both ends are included. */
export interface Span {
  readonly from: number
  readonly to: number
}

export interface Tree {
  /** In pre-order. The member with number n is `members[n - 1]`. */
  readonly members: readonly Member[]
  /** For each of `members`, the last number of its subtree. */
  readonly last: readonly number[]
}

/** The tree of members, each list ordered by name. Members whose parent is missing are left out. */
export function treeOf(members: readonly Member[]): Tree {
  const children = new Map<string | null, Member[]>()
  for (const member of members) addTo(children, member.parentId, member)
  const ordered: Member[] = []
  // Kept as a stack, the next one last, since a chain of thousands would be too deep for a recursion.
  const waiting = inOrder(children.get(null) ?? []).reverse()
  for (let member = waiting.pop(); member; member = waiting.pop()) {
    ordered.push(member)
    waiting.push(...inOrder(children.get(member.id) ?? []).reverse())
  }
  const number = new Map(ordered.map(({ id }, i) => [id, i]))
  const last = ordered.map((_, i) => i + 1)
  for (let i = ordered.length - 1; i >= 0; i--) {
    const above = number.get(ordered[i]?.parentId ?? '')
    if (above !== undefined) last[above] = Math.max(last[above] ?? 0, last[i] ?? 0)
  }
  return { members: ordered, last }
}

/** Whether members and ends that come from elsewhere are such a tree, in whichever order its lists are. */
export function isTree({ members, last }: Tree): boolean {
  const above: { readonly id: string; readonly end: number }[] = []
  for (const [i, { id, parentId }] of members.entries()) {
    while ((above.at(-1)?.end ?? members.length) <= i) above.pop()
    const [around, end] = [above.at(-1), last[i] ?? 0]
    if ((around?.id ?? null) !== parentId || end <= i || end > (around?.end ?? members.length)) return false
    above.push({ id, end })
  }
  return last.length === members.length && new Set(members.map(({ id }) => id)).size === members.length
}

/** Sorts members by name, then id, by code point. */
const inOrder = (members: readonly Member[]): Member[] =>
  [...members].sort((a, b) => byCodePoint(a.name, b.name) || byCodePoint(a.id, b.id))

/**
 * The numbers that a filter selects: null selects all, `unassigned` selects 0, and a member includes its descendants. Throws for
 * an id that is not in the tree; use {@link findSpan} where that may happen.
 */
export const spanOf = (tree: Tree, id: string | null): Span =>
  present(findSpan(tree, id), `member "${id}" in the dimension`)

/** As {@link spanOf}, but null where no member has the id. */
export function findSpan(tree: Tree, id: string | null): Span | null {
  if (id === null) return { from: 0, to: tree.members.length }
  if (id === UNASSIGNED) return { from: 0, to: 0 }
  const from = numbersOf(tree).get(id)
  const to = from === undefined ? undefined : tree.last[from - 1]
  return from === undefined || to === undefined ? null : { from, to }
}

/** Computes a property of a tree once: it is asked for again with every member. */
function once<T>(compute: (tree: Tree) => T): (tree: Tree) => T {
  const kept = new WeakMap<Tree, T>()
  return (tree) => {
    const value = kept.get(tree) ?? compute(tree)
    kept.set(tree, value)
    return value
  }
}

/** The number of each member, by its id. */
const numbersOf = once(
  ({ members }): ReadonlyMap<string, number> => new Map(members.map(({ id }, i) => [id, i + 1])),
)

/** Every filter of a dimension: all (null), each member, and `unassigned`. */
export const filtersOf = (tree: Tree): (string | null)[] => [
  null,
  ...tree.members.map((member) => member.id),
  UNASSIGNED,
]

/** The filters that together select everything once: root members and `unassigned`. */
export const rootFilters = once((tree): readonly string[] => [
  ...tree.members.filter((member) => member.parentId === null).map((member) => member.id),
  UNASSIGNED,
])
