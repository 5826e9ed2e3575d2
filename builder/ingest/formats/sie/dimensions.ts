/**
 * SIE dimensions and objects as classes and departments: which dimension is which, the tags of a line or figure by its objects, the members
 * with their tree, and dimensions that are neither. Reads no balances and builds no ledger rows.
 */
import type { Company } from '../../../workspace/company.ts'
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import type { FindingCode } from '../../../workspace/findings/finding-codes.ts'
import type { MemberRow, Origin } from '../../format/intake.ts'
import { statedOf } from '../../format/keys.ts'
import { unmappedDimension } from '../../format/members.ts'
import type { SieFile } from './records.ts'
import type { balancesOnly as onBalancesOnly } from './stated.ts'
import type { SieObject } from './vouchers.ts'

type Target = 'class' | 'department'

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
interface Member extends SieObject, Origin {
  readonly parents: Set<string>
}
const keyOf = ({ dimension, id }: SieObject) => JSON.stringify([dimension, id])

/** Which dimensions are classes and departments. */
interface DimensionRules {
  /** Dimension → what it is; absent where it is mapped to nothing. */
  readonly targets: ReadonlyMap<string, Target>
  /** Of each sub-dimension the one above it. */
  readonly parents: ReadonlyMap<string, string>
}

function dimensionRules(
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

function ancestors(parents: DimensionRules['parents'], dimension: string): string[] {
  const above: string[] = []
  let parent = parents.get(dimension)
  while (parent !== undefined && !above.includes(parent)) {
    above.push(parent)
    parent = parents.get(parent)
  }
  return above
}

/** The objects of one kind, from the top of the tree down; null where they do not lie on one branch. */
function chainOf(
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

const listOf = (objects: readonly SieObject[]): string =>
  objects.map(({ dimension, id }) => `{${dimension} "${id}"}`).join(' ')

export class Dimensions {
  readonly #names = new Map<string, string>()
  readonly #rules: DimensionRules
  /** Objects that figures carry, by first use. */
  readonly #used: Record<Target, Map<string, Member>> = { class: new Map(), department: new Map() }
  readonly findings: Finding[] = []
  readonly #files: readonly SieFile[]
  readonly #balancesOnly: ReturnType<typeof onBalancesOnly>

  /** `balancesOnly`: dimensions whose objects stand on balances, but on no voucher. */
  constructor(
    files: readonly SieFile[],
    stated: Company['dimensions'],
    balancesOnly: ReturnType<typeof onBalancesOnly> = new Map(),
  ) {
    this.#files = files
    this.#balancesOnly = balancesOnly
    for (const { dimensions } of files)
      for (const { id, name } of dimensions.values()) this.#names.set(id, name)
    const { targets: mapped, parents } = dimensionRules(files, stated)
    const targets = new Map(mapped)
    this.#rules = { targets, parents }
    for (const [dimension, { file, row, count }] of balancesOnly) {
      if (!targets.delete(dimension) || statedOf(stated, dimension) === 'none') continue
      this.findings.push(
        error(
          'objects-without-vouchers',
          `objects of dimension ${dimension} stand on ${count} ${count === 1 ? 'balance' : 'balances'} of the file (#PSALDO, #OUB), but on no voucher: figures by ${this.#nameOf(dimension)} cannot be made of it`,
          {
            file,
            row: row.line,
            text: listOf(row.objects),
            remedy: `write ${dimension}: none under "dimensions" in company.yaml to report without them; or export again with the objects of the vouchers`,
          },
        ),
      )
    }
  }

  #nameOf(dimension: string): string {
    return this.#names.get(dimension) ?? `dimension ${dimension}`
  }

  /** All dimensions that are declared, with what each is. */
  list(): { readonly id: string; readonly name: string; readonly target: Target | 'none' }[] {
    const declared = [...this.#names].filter(([id]) => !this.#balancesOnly.has(id))
    return [
      ...declared.map(([id, name]) => ({
        id,
        name,
        target: this.#rules.targets.get(id) ?? ('none' as const),
      })),
      ...[...this.#balancesOnly.keys()].map((id) => ({
        id,
        name: `${this.#nameOf(id)}: on balances, but on no voucher`,
        target: 'none' as const,
      })),
    ]
  }

  /** Whether every object is of a dimension that is a class or a department. */
  isMapped(objects: readonly SieObject[]): boolean {
    return objects.every(({ dimension }) => this.#rules.targets.has(dimension))
  }

  /** The tags without the side effects of {@link use}; null where two members of one kind stand together. */
  tags(objects: readonly SieObject[]): Tags | null {
    if (objects.length === 0) return UNTAGGED
    const chains = {
      class: chainOf(this.#rules, objects, 'class'),
      department: chainOf(this.#rules, objects, 'department'),
    }
    if (chains.class === null || chains.department === null) return null
    return { class: chains.class.at(-1)?.id ?? null, department: chains.department.at(-1)?.id ?? null }
  }

  /** The tags of a figure, or of so many lines, that go into the books: their members are noted as used, a contradiction is a finding. */
  use(objects: readonly SieObject[], origin: Origin, lines = 1): Tags {
    if (objects.length === 0) return UNTAGGED
    const tags: { [target in Target]: string | null } = { class: null, department: null }
    for (const target of TARGETS) {
      const chain = chainOf(this.#rules, objects, target)
      if (chain === null) {
        this.findings.push(twoMembers(this.#rules, objects, target, origin, lines))
        continue
      }
      for (const { dimension, id } of chain) {
        const member = { dimension, id, ...origin }
        const use = this.#used[target].get(keyOf(member)) ?? { ...member, parents: new Set<string>() }
        this.#used[target].set(keyOf(member), use)
        const above = tags[target]
        if (above !== null) use.parents.add(above)
        tags[target] = id
      }
    }
    return tags
  }

  /** Declared and used members of one kind. To be called when all figures have been read. */
  members(target: Target): MemberRow[] {
    const names = new Map<string, string>()
    const objects = new Map<string, Member>()
    for (const { file, objects: declared } of this.#files)
      for (const { name, line, ...object } of declared)
        if (this.#rules.targets.get(object.dimension) === target) {
          const key = keyOf(object)
          const parents = this.#used[target].get(key)?.parents ?? new Set()
          names.set(key, name)
          objects.set(key, { ...object, file, row: line, parents })
        }
    const undeclared = [...this.#used[target]].filter(
      ([key, object]) => !names.has(key) && !this.#isOfSubDimension(object),
    )
    for (const [key, use] of undeclared) objects.set(key, use)
    this.#reportUndeclared(
      target,
      undeclared.map(([, use]) => use),
    )
    const rows = new Map<string, MemberRow & Member>()
    for (const [key, member] of objects) {
      const { id, parents } = member
      const twin = rows.get(id)
      this.#reportMember(target, member, twin)
      if (twin === undefined)
        rows.set(id, {
          ...member,
          name: names.get(key) ?? id,
          parentId: [...parents][0] ?? null,
          isActive: true,
        })
    }
    return [...rows.values()].map(({ file, row, id, name, parentId, isActive }) => ({
      file,
      row,
      id,
      name,
      parentId,
      isActive,
    }))
  }

  /** Programs also write the object of a sub-dimension under the dimension above it. */
  #isOfSubDimension({ dimension, id }: SieObject): boolean {
    return this.#files.some(({ objects }) =>
      objects.some(
        (object) => object.id === id && ancestors(this.#rules.parents, object.dimension).includes(dimension),
      ),
    )
  }

  #reportUndeclared(target: Target, members: readonly Member[]): void {
    const [first] = members
    if (first === undefined) return
    const { file, row } = first
    const ids = members.map(({ id }) => id).join(', ')
    this.findings.push(
      warning(
        'undeclared-member',
        `${members.length} ${members.length === 1 ? 'object is' : 'objects are'} used but not declared; each becomes a ${target} named by its id: ${ids}`,
        {
          file,
          row,
          text: ids,
          remedy: 'declare them in the accounting program, for the sake of their names',
        },
      ),
    )
  }

  #reportMember(target: Target, member: Member, twin: Member | undefined): void {
    const { id, dimension, file, row, parents } = member
    const report = (code: FindingCode, message: string, remedy: string) =>
      this.findings.push(error(code, message, { file, row, text: id, remedy }))
    if (twin !== undefined)
      report(
        'duplicate-member',
        `dimensions ${twin.dimension} and ${dimension} are both read as ${target}, and both have an object "${id}"`,
        'map one of them to "none" under "dimensions" in company.yaml',
      )
    if (parents.size > 1)
      report(
        'member-two-parents',
        `object "${id}" of sub-dimension ${dimension} stands under several objects: ${[...parents].join(', ')}`,
        `write ${dimension}: none under "dimensions" in company.yaml, or give each its own object`,
      )
  }

  /** Each dimension that is neither class nor department, with the number and the sums of the lines that carry it. */
  unmapped(money: (minor: number) => string): Finding[] {
    const totals = new Map<string, { lines: number; debit: number; credit: number; origin: Origin }>()
    for (const { file, vouchers } of this.#files)
      for (const [dimension, { lines, debit, credit, firstLine }] of vouchers.dimensions) {
        if (this.#rules.targets.has(dimension)) continue
        const total = totals.get(dimension) ?? {
          lines: 0,
          debit: 0,
          credit: 0,
          origin: { file, row: firstLine },
        }
        total.lines += lines
        total.debit += debit
        total.credit += credit
        totals.set(dimension, total)
      }
    return [...totals].map(([dimension, { lines, debit, credit, origin }]) => {
      const name = this.#names.get(dimension)
      const label = `dimension ${dimension}${name ? ` (${name})` : ''}`
      return unmappedDimension(
        dimension,
        label,
        { lines, debit: money(debit), credit: money(credit) },
        origin,
      )
    })
  }
}

function twoMembers(
  { targets }: DimensionRules,
  objects: readonly SieObject[],
  target: Target,
  origin: Origin,
  lines: number,
): Finding {
  const several = listOf(objects.filter(({ dimension }) => targets.get(dimension) === target))
  const more = lines === 1 ? '' : `; so it is on ${lines} lines`
  return error('two-members', `carries two members of one kind (${target}): ${several}${more}`, {
    ...origin,
    text: several,
    remedy:
      'a line has one class and one department: split it, or map one of the dimensions to "none" under "dimensions" in company.yaml',
  })
}
