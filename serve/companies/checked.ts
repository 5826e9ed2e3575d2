/** The `Tie-Out` header: which identities of a statement under its filters were checked by the snapshot's tie-outs. */
import type { StatementScope } from '../../builder/contract/document.ts'
import { CHECKED, OWN_CHECK, STATEMENT_CHECKS } from '../../builder/contract/vocabulary.ts'
import { statementPath, TIE_OUTS } from '../../builder/snapshot/files/layout.ts'
import type { Snapshot } from '../../builder/snapshot/files/open.ts'

/** `pass; checked="totals, balance"; manifest="sha256-…"`, an item with parameters (RFC 8941). */
const header = (
  result: 'pass' | 'not-checked',
  names: readonly string[],
  { manifestHash }: Snapshot,
): string =>
  `${result}${names.length === 0 ? '' : `; checked="${names.join(', ')}"`}; manifest="sha256-${manifestHash}"`

/**
 * The header for actuals: every identity is checked where the combination has postings and the range a covered month.
 */
export function checkedOfActuals(snapshot: Snapshot, scope: StatementScope, isInside: boolean): string {
  const isThere = isInside && snapshot.has(statementPath(scope))
  return header(isThere ? 'pass' : 'not-checked', isThere ? STATEMENT_CHECKS[scope.statement] : [], snapshot)
}

/**
 * A budget need not balance, so that its tie-outs state what was checked. An answer without a figure was not
 * checked.
 */
export async function checkedOfBudget(
  snapshot: Snapshot,
  scope: StatementScope,
  body: Buffer,
): Promise<string> {
  if (!hasFigures(body)) return header('not-checked', [], snapshot)
  const names = (await budgetChecks(snapshot)).get(keyOf(scope)) ?? []
  const isOwn = names.includes(OWN_CHECK[scope.statement])
  return header(isOwn ? 'pass' : 'not-checked', names, snapshot)
}

const hasFigures = (body: Buffer): boolean => /"Values":\[[^\]]*\d/.test(body.toString('latin1'))

type Checks = ReadonlyMap<string, readonly string[]>
const checks = new WeakMap<Snapshot, Promise<Checks>>()

function budgetChecks(snapshot: Snapshot): Promise<Checks> {
  const known = checks.get(snapshot)
  if (known !== undefined) return known
  const read = snapshot.read(TIE_OUTS).then(checksIn)
  // The caller gets the failure; the next caller reads again.
  read.catch(() => checks.delete(snapshot))
  checks.set(snapshot, read)
  return read
}

interface Entry {
  readonly Identity: string
  readonly Statement: string
  readonly BudgetId: string | null
  readonly ClassId: string | null
  readonly DepartmentId: string | null
}

/**
 * The document has one entry on each line, of which there may be hundreds of thousands; only those of budgets are
 * parsed.
 */
function checksIn(document: Buffer): Checks {
  const found = new Map<string, string[]>()
  for (let at = document.indexOf(BUDGET); at !== -1; at = document.indexOf(BUDGET, at + 1)) {
    const start = document.lastIndexOf('\n', at) + 1
    const end = document.indexOf('\n', at)
    const entry = JSON.parse(document.toString('utf8', start, end).replace(/,$/, '')) as Entry
    const name = CHECKED[entry.Identity]
    if (name === undefined) continue
    const key = JSON.stringify([entry.Statement, entry.BudgetId, entry.ClassId, entry.DepartmentId])
    const names = found.get(key)
    if (names === undefined) found.set(key, [name])
    else if (!names.includes(name)) names.push(name)
  }
  return found
}
const BUDGET = '"Basis":"BUDGET"'

const keyOf = ({ statement, budgetId, classId, departmentId }: StatementScope): string =>
  JSON.stringify([statement, budgetId, classId, departmentId])
