/**
 * Explains one published figure: the document that states it, the lines of the books behind it down to file and row,
 * and whether they add up to it. A table of contents; the rules are statements/terms.ts, the SQL books/lineage.ts.
 */
import { join } from 'node:path'
import { decimalsOf, type Frame } from './books/frame.ts'
import { type Line, type Lineage, openLineage, type Part, type Phase } from './books/lineage.ts'
import { formatInteger, formatMinor, minorFromJson } from './contract/currency.ts'
import type { DateRange, StatementScope } from './contract/document.ts'
import {
  type Basis,
  COMPUTED_ROWS,
  type Section,
  STATEMENTS,
  type StatementName,
  SUMMARY_NAMES,
} from './contract/vocabulary.ts'
import {
  basisOf,
  type Filters,
  failed,
  filterFindings,
  monthIn,
  nearest,
  publishedSnapshot,
  type Resolved,
  unknown,
  verifiedFrame,
} from './inspect.ts'
import { BOOKS, statementPath } from './snapshot/layout.ts'
import type { Snapshot } from './snapshot/open.ts'
import { coverageOf } from './statements/answer.ts'
import {
  type ExplainedRow,
  rowsOf,
  rowsOfTotal,
  statementOfTotal,
  statementTitle,
} from './statements/terms.ts'
import type { Finding } from './workspace/finding.ts'

export interface ExplainRequest extends Filters {
  readonly company: string
  /** Null: the current one. */
  readonly snapshotId: string | null
  /** Account id, else number; or the id of a computed row, or the name of a total. */
  readonly account: string
  readonly month: string
  /** Null: the one that the account is on, the P&L or the balance sheet. */
  readonly statement: StatementName | null
  /** Every line, not only those of the month. */
  readonly all: boolean
}

/** A figure's share that is made of many lines: an account, a row of a total, or a stretch of time. */
export interface Share {
  readonly id: string
  readonly number: string
  readonly name: string
  /** How the row counts in a total: +1 or −1. */
  readonly sign: 1 | -1
  readonly amount: string
  /** Sum of the amounts up to this one. */
  readonly total: string
  readonly lines: number
}

export interface Explanation {
  readonly company: string
  readonly snapshotId: string
  readonly manifestSha256: string
  readonly currency: string
  readonly statement: StatementName
  /** All statements that the account has a figure on. */
  readonly standsOn: readonly StatementName[]
  readonly basis: Basis
  readonly budgetId: string | null
  readonly classId: string | null
  readonly departmentId: string | null
  readonly month: string
  readonly account: {
    readonly id: string
    readonly number: string
    readonly name: string
    readonly section: Section | null
    readonly kind: 'account' | 'computed row' | 'total'
  }
  /** The file of the snapshot that states the figure; null where the combination has none, which means zero. */
  readonly document: string | null
  /** Decimal text; null where a budget states no figure. */
  readonly published: string | null
  /** What {@link shares} are: phases of a balance, accounts, or rows of a total. */
  readonly by: 'phase' | 'account' | 'row'
  readonly shares: readonly Share[]
  readonly lines: readonly Line[]
  /** False where {@link lines} leaves out what the shares count. */
  readonly allLines: boolean
  /** The sum of all lines behind the figure. */
  readonly total: string | null
  readonly difference: string
  readonly addsUp: boolean
}

export async function explain(root: string, request: ExplainRequest): Promise<Resolved<Explanation>> {
  const opened = await publishedSnapshot(root, request.company, request.snapshotId)
  if (opened.findings) return opened
  const snapshot = opened.value
  const frame = await verifiedFrame(snapshot)
  const question = resolve(frame, request)
  if (question.findings) return question
  const { figure, scope, range } = question.value
  const lineage = await openLineage(join(snapshot.folder, BOOKS), frame, scope, range, figure.parts)
  try {
    return { value: await explanationOf(snapshot, frame, question.value, lineage, request.all) }
  } finally {
    lineage.close()
  }
}

/** A row or total of a statement, as parts over the books. */
interface Figure {
  readonly id: string
  readonly number: string
  readonly name: string
  readonly section: Section | null
  readonly kind: Explanation['account']['kind']
  readonly by: Explanation['by']
  readonly standsOn: readonly StatementName[]
  readonly parts: readonly (Part & Pick<Share, 'number' | 'name' | 'sign'>)[]
}

