/**
 * Plain-text accounting: the business as a journal, given to the real program, whose CSV is read; and the same CSV written
 * here, so that reading it is tested where the program is missing.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Business, type BusinessAccount, type BusinessLine, decimal } from '../../support/business.ts'
import { companyYamlOf, type Exported, type Exporter } from './exported.ts'

const ROOTS: Readonly<Record<string, string>> = {
  Asset: 'Assets',
  Liability: 'Liabilities',
  Equity: 'Equity',
  Income: 'Income',
  OtherIncome: 'Income',
  CostOfSales: 'Expenses',
  Expense: 'Expenses',
  OtherExpense: 'Expenses',
}

/** A path that all three programs take: Beancount allows letters, digits and dashes. */
const nameOf = ({ number, name }: BusinessAccount): string => `N${number}-${name.replace(/[^A-Za-z]+/g, '-')}`
/** What earlier years left is what the openings are balanced by: plain-text books have an account of that name. */
const pathOf = (account: BusinessAccount): string =>
  `${ROOTS[account.classification]}:${account.type === 'RetainedEarnings' ? 'Opening-Balances:' : ''}${nameOf(account)}`

interface Line extends Pick<BusinessLine, 'class' | 'department' | 'amount'> {
  readonly account: string
}
interface Transaction {
  readonly date: string
  readonly code: string
  readonly payee: string
  readonly text: string
  readonly lines: readonly Line[]
}

function transactionsOf(business: Business): Transaction[] {
  const paths = new Map(business.accounts.map((account) => [account.number, pathOf(account)]))
  return [
    {
      date: business.year.start,
      code: '',
      payee: 'Opening',
      text: 'balances',
      lines: business.accounts
        .filter(({ opening }) => opening !== 0)
        .map((account) => ({
          account: pathOf(account),
          amount: account.opening,
          class: null,
          department: null,
        })),
    },
    ...business.transactions.map(({ date, type, document, party, lines }) => ({
      date,
      code: `${type.slice(0, 2)}${document}`,
      payee: party || 'Nobody',
      text: lines[0]!.memo,
      lines: lines.map((line) => ({ ...line, account: paths.get(line.account)! })),
    })),
  ]
}

const exported = (business: Business, name: string, csv: string): Exported => ({
  name,
  files: {
    'company.yaml': companyYamlOf(business, 'ledger: [{ files: "journal.csv" }]', pathOf),
    'journal.csv': csv,
  },
  dimensions: ['class', 'department'],
  account: (account) => ({ id: pathOf(account), number: '', name: nameOf(account) }),
})

/** What the program writes of a journal; null where it is not installed. */
function run(program: string, journal: string, args: (file: string) => readonly string[]): string | null {
  if (spawnSync(program, ['--version']).error) return null
  const folder = mkdtempSync(join(tmpdir(), 'tieout-journal-'))
  const file = join(folder, 'books.txt')
  writeFileSync(file, journal)
  return execFileSync(program, args(file), {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    maxBuffer: 1 << 26,
  })
}

/** The test's name is the function's. */
const named = (name: string, exporter: Exporter): Exporter =>
  Object.defineProperty(exporter, 'name', { value: name })

const viaProgram = (
  name: string,
  program: string,
  journalOf: (transactions: readonly Transaction[], business: Business) => string,
  args: (file: string) => readonly string[],
): Exporter =>
  named(name, (business) => {
    const csv = run(program, journalOf(transactionsOf(business), business), args)
    return csv === null ? null : exported(business, name, csv)
  })
const written = (name: string, csvOf: (transactions: readonly Transaction[]) => string): Exporter =>
  named(name, (business) => exported(business, name, csvOf(transactionsOf(business))))

const tagsOf = (line: Line): string =>
  [line.class && `class: ${line.class}`, line.department && `department: ${line.department}`]
    .filter((tag) => tag !== null)
    .join(', ')

/** The form that hledger and Ledger share; Ledger takes one tag per line. */
const journal = (transactions: readonly Transaction[]): string =>
  transactions
    .map(({ date, code, payee, text, lines }) =>
      [
        `${date} * ${code === '' ? '' : `(${code}) `}${payee}  ; ${text.replaceAll(',', '')}`,
        ...lines.map((line) =>
          [
            `    ${line.account}  € ${decimal(line.amount)}`,
            ...(tagsOf(line) === '' ? [] : tagsOf(line).split(', ')).map((tag) => `    ; ${tag}`),
          ].join('\n'),
        ),
      ].join('\n'),
    )
    .join('\n\n')

