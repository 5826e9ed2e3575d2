/** The accounts of reports: what each is called, and what kind it is, by company.yaml, the list of accounts, or the report. */
import { byCodePoint } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../workspace/company.ts'
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import { kindOf, type UsedAccount } from '../../format/account-kinds.ts'
import { cellOf } from './rows/cells.ts'
import type { Kind, ReportFamily } from './rows/layout.ts'
import { type AccountText, nameAccounts, nameOf, renamed } from './rows/names.ts'
import type { ReportScan } from './rows/scan.ts'
import { type OpenReport, rowsOf } from './rows/walk.ts'

/** One account of a program's list of accounts. */
export interface ChartEntry {
  readonly text: AccountText
  readonly file: string
  readonly row: number
  readonly type: string
  readonly detailType: string
  /** Empty where the list has no such column. */
  readonly currency: string
}

export async function readChartReport(open: OpenReport): Promise<ChartEntry[]> {
  const { at, headerRow } = open.layout
  const entries: ChartEntry[] = []
  for await (const rows of rowsOf(open))
    for (const { row, cells } of rows) {
      const name = cellOf(cells, at.account)
      const type = cellOf(cells, at.accountType)
      if (row <= headerRow || name === '' || type === '') continue
      const text = { path: [name], code: cellOf(cells, at.code) }
      const [detailType, currency] = [cellOf(cells, at.detailType), cellOf(cells, at.accountCurrency)]
      entries.push({ text, file: open.file, row, type, detailType, currency })
    }
  return entries
}

export interface ReportAccount extends UsedAccount {
  /** What is to be checked about its kind. */
  readonly doubt: string | null
}

export interface ReportAccounts {
  /** By id, in the order of their first use; those of the list of accounts alone are not among them. */
  readonly used: ReadonlyMap<string, ReportAccount>
  readonly listed: ReadonlyMap<string, ReportAccount>
  /** Accounts of one number under several names. */
  readonly findings: readonly Finding[]
  /** Id of each account that a line or a balance uses, by {@link keyOf} its text. */
  readonly ids: ReadonlyMap<string, string>
}

export function accountsOf(
  scans: readonly ReportScan[],
  chart: readonly ChartEntry[],
  family: ReportFamily,
  stated: Company['accounts'],
): ReportAccounts {
  // The latest name counts.
  const latest = [...scans].sort((a, b) => byCodePoint(endOf(b), endOf(a)))
  const uses = latest.flatMap(({ file, accounts }) => [...accounts.values()].map((use) => ({ ...use, file })))
  const written = [...uses, ...chart]
  const named = nameAccounts(written, family)
  const known = new Map<string, ChartEntry>()
  for (const entry of chart) {
    const { id, path } = { ...nameOf(named, entry.text), path: pathOf(entry.text, family) }
    known.set(id, entry)
    if (!known.has(path)) known.set(path, entry)
  }
  const account = (
    { text, file, row, type }: { text: AccountText; file: string; row: number; type: string },
    detailType = '',
  ): ReportAccount => {
    const { parent, ...own } = nameOf(named, text)
    const listed = known.get(own.id) ?? known.get(pathOf(text, family))
    const said: Kind | null = family.accountKind({
      ...own,
      type: type || (listed?.type ?? ''),
      detailType: detailType || (listed?.detailType ?? ''),
    })
    const { doubt = null, ...rules } = said ?? {}
    return {
      ...own,
      file,
      row,
      parentId: parent,
      kind: kindOf(own.id, stated, said === null ? null : (rules as Kind)),
      doubt: said === null ? 'kind unknown: neither the report nor a list of accounts states it' : doubt,
    }
  }
  const used = new Map<string, ReportAccount>()
  for (const use of uses) {
    const made = account(use)
    const before = used.get(made.id)
    // An account may be written in several ways, and its type or name stand in one of them only.
    if (before === undefined || (before.kind === null && made.kind !== null)) used.set(made.id, made)
    else if (before.name === before.id && made.name !== made.id)
      used.set(made.id, { ...before, name: made.name })
  }
  const listed = new Map(
    chart.map((entry) => [nameOf(named, entry.text).id, account(entry, entry.detailType)]),
  )
  const findings = [
    ...listedOtherwise(chart, named),
    ...[...renamed(written, named)].flatMap(([id, names]) => otherNames(id, names)),
  ]
  return {
    used: withParents(used, listed),
    listed,
    findings: findings.slice(0, MOST),
    ids: new Map([...named].map(([key, { id }]) => [key, id])),
  }
}

const endOf = ({ period }: ReportScan): string => (period === null || period === 'all' ? '' : period.endDate)

const MOST = 20

/** Two lists of accounts that state other types of one account. No list says which of them is the newer. */
function listedOtherwise(chart: readonly ChartEntry[], named: ReturnType<typeof nameAccounts>): Finding[] {
  const first = new Map<string, ChartEntry>()
  return chart.flatMap((entry) => {
    const { id, name } = nameOf(named, entry.text)
    const before = first.get(id) ?? entry
    first.set(id, before)
    const { file, row, type } = entry
    if (before.file === file || before.type === type) return []
    return [
      error(
        'account-listed-twice',
        `account ${id === name ? id : `${id} ${name}`} is ${type} in this list, and ${before.type} in ${before.file}: which one counts?`,
        { file, row, text: type, remedy: 'keep the newer list, and take the other one out of the folder' },
      ),
    ]
  })
}

/** `names`: each name with the file that has it, the latest first. */
function otherNames(id: string, names: ReadonlyMap<string, string>): Finding[] {
  const [latest, ...others] = names
  if (latest === undefined) return []
  const [name, file] = latest
  const older = others.map(([other, where]) => `${other} in ${where}`).join(', ')
  return [
    warning(
      'account-renamed',
      `account ${id} is called ${name} in ${file}, and ${older}: it counts as one account, by its number`,
      {
        file,
        text: name,
        remedy: 'nothing, where it was renamed; two accounts need two numbers in the program',
      },
    ),
  ]
}

const pathOf = ({ path }: AccountText, { separator }: ReportFamily): string =>
  path
    .flatMap((label) => (separator === null ? [label] : label.split(separator)))
    .map((label) => label.trim())
    .join(':')

/** A parent counts where it is an account of the same kind; what no line uses is known from the list alone. */
function withParents(
  used: ReadonlyMap<string, ReportAccount>,
  listed: ReadonlyMap<string, ReportAccount>,
): Map<string, ReportAccount> {
  const all = new Map(used)
  const add = (account: ReportAccount): void => {
    const parent =
      account.parentId == null ? undefined : (all.get(account.parentId) ?? listed.get(account.parentId))
    const fits = parent?.kind != null && parent.kind.classification === account.kind?.classification
    all.set(account.id, { ...account, parentId: fits ? parent.id : null })
    if (!fits || all.has(parent.id)) return
    add(parent)
  }
  for (const account of used.values()) add(account)
  return all
}