interface Question {
  readonly figure: Figure
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

/** Ids before numbers before the names of totals: what a source calls its account wins over our words. */
function figureOf(
  frame: Frame,
  { account, statement, budgetId }: ExplainRequest,
): Resolved<{ figure: Figure; statement: StatementName }> {
  const ids = idsOf(frame, account)
  if (ids.length > 1)
    return failed(
      unknown(
        'ambiguous-account',
        `"${account}" is the number of several accounts`,
        account,
        `ask by id: ${ids.join(', ')}`,
      ),
    )
  const total = ids.length === 0 ? totalNamed(account) : undefined
  const id = ids[0] ?? total
  if (id === undefined) return failed(unknownAccount(frame, account))
  const header = frame.accounts.find((candidate) => candidate.id === id && candidate.isHeader)
  if (header) {
    const children = frame.accounts.filter((child) => child.parentId === header.id)
    return failed(
      unknown(
        'header-account',
        `${label(header)} is a heading, nothing is posted on it`,
        account,
        `ask for an account under it: ${children.map(label).join(', ')}`,
      ),
    )
  }
  const standsOn =
    total === undefined
      ? STATEMENTS.filter((each) => rowsOf(frame, each, budgetId).some((row) => row.id === id))
      : STATEMENTS.filter(
          (each) => each === statementOfTotal(total) && (budgetId === null || each !== 'CashFlow'),
        )
  if (standsOn.length === 0)
    return failed(
      unknown(
        'not-in-a-budget',
        `a budget has no "${account}"`,
        account,
        'ask for an account or a total of the P&L or the balance sheet, or leave --budget out',
      ),
    )
  const chosen = statement ?? standsOn[0]!
  if (!standsOn.includes(chosen))
    return failed(
      unknown(
        'not-on-statement',
        `"${account}" has no figure on the ${statementTitle(chosen)}`,
        account,
        `it stands on the ${standsOn.map((each) => statementTitle(each)).join(' and the ')}`,
      ),
    )
  const figure =
    total === undefined
      ? rowFigure(frame, rowsOf(frame, chosen, budgetId).find((row) => row.id === id)!, standsOn)
      : totalFigure(frame, chosen, total, budgetId)
  return { value: { figure, statement: chosen } }
}

const label = ({ number, id, name }: { number: string; id: string; name: string }): string =>
  `${number || id} ${name}`.trim()

function idsOf(frame: Frame, asked: string): string[] {
  if (frame.accounts.some((account) => account.id === asked) || Object.hasOwn(COMPUTED_ROWS, asked))
    return [asked]
  return frame.accounts.filter((account) => account.number === asked).map((account) => account.id)
}

const TOTALS: readonly string[] = STATEMENTS.flatMap((statement) => SUMMARY_NAMES[statement])
const totalNamed = (asked: string): string | undefined =>
  TOTALS.find((name) => name.toLowerCase() === asked.toLowerCase())

function unknownAccount(frame: Frame, asked: string): Finding {
  const words = asked.toLowerCase()
  const posting = frame.accounts.filter((account) => !account.isHeader)
  const named = posting.filter((account) => account.name.toLowerCase().includes(words))
  const labels = new Map(
    posting.flatMap((account) => [
      [account.id, label(account)],
      [account.number, label(account)],
    ]),
  )
  const names = [...labels.keys(), ...Object.keys(COMPUTED_ROWS), ...TOTALS].filter((name) => name !== '')
  const near = nearest(asked, names).map((name) => labels.get(name) ?? name)
  const list = named.length > 0 ? named.slice(0, 8).map(label) : [...new Set(near)]
  return unknown(
    'unknown-account',
    `${frame.companyId} has no account "${asked}", and no computed row or total is called so`,
    asked,
    `nearest: ${list.join(', ')}`,
  )
}

function rowFigure(frame: Frame, row: ExplainedRow, standsOn: readonly StatementName[]): Figure {
  const { id, number, name, section, isComputed, terms } = row
  const about = { id, number, name, section, standsOn }
  if (!isComputed)
    return {
      ...about,
      kind: Object.hasOwn(COMPUTED_ROWS, id) ? 'computed row' : 'account',
      by: 'phase',
      parts: [{ id, number, name, sign: 1, terms }],
    }
  const accounts = new Map(frame.accounts.map((account) => [account.id, account]))
  return {
    ...about,
    kind: 'computed row',
    by: 'account',
    parts: terms.map((term) => ({
      id: term.account,
      number: accounts.get(term.account)?.number ?? '',
      name:
        accounts.get(term.account)?.name ?? COMPUTED_ROWS[term.account as keyof typeof COMPUTED_ROWS].name,
      sign: 1,
      terms: [term],
    })),
  }
}

function totalFigure(frame: Frame, statement: StatementName, name: string, budgetId: string | null): Figure {
  return {
    id: name,
    number: '',
    name,
    section: null,
    kind: 'total',
    by: 'row',
    standsOn: [statement],
    parts: rowsOfTotal(frame, statement, name, budgetId).map(({ row, sign }) => ({
      id: row.id,
      number: row.number,
      name: row.name,
      sign,
      terms: row.terms.map((term) => ({ ...term, sign: (sign * term.sign) as 1 | -1 })),
    })),
  }
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
  const { document, published, stated } = await publishedFigure(snapshot, frame, scope, figure, month)
  const sum = await lineage.total()
  // A budget without a figure states none; it does not state zero.
  const total = scope.budgetId !== null && sum.lines === 0 ? null : sum.amount
  const parts = new Map(figure.parts.map((part) => [part.id, part]))
  const shares: Share[] =
    figure.by === 'phase'
      ? (await lineage.sums()).map(({ phase, amount, total, lines }) => ({
          id: phase,
          number: '',
          name: PHASE_NAMES[phase],
          sign: 1,
          amount,
          total,
          lines,
        }))
      : (await lineage.parts()).map(({ part, amount, total, lines }) => {
          const { id, number, name, sign } = parts.get(part)!
          return { id, number, name, sign, amount, total, lines }
        })
  const phases: readonly Phase[] = all
    ? ['opening', 'earlier', 'month']
    : figure.by === 'phase'
      ? ['opening', 'month']
      : []
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
    budgetId: scope.budgetId,
    classId: scope.classId,
    departmentId: scope.departmentId,
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
    by: figure.by,
    shares,
    lines,
    allLines: lines.length === sum.lines,
    total,
    difference: formatInteger(String(difference), decimalsOf(frame)),
    // Zero and no figure differ where the document states one of them; rows without any figure are left out of it.
    addsUp: difference === 0n && (!stated || (total === null) === (published === null)),
  }
}

