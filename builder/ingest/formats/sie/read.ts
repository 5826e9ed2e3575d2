/**
 * Reads SIE 4: the files of one ledger entry, one per fiscal year, as the parts of the intake that SIE fills: records
 * (parse.ts), accounts, dimensions, vouchers and figures, each in the file of that name.
 */

import { Readable } from 'node:stream'
import { currencyDecimals, displayMinor, formatInteger, isCurrency } from '../../../contract/currency.ts'
import { present } from '../../../contract/present.ts'
import { byCodePoint } from '../../../contract/vocabulary.ts'
import type { Company, LedgerSetting } from '../../../workspace/company.ts'
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import { claimFormat } from '../../claims/claim-format.ts'
import {
  type AccountKind,
  chartRows,
  type UsedAccount,
  unclassifiedRows,
} from '../../format/account-kinds.ts'
import { type FormatContent, NO_CONTENT } from '../../format/content.ts'
import type { WholeFile } from '../../format/entry-names.ts'
import {
  NOTHING_SURVEYED,
  type Reader,
  recordOf,
  type SourceFile,
  type Stated,
  type Survey,
} from '../../format/format.ts'
import { basisOfEntry, type Intake, type LedgerPlan } from '../../format/intake.ts'
import { ofOneCompany } from '../../format/one-company.ts'
import { type Encoding, undecodable } from '../../text/decode.ts'
import type { Scratch } from '../../text/scan.ts'
import { classifyAccounts, declarationOf } from './accounts.ts'
import { budgetRows } from './budgets.ts'
import {
  accountFindings,
  continuity,
  type FirstUses,
  firstUses,
  history,
  statesOpenings,
  suitability,
  unknownYears,
} from './checks.ts'
import { HEADER, planOf } from './csv.ts'
import { Dimensions } from './dimensions.ts'
import {
  controls,
  controlsOfOther,
  monthsAsPostings,
  openingOf,
  openings,
  priorResults,
  type Reading,
} from './figures.ts'
import type { SieFile } from './records.ts'
import { balancesOnly, type Shown, statedOnce, withoutNobody } from './stated.ts'
import { type ReadFile, readTexts } from './texts.ts'
import { givenIds, seriesFindings, voucherFindings } from './vouchers.ts'
import {
  budgetYear,
  type Calendar,
  calendar,
  currentYears,
  rowsOf,
  type SieYear,
  transactionFiles,
} from './years.ts'

export const READER: Reader = { read: readSieFiles, survey: surveyFiles }

/** The accounts of the BAS chart into which programs book the year's result when they close it: 8990 to 8999. */
const isClosingAccount = (id: string): boolean => /^899\d/.test(id)

