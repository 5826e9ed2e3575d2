/** Proposes the settings of a group from what its members have published: chart, maps of accounts, and a table of rates to fill in. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Account, accountLabel } from '../books/reference/frame.ts'
import { monthOf, monthText } from '../contract/calendar.ts'
import { listed } from '../contract/listed.ts'
import { type AddResult, NOTHING } from '../ingest/add/add.ts'
import { inWords } from '../ingest/add/settings.ts'
import {
  assumedIn,
  idFindings,
  openQuestions,
  type StatedSettings,
  writeStated,
} from '../ingest/add/stated.ts'
import { csvRow } from '../ingest/format/records.ts'
import { COLUMNS, REQUIRED } from '../ingest/tables/header.ts'
import { openLocation } from '../snapshot/places/open.ts'
import { replaceFile } from '../system/durable.ts'
import { type Assumed, CompanyEdit } from '../workspace/company-edit.ts'
import { error } from '../workspace/findings/finding.ts'
import { COMPANY_FILE, datasetFolder, type Workspace } from '../workspace/workspace.ts'
import { accountFinder } from './group/accounts.ts'
import { commonSpan } from './group/group.ts'
import { currentBelow, type Member, openMembers } from './group/members.ts'

const CHART = 'chart.csv'
const RATES = 'rates.csv'
const MOST_NAMED = 6

/** Writes a new group of these companies, or nothing where a finding is an error. */
export async function addGroup(
  workspace: Workspace,
  companyId: string,
  ids: readonly string[],
  stated: StatedSettings,
): Promise<AddResult> {
  const nothing = (findings: AddResult['findings']): AddResult => ({ companyId, ...NOTHING, findings })
  const wrongId = [companyId, ...ids].flatMap(idFindings)
  if (wrongId.length > 0) return nothing(wrongId)
  const folder = datasetFolder(workspace, companyId)
  const names = [...new Set(ids)]
  const group = { members: names.map((company) => ({ company })) }
  const { members, findings } = await openMembers(
    currentBelow(await (await openLocation(workspace)).read(names, 'latest')),
    group,
  )
  const edit = new CompanyEdit(null)
  if (findings.length === 0) describe(edit, companyId, members, stated)
  const fiscalMonthEnd = Number(edit.get('fiscalMonthEnd'))
  const common = findings.length === 0 ? commonSpan({ fiscalMonthEnd }, members) : null
  if (common === null || common.span === null) return nothing([...findings, ...(common?.findings ?? [])])

  const { chart, maps, added } = proposeAccounts(members)
  const files = new Map([[CHART, csvOf(COLUMNS.chart, chart.map(chartRow))]])
  const changes = [
    `${CHART}: ${chart.length} accounts of ${members.map(({ id }) => id).join(', ')}, please check`,
  ]
  const entries = members.map(({ id }, i) => {
    const [map = [], own = []] = [maps[i], added[i]]
    if (i > 0 && own.length > 0)
      changes.push(`${CHART}: of ${id} alone are ${listed(own.map(accountLabel), MOST_NAMED)}`)
    if (map.length === 0) return `    - { company: ${id} }\n`
    const file = `${id}-accounts.csv`
    files.set(
      file,
      csvOf(
        COLUMNS.mapping,
        map.map(({ from, to }) => [from.id, to.id]),
      ),
    )
    const renamed = map.filter(({ from, to }) => !isCalledAlike(from, to))
    const pairs = renamed.map(({ from, to }) => `${accountLabel(from)} is ${accountLabel(to)}`)
    const check = pairs.length > 0 ? `, please check: ${listed(pairs, MOST_NAMED)}` : ''
    changes.push(`${file}: ${map.length} accounts${check}`)
    return `    - { company: ${id}, accounts: ${file} }\n`
  })
  const currency = String(edit.get('currency'))
  const foreign = [...new Set(members.map(({ frame }) => frame.currency))].filter((code) => code !== currency)
  const { from, until } = common.span
  if (foreign.length > 0) {
    files.set(RATES, ratesOf(foreign, currency, monthOf(from), monthOf(until)))
    changes.push(
      `${RATES}: fill in the rates of ${foreign.join(', ')}, ${monthText(monthOf(from) - 1)} to ${monthText(monthOf(until))}`,
    )
  }
  const rates = foreign.length > 0 ? `  rates: ${RATES}\n` : ''
  const text = `${edit.toString()}group:\n  members:\n${entries.join('')}${rates}`
  files.set(COMPANY_FILE, text)
  const there = [...files.keys()].filter((file) => existsSync(join(folder, file)))
  if (there.length > 0)
    return nothing(
      there.map((file) =>
        error('file-exists', 'is there already: a group is proposed in a new folder only', {
          ...{ file, remedy: 'write further members into company.yaml, or move the file away' },
        }),
      ),
    )
  mkdirSync(folder, { recursive: true })
  for (const [file, content] of files) replaceFile(join(folder, file), content)
  return {
    ...{ companyId, ...NOTHING, companyFile: 'created', changes, findings: [] },
    ...{ ...openQuestions(workspace, companyId), assumed: assumedIn(text, '') },
  }
}

