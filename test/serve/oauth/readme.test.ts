/** README.md beside this file: every requirement has its row, and every test that a row names is there. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'

const test = suite('requirements')
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const readme = readFileSync(here('README.md'), 'utf8')

/** How many there are of each kind. Section 6 (S) is shown here and in `../http/README.md`. */
const REQUIREMENTS = { D: 8, A: 7, B: 18, L: 14, T: 18, R: 8, U: 10, C: 7, K: 11, O: 6 }

const rows = new Map(
  [...readme.matchAll(/^\| ([A-Z]\d+) \| [^|]+ \| (.+) \|$/gm)].map((match) => [match[1]!, match[2]!]),
)

test('every requirement has exactly one row', () => {
  const ids = Object.entries(REQUIREMENTS).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, i) => `${letter}${i + 1}`),
  )
  const own = [...readme.matchAll(/^\| ([A-RT-Z]\d+) \|/gm)].map(([, id]) => id)
  assert.equal(own.sort(), ids.sort())
})

test('every test that a row names is there, and its title carries the id', () => {
  const sources = new Map<string, string>()
  const missing: string[] = []
  for (const [id, cell] of rows)
    for (const named of cell.split('<br>')) {
      const [, file, title] = /^`([\w/.-]+\.test\.ts)`: (.+)$/.exec(named) ?? []
      if (file === undefined || title === undefined) {
        missing.push(`${id}: ${named}`)
        continue
      }
      if (!sources.has(file)) sources.set(file, readFileSync(here(file), 'utf8'))
      // `…` is what a table of cases fills in.
      const isThere = title
        .replaceAll('\\|', '|')
        .split('…')
        .every((part) => sources.get(file)!.includes(part))
      if (!isThere || !new RegExp(`\\b${id}\\b`).test(title)) missing.push(`${id}: ${file}: ${title}`)
    }
  assert.equal(missing, [])
})
