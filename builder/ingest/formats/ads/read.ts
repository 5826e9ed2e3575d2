/**
 * Reads the Audit Data Standard: GL_Detail with the journal lines, and beside it Chart_Of_Accounts and Trial_Balance.
 * All files of one ledger entry are read together.
 */
import { byCodePoint, type Classification } from '../../../contract/vocabulary.ts'
import type { Company, LedgerSetting } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import { claimFormat } from '../../claims/claim-format.ts'
import {
  type AccountKind,
  chartRows,
  kindFindings,
  kindOf,
  type UsedAccount,
  unclassifiedRows,
} from '../../format/account-kinds.ts'
import { kindOfWords } from '../../format/account-words.ts'
import { formOfEntry } from '../../format/canonical-plan.ts'
import { type FormatContent, NO_CONTENT } from '../../format/content.ts'
import { CoveredLines } from '../../format/covered-lines.ts'
import {
  NOTHING_SURVEYED,
  type Reader,
  recordOf,
  type SourceFile,
  type Stated,
  type Survey,
  surveyedAccounts,
} from '../../format/format.ts'
import { basisOfEntry, type LedgerPlan, nameOf } from '../../format/intake.ts'
import { namedMembers } from '../../format/members.ts'
import { copyTable, readRows } from '../../format/records.ts'
import { areOthersRead, tornRow } from '../../format/unread-rows.ts'
import { undecodable } from '../../text/decode.ts'
import type { Scratch } from '../../text/scan.ts'
import { type AdsBalances, readBalances } from './balances.ts'
import { DetailLines } from './lines.ts'
import { cellAt, currencyMismatch, rowsOf, tablesOf, targetOf } from './tables.ts'

export const READER: Reader = { read: readAdsFiles, survey: surveyFiles }

/** The tables that can be read, and the accounts of the charts among them, with the parents that these name. */
async function open(sources: readonly SourceFile[], stated: Company['accounts']) {
  const findings: Finding[] = []
  const tables = sources.flatMap((source) => {
    const { file, look, scan } = source
    const found = tablesOf(source)
    if (look.encoding === 'utf-8' && scan.encoding !== 'utf-8' && look.workbook === null)
      findings.push(undecodable(file, 'utf-8', null))
    else if (found.length === 0) findings.push(unknownTable(file))
    else return found
    return []
  })
  const chart = new Map<string, UsedAccount>()
  for (const table of tables.filter(({ kind }) => kind === 'chart'))
    for await (const { row, cells } of rowsOf(table, findings)) {
      const cell = (at: number | null) => cellAt(cells, at)
      const { account, name, accountType, subtype, caption, parent } = table.at
      const words = [cell(subtype), cell(caption), cell(name)].join(' | ')
      const id = cell(account)
      chart.set(id, {
        ...{ file: table.file, row, id, number: id, name: cell(name) || id, parentId: cell(parent) || null },
        kind: kindOf(id, stated, ruleOf(cell(accountType), words)),
      })
    }
  chart.delete('')
  const details = tables.filter(({ kind }) => kind === 'detail')
  return { tables, details, balances: tables.filter(({ kind }) => kind === 'balance'), chart, findings }
}

const unknownTable = (file: string): Finding =>
  error('unknown-file', 'is not a GL_Detail, Trial_Balance or Chart_Of_Accounts', {
    file,
    row: 1,
    remedy: 'export it with the column names of the standard: datasets/formats/ads.md lists them',
  })

const TYPES: readonly (readonly [RegExp, Classification])[] = [
  [/asset/i, 'Asset'],
  [/liabilit/i, 'Liability'],
  [/equity|capital|net worth/i, 'Equity'],
  [/revenue|income|sales|gain/i, 'Income'],
  [/cost|expense|loss/i, 'Expense'],
]

/** By Account_Type and the words beside it; null where these give no kind. */
function ruleOf(accountType: string, words: string): Omit<AccountKind, 'by'> | null {
  const found = TYPES.find(([pattern]) => pattern.test(accountType))
  if (found === undefined) return null
  const [classification, type] = kindOfWords(found[1], `${accountType} | ${words}`)
  return { classification, type, cashFlow: null }
}

