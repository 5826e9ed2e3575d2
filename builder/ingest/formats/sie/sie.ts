/**
 * SIE 4, the Swedish exchange format: the files of one ledger entry, one per fiscal year, as the parts of the
 * intake that SIE fills: records (parse.ts), accounts, dimensions, vouchers and figures, each in the file of that
 * name. Owns this format. Must not import another one.
 */

import { currencyDecimals, displayMinor, formatInteger, isCurrency } from '../../../contract/currency.ts'
import { byCodePoint } from '../../../contract/vocabulary.ts'
import type { Company, LedgerSetting } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/finding.ts'
import { readFile } from '../../../workspace/plain-file.ts'
import { type AccountKind, unclassifiedRows } from '../../format/account-kinds.ts'
import { type Carried, NOTHING_CARRIED } from '../../format/content.ts'
import {
  type Format,
  NOTHING_SURVEYED,
  type SourceFile,
  type Stated,
  type Survey,
} from '../../format/format.ts'
import type { AccountRow, Intake, LedgerRow, LedgerRows } from '../../format/intake.ts'
import { RowFile } from '../../format/row-file.ts'
import { decodeText } from '../../text/decode.ts'
import type { Scratch } from '../../text/scan.ts'
import { classifyAccounts } from './accounts.ts'
import {
  accountFindings,
  type FirstUses,
  firstUses,
  hasUnreadBalances,
  history,
  isType4,
  sameCompany,
  statesBalances,
  suitability,
  unknownYears,
} from './checks.ts'
import { continuity } from './continuity.ts'
import { Dimensions } from './dimensions.ts'
import {
  budgetRows,
  controls,
  controlsOfOther,
  monthsAsPostings,
  openings,
  priorResults,
  type Reading,
} from './figures.ts'
import { balancesOnly, withoutNobody } from './objects.ts'
import { looksLikeSie, parseSie } from './parse.ts'
import type { SieFile } from './records.ts'
import { statedOnce } from './stated.ts'
import { readVouchers, seriesFindings, voucherIds } from './vouchers.ts'
import { budgetYear, calendar } from './years.ts'

export const SIE: Format = {
  id: 'sie',
  name: 'SIE 4',
  knownBy: '#FLAGGA, #SIETYP 4',
  place: { folder: 'ledger/', extension: 'se' },
  looksLike: ({ head }) => looksLikeSie(head),
  read: readFiles,
  survey: surveyFiles,
}

export interface SieSource {
  /** Path relative to the company's folder. */
  readonly file: string
  readonly bytes: Buffer
}

export interface SieIntake
  extends Pick<
    Intake,
    | 'accounts'
    | 'classes'
    | 'departments'
    | 'fiscalYears'
    | 'openings'
    | 'statesOpenings'
    | 'priorResults'
    | 'controls'
    | 'budgets'
    | 'closingAccounts'
    | 'unread'
    | 'findings'
  > {
  /** One per file that has vouchers; the months of a prior year stand with the file that states them. */
  readonly ledger: readonly LedgerRows[]
  readonly files: readonly { readonly file: string; readonly encoding: string; readonly rows: number }[]
}

/** The accounts of the BAS chart into which programs book the year's result when they close it: 8990 to 8999. */
const CLOSING_ACCOUNT = /^899\d/

/** Reads all files of one ledger entry together. Nothing in them throws: what is wrong is in `findings`. */
/** Where the rows of each file go: by default they are kept in memory. */
export type RowSink = (file: string, row: LedgerRow) => void

