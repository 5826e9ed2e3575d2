/** What a SAF-T file says as a whole, in one pass that keeps no line: header, accounts, codes, dates, sums, and what is wrong. */
import type { TableOptions } from '../../../workspace/company.ts'
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import { handled } from '../../../workspace/handled.ts'
import { share } from '../../../workspace/threads.ts'
import { addAll, type Values } from '../../claims/claim-format.ts'
import type { AccountKind } from '../../format/account-kinds.ts'
import type { SourceFile } from '../../format/format.ts'
import { WHOLE, type XmlPart, xmlParts } from '../../format/xml-parts.ts'
import { xmlEncoding } from '../../format/xml-records.ts'
import type { Encoding } from '../../text/decode.ts'
import { isHeaderAccount } from './accounts.ts'
import type { Declared } from './dimensions.ts'
import {
  type Context,
  EntriesSurveyor,
  joinEntries,
  kindIn,
  type Moved,
  placeEntries,
  type SaftEntries,
} from './entries.ts'
import { HeadSurveyor, type SaftHead } from './head.ts'
import { NESTING, type SaftAccount, type SaftHeader, type SaftText } from './parse.ts'
import { type FileSurvey, type PartSurvey, type PlacedPart, type SaftHands, surveyFile } from './parts.ts'
import { PeriodVotes } from './periods.ts'
import { BEGINNING, behind } from './places.ts'
import { sumFindings } from './sums.ts'

export interface SaftSurvey {
  readonly source: SourceFile
  /** Path relative to the company's folder. */
  readonly file: string
  readonly encoding: Encoding
  /** Null where the file cannot be read. */
  readonly header: SaftHeader | null
  readonly accounts: ReadonlyMap<string, SaftAccount>
  readonly kinds: ReadonlyMap<string, AccountKind | null>
  readonly taxonomy: string
  readonly declared: readonly Declared[]
  readonly types: SaftEntries['types']
  /** Account → the first line that posts to it. */
  readonly used: ReadonlyMap<string, number>
  readonly moved: ReadonlyMap<string, Moved>
  readonly notClosing: SaftEntries['notClosing']
  readonly votes: PeriodVotes
  readonly firstDate: string
  readonly lastDate: string
  readonly rows: number
  readonly findings: readonly Finding[]
  /** Of elements that are not read. */
  readonly others: Values
  /** How others read the file; null where this thread did. */
  readonly divided: Divided | null
}

export interface Divided {
  /** What stands above the first part; null where the file is one part. */
  readonly head: XmlPart | null
  readonly parts: readonly PlacedPart[]
}

/** A file that can be read has a header. */
export type ReadableSurvey = SaftSurvey & { readonly header: SaftHeader }
export const isReadable = (survey: SaftSurvey): survey is ReadableSurvey => survey.header !== null

/** With `hands` others read the file, a large one in parts. What is found is the same. */
export async function surveySaft(
  source: SourceFile,
  company: Context,
  form: Pick<TableOptions, 'encoding'>,
  hands: SaftHands | null,
): Promise<SaftSurvey> {
  const { file, path, scan } = source
  const { encoding, finding } = xmlEncoding(source, form)
  const surveyed = (reading: Reading): SaftSurvey => surveyOf(source, encoding, company, reading)
  if (finding !== null) return surveyed({ ...NOTHING, finding })
  const text = { file, path, encoding, part: WHOLE }
  if (hands !== null && scan.bytes <= 2 * hands.partBytes)
    return surveyed({
      ...wholeOf(await hands.make('surveyFile', { text, context: company })),
      divided: WHOLE_FILE,
    })
  const inParts = hands === null ? null : await surveyInParts(text, company, hands)
  return surveyed(inParts ?? wholeOf(await surveyFile({ text, context: company })))
}

/** What was read of a file. */
interface Reading {
  /** Why it was not read to its end; null where it was. */
  readonly finding: Finding | null
  readonly head: SaftHead
  readonly entries: SaftEntries
  readonly others: Values
  readonly divided: Divided | null
}

const WHOLE_FILE: Divided = { head: null, parts: [{ part: WHOLE, position: BEGINNING }] }

const wholeOf = ({ read, head, entries }: FileSurvey): Reading => ({
  ...{ finding: read.finding, others: read.others, head, entries },
  divided: null,
})

/** Null where the parts do not give what the whole file does: its tags are not as usual, or something in it is refused. */
async function surveyInParts(text: SaftText, company: Context, hands: SaftHands): Promise<Reading | null> {
  const parts = xmlParts(text.path, NESTING, hands.partBytes)
  const first = await parts.next()
  if (first.done || first.value === WHOLE) return null
  const above = await surveyFile({ text: { ...text, part: first.value }, context: company })
  const shared = share({
    above: { header: above.head.header, accounts: above.head.accounts },
    context: company,
  })
  const surveyed: { readonly part: XmlPart; readonly survey: Promise<PartSurvey> }[] = []
  for await (const part of parts) {
    surveyed.push({
      part,
      survey: handled(hands.make('surveyPart', { text: { ...text, part }, shared })),
    })
  }
  const read = await Promise.all(surveyed.map(async ({ part, survey }) => ({ part, ...(await survey) })))
  return joinParts(first.value, above, read)
}

