/** In every format: mistakes that have nothing to do with one another are told in one check, each as itself and once. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readBooksIn } from '../support/mutations.ts'
import { inWorkspace } from '../support/workspace.ts'
import { packed, seedOf } from './fuzz/corpus.ts'

const test = suite('independent mistakes at once')

/** A change of one place, in the ledger or another file of the company; and the one error that it is. */
type Mistake = readonly [from: string, to: string, error: string, file?: string]

interface Case {
  readonly corpus: string
  readonly ledger: string
  readonly mistakes: { readonly [what: string]: Mistake }
}

const CASES: readonly Case[] = [
  {
    corpus: 'quickbooks',
    ledger: 'gl.csv',
    mistakes: {
      entry: ['-Split-,149.43,"25,196.56"', '-Split-,149.53,"25,196.56"', 'unbalanced-transaction'],
      total: ['€-36.00', '€-36.70', 'total-differs'],
      balance: ['"8,141.99"', '"8,142.99"', 'balance-differs'],
      opening: ['"12,000.00"', '"12,000.30"', 'opening-unbalanced'],
      amount: ['-Split-,280.60,', '-Split-,280.6x,', 'unreadable-amount'],
      date: [
        ",01/11/2025,Bill,1002,O'Brien Ltd,West,Shop,Bill",
        ",31/31/2025,Bill,1002,O'Brien Ltd,West,Shop,Bill",
        'unreadable-date',
      ],
      account: [
        '  "4000": { classification: Income, type: Sales }\n',
        '',
        'unclassified-account',
        'company.yaml',
      ],
    },
  },
  {
    corpus: 'quickbooks-desktop',
    ledger: 'gl.csv',
    mistakes: {
      entry: ['149.43,,"25,196.56"', '149.53,,"25,196.56"', 'unbalanced-transaction'],
      total: ['91.59,55.59', '93.59,55.59', 'total-differs'],
      balance: ['"8,141.99"', '"8,142.99"', 'balance-differs'],
      opening: ['tools",,,,,,,,,,,,"12,000.00"', 'tools",,,,,,,,,,,,"12,000.30"', 'opening-unbalanced'],
      amount: ['-SPLIT-,280.60,', '-SPLIT-,280.6x,', 'unreadable-amount'],
      date: [
        ",Bill,01/11/2025,1002,,O'Brien Ltd,Bill",
        ",Bill,31/31/2025,1002,,O'Brien Ltd,Bill",
        'unreadable-date',
      ],
      account: [
        '  "4000": { classification: Income, type: Sales }\n',
        '',
        'unclassified-account',
        'company.yaml',
      ],
    },
  },
  {
    corpus: 'quickbooks-journal',
    ledger: 'gl.csv',
    mistakes: {
      entry: [
        '5000 Cost of goods,West,,€280.60',
        '5000 Cost of goods,West,,€280.70',
        'unbalanced-transaction',
      ],
      total: ['€333.53,€333.53', '€334.53,€333.53', 'total-differs'],
      opening: ['"€12,000.00"', '"€12,000.30"', 'opening-unbalanced'],
      account: [
        '  "4000": { classification: Income, type: Sales }\n',
        '',
        'unclassified-account',
        'company.yaml',
      ],
    },
  },
  {
    corpus: 'xero',
    ledger: 'gl.csv',
    mistakes: {
      entry: ['149.43,0.00,"25,196.56"', '149.53,0.00,"25,196.56"', 'unbalanced-transaction'],
      balance: ['"8,141.99"', '"8,142.99"', 'balance-differs'],
      opening: ['Opening Balance,,,,"12,000.00"', 'Opening Balance,,,,"12,000.30"', 'opening-unbalanced'],
      amount: ['177.35', '177.3x', 'unreadable-amount'],
      account: [
        '  "Cost of goods": { classification: CostOfSales, type: CostOfSales }\n',
        '',
        'unclassified-account',
        'company.yaml',
      ],
    },
  },
  {
    corpus: 'xero-2',
    ledger: 'gl.csv',
    mistakes: {
      entry: ['149.43,0.00', '149.53,0.00', 'unbalanced-transaction'],
      opening: ['"12,000.00"', '"12,000.30"', 'opening-unbalanced'],
      amount: ['Parts,280.60', 'Parts,280.6x', 'unreadable-amount'],
      account: [
        '  "4000": { classification: Income, type: Sales }\n',
        '',
        'unclassified-account',
        'company.yaml',
      ],
    },
  },
  {
    corpus: 'odoo',
    ledger: 'odoo/general_ledger.csv',
    mistakes: {
      entry: ['0.00,1800.00,10700.00', '0.00,1800.10,10700.00', 'unbalanced-transaction'],
      balance: ['3000.00,0.00,5500.00', '3000.00,0.00,5501.00', 'balance-differs'],
      opening: [
        'Initial Balance,,,,,6000.00,0.00,6000.00',
        'Initial Balance,,,,,6000.30,0.00,6000.00',
        'opening-unbalanced',
      ],
    },
  },
  {
    corpus: 'erpnext',
    ledger: 'erpnext/general-ledger.csv',
    mistakes: {
      entry: ['0.00,1800.00,10700.00', '0.00,1800.10,10700.00', 'unbalanced-transaction'],
      balance: ['3000.00,0.00,5500.00', '3000.00,0.00,5501.00', 'balance-differs'],
    },
  },
  {
    corpus: 'netsuite',
    ledger: 'netsuite/GeneralLedger.csv',
    mistakes: {
      entry: ['"$1,800.00","$10,700.00"', '"$1,800.10","$10,700.00"', 'unbalanced-transaction'],
      balance: ['"$5,500.00"', '"$5,501.00"', 'balance-differs'],
      opening: [
        'Opening Balance,,,,,,,,,,"$6,000.00"',
        'Opening Balance,,,,,,,,,,"$6,000.30"',
        'opening-unbalanced',
      ],
    },
  },
  {
    corpus: 'sage50',
    ledger: 'sage50/gl.csv',
    mistakes: {
      entry: ['Bill of December,,"1,800.00"', 'Bill of December,,"1,800.10"', 'unbalanced-transaction'],
      balance: ['Beginning Balance,,,"3,000.00"', 'Beginning Balance,,,"3,000.50"', 'balance-differs'],
    },
  },
  {
    corpus: 'ads',
    ledger: 'GL_Detail_20250101_20251231.txt',
    mistakes: {
      entry: ['1000|149.43', '1000|149.53', 'unbalanced-transaction'],
      opening: [
        '1500||20250131|2025|M01|12000.00',
        '1500||20250131|2025|M01|12000.30',
        'opening-unbalanced',
        'Trial_Balance_20251231.txt',
      ],
    },
  },
  {
    corpus: 'plain-text',
    ledger: 'main.journal.csv',
    mistakes: {
      entry: ['expenses:rent,20.00', 'expenses:rent,20.10', 'unbalanced-transaction'],
    },
  },
]

