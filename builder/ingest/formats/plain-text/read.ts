/**
 * Reads what hledger, Beancount and Ledger write: a file is read once, record by record, into the canonical CSV that the
 * books read.
 */
import { addDays, isCalendarDate } from '../../../contract/calendar.ts'
import type { Company, LedgerSetting } from '../../../workspace/company.ts'
import { error, type Finding, note, warning } from '../../../workspace/findings/finding.ts'
import { claimFormat } from '../../claims/claim-format.ts'
import { kindFindings, type UsedAccount, unclassifiedRows } from '../../format/account-kinds.ts'
import { canonicalPlan } from '../../format/canonical-plan.ts'
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
import { basisOfEntry, type LedgerPlan } from '../../format/intake.ts'
import { namedMembers } from '../../format/members.ts'
import { areOthersRead, tornRow } from '../../format/unread-rows.ts'
import { undecodable } from '../../text/decode.ts'
import { type AmountForm, amountForm } from '../../text/forms.ts'
import { ISO_DATE } from '../../text/months.ts'
import type { Scratch } from '../../text/scan.ts'
import { classifyPath, DEEPEST, isTooDeep, nameOf, treeRows } from './accounts.ts'
import { currencyOf, isOfCurrency } from './amounts.ts'
import { dialectOf } from './dialects.ts'
import { CANONICAL, CLOSING_TYPE, canonicalRows, openingJournal, PlainFile, PlainIds } from './lines.ts'
import { isOwnTag, targetOfTag } from './tags.ts'

export const READER: Reader = { read: readPlainFiles, survey: surveyFiles }

/** The files that can be read, and why the others cannot. */
function open(sources: readonly SourceFile[]) {
  const findings: Finding[] = []
  const files = sources.flatMap((source) => {
    const { file, look, scan } = source
    const dialect = dialectOf(look)
    if (look.encoding === 'utf-8' && scan.encoding !== 'utf-8')
      findings.push(undecodable(file, 'utf-8', null))
    else if (dialect === null) findings.push(unknownDialect(file))
    else return [new PlainFile(source, dialect)]
    return []
  })
  return { files, findings }
}

const unknownDialect = (file: string): Finding =>
  error('unknown-file', 'is not a CSV of hledger print, bean-query or ledger csv', {
    file,
    row: 1,
    remedy: 'export it by one of the commands in datasets/formats/plain-text.md',
  })

/** Reads all files of one ledger entry together. Nothing in them throws: what is wrong is in `findings`. */
async function readPlainFiles(
  sources: readonly SourceFile[],
  setting: LedgerSetting,
  company: Company,
  scratch: Scratch,
): Promise<FormatContent> {
  const { files, findings } = open(sources)
  const { dimensions, accounts, currency } = company
  const rules = { dimensions, accounts, currency }
  const ids = new PlainIds()
  const written: WrittenFile[] = []
  for (const file of files) {
    const path = await scratch.written(canonicalRows(file, rules, ids))
    written.push({ file, path, form: amountForm([...file.amounts]) })
  }
  const used = usedAccounts(files, accounts)
  const { openings, findings: openingFindings } = countedOpenings(files)
  findings.push(
    ...written.flatMap(({ file, form }) => fileFindings(file, form, setting, company)),
    ...openingFindings,
    ...claimFormat(
      files.map(({ file, tags }) => ({
        file,
        values: new Map([...tags].filter(([name]) => targetOfTag(name, dimensions) === 'none')),
      })),
      setting,
      company,
    ),
    ...kindFindings(used, company, { column: 'account', evidence: 'name' }),
  )
  const unread = [...files.flatMap((file) => file.unread.rows), ...findings.flatMap(tornRow)]
  return {
    ...NO_CONTENT,
    accounts: [...treeRows(used), ...unclassifiedRows(findings)],
    classes: namedMembers(files, 'class'),
    departments: namedMembers(files, 'department'),
    // Without lines that can be read, the books would only report the same mistakes again.
    ledger: areOthersRead(findings, unread) ? written.map((each) => planOf(each, setting)) : [],
    unread,
    openingJournals: openings.map(openingJournal),
    closingTypes: [CLOSING_TYPE],
    sources: files.map(({ source, dialect: { delimiter }, rows }) => ({
      ...{ ...recordOf(source), role: 'ledger', rows, delimiter },
    })),
    findings,
  }
}

interface WrittenFile {
  readonly file: PlainFile
  readonly path: string
  /** How its amounts are written. */
  readonly form: AmountForm
}

const planOf = ({ file, path, form }: WrittenFile, setting: LedgerSetting): LedgerPlan => ({
  ...canonicalPlan({ file: file.file, path, basis: basisOfEntry(setting) }, CANONICAL),
  dateFormat: setting.dateFormat ?? ISO_DATE,
  decimal: setting.decimal ?? form.decimal ?? '.',
  thousands: setting.thousands ?? form.thousands,
  isHeaderless: !file.dialect.hasHeader,
  whole: {
    ...{ years: [], openingJournals: [], entryColumn: 'transaction_id' },
    ...{ numbers: 'counted', renumbered: file.renumbered },
  },
})

const usedAccounts = (files: readonly PlainFile[], stated: Company['accounts']): UsedAccount[] =>
  files.flatMap(({ file, accounts }) =>
    [...accounts].flatMap(([id, row]) =>
      isTooDeep(id)
        ? []
        : [{ ...{ file, row, id, number: '' }, name: nameOf(id), kind: classifyPath(id, stated) }],
    ),
  )

