/**
 * Exports of every format in which one word is very long, or one row stands very often, against `check` and `add`: as in growth.all.test.ts,
 * four times the input takes about four times the work.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { alike, seed } from '../seed.ts'
import { suite } from '../suite.ts'
import { seeded } from '../support/random.ts'
import { workbookOf } from '../support/report-files.ts'
import type { Files } from '../support/workspace.ts'
import { inWorkspaceOf } from './command.ts'
import { FILLINGS, filled, grows, secondsOf } from './growth.ts'

const growth = suite('growth of exports')

const CORPUS = join(import.meta.dirname, '../ingest/corpus')
/** `tables` stands for itself as CSV and as workbooks, too. */
const FORMATS = readdirSync(CORPUS).filter((format) => format !== 'workbooks')

function filesOf(format: string): Record<string, string> {
  const top = join(CORPUS, format, 'seed')
  const paths = readdirSync(top, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    paths
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(top.length + 1), readFileSync(path, 'latin1')]),
  )
}

const asWorkbooks = (files: Record<string, string>): Files =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) =>
      path.endsWith('.csv')
        ? [path.replace(/csv$/, 'xlsx'), workbookOf({ One: text.split('\n').map((line) => line.split(',')) })]
        : [path, text.replaceAll('.csv', '.xlsx')],
    ),
  )

/** What is read and added: these files, of which one was enlarged. */
const grown = (name: string, change: (n: number) => Files): void =>
  growth(name, () =>
    grows((n) => {
      const files = change(n)
      return inWorkspaceOf({ acme: files }, (cwd) => {
        const sources = Object.keys(files).filter((path) => path !== 'company.yaml')
        const given = sources.map((path) => join('datasets/acme', path))
        const facts = ['--currency', 'EUR', '--basis', 'accrual', '--year-end', '12']
        const commands = [
          ['check', 'acme'],
          ['add', 'new', ...given, ...facts],
        ]
        return secondsOf(commands, cwd)
      })
    }),
  )

const tables = filesOf('tables')
const line = (text: string) => text.slice(0, text.indexOf('\n') + 1)
grown('a list of classes in which one id stands thousands of times', (n) => ({
  ...tables,
  'classes.csv': tables['classes.csv']! + filled(n, line(tables['classes.csv']!)),
}))
grown('a workbook with a header of one long cell', (n) =>
  asWorkbooks({ ...tables, 'budget.csv': filled(n, '2024-01-05 ') }),
)
const report = filesOf('quickbooks')
grown('a report with a section that begins thousands of times', (n) => ({
  ...report,
  'gl.csv': report['gl.csv']!.replace(/^1590 Plant depreciation\r?\n/m, (row) => filled(n, row)),
}))

/** An account as each program writes it, and a label that is almost one. */
const LABELS: Readonly<Record<string, readonly [string, (number: string, blanks: string) => string]>> = {
  xero: ['Bank', (number) => `Bank (${number}`],
  'xero-2': ['Bank', (number, blanks) => `"${number}${blanks}\nx"`],
  netsuite: ['1010 - Checking', (_, blanks) => `"1${blanks}\nx"`],
  odoo: ['1010 Checking', (number, blanks) => `"${number}${blanks}\nx"`],
  erpnext: ['1010 - Checking', (number) => `${number}x - Checking`],
  quickbooks: ['1000 Bank', (_, blanks) => `"1000${blanks}\nx"`],
}
growth('labels in which a number or a gap does not end, in reports of every program', () =>
  grows(async (n) => {
    const ran = []
    for (const [program, [label, written]] of Object.entries(LABELS)) {
      const { 'company.yaml': company, ...exports } = filesOf(program)
      const long = written(filled(n, '1'), filled(n, ' '))
      const files = Object.entries(exports).map(([path, text]) => [path, text.replace(label, () => long)])
      ran.push(
        ...(await inWorkspaceOf({ acme: { 'company.yaml': company!, ...Object.fromEntries(files) } }, (cwd) =>
          secondsOf([['check', 'acme']], cwd),
        )),
      )
    }
    return ran
  }),
)

const ledger = tables['ledger.csv']!.trimEnd()
grown('one long word below the entries', (n) => ({
  ...tables,
  'ledger.csv': `${ledger}\n${filled(n, 'x')}${','.repeat(line(ledger).split(',').length - 1)}\n`,
}))
grown('cells that are almost a number, an amount, a moment or a total', (n) => ({
  ...tables,
  'long.csv': `${tables['long.csv']!}rent;Feb-25;${filled(n, '1,')}x\n"Total${filled(n, ' ')}\nx\ny";Feb-25;1\n`,
  'metrics.csv': `${tables['metrics.csv']!}${[
    `0.${filled(n, '0')}1`,
    `${filled(n, '0')}x`,
    `1:${filled(n, ' ')}x`,
  ]
    .map((value) => `headcount,2025-02-28,${value},,shop,\nheadcount,${value},1,,shop,\n`)
    .join('')}`,
}))
grown('a heading of the commentary with many blanks', (n) => ({
  ...tables,
  'commentary/2025-01.md': `# Sales ${filled(n, ' ')}x\ntext\n`,
}))
grown('a SIE file with many fiscal years', (n) => ({
  'company.yaml':
    'id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: SEK\nopening: none\nledger: [{ files: l.se }]\n',
  'l.se': `#FLAGGA 0\n#FORMAT PC8\n#SIETYP 4\n#FNAMN "A"\n#RAR 0 20250101 20251231\n${Array.from(
    { length: n / 1000 },
    (_, i) => `#RAR -${i + 1} ${2024 - i}0101 ${2024 - i}1231\n`,
  ).join(
    '',
  )}#KONTO 1930 "Bank"\n#KONTO 3000 "Sales"\n#VER A 1 20250101\n{\n#TRANS 1930 {} 1\n#TRANS 3000 {} -1\n}\n`,
}))
grown('classes in one deep chain', (n) => ({
  ...tables,
  'classes.csv': `id,name,parent\n${Array.from(
    { length: n / 50 },
    (_, i) => `c${i},C ${i},${i === 0 ? '' : `c${i - 1}`}\n`,
  ).join('')}`,
}))

const WORDS = /[\p{L}\p{N}][\p{L}\p{N}., /-]*/gu

for (const [format, made, as] of alike([
  ...FORMATS.map((each) => [each, (files: Record<string, string>): Files => files, ''] as const),
  ['tables', asWorkbooks, ' as workbooks'] as const,
])) {
  const files = filesOf(format)
  const { pick, chance } = seeded(`growth ${format}${as} ${seed}`)
  const path = pick(Object.keys(files).filter((each) => each !== 'company.yaml'))
  const text = files[path]!
  const [word, filling, row] = [pick([...text.matchAll(WORDS)]), pick(FILLINGS), pick(text.split('\n'))]
  const [what, enlarged] = chance(30)
    ? [`many of ${row}`, (n: number) => text.replace(row, () => filled(n, `${row}\n`))]
    : [
        `${JSON.stringify(filling)} for ${word[0]}`,
        (n: number) =>
          text.slice(0, word.index) + filled(n, filling) + text.slice(word.index + word[0].length),
      ]
  grown(`${format}${as}: ${path} with ${what}`, (n) => made({ ...files, [path]: enlarged(n) }))
}
