/**
 * Reads the Audit Data Standard: GL_Detail with the journal lines, and beside it Chart_Of_Accounts and Trial_Balance.
 * All files of one ledger entry are read together.
 */
import { byCodePoint, type Classification, RESERVED_MEMBER_IDS } from '../../../contract/vocabulary.ts'
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
  type SourceFile,
  type Stated,
  type Survey,
} from '../../format/format.ts'
import {
  type AccountRow,
  basisOfEntry,
  type LedgerPlan,
  type MemberRow,
  nameOf,
} from '../../format/intake.ts'
import { reservedMember } from '../../format/members.ts'
import { copyTable, readRows } from '../../format/records.ts'
import { areOthersRead, besideAmounts, tornRow } from '../../format/unread-rows.ts'
import { undecodable } from '../../text/decode.ts'
import type { Scratch } from '../../text/scan.ts'
import { type AdsBalances, currencyMismatch, readBalances } from './balances.ts'
import { AdsDetail } from './detail.ts'
import { DetailLines, lineForm, type Target, targetOf } from './lines.ts'
import { type AdsTable, cellAt, currenciesOf, rowsOf, tablesOf } from './tables.ts'

export const READER: Reader = { read: readAdsFiles, survey: surveyFiles }

interface Opened {
  readonly tables: readonly AdsTable[]
  readonly accounts: ReadonlyMap<string, ChartAccount>
  readonly findings: Finding[]
}

interface ChartAccount {
  readonly file: string
  readonly row: number
  readonly name: string
  readonly parent: string
  /** By Account_Type and the words beside it; null where these give no kind. */
  readonly rule: Omit<AccountKind, 'by'> | null
}

