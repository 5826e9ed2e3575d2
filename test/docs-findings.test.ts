/** docs/findings.md and the list of codes: each code has an entry, each entry a code, and each code is reported somewhere. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { globSync } from 'tinyglobby'
import * as assert from 'uvu/assert'
import { FINDING_CODES } from '../builder/workspace/findings/finding-codes.ts'
import { repository } from './cli/command.ts'
import { suite } from './suite.ts'

const test = suite('docs/findings.md')

const read = (file: string): string => readFileSync(join(repository, file), 'utf8')

/** The entries below each heading: code, what was found, what to fix. */
const sections = read('docs/findings.md')
  .split('\n## ')
  .slice(1)
  .map((section) =>
    section
      .split('\n### ')
      .slice(1)
      .map((entry) => {
        const [code = '', found = '', fix = ''] = entry.trim().split(/\n\n(?:\*To fix:\* )?/)
        return { code, found: found.replaceAll('\n', ' '), fix: fix.replaceAll('\n', ' ') }
      }),
  )

test('the page has the codes of the program, group by group and in the same order', () => {
  const groups = Object.values(FINDING_CODES)
  assert.equal(
    sections.map((rows) => rows.map(({ code }) => code)),
    groups.map((codes) => [...codes]),
  )
  const codes = groups.flat()
  assert.ok(codes.length > 250)
  assert.is(new Set(codes).size, codes.length, 'each code stands in one group')
})

test('every entry says in sentences what was found and what to fix', () => {
  for (const { code, found, fix } of sections.flat()) {
    assert.match(found, /^[^a-z].{15,}[.?]$/, code)
    assert.match(fix, /^[^a-z].{6,}[.?]$/, code)
  }
})

test('every code is reported somewhere', () => {
  const texts = globSync('{builder,serve,cli}/**/*.ts', { cwd: repository })
    .filter((file) => !file.endsWith('finding-codes.ts'))
    .map(read)
  // Put together from parts: `unknown-${ONE[kind]}` and the like.
  const made = [
    'ambiguous-class',
    'ambiguous-department',
    'ambiguous-metric',
    'empty-name',
    'unknown-client',
    'unknown-user',
  ]
  const silent = Object.values(FINDING_CODES)
    .flat()
    .filter((code) => !texts.some((text) => text.includes(`'${code}'`)))
  assert.equal(silent.sort(), made)
})
