/**
 * Reports of QuickBooks and Xero, changed in every simple way: what moves a figure is refused or told of. What nothing in
 * the file contradicts is stated here as a rule, and in datasets/formats/quickbooks.md and xero.md.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { judge, type Mutation, mutationsOf, sampled, shownMutation } from '../../support/mutations.ts'
import { seedOf } from './corpus.ts'

const test = suite('mutations of reports')

/** So many of each file on every run, spread over it; `MUTATIONS=all` for all of them. */
const MOST = 24

interface Case {
  readonly corpus: string
  readonly encoding?: 'latin1'
  readonly entryOf?: (line: string) => string | null
  /** What no total, balance or count in this report speaks of. */
  readonly isUnstated?: (mutation: Mutation) => boolean
}

const CASES: readonly Case[] = [
  { corpus: 'quickbooks' },
  { corpus: 'quickbooks-desktop' },
  { corpus: 'quickbooks-journal' },
  { corpus: 'xero', encoding: 'latin1' },
  // A Journal Report has no total: whole journals can be missing, which report-without-end says of every one.
  {
    corpus: 'xero-2',
    entryOf: (line) => /^[\d/]+,(\d+),/.exec(line)?.[1] ?? null,
    isUnstated: ({ kind, what }) => kind === 'cut' || (kind === 'deleted' && what.startsWith('entry')),
  },
]

for (const { corpus, encoding, entryOf, isUnstated = () => false } of CASES)
  test(`${corpus}: what moves a figure is told of`, async () => {
    const seed = seedOf(corpus)
    const all = mutationsOf(seed['gl.csv']!, {
      encoding: encoding ?? 'utf8',
      ...(entryOf === undefined ? {} : { entryOf }),
    })
    const judged = await judge(seed, 'gl.csv', sampled(all, MOST))
    const silent = judged.filter(({ verdict }) => verdict === 'silent').map(({ mutation }) => mutation)
    assert.equal(silent.filter((mutation) => !isUnstated(mutation)).map(shownMutation), [])
    // A judge that sees nothing move, or everything, judges nothing.
    for (const verdict of ['same', 'told']) assert.ok(judged.some((each) => each.verdict === verdict))
  })

test.run()