/** Reads all files of one ledger entry together. Nothing in them throws: what is wrong is in `findings`. */
async function readSieFiles(
  sources: readonly SourceFile[],
  setting: LedgerSetting,
  company: Company,
  scratch: Scratch,
): Promise<FormatContent> {
  const decimals = currencyDecimals(company.currency)
  const shown = (minor: number) => displayMinor(minor, decimals)
  const texts = await readTexts(sources, setting.encoding, decimals, scratch)
  const files = texts.map(({ sie }) => sie)
  const inFiles = figuresOnce(texts, company, shown, setting.encoding)
  const usable = transactionFiles(files)
  const yearsOfFiles = calendar(usable)

  const kinds = classifyAccounts(usable, company.accounts)
  const uses = firstUses(usable)
  const dimensions = new Dimensions(usable, company.dimensions, balancesOnly(usable))
  const reading: Reading = {
    dimensions,
    money: (minor) => formatInteger(String(minor), decimals),
    shown,
    classificationOf: (account) => kinds.get(account)?.classification ?? null,
  }
  const stated = company.closing?.accounts
  const closingAccounts = stated === undefined ? [...kinds.keys()].filter(isClosingAccount) : []

  const posted = postedYears(yearsOfFiles.years, setting)
  const written = new Map(texts.map(({ sie, rows }) => [sie, rows]))
  const inLedger = await readLedger(posted, written, setting, reading, scratch)
  const { findings: inFigures, ...figures } = statedFigures(
    yearsOfFiles,
    posted,
    stated ?? closingAccounts,
    reading,
  )
  const classes = dimensions.members('class')
  const departments = dimensions.members('department')
  const inAccounts = accountFindings(usable, kinds, uses, company, {
    ...figures,
    posted: inLedger.accounts,
  })
  return {
    ...NO_CONTENT,
    accounts: [...chartRows(declaredAccounts(usable, kinds, uses)), ...unclassifiedRows(inAccounts)],
    ...{ classes, departments },
    fiscalYears: yearsOfFiles.years.map(({ start, end }) => ({ start, end })),
    ledger: inLedger.ledger,
    ...figures,
    closingAccounts,
    unread: files.flatMap(({ unread }) => unread),
    sources: texts.map(({ source, encoding, sie: { lineCount: rows, vouchers } }) => ({
      ...{ ...recordOf(source), encoding, role: 'ledger', rows, numbers: vouchers.numbering.ranges() },
      stated: source.look.head.split(/\r?\n/).filter((line) => /^#(PROGRAM|GEN|FNAMN)\b/.test(line)),
    })),
    // One list of lists: a broken file may have more findings than a call takes arguments.
    findings: [
      inFiles,
      ofOneCompany(
        usable.map(({ file, organisation }) => ({
          file,
          row: 1,
          column: '#ORGNR',
          registration: organisation,
        })),
      ),
      claimSie(files, setting, company.currency),
      unknownYears(usable),
      yearsOfFiles.findings,
      posted.findings,
      inLedger.findings,
      inFigures,
      inAccounts,
      dimensions.findings,
      dimensions.unmapped(shown),
      ...usable.map((file) => continuity(file, reading)),
      ...usable.map(history),
      ...usable.map(seriesFindings),
    ].flat(),
  }
}

/** #PROSA is a text about the whole file; vouchers cannot be left out, since balances of the file hold them. */
const claimSie = (files: readonly SieFile[], setting: LedgerSetting, currency: string): Finding[] =>
  claimFormat(
    files.map(({ file, others }) => {
      const { '#PROSA': prosa = new Map<string, number>(), ...labels } = Object.fromEntries(others)
      return { file, values: new Map(Object.entries(labels)), titles: [...prosa.keys()] }
    }),
    setting,
    { currency },
  )

/** What the files state beside their vouchers. `closing`: accounts of the entry that closes a year. */
function statedFigures(
  { years, others }: Calendar,
  posted: PostedYears,
  closing: readonly string[],
  reading: Reading,
): Pick<Intake, 'openings' | 'statesOpenings' | 'priorResults' | 'controls' | 'budgets' | 'findings'> {
  const all = [...years, ...others]
  const [first] = posted.years
  const opening = first === undefined ? null : openingOf(first, all)
  // Later years go on from what the first one leads to.
  const opened = posted.years.map((year) =>
    openings(
      year,
      year === first && opening !== null ? opening : { rows: rowsOf(year, 'IB', 'OIB'), from: year },
      reading,
    ),
  )
  const counted = years.map((year) => budgetYear(year, others, reading.shown))
  const yearsCounted = counted.map(({ year }) => year)
  const budgeted = budgetRows(yearsCounted, all, reading)
  return {
    openings: opened.flatMap((part) => part.rows),
    statesOpenings: posted.years.some(({ file }) => statesOpenings(file)),
    priorResults:
      posted.before === null || opening === null ? [] : priorResults(posted.before, opening, reading),
    controls: [
      ...posted.years.flatMap((year) => controls(year, reading)),
      ...others
        .filter(({ start }) => posted.years.some((year) => year.start === start))
        .flatMap((year) => controlsOfOther(year, reading, closing)),
    ],
    budgets: budgeted.rows.length === 0 ? [] : [{ id: 'budget', name: 'Budget', rows: budgeted.rows }],
    findings: [...opened, ...counted, budgeted].flatMap((part) => part.findings),
  }
}

/** What is wrong with each file by itself. Leaves each figure in it once. */
const figuresOnce = (
  texts: readonly ReadFile[],
  company: Company,
  shown: Shown,
  stated: Encoding | undefined,
): Finding[] =>
  [
    ...texts.map(({ sie, encoding, undecodableLine: row }) => [
      ...(row === null ? [] : [undecodable(sie.file, encoding, row)]),
      ...(encoding === 'macintosh' && stated === undefined ? [macText(sie.file)] : []),
      ...statedOnce(withoutNobody(sie), shown),
    ]),
    ...texts.map(({ sie }) => sie.findings),
    ...texts.map(({ sie }) => suitability(sie, company)),
  ].flat()

const macText = (file: string): Finding =>
  warning(
    'mac-roman',
    'the letters å, ä and ö of the file are those of an old Mac (Mac Roman), and are read so; SIE files are written in CP437',
    { file, remedy: 'look at the names; if they read right, state "encoding: macintosh" in company.yaml' },
  )

/** Kinds and dimensions that follow from rules are written into company.yaml, so that an accountant can read and correct them. */
async function surveyFiles(sources: readonly SourceFile[], stated: Stated): Promise<Survey> {
  // Only names and kinds are read here. Amounts are checked by the build, which knows the currency.
  const texts = await readTexts(sources, undefined, 2, null)
  const files = texts.map(({ sie }) => sie)
  const findings = files.flatMap((file) =>
    suitability(file, {
      currency: file.currency,
      ...(stated.opening === 'none' ? { opening: { none: true } } : {}),
    }).filter(({ severity }) => severity === 'error'),
  )
  const years = currentYears(files)
  const latest = [...years].sort((a, b) => byCodePoint(a.end, b.end)).at(-1)
  if (findings.length > 0 || latest === undefined) return { ...NOTHING_SURVEYED, findings }
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
    dimensions: new Dimensions(files.map(withoutNobody), stated.dimensions, balancesOnly(files)).list(),
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
                  ? 'kind unknown: nothing in the file states it'
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

/** The accounts of the chart: the latest name wins. */
function declaredAccounts(
  files: readonly SieFile[],
  kinds: ReadonlyMap<string, AccountKind | null>,
  uses: FirstUses,
): UsedAccount[] {
  return [...kinds].flatMap(([id, kind]) => {
    const declared = declarationOf(id, files)
    const use = uses.get(id)
    const place = declared === null ? use : { file: declared.file, line: declared.account.line }
    if (place === undefined) return []
    return [
      { file: place.file.file, row: place.line, id, number: id, name: declared?.account.name ?? id, kind },
    ]
  })
}

interface PostedYears {
  /** In order. */
  readonly years: readonly SieYear[]
  /** The first of them, where it is posted from its monthly movements (`priorYear: psaldo`). */
  readonly fromMonths: SieYear | null
  /** The year before the first, where a file states it. */
  readonly before: SieYear | null
  readonly findings: readonly Finding[]
}

/** The years that have vouchers; on request also the year before them, of which a file states only months. */
function postedYears(years: readonly SieYear[], { priorYear }: LedgerSetting): PostedYears {
  const active = years.filter(({ file, index }) => index === 0 && file.lineCount > 0)
  const [first] = active
  if (first === undefined) return { years: active, fromMonths: null, before: null, findings: [] }
  const at = years.indexOf(first)
  const prior = years[at - 1] ?? null
  if (priorYear !== 'psaldo') return { years: active, fromMonths: null, before: prior, findings: [] }
  if (prior !== null)
    return { years: [prior, ...active], fromMonths: prior, before: years[at - 2] ?? null, findings: [] }
  const missing = error('prior-year', `no file states the year before ${first.start}`, {
    file: first.file.file,
    column: '#RAR',
    remedy: 'remove "priorYear: psaldo" from company.yaml',
  })
  return { years: active, fromMonths: null, before: null, findings: [missing] }
}

interface Ledger {
  readonly ledger: readonly LedgerPlan[]
  /** That the rows use. */
  readonly accounts: ReadonlySet<string>
  readonly findings: readonly Finding[]
}

/** The rows of each file that has posted years. `written`: the path of those of its vouchers. */
async function readLedger(
  { years, fromMonths }: PostedYears,
  written: ReadonlyMap<SieFile, string | null>,
  setting: LedgerSetting,
  reading: Reading,
  scratch: Scratch,
): Promise<Ledger> {
  const accounts = new Set<string>()
  const findings: Finding[] = []
  const ledger: LedgerPlan[] = []
  const basis = basisOfEntry(setting)
  const ids = givenIds(years.flatMap((year) => (year === fromMonths ? [] : [{ file: year.file, year }])))
  for (const year of years) {
    const { file, vouchers } = year.file
    if (year === fromMonths) {
      const months = monthsAsPostings(year, reading)
      for (const account of months.accounts) accounts.add(account)
      findings.push(...months.findings)
      const path = await scratch.written(Readable.from([HEADER, months.csv]))
      ledger.push({ ...planOf({ file, path, basis }), tags: months.tags })
      continue
    }
    for (const account of vouchers.accounts.keys()) accounts.add(account)
    const tags = [...vouchers.objects.values()].map(({ tag, objects, firstLine, lines }) => {
      const members = reading.dimensions.use(objects, { file, row: firstLine }, lines)
      return [tag, members] as const
    })
    findings.push(...voucherFindings(year.file, year))
    ledger.push({
      ...planOf({ file, path: present(written.get(year.file), `rows of ${file}`), basis }),
      tags: new Map(tags),
      whole: wholeFile(year, present(ids.get(year.file), `ids of ${file}`)),
    })
  }
  return { ledger, accounts, findings }
}

/** Vouchers are numbered within their year, and all of their lines count in it. */
const wholeFile = ({ start, end }: SieYear, ids: ReadonlyMap<string, string>): WholeFile => ({
  ...{ years: [{ start, end }], isWithin: true, openingJournals: [] },
  ...{ entryColumn: 'transaction_id', numbers: 'each', ids },
})
