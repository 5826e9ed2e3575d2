/**
 * Analysis codes of SAF-T lines as classes and departments: which type of code is which, the members, and the parts that
 * a line is split into. A part that a file does not state is never inferred.
 */
import { displayMinor } from '../../../contract/currency.ts'
import { byCodePoint } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../workspace/company.ts'
import { CappedFindings } from '../../../workspace/findings/cap-findings.ts'
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import type { FindingCode } from '../../../workspace/findings/finding-codes.ts'
import type { MemberRow, Origin } from '../../format/intake.ts'
import { statedOf } from '../../format/keys.ts'
import { unmappedDimension } from '../../format/members.ts'
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

/** One member in a line; null is what the codes of the line leave. */
interface Share {
  readonly id: string | null
  readonly minor: number
}

/** How a line is divided among the members of one kind: not at all, so that one member or none has all of it; or in shares. */
type Shares = { readonly all: string | null } | { readonly shares: readonly Share[] }

/** Undeclared members that are kept; beyond them the books report an unknown member. */
const MOST_MEMBERS = 100_000

/** What types are commonly called or coded: a department or cost centre; a project. */
const USUAL: readonly (readonly [pattern: RegExp, target: Target])[] = [
  [/avdeling|department|kostnad.?s?.?st[ea]d|kostnadsb|cost.?cent|^(a|avd|dep|dept|k|kst)$/i, 'department'],
  [/pro[sj][je][ke][kc]?t|project|^(p|pro|proj|prosj)$/i, 'class'],
]

/** Where a member is used first, and by which type of code. */
type Use = Origin & { readonly type: string }

/** What lines carry in a type of code that is neither class nor department. */
interface Unmapped {
  lines: number
  debit: number
  credit: number
  readonly origin: Origin
}

/** What decides how codes are read. */
export interface DimensionRules {
  readonly declared: readonly Declared[]
  /** Types that lines carry: a file need not declare them. */
  readonly types: ReadonlySet<string>
  readonly stated: Company['dimensions']
  readonly decimals: number
}

export class SaftDimensions {
  readonly #faults = new CappedFindings()
  readonly #targets = new Map<string, Target>()
  readonly #names = new Map<string, string>()
  readonly #declared: readonly Declared[]
  readonly #used: Record<Target, Map<string, Use>> = { class: new Map(), department: new Map() }
  readonly #unmapped = new Map<string, Unmapped>()
  readonly #decimals: number

