/** The documentation says all that there is, and nothing that is not: keys, columns, words, commands, links, the example. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { KINDS } from '../builder/books/post/postings.ts'
import { currencyDecimals } from '../builder/contract/currency.ts'
import {
  ACCOUNT_TYPES,
  AGGREGATIONS,
  CASH_FLOW_CATEGORIES,
  CLASSIFICATIONS,
  COMPUTED_ROWS,
  NOT_STATED_REASONS,
  STATEMENTS,
  type StatementName,
  SUMMARY_NAMES,
} from '../builder/contract/vocabulary.ts'
import { openDatabase } from '../builder/database/database.ts'
import { LEDGER_COLUMNS } from '../builder/ingest/format/ledger-columns.ts'
import { REQUIRED } from '../builder/ingest/tables/header.ts'
import { IDENTITIES } from '../builder/statements/tie-outs/identities.ts'
import { SECOND_PATHS } from '../builder/statements/tie-outs/posted.ts'
import { accessSchema } from '../builder/workspace/access/access.ts'
import { companySchema } from '../builder/workspace/company.ts'
import { allKeys } from '../builder/workspace/schema-keys.ts'
import { workspaceSchema } from '../builder/workspace/workspace.ts'
import { parseYaml } from '../builder/workspace/yaml-file.ts'
import { CONNECTION_LIMITS, LOAD_LIMITS } from '../serve/http/limits/limits.ts'
import { GREATEST_BODY_BYTES } from '../serve/http/request/request-body.ts'
import { inFolder, repository, SIE, tieout, wordsOf } from './cli/command.ts'
import { suite } from './suite.ts'
import { blocksOf } from './support/pages.ts'
import {
  buildIn,
  buildWith,
  CHART,
  COMPANY,
  codes,
  companyYaml,
  type Files,
  inWorkspace,
  ledgerCsv,
  postings,
} from './support/workspace.ts'

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
  const paths = allKeys(workspaceSchema).filter((path) => !path.startsWith('server.'))
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
  const keys = [...section('tieout.yaml').matchAll(/^\| `([\w.]+)`/gm)].map((match) => match[1]!)
  assert.equal(
    keys.filter((path) => !allKeys(workspaceSchema).includes(path)),
    [],
  )
})

/** The rows of docs/server.md: the path below `server`, what it may be, its default. */
const serverSettings = (): { path: string[]; value: string; fallback: string }[] =>
  [...read('docs/server.md').matchAll(/^\| `server\.([\w.]+)` \| (.*?) \| (.*?) \|/gm)].map(
    ([, path, value, fallback]) => ({ path: path!.split('.'), value: value!, fallback: fallback! }),
  )
const settingOf = (path: readonly string[], value: unknown): object =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object

docs('docs/server.md has every setting of the server, and no other', () => {
  const keys = allKeys(workspaceSchema).filter((path) => path.startsWith('server.'))
  const leaves = keys.filter((path) => !keys.some((other) => other.startsWith(`${path}.`)))
  assert.equal(
    serverSettings()
      .map(({ path }) => `server.${path.join('.')}`)
      .sort(),
    leaves.sort(),
  )
})

docs(
  'docs/server.md: each setting may be what the page says, within its limits, and has that default',
  () => {
    const parsed = (path: readonly string[], value: unknown) => {
      const beside = path[0] === 'admin' && path[1] !== 'port' ? { port: 1 } : {}
      const [first, ...rest] = path
      const inner = rest.length === 0 ? value : { ...beside, ...settingOf(rest, value) }
      return workspaceSchema.safeParse({ server: { [first!]: inner } }).success
    }
    const accepted: readonly [RegExp, (bounds: readonly number[]) => [good: unknown[], bad: unknown[]]][] = [
      [
        /^(\d+) to (\d+)/,
        ([from, to]) => [
          [from, to],
          [from! - 1, to! + 1, from! + 0.5, String(to)],
        ],
      ],
      [
        /^(\d+) or more$/,
        ([from]) => [
          [from, 1_000_000],
          [from! - 1, from! + 0.5, String(from)],
        ],
      ],
      [
        /^true or false$/,
        () => [
          [true, false],
          ['yes', 1],
        ],
      ],
      [
        /^list of texts$/,
        () => [
          [['a.test'], ['a.test', 'b.test']],
          ['a.test', [], [1]],
        ],
      ],
      [
        /^list of origins$/,
        () => [
          [[], ['https://a.test:8443']],
          ['https://a.test', ['a.test'], ['https://a.test/x']],
        ],
      ],
      [
        /^list of names$/,
        () => [
          [[], ['_']],
          ['_', ['a&b'], [1]],
        ],
      ],
      [/^URL$/, () => [['https://a.test'], ['a.test', 'ftp://a.test', 1]]],
      [/^(?:text|path)$/, () => [['a'], [1, ['a']]]],
    ]
    const defaults = workspaceSchema.parse({ server: { admin: { port: 1 } } }).server as Record<
      string,
      unknown
    >
    for (const { path, value, fallback } of serverSettings()) {
      const name = path.join('.')
      const [pattern, examples] =
        accepted.find(([each]) => each.test(value)) ?? assert.unreachable(`${name}: ${value}`)!
      const [good, bad] = examples(pattern.exec(value)!.slice(1).map(Number))
      for (const each of good) assert.ok(parsed(path, each), `${name}: ${JSON.stringify(each)}`)
      for (const each of bad) assert.not(parsed(path, each), `${name}: ${JSON.stringify(each)}`)
      const found = path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], defaults)
      if (name === 'admin.port')
        assert.equal([fallback, workspaceSchema.parse({}).server.admin], ['no such address', undefined])
      else if (name === 'state') assert.is(fallback, '`.tieout`')
      else if (found === undefined) assert.not.match(fallback, /`/, name)
      else assert.is(fallback, `\`${found}\``, name)
    }
    const lists = [['10.0.0.1', '10.1.0.0/16'], ['::1']]
    for (const list of lists) assert.ok(parsed(['trustedProxies'], list))
    assert.not(parsed(['trustedProxies'], ['localhost']))
  },
)

