/** Every command has its place in the documents, and what they name exists: commands, options, settings, exit codes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { globSync } from 'tinyglobby'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { companySchema } from '../builder/workspace/company.ts'
import { allKeys } from '../builder/workspace/schema-keys.ts'
import { workspaceSchema } from '../builder/workspace/workspace.ts'
import { EXIT } from '../cli/terminal/exit.ts'
import { repository, tieout } from './cli/command.ts'
import { suite } from './suite.ts'
import { blocksOf } from './support/pages.ts'

const test = suite('commands and settings in the documents')

const read = (file: string): string => readFileSync(join(repository, file), 'utf8')
/** What people read who use the program; the changelog also speaks of what there once was. */
const pages = globSync(
  ['README.md', 'CONTRIBUTING.md', '{docs,datasets/formats}/**/*.md', 'snapshots/README.md'],
  {
    cwd: repository,
  },
).sort()

interface Known {
  /** `close`, `snapshots list`, … with their options; '' has those of all commands. */
  readonly options: ReadonlyMap<string, ReadonlySet<string>>
  /** The commands that do something themselves, with what --help says of them. */
  readonly leaves: ReadonlyMap<string, string>
}

/** All commands by what --help says of them. */
async function askHelp(): Promise<Known> {
  const options = new Map<string, Set<string>>()
  const leaves = new Map<string, string>()
  const visit = async (path: string[]): Promise<void> => {
    const { code, out } = await tieout([...path, '--help'], { cwd: repository })
    assert.is(code, 0, path.join(' '))
    options.set(
      path.join(' '),
      new Set([...out.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map((match) => match[1]!)),
    )
    for (const [, option] of out.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)(?: <[^>]+>)?$/gm))
      assert.unreachable(`${path.join(' ')} ${option} has no explanation`)
    const list = out.split('\nCommands:\n')[1]?.split('\n\n')[0] ?? ''
    const inner = [...list.matchAll(/^ {2}(\w[\w-]*)/gm)].map((match) => match[1]!)
    if (inner.length === 0) leaves.set(path.join(' '), out)
    await Promise.all(inner.filter((name) => name !== 'help').map((name) => visit([...path, name])))
  }
  await visit([])
  return { options, leaves }
}
let asked: Promise<Known> | null = null
/** Asked once, since it is fifty processes. */
function knownCommands(): Promise<Known> {
  asked ??= askHelp()
  return asked
}

test('every command and option is explained by --help, with an example', async () => {
  const { leaves } = await knownCommands()
  assert.ok(leaves.size > 40, `${leaves.size} commands`)
  for (const [command, help] of leaves) assert.match(help, '$ tieout', `${command} has no example`)
})

/** `tieout …` between backticks, and on the lines of shell blocks, without comments. */
const mentions = (text: string): string[] => [
  ...[...text.matchAll(/`(?:npx )?tieout ([^`]+)`/g)].map((match) => match[1]!),
  ...['sh', 'console'].flatMap((language) =>
    blocksOf(text, language).flatMap((block) =>
      [...block.matchAll(/(?:^(?:\$ )?|&& )(?:npx )?tieout ([^#&\n]*)/gm)].map((match) => match[1]!),
    ),
  ),
]

/** The longest beginning of the words that is a command; null where the first word is none. */
function commandOf(words: readonly string[], { options }: Known): string | null {
  const rest = words[0] === '-C' ? words.slice(2) : words
  for (const length of [3, 2, 1]) {
    const path = rest.slice(0, length).join(' ')
    if (rest.length >= length && options.has(path)) return path
  }
  return null
}

test('every command and option that a page names is one; every command is named', async () => {
  const known = await knownCommands()
  const named = new Set<string>()
  const wrong: string[] = []
  let count = 0
  for (const page of pages)
    for (const mention of mentions(read(page))) {
      const words = mention.replace(/"[^"]*"/g, 'text').split(/\s+/)
      if (words[0]!.startsWith('--') || words[0]!.startsWith('<')) continue
      count++
      const command = commandOf(words, known)
      if (command === null) wrong.push(`${page}: tieout ${mention}`)
      else {
        named.add(command)
        const options = [...mention.matchAll(/(?<![\w-])--[a-z][\w-]*/g)].map((match) => match[0])
        for (const option of options)
          if (!known.options.get(command)!.has(option) && !known.options.get('')!.has(option))
            wrong.push(`${page}: tieout ${command} has no ${option}`)
      }
    }
  assert.ok(count > 150, `${count} mentions`)
  assert.equal(wrong, [])
  assert.equal(
    [...known.leaves.keys()].filter((command) => !named.has(command)),
    [],
    'commands without documentation',
  )
  const page = read('docs/commands.md')
  assert.equal(
    [...known.leaves.keys()].filter((command) => !page.includes(`tieout ${command}`)),
    [],
    'commands that docs/commands.md lacks',
  )
})

test('every option between backticks is an option of some command', async () => {
  const { options } = await knownCommands()
  const all = new Set([...options.values()].flatMap((each) => [...each]))
  // Of npm, of git and of container engines.
  for (const other of ['--against', '--large', '--no-git-tag-version', '--omit']) all.add(other)
  for (const other of ['--init', '--read-only', '--memory', '--time']) all.add(other)
  const wrong = pages.flatMap((page) =>
    [...read(page).matchAll(/`(--[a-z][\w-]*)/g)]
      .filter(([, option]) => !all.has(option!))
      .map(([, option]) => `${page}: ${option}`),
  )
  assert.equal(wrong, [])
})

