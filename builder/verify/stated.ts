/**
 * Checks what a manifest repeats of its books. Not checked here are its warnings and the number of agreeing
 * control figures, which follow from the sources alone.
 */
import type { BooksTotals } from '../books/file-totals.ts'
import type { Frame } from '../books/frame.ts'
import { MANIFEST } from '../snapshot/layout.ts'
import type { Manifest } from '../snapshot/manifest.ts'

const states = (words: string, stated: unknown, given: unknown): string =>
  `${MANIFEST} states ${words} as ${stated}, the books give ${given}`

/** Returns a sentence for each count of postings and transactions that differs from the books. */
export function countedOtherwise(
  { Totals }: Pick<Manifest, 'Totals'>,
  { postings, transactions }: BooksTotals['counts'],
): string[] {
  return [
    ...(Totals.Postings === postings ? [] : [states('the number of postings', Totals.Postings, postings)]),
    ...(Totals.Transactions === transactions
      ? []
      : [states('the number of transactions', Totals.Transactions, transactions)]),
  ]
}

/**
 * Returns a sentence for each statement of the manifest that differs from the books; what an earlier version
 * did not state is not compared.
 */
export function statedOtherwise(manifest: Manifest, frame: Frame, documents: number): string[] {
  const { startDate, endDate } = frame.coverage
  const found: [words: string, stated: unknown, given: unknown][] = [
    ['the company', manifest.CompanyId, frame.companyId],
    ['the currency', manifest.Currency, frame.currency],
    ['the month', manifest.Month, endDate.slice(0, 7)],
    ['the first day', manifest.Coverage.StartDate, startDate],
    ['the last day', manifest.Coverage.EndDate, endDate],
    ['the number of documents', manifest.Totals.Documents, documents],
  ]
  const { LockedThrough = frame.lockedThrough } = manifest
  return [
    ...found
      .filter(([, stated, given]) => stated !== given)
      .map(([words, stated, given]) => states(words, stated, given)),
    ...(LockedThrough === frame.lockedThrough
      ? []
      : [
          `${MANIFEST} says that the books were closed through ${LockedThrough ?? 'no day'}, the books say through ${frame.lockedThrough ?? 'no day'}`,
        ]),
  ]
}
