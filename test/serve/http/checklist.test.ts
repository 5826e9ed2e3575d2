/** README.md of this folder against the titles of the tests: every line of the checklist is shown, or left out with a reason. */
import { readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { globSync } from 'tinyglobby'
import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'

const checklist = suite('checklist')
const folder = fileURLToPath(new URL('.', import.meta.url))
const read = (file: string): string => readFileSync(join(folder, file), 'utf8')

const rows = [...read('README.md').matchAll(/^\| ([A-Z]\d+) \| (.+?) \| (.+) \|$/gm)].map(
  ([, id, , where]) => ({
    id: id!,
    files: where!.startsWith('left out: ') ? [] : [...where!.matchAll(/`([^`]+)`/g)].map(([, file]) => file!),
    leftOut: where!.startsWith('left out: '),
  }),
)

/** Ids at the beginning of each test's title, by file; a title is an argument, or stands in a table of tests. */
const titles = new Map(
  globSync(['*.test.ts', '../companies/*.test.ts', '../attacks/*.test.ts', '../../cli/server.all.test.ts'], {
    cwd: folder,
  })
    .filter((file) => basename(file) !== 'checklist.test.ts')
    .map((file) => {
      const found = [...read(file).matchAll(/^\s*(?:\w+\(\s*)?'((?:[A-Z]\d+ ?)+):/gm)]
      return [posix.normalize(file), new Set(found.flatMap(([, ids]) => ids!.split(' ')))] as const
    }),
)

checklist('lists every line of its sections once', () => {
  const ids = rows.map(({ id }) => id)
  assert.is(new Set(ids).size, ids.length)
  for (let n = 1; n <= 21; n++) assert.ok(ids.includes(`H${n}`), `H${n}`)
  for (let n = 1; n <= 7; n++) assert.ok(ids.includes(`C${n}`), `C${n}`)
})

checklist('a line names tests that carry its id, or says why there is none', () => {
  for (const { id, files, leftOut } of rows) {
    assert.ok(leftOut || files.length > 0, `${id} names no test`)
    for (const file of files) assert.ok(titles.get(file)?.has(id), `no test in ${file} carries ${id}`)
  }
})

checklist('an id in a title stands in the table, with that file', () => {
  const listed = new Map(rows.map(({ id, files }) => [id, files]))
  for (const [file, ids] of titles)
    for (const id of ids) assert.ok(listed.get(id)?.includes(file), `${id} of ${file} is not in README.md`)
})