/** A table of a lake is named so, in the place of `files`. */
const TABLE = 'ledger.*.table'
const SETTINGS = [...allKeys(companySchema), TABLE, ...allKeys(workspaceSchema)].map((path) =>
  path.split('.'),
)
/** `*` stands for a free name or a place in a list. */
const isSetting = (path: readonly string[]): boolean =>
  SETTINGS.some(
    (known) => known.length === path.length && known.every((part, i) => part === '*' || part === path[i]),
  )
/** Maps whose keys are names of the company's own, or days. */
const FREE = [
  'columns',
  'skip',
  'count',
  'dimensions',
  'accounts',
  'cashFlow',
  'incomePer',
  'beside',
  'share',
]

/** Every key of a YAML value, by its path. */
function pathsOf(value: unknown, path: readonly string[] = []): string[][] {
  if (Array.isArray(value)) return value.flatMap((each, i) => pathsOf(each, [...path, String(i)]))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inside]) => [
    [...path, key],
    ...pathsOf(inside, [...path, key]),
  ])
}

test('every setting in an example is one', () => {
  const paths = pages.flatMap((page) =>
    [...read(page).matchAll(/^( *)```yaml(?: \S+)?\n([\s\S]*?)^ *```/gm)].flatMap(([, , block]) =>
      pathsOf(parse(block!)).map((path) => ({ page, path })),
    ),
  )
  assert.ok(paths.length > 80, `${paths.length} settings`)
  assert.equal(
    paths
      .filter(({ path }) => !path.some((part) => FREE.includes(part)))
      // A list by itself is that of the ledgers.
      .filter(({ path }) => !isSetting(path) && !isSetting(['ledger', ...path]))
      .map(({ page, path }) => `${page}: ${path.join('.')}`),
    [],
  )
})

test('docs/exit-codes.md has every exit code', () =>
  assert.equal(
    [...read('docs/exit-codes.md').matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1])),
    Object.values(EXIT),
  ))

test('docs/buckets.md says of every command what it does where snapshots are in a bucket', async () => {
  const [, section = ''] = read('docs/buckets.md').split('\n## Who works where\n')
  const rows = section
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| '))
  const named = rows.flatMap((row) =>
    [...row.split('|')[1]!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!),
  )
  const twice = named.filter((name, i) => named.indexOf(name) !== i)
  assert.equal(twice, [])
  const { leaves } = await knownCommands()
  const silent = [...leaves.keys()].filter((leaf) => {
    const words = leaf.split(' ')
    return !words.some((_, i) => named.includes(words.slice(0, i + 1).join(' ')))
  })
  assert.equal(silent, [])
  assert.equal(
    named.filter((name) => ![...leaves.keys()].some((leaf) => `${leaf} `.startsWith(`${name} `))),
    [],
  )
})
