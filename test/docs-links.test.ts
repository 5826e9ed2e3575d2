/** What the documents refer to is there: links with their anchors, files, the sections that the code cites, and the map of ARCHITECTURE. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { globSync } from 'tinyglobby'
import * as assert from 'uvu/assert'
import { repository } from './cli/command.ts'
import { suite } from './suite.ts'
import { FIRST_FILE, MAY_IMPORT } from './support/rooms.ts'

const test = suite('references of the documents')

const read = (file: string): string => readFileSync(join(repository, file), 'utf8')
const glob = (...patterns: string[]): string[] =>
  globSync(patterns, {
    cwd: repository,
    ignore: ['**/node_modules', 'dist', 'snapshots/*/**'],
    dot: true,
  }).sort()

const pages = glob('*.md', '{docs,datasets,snapshots,test}/**/*.md')
/** Without what stands in blocks and between backticks, where brackets are no links. */
const prose = (text: string): string => text.replace(/^( *)```.*?^\1```/gms, '').replace(/`[^`\n]*`/g, '`')

/** The anchors of a page, by GitHub's rule: a heading that stands twice gets -1 the second time. */
function anchorsOf(file: string): Set<string> {
  const counts = new Map<string, number>()
  return new Set(
    [
      ...read(file)
        .replace(/^( *)```.*?^\1```/gms, '')
        .matchAll(/^#+ (.*)$/gm),
    ].map(([, heading]) => {
      const anchor = heading!
        .toLowerCase()
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-')
      const seen = counts.get(anchor) ?? 0
      counts.set(anchor, seen + 1)
      return seen === 0 ? anchor : `${anchor}-${seen}`
    }),
  )
}

test('every link of every page leads to a file, and to a heading of it', () => {
  const links = pages.flatMap((page) =>
    [...prose(read(page)).matchAll(/\]\(([^)\s]+)\)/g)]
      .map((match) => match[1]!)
      .filter((link) => !/^(?:https?|mailto):/.test(link))
      .map((link) => ({ page, link })),
  )
  assert.ok(links.length > 200, `${links.length} links`)
  const dead = links.filter(({ page, link }) => {
    const [path, anchor] = link.split('#') as [string, string?]
    const target = path === '' ? page : join(dirname(page), path)
    if (!existsSync(join(repository, target))) return true
    return anchor !== undefined && !anchorsOf(target).has(anchor)
  })
  assert.equal(
    dead.map(({ page, link }) => `${page}: ${link}`),
    [],
  )
})

test('every file of the repository that a page names is there', () => {
  const named = pages
    .filter(
      (page) => !['CHANGELOG.md', 'test/serve/oauth/README.md', 'test/serve/http/README.md'].includes(page),
    )
    .flatMap((page) =>
      [...read(page).matchAll(/`((?:builder|serve|cli|test|docs)\/[\w./-]*)`/g)].map(
        (match) => `${page}: ${match[1]}`,
      ),
    )
    // What commands write is there only after they ran.
    .filter((line) => !line.includes(': test/output/'))
  assert.ok(named.length > 80, `${named.length} files`)
  assert.equal(
    named.filter((line) => !existsSync(join(repository, line.split(': ')[1]!))),
    [],
  )
})

test('every page that the code names is there', () => {
  const names = new Set(pages.map((page) => basename(page)))
  const wrong = glob('{builder,serve,cli}/**/*.ts').flatMap((file) =>
    [...read(file).matchAll(/\b([\w-]+\.md)\b/g)]
      // Commentary of a month is a page of a company.
      .filter(([, name]) => !names.has(name!) && !/^\d{4}-\d{2}\.md$/.test(name!))
      .map(([, name]) => `${file}: ${name}`),
  )
  assert.equal(wrong, [])
})

test('every section of a page of docs/ that code or pages cite is there', () => {
  const cited = [...glob('{builder,serve,cli,test}/**/*.ts'), ...pages].flatMap((file) =>
    [...read(file).matchAll(/\b(?:docs\/)?(\w+)\.md((?:(?:,| and| to)? §\d+)+)/g)].flatMap(
      ([, page, sections]) =>
        [...sections!.matchAll(/§(\d+)/g)].map(([, number]) => ({ file, page: `docs/${page}.md`, number })),
    ),
  )
  assert.ok(cited.length > 25, `${cited.length} citations`)
  const missing = cited.filter(
    ({ page, number }) =>
      !existsSync(join(repository, page)) || !new RegExp(`^## ${number} `, 'm').test(read(page)),
  )
  assert.equal(
    missing.map(({ file, page, number }) => `${file}: ${page} §${number}`),
    [],
  )
})

test('sections that accounting.md cites of itself are there, and none is left out of its numbers', () => {
  const page = read('docs/accounting.md')
  const numbers = [...page.matchAll(/^## (\d+) /gm)].map(([, number]) => Number(number))
  assert.equal(
    numbers,
    numbers.map((_, i) => i + 1),
  )
  for (const [, number] of page.matchAll(/§(\d+)/g)) assert.ok(numbers.includes(Number(number)), `§${number}`)
})

test('ARCHITECTURE.md can be read at one sitting: 8 KB', () => {
  const bytes = Buffer.byteLength(read('ARCHITECTURE.md'))
  assert.ok(
    bytes <= 8192,
    `${bytes} bytes: a decision belongs into docs/decisions, a figure into test/bench/README.md`,
  )
})

test('the map of ARCHITECTURE.md has every room in the order of the import rule, with its first file', () => {
  const [, map] = read('ARCHITECTURE.md').split('\n## The map\n')
  const rows = [...map!.split('\n## ')[0]!.matchAll(/^\| `([^`]+)` \|/gm)].map(([, file]) => file)
  const rooms = Object.keys(MAY_IMPORT).filter(
    (room) => !room.startsWith('ingest/formats/') || room === 'ingest/formats/sie',
  )
  assert.equal(
    rows,
    rooms.map((room) => FIRST_FILE[room]),
  )
})

test('the index of the decisions has each of them once, by its title and with a sentence; a page is at most a screen', () => {
  const files = glob('docs/decisions/[0-9]*.md')
  assert.ok(files.length > 30)
  assert.equal(
    [...read('docs/decisions/README.md').matchAll(/^- \[(.*)\]\((.*)\): .+\.$/gm)]
      .map(([, title, file]) => `${file}: # ${title}`)
      .sort(),
    files.map((file) => `${file.split('/').at(-1)}: ${read(file).split('\n')[0]}`),
  )
  const numbers = files.map((file) => /\/(\d{3})-[a-z0-9-]+\.md$/.exec(file)?.[1])
  assert.is(new Set(numbers).size, files.length, 'each decision has a number of its own')
  for (const file of files) {
    const text = read(file)
    for (const part of ['Context', 'Decision', 'Why']) assert.match(text, `\n**${part}.** `, file)
    const lines = text.split('\n').length - 1
    assert.ok(lines <= 40, `${file} has ${lines} lines`)
  }
})

test('every package that the program brings stands in the table of packages', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
  const [, table] = read('docs/decisions/004-packages.md').split('| package |')
  const named = [...table!.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
  )
  assert.equal(named.sort(), Object.keys(dependencies).sort())
})