const beanJournal = (transactions: readonly Transaction[], business: Business): string =>
  [
    'option "operating_currency" "EUR"',
    ...business.accounts.map((account) => `${business.year.start} open ${pathOf(account)} EUR`),
    ...transactions.map(({ date, payee, text, lines }) =>
      [
        `${date} * ${JSON.stringify(payee)} ${JSON.stringify(text)}`,
        ...lines.flatMap((line) => [
          `  ${line.account}  ${decimal(line.amount)} EUR`,
          ...(line.class === null ? [] : [`    class: "${line.class}"`]),
          ...(line.department === null ? [] : [`    department: "${line.department}"`]),
        ]),
      ].join('\n'),
    ),
  ].join('\n\n')

const cells = (...texts: readonly (string | null)[]): string =>
  texts.map((text) => `"${(text ?? '').replaceAll('"', '""')}"`).join(',')
const rowsOf = (
  transactions: readonly Transaction[],
  row: (transaction: Transaction, line: Line, n: number) => string,
): string[] =>
  transactions.flatMap((transaction, n) => transaction.lines.map((line) => row(transaction, line, n + 1)))
const file = (rows: readonly string[], end = '\n'): string => rows.map((row) => row + end).join('')

/** The commands are those that people are told. */
const page = readFileSync(resolve(import.meta.dirname, '../../../datasets/formats/plain-text.md'), 'utf8')
const told = (pattern: RegExp): string => pattern.exec(page)![1]!.replace(/\s+/g, ' ')
const BEAN_QUERY = told(/bean-query [^"]*"(SELECT [^"]*)"/)
const LEDGER_FORMAT = told(/--csv-format '([^']*)'/)

/** Ledger's own format has no columns for tags: without them there is nothing to be seen by class or department. */
const withoutTags =
  (exporter: Exporter): Exporter =>
  async (business) => {
    const found = await exporter(business)
    return found && { ...found, dimensions: [] }
  }

export const plainText: readonly Exporter[] = [
  viaProgram('hledger print', 'hledger', journal, (path) => [
    '-f',
    path,
    'print',
    '-B',
    '--real',
    '-O',
    'csv',
  ]),
  written('hledger print, written here', (transactions) =>
    file([
      cells(
        ...'txnidx date date2 status code description comment account amount commodity credit debit posting-status posting-comment'.split(
          ' ',
        ),
      ),
      ...rowsOf(transactions, ({ date, code, payee, text }, line, n) => {
        const sides = [decimal(Math.max(-line.amount, 0)), decimal(Math.max(line.amount, 0))]
        return cells(
          String(n),
          date,
          '',
          '*',
          code,
          payee,
          text.replaceAll(':', ''),
          line.account,
          decimal(line.amount),
          '€',
          ...sides,
          '',
          tagsOf(line),
        )
      }),
    ]),
  ),
  withoutTags(
    viaProgram('hledger register', 'hledger', journal, (path) => ['-f', path, 'register', '-O', 'csv']),
  ),
  viaProgram('bean-query', 'bean-query', beanJournal, (path) => ['-q', '-f', 'csv', path, BEAN_QUERY]),
  written('bean-query, written here', (transactions) =>
    file(
      [
        'id,date,flag,payee,narration,account,weight,class_,department',
        ...rowsOf(transactions, ({ date, payee, text }, line, n) =>
          cells(
            `${n}`.padStart(32, 'f'),
            date,
            '*',
            payee,
            text,
            `${line.account}  `,
            ` ${decimal(line.amount)} EUR`,
            line.class,
            line.department,
          ),
        ),
      ],
      '\r\n',
    ),
  ),
  viaProgram('ledger csv with tags', 'ledger', journal, (path) => [
    '-f',
    path,
    'csv',
    '-B',
    '--real',
    '--csv-format',
    LEDGER_FORMAT,
  ]),
  withoutTags(viaProgram('ledger csv', 'ledger', journal, (path) => ['-f', path, 'csv'])),
  withoutTags(
    written('ledger csv, written here', (transactions) =>
      file(
        rowsOf(transactions, ({ date, code, payee, text }, line) =>
          cells(date.replaceAll('-', '/'), code, payee, line.account, 'EUR', decimal(line.amount), '*', text),
        ),
      ),
    ),
  ),
]
