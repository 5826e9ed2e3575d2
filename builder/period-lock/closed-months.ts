/**
 * Which figures of closed months one edition of a company's documents states differently from the one before it.
 * Every statement and metric document counts, under every filter, and the names of what they state; sections and memos do not. What the
 * earlier edition said nothing of (a new budget, a new class, a month not covered) cannot be restated.
 */
import type { Frame } from '../books/frame.ts'
import { addDays, monthOf, monthText, periodsOf } from '../contract/calendar.ts'
import { currencyDecimals, formatMinor, minorFromJson } from '../contract/currency.ts'
import { type Change, changesBetween, NOTHING, sameThrough } from '../contract/document-changes.ts'
import { type Basis, byCodePoint, type StatementName, UNASSIGNED } from '../contract/vocabulary.ts'
import { isUnfiltered } from '../snapshot/layout.ts'
import type { FileEntry, RestatedLabel, Restatement, RestatementFacts } from '../snapshot/manifest.ts'
import { relabelledAccounts, relabelledMembers } from './labels.ts'

/** What a company's documents are, and what they speak of. */
export interface Edition {
  readonly frame: Frame
  /** By path, in the order of paths. */
  readonly files: ReadonlyMap<string, FileEntry>
  /** The text of one of {@link files}; throws where it is not what was published. */
  read(path: string): string
}

/** One row of one document, with each of its figures that differ. */
export interface RestatedRow {
  readonly Statement: StatementName | 'NonFinancial'
  readonly Basis: Basis | null
  readonly BudgetId: string | null
  readonly ClassId: string | null
  readonly DepartmentId: string | null
  readonly Id: string
  readonly Name: string
  readonly Total: boolean
  /** Month, figure before, figure now: decimal text; null where none is stated any more. */
  readonly Figures: readonly (readonly [string, string, string | null])[]
}

export interface RestatedDocument {
  readonly Path: string
  readonly Figures: number
}

export interface RestatedFigures {
  /** Of all documents. */
  readonly figures: number
  readonly documents: readonly RestatedDocument[]
  /** The months in which figures differ, ascending. */
  readonly months: readonly string[]
  /** Closed months that are not covered any more. */
  readonly goneMonths: readonly string[]
  /** Months that the log had closed, and that the earlier edition did not cover: nobody was told of them last. */
  readonly newMonths: readonly string[]
  /** Other names for the same ids. */
  readonly labels: readonly RestatedLabel[]
  /** Of unfiltered documents first, and all of those; of the others some, where there are very many. */
  readonly rows: readonly RestatedRow[]
}

/** Of filtered documents so many figures are kept, all are counted: a correction touches some hundreds. */
const MOST_FIGURES = 100_000

/** The last month that is wholly closed by a lock date: `2025-03-30` closes February. */
export const closedThrough = (lockDate: string): string => monthText(monthOf(addDays(lockDate, 1)) - 1)

const IS_COMPARED = /^(statements|metrics)\//

/** Compares in memory of a few documents at a time; nothing is read of a document whose hash is the same. */
export function restatedFigures(
  before: Edition,
  now: Edition,
  through: string,
  logged: string | null,
): RestatedFigures {
  const comparison = new Comparison(before, now.frame, through, logged)
  for (const { Path, Sha256 } of now.files.values()) comparison.compare(Path, Sha256, () => now.read(Path))
  return comparison.finish()
}

