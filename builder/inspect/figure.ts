/**
 * Finds the figure that a request names: an account by id or number, a computed row, or a total by name; and the
 * statement and the parts that it is made of. Ids are tried before numbers, and those before names of totals, so
 * that an account of the source is never hidden by a name of ours.
 */

import type { Part } from '../books/read/lineage.ts'
import type { Frame } from '../books/reference/frame.ts'
import { present } from '../contract/present.ts'
import {
  COMPUTED_ROWS,
  type Section,
  STATEMENTS,
  type StatementName,
  SUMMARY_NAMES,
  statementTitle,
} from '../contract/vocabulary.ts'
import { type ExplainedRow, explainedRowsOf, rowsOfTotal, statementOfTotal } from '../statements/terms.ts'
import type { Finding } from '../workspace/findings/finding.ts'
import { failed, nearest, type Resolved, unknown } from './inspect.ts'

/** A part with its number and name; `sign` is how the row counts in a total. */
interface FigurePart extends Part {
  readonly number: string
  readonly name: string
  readonly sign: 1 | -1
}

/** A row or total of a statement, as parts to be summed over the books. */
export interface NamedFigure {
  readonly id: string
  readonly number: string
  readonly name: string
  readonly section: Section | null
  readonly kind: 'account' | 'computed row' | 'total'
  /** How its parts are grouped: periods of a balance, accounts, or rows of a total. */
  readonly by: 'phase' | 'account' | 'row'
  readonly standsOn: readonly StatementName[]
  readonly parts: readonly FigurePart[]
}

interface Meant {
  readonly account: string
  /** Null for the first statement that has the figure. */
  readonly statement: StatementName | null
  readonly budgetId: string | null
}

/**
 * The figure that a request names, and its statement. Findings: an unknown, ambiguous or heading account; one that the
 * budget or the statement does not have.
 */
export function figureOf(
  frame: Frame,
  { account, statement, budgetId }: Meant,
): Resolved<{ figure: NamedFigure; statement: StatementName }> {
  const named = rowNamed(frame, account)
  if (named.findings) return named
  const { id, total } = named.value
  const standsOn = STATEMENTS.filter((each) => {
    const rows = explainedRowsOf(frame, each, budgetId)
    if (total === undefined) return rows.some((row) => row.id === id)
    return each === statementOfTotal(total) && rows.length > 0
  })
  const chosen = statement ?? standsOn[0]
  if (chosen === undefined || !standsOn.includes(chosen)) return failed(notStated(account, chosen, standsOn))
  const row = () => explainedRowsOf(frame, chosen, budgetId).find((row) => row.id === id)
  const figure =
    total === undefined
      ? rowFigure(frame, present(row(), `row of "${account}" on the ${statementTitle(chosen)}`), standsOn)
      : totalFigure(frame, chosen, total, budgetId)
  return { value: { figure, statement: chosen } }
}

/** The id of an account or computed row, or the name of a total. */
function rowNamed(
  frame: Frame,
  asked: string,
): Resolved<{ readonly id: string; readonly total: string | undefined }> {
  const ids = idsOf(frame, asked)
  if (ids.length > 1)
    return failed(
      unknown(
        'ambiguous-account',
        `"${asked}" is the number of several accounts`,
        asked,
        `ask by id: ${ids.join(', ')}`,
      ),
    )
  const total = ids.length === 0 ? totalNamed(asked) : undefined
  const id = ids[0] ?? total
  if (id === undefined) return failed(unknownAccount(frame, asked))
  const header = frame.accounts.find((candidate) => candidate.id === id && candidate.isHeader)
  if (header === undefined) return { value: { id, total } }
  const children = frame.accounts.filter((child) => child.parentId === header.id)
  return failed(
    unknown(
      'header-account',
      `${label(header)} is a heading, nothing is posted on it`,
      asked,
      `ask for an account under it: ${children.map(label).join(', ')}`,
    ),
  )
}

/** The finding about a figure that the budget has on no statement, or that the chosen statement does not have. */
const notStated = (
  asked: string,
  statement: StatementName | undefined,
  standsOn: readonly StatementName[],
): Finding =>
  statement === undefined || standsOn.length === 0
    ? unknown(
        'not-in-a-budget',
        `a budget has no "${asked}"`,
        asked,
        'ask for an account or a total of the P&L or the balance sheet, or leave --budget out; a budget has a cash flow where its "equity" is stated',
      )
    : unknown(
        'not-on-statement',
        `"${asked}" has no figure on the ${statementTitle(statement)}`,
        asked,
        `it stands on the ${standsOn.map((each) => statementTitle(each)).join(' and the ')}`,
      )

const label = ({ number, id, name }: { number: string; id: string; name: string }): string =>
  `${number || id} ${name}`.trim()

function idsOf(frame: Frame, asked: string): string[] {
  if (frame.accounts.some((account) => account.id === asked) || Object.hasOwn(COMPUTED_ROWS, asked))
    return [asked]
  return frame.accounts.filter((account) => account.number === asked).map((account) => account.id)
}

/** Whether the text names an account, a computed row or a total. */
export const namesFigure = (frame: Frame, asked: string): boolean =>
  idsOf(frame, asked).length > 0 || totalNamed(asked) !== undefined

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
  const metrics = frame.metrics.flatMap(({ id, name }) => [id, name])
  const names = [...labels.keys(), ...Object.keys(COMPUTED_ROWS), ...TOTALS, ...metrics].filter(
    (name) => name !== '',
  )
  const near = nearest(asked, names).map((name) => labels.get(name) ?? name)
  const list = named.length > 0 ? named.slice(0, 8).map(label) : [...new Set(near)]
  return unknown(
    'unknown-account',
    `${frame.companyId} has no account "${asked}", and no computed row, total or metric is called so`,
    asked,
    `nearest: ${list.join(', ')}`,
  )
}

function rowFigure(frame: Frame, row: ExplainedRow, standsOn: readonly StatementName[]): NamedFigure {
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

function totalFigure(
  frame: Frame,
  statement: StatementName,
  name: string,
  budgetId: string | null,
): NamedFigure {
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
