/**
 * What a manifest repeats of its books: it must not say anything else. Its warnings, and how many figures of the sources agree,
 * follow from the sources alone.
 */
import type { Frame } from '../books/frame.ts'
import { MANIFEST } from '../snapshot/layout.ts'
import type { Manifest } from '../snapshot/manifest.ts'

/** A sentence for each member that the books give otherwise; what an earlier version did not state is left out. */
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
      .map(([words, stated, given]) => `${MANIFEST} states ${words} as ${stated}, the books give ${given}`),
    ...(LockedThrough === frame.lockedThrough
      ? []
      : [
          `${MANIFEST} says that the books were closed through ${LockedThrough ?? 'no day'}, the books say through ${frame.lockedThrough ?? 'no day'}`,
        ]),
  ]
}