/** The documents of the new edition are handed in one by one: in the order of paths, for the same rows to be kept. */
export class Comparison {
  readonly #before: Edition
  readonly #frame: Frame
  readonly #through: string
  readonly #seen = new Set<string>()
  readonly #months: { readonly before: readonly string[]; readonly now: ReadonlySet<string> }
  readonly #newMonths: readonly string[]
  readonly #found: {
    readonly path: string
    readonly filtered: boolean
    readonly figures: number
    readonly rows: readonly RestatedRow[]
  }[] = []
  readonly #restatedMonths = new Set<string>()
  /** By kind and id: an account stands on several documents. */
  readonly #labels = new Map<string, RestatedLabel>()
  #kept = 0

  /** `through`: the last closed month; `logged`: the last that the log had closed before. */
  constructor(before: Edition, frame: Frame, through: string, logged: string | null) {
    this.#before = before
    this.#frame = frame
    this.#through = through
    const covered = monthsOf(before.frame)
    this.#months = {
      before: covered.filter((month) => month <= through),
      now: new Set(monthsOf(frame)),
    }
    this.#newMonths = monthsOf(frame).filter(
      (month) => logged !== null && month <= logged && !covered.includes(month),
    )
  }

  compare(path: string, hash: string, text: () => string): void {
    if (!IS_COMPARED.test(path)) return
    this.#seen.add(path)
    const published = this.#before.files.get(path)
    if (published?.Sha256 === hash || this.#months.before.length === 0) return
    this.#compareDocument(path, published ? this.#before.read(path) : null, text())
  }

  finish(): RestatedFigures {
    if (this.#months.before.length > 0) {
      this.#relabelled(relabelledMembers(this.#before.frame, this.#frame))
      for (const path of this.#before.files.keys())
        if (IS_COMPARED.test(path) && !this.#seen.has(path))
          this.#compareDocument(path, this.#before.read(path), null)
    }
    // Whoever reads the first rows reads what the company as a whole states.
    const found = this.#found.sort(
      (a, b) => Number(a.filtered) - Number(b.filtered) || byCodePoint(a.path, b.path),
    )
    const documents = found.map(({ path, figures }) => ({ Path: path, Figures: figures }))
    return {
      figures: documents.reduce((sum, { Figures }) => sum + Figures, 0),
      documents,
      months: [...this.#restatedMonths].sort(),
      goneMonths: this.#months.before.filter((month) => !this.#months.now.has(month)),
      newMonths: this.#newMonths,
      labels: [...this.#labels].sort(([a], [b]) => byCodePoint(a, b)).map(([, label]) => label),
      rows: found.flatMap(({ rows }) => rows),
    }
  }

  #relabelled(labels: readonly RestatedLabel[]): void {
    for (const label of labels) this.#labels.set(`${label.Kind} ${label.Id}`, label)
  }

  #compareDocument(path: string, before: string | null, now: string | null): void {
    if (before !== null && now !== null && isUnfiltered(path))
      this.#relabelled(relabelledAccounts(before, now, this.#through))
    if (before !== null && now !== null && this.#sameCurrency && sameThrough(before, now, this.#through))
      return
    const scope = scopeOf(before ?? now ?? '')
    if (before === null && !this.#spokeOf(scope)) return
    const byRow = new Map<string, RestatedRow & { readonly Figures: RestatedRow['Figures'][number][] }>()
    // In another currency nothing is stated of what was.
    const comparable = this.#sameCurrency || scope.Statement === 'NonFinancial'
    for (const change of changesBetween(before ?? NOTHING, (comparable ? now : null) ?? NOTHING) ?? []) {
      const figure = this.#figureOf(change, scope)
      if (!figure) continue
      const { row: Id, name: Name, total: Total } = change
      const row = byRow.get(`${Total} ${Id}`) ?? { ...scope, Id, Name, Total, Figures: [] }
      row.Figures.push(figure)
      byRow.set(`${Total} ${Id}`, row)
      this.#restatedMonths.add(figure[0])
    }
    if (byRow.size === 0) return
    const rows = [...byRow.values()]
    const figures = rows.reduce((sum, { Figures }) => sum + Figures.length, 0)
    const filtered = scope.ClassId !== null || scope.DepartmentId !== null
    const kept = !filtered || this.#kept < MOST_FIGURES
    if (filtered && kept) this.#kept += figures
    this.#found.push({ path, filtered, figures, rows: kept ? rows : [] })
  }

  /** What was stated and is not any more, or is another; null where nothing was restated. */
  #figureOf({ month, before, now }: Change, scope: Scope): RestatedRow['Figures'][number] | null {
    if (month > this.#through) return null
    const isActual = scope.Statement !== 'NonFinancial' && scope.BudgetId === null
    // Of actuals, what a document leaves out is zero; of budgets and metrics it is no figure.
    const was = before ?? (isActual && this.#months.before.includes(month) ? 0 : null)
    const is = now ?? (isActual && this.#months.now.has(month) && this.#speaksOf(scope) ? 0 : null)
    if (was === null || (was === 0 && is === null && isActual)) return null
    const texts = [
      this.#text(was, scope, this.#before.frame),
      is === null ? null : this.#text(is, scope, this.#frame),
    ] as const
    if (texts[0] === texts[1]) return null
    return [month, ...texts]
  }

  #text(value: number, { Statement }: Scope, { currency }: Frame): string {
    if (Statement === 'NonFinancial') return String(value)
    const decimals = currencyDecimals(currency)
    return formatMinor(minorFromJson(value, decimals), decimals)
  }

  get #sameCurrency(): boolean {
    return this.#before.frame.currency === this.#frame.currency
  }

  /** A document that was not there stated zeros, if its basis, class and department were known. */
  #spokeOf(scope: Scope): boolean {
    return scope.Statement !== 'NonFinancial' && scope.BudgetId === null && knows(this.#before.frame, scope)
  }

  #speaksOf(scope: Scope): boolean {
    return this.#sameCurrency && knows(this.#frame, scope)
  }
}

type Scope = Pick<RestatedRow, 'Statement' | 'Basis' | 'BudgetId' | 'ClassId' | 'DepartmentId'>

/** A document begins with a line that says what it is. */
function scopeOf(document: string): Scope {
  const head = JSON.parse(`${document.slice(0, document.indexOf(',\n"Periods"'))}}`) as Record<
    string,
    string | null
  >
  const {
    Statement = 'NonFinancial',
    AccountingBasis = null,
    BudgetId = null,
    ClassId = null,
    DepartmentId = null,
  } = head
  return {
    Statement: Statement as Scope['Statement'],
    Basis: AccountingBasis as Scope['Basis'],
    ...{ BudgetId, ClassId, DepartmentId },
  }
}

const monthsOf = ({ coverage }: Frame): string[] => periodsOf(coverage).map(({ month }) => month)

function knows({ bases, classes, departments }: Frame, { Basis, ClassId, DepartmentId }: Scope): boolean {
  const among = (id: string | null, { members }: Frame['classes']) =>
    id === null || id === UNASSIGNED || members.some((member) => member.id === id)
  return bases.some((basis) => basis === Basis) && among(ClassId, classes) && among(DepartmentId, departments)
}

/** `12 figures of 4 documents differ from 2025-04-r1-3f9c2a, in 2025-01 to 2025-03; 2024-12 is not covered any more` */
export function restatedText(
  part: RestatementFacts & { readonly Labels?: Restatement['Labels'] | number },
): string {
  if (part.Uncompared !== undefined) return `nothing could be compared with ${part.Since}: ${part.Uncompared}`
  const number = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`
  const span = (months: readonly string[]) => [...new Set([months[0], months.at(-1)])].join(' to ')
  const figures =
    part.Figures > 0
      ? `${number(part.Figures, 'figure', 'figures')} in ${number(part.Documents, 'document', 'documents')} ${part.Figures === 1 ? 'differs' : 'differ'} from ${part.Since}, in ${span(part.Months)}`
      : part.Days > 0
        ? `no monthly figure differs from ${part.Since}, but entries were moved inside of months: ${number(part.Days, 'daily sum differs', 'daily sums differ')}`
        : `no figure differs from ${part.Since}`
  const gone =
    part.GoneMonths.length === 0
      ? ''
      : `; ${span(part.GoneMonths)} ${part.GoneMonths.length === 1 ? 'is' : 'are'} not covered any more`
  const { NewMonths = [] } = part
  const come =
    NewMonths.length === 0
      ? ''
      : `; ${span(NewMonths)}, closed before, ${NewMonths.length === 1 ? 'was' : 'were'} not covered by it`
  return figures + gone + come + renamedText(part.Labels)
}

function renamedText(labels: Restatement['Labels'] | number = 0): string {
  const [names, total] = typeof labels === 'number' ? [[], labels] : [labels, labels.length]
  if (total === 0) return ''
  const told = names.slice(0, NAMED).map(labelText).join(', ')
  return `; ${total === 1 ? '1 name is another' : `${total} names are others`} than published${told && `: ${told}`}${told && total > NAMED ? ', …' : ''}`
}

/** So many of the names are told in a sentence. */
const NAMED = 3

const labelText = ({ Kind, Old, New }: RestatedLabel): string =>
  `${Kind.toLowerCase()} "${Old}", now "${New}"`
