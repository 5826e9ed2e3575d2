/** XML in bounded memory: what is read, and what is refused before it can do harm. */

import * as assert from 'uvu/assert'
import { XmlError, xmlReader } from '../../../builder/ingest/workbook/xml.ts'
import { suite } from '../../suite.ts'

const xml = suite('xml')

function events(document: string, chunk = document.length): string[] {
  const found: string[] = []
  const reader = xmlReader({
    open: (name, attributes) => found.push(`<${name}${JSON.stringify(attributes)}`),
    text: (text) => found.push(text),
    close: (name) => found.push(`/${name}`),
  })
  for (let at = 0; at < document.length; at += chunk) reader.write(document.slice(at, at + chunk))
  reader.end()
  return found
}

function refusal(document: string): XmlError {
  try {
    events(document)
  } catch (problem) {
    assert.instance(problem, XmlError)
    return problem as XmlError
  }
  throw new Error('was read')
}

xml('elements, attributes and text are told without prefixes, however the document is cut', () => {
  const document = '<n:a xmlns:n="u" n:k="1&amp;2"><b k="x"/>t&#8364;<![CDATA[<&]]></n:a>'
  const whole = ['<a{"xmlns:n":"u","n:k":"1&2","n":"u","k":"1&2"}', '<b{"k":"x"}', '/b', 't€', '<&', '/a']
  assert.equal(events(document), whole)
  assert.equal(events(document, 1), whole)
})

xml('a DOCTYPE, and so every entity bomb, is refused', () => {
  const bomb = `<!DOCTYPE l [<!ENTITY a "${'x'.repeat(1000)}"><!ENTITY b "&a;&a;&a;">]>\n<l>&b;</l>`
  assert.match(refusal(bomb).message, 'DOCTYPE')
  assert.match(refusal('<!DOCTYPE l SYSTEM "file:///etc/passwd"><l/>').message, 'DOCTYPE')
})

xml('an entity that nobody declared, and whatever is not well-formed, is refused with its line', () => {
  assert.is(refusal('<l>\n&b;</l>').line, 2)
  for (const document of [
    '<a>',
    '<a></b>',
    '<a k=1/>',
    'text',
    '',
    '<a/><b/>',
    '<a>\u0000</a>',
    '<a>&#0;</a>',
  ])
    refusal(document)
})

xml('elements without end, and text without end, are refused in bounded memory', () => {
  assert.match(refusal('<a>'.repeat(1000)).message, 'deep')
  const reader = xmlReader({})
  reader.write('<a k="')
  const piece = 'x'.repeat(1 << 20)
  assert.throws(() => {
    for (let i = 0; i < 100; i++) reader.write(piece)
  }, /longer than/)
  const brackets = xmlReader({})
  brackets.write('<a><![CDATA[')
  assert.throws(() => {
    for (let i = 0; i < 4; i++) brackets.write(']]'.repeat(1 << 19))
  }, /longer than/)
})