/** Decimal text of one currency as an integer of its minor units. */
const digits = (amount: string | null): string => (amount ?? '0').replace('.', '')

interface Published {
  readonly Periods: readonly { readonly Month: string }[]
  readonly Data: readonly { readonly AccountId: string; readonly Values: readonly (number | null)[] }[]
  readonly Summary: readonly { readonly Name: string; readonly Values: readonly (number | null)[] }[]
}

/** The figure as the verified document states it. No document, no row: zero, or for a budget no figure. */
async function publishedFigure(
  snapshot: Snapshot,
  frame: Frame,
  scope: StatementScope,
  figure: Figure,
  month: string,
): Promise<Pick<Explanation, 'document' | 'published'> & { readonly stated: boolean }> {
  const decimals = decimalsOf(frame)
  const path = statementPath(scope)
  const nothing = scope.budgetId === null ? formatMinor(0, decimals) : null
  if (!snapshot.has(path)) return { document: null, published: nothing, stated: false }
  const document = JSON.parse((await snapshot.read(path)).toString('utf8')) as Published
  const values =
    figure.kind === 'total'
      ? document.Summary.find((row) => row.Name === figure.id)?.Values
      : document.Data.find((row) => row.AccountId === figure.id)?.Values
  const period = document.Periods.findIndex((each) => each.Month === month)
  if (values === undefined) return { document: path, published: nothing, stated: false }
  const value = values[period] ?? null
  return {
    document: path,
    published: value === null ? null : formatMinor(minorFromJson(value, decimals), decimals),
    stated: true,
  }
}