async function open(sources: readonly SourceFile[]): Promise<Opened> {
  const findings: Finding[] = []
  const tables: AdsTable[] = []
  for (const source of sources) {
    const { file, look, scan } = source
    const found = tablesOf(source)
    if (look.encoding === 'utf-8' && scan.encoding !== 'utf-8' && look.workbook === null)
      findings.push(undecodable(file, 'utf-8', null))
    else if (found.length === 0) findings.push(unknownTable(file))
    else tables.push(...found)
  }
  const accounts = new Map<string, ChartAccount>()
  for (const table of tables.filter(({ kind }) => kind === 'chart'))
    for await (const { row, cells } of rowsOf(table, findings)) {
      const cell = (at: number | null) => cellAt(cells, at)
      const { account, name, accountType, subtype, caption, parent } = table.at
      const words = [cell(subtype), cell(caption), cell(name)].join(' | ')
      accounts.set(cell(account), {
        file: table.file,
        row,
        name: cell(name) || cell(account),
        parent: cell(parent),
        rule: ruleOf(cell(accountType), words),
      })
    }
  accounts.delete('')
  return { tables, accounts, findings }
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

function ruleOf(accountType: string, words: string): ChartAccount['rule'] {
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
  const { tables, accounts, findings } = await open(sources)
  const kind = (id: string) => kindOf(id, company.accounts, accounts.get(id)?.rule ?? null)
  const { details, plans, findings: inDetails } = await readDetails(tables, setting, company, scratch)
  const balances = await Promise.all(
    tables.filter((table) => table.kind === 'balance').map((table) => readBalances(table, company, kind)),
  )
  const used = usedAccounts(details, balances, accounts, kind)
  findings.push(
    ...inDetails,
    ...balances.flatMap((balance) => balance.findings),
    ...claimFormat(
      details.map(({ table: { file }, facts: { others } }) => ({ file, headerRow: 1, values: others })),
      setting,
      company,
    ),
    ...reservedMembers(details),
    ...kindFindings(used, company, { column: 'GL_Account_Number', evidence: 'Account_Type' }),
  )
  const unread = [
    ...details.flatMap((detail) => detail.facts.unread),
    ...balances.flatMap((balance) => balance.unread),
    ...findings
      .filter(({ file }) => tables.some((table) => table.file === file && table.kind !== 'chart'))
      .flatMap((found) => (found.code === 'reserved-id' ? besideAmounts(found) : tornRow(found))),
  ]
  const rowsOf = (file: string) => details.find(({ table }) => table.file === file)?.facts.rows ?? 0
  return {
    ...NO_CONTENT,
    accounts: [...withParents(chartRows(used), accounts), ...unclassifiedRows(findings)],
    classes: memberRows(details, balances, 'class'),
    departments: memberRows(details, balances, 'department'),
    // Without lines that can be read, the books would only report the same mistakes again.
    ledger: areOthersRead(findings, unread) ? plans : [],
    unread,
    openings: balances.flatMap(({ openings }) => openings),
    statesOpenings: balances.length > 0,
    controls: balances.flatMap(({ controls }) => controls),
    sources: tables.map(({ kind, source: { scan, look }, ...table }) => ({
      ...nameOf(table),
      bytes: scan.bytes,
      sha256: scan.sha256,
      encoding: look.workbook === null ? look.encoding : 'xlsx',
      role: kind === 'chart' ? ('chart' as const) : ('ledger' as const),
      rows: kind === 'detail' ? rowsOf(table.file) : null,
      ...(table.shape === null ? {} : { delimiter: table.shape.delimiter }),
    })),
    findings,
  }
}

const detailsIn = (tables: readonly AdsTable[]) => tables.filter(({ kind }) => kind === 'detail')

/** The journal lines of every GL_Detail, written as canonical CSV, and how the books read it. */
async function readDetails(
  tables: readonly AdsTable[],
  setting: LedgerSetting,
  company: Company,
  scratch: Scratch,
): Promise<{
  readonly details: readonly AdsDetail[]
  readonly plans: readonly LedgerPlan[]
  readonly findings: readonly Finding[]
}> {
  const form = { basis: basisOfEntry(setting), ...formOfEntry(setting) }
  const details: AdsDetail[] = []
  const plans: LedgerPlan[] = []
  const findings: Finding[] = []
  for (const table of detailsIn(tables)) {
    const lines = new DetailLines(lineForm(table, company.dimensions))
    const { path, notes } = await copyTable(table, lines, scratch)
    const detail = new AdsDetail(table, lines.facts, notes)
    const plan = detail.plan(path, form, company.currency)
    if (plan !== null) plans.push(plan)
    else if (detail.facts.rows > 0)
      findings.push(currencyMismatch(table.file, currenciesOf(detail.amounts), company.currency))
    findings.push(...detail.findings)
    details.push(detail)
  }
  return { details, plans, findings }
}

/** The accounts that lines and balances name. The chart may hold thousands of others that were never used. */
function usedAccounts(
  details: readonly AdsDetail[],
  balances: readonly AdsBalances[],
  chart: ReadonlyMap<string, ChartAccount>,
  kind: (id: string) => AccountKind | null,
): UsedAccount[] {
  const places = [
    ...details.map(({ table, facts }) => ({ file: table.file, accounts: facts.accounts })),
    ...balances.map(({ file, accounts }) => ({ file, accounts })),
  ]
  const used = new Map<string, UsedAccount>()
  for (const { file, accounts } of places)
    for (const [id, row] of accounts)
      if (!used.has(id))
        used.set(id, { file, row, id, number: id, name: chart.get(id)?.name ?? id, kind: kind(id) })
  for (const id of [...used.keys()])
    for (let up = chart.get(id)?.parent ?? ''; up !== '' && !used.has(up); up = chart.get(up)?.parent ?? '') {
      const parent = chart.get(up)
      if (parent === undefined) break
      used.set(up, {
        file: parent.file,
        row: parent.row,
        id: up,
        number: up,
        name: parent.name,
        kind: kind(up),
      })
    }
  return [...used.values()]
}

/** A parent counts only where the chart holds it and it is of the same classification. */
function withParents(rows: readonly AccountRow[], chart: ReadonlyMap<string, ChartAccount>): AccountRow[] {
  const classOf = new Map(rows.map(({ id, classification }) => [id, classification]))
  return rows.map((row) => {
    const parent = chart.get(row.id)?.parent ?? ''
    const isKin = parent !== row.id && classOf.get(parent) === row.classification
    return { ...row, parentId: isKin ? parent : null }
  })
}

/** The members that lines name, and those that only a balance names. */
function memberRows(
  details: readonly AdsDetail[],
  balances: readonly AdsBalances[],
  target: Target,
): MemberRow[] {
  const rows = [
    ...details.flatMap(({ table: { file }, facts: { members } }) =>
      [...members[target]]
        .filter(([id]) => !RESERVED_MEMBER_IDS.has(id))
        .map(([id, row]) => ({ file, row, id })),
    ),
    ...balances.flatMap(({ openings, controls }) =>
      [...openings, ...controls].flatMap(({ file, row, [target]: id }) =>
        id === null ? [] : [{ file, row, id }],
      ),
    ),
  ]
  return [...new Map(rows.reverse().map((row) => [row.id, row])).values()].map((row) => ({
    ...row,
    name: row.id,
    parentId: null,
    isActive: true,
  }))
}

const reservedMembers = (details: readonly AdsDetail[]): Finding[] =>
  details.flatMap(({ table: { file }, facts: { members } }) =>
    (['class', 'department'] as const).flatMap((target) =>
      [...members[target]]
        .filter(([id]) => RESERVED_MEMBER_IDS.has(id))
        .map(([id, row]) =>
          reservedMember(
            target,
            id,
            { file, row },
            'give the code another name before exporting, or map its column to none under "dimensions"',
          ),
        ),
    ),
  )

/** The lines of the first period show when the year begins; the chart gives the kinds of accounts. */
async function surveyFiles(sources: readonly SourceFile[], stated: Stated): Promise<Survey> {
  const { tables, accounts, findings } = await open(sources)
  const { dimensions } = stated
  const details: AdsDetail[] = []
  const covered: CoveredLines[] = []
  for (const table of detailsIn(tables)) {
    covered.push(new CoveredLines())
    const lines = new DetailLines(lineForm(table, dimensions), covered.at(-1))
    const notes = await readRows(table, lines)
    details.push(new AdsDetail(table, lines.facts, notes))
  }
  const kind = (id: string) => kindOf(id, undefined, accounts.get(id)?.rule ?? null)
  const [currency = '', ...otherCurrencies] = new Set(
    details.flatMap(({ amounts }) => amounts.slice(0, 1).flatMap(({ currencies }) => [...currencies])),
  )
  const columns = new Set(details.flatMap(({ table }) => table.dimensions.map(({ name }) => name)))
  return {
    ...NOTHING_SURVEYED,
    covers: covered.flatMap(({ covers }) => covers),
    fiscalMonthEnd: monthEndOf(details),
    currency: otherCurrencies.length === 0 ? currency || null : null,
    dimensions: [...columns].map((name) => ({ id: name, name, target: targetOf(name, dimensions) })),
    accounts: usedAccounts(details, [], accounts, kind)
      .map(({ id, name, kind }) => ({
        id,
        name,
        kind,
        doubt: kind === null ? 'kind unknown: no Chart_Of_Accounts states it' : null,
      }))
      .sort((a, b) => byCodePoint(a.id, b.id)),
    statesOpenings: tables.some((table) => table.kind === 'balance'),
    comment: tables.some((table) => table.kind === 'balance')
      ? 'opening balances: Amount_Beginning of each first period in Trial_Balance'
      : 'no Trial_Balance was added: it would state opening balances and prove the closing ones',
    findings: [...findings, ...details.flatMap((detail) => (detail.facts.rows === 0 ? detail.findings : []))],
  }
}

/** The month in which the fiscal year ends, where the periods of nine of ten lines agree on it. */
function monthEndOf(details: readonly AdsDetail[]): number | null {
  const counts = new Map<number, number>()
  for (const {
    facts: { offsets },
  } of details)
    for (const [offset, { count }] of offsets) counts.set(offset, (counts.get(offset) ?? 0) + count)
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const [best] = [...counts].sort(([, a], [, b]) => b - a)
  return best !== undefined && best[1] >= all * 0.9 ? best[0] || 12 : null
}