export function readSie(
  sources: readonly SieSource[],
  setting: LedgerSetting,
  company: Company,
  sink?: RowSink,
): SieIntake {
  const decimals = currencyDecimals(company.currency)
  const money = (minor: number) => formatInteger(String(minor), decimals)
  const shown = (minor: number) => displayMinor(minor, decimals)
  // Lists of findings, joined at the end: a broken file may have more of them than a call takes arguments.
  const findings: Finding[][] = []

  const decoded = sources.map(({ file, bytes }) => {
    const { text, encoding, undecodableLine } = decodeText(bytes, setting.encoding, 'cp437')
    if (undecodableLine !== null)
      findings.push([
        error('undecodable-text', `this is no text in the encoding ${encoding}`, {
          file,
          row: undecodableLine,
          remedy: 'state the encoding of the file in company.yaml, or leave it out to have it detected',
        }),
      ])
    const { sie, findings: repeated } = statedOnce(withoutNobody(parseSie(file, text, decimals)), shown)
    findings.push(repeated)
    return { encoding, sie }
  })
  const all = decoded.map(({ sie }) => sie)
  findings.push(...all.map((file) => [...file.findings]), ...all.map((file) => suitability(file, company)))

  const usable = all.filter(isType4).sort((a, b) => byCodePoint(a.years.get(0)!.start, b.years.get(0)!.start))
  findings.push(sameCompany(usable), unknownYears(usable))
  const { years, others, findings: calendarFindings } = calendar(usable)
  findings.push([...calendarFindings])

  const kinds = classifyAccounts(usable, company.accounts)
  const uses = firstUses(usable)
  const unused = balancesOnly(usable)
  const dimensions = new Dimensions(usable, company.dimensions, unused)
  const reading: Reading = {
    dimensions,
    money,
    shown,
    classificationOf: (account) => kinds.get(account)?.classification ?? null,
  }

  const active = years.filter(
    ({ file, index }) => index === 0 && file.vouchers.some(({ lineCount }) => lineCount > 0),
  )
  const first = active[0]
  const prior = first === undefined ? undefined : years[years.indexOf(first) - 1]
  const psaldo = setting.priorYear === 'psaldo' && prior !== undefined ? prior : null
  if (setting.priorYear === 'psaldo' && first !== undefined && prior === undefined)
    findings.push([
      error('prior-year', `no file states the year before ${first.start}`, {
        file: first.file.file,
        column: '#RAR',
        remedy: 'remove "priorYear: psaldo" from company.yaml',
      }),
    ])

  const covered = psaldo === null ? active : [psaldo, ...active]
  const ids = voucherIds(active.map((year) => ({ file: year.file, year })))
  const posted = new Set<string>()
  const ledger = [...new Set(covered.map(({ file }) => file))].map((file): LedgerRows => {
    const rows: LedgerRow[] = []
    const emit = (row: LedgerRow) => {
      posted.add(row.account!)
      if (sink === undefined) rows.push(row)
      else sink(file.file, row)
    }
    for (const year of covered.filter((each) => each.file === file)) {
      if (year === psaldo) {
        const months = monthsAsPostings(year, reading)
        months.rows.forEach(emit)
        findings.push(months.findings)
      } else findings.push(readVouchers(year.file, year, ids, dimensions, shown, emit))
    }
    return {
      kind: 'rows',
      file: file.file,
      basis: setting.basis === 'cash' ? 'CASH' : 'ACCRUAL',
      dateFormat: 'YYYY-MM-DD',
      decimal: '.',
      thousands: '',
      rows,
    }
  })

  const opened = covered.map((year) => openings(year, reading))
  const budgetYears = years.map((year) => budgetYear(year, others, shown))
  const budgeted = budgetYears.map(({ year }) => budgetRows(year, reading))
  findings.push(
    ...opened.map((part) => part.findings),
    ...[...budgetYears, ...budgeted].map((part) => [...part.findings]),
  )
  const beforeFirst = covered[0] === undefined ? undefined : years[years.indexOf(covered[0]) - 1]

  const budget = budgeted.flatMap((part) => part.rows)
  const closingAccounts =
    company.closing?.accounts === undefined ? [...kinds.keys()].filter((id) => CLOSING_ACCOUNT.test(id)) : []
  const stated = company.closing?.accounts ?? closingAccounts
  const intake = {
    accounts: accountRows(usable, kinds, uses),
    classes: dimensions.members('class'),
    departments: dimensions.members('department'),
    fiscalYears: years.map(({ start, end }) => ({ start, end })),
    ledger,
    openings: opened.flatMap((part) => part.rows),
    statesOpenings: covered.some(({ file }) => statesOpenings(file)),
    priorResults: beforeFirst === undefined ? [] : priorResults(beforeFirst),
    controls: [
      ...covered.flatMap((year) => controls(year, reading)),
      ...others
        .filter(({ start }) => covered.some((year) => year.start === start))
        .flatMap((year) => controlsOfOther(year, reading, stated)),
    ],
    budgets: budget.length === 0 ? [] : [{ id: 'budget', name: 'Budget', rows: budget }],
    closingAccounts,
    unread: all.flatMap(({ unread }) => unread),
  }
  const unknown = accountFindings(usable, kinds, uses, company, { ...intake, posted })
  findings.push(
    unknown,
    dimensions.findings,
    dimensions.unmapped(shown),
    ...usable.map((file) => continuity(file, reading)),
    ...usable.map(history),
    ...usable.map(seriesFindings),
  )
  return {
    ...intake,
    accounts: [...intake.accounts, ...unclassifiedRows(unknown)],
    files: decoded.map(({ encoding, sie }) => ({
      file: sie.file,
      encoding,
      rows: sie.vouchers.reduce((sum, { lineCount }) => sum + lineCount, 0),
    })),
    findings: findings.flat(),
  }
}

const statesOpenings = (file: SieFile): boolean => statesBalances(file) || hasUnreadBalances(file)

/** The text of all files is in memory at once, their vouchers beside it: 80 MB of them take less than 2 GB. The largest real files have some 50 MB. */
const BYTE_LIMIT = 80 * 1024 ** 2

