/** Texts are ordered by code point, which is neither the order of any language nor that of JavaScript. */

import * as assert from 'uvu/assert'
import { byCodePoint } from '../../builder/contract/vocabulary.ts'
import { suite } from '../suite.ts'

const test = suite('order by code point')

test('by the first letter that differs, shorter texts first, letters beyond U+FFFF last', () => {
  const ordered = [
    '',
    '1',
    '10',
    '2',
    'A',
    'Ab',
    'Z',
    'a',
    'z',
    'ß',
    'é',
    'éa',
    '\uffee',
    '\u{1f600}',
    '\u{1f600}a',
  ]
  assert.equal([...ordered].reverse().sort(byCodePoint), ordered)
  assert.is(byCodePoint('same', 'same'), 0)
  // The default order compares halves of a letter.
  assert.not.equal([...ordered].sort(), ordered)
})
