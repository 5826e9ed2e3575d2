/**
 * Explains one published figure: the document that states it, the lines of the books behind it with file and row,
 * and whether they add up to it. The rules are in statements/terms.ts, the SQL in books/read/lineage.ts.
 */

import { join } from 'node:path'
import { type Line, type Lineage, openLineage, type Phase } from '../books/read/lineage.ts'
import { basisSourceOf, decimalsOf, type Frame } from '../books/reference/frame.ts'
import { type Words, wordsIn } from '../books/reference/presentation.ts'
import { currencyDecimals, formatInteger, formatMinor } from '../contract/currency.ts'
import type { DateRange, StatementScope } from '../contract/document.ts'
import { present } from '../contract/present.ts'
import {
  type Basis,
  type BasisSource,
  isProfitAndLoss,
  type NotStatedReason,
  type Section,
  type StatementName,
} from '../contract/vocabulary.ts'
import { cleaned, fieldsIn } from '../ingest/formats/sie/lines.ts'
import { parseFigure } from '../ingest/text/amount.ts'
import { readPublishedStatement } from '../snapshot/files/documents.ts'
import { BOOKS, statementPath } from '../snapshot/files/layout.ts'
import type { Manifest } from '../snapshot/files/manifest.ts'
import type { Snapshot } from '../snapshot/files/open.ts'
import { coverageOf } from '../statements/answer.ts'
import { figureOf, type NamedFigure } from './figure.ts'
import {
  type AskedFilters,
  basisOf,
  failed,
  filterFindings,
  frameOfReadableBooks,
  monthIn,
  publishedSnapshot,
  type Resolved,
} from './inspect.ts'
import { repeatedBudgets } from './repeated-budgets.ts'
import { type SourceRow, sourceRows } from './source-lines.ts'
import { scaleRemark, sheetScales, type Unscaled, unscaled } from './unscaled.ts'
export interface ExplainRequest extends AskedFilters {
  readonly company: string
  /** Null for the current snapshot. */
  readonly snapshotId: string | null
  /** Id or number of an account, id of a computed row, or name of a total. */
  readonly account: string
  readonly month: string
  /** Null for the statement that the account belongs to, profit and loss or balance sheet. */
  readonly statement: StatementName | null
  /** Lists all lines, not only those of the month. */
  readonly all: boolean
  /** Also returns the source rows, where the sources were kept. */
  readonly sources?: boolean
}

/** A part of the figure that sums up many lines: an account, a row of a total, or a period of a balance. */
interface Share {
  readonly id: string
  readonly number: string
  readonly name: string
  /** How the row counts in a total: +1 or −1. */
  readonly sign: 1 | -1
  readonly amount: string
  /** The running total up to this share. */
  readonly total: string
  readonly lines: number
}

/** A budget line, with what its sheet states where the sheet counts in thousands or millions. */
export type ExplainedLine = Line & { readonly unscaled?: Unscaled }

export interface Explanation {
  readonly company: string
  readonly snapshotId: string
  readonly manifestSha256: string
  readonly currency: string
  readonly statement: StatementName
  /** All statements on which the account has a figure. */
  readonly standsOn: readonly StatementName[]
  readonly basis: Basis
  readonly basisSource: BasisSource
  readonly budgetId: string | null
  readonly classId: string | null
  readonly departmentId: string | null
  /** What the company calls its dimensions; absent where it states nothing. */
  readonly words?: Words
  readonly month: string
  readonly account: {
    readonly id: string
    readonly number: string
    readonly name: string
    readonly section: Section | null
    readonly kind: NamedFigure['kind']
  }
  /** The document that states the figure; null where none was published for this combination, which means zero. */
  readonly document: string | null
  /** Decimal text; null where a budget states no figure. */
  readonly published: string | null
  /** Why the cash flow of a budget has no figure, as the document states it; null where it has one. */
  readonly notStated: { readonly reason: NotStatedReason; readonly detail: string } | null
  /** What {@link shares} are: periods of a balance, accounts, or rows of a total. */
  readonly by: NamedFigure['by']
  readonly shares: readonly Share[]
  readonly lines: readonly ExplainedLine[]
  /** The source rows of {@link lines}; null where they were not asked for. */
  readonly sources: readonly SourceRow[] | null
  /** Why source rows state other amounts than the figure. */
  readonly remarks: readonly string[]
  /** False where {@link shares} sum up lines that {@link lines} does not list. */
  readonly allLines: boolean
  /** The sum of all lines behind the figure, as decimal text; null where a budget has no lines. */
  readonly total: string | null
  readonly difference: string
  readonly addsUp: boolean
}

