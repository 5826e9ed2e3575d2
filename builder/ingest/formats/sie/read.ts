/**
 * Reads SIE 4: the files of one ledger entry, one per fiscal year, as the parts of the intake that SIE fills: records
 * (parse.ts), accounts, dimensions, vouchers and figures, each in the file of that name.
 */

import { currencyDecimals, displayMinor, formatInteger, isCurrency } from '../../../contract/currency.ts'
import { present } from '../../../contract/present.ts'
import { byCodePoint } from '../../../contract/vocabulary.ts'
import type { Company, LedgerSetting } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/finding.ts'
import { readFile } from '../../../workspace/plain-file.ts'
import { type AccountKind, unclassifiedRows } from '../../format/account-kinds.ts'
import { type FormatContent, NO_CONTENT } from '../../format/content.ts'
import {
  NOTHING_SURVEYED,
  type Reader,
  type SourceFile,
  type Stated,
  type Survey,
} from '../../format/format.ts'
import type { AccountRow, Intake, LedgerRow, LedgerRows } from '../../format/intake.ts'
import { ofOneCompany } from '../../format/one-company.ts'
import { RowFile } from '../../format/row-file.ts'
import { decodeText } from '../../text/decode.ts'
import type { Scratch } from '../../text/scan.ts'
import { classifyAccounts, declarationOf } from './accounts.ts'
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
import { budgetRows, controls, controlsOfOther, openings, priorResults, type Reading } from './figures.ts'
import { type PostedYears, postedYears, readLedger } from './ledger.ts'
import { balancesOnly, withoutNobody } from './objects.ts'
import { parseSie } from './parse.ts'
import type { SieFile } from './records.ts'
import { type Shown, statedOnce } from './stated.ts'
import { seriesFindings } from './vouchers.ts'
import { budgetYear, type Calendar, calendar, currentYears, transactionFiles } from './years.ts'

export const READER: Reader = { read: readFiles, survey: surveyFiles }

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
const isClosingAccount = (id: string): boolean => /^899\d/.test(id)

/** For each file, where its rows go: by default they are kept in memory. */
export type RowSink = (file: string) => (row: LedgerRow) => void

/** Reads all files of one ledger entry together. Nothing in them throws: what is wrong is in `findings`. */
export function readSie(
  sources: readonly SieSource[],
  setting: LedgerSetting,
  company: Company,
  sink?: RowSink,
): SieIntake {
  const decimals = currencyDecimals(company.currency)
  const shown = (minor: number) => displayMinor(minor, decimals)
  const { files, encodings, findings: inFiles } = decodeFiles(sources, setting, company, shown)
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
  const { ledger, accounts: postedAccounts, findings: inLedger } = readLedger(posted, setting, reading, sink)
  const figures = statedFigures(yearsOfFiles, posted, stated ?? closingAccounts, reading)
  const intake = {
    accounts: accountRows(usable, kinds, uses),
    classes: dimensions.members('class'),
    departments: dimensions.members('department'),
    fiscalYears: yearsOfFiles.years.map(({ start, end }) => ({ start, end })),
    ledger,
    ...figures,
    closingAccounts,
    unread: files.flatMap(({ unread }) => unread),
  }
  const inAccounts = accountFindings(usable, kinds, uses, company, { ...intake, posted: postedAccounts })
  return {
    ...intake,
    accounts: [...intake.accounts, ...unclassifiedRows(inAccounts)],
    files: encodings,
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
      unknownYears(usable),
      yearsOfFiles.findings,
      posted.findings,
      inLedger,
      figures.findings,
      inAccounts,
      dimensions.findings,
      dimensions.unmapped(shown),
      ...usable.map((file) => continuity(file, reading)),
      ...usable.map(history),
      ...usable.map(seriesFindings),
    ].flat(),
  }
}

/** What the files state beside their vouchers. `closing`: accounts of the entry that closes a year. */
function statedFigures(
  { years, others }: Calendar,
  posted: PostedYears,
  closing: readonly string[],
  reading: Reading,
): Pick<SieIntake, 'openings' | 'statesOpenings' | 'priorResults' | 'controls' | 'budgets' | 'findings'> {
  const opened = posted.years.map((year) => openings(year, reading))
  const counted = years.map((year) => budgetYear(year, others, reading.shown))
  const budgeted = counted.map(({ year }) => budgetRows(year, reading))
  const rows = budgeted.flatMap((part) => part.rows)
  return {
    openings: opened.flatMap((part) => part.rows),
    statesOpenings: posted.years.some(({ file }) => statesOpenings(file)),
    priorResults: posted.before === null ? [] : priorResults(posted.before),
    controls: [
      ...posted.years.flatMap((year) => controls(year, reading)),
      ...others
        .filter(({ start }) => posted.years.some((year) => year.start === start))
        .flatMap((year) => controlsOfOther(year, reading, closing)),
    ],
    budgets: rows.length === 0 ? [] : [{ id: 'budget', name: 'Budget', rows }],
    findings: [...opened, ...counted, ...budgeted].flatMap((part) => part.findings),
  }
}

