/**
 * Analysis codes of SAF-T lines as classes and departments: which type of code is which, the members, and the parts that
 * a line is split into. A part that a file does not state is never inferred.
 */
import { displayMinor } from '../../../contract/currency.ts'
import { byCodePoint, RESERVED_MEMBER_IDS } from '../../../contract/vocabulary.ts'
import { CappedFindings } from '../../../workspace/cap-findings.ts'
import type { Company } from '../../../workspace/company.ts'
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import type { FindingCode } from '../../../workspace/finding-codes.ts'
import type { MemberRow, Origin } from '../../format/intake.ts'
import { parseFigure } from '../../text/amount.ts'
import type { SaftAnalysis, SaftLine } from './parse.ts'

type Target = 'class' | 'department'

/** A code of the table, and the file that declares it. */
export interface Declared extends SaftAnalysis {
  readonly file: string
}

/** A part of a line, on the line's side. */
export interface Part {
  readonly class: string | null
  readonly department: string | null
  /** Minor units as written on that side; null: the whole line, as its text stands there. */
  readonly minor: number | null
}
const WHOLE: readonly Part[] = [{ class: null, department: null, minor: null }]

/** Share of one member in a line; null is all of it. */
interface Share {
  readonly id: string | null
  readonly minor: number | null
}

/** Beyond them, members that no table declares are unknown to the books. */
const MOST_MEMBERS = 100_000

/** What types are commonly called or coded: a department or cost centre; a project. */
const USUAL: readonly (readonly [pattern: RegExp, target: Target])[] = [
  [/avdeling|department|kostnad.?s?.?st[ea]d|kostnadsb|cost.?cent|^(a|avd|dep|dept|k|kst)$/i, 'department'],
  [/pro[sj][je][ke][kc]?t|project|^(p|pro|proj|prosj)$/i, 'class'],
]

