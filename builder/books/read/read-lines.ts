/**
 * Reads the lines of the ledger and checks them one by one and entry by entry. Lines that cannot be read are reported and left
 * out; the later steps run on the rest, so that all findings come at once.
 */
import { currencyDecimals } from '../../contract/currency.ts'
import { type Database, identifier, parquetSql } from '../../database/database.ts'
import { claimFormat, countIn, type Unclaimed, type Values } from '../../ingest/claims/claim-format.ts'
import { MOST_VALUES, meaningOfHeader } from '../../ingest/claims/claims.ts'
import { bookFiles, type Intake, type LedgerInput } from '../../ingest/format/intake.ts'
import { AccountForms, keysOf, writtenAccountKeys } from '../../ingest/format/keys.ts'
import { withEvidence } from '../../ingest/format/known-differences.ts'
import { besideAmounts } from '../../ingest/format/unread-rows.ts'
import type { Company } from '../../workspace/company.ts'
import { type Finding, FindingsError, hasErrors } from '../../workspace/findings/finding.ts'
import { areLinesKnown, notReported } from '../check/after-errors.ts'
import { KnownMistakes, leftOutOf } from '../check/known-mistakes.ts'
import { anyWrong, checkLedger } from '../check/ledger-checks.ts'
import { type AccountingRules, NEWEST_RULES } from '../post/accounting-rules.ts'
import { roundingRule } from '../post/rounding.ts'
import { yearEndIn } from '../reference/fiscal.ts'
import { accountLabel, inWireOrder } from '../reference/frame.ts'
import { type Tree, treeOf } from '../reference/tree.ts'
import type { EngineResult, LedgerEngine, LedgerFacts } from './engine/engine.ts'
import { surveyEntries } from './entries.ts'
import { joinedFindings } from './grouping.ts'
import { fileTotals, type InputTotals, inputTotals, readSums, totalFindings } from './input-totals.ts'
import type { Keys, LedgerKeys } from './key-sql.ts'
import { extrasOf, type LedgerOptions, loadLedger, loadText, type ReadLines } from './ledger.ts'
import { recordsSql } from './ledger-csv.ts'
import { apart, differencesOf, leaveOutOutside, leaveOutUnread, withinStatements } from './left-out.ts'
import { entryMarks, markFindings, matching } from './marks.ts'
import { countedTwice, doubledFindings, numberedTwice } from './repeats.ts'

/** What all steps of making the books share. Each step adds its findings to `findings`. */
export interface Making {
  readonly db: Database
  readonly company: Company
  readonly intake: Intake
  /** The books are closed through this day (`YYYY-MM-DD`); null if they are not. */
  readonly closedThrough: string | null
  /** Reads the files whose setting names an engine; null where DuckDB reads them too. */
  readonly engine: LedgerEngine | null
  readonly rules: AccountingRules
  readonly decimals: number
  /** Sorted as the interface lists accounts. Codes follow this order, so that the cube yields figures in the order of output. */
  readonly accountRows: Intake['accounts']
  /** Accounts that are in no statement; their codes are −1 and below, in this order. */
  readonly outside: Intake['accounts']
  readonly classes: Tree
  readonly departments: Tree
  readonly keys: LedgerKeys
  readonly forms: AccountForms<number>
  readonly files: readonly string[]
  readonly statedYears: Intake['fiscalYears']
  readonly findings: Finding[]
}

/** What the steps need, before any line is read. */
export function makingOf(
  db: Database,
  company: Company,
  intake: Intake,
  closedThrough: string | null,
  engine: LedgerEngine | null = null,
  rules: AccountingRules = NEWEST_RULES,
): Making {
  const { rows, outside } = apart(intake.accounts)
  const accountRows = inWireOrder(rows)
  const classes = treeOf(intake.classes)
  const departments = treeOf(intake.departments)
  const written = [
    ...accountRows.map((row, code) => ({ ...row, means: code })),
    ...outside.map((row, i) => ({ ...row, means: -1 - i })),
  ]
  const accounts = writtenAccountKeys(written)
  return {
    ...{ db, company, closedThrough, engine, rules, accountRows, outside, classes, departments },
    intake: outside.length === 0 ? intake : withinStatements(intake, accounts),
    decimals: currencyDecimals(company.currency),
    keys: {
      accounts,
      classes: memberKeys(classes, 'class', intake.ledger),
      departments: memberKeys(departments, 'department', intake.ledger),
    },
    forms: new AccountForms(written),
    files: bookFiles(intake),
    statedYears: company.fiscalYears ?? intake.fiscalYears,
    findings: [],
  }
}

