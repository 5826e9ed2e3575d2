/**
 * Reads SAF-T: the files of one ledger entry, of whole years or parts of them. A file is read twice: once for what it
 * says as a whole, once into the canonical CSV of the books.
 */
import { currencyDecimals, isCurrency } from '../../../contract/currency.ts'
import { byCodePoint } from '../../../contract/vocabulary.ts'
import type { Company, LedgerSetting } from '../../../workspace/company.ts'
import { error, type Finding, note } from '../../../workspace/findings/finding.ts'
import { claimFormat } from '../../claims/claim-format.ts'
import { chartRows, kindFindings, type UsedAccount, unclassifiedRows } from '../../format/account-kinds.ts'
import { canonicalPlan } from '../../format/canonical-plan.ts'
import { type FormatContent, NO_CONTENT } from '../../format/content.ts'
import {
  NOTHING_SURVEYED,
  type Reader,
  recordOf,
  type SourceFile,
  type Stated,
  type Survey,
} from '../../format/format.ts'
import { basisOfEntry, type LedgerPlan, type TotalRow } from '../../format/intake.ts'
import { ofOneCompany } from '../../format/one-company.ts'
import { withHeader } from '../../format/records.ts'
import { areOthersRead } from '../../format/unread-rows.ts'
import type { Scratch } from '../../text/scan.ts'
import { isCostAccount, isHeaderAccount } from './accounts.ts'
import { CANONICAL, HEADER, SaftRows } from './csv.ts'
import { type DimensionRules, SaftDimensions } from './dimensions.ts'
import { type Covered, coverage, figures } from './figures.ts'
import { saftSteps } from './parse.ts'
import { firstMonthOf, selectionOf } from './periods.ts'
import { CLOSING_TYPE, isReadable, type SaftSurvey, surveySaft, undeclared } from './survey.ts'

export const READER: Reader = { read: readSaftFiles, survey: surveyFiles }

/** Reads all files of one ledger entry together. Nothing in them throws: what is wrong is in `findings`. */
async function readSaftFiles(
  sources: readonly SourceFile[],
  setting: LedgerSetting,
  company: Company,
  scratch: Scratch,
): Promise<FormatContent> {
  const decimals = currencyDecimals(company.currency)
  const form = setting.encoding === undefined ? {} : { encoding: setting.encoding }
  const surveys: SaftSurvey[] = []
  const context = { accounts: company.accounts, decimals }
  for (const source of sources) surveys.push(await surveySaft(source, context, form))
  const { files, findings: coverageFindings } = coverage(surveys, company)
  const { openings, controls, unread, findings: figureFindings } = figures(files, company, decimals)
  const rules = rulesOf(surveys, company.dimensions, decimals)
  const dimensions = new SaftDimensions(rules)
  const accounts = accountsOf(files)
  const findings = [
    ...surveys.flatMap((survey) => survey.findings),
    ...coverageFindings,
    ...figureFindings,
    ...ofOneCompany(surveys.flatMap(registrationOf)),
    ...currencyFindings(surveys, company),
    ...costAccounts(files),
    ...claimFormat(
      surveys.map(({ file, others: values, header }) => ({ file, values, titles: header?.titles ?? [] })),
      setting,
      company,
    ),
    ...kindFindings(usedOf(accounts), company, { column: 'AccountID' }),
  ]
  // Without all lines and years the books would only report consequences.
  const readable = areOthersRead(findings, unread) ? files : []
  const ledger: LedgerPlan[] = []
  const totals: TotalRow[] = []
  for (const file of readable) {
    const rows = new SaftRows(file, company, decimals, dimensions)
    const path = await scratch.written(withHeader(HEADER, writtenOf(file, rows)))
    ledger.push(canonicalPlan({ file: file.survey.file, path, basis: basisOfEntry(setting) }, CANONICAL))
    totals.push(...totalsOf(file, rows))
  }
  return {
    ...NO_CONTENT,
    accounts: [...chartRows(accounts), ...unclassifiedRows(findings)],
    classes: dimensions.members('class'),
    departments: dimensions.members('department'),
    ledger,
    openings,
    statesOpenings: surveys.some(statesOpenings),
    ...{ controls, totals, unread },
    closingTypes: surveys.some(({ header }) => header?.country === 'PT') ? [CLOSING_TYPE] : [],
    sources: surveys.map(({ source, encoding, rows }) => ({
      ...{ ...recordOf(source), encoding, role: 'ledger', rows },
    })),
    findings: [...findings, ...dimensions.findings()],
  }
}

const statesOpenings = ({ accounts }: SaftSurvey): boolean =>
  [...accounts.values()].some(({ opening }) => opening !== null)

async function* writtenOf({ survey }: Covered, rows: SaftRows): AsyncGenerator<string> {
  const { file, source, encoding } = survey
  for await (const _ of saftSteps({ file, path: source.path, encoding }, rows)) yield rows.written()
}

const totalsOf = ({ survey: { file, totals } }: Covered, { beside }: SaftRows): TotalRow[] =>
  (['debit', 'credit'] as const).flatMap((side) => {
    const amount = totals?.[side] ?? ''
    const column = side === 'debit' ? 'TotalDebit' : 'TotalCredit'
    if (totals === null || amount === '') return []
    return [{ file, row: totals.row, amount, beside: String(beside[side]), side, column }]
  })

const rulesOf = (
  surveys: readonly SaftSurvey[],
  stated: Company['dimensions'],
  decimals: number,
): DimensionRules => ({
  declared: surveys.flatMap(({ declared }) => declared),
  types: new Set(surveys.flatMap(({ types }) => [...types])),
  ...{ stated, decimals },
})

