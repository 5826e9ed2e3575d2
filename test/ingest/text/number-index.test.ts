/** Numbers that are found again, and hashes that are added up. */

import * as assert from 'uvu/assert'
import { ContentHash, hashSum } from '../../../builder/ingest/text/content-hash.ts'
import { NumberIndex } from '../../../builder/ingest/text/number-index.ts'
import { suite } from '../../suite.ts'

const test = suite('number index')

const NUMBERS = [
  ...[0, 1, 2 ** 21, 2 ** 53 - 1, 2 ** 53 - 2],
  ...Array.from({ length: 5000 }, (_, i) => new ContentHash().add(String(i)).value),
  // All of these begin their search at the same place.
  ...Array.from({ length: 3000 }, (_, i) => 5 + i),
]

test('each number keeps the value with which it came first, however many come', () => {
  for (const room of [0, 10, 20_000]) {
    const index = new NumberIndex()
    index.reserve(room)
    for (const [i, number] of NUMBERS.entries()) assert.is(index.first(number, 7 * i), 7 * i)
    for (const [i, number] of NUMBERS.entries()) assert.is(index.first(number, 1), 7 * i)
  }
})

test('hashes add up to the same in any order, and stay whole numbers below 2^53', () => {
  const hashes = ['a', 'b', 'c', 'd', 'e'].map((text) => new ContentHash().add(text).summand)
  const sum = (all: readonly number[]): number => all.reduce(hashSum, 0)
  assert.is(sum(hashes), sum([...hashes].reverse()))
  assert.is(hashSum(sum(hashes.slice(0, 2)), sum(hashes.slice(2))), sum(hashes))
  const most = 2 ** 53 - 1
  assert.is(hashSum(most, most), most - 1)
  assert.is(hashSum(most, 1), 0)
  // Two amounts that change places between two accounts are other lines.
  const lines = (...texts: readonly (readonly [string, string])[]): number =>
    sum(texts.map(([account, amount]) => new ContentHash().add(account).add(amount).summand))
  assert.is.not(lines(['401000', '100'], ['512000', '200']), lines(['401000', '200'], ['512000', '100']))
})

test.run()