/** Null where a part does not begin as the one before it ended. */
function joinParts(
  top: XmlPart,
  { read, head, entries }: FileSurvey,
  surveyed: readonly (PartSurvey & Pick<PlacedPart, 'part'>)[],
): Reading | null {
  if (read.finding !== null || head.refusal !== null) return null
  const parts: PlacedPart[] = []
  const all = [entries]
  let { ends } = read
  let position = behind(BEGINNING, read.extent)
  for (const { part, ...each } of surveyed) {
    if (each.read.finding !== null || each.isMixed || each.read.begins !== ends) return null
    parts.push({ part, position })
    all.push(placeEntries(each.entries, position))
    ends = each.read.ends
    position = behind(position, each.read.extent)
  }
  const joined = joinEntries(all)
  const { others } = read
  for (const each of surveyed) addAll(others, each.read.others)
  return joined && { finding: null, head, entries: joined, others, divided: { head: top, parts } }
}

/** Of a file that is not read. */
const NOTHING: Omit<Reading, 'finding'> = {
  head: new HeadSurveyor('').head(),
  entries: new EntriesSurveyor('', new HeadSurveyor(''), { accounts: undefined, decimals: 0 }).entries(),
  others: new Map(),
  divided: null,
}

function surveyOf(
  source: SourceFile,
  encoding: Encoding,
  company: Context,
  { finding, head, entries, others, divided }: Reading,
): SaftSurvey {
  const { file } = source
  const { header, accounts, declared, taxonomy } = head
  const used = new Map([...entries.used].map(([id, { row }]) => [id, row]))
  const fatal = finding ?? head.refusal ?? entries.refusal ?? suitability(file, head, entries)
  const findings =
    fatal === null
      ? [
          ...head.findings,
          ...sumFindings(file, entries, company.decimals),
          ...accountFindings(file, accounts, used),
        ]
      : [fatal]
  const ids = [...accounts.keys(), ...used.keys()]
  return {
    ...{ source, file, encoding, accounts, taxonomy, declared, used, findings, others, divided },
    header: fatal === null ? header : null,
    kinds: new Map(ids.map((id) => [id, kindIn(head, id, company.accounts)])),
    types: entries.types,
    moved: entries.moved,
    notClosing: entries.notClosing,
    votes: new PeriodVotes(entries.votes),
    firstDate: entries.firstDate,
    lastDate: entries.lastDate,
    rows: entries.rows,
  }
}

/** Why the file cannot be built at all; null where it can. */
function suitability(
  file: string,
  { header, accounts }: SaftHead,
  { rows, transactions, totals }: SaftEntries,
): Finding | null {
  if (header === null)
    return error('no-header', 'the file has no Header, which states the company and the period', {
      file,
      remedy: 'export the whole SAF-T file',
    })
  const place = { file, row: header.row, column: 'Header', text: header.version || null }
  const what = `SAF-T of ${header.country ?? 'an unnamed country'}, version ${header.version || 'unknown'}`
  if (rows > 0) return null
  if (transactions > 0)
    return error('unknown-saft-version', `${what}: its transactions have no lines of a kind that is read`, {
      ...place,
      remedy:
        'export a Norwegian or Portuguese file, or one with the same elements (Line, DebitLine, CreditLine)',
    })
  // A month without entries still carries its balances.
  if (totals !== null && accounts.size > 0) return null
  return error(
    'no-general-ledger',
    header.country === 'PT' && !/^[CI]$/.test(header.basis)
      ? `${what}, TaxAccountingBasis ${header.basis || 'unknown'}: it holds invoices, and not a general ledger`
      : `${what}: it holds no general ledger entries`,
    {
      ...place,
      remedy:
        header.country === 'PT'
          ? 'export the SAF-T (PT) of accounting (contabilidade, type C or I), not that of invoices (faturação)'
          : 'export SAF-T Financial with its GeneralLedgerEntries',
    },
  )
}

function accountFindings(file: string, accounts: SaftHead['accounts'], used: SaftSurvey['used']): Finding[] {
  if (accounts.size === 0)
    return [
      error('no-accounts', 'the file declares no accounts, so that their opening balances are unknown', {
        file,
        remedy: 'export it with its master files (GeneralLedgerAccounts)',
      }),
    ]
  const headers = [...used].filter(([id]) => {
    const account = accounts.get(id)
    return account !== undefined && isHeaderAccount(account)
  })
  const unknown = [...used].filter(([id]) => !accounts.has(id))
  const list = (found: readonly (readonly [string, number])[]) =>
    found
      .map(([id]) => id)
      .join(', ')
      .slice(0, 400)
  return [
    ...headers.slice(0, 1).map(([id, row]) =>
      error('header-account', `lines post to accounts that are headers of the chart: ${list(headers)}`, {
        file,
        row,
        column: 'AccountID',
        text: id,
        remedy: 'post to the accounts below them (GroupingCategory GM), or correct the chart',
      }),
    ),
    ...unknown.slice(0, 1).map(([id, row]) =>
      warning(
        'undeclared-account',
        `${unknown.length === 1 ? 'an account is' : `${unknown.length} accounts are`} used but not declared, so without opening balance: ${list(unknown)}`,
        {
          file,
          row,
          column: 'AccountID',
          text: id,
          remedy: 'export the file with all its accounts (GeneralLedgerAccounts)',
        },
      ),
    ),
  ]
}
