/** Resolves the marks for opening and closing entries in company.yaml, and reports marks that match nothing. */

import { type Database, quoted } from '../../database/database.ts'
import type { Company } from '../../workspace/company.ts'
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import type { Keys } from './key-sql.ts'
import type { EntryMarks } from './ledger.ts'

/** The marks that match references, journals and types of ledger lines. */
export const entryMarks = (marks: Company['opening'] | Company['closing']): EntryMarks => ({
  references: marks?.references ?? [],
  journals: marks?.journals ?? [],
  types: marks?.types ?? [],
})

/**
 * The ledger files that a pattern names. Patterns are relative paths in which `*` matches within a folder. A workbook is named with
 * all its sheets, whose names follow a `#`.
 */
export function matching(files: readonly string[], pattern: string): string[] {
  const parts = pattern.split('/')
  const isMet = (path: string) => {
    const names = path.split('/')
    return names.length === parts.length && names.every((name, i) => meets(name, parts[i] ?? ''))
  }
  return files.filter((file) =>
    [file.length, ...[...file.matchAll(/#/g)].map(({ index }) => index)].some((end) =>
      isMet(file.slice(0, end)),
    ),
  )
}

/** Whether a name meets a pattern: what stands between two `*` is taken where it comes first, so that nothing is tried twice. */
function meets(name: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*')
  const last = others.pop()
  if (last === undefined) return name === first
  let at = first.length
  for (const piece of others) {
    const found = name.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return name.startsWith(first) && name.endsWith(last) && at + last.length <= name.length
}

/**
 * Reports marks that match nothing, which are most likely mistyped: the entries that they mean would silently count as
 * activity.
 */
export async function markFindings(
  db: Database,
  company: Company,
  files: readonly string[],
  accounts: Keys,
): Promise<Finding[]> {
  const { opening = {}, closing = {} } = company
  const findings: Finding[] = []
  for (const [i, pattern] of (opening.files ?? []).entries())
    if (matching(files, pattern).length === 0)
      findings.push(
        error('mark-without-match', `no ledger file is called "${pattern}"`, {
          ...place(`opening.files.${i}`, pattern),
          remedy: 'write the path as it stands under "ledger", relative to the folder of the company',
        }),
      )
  for (const [i, id] of (closing.accounts ?? []).entries())
    if (accounts.get(id) == null)
      findings.push(
        error('unknown-account', `there is no account "${id}", or more than one`, {
          ...place(`closing.accounts.${i}`, id),
          remedy: 'write the id of an account of the chart',
        }),
      )
  const entries = [
    ['opening.transactions', 'tx', opening.transactions ?? []],
    ['opening.references', 'reference', opening.references ?? []],
    ['opening.journals', 'journal', opening.journals ?? []],
    ['opening.types', 'type', opening.types ?? []],
    ['closing.transactions', 'tx', closing.transactions ?? []],
    ['closing.references', 'reference', closing.references ?? []],
    ['closing.journals', 'journal', closing.journals ?? []],
    ['closing.types', 'type', closing.types ?? []],
  ] as const
  for (const [key, column, values] of entries) {
    const missing = await notFound(db, column, values)
    for (const [i, value] of values.entries())
      if (missing.has(value))
        findings.push(
          warning('mark-without-match', `no entry of the ledger has the ${WORD[column]} "${value}"`, {
            ...place(`${key}.${i}`, value),
            remedy: 'correct it, or take it out: as it stands, it marks nothing',
          }),
        )
  }
  return findings
}

const WORD = { tx: 'transaction id', reference: 'reference', journal: 'journal', type: 'type' } as const

const place = (column: string, text: string) => ({ file: COMPANY_FILE, column, text })

async function notFound(
  db: Database,
  column: keyof typeof WORD,
  values: readonly string[],
): Promise<ReadonlySet<string>> {
  if (values.length === 0) return new Set()
  const list = values.map(quoted).join(', ')
  const rows = await db.rows<{ value: string }>(
    `SELECT DISTINCT ${column} AS value FROM line WHERE ${column} IN (${list})`,
  )
  const found = new Set(rows.map((row) => row.value))
  return new Set(values.filter((value) => !found.has(value)))
}
