/** Which SIE dimensions are classes and departments, and the two tags of a line or figure by its objects. */
import type { Company } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/finding.ts'
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
const TARGETS = ['class', 'department'] as const satisfies readonly Target[]

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

/** The members that figures carry, and what is wrong with them, as data. */
export interface MemberUses {
  /** Objects by first use. */
  readonly members: Readonly<Record<Target, ReadonlyMap<string, Member>>>
  readonly findings: readonly Finding[]
}

/** Fields of a line hold no line ends. */
const textOf = (objects: readonly SieObject[]): string => {
  let text = ''
  for (const { dimension, id } of objects) text += `${dimension}\n${id}\n`
  return text
}

/** Tags figures, and notes the members that they carry. */
export class Tagger implements MemberUses {
  readonly members: Record<Target, Map<string, Member>> = { class: new Map(), department: new Map() }
  readonly findings: Finding[] = []
  readonly #rules: DimensionRules
  /** Objects as text → their tags, where they were noted already. */
  readonly #known = new Map<string, Tags>()

  constructor(rules: DimensionRules) {
    this.#rules = rules
  }

  uses(): MemberUses {
    return { members: this.members, findings: this.findings }
  }

  /** Adds what was noted of a further file. */
  add({ members, findings }: MemberUses): void {
    for (const target of TARGETS)
      for (const [key, { parents, ...member }] of members[target]) {
        const use = this.#note(target, key, member)
        for (const parent of parents) use.parents.add(parent)
      }
    for (const found of findings) this.findings.push(found)
  }

  /** The tags of a figure that goes into the books: its members are noted as used, a contradiction is a finding. */
  use(objects: readonly SieObject[], origin: Origin): Tags {
    if (objects.length === 0) return UNTAGGED
    const key = textOf(objects)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const tags: { [target in Target]: string | null } = { class: null, department: null }
    let isRight = true
    for (const target of TARGETS) {
      const chain = chainOf(this.#rules, objects, target)
      isRight &&= chain !== null
      if (chain === null) {
        const several = objects.filter(({ dimension }) => this.#rules.targets.get(dimension) === target)
        this.findings.push(
          error('two-members', `carries two members of one kind (${target}): ${listOf(several)}`, {
            ...origin,
            text: listOf(several),
            remedy:
              'a line has one class and one department: split it, or map one of the dimensions to "none" under "dimensions" in company.yaml',
          }),
        )
        continue
      }
      for (const { dimension, id } of chain) {
        const object = { dimension, id }
        const use = this.#note(target, keyOf(object), { ...object, ...origin })
        const above = tags[target]
        if (above !== null) use.parents.add(above)
        tags[target] = id
      }
    }
    // What is wrong is told of each line.
    if (isRight) this.#known.set(key, tags)
    return tags
  }

  #note(target: Target, key: string, member: Omit<Member, 'parents'>): Member {
    let use = this.members[target].get(key)
    if (use === undefined) {
      use = { ...member, parents: new Set() }
      this.members[target].set(key, use)
    }
    return use
  }
}

export const listOf = (objects: readonly SieObject[]): string =>
  objects.map(({ dimension, id }) => `{${dimension} "${id}"}`).join(' ')