export class SaftDimensions {
  readonly #faults = new CappedFindings()
  readonly #targets = new Map<string, Target>()
  readonly #names = new Map<string, string>()
  readonly #declared: readonly Declared[]
  readonly #used: Record<Target, Map<string, Origin & { readonly type: string }>> = {
    class: new Map(),
    department: new Map(),
  }
  readonly #unmapped = new Map<string, { lines: number; debit: number; credit: number; origin: Origin }>()
  readonly #decimals: number

  /** `types` are those that lines carry: a file need not declare them. */
  constructor(
    declared: readonly Declared[],
    types: ReadonlySet<string>,
    stated: Company['dimensions'],
    decimals: number,
  ) {
    this.#declared = declared
    this.#decimals = decimals
    for (const { type, typeName } of declared)
      this.#names.set(type, typeName || (this.#names.get(type) ?? ''))
    for (const type of types) if (!this.#names.has(type)) this.#names.set(type, '')
    for (const [type, target] of Object.entries(stated ?? {}))
      if (target !== 'none') this.#targets.set(type, target)
    const taken = new Set(Object.values(stated ?? {}))
    for (const [pattern, target] of USUAL) {
      if (taken.has(target)) continue
      // By the name of the type, else by its code. Of several, none is meant more than another.
      const meant = (by: (type: string) => string) =>
        [...this.#names.keys()].filter((type) => stated?.[type] === undefined && pattern.test(by(type)))
      const named = meant((type) => this.#names.get(type)!)
      const found = named.length > 0 ? named : meant((type) => (this.#names.get(type) === '' ? type : ''))
      if (found.length === 1) this.#targets.set(found[0]!, target)
    }
  }

  /** All types of codes, with what each is. */
  list(): { readonly id: string; readonly name: string; readonly target: Target | 'none' }[] {
    return [...this.#names]
      .sort(([a], [b]) => byCodePoint(a, b))
      .map(([id, name]) => ({ id, name: name || id, target: this.#targets.get(id) ?? 'none' }))
  }

  /** The parts of a line of `minor` on `side`; the whole line where its codes contradict one another, with a finding. */
  parts(line: SaftLine, file: string, side: 'debit' | 'credit', minor: number | null): readonly Part[] {
    if (line.analyses.length === 0) return WHOLE
    this.#countUnmapped(line, file, side, minor)
    const place: Place = { file, row: line.row }
    const classes = this.#shares(line, 'class', place, side, minor)
    const departments = this.#shares(line, 'department', place, side, minor)
    if (classes === null || departments === null) return WHOLE
    const crossed = cross(classes, departments)
    if (crossed !== null) return crossed
    this.#faults.add(
      error(
        'analysis-crossed',
        'the line is split by class and by department, and nothing says which parts meet',
        {
          ...place,
          column: 'Analysis',
          text: line.analyses.map(shown).join(', ').slice(0, 200),
          remedy:
            'book one line for each combination; or map one of the types to none under "dimensions" in company.yaml',
        },
      ),
    )
    return WHOLE
  }

  #shares(
    line: SaftLine,
    target: Target,
    place: Place,
    side: 'debit' | 'credit',
    minor: number | null,
  ): readonly Share[] | null {
    const own = line.analyses.filter(({ type }) => this.#targets.get(type) === target)
    if (own.length === 0) return [{ id: null, minor: null }]
    if (own.some(({ id }) => id === ''))
      return this.#fault(
        place,
        own,
        'analysis-without-id',
        `an Analysis has no AnalysisID, so nothing says which ${target} it is of`,
        'state the code on the line in the accounting program and export again; or map the type to none under "dimensions" in company.yaml',
      )
    for (const { id, type } of own)
      if (!this.#used[target].has(id) && this.#used[target].size < MOST_MEMBERS)
        this.#used[target].set(id, { ...place, type })
    const amounts = own.map((analysis) => amountOf(analysis, side, this.#decimals))
    // Some programs write 0, or nothing, where a code stands for the whole line.
    if (amounts.every((amount) => amount === null || amount === 0)) {
      if (new Set(own.map(({ id }) => id)).size === 1) return [{ id: own[0]!.id, minor: null }]
      return this.#fault(
        place,
        own,
        'two-members',
        `carries two members of one kind (${target})`,
        MEMBERS_REMEDY,
      )
    }
    if (minor === null) return [{ id: null, minor: null }]
    if (amounts.some((amount) => amount === null || Number.isNaN(amount)))
      return this.#fault(
        place,
        own,
        'unreadable-amount',
        'the amount of an analysis code is missing or cannot be read',
        'state the amount of each code, or of none; amounts are never rounded',
      )
    // 1.20 has one amount without a side; programs that sign it by debit and credit turn all those of a credit round.
    const isTurned = amounts.every((amount) => Math.sign(amount!) !== Math.sign(minor))
    const shares = own.map(({ id }, i) => ({ id, minor: isTurned ? -amounts[i]! : amounts[i]! }))
    const rest = minor - shares.reduce((sum, share) => sum + share.minor, 0)
    if (rest !== 0 && Math.sign(rest) !== Math.sign(minor))
      return this.#fault(
        place,
        own,
        'analysis-exceeds-line',
        `the amounts of its analysis codes (${target}) exceed the line by ${displayMinor(Math.abs(rest), this.#decimals)}`,
        'correct the amounts in the accounting program and export again',
      )
    const [first] = shares
    if (rest === 0 && shares.length === 1) return [{ id: first!.id, minor: null }]
    return rest === 0 ? shares : [...shares, { id: null, minor: rest }]
  }

  #fault(
    place: Place,
    own: readonly SaftAnalysis[],
    code: FindingCode,
    message: string,
    remedy: string,
  ): null {
    this.#faults.add(
      error(code, `${message}: ${own.map(shown).join(', ')}`.slice(0, 400), {
        ...place,
        column: 'Analysis',
        text: own.map(shown).join(', ').slice(0, 200),
        remedy,
      }),
    )
    return null
  }

  #countUnmapped(line: SaftLine, file: string, side: 'debit' | 'credit', minor: number | null): void {
    for (const type of new Set(line.analyses.map((analysis) => analysis.type))) {
      if (this.#targets.has(type)) continue
      const total = this.#unmapped.get(type) ?? {
        lines: 0,
        debit: 0,
        credit: 0,
        origin: { file, row: line.row },
      }
      total.lines++
      total[side] += minor ?? 0
      this.#unmapped.set(type, total)
    }
  }

  /** Declared and used members of one kind. To be called when all lines have been read. */
  members(target: Target): MemberRow[] {
    const rows = new Map<string, MemberRow & { readonly type: string }>()
    for (const { file, row, type, id, name } of this.#declared) {
      if (this.#targets.get(type) !== target || id === '') continue
      const twin = rows.get(id)
      if (twin !== undefined && twin.type !== type)
        this.#faults.add(
          error(
            'duplicate-member',
            `types ${twin.type} and ${type} are both read as ${target}, and both have "${id}"`,
            {
              file,
              row,
              text: id,
              remedy: 'map one of them to "none" under "dimensions" in company.yaml',
            },
          ),
        )
      rows.set(id, { file, row, type, id, name: name || id, parentId: null, isActive: true })
    }
    const undeclared = [...this.#used[target]].filter(([id]) => !rows.has(id))
    for (const [id, use] of undeclared) rows.set(id, { ...use, id, name: id, parentId: null, isActive: true })
    if (undeclared.length > 0) this.#faults.add(undeclaredMembers(target, undeclared))
    for (const { id, file, row } of rows.values())
      if (RESERVED_MEMBER_IDS.has(id))
        this.#faults.add(
          error('reserved-id', `"${id}" is reserved and cannot be the id of a ${target}`, {
            file,
            row,
            text: id,
            remedy: 'give the code another id in the accounting program',
          }),
        )
    return [...rows.values()].map(({ type: _, ...member }) => member)
  }

  /** What is wrong with codes, and what lines say in types that are neither class nor department. After {@link members}. */
  findings(): Finding[] {
    const money = (minor: number) => displayMinor(minor, this.#decimals)
    const unmapped = [...this.#unmapped].map(([type, { lines, debit, credit, origin }]) =>
      warning(
        'unmapped-dimension',
        `analysis type ${type}${this.#names.get(type) ? ` (${this.#names.get(type)})` : ''} is neither class nor department: ${lines} lines carry it, debit ${money(debit)}, credit ${money(credit)}`,
        {
          ...origin,
          column: 'AnalysisType',
          text: type,
          remedy: `to report by it, write ${type}: class (or department) under "dimensions" in company.yaml`,
        },
      ),
    )
    return [...this.#faults.list(), ...unmapped]
  }
}

type Place = Origin
const MEMBERS_REMEDY =
  'a line has one class and one department: state the amount of each code, or map one type to "none" under "dimensions" in company.yaml'

const shown = ({ type, id }: SaftAnalysis): string => `${type} ${id || '(none)'}`

const undeclaredMembers = (target: Target, members: readonly (readonly [string, Origin])[]): Finding => {
  const ids = members.map(([id]) => id).join(', ')
  const { file, row } = members[0]![1]
  return warning(
    'undeclared-member',
    `${members.length} analysis ${members.length === 1 ? 'code is' : 'codes are'} used but not in the AnalysisTypeTable; each becomes a ${target} named by its id: ${ids}`.slice(
      0,
      1000,
    ),
    {
      file,
      row,
      text: ids.slice(0, 200),
      remedy: 'export the file with its analysis table, for the sake of their names',
    },
  )
}

/** On the line's side; null where none is stated, NaN where it cannot be read. */
function amountOf({ amount, debit, credit }: SaftAnalysis, side: 'debit' | 'credit', decimals: number) {
  const read = (text: string): number => parseFigure(text, decimals).minor ?? Number.NaN
  if (amount !== '') return read(amount)
  if (debit === '' && credit === '') return null
  const net = (debit === '' ? 0 : read(debit)) - (credit === '' ? 0 : read(credit))
  return side === 'debit' ? net : 0 - net
}

/** The parts by both dimensions: one of them is whole, or both have the same parts in the same order. Else null. */
function cross(classes: readonly Share[], departments: readonly Share[]): readonly Part[] | null {
  const [cls] = classes as readonly [Share, ...Share[]]
  const [department] = departments as readonly [Share, ...Share[]]
  if (cls.minor === null)
    return departments.map((share) => ({ class: cls.id, department: share.id, minor: share.minor }))
  if (department.minor === null)
    return classes.map((share) => ({ class: share.id, department: department.id, minor: share.minor }))
  const isSame =
    classes.length === departments.length && classes.every(({ minor }, i) => minor === departments[i]!.minor)
  if (!isSame) return null
  return classes.map(({ id, minor }, i) => ({ class: id, department: departments[i]!.id, minor }))
}
