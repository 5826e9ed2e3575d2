/**
 * The table of datasets/formats/README.md, held against the program: each thing that an export states about itself is
 * contradicted in a small file of that format, and the finding that the table names must follow. What states no opening
 * balances is asked about.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { FORMATS } from '../../builder/ingest/formats.ts'
import { repository } from '../cli/command.ts'
import { chosen } from '../seed.ts'
import { suite } from '../suite.ts'
import { type Reading, readBooksIn } from '../support/mutations.ts'
import { findingsText, inWorkspace } from '../support/workspace.ts'
import { packed, seedOf } from './fuzz/corpus.ts'

const test = suite('what exports state about themselves')

/** A row of the table: its page, the finding, and whether that refuses the file. */
interface Row {
  readonly page: string
  readonly code: string
  readonly severity: 'error' | 'warning'
}

const README = readFileSync(join(repository, 'datasets/formats/README.md'), 'utf8')
const rowsUnder = (heading: string): string[][] =>
  README.split(`## ${heading}\n`)[1]!
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| ['))
    .map((line) => line.split('|').map((cell) => cell.trim()))
const pageOf = (cell: string): string => /\]\(([\w-]+)\.md\)/.exec(cell)![1]!

const CHECKED: readonly Row[] = rowsUnder('What is checked').map(([, page, , finding]) => ({
  page: pageOf(page!),
  code: /`([a-z-]+)`/.exec(finding!)![1]!,
  severity: finding!.startsWith('refused') ? 'error' : 'warning',
}))