/** The records of each file, with each figure once, and what is wrong with the file by itself. */
function decodeFiles(
  sources: readonly SieSource[],
  setting: LedgerSetting,
  company: Company,
  shown: Shown,
): {
  readonly files: readonly SieFile[]
  readonly encodings: SieIntake['files']
  readonly findings: readonly Finding[]
} {
  const decoded = sources.map(({ file, bytes }) => {
    const { text, encoding, undecodableLine } = decodeText(bytes, setting.encoding, 'cp437')
    const parsed = parseSie(file, text, currencyDecimals(company.currency))
    const { sie, findings } = statedOnce(withoutNobody(parsed), shown)
    const inText = undecodableLine === null ? [] : [undecodableText(file, encoding, undecodableLine)]
    const rows = sie.vouchers.reduce((sum, { lineCount }) => sum + lineCount, 0)
    return { sie, read: { file, encoding, rows }, findings: [...inText, ...findings] }
  })
  const files = decoded.map(({ sie }) => sie)
  return {
    files,
    encodings: decoded.map(({ read }) => read),
    findings: [
      ...decoded.flatMap(({ findings }) => findings),
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

/** The text of all files is in memory at once, with their vouchers: 80 MB take less than 2 GB. The largest real files have some 50 MB. */
const BYTE_LIMIT = 80 * 1024 ** 2

const megabytes = (bytes: number): number => Math.ceil(bytes / 1024 ** 2)

const tooLarge = (file: string, size: number): Finding =>
  error(
    'file-too-large',
    `the SIE files have ${megabytes(size)} MB together; up to ${megabytes(BYTE_LIMIT)} MB can be read`,
    {
      file,
      remedy: 'export one file per fiscal year, and keep only the years that are needed in one entry',
    },
  )

/** The columns that a line of a voucher can fill. */
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
): Promise<FormatContent> {
  const size = sources.reduce((sum, { scan }) => sum + scan.bytes, 0)
  const [first] = sources
  if (first !== undefined && size > BYTE_LIMIT)
    return { ...NO_CONTENT, findings: [tooLarge(first.file, size)] }
  const rows = new Map<string, RowFile>()
  for (const { file } of sources) rows.set(file, new RowFile(await scratch.file(), COLUMNS))
  const rowsOf = (file: string) => present(rows.get(file), `file of the rows of ${file}`)
  const { files, ...intake } = readSie(await bytesOf(sources), setting, company, (file) => {
    const target = rowsOf(file)
    return (row) => target.add(row)
  })
  for (const file of rows.values()) file.close()
  const scans = new Map(sources.map(({ file, scan }) => [file, scan]))
  return {
    ...NO_CONTENT,
    ...intake,
    ledger: intake.ledger.map(({ rows: _, ...input }) => rowsOf(input.file).planOf(input)),
    sources: files.map(({ file, encoding, rows }) => {
      const { bytes, sha256 } = present(scans.get(file), `scan of ${file}`)
      return { file, bytes, sha256, encoding, role: 'ledger', rows }
    }),
  }
}

/** Kinds and dimensions that follow from rules are written into company.yaml, so that an accountant can read and correct them. */
async function surveyFiles(sources: readonly SourceFile[], stated: Stated): Promise<Survey> {
  // Only names and kinds are read here. Amounts are checked by the build, which knows the currency.
  const files = (await bytesOf(sources)).map(({ file, bytes }) =>
    parseSie(file, decodeText(bytes, undefined, 'cp437').text, 2),
  )
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

/** The chart: the latest name wins; accounts of unknown kind are left out (and reported where they are used). */
function accountRows(
  files: readonly SieFile[],
  kinds: ReadonlyMap<string, AccountKind | null>,
  uses: FirstUses,
): AccountRow[] {
  return [...kinds].flatMap(([id, kind]) => {
    const declared = declarationOf(id, files)
    const use = uses.get(id)
    const place = declared === null ? use : { file: declared.file, line: declared.account.line }
    if (kind === null || place === undefined) return []
    return [
      {
        file: place.file.file,
        row: place.line,
        id,
        number: id,
        name: declared?.account.name ?? id,
        classification: kind.classification,
        type: kind.type,
        parentId: null,
        cashFlow: kind.cashFlow,
        isActive: true,
      },
    ]
  })
}