/** Reads all files of one ledger entry together. Nothing in them throws: what is wrong is in `findings`. */
async function readAdsFiles(
  sources: readonly SourceFile[],
  setting: LedgerSetting,
  company: Company,
  scratch: Scratch,
): Promise<FormatContent> {
  const opened = await open(sources, company.accounts)
  const { tables, chart, findings } = opened
  const form = { basis: basisOfEntry(setting), ...formOfEntry(setting) }
  const details: DetailLines[] = []
  const plans: LedgerPlan[] = []
  for (const table of opened.details) {
    const lines = new DetailLines(table, company.dimensions)
    const { path, notes } = await copyTable(table, lines, scratch)
    lines.notes = notes
    const plan = lines.plan(path, form, company.currency)
    if (plan !== null) plans.push(plan)
    else if (lines.rows > 0) findings.push(currencyMismatch(table.file, lines.amounts, company.currency))
    findings.push(...lines.findings)
    details.push(lines)
  }
  const kind = (id: string) => (chart.get(id) ?? { kind: kindOf(id, company.accounts, null) }).kind
  const balances = await Promise.all(opened.balances.map((table) => readBalances(table, company, kind)))
  const used = usedAccounts([...details, ...balances], chart, company.accounts)
  findings.push(
    ...balances.flatMap((balance) => balance.findings),
    ...claimFormat(
      details.map(({ file, others }) => ({ file, headerRow: 1, values: others })),
      setting,
      company,
    ),
    ...kindFindings(used, company, { column: 'GL_Account_Number', evidence: 'Account_Type' }),
  )
  const unread = [
    ...details.flatMap((detail) => detail.unread.rows),
    ...balances.flatMap((balance) => balance.unread),
    ...findings
      .filter(({ file }) => tables.some((table) => table.file === file && table.kind !== 'chart'))
      .flatMap(tornRow),
  ]
  return {
    ...NO_CONTENT,
    accounts: [...chartRows(used), ...unclassifiedRows(findings)],
    classes: namedMembers([...balances, ...details], 'class'),
    departments: namedMembers([...balances, ...details], 'department'),
    // Without lines that can be read, the books would only report the same mistakes again.
    ledger: areOthersRead(findings, unread) ? plans : [],
    unread,
    openings: balances.flatMap(({ openings }) => openings),
    statesOpenings: balances.length > 0,
    controls: balances.flatMap(({ controls }) => controls),
    sources: tables.map((table) => ({
      ...recordOf(table.source),
      ...nameOf(table),
      role: table.kind === 'chart' ? ('chart' as const) : ('ledger' as const),
      rows: details.find((detail) => detail.table === table)?.rows ?? null,
      ...(table.shape === null ? {} : { delimiter: table.shape.delimiter }),
    })),
    findings,
  }
}

/** The accounts that lines and balances name, and their parents. The chart may hold thousands of others that were never used. */
function usedAccounts(
  files: readonly Pick<AdsBalances, 'file' | 'accounts'>[],
  chart: ReadonlyMap<string, UsedAccount>,
  stated: Company['accounts'],
): UsedAccount[] {
  const used = new Map<string, UsedAccount>()
  for (const { file, accounts } of files)
    for (const [id, row] of accounts) {
      const known = chart.get(id) ?? { id, number: id, name: id, kind: kindOf(id, stated, null) }
      if (!used.has(id)) used.set(id, { ...known, file, row })
    }
  const above = ({ parentId }: UsedAccount) => chart.get(parentId ?? '')
  for (const account of [...used.values()])
    for (let up = above(account); up !== undefined && !used.has(up.id); up = above(up)) used.set(up.id, up)
  // An account stands below another of its classification only.
  return [...used.values()].map((account) => {
    const parent = used.get(account.parentId ?? '')
    const isKin = parent?.id !== account.id && parent?.kind?.classification === account.kind?.classification
    return { ...account, parentId: isKin ? (parent?.id ?? null) : null }
  })
}

/** The lines of the first period show when the year begins; the chart gives the kinds of accounts. */
async function surveyFiles(sources: readonly SourceFile[], { dimensions }: Stated): Promise<Survey> {
  const opened = await open(sources, undefined)
  const details: DetailLines[] = []
  const covered: CoveredLines[] = []
  for (const table of opened.details) {
    covered.push(new CoveredLines())
    const lines = new DetailLines(table, dimensions, covered.at(-1))
    lines.notes = await readRows(table, lines)
    details.push(lines)
  }
  const [currency = '', ...otherCurrencies] = new Set(
    details.flatMap(({ amounts }) => amounts.slice(0, 1).flatMap(({ currencies }) => [...currencies])),
  )
  const columns = new Set(details.flatMap(({ table }) => table.dimensions.map(({ name }) => name)))
  const hasBalances = opened.balances.length > 0
  return {
    ...NOTHING_SURVEYED,
    covers: covered.flatMap(({ covers }) => covers),
    fiscalMonthEnd: monthEndOf(details),
    currency: otherCurrencies.length === 0 ? currency || null : null,
    dimensions: [...columns].map((name) => ({ id: name, name, target: targetOf(name, dimensions) })),
    accounts: surveyedAccounts(
      usedAccounts(details, opened.chart, undefined).sort((a, b) => byCodePoint(a.id, b.id)),
      'no Chart_Of_Accounts states it',
    ),
    statesOpenings: hasBalances,
    comment: hasBalances
      ? 'opening balances: Amount_Beginning of each first period in Trial_Balance'
      : 'no Trial_Balance was added: it would state opening balances and prove the closing ones',
    findings: [...opened.findings, ...details.flatMap(({ rows, findings }) => (rows === 0 ? findings : []))],
  }
}

/** The month in which the fiscal year ends, where the periods of nine of ten lines agree on it. */
function monthEndOf(details: readonly DetailLines[]): number | null {
  const counts = new Map<number, number>()
  for (const { offsets } of details)
    for (const [offset, { count }] of offsets) counts.set(offset, (counts.get(offset) ?? 0) + count)
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const [best] = [...counts].sort(([, a], [, b]) => b - a)
  return best !== undefined && best[1] >= all * 0.9 ? best[0] || 12 : null
}