export async function explain(root: string, request: ExplainRequest): Promise<Resolved<Explanation>> {
  const opened = await publishedSnapshot(root, request.company, request.snapshotId)
  if (opened.findings) return opened
  const snapshot = opened.value
  const frame = await frameOfReadableBooks(snapshot)
  const question = resolve(frame, request)
  if (question.findings) return question
  const { figure, scope, range } = question.value
  const lineage = await openLineage(join(snapshot.folder, BOOKS), frame, scope, range, figure.parts)
  try {
    const explanation = await explanationOf(snapshot, frame, question.value, lineage, request.all)
    const sources: Resolved<readonly SourceRow[] | null> = request.sources
      ? await sourceRows(snapshot, explanation.lines)
      : { value: null }
    if (sources.findings) return sources
    const { lines } = explanation
    const scales = sheetScales(snapshot.manifest, lines)
    const remarks = [
      ...budgetRemarks(frame, snapshot.manifest, lines, sources.value),
      ...(request.sources ? await repeatedBudgets(snapshot, lines) : []),
      ...[...scales].map(([file, scale]) => scaleRemark(file, scale)),
    ]
    // Remarks are about the size of the amount alone, since the sheet's sign is a setting.
    const own = lines.map((line) => ({
      ...line,
      ...unscaled(scales, line.file, line.amount.replace('-', '')),
    }))
    return { value: { ...explanation, lines: own, sources: sources.value, remarks } }
  } finally {
    lineage.close()
  }
}

interface Question {
  readonly figure: NamedFigure
  readonly scope: StatementScope
  readonly range: DateRange
}

function resolve(frame: Frame, request: ExplainRequest): Resolved<Question> {
  const findings = filterFindings(frame, request)
  const { budgetId, classId, departmentId } = request
  const whose = budgetId === null ? 'the books' : `the months of budget ${budgetId}`
  const coverage = coverageOf(frame, budgetId)
  const month = findings.some((found) => found.code === 'unknown-budget')
    ? null
    : monthIn(coverage, request.month, whose)
  if (month?.findings) findings.push(...month.findings)
  const found = figureOf(frame, request)
  if (found.findings) findings.push(...found.findings)
  if (found.findings || !month || month.findings || findings.length > 0) return failed(...findings)
  const { figure, statement } = found.value
  const scope = { statement, basis: basisOf(frame, request), budgetId, classId, departmentId }
  return { value: { figure, scope, range: month.value } }
}

const PHASE_NAMES: Readonly<Record<Phase, string>> = {
  opening: 'opening balance',
  earlier: 'earlier months',
  month: 'the month',
}

async function explanationOf(
  snapshot: Snapshot,
  frame: Frame,
  { figure, scope, range }: Question,
  lineage: Lineage,
  all: boolean,
): Promise<Explanation> {
  const month = range.startDate.slice(0, 7)
  const { document, published, notStated, stated } = await publishedFigure(
    snapshot,
    frame,
    scope,
    figure,
    month,
  )
  const sum = await lineage.total()
  // A budget without lines has no figure, which is not zero; but where its cash flow is stated, what has no lines is zero.
  const isNothing =
    scope.budgetId !== null && (scope.statement === 'CashFlow' ? published === null : sum.lines === 0)
  const total = isNothing ? null : sum.amount
  const phases = phasesShown(figure, all)
  const lines = phases.length === 0 ? [] : await lineage.lines(phases)
  const difference = BigInt(digits(total)) - BigInt(digits(published))
  return {
    company: snapshot.company,
    snapshotId: snapshot.id,
    manifestSha256: snapshot.manifestHash,
    currency: frame.currency,
    statement: scope.statement,
    standsOn: figure.standsOn,
    basis: scope.basis,
    basisSource: basisSourceOf(frame, scope),
    budgetId: scope.budgetId,
    classId: scope.classId,
    departmentId: scope.departmentId,
    ...wordsIn(frame),
    month,
    account: {
      id: figure.id,
      number: figure.number,
      name: figure.name,
      section: figure.section,
      kind: figure.kind,
    },
    document,
    published,
    notStated,
    by: figure.by,
    shares: await sharesOf(figure, lineage),
    lines,
    sources: null,
    remarks: [],
    allLines: lines.length === sum.lines,
    total,
    difference: formatInteger(String(difference), decimalsOf(frame)),
    // Where the document states the row, zero and no figure are different answers; where it leaves the row out,
    // they are the same.
    addsUp: difference === 0n && (!stated || (total === null) === (published === null)),
  }
}