docs('the example of docs/server.md is one', () => {
  const [example] = blocksOf(read('docs/server.md'), 'yaml')
  assert.equal(parseYaml(example!, 'tieout.yaml', workspaceSchema).findings, [])
})

docs('the commands of the engine in lake.md are settings: of a standalone cluster and of Kubernetes', () => {
  const examples = blocksOf(read('datasets/formats/lake.md'), 'yaml').filter((block) =>
    block.startsWith('# tieout.yaml'),
  )
  const commands = examples.map((example) => {
    const { value, findings } = parseYaml(example, 'tieout.yaml', workspaceSchema)
    assert.equal(findings, [])
    return value?.engine.command.join(' ') ?? ''
  })
  assert.match(commands[0] ?? '', /^spark-sql --master spark:\/\//)
  assert.match(commands[1] ?? '', /^spark-sql --master k8s:\/\/https:\/\//)
  // Of a wrong name Spark takes no notice.
  const KUBERNETES =
    /^spark\.(?:kubernetes\.(?:container\.image|namespace|driver\.pod\.name|executor\.volumes\.persistentVolumeClaim\.\w+\.(?:options\.claimName|mount\.path))|executor\.instances|driver\.host)=/
  for (const [, setting] of (commands[1] ?? '').matchAll(/--conf (\S+)/g))
    assert.match(setting ?? '', KUBERNETES)
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
  const encodings = companySchema.in.shape.budgets.unwrap().element.shape.encoding.unwrap().options
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

/** The rows of the table below a header row of docs/format.md, as cells. */
const tableBelow = (header: string): string[][] => {
  const [, found] = read('docs/format.md').split(`\n| ${header} |\n`)
  assert.ok(found, header)
  const rows = found.split('\n\n')[0]!.split('\n')
  return rows
    .slice(1)
    .filter((row) => row !== '')
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

docs('the example of docs/format.md: its books give its figures', () => {
  const openings = tableBelow('account | class | amount')
  const lines = tableBelow('transaction_id | date | account | class | amount | kind')
  assert.is(lines.length, 8)
  const ledger = [
    ...openings.map(([account, cls, amount]) => ['open', '2024-12-01', account, cls, amount, '']),
    ...lines.map(([id, date, account, cls, amount, kind]) => [
      id,
      date,
      account,
      cls,
      amount,
      kind!.startsWith('closing') ? 'CLOSE' : '',
    ]),
  ]
  const files: Files = {
    'company.yaml': companyYaml(`classes: classes.csv
fiscalYears: [{ start: 2024-12-01, end: 2024-12-31 }, { start: 2025-01-01, end: 2025-12-31 }]
opening: { transactions: [open] }
closing: { references: [CLOSE] }
`),
    'classes.csv': 'id,name\neast,East\n',
    'ledger.csv': `transaction_id,date,account,class,amount,reference\n${ledger.join('\n')}\n`,
  }
  return buildWith(files, async (built) => {
    assert.equal(
      await postings(built, "transaction_id, date, account, coalesce(class, ''), amount, kind"),
      lines.map((line) => line.join(' ')).sort(),
    )
    const figures = [
      ...tableBelow('all classes | 2024-12 | 2025-01').map((row) => [null, ...row] as const),
      ...tableBelow('class east | 2024-12 | 2025-01').map((row) => ['east', ...row] as const),
    ]
    assert.ok(figures.length > 20)
    for (const [classId, place, ...values] of figures) {
      const [statement, id] = place!.split(' ') as [StatementName, string]
      const { months, rows, totals } = built.statement(statement, { classId })
      assert.equal(months, ['2024-12', '2025-01'])
      assert.equal(rows[id] ?? totals[id], values, `${classId} ${place}`)
    }
    // All rows of the company are shown.
    for (const statement of STATEMENTS)
      for (const id of Object.keys(built.statement(statement).rows))
        assert.ok(figures.some(([classId, place]) => classId === null && place === `${statement} ${id}`))
  })
})

docs('docs/format.md names every file, column, member and word of a snapshot', () =>
  buildWith(
    { 'ledger.csv': ledgerCsv('1 2025-01-10 bank 1.00; 1 2025-01-10 sales -1.00') },
    async (built) => {
      const json = (path: string) => JSON.parse(built.read(path)) as Record<string, unknown>
      const manifest = json('manifest.json')
      const frame = json('books/frame.json') as { accounts: object[]; classes: object }
      const lists = ['chart-of-accounts', 'tie-outs'].flatMap(
        (list) => (json(`${list}.json`).Data as object[])[0]!,
      )
      const parts = [manifest, frame, frame.classes, json('info.json'), ...lists, ...Object.values(manifest)]
      const members = parts
        .flatMap((part) => (Array.isArray(part) ? part.slice(0, 1) : [part]))
        .flatMap((part) => (typeof part === 'object' && part !== null ? Object.keys(part) : []))
      const columns = ['postings', 'openings', 'budgets', 'metrics'].map(async (name) => {
        const db = await openDatabase({ folders: null })
        const path = built.path(`books/${name}.parquet`)
        const rows = await db.rows<{ column_name: string }>(`DESCRIBE FROM read_parquet('${path}')`)
        db.close()
        return rows.map((row) => row.column_name)
      })
      const words = [
        ...members,
        ...(await Promise.all(columns)).flat(),
        ...Object.keys(frame.accounts[0]!).filter(
          (key) => !['id', 'classification', 'type', 'parentId', 'cashFlow'].includes(key),
        ),
        ...KINDS,
        ...Object.values(SUMMARY_NAMES).flat(),
        ...Object.entries(COMPUTED_ROWS).flatMap(([id, { name }]) => [id, name]),
        // Of ranges that cut a month: a snapshot has none.
        ...NOT_STATED_REASONS.filter((reason) => reason !== 'PartOfMonth'),
        ...IDENTITIES.map(({ id }) => id),
        ...SECOND_PATHS.map(({ identity }) => identity),
      ]
      assert.ok(words.length > 120, `${words.length} words`)
      assert.equal(missing(read('docs/format.md'), words), [])
    },
  ),
)

docs('docs/format.md knows the decimals of every currency', () => {
  const page = read('docs/format.md').replaceAll('\n', ' ')
  const stated = new Map(
    [...page.matchAll(/(\d) (?:decimals )?for ((?:[A-Z]{3} ?)+)/g)].flatMap(([, decimals, codes]) =>
      codes!
        .trim()
        .split(' ')
        .map((code) => [code, Number(decimals)] as const),
    ),
  )
  for (const code of [...Intl.supportedValuesOf('currency'), ...stated.keys()])
    assert.is(stated.get(code) ?? 2, currencyDecimals(code), code)
  assert.is(stated.size, 26)
})

docs('the example of docs/format.md: a payment in part on the derived cash basis', () => {
  const lines = tableBelow('transaction_id | date | account | amount | settles')
  const files: Files = {
    'chart.csv': `${CHART}tax due,2100,Tax due,Liability,SalesTax\n`,
    'ledger.csv': `transaction_id,date,account,amount,settles\n${lines.join('\n')}\n`,
  }
  return buildWith(files, async (built) => {
    const derived = await postings(built, 'basis, transaction_id, date, account, amount')
    assert.equal(
      derived.filter((line) => line.startsWith('cash')),
      tableBelow('transaction_id | date | account | amount')
        .map((line) => ['cash', ...line].join(' '))
        .sort(),
    )
  })
})

/** `tieout …` on the lines of the shell blocks, without the comment. */
const commandsOf = (text: string): string[][] =>
  [...text.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block]) =>
    [...block!.matchAll(/(?:^ *|&& )(?:npx )?tieout ([^#&\n]*)/gm)].map((match) => wordsOf(match[1]!)),
  )

docs('docs/limits.md states every limit of the server as it is', () => {
  const page = read('docs/limits.md')
  // How often slowness is looked for is nothing that anybody meets.
  const { connectionsCheckingInterval: _, ...connection } = CONNECTION_LIMITS
  const inWords = (name: string, value: number): string =>
    !/Timeout|Ms$/.test(name) ? String(value) : value < 1000 ? `${value} ms` : `${value / 1000} s`
  const stated = Object.entries({ ...connection, ...LOAD_LIMITS, body: GREATEST_BODY_BYTES }).map(
    ([name, value]) => inWords(name, value),
  )
  assert.equal(
    stated.filter((words) => !new RegExp(`\\b${words}\\b`).test(page)),
    [],
  )
})

docs('the commands of docs/commands.md run as they stand there', () =>
  inFolder(async (cwd) => {
    const commands = commandsOf(read('docs/commands.md'))
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