type FileAccount = UsedAccount & { readonly isUsed: boolean }
const usedOf = (accounts: readonly FileAccount[]): FileAccount[] => accounts.filter(({ isUsed }) => isUsed)

/** Every account of the files in their order, so that the latest name and kind counts. */
function accountsOf(files: readonly Pick<Covered, 'survey'>[]): FileAccount[] {
  return files.flatMap(({ survey: { file, accounts, kinds, used } }) => {
    const unknown = [...used.keys()].filter((id) => !accounts.has(id)).map(undeclared)
    return [...accounts.values(), ...unknown]
      .filter((account) => !isCostAccount(account) && account.id !== '')
      .map((account) => {
        const { id, row, name, opening, closing } = account
        const kind = kinds.get(id) ?? null
        const isPosting = !isHeaderAccount(account)
        const figures = [opening, closing].flatMap((balance) =>
          balance === null ? [] : [balance.debit, balance.credit],
        )
        return {
          file,
          row: used.get(id) ?? row,
          id,
          number: id,
          name: name || id,
          kind,
          parentId: parentOf(account.code, kind, accounts, kinds),
          isUsed: used.has(id) || (isPosting && figures.some((text) => /[1-9]/.test(text))),
        }
      })
  })
}

/** Portugal: the account above, where it is of the same kind. */
function parentOf(
  code: string,
  kind: UsedAccount['kind'],
  accounts: SaftSurvey['accounts'],
  kinds: SaftSurvey['kinds'],
): string | null {
  const above = accounts.get(code)
  if (above === undefined || !isHeaderAccount(above) || isCostAccount(above)) return null
  return kind !== null && kinds.get(code)?.classification === kind.classification ? code : null
}

/** What files say of the company itself. Amounts are checked by the build, which knows the currency. */
async function surveyFiles(sources: readonly SourceFile[], stated: Stated): Promise<Survey> {
  const surveys: SaftSurvey[] = []
  for (const source of sources)
    surveys.push(await surveySaft(source, { accounts: undefined, decimals: 4 }, {}))
  const readable = surveys.filter(isReadable).map((survey) => {
    const selected = selectionOf(survey.header, survey.votes.offset())
    return { survey, selected, end: selected?.end ?? survey.lastDate }
  })
  const inOrder = [...readable].sort((a, b) => byCodePoint(a.end, b.end))
  const latest = inOrder.at(-1)
  if (readable.length < surveys.length || latest === undefined)
    return {
      ...NOTHING_SURVEYED,
      findings: surveys.flatMap((survey) => (isReadable(survey) ? [] : survey.findings)),
    }
  const { header, votes } = latest.survey
  const first = firstMonthOf(header, votes)
  const accounts = new Map(accountsOf(inOrder).map((account) => [account.id, account]))
  return {
    ...NOTHING_SURVEYED,
    name: header.name || null,
    fiscalMonthEnd: first === null ? null : ((first + 10) % 12) + 1,
    currency: isCurrency(header.currency) ? header.currency : null,
    covers: readable.flatMap(({ selected }) =>
      selected === null ? [] : [{ start: selected.start, end: selected.end, holds: null }],
    ),
    dimensions: new SaftDimensions(rulesOf(surveys, stated.dimensions, 2)).list(),
    accounts: [...accounts.values()]
      .filter(({ isUsed, kind }) => isUsed || kind !== null)
      .sort((a, b) => byCodePoint(a.id, b.id))
      .map(({ id, name, kind }) => ({
        id,
        name,
        kind,
        doubt:
          kind === null
            ? 'kind unknown: neither its number nor its grouping states it'
            : inOrder.some(({ survey }) => survey.taxonomy === 'O')
              ? 'please check: by the SNC, and the file says that its accounts follow another framework (TaxonomyReference O)'
              : null,
      })),
    statesOpenings: surveys.some(statesOpenings),
    comment: [
      `SAF-T ${header.country ?? ''} ${header.version}`.trim(),
      ...(first === null || first === 1
        ? []
        : [`its years begin in month ${first}, by the dates of its periods`]),
    ].join('; '),
  }
}

const registrationOf = ({ file, header }: SaftSurvey) =>
  header === null
    ? []
    : { file, row: header.row, column: 'RegistrationNumber', registration: header.registration }

/** Amounts are in the header's currency; foreign ones beside them are information. */
const currencyFindings = (surveys: readonly SaftSurvey[], { currency }: Company): Finding[] =>
  surveys.flatMap(({ file, header }) =>
    header === null || header.currency === currency
      ? []
      : [
          error(
            'currency-mismatch',
            `the amounts are in ${header.currency || 'a currency that the file does not name'}, the company's currency is ${currency}`,
            {
              file,
              row: header.row,
              column: header.country === 'PT' ? 'CurrencyCode' : 'DefaultCurrencyCode',
              text: header.currency || null,
              remedy: `write currency: ${header.currency || '…'} in company.yaml, if that is the currency of the books`,
            },
          ),
        ],
  )

/** Portugal: accounts of cost accounting repeat what stands in the ledger; their lines are not read. */
const costAccounts = (files: readonly Covered[]): Finding[] =>
  files.flatMap(({ survey: { file, accounts, used } }) => {
    const found = [...used].filter(([id]) => {
      const account = accounts.get(id)
      return account !== undefined && isCostAccount(account)
    })
    const [first] = found
    if (first === undefined) return []
    return [
      note(
        'cost-accounting',
        `lines on ${found.length} accounts of cost accounting (GroupingCategory AM) are not read: ${found.map(([id]) => id).join(', ')}`.slice(
          0,
          400,
        ),
        {
          file,
          row: first[1],
          column: 'AccountID',
          text: first[0],
          remedy: 'nothing to do: they repeat what stands in the ledger',
        },
      ),
    ]
  })
