/** What other programs call the columns of a ledger. Read by `tieout add` alone, which writes its guess down to be checked. */
import { LEDGER_COLUMNS, type LedgerColumn } from './intake.ts'

const NAMES: { readonly [column in LedgerColumn]?: string } = {
  transaction_id:
    'journal no|journal number|journal id|journal|entry no|entry number|entry|voucher no|voucher number|voucher|transaction no|transaction number|transaction|trans no|trans|document no|document number|doc no|beleg|belegnr|belegnummer|buchungsnummer|verifikat|verifikation|verifikationsnummer|verifikationsnr|ver nr|vernr|bilag|bilagsnr|bilagsnummer|ecriturenum|num',
  date: 'posting date|post date|transaction date|trans date|entry date|journal date|gl date|accounting date|buchungsdatum|belegdatum|datum|bokföringsdatum|verifikationsdatum|bogføringsdato|bilagsdato|dato|ecrituredate',
  account:
    'account no|account number|account code|account id|acct no|acct|gl account|gl account no|gl code|nominal code|ledger account|sachkonto|konto|kontonr|kontonummer|comptenum',
  debit: 'debit amount|debit amt|dr|soll|sollbetrag|betrag soll|debet|debetbelopp',
  credit: 'credit amount|credit amt|cr|haben|habenbetrag|betrag haben|kredit|kreditbelopp',
  amount: 'net amount|signed amount|net|betrag|belopp|beløp|beløb',
  memo: 'description|line description|memo description|narration|details|text|buchungstext|verifikationstext|vertext|tekst|ecriturelib',
  reference: 'ref|ref no|reference no|reference number|referenz|referens|document reference',
}

/** Capitals, points, slashes and the sign # make no other name. */
const plain = (header: string): string =>
  header
    .toLowerCase()
    .replace(/[._#:/-]+/g, (sign) => (sign === '/' ? '' : ' '))
    .replace(/\s+/g, ' ')
    .trim()

/**
 * Column map of a ledger with headers of another program; null for `transaction_id` where none is found, and no map at
 * all where the header has no date, account and amounts.
 */
export function guessColumns(header: readonly string[]): { readonly [column: string]: string | null } | null {
  const taken = new Set<string>()
  const map: Record<string, string | null> = {}
  for (const column of LEDGER_COLUMNS) {
    const names = [column.replace('_', ' '), ...(NAMES[column]?.split('|') ?? [])]
    const found = names
      .map((name) => header.find((cell) => plain(cell) === name && !taken.has(cell)))
      .find((cell) => cell !== undefined)
    if (found === undefined) continue
    taken.add(found)
    map[column] = found
  }
  const isMoney = map.amount !== undefined || (map.debit !== undefined && map.credit !== undefined)
  if (map.date === undefined || map.account === undefined || !isMoney) return null
  // Two amounts contradict one another; debit and credit say more.
  if (map.debit !== undefined && map.credit !== undefined) delete map.amount
  return { transaction_id: null, ...map }
}
