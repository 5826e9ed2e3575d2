/** Long lists in a sentence name the first and count the rest. */

import * as assert from 'uvu/assert'
import { andMore, listed } from '../../builder/contract/listed.ts'
import { suite } from '../suite.ts'

const test = suite('long lists')

test('the first are named, and how many more there are', () => {
  assert.is(listed(['1510', '1930', '2440'], 2), '1510, 1930, and 1 more')
  assert.is(listed(['1510', '1930'], 2), '1510, 1930')
  assert.is(listed(['1510'], 2), '1510')
  assert.is(andMore(0), '')
  assert.is(andMore(12), ', and 12 more')
})
