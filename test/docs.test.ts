/** The documentation says all that there is, and nothing that is not: keys, columns, words, commands, links, the example. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  ACCOUNT_TYPES,
  AGGREGATIONS,
  CASH_FLOW_CATEGORIES,
  CLASSIFICATIONS,
} from '../builder/contract/vocabulary.ts'
import { REQUIRED } from '../builder/ingest/header.ts'
import { LEDGER_COLUMNS } from '../builder/ingest/intake.ts'
import { accessSchema } from '../builder/workspace/access.ts'
import { companySchema } from '../builder/workspace/company.ts'
import { allKeys } from '../builder/workspace/schema-keys.ts'
import { workspaceSchema } from '../builder/workspace/workspace.ts'
import { inFolder, repository, SIE, tieout } from './cli/command.ts'
import { buildIn, COMPANY, codes, inWorkspace } from './support/workspace.ts'

const docs = suite('documentation')

const read = (file: string): string => readFileSync(join(repository, file), 'utf8')
const canonical = read('datasets/formats/canonical.md')
/** The text below a heading, up to the next one of its level. */
const section = (heading: string): string => {
  const [, found] = canonical.split(`\n## ${heading}\n`)
  assert.ok(found, heading)
  return found.split('\n## ')[0]!
}
const missing = (text: string, words: readonly string[]): string[] =>
  words.filter((word) => !text.includes(`\`${word}\``))
const last = (path: string): string => path.split('.').at(-1)!

for (const [file, schema] of [
  ['company.yaml', companySchema],
  ['access.yaml', accessSchema],
] as const)
  docs(`every key of ${file}`, () =>
    assert.equal(
      allKeys(schema).filter((path) => missing(section(file), [last(path)]).length > 0),
      [],
    ),
  )

docs('every key of tieout.yaml, by its full name or beside the key that it stands under', () => {
  const text = section('tieout.yaml')
  const paths = allKeys(workspaceSchema).filter((path) => path !== 'server')
  assert.equal(
    paths.filter((path) => missing(text, [path]).length > 0 && missing(text, [last(path)]).length > 0),
    [],
  )
})

docs('no key that there is not', () => {
  const known = new Set([...allKeys(companySchema).map(last), ...LEDGER_COLUMNS])
  const rows = section('company.yaml').match(/^\| .*?\|/gm) ?? []
  const named = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map((match) => match[1]!))
  assert.ok(named.length > 20)
  assert.equal(
    named.filter((name) => !known.has(name)),
    [],
  )
  const server = [...section('tieout.yaml').matchAll(/^\| `([\w.]+)`/gm)].map((match) => match[1]!)
  assert.equal(
    server.filter((path) => !allKeys(workspaceSchema).includes(path)),
    [],
  )
})

docs('every column, and every word that a column or key may hold', () => {
  assert.equal(missing(section('Ledger'), LEDGER_COLUMNS), [])
  for (const [heading, columns] of [
    ['Chart of accounts', REQUIRED.chart],
    ['Classes and departments', REQUIRED.classes],
    ['Budgets', REQUIRED.budget],
    ['Metrics', REQUIRED.metrics],
  ] as const)
    assert.equal(missing(section(heading), columns), [])
  const chart = section('Chart of accounts')
  const types = Object.entries(ACCOUNT_TYPES).filter(([type]) => type !== 'Computed')
  assert.equal(missing(chart, [...CLASSIFICATIONS, ...CASH_FLOW_CATEGORIES]), [])
  for (const [type, classifications] of types)
    for (const classification of classifications) {
      const [, list] = chart.replaceAll('\n', ' ').split(`${classification}: \``)
      assert.ok(`\`${list!.split(/\. [A-Z]/)[0]}`.includes(`\`${type}\``), `${type} under ${classification}`)
    }
  const encodings = companySchema.shape.ledger.element.shape.encoding.unwrap().options
  const aggregations = AGGREGATIONS.map((word) => word.toLowerCase())
  assert.equal(missing(section('company.yaml'), [...encodings, ...aggregations]), [])
})