  constructor({ declared, types, stated, decimals }: DimensionRules) {
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
      // By the name of the type, else by its code. Where several match, none of them is taken.
      const meant = (by: (type: string, name: string) => string) =>
        [...this.#names]
          .filter(([type, name]) => statedOf(stated, type) === undefined && pattern.test(by(type, name)))
          .map(([type]) => type)
      const named = meant((_, name) => name)
      const [type, ...others] = named.length > 0 ? named : meant((each, name) => (name === '' ? each : ''))
      if (type !== undefined && others.length === 0) this.#targets.set(type, target)
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
        'the line is split by class and by department, and does not state which parts meet',
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
  ): Shares | null {
    const own = line.analyses.filter(({ type }) => this.#targets.get(type) === target)
    const [first] = own
    if (first === undefined) return { all: null }
    const fault = (code: FindingCode, message: string, remedy: string) =>
      this.#fault(place, own, code, message, remedy)
    if (own.some(({ id }) => id === ''))
      return fault(
        'analysis-without-id',
        `an Analysis has no AnalysisID, so that its ${target} is unknown`,
        'state the code on the line in the accounting program and export again; or map the type to none under "dimensions" in company.yaml',
      )
    for (const { id, type } of own) this.#use(target, id, { ...place, type })
    const stated = own.map((analysis) => ({
      id: analysis.id,
      amount: amountOf(analysis, side, this.#decimals),
    }))
    // Some programs write 0, or nothing, where a code stands for the whole line.
    if (stated.every(({ amount }) => amount === null || amount === 0)) {
      if (own.every(({ id }) => id === first.id)) return { all: first.id }
      return fault('two-members', `carries two members of one kind (${target})`, MEMBERS_REMEDY)
    }
    if (minor === null) return { all: null }
    const written = stated.flatMap(({ id, amount }) =>
      amount === null || Number.isNaN(amount) ? [] : [{ id, minor: amount }],
    )
    if (written.length < own.length)
      return fault(
        'unreadable-amount',
        'the amount of an analysis code is missing or cannot be read',
        'state the amount of each code, or of none; amounts are never rounded',
      )
    // Version 1.20 has one amount without a side. Where a program makes credits negative, all amounts of a credit line are.
    const isTurned = written.every((share) => Math.sign(share.minor) !== Math.sign(minor))
    const shares = isTurned ? written.map((share) => ({ id: share.id, minor: -share.minor })) : written
    const rest = minor - shares.reduce((sum, share) => sum + share.minor, 0)
    if (rest !== 0 && Math.sign(rest) !== Math.sign(minor))
      return fault(
        'analysis-exceeds-line',
        `the amounts of its analysis codes (${target}) exceed the line by ${displayMinor(Math.abs(rest), this.#decimals)}`,
        'correct the amounts in the accounting program and export again',
      )
    if (rest !== 0) return { shares: [...shares, { id: null, minor: rest }] }
    return shares.length === 1 ? { all: first.id } : { shares }
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
      this.#unmapped.set(type, total)
      total.lines++
      total[side] += minor ?? 0
    }
  }

  #use(target: Target, id: string, use: Use): void {
    const used = this.#used[target]
    if (!used.has(id) && used.size < MOST_MEMBERS) used.set(id, use)
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
    for (const found of undeclaredMembers(target, undeclared)) this.#faults.add(found)
    return [...rows.values()].map(({ type: _, ...member }) => member)
  }

  /** What is wrong with codes, and what lines say in types that are neither class nor department. After {@link members}. */
  findings(): Finding[] {
    const money = (minor: number) => displayMinor(minor, this.#decimals)
    const unmapped = [...this.#unmapped].map(([type, { lines, debit, credit, origin }]) => {
      const name = this.#names.get(type)
      const label = `analysis type ${type}${name ? ` (${name})` : ''}`
      const sums = { lines, debit: money(debit), credit: money(credit) }
      return unmappedDimension(type, label, sums, { ...origin, column: 'AnalysisType' })
    })
    return [...this.#faults.list(), ...unmapped]
  }
}

type Place = Origin
const MEMBERS_REMEDY =
  'a line has one class and one department: state the amount of each code, or map one type to "none" under "dimensions" in company.yaml'

const shown = ({ type, id }: SaftAnalysis): string => `${type} ${id || '(none)'}`

function undeclaredMembers(
  target: Target,
  members: readonly (readonly [id: string, use: Origin])[],
): Finding[] {
  const [first] = members
  if (first === undefined) return []
  const [, { file, row }] = first
  const ids = members.map(([id]) => id).join(', ')
  const count = `${members.length} analysis ${members.length === 1 ? 'code is' : 'codes are'}`
  return [
    warning(
      'undeclared-member',
      `${count} used but not in the AnalysisTypeTable; each becomes a ${target} named by its id: ${ids}`.slice(
        0,
        1000,
      ),
      {
        file,
        row,
        text: ids.slice(0, 200),
        remedy: 'export the file with its analysis table, for the sake of their names',
      },
    ),
  ]
}

/** On the line's side; null where none is stated, NaN where it cannot be read. */
function amountOf({ amount, debit, credit }: SaftAnalysis, side: 'debit' | 'credit', decimals: number) {
  const read = (text: string): number => parseFigure(text, decimals).minor ?? Number.NaN
  if (amount !== '') return read(amount)
  if (debit === '' && credit === '') return null
  const net = (debit === '' ? 0 : read(debit)) - (credit === '' ? 0 : read(credit))
  return side === 'debit' ? net : 0 - net
}

/** The parts by both dimensions: one of them is not divided, or both have the same shares in the same order. Else null. */
function cross(classes: Shares, departments: Shares): readonly Part[] | null {
  if ('all' in classes) {
    if ('all' in departments) return [{ class: classes.all, department: departments.all, minor: null }]
    return departments.shares.map(({ id, minor }) => ({ class: classes.all, department: id, minor }))
  }
  if ('all' in departments)
    return classes.shares.map(({ id, minor }) => ({ class: id, department: departments.all, minor }))
  if (classes.shares.length !== departments.shares.length) return null
  const parts = classes.shares.flatMap(({ id, minor }, i): Part[] => {
    const other = departments.shares[i]
    return other?.minor === minor ? [{ class: id, department: other.id, minor }] : []
  })
  return parts.length === classes.shares.length ? parts : null
}
