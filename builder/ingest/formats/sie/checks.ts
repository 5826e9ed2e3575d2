/** What is wrong with SIE files as a whole: their type, company, currency, years, accounts and history. */
import { byCodePoint } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../workspace/company.ts'
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import type { AccountKind } from '../../format/account-kinds.ts'
import type { Intake } from '../../format/intake.ts'
import type { SieFile } from './records.ts'

/** Files that can be built: transactions, with the fiscal year that they belong to. */
export const isType4 = (file: SieFile): boolean => file.type === '4' && file.years.has(0)

/** Why a file cannot be built at all, or not in this company. */
export function suitability(file: SieFile, company: Pick<Company, 'currency' | 'opening'>): Finding[] {
  const place = { file: file.file, row: 1 }
  const remedy = 'export SIE type 4E (transactions, with balances) for the whole fiscal year'
  if (file.type !== '4')
    return [
      error(
        'sie-type',
        file.type === null
          ? 'the file does not say its type (#SIETYP), so it holds no vouchers'
          : `the file is SIE type ${file.type}: it states balances but holds no vouchers, so figures cannot be traced`,
        { ...place, text: file.type, remedy },
      ),
    ]
  if (!file.years.has(0))
    return [
      error(
        'sie-import-file',
        'the file states no current fiscal year (#RAR 0): it is a file for importing vouchers (4I), without openings',
        { ...place, remedy },
      ),
    ]
  const findings: Finding[] = []
  const hasVouchers = file.vouchers.some(({ lineCount }) => lineCount > 0)
  const mayLackBalances = statesBalances(file) || !hasVouchers || company.opening?.none === true
  if (!mayLackBalances && hasUnreadBalances(file))
    findings.push(
      error('balances-unreadable', 'the file states balances (#IB, #UB), but not one of them can be read', {
        ...place,
        row: file.findings.find(isOfBalance)!.row,
        remedy:
          'correct the lines as they are named one by one, or export the file again: SIE writes #IB, year, account, amount, such as #IB 0 1930 1234.50',
      }),
    )
  else if (!mayLackBalances)
    findings.push(
      error(
        'sie-import-file',
        'the file holds vouchers, but no balances (#IB, #UB): it is a file for importing vouchers into a program (SIE 4I), not a whole year of books',
        {
          ...place,
          remedy: `${remedy}; where the books begin with these vouchers, write "opening: none" in company.yaml of the company's folder, and add the file again`,
        },
      ),
    )
  if (file.currency !== company.currency)
    findings.push(
      error(
        'currency-mismatch',
        `the amounts are in ${file.currency}${file.currencyLine === null ? ' (no #VALUTA)' : ''}, the company's currency is ${company.currency}`,
        {
          file: file.file,
          row: file.currencyLine ?? 1,
          column: '#VALUTA',
          text: file.currency,
          remedy: `write currency: ${file.currency} in company.yaml, if that is the currency of the books`,
        },
      ),
    )
  // Lines that cannot be read are there all the same, and are named one by one.
  if (file.vouchers.every(({ lineCount, isDamaged }) => lineCount === 0 && !isDamaged))
    findings.push(
      warning('no-vouchers', 'the file holds no voucher lines; its openings and closings are not read', {
        ...place,
        remedy,
      }),
    )
  return findings
}

/** Accounts without a line had nothing, where others have one. */
export const statesBalances = ({ balances }: SieFile): boolean =>
  balances.some(({ label, year }) => year === 0 && (label === 'IB' || label === 'UB'))

/** A line with an error is an opening or closing balance of the year, as far as can be told. */
const isOfBalance = ({ severity, text }: Finding): boolean =>
  severity === 'error' && /^#(IB|UB)\s+[^-\s]/i.test(text ?? '')
export const hasUnreadBalances = ({ findings }: SieFile): boolean => findings.some(isOfBalance)

export function sameCompany(files: readonly SieFile[]): Finding[] {
  const known = files.find(({ organisation }) => organisation !== null)
  const digits = (text: string | null) => (text ?? '').replace(/\D/g, '')
  return files
    .filter(
      ({ organisation }) => organisation !== null && digits(organisation) !== digits(known!.organisation),
    )
    .map(({ file, organisation }) =>
      error(
        'different-companies',
        `this is a file of ${organisation}, ${known!.file} one of ${known!.organisation}`,
        {
          file,
          row: 1,
          column: '#ORGNR',
          text: organisation,
          remedy: 'give each company its own folder',
        },
      ),
    )
}