docs('the example builds as it stands', async () => {
  const files = [...section('An example that builds').matchAll(/```\w+ (\S+)\n(.*?)```/gs)].map(
    ([, name, text]) => [name!, text!] as const,
  )
  assert.is(files.length, 7)
  await inWorkspace(Object.fromEntries(files), async (workspace) => {
    const { result, statement } = await buildIn(workspace, COMPANY)
    assert.equal(codes(result.findings), [])
    assert.is(result.outcome, 'published')
    const cash = statement('ProfitAndLoss', { basis: 'CASH' })
    assert.equal(cash.rows.sales, ['0.00', '1000.00'], 'the sale is recognised when it is paid')
    assert.equal(statement('BalanceSheet').rows.bank, ['4600.00', '5810.00'])
  })
})

/** Commands of a help text, without `help` itself. */
const commandsIn = (help: string): string[] =>
  [...(help.split('\nCommands:\n')[1]?.split('\n\n')[0] ?? '').matchAll(/^ {2}(\w[\w-]*)/gm)]
    .map((match) => match[1]!)
    .filter((name) => name !== 'help')

docs('every command and option is explained by --help', () =>
  inFolder(async (cwd) => {
    const visit = async (path: string[]): Promise<void> => {
      const { code, out } = await tieout([...path, '--help'], { cwd })
      assert.is(code, 0, path.join(' '))
      const inner = commandsIn(out)
      for (const [, option] of out.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)(?: <[^>]+>)?$/gm))
        assert.unreachable(`${path.join(' ')} ${option} has no explanation`)
      if (inner.length === 0) assert.match(out, '$ tieout', `${path.join(' ')} has no example`)
      await Promise.all(inner.map((name) => visit([...path, name])))
    }
    await visit([])
  }),
)

/** `tieout …` on the lines of the shell blocks, without the comment. */
const commandsOf = (text: string): string[][] =>
  [...text.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block]) =>
    [...block!.matchAll(/(?:^ *|&& )(?:npx )?tieout ([^#&\n]*)/gm)].map((match) =>
      [...match[1]!.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!),
    ),
  )

docs('the commands of the README are commands', () =>
  inFolder(async (cwd) => {
    const commands = commandsOf(read('README.md'))
    assert.ok(commands.length >= 8)
    const { writeFileSync } = await import('node:fs')
    writeFileSync(join(cwd, 'export.se'), SIE)
    for (const [i, args] of commands.entries()) {
      if (args[0] === 'serve') continue
      const here = i === 0 ? cwd : join(cwd, commands[0]![1]!)
      const given = args.map((arg) => arg.replace('~/', `${cwd}/`))
      const { code, err } = await tieout(given, { cwd: here, input: 'a long enough passphrase\n' })
      // The account and the month of the example are those of other books.
      if (args[0] === 'explain') assert.match(err, /not covered|no account/)
      else assert.is(code, 0, `tieout ${args.join(' ')}: ${err}`)
    }
  }),
)

docs('links between the documents lead somewhere', () => {
  const anchor = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-')
  const files = [
    'README.md',
    'ARCHITECTURE.md',
    'snapshots/README.md',
    'datasets/formats/canonical.md',
    'datasets/formats/sie.md',
  ]
  const dead = files.flatMap((file) =>
    [...read(file).matchAll(/\]\(([^)]+)\)/g)]
      .map((match) => match[1]!)
      .filter((link) => !/^https?:/.test(link))
      .filter((link) => {
        const [path, heading] = link.split('#') as [string, string?]
        const target = path === '' ? file : join(dirname(file), path)
        if (!existsSync(join(repository, target))) return true
        const headings = [...read(target).matchAll(/^#+ (.*)$/gm)].map((match) => anchor(match[1]!))
        return heading !== undefined && !headings.includes(heading)
      })
      .map((link) => `${file}: ${link}`),
  )
  assert.equal(dead, [])
  for (const name of ['canonical', 'sie']) assert.match(read('README.md'), `(datasets/formats/${name}.md)`)
})
docs.run()
