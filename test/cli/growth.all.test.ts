/**
 * Long cells, long names, many columns, deep settings and many findings, against commands and pages: four times the input takes about
 * four times the work, and never its square. What counts is the time of the processor in one run, with bounds so wide that another load of
 * the machine does not matter: the square of these sizes takes minutes.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alike } from '../seed.ts'
import { suite } from '../suite.ts'
import { CHART, companyYaml, type Files } from '../support/workspace.ts'
import { inWorkspaceOf } from './command.ts'
import { FILLINGS, filled, grows, secondsOf } from './growth.ts'

const growth = suite('growth')

const HEAD = 'transaction_id,date,account,amount,class,department,memo'
const ROWS = '1,2025-01-01,bank,1000.00,,,\n1,2025-01-01,capital,-1000.00,,,\n'
const COLUMNS = HEAD.split(',')

const company = (ledger: string, yaml = '', chart = ''): Files => ({
  'company.yaml': companyYaml(`id: acme\n${yaml}`),
  'chart.csv': CHART + chart,
  'ledger.csv': `${HEAD}\n${ROWS}${ledger}`,
})
const many = (n: number, line: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => line(i)).join('')

const cellOf = (column: string, text: string): string => {
  const row = ['2', '2025-02-01', 'bank', '5.00', '', '', '']
  row[COLUMNS.indexOf(column)] = `"${text}"`
  return `${row.join(',')}\n`
}

/** By name: a company of about `n` characters, and the commands that meet it. */
const CASES: Readonly<Record<string, (n: number) => Files>> = {
  ...Object.fromEntries(
    // Each filling is met as an account's name, a date and in one more column; together they meet all, in three days.
    alike([...FILLINGS.entries()]).map(([i, filling]) => [
      `cells and a name of ${JSON.stringify(filling)}`,
      (n: number) =>
        company(
          ['date', COLUMNS[i % COLUMNS.length]!].map((each) => cellOf(each, filled(n, filling))).join(''),
          '',
          `x,9,"${filled(n, filling)}",Expense,Expense\n`,
        ),
    ]),
  ),
  'a long name': (n) => company('', `name: ${filled(n, 'Long name ')}`),
  'many columns': (n) => ({
    ...company(''),
    'ledger.csv': `${HEAD},${many(n / 20, (i) => `c${i},`)}z\n${ROWS}`,
  }),
  'many rows that cannot be read': (n) => company('2,2025-02-30x,nowhere,1.5x,,,\n'.repeat(n / 30)),
  'many unknown accounts': (n) => company(many(n / 30, (i) => `2,2025-02-01,no${i},1.50,c${i},,\n`)),
  'many accounts': (n) =>
    company(
      '',
      '',
      many(n / 200, (i) => `x${i},${10_000 + i},Account ${i},Expense,Expense\n`),
    ),
  'deep settings': (n) => company('', `x: ${'['.repeat(n / 50)}${']'.repeat(n / 50)}`),
  'many keys': (n) =>
    company(
      '',
      many(n / 10, (i) => `k${i}: 1\n`),
    ),
}
const COMMANDS = [
  ['build'],
  ['show', 'acme', '--statement', 'all'],
  ['trial-balance', 'acme'],
  ['explain', 'acme', 'bank', '2025-02'],
  ['report', 'acme', '--to', 'pages'],
]

for (const [name, make] of Object.entries(CASES))
  growth(`time grows with size: ${name}`, () =>
    grows((n) => {
      const files = make(n)
      return inWorkspaceOf({ acme: files }, async (cwd) => {
        const built = await secondsOf(COMMANDS, cwd)
        const ledger = join(cwd, 'datasets/acme/ledger.csv')
        writeFileSync(ledger, files['ledger.csv']!.toString().replaceAll('1000.00', '1001.00'))
        return [...built, ...(await secondsOf([['build'], ['diff', 'acme', '--lines']], cwd))]
      })
    }),
  )