const errorsOf = ({ corpus, ledger }: Case, mistakes: readonly Mistake[]): Promise<string[]> => {
  const files = packed(seedOf(corpus))
  for (const [from, to, , file = ledger] of mistakes) {
    const read = files[file]!.toString('latin1')
    const [latinFrom, latinTo] = [from, to].map((text) => Buffer.from(text).toString('latin1')) as [
      string,
      string,
    ]
    const [useFrom, useTo] = read.includes(latinFrom) ? [latinFrom, latinTo] : [from, to]
    assert.is(read.split(useFrom).length, 2, `${corpus}: ${from} stands there once`)
    files[file] = Buffer.from(
      read.replace(useFrom, () => useTo),
      'latin1',
    )
  }
  return inWorkspace(files, async (workspace) => {
    const { findings } = await readBooksIn(workspace)
    if (process.env.SHOW)
      process.stderr.write(
        findings.map((f) => `    ${f.severity} ${f.code} ${f.row} ${f.message}\n`).join(''),
      )
    return findings.flatMap(({ severity, code }) => (severity === 'error' ? [code] : [])).sort()
  })
}

for (const each of CASES) {
  const all = Object.entries(each.mistakes)
  for (const [what, mistake] of all)
    test(`${each.corpus}: ${what} alone`, async () =>
      assert.equal(await errorsOf(each, [mistake]), [mistake[2]]))
  test(`${each.corpus}: all at once`, async () =>
    assert.equal(
      await errorsOf(
        each,
        all.map(([, mistake]) => mistake),
      ),
      all.map(([, [, , error]]) => error).sort(),
    ))
}

test.run()
