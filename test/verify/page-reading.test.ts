/** Pages that another program made: how their links and figures are read. */
import * as assert from 'uvu/assert'
import { judgedPage } from '../../builder/evidence/verify/page-reading.ts'
import { suite } from '../suite.ts'

const test = suite('reading of pages')

test('a link is named by all of its text, whatever stands inside; the place where a reader is has none', () => {
  const page = (to: string) =>
    `<nav><a aria-current="page">Here</a> <a href="${to}"><b>Rent</b> of March</a></nav>`
  assert.equal(judgedPage(page('rent.html'), page('rent.html')), { differs: [], unreadable: [] })
  assert.equal(judgedPage(page('tax.html'), page('rent.html')), {
    differs: ['the link Rent of March: tax.html leads elsewhere'],
    unreadable: [],
  })
})