/** Members by id and name; and by the tags of files, which name them by id. */
function memberKeys({ members }: Tree, of: 'class' | 'department', inputs: Intake['ledger']): Keys {
  const keys = keysOf(members.map((member, i) => ({ id: member.id, other: member.name, means: i + 1 })))
  const tags = inputs.flatMap((input) => (input.kind === 'csv' ? [...(input.tags ?? [])] : []))
  if (tags.length === 0) return keys
  const codes = new Map(members.map(({ id }, i) => [id, i + 1]))
  return new Map([
    ...keys,
    ...tags.map(([text, { [of]: id }]) => [text, id === null ? 0 : (codes.get(id) ?? null)] as const),
  ])
}

export interface Lines {
  readonly entries: Awaited<ReturnType<typeof surveyEntries>>
  readonly inputs: readonly InputTotals[]
  readonly leftOut: Parameters<typeof areLinesKnown>[2]
  /** What an engine found; null where DuckDB answers. */
  readonly facts: LedgerFacts | null
  /** Lines that were left out and entries that do not balance. Differences that they explain are not reported again. */
  readonly mistakes: KnownMistakes
}

/** Reads the ledger into the table `line`, checks it, and leaves out what cannot be read. */
export async function readLines(making: Making): Promise<Lines> {
  const { db, company, intake, keys, files, findings, accountRows } = making
  const options = loadOptions(making)
  const engine = await askEngine(making, options)
  const readings = await loadLedger(db, intake.ledger, keys, options, engine?.linesOf).finally(
    engine?.dispose,
  )
  await readAccountForms(making)
  const readFindings = readings.flatMap((reading) => reading.findings)
  const sums = intake.totals.length === 0 ? null : await readSums(db, company.rounding !== undefined)
  // An entry may be in rows that could not be read.
  const isWhole = !hasErrors(readFindings) && intake.unread.length === 0
  findings.push(
    ...intake.findings,
    ...readFindings,
    ...(hasErrors(readFindings) ? [] : await unreadFindings(db, intake.ledger, company.currency)),
    ...(await markFindings(db, company, files, keys.accounts)).filter(
      ({ code, severity }) => isWhole || code !== 'mark-without-match' || severity === 'error',
    ),
    ...(await leaveOutOutside(making)),
  )
  const facts = engine?.facts ?? null
  const entries = facts?.entries ?? (await surveyEntries(db))
  const checking = {
    ...unreadIn(making),
    rules: making.rules,
    rejected: readFindings,
    decimals: making.decimals,
    rounding: roundingRule(company.rounding, making.decimals),
    currency: company.currency,
    inputs: intake.ledger,
    differing: intake.differing,
    keys,
    entries,
    likelyAccount: (text: string) => {
      const account = accountRows[making.forms.likely(text) ?? -1]
      return account === undefined ? null : accountLabel(account)
    },
  }
  const rowFindings = await checkLedger(db, checking, facts)
  findings.push(...notReported(intake.findings, rowFindings))
  if (isWhole && !rowFindings.some(({ code }) => code === 'unbalanced-transaction'))
    findings.push(...(await joinedFindings(db, files)))
  const again = await countedTwice(db, intake.ledger)
  findings.push(...(await numberedTwice(db, intake.ledger)), ...again)
  findings.push(...(await doubledFindings(db, files, entries, findings)))
  const totals = facts?.totals ?? (await fileTotals(db))
  const inputs = inputTotals(intake.ledger, readings, totals)
  const leftOut = [
    ...leftOutOf(
      [...intake.unread, ...again.filter(({ severity }) => severity === 'error').flatMap(besideAmounts)],
      keys.accounts,
    ),
    ...(await leaveOutUnread(db, checking, rowFindings)),
  ]
  const mistakes = new KnownMistakes(leftOut, hasErrors(findings) ? await differencesOf(db) : [])
  if (sums !== null) findings.push(...totalFindings(intake, sums, making.decimals, mistakes))
  return { entries, inputs, leftOut, mistakes, facts }
}

