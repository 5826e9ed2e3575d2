/** What a SAF-T file says as a whole, in one pass that keeps no line: header, accounts, codes, dates, sums, and what is wrong. */
import type { TableOptions } from '../../../workspace/company.ts'
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import { countIn, type Values } from '../../claims/claim-format.ts'
import type { AccountKind } from '../../format/account-kinds.ts'
import type { SourceFile } from '../../format/format.ts'
import { xmlEncoding } from '../../format/xml-records.ts'
import type { Encoding } from '../../text/decode.ts'
import { isHeaderAccount } from './accounts.ts'
import { type Context, kindIn, SaftEntries } from './entries.ts'
import { SaftHead } from './head.ts'
import { type SaftHeader, saftSteps } from './parse.ts'

type OfHead = Pick<SaftHead, 'header' | 'accounts' | 'taxonomy' | 'declared' | 'findings'>
type OfEntries = Omit<SaftEntries, 'visitor' | 'refusal' | 'transactions'>

/** Without a header the file cannot be read. */
export interface SaftSurvey extends OfHead, OfEntries {
  readonly source: SourceFile
  /** Path relative to the company's folder. */
  readonly file: string
  readonly encoding: Encoding
  readonly kinds: ReadonlyMap<string, AccountKind | null>
  /** Of elements that are not read. */
  readonly others: Values
}

/** A file that can be read has a header. */
export type ReadableSurvey = SaftSurvey & { readonly header: SaftHeader }
export const isReadable = (survey: SaftSurvey): survey is ReadableSurvey => survey.header !== null

export async function surveySaft(
  source: SourceFile,
  company: Context,
  form: Pick<TableOptions, 'encoding'>,
): Promise<SaftSurvey> {
  const { file, path } = source
  const { encoding, finding: unreadable } = xmlEncoding(source, form)
  const head = new SaftHead(file)
  const entries = new SaftEntries(file, head, company)
  const others: Values = new Map()
  let finding = unreadable
  if (finding === null) {
    const steps = saftSteps(
      { file, path, encoding },
      { ...head.visitor, ...entries.visitor, other: (name, text) => countIn(others, name, text) },
    )
    let step = await steps.next()
    while (!step.done) step = await steps.next()
    finding = step.value
  }
  const { header, accounts, declared, taxonomy } = head
  const { used, types, moved, notClosing, totals, votes, firstDate, lastDate, rows } = entries
  const fatal = finding ?? head.refusal ?? entries.refusal ?? suitability(file, head, entries)
  const findings =
    fatal === null
      ? [...head.findings, ...countFindings(file, entries), ...accountFindings(file, accounts, used)]
      : [fatal]
  const ids = [...accounts.keys(), ...used.keys()]
  return {
    ...{ source, file, encoding, accounts, taxonomy, declared, findings, others },
    header: fatal === null ? header : null,
    kinds: new Map(ids.map((id) => [id, kindIn(head, id, company.accounts)])),
    ...{ used, types, moved, notClosing, totals, votes, firstDate, lastDate, rows },
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

/** By rule NumberOfEntries is the number of transactions; some programs count the lines. */
function countFindings(file: string, { totals, transactions, rows }: SaftEntries): Finding[] {
  const count = Number(totals?.entries || 'NaN')
  if (totals === null || Number.isNaN(count) || count === transactions || count === rows) return []
  return [
    warning(
      'entry-count-differs',
      `the file states ${count} entries (NumberOfEntries); it holds ${transactions} transactions with ${rows} lines`,
      {
        ...{ file, row: totals.row, column: 'NumberOfEntries', text: totals.entries },
        remedy:
          'export the file again; nothing to do where its totals agree and the program counts otherwise',
      },
    ),
  ]
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
