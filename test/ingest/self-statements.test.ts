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
import { ledgerOf, packed, seedOf } from './fuzz/corpus.ts'

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

/** Page, finding, corpus, and the change that contradicts what its ledger, or another file, states; `$1` is what was in brackets. */
type Example = readonly [page: string, code: string, corpus: string, from: RegExp, to: string, file?: string]
const EXAMPLES: readonly Example[] = [
  ['sie', 'unbalanced-transaction', 'sie', /(#TRANS 1930 \{\} -3)0/, '$11'],
  ['sie', 'control-differs', 'sie', /(#UB 0 1930 97)0/, '$11'],
  ['sie', 'control-differs', 'sie', /(#RES 0 4010 3)0/, '$11'],
  ['sie', 'control-differs', 'sie', /(#PSALDO 0 202401 3010 \{\} -10)0/, '$11'],
  ['sie', 'opening-unbalanced', 'sie', /(#IB 0 2081 -100)0/, '$11'],
  ['sie', 'closing-not-carried', 'sie', /(#IB 0 1930 1000.00)/, '$1\n#UB -1 1930 900.00'],
  ['sie', 'stated-twice', 'sie', /(#PBUDGET .*)-90.00/, '$1-90.00\n$1-91.00'],
  ['sie', 'voucher-gap', 'sie', /#VER A 2/, '#VER A 3'],
  ['sie', 'date-after-coverage', 'sie', /(#RAR 0 .*)/, '$1\n#OMFATTN 20240131'],
  ['sie', 'sie-import-file', 'sie', /#IB 0 .*\n#IB 0 .*\n(#UB 0 .*\n)+/, ''],
  ['fec', 'unbalanced-transaction', 'fec', /0050,00/, '0051,00'],
  ['fec', 'entry-repeated', 'fec', /(VT\t[\s\S]*?)(BQ\t[\s\S]*)$/, '$1$2$1'],
  ['fec', 'voucher-gap', 'fec', /(BQ\t.*\t)3(\t.*\r?\n.*\t)3(\t)/, '$15$25$3'],
  ['fec', 'opening-unbalanced', 'fec', /AN\t.*\t101000\t.*\r?\n/, ''],
  ['saf-t', 'control-differs', 'saft', /<TotalDebit>/, '<TotalDebit>9'],
  ['saf-t', 'control-differs', 'saft', /(<ClosingDebitBalance>2614)0/, '$11'],
  ['saf-t', 'opening-unbalanced', 'saft', /(<OpeningDebitBalance>2500)0/, '$11'],
  ['saf-t', 'entry-count-differs', 'saft', /<NumberOfEntries>/, '<NumberOfEntries>9'],
  ['saf-t', 'analysis-exceeds-line', 'saft', /(<Amount>)(\d+)/, '$19$2'],
  ['plain-text', 'unbalanced-transaction', 'plain-text', /50\.25(,\$,,)50\.25/, '50.26$150.26'],
  ['plain-text', 'entry-repeated', 'plain-text', /(1,2024-01-05[\s\S]*)$/, '$1$1'],
  ['ads', 'control-differs', 'ads', /(25000.00\|2554)4/, '$15', 'Trial_Balance_20251231.txt'],
  ['ads', 'duplicate-line-id', 'ads', /1\|2\|Invoice/, '1|1|Invoice'],
  ['quickbooks', 'balance-differs', 'quickbooks', /25,047\.13/, '25,048.13'],
  ['quickbooks', 'balance-differs', 'quickbooks-desktop', /25,047\.13/, '25,048.13'],
  ['quickbooks', 'total-differs', 'quickbooks', /(Total for 1000 Bank.*1,14)0/, '$11'],
  ['quickbooks', 'total-differs', 'quickbooks-desktop', /(Total 1000 .*26,14)0/, '$11'],
  ['quickbooks', 'section-without-total', 'quickbooks', /Total for 1100 Debtors.*\r?\n/, ''],
  ['quickbooks', 'report-without-end', 'quickbooks-desktop', /\nTOTAL.*\n?/, '\n'],
  ['xero', 'balance-differs', 'xero', /25,047\.13/, '25,048.13'],
  [
    'xero',
    'balance-differs',
    'xero',
    /Closing Balance,,,,"26,140.86",0.00,"26,140.86"/,
    'Closing Balance,,,,"26,141.86",0.00,"26,141.86"',
  ],
  ['xero', 'total-differs', 'xero', /Total Bank,,,,"1,140/, 'Total Bank,,,,"1,141'],
  ['odoo', 'balance-differs', 'odoo', /,12500\.00\r?\n/, ',12501.00\n'],
  ['odoo', 'total-differs', 'odoo', /(Total 1010 .*1250)0\.00,3/, '$11.00,3'],
  ['odoo', 'total-missing', 'odoo', /Total 1010 .*\r?\n/, ''],
  ['erpnext', 'balance-differs', 'erpnext', /0\.00,12500\.00,/, '0.00,12501.00,'],
  ['erpnext', 'total-differs', 'erpnext', /('Total',)12500/, '$112501'],
  ['erpnext', 'total-missing', 'erpnext', /,'Total',.*\r?\n,'Closing.*\r?\n/, ''],
  ['netsuite', 'balance-differs', 'netsuite', /\$12,500\.00/, '$$12,501.00'],
  ['netsuite', 'total-differs', 'netsuite', /(Total - 1010 .*\$2,50)0/, '$11'],
  ['netsuite', 'total-missing', 'netsuite', /Total - 1010 .*\r?\n/, ''],
  [
    'gnucash',
    'unbalanced-transaction',
    'gnucash',
    /"2,500\.00","\$2,500\.00","2,500\.00"/,
    '"2,501.00","$$2,501.00","2,501.00"',
  ],
  ['business-central', 'unbalanced-transaction', 'business-central', /500\.00,500\.00/, '501.00,501.00'],
  ['business-central', 'amount-differs', 'business-central', /500\.00,500\.00/, '500.00,501.00'],
  ['sage50', 'total-differs', 'sage50', /(Current Period Change,"2,50)0/, '$11'],
  ['sage50', 'balance-differs', 'sage50', /(2\/1\/25,,,Beginning Balance,,,"12,50)0/, '$11'],
  ['canonical', 'unbalanced-transaction', 'tables', /PAY-9(.*),210\.00,,,,"two/, 'PAY-9$1,211.00,,,,"two'],
  ['canonical', 'total-differs', 'tables', /(Total,,,"5,21)0/, '$11'],
  ['canonical', 'duplicate-line-id', 'tables', /(Balances,OPENING,,)2/, '$11'],
  ['budgets', 'total-differs', 'tables', /1,300\.00/, '1,301.00', 'budget.csv'],
  ['budgets', 'no-figures', 'tables', /\n[\s\S]*/, '\n', 'metrics.csv'],
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

for (const [page, code, corpus, from, to, file = ledgerOf(corpus)] of chosen(EXAMPLES))
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