/** Lets the engine that the ledger names read its files; null where none is named. */
async function askEngine(making: Making, options: LedgerOptions): Promise<EngineAnswer | null> {
  const { db, company, intake, keys, accountRows, outside, engine } = making
  const inputs = intake.ledger.flatMap((input, file) =>
    input.kind === 'parquet' && input.engine !== undefined ? [{ file, input }] : [],
  )
  if (inputs.length === 0 || engine === null) return null
  // A cluster is not asked about a ledger that is refused already.
  if (hasErrors(intake.findings)) throw new FindingsError(intake.findings)
  const equity = accountRows.flatMap(({ classification }, code) =>
    classification === 'Equity' ? [code] : [],
  )
  const answer = await engine.read(db, { inputs, keys, options, equity, wrong: anyWrong(company) })
  return {
    ...answer,
    linesOf: (file) => (inputs.some((each) => each.file === file) ? answer.linesOf(file) : null),
    // Entries may have lines in the other files as well; and the engine does not know which lines are in no statement.
    facts: inputs.length === intake.ledger.length && outside.length === 0 ? answer.facts : null,
  }
}

type EngineAnswer = Omit<EngineResult, 'linesOf'> & { readonly linesOf: ReadLines }

/**
 * Gives lines their accounts where the text means exactly one. A number without its leading zeros is read only where no line has the
 * account by its own number: else both may be accounts, and the chart lacks one.
 */
async function readAccountForms({ db, intake, decimals, forms }: Making): Promise<void> {
  const used = await db.rows<{ account: number | null }>('SELECT DISTINCT account FROM line')
  const isUsed = new Set(used.map(({ account }) => account))
  if (!isUsed.has(null)) return
  await loadText(db, intake.ledger, decimals, 'account IS NULL')
  const texts = await db.rows<{ text: string }>(
    `SELECT DISTINCT value_of(raw.account) AS text FROM line JOIN raw USING (file, row)
     WHERE line.account IS NULL AND value_of(raw.account) IS NOT NULL`,
  )
  const meant = texts.flatMap(({ text }): [string, number][] => {
    const bare = forms.findWithoutZeros(text)
    const code = forms.find(text) ?? (isUsed.has(bare) ? null : bare)
    return code === null ? [] : [[text, code]]
  })
  await db.run('CREATE TEMP TABLE meant (text VARCHAR, code INTEGER)')
  await db.append('meant', meant)
  await db.run(
    `UPDATE line SET account = own.code FROM (SELECT file, row, code FROM raw JOIN meant ON value_of(raw.account) = text) AS own
     WHERE line.account IS NULL AND line.file = own.file AND line.row = own.row;
     DROP TABLE meant; DELETE FROM raw`,
  )
}

/** The options for reading the ledger: marks of opening and closing entries, fiscal years, rounding. */
function loadOptions({ company, intake, files, statedYears, decimals }: Making): LedgerOptions {
  const rounding = roundingRule(company.rounding, decimals)
  return {
    decimals,
    currency: company.currency,
    reach: rounding?.reach ?? null,
    extras: extrasOf(intake.ledger),
    opening: {
      ...entryMarks(company.opening),
      journals: company.opening?.journals ?? intake.openingJournals,
      files: (company.opening?.files ?? []).flatMap((pattern) => matching(files, pattern)),
      transactions: company.opening?.transactions ?? [],
    },
    closing: { ...entryMarks(company.closing), types: company.closing?.types ?? intake.closingTypes },
    adjustmentPeriods: company.adjustmentPeriods ?? {},
    yearEndOf: (year: number) => yearEndIn(year, statedYears, company.fiscalMonthEnd),
  }
}