const tooLarge = (file: string, size: number): Finding =>
  error('file-too-large', `the SIE files are ${size} bytes; up to ${BYTE_LIMIT} are read together`, {
    file,
    remedy: 'export one file per fiscal year, and keep only the years that are needed in one entry',
  })

/** What a SIE line can say. */
const COLUMNS = [
  'transaction_id',
  'date',
  'account',
  'amount',
  'class',
  'department',
  'memo',
  'reference',
  'line_id',
  'journal',
] as const

const bytesOf = (sources: readonly SourceFile[]): Promise<SieSource[]> =>
  Promise.all(sources.map(async ({ file, path }) => ({ file, bytes: await readFile(path) })))

async function readFiles(
  sources: readonly SourceFile[],
  setting: LedgerSetting,
  company: Company,
  scratch: Scratch,
): Promise<Carried> {
  const size = sources.reduce((sum, { scan }) => sum + scan.bytes, 0)
  if (size > BYTE_LIMIT) return { ...NOTHING_CARRIED, findings: [tooLarge(sources[0]!.file, size)] }
  const rows = new Map<string, RowFile>()
  for (const { file } of sources) rows.set(file, new RowFile(await scratch.file(), COLUMNS))
  const { files, ...intake } = readSie(await bytesOf(sources), setting, company, (file, row) =>
    rows.get(file)!.add(row),
  )
  for (const file of rows.values()) file.close()
  return {
    ...NOTHING_CARRIED,
    ...intake,
    ledger: intake.ledger.map(({ rows: _, ...input }) => rows.get(input.file)!.planOf(input)),
    sources: sources.map(({ file, scan }) => {
      const { encoding, rows } = files.find((read) => read.file === file)!
      return { file, bytes: scan.bytes, sha256: scan.sha256, encoding, role: 'ledger', rows }
    }),
  }
}

/** What SIE does not say outright is written out, so that an accountant can read and correct it. */
async function surveyFiles(sources: readonly SourceFile[], stated: Stated): Promise<Survey> {
  // Only names and kinds are read here. Amounts are judged by the build, which knows the currency.
  const files = (await bytesOf(sources)).map(({ file, bytes }) =>
    parseSie(file, decodeText(bytes, undefined, 'cp437').text, 2),
  )
  const findings = files.flatMap((file) =>
    suitability(file, {
      currency: file.currency,
      ...(stated.opening === 'none' ? { opening: { none: true } } : {}),
    }).filter(({ severity }) => severity === 'error'),
  )
  if (findings.length > 0) return { ...NOTHING_SURVEYED, findings }
  const years = files.map((file) => ({ file, ...file.years.get(0)! }))
  const latest = [...years].sort((a, b) => byCodePoint(a.end, b.end)).at(-1)!
  const uses = firstUses(files)
  const names = new Map(files.flatMap(({ accounts }) => [...accounts].map(([id, { name }]) => [id, name])))
  const kinds = [...classifyAccounts(files, undefined)].sort(([a], [b]) => byCodePoint(a, b))
  return {
    ...NOTHING_SURVEYED,
    name: latest.file.name,
    fiscalMonthEnd: Number(latest.end.slice(5, 7)),
    currency: isCurrency(latest.file.currency) ? latest.file.currency : null,
    covers: years.map(({ start, end }) => ({ start, end, holds: null })),
    years: files.flatMap((file) => [...file.years.values()]),
    dimensions: new Dimensions(
      files.map(withoutNobody),
      stated.dimensions as Company['dimensions'],
      balancesOnly(files),
    ).list(),
    accounts: kinds.flatMap(([id, kind]) =>
      kind === null && !uses.has(id)
        ? []
        : [
            {
              id,
              name: names.get(id) ?? id,
              kind,
              doubt:
                kind === null
                  ? 'nothing in the file says what it is'
                  : kind.by === 'guess'
                    ? 'assumed, please check'
                    : null,
            },
          ],
    ),
    statesOpenings: files.some(statesOpenings),
    comment: 'priorYear: psaldo would read the months of the year before, where they are complete',
  }
}

/** The chart: the latest name wins; accounts of unknown kind are left out (and reported where they are used). */
function accountRows(
  files: readonly SieFile[],
  kinds: ReadonlyMap<string, AccountKind | null>,
  uses: FirstUses,
): AccountRow[] {
  return [...kinds].flatMap(([id, kind]) => {
    if (kind === null) return []
    const file = files.findLast(({ accounts }) => accounts.has(id)) ?? uses.get(id)!.file
    const declared = file.accounts.get(id)
    return [
      {
        file: file.file,
        row: declared?.line ?? uses.get(id)!.line,
        id,
        number: id,
        name: declared?.name ?? id,
        classification: kind.classification,
        type: kind.type,
        parentId: null,
        cashFlow: kind.cashFlow,
        isActive: true,
      },
    ]
  })
}
