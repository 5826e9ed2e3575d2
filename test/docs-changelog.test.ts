/** The changelog can be read at one sitting, and each change that is not released yet is a file that its section is made of. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { itemOf, unreleasedFiles } from './changelog.ts'
import { repository } from './cli/command.ts'
import { suite } from './suite.ts'

const test = suite('changelog')

const MOST_BYTES = 15 * 1024
const read = (file: string): string => readFileSync(join(repository, file), 'utf8')

test('CHANGELOG.md is at most 15 KB, and its newest version is the package’s', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const text = read('CHANGELOG.md')
  assert.ok(Buffer.byteLength(text) <= MOST_BYTES, `${Buffer.byteLength(text)} bytes`)
  const versions = text.split('\n## ').slice(1)
  const headings = versions.map((section) => section.split('\n')[0]!)
  for (const heading of headings) assert.match(heading, /^\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d$/)
  assert.is(headings[0]!.split(' ')[0], version)
  const topics = ['Figures', 'Reading', 'Pages', 'Evidence', 'Server and interface', 'Running it', 'Commands']
  for (const section of versions) {
    const stated = [...section.matchAll(/^### (.*)$/gm)].map((match) => match[1]!)
    assert.equal(
      stated,
      topics.filter((topic) => stated.includes(topic)),
    )
  }
  for (const [name, stated] of read('docs/running.md').matchAll(/tieout-([\d.]+)\.tgz/g))
    assert.is(stated, version, name)
})

test('each file of changelog/unreleased is a kind of change with a sentence, and short', () => {
  for (const name of unreleasedFiles()) {
    const { text } = itemOf(name)
    assert.ok(text.length <= 500, `${name} has ${text.length} characters`)
  }
})