/** Page, finding, corpus, file, and the change that contradicts what the file states; `$1` is what was in brackets. */
const EXAMPLES: readonly (readonly [string, string, string, string, RegExp, string])[] = [
  ['sie', 'unbalanced-transaction', 'sie', 'books.se', /(#TRANS 1930 \{\} -3)0/, '$11'],
  ['sie', 'control-differs', 'sie', 'books.se', /(#UB 0 1930 97)0/, '$11'],
  ['sie', 'control-differs', 'sie', 'books.se', /(#RES 0 4010 3)0/, '$11'],
  ['sie', 'control-differs', 'sie', 'books.se', /(#PSALDO 0 202401 3010 \{\} -10)0/, '$11'],
  ['sie', 'opening-unbalanced', 'sie', 'books.se', /(#IB 0 2081 -100)0/, '$11'],
  ['sie', 'closing-not-carried', 'sie', 'books.se', /(#IB 0 1930 1000.00)/, '$1\n#UB -1 1930 900.00'],
  ['sie', 'stated-twice', 'sie', 'books.se', /(#PBUDGET .*)-90.00/, '$1-90.00\n$1-91.00'],
  ['sie', 'voucher-gap', 'sie', 'books.se', /#VER A 2/, '#VER A 3'],
  ['sie', 'date-after-coverage', 'sie', 'books.se', /(#RAR 0 .*)/, '$1\n#OMFATTN 20240131'],
  ['sie', 'sie-import-file', 'sie', 'books.se', /#IB 0 .*\n#IB 0 .*\n(#UB 0 .*\n)+/, ''],
  ['fec', 'unbalanced-transaction', 'fec', '111111111FEC20231231.txt', /0050,00/, '0051,00'],
  ['fec', 'entry-repeated', 'fec', '111111111FEC20231231.txt', /(VT\t[\s\S]*?)(BQ\t[\s\S]*)$/, '$1$2$1'],
  ['fec', 'voucher-gap', 'fec', '111111111FEC20231231.txt', /(BQ\t.*\t)3(\t.*\r?\n.*\t)3(\t)/, '$15$25$3'],
  ['fec', 'opening-unbalanced', 'fec', '111111111FEC20231231.txt', /AN\t.*\t101000\t.*\r?\n/, ''],
  ['saf-t', 'control-differs', 'saft', '2025.xml', /<TotalDebit>/, '<TotalDebit>9'],
  ['saf-t', 'control-differs', 'saft', '2025.xml', /(<ClosingDebitBalance>2614)0/, '$11'],
  ['saf-t', 'opening-unbalanced', 'saft', '2025.xml', /(<OpeningDebitBalance>2500)0/, '$11'],
  ['saf-t', 'entry-count-differs', 'saft', '2025.xml', /<NumberOfEntries>/, '<NumberOfEntries>9'],
  ['saf-t', 'analysis-exceeds-line', 'saft', '2025.xml', /(<Amount>)(\d+)/, '$19$2'],
  [
    'plain-text',
    'unbalanced-transaction',
    'plain-text',
    'main.journal.csv',
    /50\.25(,\$,,)50\.25/,
    '50.26$150.26',
  ],
  ['plain-text', 'entry-repeated', 'plain-text', 'main.journal.csv', /(1,2024-01-05[\s\S]*)$/, '$1$1'],
  ['ads', 'control-differs', 'ads', 'Trial_Balance_20251231.txt', /(25000.00\|2554)4/, '$15'],
  ['ads', 'duplicate-line-id', 'ads', 'GL_Detail_20250101_20251231.txt', /1\|2\|Invoice/, '1|1|Invoice'],
  ['quickbooks', 'balance-differs', 'quickbooks', 'gl.csv', /25,047\.13/, '25,048.13'],
  ['quickbooks', 'balance-differs', 'quickbooks-desktop', 'gl.csv', /25,047\.13/, '25,048.13'],
  ['quickbooks', 'total-differs', 'quickbooks', 'gl.csv', /(Total for 1000 Bank.*1,14)0/, '$11'],
  ['quickbooks', 'total-differs', 'quickbooks-desktop', 'gl.csv', /(Total 1000 .*26,14)0/, '$11'],
  ['quickbooks', 'section-without-total', 'quickbooks', 'gl.csv', /Total for 1100 Debtors.*\r?\n/, ''],
  ['quickbooks', 'report-without-end', 'quickbooks-desktop', 'gl.csv', /\nTOTAL.*\n?/, '\n'],
  ['xero', 'balance-differs', 'xero', 'gl.csv', /25,047\.13/, '25,048.13'],
  [
    'xero',
    'balance-differs',
    'xero',
    'gl.csv',
    /Closing Balance,,,,"26,140.86",0.00,"26,140.86"/,
    'Closing Balance,,,,"26,141.86",0.00,"26,141.86"',
  ],
  ['xero', 'total-differs', 'xero', 'gl.csv', /Total Bank,,,,"1,140/, 'Total Bank,,,,"1,141'],
  ['odoo', 'balance-differs', 'odoo', 'odoo/general_ledger.csv', /,12500\.00\r?\n/, ',12501.00\n'],
  ['odoo', 'total-differs', 'odoo', 'odoo/general_ledger.csv', /(Total 1010 .*1250)0\.00,3/, '$11.00,3'],
  ['odoo', 'total-missing', 'odoo', 'odoo/general_ledger.csv', /Total 1010 .*\r?\n/, ''],
  [
    'erpnext',
    'balance-differs',
    'erpnext',
    'erpnext/general-ledger.csv',
    /0\.00,12500\.00,/,
    '0.00,12501.00,',
  ],
  ['erpnext', 'total-differs', 'erpnext', 'erpnext/general-ledger.csv', /('Total',)12500/, '$112501'],
  [
    'erpnext',
    'total-missing',
    'erpnext',
    'erpnext/general-ledger.csv',
    /,'Total',.*\r?\n,'Closing.*\r?\n/,
    '',
  ],
  ['netsuite', 'balance-differs', 'netsuite', 'netsuite/GeneralLedger.csv', /\$12,500\.00/, '$$12,501.00'],
  ['netsuite', 'total-differs', 'netsuite', 'netsuite/GeneralLedger.csv', /(Total - 1010 .*\$2,50)0/, '$11'],
  ['netsuite', 'total-missing', 'netsuite', 'netsuite/GeneralLedger.csv', /Total - 1010 .*\r?\n/, ''],
  [
    'gnucash',
    'unbalanced-transaction',
    'gnucash',
    'gnucash/transactions.csv',
    /"2,500\.00","\$2,500\.00","2,500\.00"/,
    '"2,501.00","$$2,501.00","2,501.00"',
  ],
  [
    'business-central',
    'unbalanced-transaction',
    'business-central',
    'business-central/entries.csv',
    /500\.00,500\.00/,
    '501.00,501.00',
  ],
  [
    'business-central',
    'amount-differs',
    'business-central',
    'business-central/entries.csv',
    /500\.00,500\.00/,
    '500.00,501.00',
  ],
  ['sage50', 'total-differs', 'sage50', 'sage50/gl.csv', /(Current Period Change,"2,50)0/, '$11'],
  ['sage50', 'balance-differs', 'sage50', 'sage50/gl.csv', /(2\/1\/25,,,Beginning Balance,,,"12,50)0/, '$11'],
  [
    'canonical',
    'unbalanced-transaction',
    'tables',
    'ledger.csv',
    /PAY-9(.*),210\.00,,,,"two/,
    'PAY-9$1,211.00,,,,"two',
  ],
  ['canonical', 'total-differs', 'tables', 'ledger.csv', /(Total,,,"5,21)0/, '$11'],
  ['canonical', 'duplicate-line-id', 'tables', 'ledger.csv', /(Balances,OPENING,,)2/, '$11'],
  ['budgets', 'total-differs', 'tables', 'budget.csv', /1,300\.00/, '1,301.00'],
  ['budgets', 'no-figures', 'tables', 'metrics.csv', /\n[\s\S]*/, '\n'],
]

async function reading(corpus: string, change: (files: Record<string, Buffer>) => void): Promise<Reading> {
  const files = packed(seedOf(corpus))
  change(files)
  return inWorkspace(files, readBooksIn)
}

/** What is said of each corpus as it is. */
const sound = new Map<string, Promise<Reading>>()
const soundReading = (corpus: string): Promise<Reading> => {
  const known = sound.get(corpus) ?? reading(corpus, () => {})
  sound.set(corpus, known)
  return known
}

for (const [page, code, corpus, file, from, to] of chosen(EXAMPLES))
  test(`${corpus}: ${code}, ${from.source}`, async () => {
    const row = CHECKED.find((each) => each.page === page && each.code === code)
    assert.ok(row, `datasets/formats/README.md has no row for ${page} with ${code}`)
    const { figures, findings } = await reading(corpus, (files) => {
      const before = files[file]!.toString('latin1')
      const after = before.replace(from, to)
      assert.is.not(after, before, 'nothing was changed')
      files[file] = Buffer.from(after, 'latin1')
    })
    assert.ok(
      findings.some((found) => found.code === code && found.severity === row.severity),
      findingsText(findings),
    )
    for (const { message } of findings)
      assert.not.match(message, /(?<![\d.,])\d{4,}\.\d\d\b/, 'amounts are grouped')
    if (row.severity === 'error') assert.is(figures, null)
    const { findings: usual } = await soundReading(corpus)
    assert.not(usual.some((found) => found.code === code && found.severity === row.severity))
  })

test('every row of the table has an example', () => {
  const shown = new Set(EXAMPLES.map(([page, code]) => `${page} ${code}`))
  assert.equal(
    CHECKED.map(({ page, code }) => `${page} ${code}`).filter((row) => !shown.has(row)),
    [],
  )
})

/** The corpora of a page; a journal beside a ledger stands for the reports that carry no balances. */
const CORPORA: Readonly<Record<string, readonly string[]>> = {
  'saf-t': ['saft', 'saft-pt'],
  quickbooks: ['quickbooks', 'quickbooks-desktop'],
  canonical: ['tables'],
}
const ASKED = rowsUnder('What is asked').map(([, page, , asked]) => ({
  page: pageOf(page!),
  isAsked: asked!.startsWith('yes'),
}))

for (const { page, isAsked } of ASKED)
  test(`${page}: opening balances are ${isAsked ? 'asked about' : 'in the file'}`, async () => {
    for (const corpus of CORPORA[page] ?? [page]) {
      const { findings } = await reading(corpus, (files) => {
        const yaml = files['company.yaml']!.toString()
        files['company.yaml'] = Buffer.from(yaml.replace(/^opening:.*\n?/m, ''))
      })
      const codes = findings.map(({ code }) => code)
      const asks = codes.includes('openings-not-stated') || codes.includes('opening-or-activity')
      assert.is(asks, isAsked, findingsText(findings))
    }
  })

test('every format stands in both tables', () => {
  const pages = FORMATS.map(({ id }) => (id === 'saft' ? 'saf-t' : id)).sort()
  const missing = (rows: readonly { readonly page: string }[]) =>
    pages.filter((page) => !rows.some((row) => row.page === page))
  assert.equal(missing(CHECKED), [])
  assert.equal(missing(ASKED), [])
})
