/**
 * The facts that a user reviews before a company is published: changed accounts, months with few postings, figures
 * that differ.
 */
import type { Books } from '../books/books.ts'
import { type PostingCount, postingCounts } from '../books/post/postings.ts'
import { SnapshotDamagedError } from '../snapshot/files/damage.ts'
import { readPublishedChart } from '../snapshot/files/documents.ts'
import { isUnfiltered, listPath } from '../snapshot/files/layout.ts'
import type { Snapshot } from '../snapshot/files/open.ts'
import { type ComparableDocuments, type FigureChanges, figureChanges } from './diff.ts'

export interface ReviewedAccount {
  readonly id: string
  readonly number: string
  readonly name: string
}

export interface MonthOfPostings extends PostingCount {
  /** The month has less than half of the postings that are usual in the months before it. */
  readonly isFew: boolean
}

export interface Review {
  /** Id of the current snapshot; null where there is none, or where it cannot be read. */
  readonly since: string | null
  readonly newAccounts: readonly ReviewedAccount[]
  readonly goneAccounts: readonly ReviewedAccount[]
  readonly renamedAccounts: readonly (ReviewedAccount & { readonly before: string })[]
  /** Accounts whose type is not stated: they count as "other" of their classification. */
  readonly untypedAccounts: readonly ReviewedAccount[]
  readonly months: readonly MonthOfPostings[]
  /** The differences from the current snapshot; null where there is none. */
  readonly changes: FigureChanges | null
}

/** The documents that a review compares, of all that a build composes. */
export const isReviewed = (path: string): boolean => path === listPath('budgets') || isUnfiltered(path)

/** `documents` are those for which {@link isReviewed} is true, by path. */
export async function reviewOf(
  books: Books,
  current: Snapshot | null,
  documents: ReadonlyMap<string, Buffer>,
): Promise<Review> {
  const { frame } = books
  const accounts = frame.accounts.filter(({ isHeader }) => !isHeader)
  const named = accounts.map(({ id, number, name }) => ({ id, number, name }))
  const before = current && (await chartIn(current))
  const known = new Map(before?.map((account) => [account.id, account]))
  const ids = new Set(frame.accounts.map(({ id }) => id))
  const { startDate: StartDate, endDate: EndDate } = frame.coverage
  const now: ComparableDocuments = {
    id: 'the books',
    manifest: { Coverage: { StartDate, EndDate }, Currency: frame.currency },
    has: (path) => documents.has(path),
    read: async (path) => documents.get(path) ?? Buffer.alloc(0),
  }
  return {
    since: before && current ? current.id : null,
    newAccounts: before ? named.filter(({ id }) => !known.has(id)) : [],
    goneAccounts: before?.filter(({ id }) => !ids.has(id)) ?? [],
    renamedAccounts: named.flatMap((account) => {
      const was = known.get(account.id)?.name
      return was === undefined || was === account.name ? [] : [{ ...account, before: was }]
    }),
    untypedAccounts: accounts
      .filter(({ type }) => type === '')
      .map(({ id, number, name }) => ({ id, number, name })),
    months: monthsOf(await postingCounts(books)),
    changes: current && before ? await changesSince(current, now) : null,
  }
}

/** Accounts of the published chart, without those that are computed; null where it cannot be read. */
async function chartIn(snapshot: Snapshot): Promise<ReviewedAccount[] | null> {
  const chart = await readPublishedChart(snapshot).catch(() => null)
  return (
    chart
      ?.filter(({ IsComputed }) => !IsComputed)
      .map(({ Id, Number: number, Name }) => ({ id: Id, number, name: Name })) ?? null
  )
}

async function changesSince(before: Snapshot, now: ComparableDocuments): Promise<FigureChanges | null> {
  if (before.manifest.Currency !== now.manifest.Currency) return null
  try {
    return await figureChanges(before, now)
  } catch (problem) {
    if (problem instanceof SnapshotDamagedError) return null
    throw problem
  }
}

/** How many months before a month give the median with which it is compared. */
const MONTHS_BEFORE = 12
/** With fewer months before it, a month is not judged. */
const LEAST_BEFORE = 3

function monthsOf(counts: readonly PostingCount[]): MonthOfPostings[] {
  return counts.map(({ basis, month, postings }) => {
    const before = counts
      .filter((each) => each.basis === basis && each.month < month)
      .slice(-MONTHS_BEFORE)
      .map((each) => each.postings)
      .sort((a, b) => a - b)
    const usual = before[Math.floor(before.length / 2)] ?? 0
    return { basis, month, postings, isFew: before.length >= LEAST_BEFORE && postings * 2 < usual }
  })
}
