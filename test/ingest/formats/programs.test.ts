/**
 * Odoo, ERPNext, NetSuite, GnuCash, Business Central and Sage 50: what `tieout add` asks about their exports, what the
 * statements show of them, and what is refused. The expected figures are computed by hand from test/support/programs.ts.
 */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { recognise } from '../../../builder/ingest/add/recognise.ts'
import type { Finding } from '../../../builder/workspace/findings/finding.ts'
import { suite } from '../../suite.ts'
import { type Added, added } from '../../support/added.ts'
import { ACCOUNTS, ENTRIES, LISTED } from '../../support/program-books.ts'
import {
  BOTH,
  businessCentralEntries,
  CHARTS,
  erpnextLedger,
  FEBRUARY,
  gnucashTransactions,
  JANUARY,
  netsuiteLedger,
  netsuiteSearch,
  odooItems,
  odooLedger,
  sage50Ledger,
} from '../../support/programs.ts'
import { type Built, codes, type Files, findingsText, only } from '../../support/workspace.ts'

const test = suite('programs')

type Program = keyof typeof CHARTS

/** As a new user does: add the files, answer what is asked, build; with the keys of company.yaml that were left to fill in. */
const tried = <T>(
  files: Files,
  look: (tried: Added & { readonly asked: readonly string[] }) => T | Promise<T>,
  answers: Readonly<Record<string, string>> = {},
): Promise<T> =>
  added(
    files,
    (all) => {
      const asked = [...all.yaml.matchAll(/^\s*"?([\w ]+)"?:.*FILL IN/gm)].map((match) => match[1]!)
      return look({ ...all, asked })
    },
    answers,
  )
const findingsOf = (files: Files, more = {}): Promise<readonly Finding[]> =>
  tried(files, ({ built }) => built.result.findings, more)

test('capital is equity by its name; what only speaks of capital is asked, or is something else', () => {
  const kinds = {
    Capital: 'Equity, type: Capital',
    'Capital contributions': 'Equity, type: Capital',
    'Issued capital': 'Equity, type: Capital',
    "Owner's Capital": 'Equity, type: Capital',
    'Partners’ draw': 'Equity, type: Drawings',
    'Working capital': 'FILL IN',
    'Capital gains': 'FILL IN',
    'Capital work in progress': 'FILL IN',
    'Capital loan': 'Liability, type: LongTermLiability',
  }
  const lines = Object.keys(kinds).map(
    (name, i) => `01/31/2025,J1,${i + 1},${name},${i === 0 ? -8 : 1},${i + 1}`,
  )
  const header = 'Posting Date,Document No.,G/L Account No.,G/L Account Name,Amount,Entry No.'
  return tried({ 'entries.csv': [header, ...lines, ''].join('\n') }, ({ yaml }) =>
    assert.equal(
      [...yaml.matchAll(/^ {2}"\d": \{ classification: ([^}]*) \} # ([^;]*);/gm)].map(([, kind, name]) => [
        name,
        kind,
      ]),
      Object.entries(kinds),
    ),
  )
})

/** January and February, by hand. Account → its number in a program without numbers is its path. */
const BALANCES = {
  '1010': ['12500.00', '8675.00'],
  '1100': ['3000.00', '7200.00'],
  '1500': ['6000.00', '6000.00'],
  '1590': ['-1300.00', '-1300.00'],
  '2000': ['2700.00', '900.00'],
  '2500': ['5000.00', '4500.00'],
  '3000': ['8000.00', '8000.00'],
  '3900': ['2500.00', '2500.00'],
  'current-year-earnings': ['2000.00', '4675.00'],
}
const RESULTS = {
  '4000': ['3000.00', '4200.00'],
  '5000': ['0.00', '1500.00'],
  '6000': ['900.00', '0.00'],
  '6100': ['100.00', '0.00'],
  '6200': ['0.00', '25.00'],
}
const PATHS = new Map(ACCOUNTS.map(({ number, path }) => [number, path]))
const byPath = (figures: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(figures).map(([id, values]) => [PATHS.get(id) ?? id, values]))

function hold(built: Built, isByPath = false): void {
  const named = isByPath ? byPath : (figures: object) => figures
  assert.is(built.result.outcome, 'published', findingsText(built.result.findings))
  assert.equal(built.statement('BalanceSheet').rows, named(BALANCES))
  assert.equal(built.statement('ProfitAndLoss').rows, named(RESULTS))
  assert.equal(built.statement('BalanceSheet').totals.TotalAssets, ['20200.00', '20575.00'])
  assert.equal(built.statement('ProfitAndLoss').totals.NetIncome, ['2000.00', '2675.00'])
}