/** Sums up the periods of a balance, or the accounts or rows of a total. */
async function sharesOf({ by, parts }: NamedFigure, lineage: Lineage): Promise<Share[]> {
  if (by === 'phase')
    return (await lineage.sums()).map(({ phase, amount, total, lines }) => ({
      id: phase,
      number: '',
      name: PHASE_NAMES[phase],
      sign: 1,
      amount,
      total,
      lines,
    }))
  const byId = new Map(parts.map((part) => [part.id, part]))
  return (await lineage.parts()).map(({ part, amount, total, lines }) => {
    const { id, number, name, sign } = present(byId.get(part), `part "${part}" of the figure`)
    return { id, number, name, sign, amount, total, lines }
  })
}

/** The periods whose lines are listed. */
function phasesShown({ by }: NamedFigure, all: boolean): readonly Phase[] {
  if (all) return ['opening', 'earlier', 'month']
  return by === 'phase' ? ['opening', 'month'] : []
}

/** Decimal text as an integer of minor units; all amounts here have the decimals of one currency. */
const digits = (amount: string | null): string => (amount ?? '0').replace('.', '')

/** The figure as the verified document states it. Without a document or row it is zero; for a budget there is none. */
async function publishedFigure(
  snapshot: Snapshot,
  frame: Frame,
  scope: StatementScope,
  figure: NamedFigure,
  month: string,
): Promise<Pick<Explanation, 'document' | 'published' | 'notStated'> & { readonly stated: boolean }> {
  const decimals = decimalsOf(frame)
  const nothing = scope.budgetId === null ? formatMinor(0, decimals) : null
  const statement = await readPublishedStatement(snapshot, scope)
  if (statement === null) return { document: null, published: nothing, notStated: null, stated: false }
  const path = statementPath(scope)
  const notStated = statement.notStated.get(month) ?? null
  const figures =
    figure.kind === 'total' ? statement.totals.get(figure.id) : statement.rows.get(figure.id)?.figures
  if (figures === undefined) return { document: path, published: nothing, notStated, stated: false }
  const value = figures[statement.months.indexOf(month)] ?? null
  return {
    document: path,
    published: value === null ? null : formatMinor(value, decimals),
    notStated,
    stated: true,
  }
}

const TURNED: readonly string[] = ['Income', 'OtherIncome', 'Liability', 'Equity']

/** One remark for each reason found. `sources` are the source rows of the lines; null where they were not asked for. */
function budgetRemarks(
  frame: Frame,
  { Inputs }: Pick<Manifest, 'Inputs'>,
  lines: readonly Line[],
  sources: readonly SourceRow[] | null,
): string[] {
  const sie = new Set(Inputs.filter(({ Format }) => Format === 'sie').map(({ File }) => File))
  const own = lines.filter(({ kind, file }) => kind === 'budget' && file !== null && sie.has(file))
  const kinds = new Map(frame.accounts.map(({ id, classification }) => [id, classification]))
  const isTurned = own.some(({ account }) => TURNED.includes(kinds.get(account) ?? ''))
  const isBalance = ({ account }: Line) => {
    const classification = kinds.get(account)
    return classification !== undefined && !isProfitAndLoss(classification)
  }
  const decimals = currencyDecimals(frame.currency)
  const minor = (amount: string) => BigInt(parseFigure(amount, decimals).minor ?? 0)
  const size = (value: bigint) => (value < 0n ? -value : value)
  // Several lines may be shares of one row, so that they are added up before the comparison.
  const counted = new Map<string, bigint>()
  for (const { file, row, amount } of own.filter((line) => !isBalance(line)))
    counted.set(`${file}:${row}`, (counted.get(`${file}:${row}`) ?? 0n) + minor(amount))
  const shares = (sources ?? []).flatMap(({ file, row, text }) => {
    const stated = text === null ? null : statedIn(text)
    const value = counted.get(`${file}:${row}`)
    if (stated === null || value === undefined || size(minor(stated)) === size(value)) return []
    return [
      `${file}:${row} states ${stated} for the whole account; other rows state parts of it for objects (cost centres, projects) and are counted by themselves, so that the rest counts here`,
    ]
  })
  return [
    ...(isTurned
      ? [
          'SIE writes debits as positive amounts: a #PBUDGET row of income, liabilities or equity has the opposite sign of its figure.',
        ]
      : []),
    ...(own.some(isBalance)
      ? [
          'A #PBUDGET row of a balance sheet account states the change of its month: the figure is the opening balance and all changes up to the month, of which the row states the last.',
        ]
      : []),
    ...shares,
  ]
}

/** The amount of a budget row such as `#PBUDGET 0 202501 3001 {} -1000.00`; null for any other row. */
function statedIn(text: string): string | null {
  const source = cleaned(text)
  if (!/^#PBUDGET(?!\w)/i.test(source)) return null
  return fieldsIn(source, '#PBUDGET'.length)?.fields[3] ?? null
}
