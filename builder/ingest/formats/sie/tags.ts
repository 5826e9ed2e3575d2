/** Which SIE dimensions are classes and departments, and the two tags of a line or figure by its objects. */
import type { Company } from '../../../workspace/company.ts'
import type { Origin } from '../../format/intake.ts'
import { statedOf } from '../../format/keys.ts'
import type { SieFile } from './records.ts'
import type { SieObject } from './uses.ts'

export type Target = 'class' | 'department'

/** The members that a line or a stated figure carries. */
export interface Tags {
  readonly class: string | null
  readonly department: string | null
}
export const UNTAGGED: Tags = { class: null, department: null }

/** SIE reserves dimension 1 for cost centres and 6 for projects. */
const RESERVED_DIMENSIONS: readonly (readonly [dimension: string, target: Target])[] = [
  ['1', 'department'],
  ['6', 'class'],
]
export const TARGETS = ['class', 'department'] as const satisfies readonly Target[]

/** An object that is a member, where it is declared or first used, and the objects above it that lines name beside it. */
export interface Member extends SieObject, Origin {
  readonly parents: Set<string>
}
export const keyOf = ({ dimension, id }: SieObject) => JSON.stringify([dimension, id])

/** Which dimensions are classes and departments. */
export interface DimensionRules {
  /** Dimension → what it is; absent where it is mapped to nothing. */
  readonly targets: ReadonlyMap<string, Target>
  /** Of each sub-dimension the one above it. */
  readonly parents: ReadonlyMap<string, string>
}

export function dimensionRules(
  files: readonly Pick<SieFile, 'dimensions'>[],
  stated: Company['dimensions'],
): DimensionRules {
  const targets = new Map<string, Target>()
  const parents = new Map<string, string>()
  for (const { dimensions } of files)
    for (const { id, parent } of dimensions.values())
      if (parent !== null && parent !== id) parents.set(id, parent)
  const taken = new Set(Object.values(stated ?? {}))
  // Where company.yaml makes another dimension the class, dimension 6 is not; the same for departments and dimension 1.
  for (const [dimension, target] of RESERVED_DIMENSIONS)
    if (statedOf(stated, dimension) === undefined && !taken.has(target)) targets.set(dimension, target)
  for (const [dimension, target] of Object.entries(stated ?? {}))
    if (target !== 'none') targets.set(dimension, target)
  // A sub-dimension refines the tree of the dimension above it.
  for (const dimension of parents.keys())
    if (statedOf(stated, dimension) === undefined) {
      const above = ancestors(parents, dimension).map((ancestor) => targets.get(ancestor))
      const target = above.find((each) => each !== undefined)
      if (target !== undefined) targets.set(dimension, target)
    }
  return { targets, parents }
}

export function ancestors(parents: DimensionRules['parents'], dimension: string): string[] {
  const above: string[] = []
  let parent = parents.get(dimension)
  while (parent !== undefined && !above.includes(parent)) {
    above.push(parent)
    parent = parents.get(parent)
  }
  return above
}

/** The objects of one kind, from the top of the tree down; null where they do not lie on one branch. */
export function chainOf(
  { targets, parents }: DimensionRules,
  objects: readonly SieObject[],
  target: Target,
): SieObject[] | null {
  const own = objects.filter(({ dimension }) => targets.get(dimension) === target)
  if (own.length < 2) return own
  const distinct = [...new Map(own.map((object) => [`${object.dimension} ${object.id}`, object])).values()]
  const chain = distinct.sort(
    (a, b) => ancestors(parents, a.dimension).length - ancestors(parents, b.dimension).length,
  )
  const isBranch = chain.every(({ dimension }, i) => {
    const above = chain[i - 1]
    return above === undefined || ancestors(parents, dimension).includes(above.dimension)
  })
  return isBranch ? chain : null
}

export const listOf = (objects: readonly SieObject[]): string =>
  objects.map(({ dimension, id }) => `{${dimension} "${id}"}`).join(' ')