export function unknownYears(files: readonly SieFile[]): Finding[] {
  return files.flatMap(({ file, balances, years }) => {
    const unknown = new Map<number, { count: number; line: number }>()
    for (const { year, line } of balances)
      if (!years.has(year))
        unknown.set(year, { line, ...unknown.get(year), count: (unknown.get(year)?.count ?? 0) + 1 })
    return [...unknown].map(([year, { count, line }]) =>
      warning(
        'unknown-year',
        `${count} figures are of year ${year}, which no #RAR dates; they are not read`,
        {
          file,
          row: line,
          text: String(year),
          remedy: 'export the file with all its years (#RAR)',
        },
      ),
    )
  })
}

/** Where each account first stands in the files. */
export type FirstUses = ReadonlyMap<string, { readonly file: SieFile; readonly line: number }>

export function firstUses(files: readonly SieFile[]): FirstUses {
  const uses = new Map<string, { file: SieFile; line: number }>()
  for (const file of files) {
    const use = ({ account, line }: { readonly account: string; readonly line: number }) => {
      if (!uses.has(account)) uses.set(account, { file, line })
    }
    for (const { lines } of file.vouchers) lines.forEach(use)
    file.balances.forEach(use)
  }
  return uses
}

export function accountFindings(
  files: readonly SieFile[],
  kinds: ReadonlyMap<string, AccountKind | null>,
  uses: FirstUses,
  company: Company,
  {
    posted,
    openings,
    budgets,
  }: Pick<Intake, 'openings' | 'budgets'> & { readonly posted: ReadonlySet<string> },
): Finding[] {
  const used = new Set([
    ...posted,
    ...openings.map(({ account }) => account),
    ...budgets.flatMap(({ rows }) => rows.map(({ account }) => account)),
  ])
  const isStated = Object.keys(company.accounts ?? {}).length > 0
  return [...used].sort(byCodePoint).flatMap((id) => {
    const declared = files.findLast(({ accounts }) => accounts.has(id))
    const use = uses.get(id)
    const place = { file: use?.file.file ?? null, row: use?.line ?? null, text: id }
    const name = declared?.accounts.get(id)?.name
    const label = name === undefined ? id : `${id} ${name}`
    const kind = kinds.get(id) ?? null
    const state = `state its classification under "accounts" in company.yaml, such as "${id}": { classification: Asset }`
    const findings: Finding[] = []
    // A chart of accounts beside the SIE file says more; what it leaves out is an unknown account to the books.
    if (kind === null && company.chartOfAccounts === undefined)
      findings.push(
        error(
          'unclassified-account',
          `account ${label} is used, but nothing says what kind of account it is`,
          {
            ...place,
            remedy: state,
          },
        ),
      )
    if (declared === undefined)
      findings.push(
        warning('undeclared-account', `account ${id} is used but not declared (#KONTO)`, {
          ...place,
          remedy: 'declare it in the accounting program, for the sake of its name',
        }),
      )
    if (kind?.by === 'guess')
      findings.push(
        warning(
          'assumed-account',
          `account ${label} is a P&L account (it is in #RES) outside the BAS classes; it is read as ${kind.classification}`,
          { ...place, remedy: state },
        ),
      )
    else if (kind !== null && isStated && kind.by !== 'stated')
      findings.push(
        warning(
          'account-not-stated',
          `account ${label} is not under "accounts" in company.yaml; by its number it is read as ${kind.classification}${kind.type ? `, ${kind.type}` : ''}`,
          { ...place, column: 'accounts', remedy: 'add it, or run "tieout add" with the file again' },
        ),
      )
    return findings
  })
}

export function history({ file, history: { added, struck, firstLine } }: SieFile): Finding[] {
  if (firstLine === null) return []
  return [
    warning(
      'voucher-history',
      `${added} lines were added to vouchers later (#RTRANS) and ${struck} were struck (#BTRANS); the history stays in the file and never counts`,
      {
        file,
        row: firstLine,
        remedy: 'nothing to do: each added line counts through the #TRANS that repeats it',
      },
    ),
  ]
}
