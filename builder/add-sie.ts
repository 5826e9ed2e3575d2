/** What `tieout add` writes into company.yaml of SIE files: years, dimensions, kinds of accounts, one entry for all years. */
import { isCurrency } from './contract/currency.ts'
import { findFiles } from './ingest/files.ts'
import type { FiscalYear } from './ingest/intake.ts'
import { classifyAccounts } from './ingest/sie-accounts.ts'
import { firstUses } from './ingest/sie-checks.ts'
import { Dimensions } from './ingest/sie-dimensions.ts'
import type { SieFile } from './ingest/sie-records.ts'
import type { CompanyEdit } from './workspace/company-edit.ts'
import { BLANK } from './workspace/yaml-file.ts'

export const LEDGER_ABOUT = 'Journal entries. Files of several years are one entry.'

const yearOf = (file: SieFile) => file.years.get(0)!

/** Years of twelve months need no list: `fiscalMonthEnd` says them. */
export function describeYears(
  edit: CompanyEdit,
  all: readonly (FiscalYear & { readonly doubt?: string | null })[],
): void {
  const listed = (edit.get('fiscalYears') as { start: string }[] | undefined) ?? []
  const years = new Map(all.map((year) => [year.start, year]))
  const monthEnd = edit.get('fiscalMonthEnd')
  const isPlain = ({ start, end }: { start: string; end: string }) => {
    const next = new Date(`${end}T00:00:00Z`)
    next.setUTCDate(next.getUTCDate() + 1)
    const after = next.toISOString().slice(0, 10)
    const yearLater = `${Number(start.slice(0, 4)) + 1}${start.slice(4)}`
    return after === yearLater && start.endsWith('-01') && Number(end.slice(5, 7)) === monthEnd
  }
  if (listed.length === 0 && [...years.values()].every(isPlain)) return
  for (const [start, { end, doubt }] of [...years].sort())
    if (!listed.some((year) => year.start === start))
      edit.addToList(
        'fiscalYears',
        { start, end },
        doubt ? `please check: ${doubt}` : null,
        'Fiscal years as the books have them; some are not twelve months.',
      )
}

/** What the latest year says of the company itself. */
export function sieFacts(files: readonly SieFile[]): {
  readonly name: string | null
  readonly fiscalMonthEnd: number | null
  readonly currency: string | null
} {
  const latest = [...files].sort((a, b) => yearOf(a).end.localeCompare(yearOf(b).end)).at(-1)
  if (latest === undefined) return { name: null, fiscalMonthEnd: null, currency: null }
  return {
    name: latest.name,
    fiscalMonthEnd: Number(yearOf(latest).end.slice(5, 7)),
    currency: isCurrency(latest.currency) ? latest.currency : null,
  }
}

/** Formats with one file per fiscal year, by the extension that `add` gives to their files. */
export const YEAR_FILES = { sie: 'se', fec: 'fec' } as const

/** Years must stand in one entry, since each opens with what the one before closed with. */
export async function describeYearFiles(
  edit: CompanyEdit,
  folder: string,
  added: readonly { readonly to: string }[],
  format: keyof typeof YEAR_FILES,
  comment: string,
): Promise<void> {
  if (added.length === 0) return
  const extension = YEAR_FILES[format]
  const all = `ledger/*.${extension}`
  const entries = (edit.get('ledger') as readonly { files?: unknown; format?: unknown }[] | undefined) ?? []
  const index = entries.findIndex(
    (entry) => entry.format === format || new RegExp(NAMES[format], 'i').test(String(entry.files)),
  )
  if (index === -1) {
    edit.addToList('ledger', { files: all, format }, comment, LEDGER_ABOUT)
    return
  }
  const before = String(entries[index]!.files)
  const { files } = await findFiles(folder, before, 'ledger')
  const isCovered = files.every((file) => new RegExp(`^ledger/[^/]+\\.${extension}$`).test(file))
  const pattern = isCovered ? all : `{${[before, ...added.map(({ to }) => to)].join(',')}}`
  edit.change('ledger', index, 'files', pattern)
}

/** What the files of an entry are called that somebody wrote by hand. */
const NAMES = { sie: '\\.s[ei]$', fec: '\\.fec$|\\d{9}FEC' } as const

/** What SIE does not say outright is written out, so that an accountant can read and correct it. */
export function describeSie(edit: CompanyEdit, files: readonly SieFile[]): void {
  const dimensions = new Dimensions(files, edit.get('dimensions') as undefined)
  let added = 0
  for (const { id, name, target } of dimensions.list())
    if (edit.addToMap('dimensions', id, target, name, 'SIE dimensions: class, department, or none.')) added++
  if (added > 0) edit.changes.push(`dimensions: ${added} added`)

  const uses = firstUses(files)
  const names = new Map(
    files.flatMap((file) => [...file.accounts.values()].map(({ id, name }) => [id, name])),
  )
  const kinds = [...classifyAccounts(files, undefined)].sort(([a], [b]) => (a < b ? -1 : 1))
  added = 0
  for (const [id, kind] of kinds) {
    if (kind === null && !uses.has(id)) continue
    const name = names.get(id) ?? id
    const value =
      kind === null
        ? { classification: BLANK }
        : { classification: kind.classification, ...(kind.type === '' ? {} : { type: kind.type }) }
    const doubt =
      kind === null
        ? '; nothing in the file says what it is'
        : kind.by === 'guess'
          ? '; assumed, please check'
          : ''
    if (edit.addToMap('accounts', id, value, name + doubt, ACCOUNTS_ABOUT)) added++
  }
  if (added > 0) edit.changes.push(`accounts: ${added} added`)
}

export const ACCOUNTS_ABOUT =
  'What kind of account each one is, read from the file and its number in the national chart of accounts. Correct a line and it holds.'
