/** Ids as path segments: lower case, reversible by eye, never outside the folder, never folded together. */

import * as assert from 'uvu/assert'
import { segment } from '../../builder/snapshot/files/layout.ts'
import { suite } from '../suite.ts'

const test = suite('layout')
const at = (id: string | null) => segment(id, 'all')

test('everything else is escaped per UTF-8 byte, capitals too', () => {
  assert.is(at('A'), '%41')
  assert.is(at('a'), 'a')
  assert.is(at('ö'), '%c3%b6')
  assert.is(at('100%'), '100%25')
  for (const id of ['..', '.', '/', '\\', 'a/../b', 'con.', '\0', ' ']) assert.match(at(id), /^[a-z0-9_%-]+$/)
})

test('long ids become their hash, and different ids never meet', () => {
  assert.match(at('x'.repeat(121)), /^~[0-9a-f]{64}$/)
  assert.is(at('x'.repeat(120)), 'x'.repeat(120))
  const ids = ['a', 'A', '%41', 'ä', 'a\u0308', '~', 'x'.repeat(121), 'x'.repeat(122)]
  assert.is(new Set(ids.map(at)).size, ids.length)
})
