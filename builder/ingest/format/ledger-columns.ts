/** The canonical columns of a ledger. */

/**
 * The columns of a ledger that no statement needs. The tables of the books and the published books have them only where a source has
 * them, so that other books are what they were before there were these columns.
 */
export const EXTRA_COLUMNS = ['party', 'party_id', 'due_date', 'entered_on', 'entered_by'] as const
export type ExtraColumn = (typeof EXTRA_COLUMNS)[number]

/** Those of them that are days. */
export const EXTRA_DAYS: readonly string[] = ['due_date', 'entered_on'] satisfies readonly ExtraColumn[]

export const isExtra = (column: string): column is ExtraColumn =>
  (EXTRA_COLUMNS as readonly string[]).includes(column)

/** All columns. */
export const LEDGER_COLUMNS = [
  'transaction_id',
  'date',
  'account',
  'debit',
  'credit',
  'amount',
  'class',
  'department',
  'memo',
  'reference',
  'settles',
  'basis',
  'currency',
  'line_id',
  'journal',
  'type',
  'period',
  'open_item',
  ...EXTRA_COLUMNS,
] as const
export type LedgerColumn = (typeof LEDGER_COLUMNS)[number]

/** Columns that say what kind of entry a row is of: they are read, and their values may still say that it is none of the books. */
export const KINDS_OF_ENTRY = ['journal', 'type'] as const satisfies readonly LedgerColumn[]
export const isKind = (column: string): boolean => (KINDS_OF_ENTRY as readonly string[]).includes(column)
