/**
 * What no file of a corpus contradicts, by corpus and file: the rules that the pages of datasets/formats state. A file
 * without a rule here is one of which everything that moves a figure is told.
 */
import { carriedDown, cellOf, type FileRule, isMissingEntry } from './held.ts'

const FEC_ENTRY = (separator: string) => (line: string) => line.split(separator).slice(0, 4).join(' ')
/** Amounts with a comma, entries by journal, number and date. A FEC has no totals. */
export const fec = (separator = '\t'): FileRule => ({
  amount: /\d+,\d\d/g,
  entryOf: FEC_ENTRY(separator),
  isUnstated: isMissingEntry,
})

/** Lines of an entry from the one that begins it to the one that ends it. */
function fromTo(begins: RegExp, ends: RegExp): (line: string) => string | null {
  let count = 0
  let isWithin = false
  return (line) => {
    if (begins.test(line)) {
      count++
      isWithin = true
    }
    const entry = isWithin ? String(count) : null
    if (ends.test(line)) isWithin = false
    return entry
  }
}

/** Nothing in a SIE file speaks of its budgets. */
export const sie = (): FileRule => ({
  encoding: 'latin1',
  amount:
    /(?<=#(?:(?:O?[IU]B|RES|PSALDO|PBUDGET)\s+-?\d+\s+(?:\d{6}\s+)?"?\d+"?\s+|[RB]?TRANS\s+"?\d+"?\s+)(?:\{[^}]*\}\s*)?)-?\d[\d.]*/g,
  entryOf: fromTo(/^#VER\b/, /^\}/),
  isUnstated: ({ kind, line }) => kind !== 'doubled' && line.startsWith('#PBUDGET'),
})

/** A sheet states nothing of its figures but its totals, and nothing of where it ends. */
export const FIGURES: FileRule = { isUnstated: ({ kind }) => kind !== 'doubled' && kind !== 'encoding' }
const SHEET_END: FileRule = { isUnstated: ({ kind }) => kind === 'cut' }

type Rules = Readonly<Record<string, Readonly<Record<string, FileRule>>>>

export const AUDIT_FILES: Rules = {
  ads: { 'GL_Detail_20250101_20251231.txt': { entryOf: cellOf(0, '|') } },
  fec: {
    '111111111FEC20231231.txt': {
      ...fec(),
      // Numbers have a gap but where the first or the last entry is missing.
      isUnstated: (mutation) =>
        isMissingEntry(mutation) && (mutation.kind === 'cut' || /^entry (AN|AC) /.test(mutation.what)),
    },
  },
  saft: {
    '2025.xml': {
      entryOf: fromTo(/<Analysis>/, /<\/Analysis>/),
      // Totals are of amounts and accounts, not of codes; a code may be of a part of its line.
      isUnstated: ({ kind, what, line }) =>
        (kind === 'deleted' && what.startsWith('entry ')) ||
        (kind === 'changed' && line.includes('AnalysisAmount>')),
    },
  },
  'saft-pt': {
    'saft.xml': { encoding: 'latin1', between: /(?=<(?:Account|Transaction|DebitLine|CreditLine)>)/ },
  },
  sie: { 'books.se': sie() },
}

/** From the row of an account to its total. */
const QUICKBOOKS_ACCOUNT = fromTo(/^"?(?!Total)[^,"]/, /^"?Total/)

/** Accounts of ledgers are deleted and doubled whole, with all of their rows. */
export const REPORTS: Rules = {
  'business-central': {
    'business-central/entries.csv': { entryOf: cellOf(2), isUnstated: isMissingEntry },
  },
  erpnext: { 'erpnext/general-ledger.csv': { entryOf: fromTo(/^,'Opening'/, /^,'Closing/) } },
  gnucash: { 'gnucash/transactions.csv': { entryOf: carriedDown(cellOf(1)), isUnstated: isMissingEntry } },
  netsuite: { 'netsuite/GeneralLedger.csv': { entryOf: fromTo(/^\d+ - /, /^Total - /) } },
  odoo: { 'odoo/general_ledger.csv': { entryOf: fromTo(/^\d+ /, /^Total \d/) } },
  quickbooks: { 'gl.csv': { entryOf: QUICKBOOKS_ACCOUNT } },
  'quickbooks-desktop': { 'gl.csv': { entryOf: QUICKBOOKS_ACCOUNT } },
  'quickbooks-journal': {
    'gl.csv': { entryOf: fromTo(/^,\d/, /^,+"?\D*\d[\d,.]*"?,[^,\d]*"?\D*\d[\d,.]*"?$/) },
  },
  sage50: { 'sage50/gl.csv': { entryOf: fromTo(/^\d+,/, /^\s*$/) } },
  xero: { 'gl.csv': { encoding: 'latin1', entryOf: fromTo(/^(?:"[^"]+"|[^,"]+)$/, /^Closing Balance/) } },
  // A Journal Report has no total: whole journals can be missing, which report-without-end says of every one.
  'xero-2': {
    'gl.csv': { entryOf: (line) => /^[\d/]+,(\d+),/.exec(line)?.[1] ?? null, isUnstated: isMissingEntry },
  },
}

export const TABLES: Rules = {
  'plain-text': { 'main.journal.csv': { entryOf: cellOf(0), isUnstated: isMissingEntry } },
  tables: {
    'ledger.csv': { entryOf: cellOf(0), isUnstated: isMissingEntry },
    'budget.csv': { ...SHEET_END, amount: /(?<=[,"(])\d[\d,]*(?:\.\d\d)?(?=[),"]|\s*$)/g },
    'long.csv': { ...FIGURES, amount: /(?<=;)[\d.]+(?=\s*$)/g },
    'metrics.csv': { ...FIGURES, amount: /(?<=,)\d+(?:\.\d)?(?=%?,)/g },
  },
  workbooks: {
    // Of which year the months are, only the row above them says.
    'budget.xlsx/xl/worksheets/sheet1.xml': { isUnstated: ({ line }) => line.includes('<v>2025</v>') },
    'metrics.xlsx/xl/worksheets/sheet1.xml': FIGURES,
  },
}
