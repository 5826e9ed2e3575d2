/** Reads FEC: the files of one ledger entry, one per fiscal year. */
import { currencyDecimals } from '../../../contract/currency.ts'
import { byCodePoint } from '../../../contract/vocabulary.ts'
import type { Company, LedgerSetting } from '../../../workspace/company.ts'
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import { claimFormat } from '../../claims/claim-format.ts'
import { chartRows, kindFindings, type UsedAccount, unclassifiedRows } from '../../format/account-kinds.ts'
import { canonicalPlan } from '../../format/canonical-plan.ts'
import { type FormatContent, NO_CONTENT } from '../../format/content.ts'
import {
  NOTHING_SURVEYED,
  type Reader,
  recordOf,
  type SourceFile,
  type Survey,
  surveyedAccounts,
} from '../../format/format.ts'
import { basisOfEntry, type LedgerPlan } from '../../format/intake.ts'
import { ofOneCompany } from '../../format/one-company.ts'
import { areOthersRead } from '../../format/unread-rows.ts'
import { undecodable } from '../../text/decode.ts'
import type { Scratch } from '../../text/scan.ts'
import { classifyFecAccount } from './accounts.ts'
import { readHeader } from './parse.ts'
import { CANONICAL, type FecFile, FecPass } from './pass.ts'

export const READER: Reader = { read: readFecFiles, survey: surveyFiles }

type Form = Pick<LedgerSetting, 'delimiter' | 'dateFormat'>

/** What a part of a company.yaml says that the reading of a FEC needs. */
type Context = Pick<Company, 'currency' | 'fiscalYears' | 'opening'>

/** Reads a file once, and writes its lines into `scratch`, if any; `path` is where they stand. */
async function readFile(
  { file, path, scan, look }: SourceFile,
  form: Form,
  company: Context,
  scratch: Scratch | null,
): Promise<{ readonly fec: FecFile; readonly path: string | null }> {
  const { encoding, head } = look
  const { layout, findings } = readHeader(head, file, form, currencyDecimals(company.currency))
  const unreadable =
    encoding === 'utf-8' && scan.encoding !== 'utf-8' ? [undecodable(file, encoding, null)] : findings
  const stated = { openingJournals: company.opening?.journals, years: company.fiscalYears }
  const pass = new FecPass({ file, path, encoding, head, layout }, stated)
  // A file that cannot be read at all has one finding, not one for each line.
  if (unreadable.length > 0) return { fec: { ...pass.whole(), findings: unreadable }, path: null }
  if (scratch === null) for await (const _ of pass.csv());
  const written = scratch === null ? null : await scratch.written(pass.csv())
  return { fec: pass.whole(), path: written }
}

/** The currency is the euro by law, and the file shows its year; it does not state the name of the company. */
async function surveyFiles(sources: readonly SourceFile[]): Promise<Survey> {
  const files: FecFile[] = []
  for (const source of sources) files.push((await readFile(source, {}, { currency: 'EUR' }, null)).fec)
  const years = files.flatMap(({ year, yearDoubt }) => (year === null ? [] : [{ ...year, doubt: yearDoubt }]))
  const end = years
    .map((year) => year.end)
    .sort()
    .at(-1)
  const unknown = 'its number is not one of the French chart of accounts'
  return {
    ...NOTHING_SURVEYED,
    fiscalMonthEnd: end === undefined ? null : Number(end.slice(5, 7)),
    currency: 'EUR',
    covers: years.map(({ start, end: last }) => ({ start, end: last, holds: null })),
    years,
    accounts: surveyedAccounts(usedAccounts(files, undefined), unknown),
    statesOpenings: files.some(({ whole }) => whole.openingJournals.length > 0),
    comment: openingsComment(files),
    // Mistakes in single lines are reported by the build.
    findings: files.flatMap(({ rows, findings }) => (rows === 0 ? findings : [])),
  }
}

