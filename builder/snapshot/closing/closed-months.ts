/**
 * Finds the figures of closed months that one edition of a company's documents states differently from the
 * edition before. All statements and metrics count, under every filter, and so do the names of accounts and
 * members; sections and memos do not. What the earlier edition did not state (a new budget, a new class, a
 * month not covered) cannot be restated.
 */
import type { Frame } from '../../books/reference/frame.ts'
import { addDays, monthOf, monthText, periodsOf } from '../../contract/calendar.ts'
import { currencyDecimals, formatMinor } from '../../contract/currency.ts'
import {
  changesBetween,
  type DocumentChange,
  EMPTY_DOCUMENT,
  sameThrough,
} from '../../contract/document-changes.ts'
import { type Basis, byCodePoint, type StatementName, UNASSIGNED } from '../../contract/vocabulary.ts'
import { publishedMinor, SnapshotDamagedError } from '../files/damage.ts'
import { isUnfiltered } from '../files/layout.ts'
import type { FileEntry, RestatedLabel, Restatement, RestatementFacts } from '../files/manifest.ts'
import { relabelledAccounts, relabelledMembers } from './labels.ts'

/**
 * A company's documents together with the frame of its books: its accounts, members, budgets and coverage.
 */
export interface Edition {
  readonly frame: Frame
  /** The files of the edition by their paths, in the order of paths. */
  readonly files: ReadonlyMap<string, FileEntry>
  /** Reads the text of one of {@link files}; throws where it is not as published. */
  read(path: string): string
}

/** A row of a document with each of its figures that differ. */
export interface RestatedRow {
  readonly Statement: StatementName | 'NonFinancial'
  readonly Basis: Basis | null
  readonly BudgetId: string | null
  readonly ClassId: string | null
  readonly DepartmentId: string | null
  readonly Id: string
  readonly Name: string
  readonly Total: boolean
  /**
   * Triples of month (YYYY-MM), figure before and figure now, as decimal text; null where no figure is stated
   * any more.
   */
  readonly Figures: readonly (readonly [string, string, string | null])[]
}

interface RestatedDocument {
  readonly Path: string
  readonly Figures: number
}

export interface RestatedFigures {
  /** The number of differing figures in all documents, listed in `rows` or not. */
  readonly figures: number
  readonly documents: readonly RestatedDocument[]
  /** The months in which figures differ, ascending. */
  readonly months: readonly string[]
  /** Closed months that the new edition does not cover any more. */
  readonly goneMonths: readonly string[]
  /**
   * Months that the log had closed and that the earlier edition did not cover, so that its readers did not
   * see them.
   */
  readonly newMonths: readonly string[]
  /** Accounts and members whose id has another name now. */
  readonly labels: readonly RestatedLabel[]
  /**
   * First all rows of unfiltered documents; then those of filtered ones, not all of them where there are very
   * many.
   */
  readonly rows: readonly RestatedRow[]
}

/**
 * How many figures of filtered documents are listed; all are counted. A usual correction touches some
 * hundreds.
 */
const MOST_FIGURES = 100_000

/** The last month (YYYY-MM) that a lock date closes wholly: `2025-03-30` closes February. */
export const closedThrough = (lockDate: string): string => monthText(monthOf(addDays(lockDate, 1)) - 1)

const IS_COMPARED = /^(statements|metrics)\//

/**
 * Compares two editions, a few documents in memory at a time; documents with equal hashes are not read.
 * `through` is the last closed month (YYYY-MM), `logged` the last one that the log had closed before, or
 * null.
 */
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

/**
 * Compares an edition with the one before, one document at a time. Documents must come in the order of paths,
 * so that the same rows are listed in every run.
 */
