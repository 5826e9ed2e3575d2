/** Numbers that are found again. */

import * as assert from 'uvu/assert'
import { ContentHash } from '../../../builder/ingest/text/content-hash.ts'
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

test.run()