/** Which journals were taken for balances brought forward, so that an accountant can say otherwise. */
function openingsComment(files: readonly FecFile[]): string {
  const journals = [...new Set(files.flatMap(({ whole }) => whole.openingJournals))]
  return journals.length === 0
    ? 'no journal of balances brought forward was found; opening.journals would name one'
    : `opening balances: journal ${journals.join(', ')}; opening.journals would name others`
}

/** Reads all files of one ledger entry together. Nothing in them throws: what is wrong is in `findings`. */
async function readFecFiles(
  sources: readonly SourceFile[],
  setting: LedgerSetting,
  company: Company,
  scratch: Scratch,
): Promise<FormatContent> {
  const read: (Awaited<ReturnType<typeof readFile>> & { readonly source: SourceFile })[] = []
  for (const source of sources) read.push({ source, ...(await readFile(source, setting, company, scratch)) })
  read.sort((a, b) => byCodePoint(a.fec.year?.start ?? '', b.fec.year?.start ?? ''))
  const files = read.map(({ fec }) => fec)
  const used = usedAccounts(files, company.accounts)
  const findings = [
    ...files.flatMap((file) => file.findings),
    ...ofOneCompany(
      files.map(({ file, siren }) => ({ file, registration: siren })),
      'SIREN',
    ),
    ...overlaps(files),
    ...currencyFindings(files, company),
    ...claimFormat(
      files.map(({ file, others }) => ({ file, headerRow: 1, values: others })),
      setting,
      company,
    ),
    ...kindFindings(used, company, { column: 'CompteNum' }),
  ]
  const unread = files.flatMap((file) => file.unread)
  const isReadable = areOthersRead(findings, unread)
  const ledger = read.flatMap(({ fec: { file, whole }, path }): LedgerPlan[] =>
    !isReadable || path === null
      ? []
      : [{ ...canonicalPlan({ file, path, basis: basisOfEntry(setting) }, CANONICAL), whole }],
  )
  return {
    ...NO_CONTENT,
    accounts: [...chartRows(used), ...unclassifiedRows(findings)],
    fiscalYears: files.flatMap(({ year }) => (year === null ? [] : [year])),
    ledger,
    unread,
    openingJournals: [...new Set(files.flatMap(({ whole }) => whole.openingJournals))],
    sources: read.map(({ source, fec: { text, rows, numbers } }) => ({
      ...{ ...recordOf(source), delimiter: text.layout.delimiter, role: 'ledger', rows, numbers },
    })),
    findings,
  }
}

const usedAccounts = (files: readonly FecFile[], stated: Company['accounts']): UsedAccount[] =>
  files.flatMap(({ file, accounts }) =>
    [...accounts].map(([id, { name, row }]) => ({
      file,
      row,
      id,
      number: id,
      name: name || id,
      kind: classifyFecAccount(id, stated),
    })),
  )

/** One file per year: a year that was exported twice would count twice. */
function overlaps(files: readonly FecFile[]): Finding[] {
  const dated = files.flatMap(({ file, year }) => (year === null ? [] : [{ file, ...year }]))
  return dated.flatMap(({ file, start, end }, i) => {
    const before = dated[i - 1]
    if (before === undefined || before.end < start) return []
    return [
      error(
        'duplicate-year',
        `the year ${start} to ${end} overlaps ${before.start} to ${before.end} in ${before.file}`,
        {
          file,
          column: 'EcritureDate',
          remedy:
            'keep one file per fiscal year; where the years are others, state them under "fiscalYears" in company.yaml',
        },
      ),
    ]
  })
}

/** The amounts of a FEC are in euros; Montantdevise and Idevise beside them are information. */
function currencyFindings(files: readonly FecFile[], { currency }: Company): Finding[] {
  const [first] = files
  if (first === undefined || currency === 'EUR') return []
  return [
    warning('currency-mismatch', `the amounts of a FEC are in euros, the company's currency is ${currency}`, {
      file: first.file,
      remedy: 'write currency: EUR in company.yaml, if that is the currency of the books',
    }),
  ]
}
