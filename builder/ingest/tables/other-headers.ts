/**
 * Headers that other programs give the columns of a ledger, which only `tieout add` uses, and writes its guess into
 * company.yaml to be checked; and those of a budget.
 */
import { LEDGER_COLUMNS, type LedgerColumn } from '../format/ledger-columns.ts'

export type NamedColumn = LedgerColumn | 'direction'

const NAMES: { readonly [column in NamedColumn]?: string } = {
  transaction_id:
    'internal id|txn no|journal no|journal number|journal id|journal|entry no|entry number|entry|vch no|voucher no|voucher number|voucher|transaction no|transaction number|transaction|trans no|trans|document no|documentno|document number|doc no|beleg|belegnr|belegnummer|buchungsnummer|verifikat|verifikation|verifikationsnummer|verifikationsnr|ver nr|vernr|bilag|bilagsnr|bilagsnummer|ecriturenum|num|je header name',
  date: 'posting date|post date|transaction date|trans date|entry date|journal date|gl date|accounting date|buchungsdatum|belegdatum|datum|bokföringsdatum|verifikationsdatum|bogføringsdato|bilagsdato|dato|ecrituredate|posted date|effective date',
  account:
    'account no|account number|account code|account id|acct no|acct|gl account|gl account no|gl code|nominal code|ledger account|sachkonto|ledger|konto|kontonr|kontonummer|comptenum|nc',
  debit:
    'accounted dr|debit amount|debit amt|amount debit|amount (debit)|dr|soll|sollbetrag|betrag soll|debet|debetbelopp',
  credit:
    'accounted cr|credit amount|credit amt|amount credit|amount (credit)|cr|haben|habenbetrag|betrag haben|kredit|kreditbelopp',
  amount:
    'net amount|signed amount|amount in local currency|amount in local cur|amount in lc|amount in company code currency|betrag in hauswährung|betrag in hausw|betrag in buchungskreiswährung|net|value|umsatz (ohne sollhaben kz)|umsatz|betrag|belopp|beløp|beløb',
  memo: 'description|line description|memo description|narration|details|text|buchungstext|verifikationstext|vertext|tekst|ecriturelib|transaction details',
  direction:
    'dc|drcr|debitcredit|debit credit|dc indicator|debit credit indicator|sollhaben|sollhaben kennzeichen|sh|side|sens',
  journal: 'jrnl|journal code|source code|source',
  type: 'document type|transaction type|trans type|doc type',
  reference: 'ref|ref no|reference no|reference number|referenz|referens|document reference',
}

/** No usual name of a column is as long. */
const LONG = 200

/** Ignores capitals, points, slashes and the sign #. */
export const plainHeader = (header: string): string =>
  header.length > LONG
    ? header
    : header
        .toLowerCase()
        .replace(/[._#:/-]+/g, (sign) => (sign === '/' ? '' : ' '))
        .replace(/\s+/g, ' ')
        .trim()

/** Those of `headers` that are usual names of the column, ours or another program's, the most usual first. */
export function namedColumns(column: NamedColumn, headers: readonly string[]): readonly string[] {
  const names = [column.replace('_', ' '), ...(NAMES[column]?.split('|') ?? [])]
  return names.flatMap((name) => headers.find((cell) => plainHeader(cell) === name) ?? [])
}

export const namedColumn = (column: NamedColumn, headers: readonly string[]): string | undefined =>
  namedColumns(column, headers)[0]

/**
 * Guesses the column map of a ledger with headers of another program. `transaction_id` is null where it is not
 * found; the map is null where the header lacks date, account or amounts.
 */
export function guessColumns(header: readonly string[]): { readonly [column: string]: string | null } | null {
  const taken = new Set<string>()
  const map: Record<string, string | null> = {}
  for (const column of LEDGER_COLUMNS) {
    const found = namedColumn(
      column,
      header.filter((cell) => !taken.has(cell)),
    )
    if (found === undefined) continue
    taken.add(found)
    map[column] = found
  }
  const isMoney = map.amount !== undefined || (map.debit !== undefined && map.credit !== undefined)
  if (map.date === undefined || map.account === undefined || !isMoney) return null
  // An amount beside debit and credit would contradict them; those state more.
  if (map.debit !== undefined && map.credit !== undefined) delete map.amount
  return { transaction_id: null, ...map }
}

const OF_BUDGETS = {
  month: ['period', 'fiscal period', 'month', 'månad', 'monat', 'mois', 'mes', 'periode'],
  amount: ['budget amount', 'budgeted amount', 'amount budgeted', 'budget', 'budgetbelopp', 'budgetbetrag'],
} as const

/** The columns of a budget with one figure in each row, where they have other usual names: `Period`, `Budget amount`. */
export function withUsualNames<At extends { month?: number; date?: number; amount?: number }>(
  at: At,
  header: readonly string[],
): At {
  const usual = (column: keyof typeof OF_BUDGETS) => {
    const found = header.findIndex((cell) =>
      (OF_BUDGETS[column] as readonly string[]).includes(plainHeader(cell)),
    )
    return found === -1 ? {} : { [column]: found }
  }
  return {
    ...(at.date === undefined ? usual('month') : {}),
    ...usual('amount'),
    ...at,
  }
}
