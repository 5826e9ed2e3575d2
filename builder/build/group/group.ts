/**
 * Reads the source of a group: the published snapshots of its members, as lines of a ledger in the accounts of the group's chart, each
 * in the class of its member. Owns mapping, elimination and the months that a group covers. Must not compose statements: the books and
 * everything after them treat a group as any other company.
 */

import { fiscalYearsBetween } from '../../books/reference/fiscal.ts'
import { currencyDecimals } from '../../contract/currency.ts'
import { type DatabaseOptions, foldersOf, openDatabase } from '../../database/database.ts'
import { type FormatContent, joinContent, NO_CONTENT } from '../../ingest/format/content.ts'
import type { AccountRow, MemberRow } from '../../ingest/format/intake.ts'
import type { Scratch } from '../../ingest/text/scan.ts'
import { MEMBER_FORMAT } from '../../snapshot/files/input-state.ts'
import type { Company } from '../../workspace/company.ts'
import { error, type Finding, hasErrors, warning } from '../../workspace/findings/finding.ts'
import { ELIMINATIONS, type Group, type Translation } from '../../workspace/group.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import { mapAccounts } from './accounts.ts'
import { mapDepartments } from './departments.ts'
import { accountsOf, createPaired, eliminate, readPairs } from './intercompany.ts'
import { addInterests, interestsMetric } from './interests.ts'
import { join, leave } from './joining.ts'
import { contentOf, createLines, createSums, usedAccounts } from './lines.ts'
import {
  booksPath,
  type Member,
  membersIn,
  type OpenMember,
  openMembers,
  POSTINGS,
  type Span,
  settingPlace,
} from './members.ts'
import { createKinds, standIns, withOwnAccounts } from './own-accounts.ts'
import { budgetsOf, lackingBudgets, metricsOf } from './plans.ts'
import { readRates } from './rates.ts'
import type { Rounding } from './stated.ts'
import { translate } from './translation.ts'

/** Where the sources of a group lie. */
export interface GroupPlace {
  /** The folder of the group's settings and tables. */
  readonly folder: string
  /** Opens the snapshots of the members. */
  readonly open: OpenMember
  readonly resources: DatabaseOptions
  readonly rounding: Rounding
}

/** Reads what the members have published. Problems of the input are findings. The ledger is empty where one of them is an error. */
export async function readGroup(
  company: Company,
  group: Group,
  { folder, open, resources, rounding }: GroupPlace,
  chart: readonly AccountRow[],
  scratch: Scratch,
): Promise<FormatContent> {
  const opened = await openMembers(open, group)
  const common = commonSpan(company, opened.members)
  const departments = await mapDepartments(folder, company, opened.members)
  const members = common.span === null ? [] : membersIn(opened.members, common.span, departments.maps)
  const pairs = await readPairs(folder, group, members)
  const findings = [
    ...opened.findings,
    ...pairs.findings,
    ...departments.content.findings,
    ...(opened.findings.length === 0 ? common.findings : []),
  ]
  const named = joinContent([
    { ...departments.content, findings: [] },
    {
      ...NO_CONTENT,
      classes: classesOf(opened.members),
      statesOpenings: true,
      sources: [...members.map(sourceOf), ...pairs.sources],
      findings,
    },
  ])
  if (hasErrors(findings) || common.span === null) return named
  const { span } = common
  const rates = await readRates(folder, group, company, members)
  const accounts = withOwnAccounts(chart, group, members, company.currency)
  const frame = { span, decimals: currencyDecimals(company.currency), chart: accounts }
  const folders = foldersOf([...members.map(booksPath), await scratch.file()])
  const db = await openDatabase({ ...resources, folders })
  try {
    await createKinds(db, accounts)
    const used = await Promise.all(members.map((member) => usedAccounts(db, member, company)))
    const mapped = await mapAccounts(folder, group, members, used, accounts)
    const beside = {
      ...NO_CONTENT,
      accounts: accounts.filter((account) => !chart.includes(account)),
      sources: [...mapped.sources, ...rates.sources],
      findings: [...mapped.findings, ...rates.findings, ...lackingBudgets(members, company)],
    }
    if (hasErrors(beside.findings)) return joinContent([named, beside])
    const read: FormatContent[] = []
    const translations: Translation[] = []
    for (const [i, member] of members.entries()) {
      const map = new Map([...standIns(accounts), ...(mapped.maps[i] ?? [])])
      await createLines(db, i, member, map)
      const own = rates.of.get(member.id)
      const translated = own && (await translate(db, i, member, own, rounding, scratch))
      if (!translated) await createSums(db, i)
      else translations.push(translated.translation)
      const findings = [...(translated?.findings ?? []), ...(await addInterests(db, i, member))]
      const planned = await budgetsOf(db, i, member, own ?? null, company, accounts)
      await createPaired(db, i)
      const { days, setting } = member
      if (days.from > span.from) await join(db, i, days.from)
      if (days.until === setting.to) await leave(db, i, days.until)
      read.push({
        ...(await contentOf(db, i, member, map, translated?.stated ?? null, frame, scratch)),
        ...(await interestsMetric(db, i, member, company)),
        budgets: planned.budgets,
        findings: [...findings, ...planned.findings],
      })
    }
    read.push(await metricsOf(members, company))
    read.push(await eliminate(db, pairs.pairs, mapped.maps, frame, scratch))
    return {
      ...joinContent([named, beside, ...read]),
      consolidation: {
        members: opened.members.map(({ id }) => id),
        pairs: pairs.pairs.flatMap((pair) => accountsOf(pair, mapped.maps)),
        translations,
      },
    }
  } finally {
    db.close()
  }
}

