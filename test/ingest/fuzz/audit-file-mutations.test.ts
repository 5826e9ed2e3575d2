/**
 * SIE, FEC and SAF-T files, changed in every simple way: what moves a figure is refused or told of. What nothing in the file
 * contradicts is stated here as a rule, and in datasets/formats/sie.md, fec.md and saf-t.md.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  judge,
  type Mutation,
  type MutationOptions,
  mutationsOf,
  sampled,
  shownMutation,
} from '../../support/mutations.ts'
import { seedOf } from './corpus.ts'

const test = suite('mutations of audit files')

/** So many of each file on every run, spread over it; `MUTATIONS=all` for all of them. */
const MOST = 16

interface Case extends MutationOptions {
  readonly corpus: string
  readonly file: string
  /** What no figure of the file speaks of. */
  readonly isUnstated?: (mutation: Mutation) => boolean
}

const CASES: readonly Case[] = [
  { corpus: 'sie', file: 'books.se', encoding: 'latin1', amount: /-?\d+\.\d\d/g },
  {
    corpus: 'fec',
    file: '111111111FEC20231231.txt',
    amount: /\d+,\d\d/g,
    entryOf: (line) => line.split('\t').slice(0, 4).join(' '),
    // A FEC has no totals: whole entries can be missing without a trace.
    isUnstated: ({ kind, what }) => kind === 'cut' || (kind === 'deleted' && what.startsWith('entry')),
  },
  {
    corpus: 'saft',
    file: '2025.xml',
    // Totals are of amounts and accounts, not of codes.
    isUnstated: ({ kind, line }) => kind === 'deleted' && line.includes('<AnalysisID>'),
  },
]

for (const { corpus, file, isUnstated = () => false, ...options } of CASES)
  test(`${corpus}: what moves a figure is told of`, async () => {
    const seed = seedOf(corpus)
    const judged = await judge(seed, file, sampled(mutationsOf(seed[file]!, options), MOST))
    const silent = judged.filter(({ verdict }) => verdict === 'silent').map(({ mutation }) => mutation)
    assert.equal(silent.filter((mutation) => !isUnstated(mutation)).map(shownMutation), [])
    // A judge that sees nothing move, or everything, judges nothing.
    for (const verdict of ['same', 'told']) assert.ok(judged.some((each) => each.verdict === verdict))
  })

test.run()