function describe(edit: CompanyEdit, id: string, members: readonly Member[], stated: StatedSettings): void {
  const common = <Key extends 'fiscalMonthEnd' | 'currency'>(key: Key, about: string): void => {
    const [first, ...others] = members.map(({ frame }) => frame[key])
    const isOfAll = others.every((value) => value === first)
    const assumed: Assumed | null =
      first === undefined ? null : { value: first, why: `as ${members[0]?.id} has it` }
    edit.answer(key, isOfAll ? (first ?? null) : null, about, assumed)
  }
  edit.answer('id', id, 'names the folder, the snapshots and the URLs')
  edit.answer('name', null, 'as reports show it', { value: inWords(id), why: "by the company's id" })
  common('fiscalMonthEnd', 'last month of the fiscal year, 1 to 12')
  common('currency', 'ISO 4217 code of the amounts, such as USD, EUR or SEK')
  edit.answer('chartOfAccounts', CHART, `columns ${COLUMNS.chart.join(', ')}`)
  writeStated(stated, edit)
}

const isCalledAlike = (a: Account, b: Account): boolean => a.name.toLowerCase() === b.name.toLowerCase()

type Pair = { readonly from: Account; readonly to: Account }

/**
 * The union of the charts: accounts of one number, in charts that number alike, else of one name, are one where classification and type are too; those
 * that a member brings stay below their own parents. `maps` has the
 * accounts that a build would find otherwise, or that are called otherwise; `added` those that a member brings. Both are by member.
 */
export function proposeAccounts(members: readonly Pick<Member, 'id' | 'frame'>[]): {
  readonly chart: readonly Account[]
  readonly maps: readonly (readonly Pair[])[]
  readonly added: readonly (readonly Account[])[]
} {
  const chart: Account[] = []
  const pairs: Pair[][] = []
  const added: Account[][] = []
  for (const { id, frame } of members) {
    const created: Pair[] = []
    const taken = new Set(chart.flatMap((account) => [account.id, account.number]))
    const to = new Map<string, Account>()
    const alikeTo = (from: Account) =>
      chart.filter(
        (each) =>
          each.classification === from.classification &&
          each.type === from.type &&
          each.isHeader === from.isHeader,
      )
    const numbered = (from: Account) =>
      alikeTo(from).find(({ number }) => number !== '' && number === from.number)
    // Two charts number alike where most of the numbers that both have are called alike, which those of two countries are not.
    const shared = frame.accounts.flatMap((from) => {
      const same = from.isHeader ? undefined : numbered(from)
      return same === undefined ? [] : [isCalledAlike(same, from)]
    })
    const isNumberedAlike = shared.filter(Boolean).length * 2 >= shared.length
    for (const from of frame.accounts) {
      const named = alikeTo(from).find((each) => each.name !== '' && isCalledAlike(each, from))
      const same = isNumberedAlike ? (numbered(from) ?? named) : named
      if (same !== undefined) {
        to.set(from.id, same)
        continue
      }
      const number = taken.has(from.number) ? '' : from.number
      const account = { ...from, number, id: taken.has(from.id) ? `${id}-${from.id}` : from.id }
      created.push({ from, to: account })
      to.set(from.id, account)
    }
    // A header whose accounts are all those of other members has nothing to group.
    const above = new Set<string | null>()
    const parents = new Map(frame.accounts.map((each) => [each.id, each.parentId]))
    for (const { from } of created)
      for (
        let up = from.isHeader ? null : from.parentId;
        up != null && !above.has(up);
        up = parents.get(up) ?? null
      )
        above.add(up)
    for (const { from, to: account } of created)
      if (!from.isHeader || above.has(from.id))
        chart.push({ ...account, parentId: to.get(from.parentId ?? '')?.id ?? null })
    const own = frame.accounts.filter(({ isHeader }) => !isHeader)
    pairs.push(own.flatMap((from) => [to.get(from.id)].flatMap((each) => (each ? [{ from, to: each }] : []))))
    added.push(created.flatMap(({ from }) => (from.isHeader ? [] : from)))
  }
  const found = accountFinder(chart)
  const isToSay = ({ from, to }: Pair) => found(from) !== to.id || !isCalledAlike(from, to)
  return { chart, maps: pairs.map((of) => of.filter(isToSay)), added }
}

const csvOf = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, ...rows].map(csvRow).join('')

const chartRow = ({ id, parentId, cashFlow, isActive, ...account }: Account): string[] => [
  ...[id, account.number, account.name, account.classification, account.type],
  ...[parentId ?? '', cashFlow ?? '', String(isActive)],
]

/** A table with a row for each currency and month, without rates. Of the month before the first, only the closing rate is needed. */
const ratesOf = (foreign: readonly string[], currency: string, first: number, last: number): string =>
  [
    ...foreign.map((code) => `1 ${code} = x ${currency}\n`),
    csvRow(REQUIRED.rates),
    ...foreign.flatMap((code) =>
      Array.from({ length: last - first + 2 }, (_, i) => csvRow([code, monthText(first - 1 + i), '', ''])),
    ),
  ].join('')