/** The months that every member has published, from the beginning of a fiscal year of the group. */
export function commonSpan(
  company: Pick<Company, 'fiscalYears' | 'fiscalMonthEnd'>,
  members: readonly Member[],
): { readonly span: Span | null; readonly findings: readonly Finding[] } {
  // Of a member that joins, what it published before is its own; of one that leaves, what it publishes after.
  const starts = members.flatMap(({ frame, setting }) => (setting.from ? [] : [frame.coverage.startDate]))
  const joinings = members.flatMap(({ setting }) => setting.from ?? [])
  const latest = starts.sort().at(-1) ?? joinings.sort()[0] ?? ''
  const staying = members.filter(({ frame, setting }) => !setting.to || frame.coverage.endDate < setting.to)
  const ends = (staying.length > 0 ? staying : members).map(({ frame }) => frame.coverage.endDate).sort()
  const [until = '', last = ''] = [ends[0], ends.at(-1)]
  const years =
    members.length > 0 && latest <= until
      ? fiscalYearsBetween(latest, until, company.fiscalYears ?? [], company.fiscalMonthEnd)
      : []
  const from = years.find(({ start }) => start >= latest && start <= until)?.start
  if (from === undefined)
    return {
      span: null,
      findings: [
        error(
          'group-no-common-months',
          `no fiscal year of the group begins in months that every member has published: ${members
            .map(({ id, frame: { coverage } }) => `${id} ${coverage.startDate} to ${coverage.endDate}`)
            .join(', ')}`,
          { file: COMPANY_FILE, column: 'group.members', remedy: 'publish more months of the members' },
        ),
      ],
    }
  return {
    span: { from, until },
    findings: staying
      .filter(({ frame }) => frame.coverage.endDate < last)
      .map(({ id, at, frame }) =>
        warning(
          'group-member-lags',
          `${id} is published through ${frame.coverage.endDate}, others through ${last}: the group ends where it does`,
          { ...settingPlace({ at }), remedy: `build ${id} with its latest months, and then the group` },
        ),
      ),
  }
}

const classesOf = (members: readonly Member[]): MemberRow[] => [
  ...members.map(({ id, frame, file }) => ({
    ...{ id, name: frame.name, parentId: null, isActive: true, file, row: 1 },
  })),
  {
    ...{ id: ELIMINATIONS, name: 'Eliminations', parentId: null, isActive: true },
    ...{ file: COMPANY_FILE, row: 1 },
  },
]

const sourceOf = ({ file, snapshot }: Member): FormatContent['sources'][number] => ({
  file,
  format: MEMBER_FORMAT,
  bytes: snapshot.files.get(POSTINGS)?.Bytes ?? 0,
  sha256: null,
  etag: snapshot.manifestHash,
  encoding: 'parquet',
  role: 'ledger',
  rows: null,
})