/** The rows that could not be read: the entries that they belong to, and those of unknown entries. */
function unreadIn({ intake }: Making) {
  const named = intake.unread.flatMap(({ file, row, entry }) =>
    [entry ?? []].flat().map((each) => ({ file, row, entry: each })),
  )
  return {
    lacking: named.flatMap(({ entry }) => (entry.endsWith(' ') ? [] : entry)),
    ofSomeEntry: named.flatMap(({ file, row, entry }) =>
      entry.endsWith(' ') ? [{ file, row, begins: entry }] : [],
    ),
    ofAnyEntry: intake.unread.filter(({ entry }) => entry === null),
  }
}

/** Whether enough was read to continue. If not, the findings say why. */
export const canGoOn = ({ findings, keys, intake }: Making, { leftOut }: Lines): boolean =>
  areLinesKnown(findings, keys.accounts, leftOut, intake.sources)

/**
 * Adds findings about figures of the sources that contradict their own rows. It runs last, when it is known which other mistakes
 * explain them.
 */
export function reportContradictions({ findings, intake }: Making, { mistakes }: Lines): void {
  const { unexplained, ofOpenings } = mistakes.contradictions(intake.differing)
  const shown = findings.map((found) =>
    found.code === 'opening-unbalanced' ? withEvidence(found, ofOpenings) : found,
  )
  findings.splice(0, findings.length, ...shown, ...unexplained)
}

/** A column that has more than {@link MOST_VALUES} in so many rows holds texts or numbers, unless its header says otherwise. */
const SAMPLE = 20_000

/** Columns of ledgers that nobody reads: what may change the meaning of rows is asked, by all their values. */
async function unreadFindings(
  db: Database,
  inputs: readonly LedgerInput[],
  currency: string,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const key of new Set(inputs.flatMap(({ others }) => others?.key ?? []))) {
    const own = inputs.filter(({ others }) => others?.key === key)
    const files: Unclaimed[] = []
    for (const input of own) files.push({ file: input.file, values: await valuesOf(db, input) })
    const canSkip = own.every(({ kind }) => kind === 'csv')
    findings.push(...claimFormat(files, own[0]?.others?.answers ?? {}, { currency, canSkip }, key))
  }
  return findings
}

async function valuesOf(db: Database, input: LedgerInput): Promise<Values> {
  const headers = input.others?.headers ?? []
  const sampled = await countedIn(db, input, headers, `LIMIT ${SAMPLE}`)
  const isText = (header: string) =>
    meaningOfHeader(header) === null && sampled.filter((each) => each.header === header).length > MOST_VALUES
  const all: Values = new Map()
  const kept = headers.filter((header) => !isText(header))
  for (const { header, value, times } of await countedIn(db, input, kept)) countIn(all, header, value, times)
  return all
}

/** How many rows hold each value of these columns, in one pass over the file. */
async function countedIn(db: Database, input: LedgerInput, headers: readonly string[], limit = '') {
  if (headers.length === 0) return []
  const from = input.kind === 'csv' ? recordsSql(input, 'ignore_errors = true') : parquetSql(input.path)
  const cells = headers.map((header) =>
    input.kind === 'csv' ? `c${input.header.indexOf(header)}` : `${identifier(header)}::VARCHAR`,
  )
  const found = await db.rows<{ place: string; value: string; times: string }>(`
    SELECT place::VARCHAR AS place, coalesce(trim(cell), '') AS value, count(*)::VARCHAR AS times
    FROM (SELECT unnest(range(${headers.length})) AS place, unnest([${cells.join(', ')}]) AS cell FROM (SELECT * FROM ${from} ${limit}))
    GROUP BY ALL ORDER BY place, value`)
  return found.map(({ place, value, times }) => ({
    header: headers[Number(place)] ?? '',
    value,
    times: Number(times),
  }))
}