/** What each program brings, its chart, and what company.yaml asks of it. */
const EXPORTS: readonly (readonly [
  what: string,
  program: Program,
  text: string,
  questions: readonly string[],
])[] = [
  ['General Ledger', 'odoo', odooLedger(), ['currency']],
  ['Journal Items', 'odoo', odooItems(), ['fiscalMonthEnd', 'currency']],
  ['General Ledger', 'erpnext', erpnextLedger(), []],
  ['General Ledger', 'netsuite', netsuiteLedger(), ['currency']],
  ['saved search', 'netsuite', netsuiteSearch(), ['fiscalMonthEnd', 'currency']],
  ['transactions', 'gnucash', gnucashTransactions(), ['fiscalMonthEnd']],
  ['entries', 'business-central', businessCentralEntries(), ['fiscalMonthEnd', 'currency']],
  ['General Ledger', 'sage50', sage50Ledger(), ['currency']],
]

for (const [what, program, text, questions] of EXPORTS)
  test(`${program}: ${what} with the chart, set up by add, gives the figures computed by hand`, () =>
    tried({ 'gl.csv': text, 'accounts.csv': CHARTS[program] }, ({ built, asked }) => {
      hold(built, program === 'gnucash')
      const own = asked.filter((key) => key !== 'opening')
      assert.equal(own, questions)
      assert.ok(asked.length <= 5)
    }))

