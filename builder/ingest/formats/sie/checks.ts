/** What is wrong with SIE files as a whole: their type, company, currency, years, accounts and history; and whether a year opens as the one before closed. */
import { byCodePoint, isProfitAndLoss } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../workspace/company.ts'
import { error, type Finding, note, warning } from '../../../workspace/findings/finding.ts'
import { type AccountKind, kindFindings, type UsedAccount } from '../../format/account-kinds.ts'
import { nameOf } from '../../format/entry-names.ts'
import type { Intake } from '../../format/intake.ts'
import { declarationOf } from './accounts.ts'
import type { Reading } from './figures.ts'
import type { SieBalance, SieFile } from './records.ts'

/** Transactions with balances, of a whole fiscal year: the one type of SIE file that books can be made of. */
const EXPORT_TYPE_4E = 'export SIE type 4E (transactions, with balances) for the whole fiscal year'

/** Why a file cannot be built at all, or not in this company. */
export function suitability(file: SieFile, company: Pick<Company, 'currency' | 'opening'>): Finding[] {
  const unusable = notType4(file)
  if (unusable.length > 0) return unusable
  const findings = [...withoutBalances(file, company), ...otherCurrency(file, company)]
  // A voucher of which no line can be read is damaged; each of its lines has its own finding.
  if (file.lineCount === 0 && !file.hasDamage)
    findings.push(
      warning('no-vouchers', 'the file holds no voucher lines; its openings and closings are not read', {
        file: file.file,
        row: 1,
        remedy: EXPORT_TYPE_4E,
      }),
    )
  return findings
}

function notType4({ file, type, years }: SieFile): Finding[] {
  const place = { file, row: 1, remedy: EXPORT_TYPE_4E }
  if (type !== '4')
    return [
      error(
        'sie-type',
        type === null
          ? 'the file does not say its type (#SIETYP), so it holds no vouchers'
          : `the file is SIE type ${type}: it states balances but holds no vouchers, so figures cannot be traced`,
        { ...place, text: type },
      ),
    ]
  if (years.has(0)) return []
  return [
    error(
      'sie-import-file',
      'the file states no current fiscal year (#RAR 0): it is a file for importing vouchers (4I), without openings',
      place,
    ),
  ]
}

/** Books begin with balances, unless company.yaml says that there are none. */
function withoutBalances(file: SieFile, { opening }: Pick<Company, 'opening'>): Finding[] {
  if (statesBalances(file) || file.lineCount === 0 || opening?.none === true) return []
  const unreadable = file.findings.find(isOfBalance)
  if (unreadable !== undefined)
    return [
      error('balances-unreadable', 'the file states balances (#IB, #UB), but not one of them can be read', {
        file: file.file,
        row: unreadable.row,
        remedy:
          'correct the lines as they are named one by one, or export the file again: SIE writes #IB, year, account, amount, such as #IB 0 1930 1234.50',
      }),
    ]
  return [
    error(
      'sie-import-file',
      'the file holds vouchers, but no balances (#IB, #UB): it is a file for importing vouchers into a program (SIE 4I), not a whole year of books',
      {
        file: file.file,
        row: 1,
        remedy: `${EXPORT_TYPE_4E}; where the books begin with these vouchers, write "opening: none" in company.yaml of the company's folder, and add the file again`,
      },
    ),
  ]
}

function otherCurrency(file: SieFile, company: Pick<Company, 'currency'>): Finding[] {
  if (file.currency === company.currency) return []
  return [
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
  ]
}

/** A file that states balances names only accounts that have one: all others stand at zero. */
const statesBalances = ({ balances }: SieFile): boolean =>
  balances.some(({ label, year }) => year === 0 && (label === 'IB' || label === 'UB'))

/** Whether a finding is of a line that seems to be an opening or closing balance of the year. */
const isOfBalance = ({ severity, text }: Finding): boolean =>
  severity === 'error' && /^#(IB|UB)\s+[^-\s]/i.test(text ?? '')

/** Whether the file states what accounts opened with, be it in lines that cannot be read. */
export const statesOpenings = (file: SieFile): boolean =>
  statesBalances(file) || file.findings.some(isOfBalance)

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
    for (const [account, line] of file.vouchers.accounts) use({ account, line })
    file.balances.forEach(use)
  }
  return uses
}

/** Accounts that are used without a kind, a name, or a confirmation in company.yaml. */
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
    ...budgets.flatMap(({ rows }) => [...rows].map(({ account }) => account)),
  ])
  const accounts = [...used].sort(byCodePoint).map((id): UsedAccount => {
    const { file, line } = uses.get(id) ?? { file: null, line: 0 }
    const name = declarationOf(id, files)?.account.name ?? ''
    return { file: file?.file ?? '', row: line, id, number: id, name, kind: kinds.get(id) ?? null }
  })
  return [
    ...kindFindings(accounts, company, { column: '#KONTO' }),
    ...accounts.flatMap((account) => [
      ...(account.name === '' ? [undeclaredAccount(account)] : []),
      ...(account.kind?.by === 'guess' ? [assumedAccount(account, account.kind)] : []),
      ...retyped(account, files),
    ]),
  ]
}

