/**
 * A dimension as a tree with the root *All*. Members are numbered in pre-order from 1, 0 is `unassigned`, so that
 * a member with its descendants is one range of numbers and a roll-up is a BETWEEN.
 */
import { present } from '../contract/present.ts'
import { byCodePoint, UNASSIGNED } from '../contract/vocabulary.ts'

export interface Member {
  readonly id: string
  readonly name: string
  readonly parentId: string | null
  readonly isActive: boolean
}

/** Numbers of members, inclusive. */
export interface Span {
  readonly from: number
  readonly to: number
}

export interface Tree {
  /** Pre-order; the member with number n is `members[n - 1]`. */
  readonly members: readonly Member[]
  /** The last number of each member's subtree, same order. */
  readonly last: readonly number[]
}

export function treeOf(members: readonly Member[]): Tree {
  const children = new Map<string | null, Member[]>()
  for (const member of members)
    children.set(member.parentId, [...(children.get(member.parentId) ?? []), member])
  const ordered: Member[] = []
  const last: number[] = []
  const visit = (member: Member): void => {
    const number = ordered.push(member)
    for (const child of inOrder(children.get(member.id) ?? [])) visit(child)
    last[number - 1] = ordered.length
  }
  for (const root of inOrder(children.get(null) ?? [])) visit(root)
  return { members: ordered, last }
}

/** Lists are ordered by name, then id, by code point. */
const inOrder = (members: readonly Member[]): Member[] =>
  [...members].sort((a, b) => byCodePoint(a.name, b.name) || byCodePoint(a.id, b.id))

/**
 * The numbers that a filter selects: null is all, `unassigned` is 0, a member includes its descendants. The id must be one of
 * the tree's; {@link findSpan} is for others.
 */
export const spanOf = (tree: Tree, id: string | null): Span =>
  present(findSpan(tree, id), `member "${id}" in the dimension`)

/** The same; null where no member has the id. */
export function findSpan({ members, last }: Tree, id: string | null): Span | null {
  if (id === null) return { from: 0, to: members.length }
  if (id === UNASSIGNED) return { from: 0, to: 0 }
  const index = members.findIndex((member) => member.id === id)
  const to = last[index]
  return to === undefined ? null : { from: index + 1, to }
}

/** Every filter that a dimension offers: all, each member, `unassigned`. */
export const filtersOf = (tree: Tree): (string | null)[] => [
  null,
  ...tree.members.map((member) => member.id),
  UNASSIGNED,
]

/** The filters that add up to all: root members and `unassigned`. */
export const rootFilters = (tree: Tree): string[] => [
  ...tree.members.filter((member) => member.parentId === null).map((member) => member.id),
  UNASSIGNED,
]
