/**
 * Reads SIE 4: the files of one ledger entry, one per fiscal year, as the parts of the intake that SIE fills: records
 * (parse.ts), accounts, dimensions, vouchers and figures, each in the file of that name.
 */

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
import {
  NOTHING_SURVEYED,
  type Reader,
  recordOf,
  type SourceFile,
  type Stated,
  type Survey,
} from '../../format/format.ts'
import type { Intake } from '../../format/intake.ts'
import { ofOneCompany } from '../../format/one-company.ts'
import type { Encoding } from '../../text/decode.ts'
import type { Scratch } from '../../text/scan.ts'
import { classifyAccounts, declarationOf } from './accounts.ts'
import { budgetRows } from './budgets.ts'
import {
  accountFindings,
  type FirstUses,
  firstUses,
  history,
  statesOpenings,
  suitability,
  unknownYears,
} from './checks.ts'
import { continuity } from './continuity.ts'
import { Dimensions } from './dimensions.ts'
import { controls, controlsOfOther, openingOf, openings, priorResults, type Reading } from './figures.ts'
import { type PostedYears, postedYears, readLedger } from './ledger.ts'
import { seriesFindings } from './numbers.ts'
import { balancesOnly, withoutNobody } from './objects.ts'
import type { SieFile } from './records.ts'
import { type Shown, statedOnce } from './stated.ts'
import { type ReadFile, readTexts } from './texts.ts'
import { budgetYear, type Calendar, calendar, currentYears, rowsOf, transactionFiles } from './years.ts'

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
  const { files, findings: inFiles } = figuresOnce(texts, company, shown, setting.encoding)
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
  const written = new Map(files.map((file, i) => [file, texts[i]?.rows ?? null]))
  const rowsOf = (file: SieFile) => present(written.get(file), `rows of ${file.file}`)
  const inLedger = await readLedger(posted, rowsOf, setting, reading, scratch)
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
    sources: texts.map(({ source, encoding, sie: { lineCount: rows, numbers } }) => ({
      ...{ ...recordOf(source), encoding, role: 'ledger', rows, numbers: numbers.numbering.ranges() },
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

/** The records of each file, with each figure once, and what is wrong with the file by itself. */
function figuresOnce(
  texts: readonly ReadFile[],
  company: Company,
  shown: Shown,
  stated: Encoding | undefined,
): { readonly files: readonly SieFile[]; readonly findings: readonly Finding[] } {
  const once = texts.map(({ sie, encoding, undecodableLine }) => {
    const inText = undecodableLine === null ? [] : [undecodableText(sie.file, encoding, undecodableLine)]
    if (encoding === 'macintosh' && stated === undefined) inText.push(macText(sie.file))
    const { sie: file, findings } = statedOnce(withoutNobody(sie), shown)
    return { file, findings: [...inText, ...findings] }
  })
  const files = once.map(({ file }) => file)
  return {
    files,
    findings: [
      ...once.flatMap(({ findings }) => findings),
      ...files.flatMap(({ findings }) => findings),
      ...files.flatMap((file) => suitability(file, company)),
    ],
  }
}

const undecodableText = (file: string, encoding: string, row: number): Finding =>
  error('undecodable-text', `the file is not text in the encoding ${encoding}`, {
    file,
    row,
    remedy: 'state the encoding of the file in company.yaml, or leave it out to have it detected',
  })

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