export class Comparison {
  readonly #before: Edition
  readonly #frame: Frame
  readonly #through: string
  readonly #seen = new Set<string>()
  readonly #agreeing = new Set<string>()
  readonly #months: { readonly before: readonly string[]; readonly now: ReadonlySet<string> }
  readonly #newMonths: readonly string[]
  readonly #found: {
    readonly path: string
    readonly filtered: boolean
    readonly figures: number
    readonly rows: readonly RestatedRow[]
  }[] = []
  readonly #restatedMonths = new Set<string>()
  /** By kind and id, since an account appears in several documents. */
  readonly #labels = new Map<string, RestatedLabel>()
  #kept = 0

  /**
   * `through` is the last closed month (YYYY-MM), `logged` the last one that the log had closed before, or
   * null.
   */
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

  /**
   * Compares a document of the new edition; `text` is called only where its hash differs from the published
   * one, and it was not seen to agree ({@link agree}).
   */
  compare(path: string, hash: string, text: () => string): void {
    if (!IS_COMPARED.test(path)) return
    this.#seen.add(path)
    const published = this.#before.files.get(path)
    if (published?.Sha256 === hash || this.#months.before.length === 0 || this.#agreeing.has(path)) return
    this.#compareDocument(path, published ? this.#before.read(path) : null, text())
  }

  /** Says that these documents agree ({@link agrees}), so that they are not compared again. */
  agree(paths: readonly string[]): void {
    for (const path of paths) this.#agreeing.add(path)
  }

  /** Adds the documents that the new edition lacks, and returns the result. */
  finish(): RestatedFigures {
    if (this.#months.before.length > 0) {
      this.#relabelled(relabelledMembers(this.#before.frame, this.#frame))
      for (const path of this.#before.files.keys())
        if (IS_COMPARED.test(path) && !this.#seen.has(path))
          this.#compareDocument(path, this.#before.read(path), null)
    }
    // Unfiltered documents come first: they state the company as a whole.
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
    if (before !== null && now !== null && this.sameCurrency && sameThrough(before, now, this.#through))
      return
    const scope = scopeOf(before ?? now ?? '')
    if (before === null && !this.#statedBefore(scope)) return
    const byRow = new Map<string, RestatedRow & { readonly Figures: RestatedRow['Figures'][number][] }>()
    // In another currency, none of the earlier figures is stated any more.
    const comparable = this.sameCurrency || scope.Statement === 'NonFinancial'
    const changes = changesBetween(before ?? EMPTY_DOCUMENT, (comparable ? now : null) ?? EMPTY_DOCUMENT)
    if (changes === null)
      throw new SnapshotDamagedError(`${path} of the snapshot before is no document of figures`)
    for (const change of changes) {
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

  /** The earlier and the new figure where they differ; null where nothing was restated. */
  #figureOf({ month, before, now }: DocumentChange, scope: Scope): RestatedRow['Figures'][number] | null {
    if (month > this.#through) return null
    const isActual = scope.Statement !== 'NonFinancial' && scope.BudgetId === null
    // In actuals a row that is left out stands for zero; in budgets and metrics it stands for no figure.
    const was = before ?? (isActual && this.#months.before.includes(month) ? 0 : null)
    const is = now ?? (isActual && this.#months.now.has(month) && this.#statesNow(scope) ? 0 : null)
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
    return formatMinor(publishedMinor(value, decimals, 'the snapshot before'), decimals)
  }

  /** Figures in different currencies never agree. */
  get sameCurrency(): boolean {
    return this.#before.frame.currency === this.#frame.currency
  }

  /** A document that was left out stated zeros, if its basis, class and department existed. */
  #statedBefore(scope: Scope): boolean {
    return (
      scope.Statement !== 'NonFinancial' &&
      scope.BudgetId === null &&
      includesScope(this.#before.frame, scope)
    )
  }

  #statesNow(scope: Scope): boolean {
    return this.sameCurrency && includesScope(this.#frame, scope)
  }
}

type Scope = Pick<RestatedRow, 'Statement' | 'Basis' | 'BudgetId' | 'ClassId' | 'DepartmentId'>

/** Reads the scope from the first line of a document, without parsing the rest. */
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

function includesScope(
  { bases, classes, departments }: Frame,
  { Basis, ClassId, DepartmentId }: Scope,
): boolean {
  const among = (id: string | null, { members }: Frame['classes']) =>
    id === null || id === UNASSIGNED || members.some((member) => member.id === id)
  return bases.some((basis) => basis === Basis) && among(ClassId, classes) && among(DepartmentId, departments)
}

/**
 * Sums up a restatement: `12 figures in 4 documents differ from 2025-04-r1-3f9c2a, in 2025-01 to 2025-03;
 * 2024-12 is not covered any more`.
 */
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
        ? `no monthly figure differs from ${part.Since}, but entries were moved within months: ${number(part.Days, 'daily sum differs', 'daily sums differ')}`
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
  const named = names.slice(0, NAMED).map(labelText).join(', ')
  return `; ${total === 1 ? '1 name differs' : `${total} names differ`} from those published${named && `: ${named}`}${named && total > NAMED ? ', …' : ''}`
}

/** How many renamed accounts and members a message names. */
const NAMED = 3

const labelText = ({ Kind, Old, New }: RestatedLabel): string =>
  `${Kind.toLowerCase()} "${Old}", now "${New}"`