/** What is wrong with one file, apart from its kinds of accounts. */
function fileFindings(
  file: PlainFile,
  form: AmountForm,
  setting: LedgerSetting,
  { currency }: Company,
): Finding[] {
  const isUnclear = form.decimal === null && setting.decimal === undefined && file.amounts.size > 0
  return [
    ...file.findings,
    ...otherCurrencies(file, currency),
    ...virtualPostings(file),
    ...(isUnclear ? [unclearDecimal(file, form.unclear)] : []),
    ...tooDeep(file),
    ...closingBalances(file),
  ]
}

const otherCurrencies = ({ file, commodities, dialect }: PlainFile, currency: string) =>
  [...commodities]
    .filter(([commodity]) => !isOfCurrency(commodity, currency))
    .map(([commodity, { count, row }]) =>
      error(
        'mixed-currency',
        `${count === 1 ? 'one posting is' : `${count} postings are`} in ${commodity}, the books are in ${currency}`,
        {
          file,
          row,
          column: 'commodity',
          text: commodity,
          remedy: `state them at cost: ${dialect.atCost}; where ${commodity} is another name of ${currency}, or has no cost, change the journal`,
        },
      ),
    )

const virtualPostings = ({ file, virtual }: PlainFile): Finding[] =>
  virtual === null
    ? []
    : [
        warning(
          'virtual-postings',
          `${virtual.count} virtual postings, (account) or [account], are left out: they are not real money`,
          {
            file,
            row: virtual.row,
            column: 'account',
            remedy:
              'nothing to do, if they are budgets or goals; what belongs in the books needs an ordinary posting',
          },
        ),
      ]

const unclearDecimal = ({ file }: PlainFile, text: AmountForm['unclear']): Finding =>
  error('unclear-decimal', `amounts written as ${text} can be read in two ways`, {
    file,
    text,
    remedy: 'state "decimal" (and "thousands") of this ledger entry in company.yaml',
  })

const tooDeep = ({ file, accounts }: PlainFile): Finding[] =>
  [...accounts]
    .filter(([id]) => isTooDeep(id))
    .map(([id, row]) =>
      error('account-too-deep', `the name of the account has more than ${DEEPEST} parts`, {
        ...{ file, row, column: 'account', text: id },
        remedy: 'give it a name of fewer parts, or change what sets the ":" in it',
      }),
    )

function closingBalances({ file, closings }: PlainFile): Finding[] {
  const [first] = closings
  if (first === undefined) return []
  return [
    note(
      'closing-balances-left-out',
      `${closings.length === 1 ? 'a transaction carries' : `${closings.length} transactions carry`} all balances out of the books at the end of a period; the balances go on instead`,
      {
        file,
        row: first.row,
        text: first.date,
        remedy: 'nothing to do: the openings that follow are checked against the balances',
      },
    ),
  ]
}

/** Openings stand at the beginning of the books, or where closing balances were carried out on the day before. */
function countedOpenings(files: readonly PlainFile[]): { openings: string[]; findings: Finding[] } {
  const first = files.flatMap(({ firstActivity }) => firstActivity ?? []).sort()[0]
  const closed = new Set(files.flatMap(({ closings }) => closings.map(({ date }) => date)))
  const isOpening = (date: string) =>
    first === undefined ||
    date <= first ||
    closed.has(date) ||
    (isCalendarDate(date) && closed.has(addDays(date, -1)))
  const all = files.flatMap(({ file, openings }) => openings.map((opening) => ({ file, ...opening })))
  return {
    openings: [...new Set(all.map(({ date }) => date).filter(isOpening))],
    findings: all
      // What is not a date the books report.
      .filter(({ date }) => isCalendarDate(date) && !isOpening(date))
      .map(({ file, row, date }) =>
        warning(
          'late-opening',
          `a transaction of ${date} is on the account of opening balances, but the books begin on ${first}: it counts as activity`,
          {
            file,
            row,
            text: date,
            remedy: 'move it to the beginning of the books, or book it against the account that it came from',
          },
        ),
      ),
  }
}

/** A journal states no company, year or kind of account: names of accounts show most of the kinds, tags the dimensions. */
async function surveyFiles(sources: readonly SourceFile[], stated: Stated): Promise<Survey> {
  const { dimensions } = stated
  const { files, findings } = open(sources)
  const rules = { dimensions, accounts: undefined, currency: null }
  const covered: CoveredLines[] = []
  for (const file of files) {
    const lines = new CoveredLines()
    for await (const _ of canonicalRows(file, rules, new PlainIds(), lines));
    covered.push(lines)
  }
  const [commodity = '', ...others] = new Set(files.flatMap((file) => [...file.commodities.keys()]))
  const accounts = new Map(usedAccounts(files, undefined).map((account) => [account.id, account]))
  const { openings } = countedOpenings(files)
  return {
    ...NOTHING_SURVEYED,
    covers: covered.flatMap(({ covers }) => covers),
    currency: others.length === 0 ? currencyOf(commodity) : null,
    dimensions: [...new Set(files.flatMap(({ tags }) => [...tags.keys()]))]
      .filter((tag) => !isOwnTag(tag))
      .map((tag) => ({
        id: tag,
        name: `tag ${tag}`,
        target: targetOfTag(tag, dimensions),
      })),
    accounts: surveyedAccounts([...accounts.values()], 'its name does not state it'),
    statesOpenings: openings.length > 0,
    comment:
      openings.length === 0
        ? 'no transaction on equity:opening balances was found; opening.transactions would name one'
        : `opening balances: ${openings.join(', ')}`,
    findings: [...findings, ...files.flatMap((file) => (file.rows === 0 ? file.findings : []))],
  }
}