test('sage50: the description below the ID, as in the printed report', () =>
  tried({ 'gl.csv': sage50Ledger(BOTH, true), 'accounts.csv': CHARTS.sage50 }, ({ built, yaml }) => {
    hold(built)
    assert.match(yaml, /"1100": .*# Accounts Receivable/)
  }))

test('gnucash: with every cell filled, as newer versions write it', () =>
  tried({ 't.csv': gnucashTransactions(LISTED, false), 'a.csv': CHARTS.gnucash }, ({ built }) =>
    hold(built, true),
  ))

test('erpnext: accounts without numbers are known by their names', () =>
  tried({ 'gl.csv': erpnextLedger(BOTH, { numbered: false }), 'a.csv': CHARTS.erpnext }, ({ built }) => {
    assert.is(built.result.outcome, 'published', findingsText(built.result.findings))
    assert.equal(built.statement('BalanceSheet').totals.TotalAssets, ['20200.00', '20575.00'])
  }))

for (const [what, program, text] of EXPORTS.filter(([, id]) => id !== 'business-central'))
  test(`${program}: ${what} without the chart: kinds are told by numbers and names, each to be checked`, () =>
    tried({ 'gl.csv': text }, ({ built, asked, yaml }) => {
      assert.ok(asked.length <= 5, asked.join())
      hold(built, program === 'gnucash')
      assert.match(yaml, /please check/)
    }))

test('departments come with the ledger', async () => {
  const sales: Readonly<Record<string, readonly [program: Program, text: string, member: string]>> = {
    erpnext: ['erpnext', erpnextLedger(), 'East - CO'],
    netsuite: ['netsuite', netsuiteLedger(), 'East'],
    search: ['netsuite', netsuiteSearch(), 'East'],
    items: ['odoo', odooItems(), 'East'],
    'business-central': ['business-central', businessCentralEntries(), 'EAST'],
  }
  for (const [name, [program, text, departmentId]] of Object.entries(sales))
    await tried({ 'gl.csv': text, 'accounts.csv': CHARTS[program] }, ({ built }) => {
      const { rows, totals } = built.statement('ProfitAndLoss', { departmentId })
      // East: the sale of January and the goods of February.
      assert.equal(rows['4000'], ['3000.00', '0.00'], name)
      assert.equal(rows['5000'], ['0.00', '1500.00'], name)
      assert.equal(totals.NetIncome, ['3000.00', '-1500.00'], name)
    })
})

test('months in two files: what the second brings forward is held against the first', async () => {
  const pairs: Readonly<
    Record<string, readonly [Program, string, string, changed: readonly [string, string]]>
  > = {
    odoo: ['odoo', odooLedger(JANUARY), odooLedger(FEBRUARY), ['12500.00', '12501.00']],
    erpnext: ['erpnext', erpnextLedger(JANUARY), erpnextLedger(FEBRUARY), ['12500.00', '12501.00']],
    netsuite: ['netsuite', netsuiteLedger(JANUARY), netsuiteLedger(FEBRUARY), ['$12,500.00', '$12,501.00']],
    sage50: ['sage50', sage50Ledger(JANUARY), sage50Ledger(FEBRUARY), ['12,500.00', '12,501.00']],
  }
  for (const [name, [program, january, february, [from, to]]] of Object.entries(pairs)) {
    const files = { 'jan.csv': january, 'accounts.csv': CHARTS[program] }
    await tried({ ...files, 'feb.csv': february }, ({ built }) => hold(built))
    // Bank of February, all of whose balances begin with another opening.
    const shifted = february.replace(from, to)
    assert.ok(shifted !== february, name)
    const found = await findingsOf({ ...files, 'feb.csv': shifted })
    assert.ok(
      found.some(({ severity }) => severity === 'error'),
      `${name}: ${codes(found).join()}`,
    )
  }
})

test('erpnext: accounts that the report leaves out with their openings are missing in the books', async () => {
  const found = await findingsOf({
    'gl.csv': erpnextLedger(BOTH, { entries: ENTRIES }),
    'a.csv': CHARTS.erpnext,
  })
  const { message, row } = only(found, 'openings-incomplete')
  assert.match(message, /opens with debits of 18,500\.00 .* openings of its accounts are 12,500\.00/)
  assert.is(row, 2)
})

test('sage50: a new year begins with results of zero and equity that is higher by them, and by nothing else', async () => {
  const ledger = (retained: string) => `Acme Inc.
General Ledger
"For the Period From Jan 1, 2025 to Feb 28, 2025"
Account ID,Account Description,Date,Reference,Jrnl,Trans Description,Debit Amt,Credit Amt,Balance
1000,Checking,1/1/25,,,Beginning Balance,,,100.00
,,1/31/25,1,CRJ,Sale,50.00,,
,,,,,Current Period Change,50.00,,50.00
,,2/1/25,,,Beginning Balance,,,150.00
,,2/28/25,2,CRJ,Sale,7.00,,
,,,,,Current Period Change,7.00,,7.00
,,2/28/25,,,Ending Balance,,,157.00
3900,Retained Earnings,1/1/25,,,Beginning Balance,,,-100.00
,,2/1/25,,,Beginning Balance,,,${retained}
,,2/28/25,,,Ending Balance,,,${retained}
4000,Sales,1/1/25,,,Beginning Balance,,,0.00
,,1/31/25,1,CRJ,Sale,,50.00,
,,,,,Current Period Change,,50.00,-50.00
,,2/1/25,,,Beginning Balance,,,0.00
,,2/28/25,2,CRJ,Sale,,7.00,
,,,,,Current Period Change,,7.00,-7.00
,,2/28/25,,,Ending Balance,,,-7.00
`
  // The fiscal year ends in January, so that the statements begin in February of the year before.
  const lastTwo = (values: readonly unknown[] | undefined) => values!.slice(-2)
  const inJanuary = { fiscalMonthEnd: '1' }
  await tried(
    { 'gl.csv': ledger('-150.00') },
    ({ built }) => {
      assert.is(built.result.outcome, 'published', findingsText(built.result.findings))
      const { rows } = built.statement('BalanceSheet')
      assert.equal(lastTwo(rows['1000']), ['150.00', '157.00'])
      assert.equal(lastTwo(built.statement('ProfitAndLoss').rows['4000']), ['50.00', '7.00'])
      assert.equal(lastTwo(rows['current-year-earnings']), ['50.00', '7.00'])
    },
    inJanuary,
  )
  const found = await findingsOf({ 'gl.csv': ledger('-151.00') }, inJanuary)
  assert.match(only(found, 'opening-differs').message, /results and equity change by -1\.00 in total/)
})

test('business-central: entries of a closing date close the year', async () => {
  const close = [
    'C02/28/2025,,CLOSE,4000,Sales,Close,,"7,200.00","7,200.00",0.00,G/L Account,91',
    'C02/28/2025,,CLOSE,5000,Cost of Goods Sold,Close,,"-1,500.00",0.00,"1,500.00",G/L Account,92',
    'C02/28/2025,,CLOSE,6000,Rent Expense,Close,,-900.00,0.00,900.00,G/L Account,93',
    'C02/28/2025,,CLOSE,6100,Depreciation Expense,Close,,-100.00,0.00,100.00,G/L Account,94',
    'C02/28/2025,,CLOSE,6200,Interest Expense,Close,,-25.00,0.00,25.00,G/L Account,95',
    'C02/28/2025,,CLOSE,3900,Retained Earnings,Close,,"-4,675.00",0.00,"4,675.00",G/L Account,96',
  ].join('\r\n')
  await tried(
    { 'gl.csv': `${businessCentralEntries()}${close}\r\n`, 'a.csv': CHARTS['business-central'] },
    ({ built }) => {
      assert.equal(built.statement('ProfitAndLoss').rows, RESULTS)
      assert.equal(built.statement('BalanceSheet').rows['3900'], ['2500.00', '7175.00'])
    },
  )
})

test('gnucash: another currency is not added to that of the books', async () => {
  const text = gnucashTransactions(LISTED, false).replace(/(2025-02-12.*?)CURRENCY::USD/, '$1CURRENCY::EUR')
  const found = await findingsOf({ 't.csv': text, 'a.csv': CHARTS.gnucash })
  assert.match(findingsText(found), /mixed-currency|blank/)
})

for (const [file, kind] of [
  ['chart-of-accounts.csv', 'chart'],
  ['classes.csv', 'members'],
  ['ledger/accrual-2025.csv', 'ledger'],
] as const)
  test(`the canonical ${file} is of no program`, async () => {
    const path = join(import.meta.dirname, '../../../datasets/harbor', file)
    assert.is((await recognise(path)).kind, kind)
  })