/** Of income or expenses in one file, and of the balance sheet in another (#KTYP): the number means another account since. */
function retyped({ id, name: own, kind }: UsedAccount, files: readonly SieFile[]): Finding[] {
  const said = files.flatMap(({ file, accounts, accountKinds }) => {
    const type = accountKinds.get(id)
    const [name, row] = [accounts.get(id)?.name, accounts.get(id)?.line ?? null]
    return type === undefined ? [] : [{ file, row, name, type, isResult: type === 'I' || type === 'K' }]
  })
  const last = said.at(-1)
  const other = said.find(({ isResult }) => isResult !== last?.isResult)
  if (last === undefined || other === undefined) return []
  return [
    warning(
      'account-changes-kind',
      `account ${nameOf(id, own)} has the type ${last.type} in ${last.file}, and ${other.type} as ${other.name ?? id} in ${other.file} (#KTYP); it counts as ${kind?.classification ?? 'neither'} in all years`,
      {
        ...{ file: last.file, row: last.row, column: '#KTYP', text: id },
        remedy:
          'give the new account a number of its own in the accounting program, or state under "accounts" what it is',
      },
    ),
  ]
}

const undeclaredAccount = ({ file, row, id }: UsedAccount): Finding =>
  warning('undeclared-account', `account ${id} is used but not declared (#KONTO)`, {
    ...{ file, row, text: id },
    remedy: 'declare it in the accounting program, for the sake of its name',
  })

const assumedAccount = ({ file, row, id, name }: UsedAccount, { classification }: AccountKind): Finding =>
  warning(
    'assumed-account',
    `account ${nameOf(id, name)} is a P&L account (it is in #RES) outside the BAS classes; it is read as ${classification}`,
    {
      ...{ file, row, text: id },
      remedy: `state its classification under "accounts" in company.yaml, such as "${id}": { classification: Asset }`,
    },
  )

export function history({ file, history: { added, struck, firstLine } }: SieFile): Finding[] {
  if (firstLine === null) return []
  return [
    note(
      'voucher-history',
      `${added === 1 ? '1 line was' : `${added} lines were`} added to vouchers later (#RTRANS) and ${struck} ${struck === 1 ? 'was' : 'were'} struck (#BTRANS); the history stays in the file and never counts`,
      {
        file,
        row: firstLine,
        remedy: 'nothing to do: each added line counts through the #TRANS that repeats it',
      },
    ),
  ]
}

type Classified = Pick<Reading, 'classificationOf' | 'shown'>

/**
 * Whether a year opens (#IB 0) with what the file states as the close of the year before (#UB -1, #RES -1). The figures of
 * the year before are not published, so a difference is a warning: the file of that year is compared with its own closings.
 */
export function continuity(file: SieFile, reading: Classified): Finding[] {
  const of = (label: SieBalance['label'], year: number) =>
    file.balances.filter((row) => row.label === label && row.year === year && row.objects.length === 0)
  const closings = of('UB', -1)
  const openings = of('IB', 0)
  const results = of('RES', -1)
  return [
    ...(closings.length === 0 || openings.length === 0
      ? []
      : notCarried(file.file, closings, openings, sum(results), reading)),
    ...(closings.length === 0 || results.length === 0
      ? []
      : unequalResult(file.file, closings, results, sum(of('IB', -1)), reading)),
  ]
}

const sum = (rows: readonly SieBalance[]): number => rows.reduce((total, { minor }) => total + minor, 0)

/** Equity may differ by the result of the year before, which some programs move without an entry. */
function notCarried(
  file: string,
  closings: readonly SieBalance[],
  openings: readonly SieBalance[],
  result: number,
  { classificationOf, shown }: Classified,
): Finding[] {
  const closed = new Map(closings.map((row) => [row.account, row.minor]))
  const opened = new Map(openings.map((row) => [row.account, row.minor]))
  // Of each account its opening, else its closing: the line that a difference is reported on.
  const stated = new Map([...closings, ...openings].map((row) => [row.account, row]))
  const differences = [...stated.values()].flatMap(({ account, line }) => {
    const classification = classificationOf(account)
    const before = closed.get(account) ?? 0
    const after = opened.get(account) ?? 0
    if (before === after || (classification !== null && isProfitAndLoss(classification))) return []
    return [{ account, line, before, after, isEquity: classification === 'Equity' }]
  })
  const moved = differences
    .filter(({ isEquity }) => isEquity)
    .reduce((total, { before, after }) => total + after - before, 0)
  const named = differences.filter(({ isEquity }) => !isEquity || (moved !== 0 && moved !== result))
  const [first] = named
  if (first === undefined) return []
  const list = named.map(
    ({ account, before, after }) => `${account} closes with ${shown(before)} and opens with ${shown(after)}`,
  )
  return [
    warning(
      'closing-not-carried',
      `the year does not open with what the year before closed with (#UB -1, #IB 0): ${list.join('; ')}`,
      {
        file,
        row: first.line,
        column: '#IB',
        text: first.account,
        remedy:
          'was the year before changed after it was closed? carry its balances forward in the accounting program and export again; where the openings are right, nothing need be done',
      },
    ),
  ]
}

/**
 * Balances and results of a year are one trial balance, which adds up to zero, or to the results of earlier years that were
 * not moved when it opened.
 */
function unequalResult(
  file: string,
  closings: readonly SieBalance[],
  results: readonly SieBalance[],
  unmoved: number,
  { shown }: Classified,
): Finding[] {
  const difference = sum(closings) + sum(results)
  const [first] = results
  if (difference === 0 || difference === unmoved || first === undefined) return []
  return [
    warning(
      'prior-result-differs',
      `the results of the year before (#RES -1) add up to ${shown(sum(results))}, its closing balances (#UB -1) to ${shown(sum(closings))}: they should be each other's opposite, and differ by ${shown(difference)}`,
      {
        file,
        row: first.line,
        column: '#RES',
        remedy: 'export the file again, in full; these figures are not published',
      },
    ),
  ]
}
