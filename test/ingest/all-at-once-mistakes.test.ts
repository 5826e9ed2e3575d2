/** In every format: mistakes that have nothing to do with one another are told in one check, each as itself and once. */

import * as assert from 'uvu/assert'
import { chosen } from '../seed.ts'
import { suite } from '../suite.ts'
import { readBooksIn } from '../support/mutations.ts'
import { inWorkspace } from '../support/workspace.ts'
import { packed, seedOf } from './fuzz/corpus.ts'

const test = suite('independent mistakes at once')

/** A change of one place, in the ledger or another file of the company; and the one error that it is. */
type Mistake = readonly [from: string, to: string, error: string, file?: string, also?: Also]
/** Another change without which it would be no mistake. */
type Also = readonly [from: string, to: string, file: string]

interface Case {
  readonly corpus: string
  readonly ledger: string
  readonly mistakes: { readonly [what: string]: Mistake }
}

/** An account of whose kind nothing is said. */
const SALES: Mistake = [
  '  "4000": { classification: Income, type: Sales }\n',
  '',
  'unclassified-account',
  'company.yaml',
]

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
      account: SALES,
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
      account: SALES,
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
      amount: ['€149.43,\n', '€149.4x,\n', 'unreadable-amount'],
      account: SALES,
    },
  },
  {
    corpus: 'xero',
    ledger: 'gl.csv',
    mistakes: {
      entry: ['149.43,0.00,"25,196.56"', '149.53,0.00,"25,196.56"', 'unbalanced-transaction'],
      total: ['"Total Plant, tools",,,,0.00', '"Total Plant, tools",,,,2.00', 'total-differs'],
      balance: ['"8,141.99"', '"8,142.99"', 'balance-differs'],
      opening: ['Opening Balance,,,,"12,000.00"', 'Opening Balance,,,,"12,000.30"', 'opening-unbalanced'],
      amount: ['177.35', '177.3x', 'unreadable-amount'],
      date: [
        '10 Jan 2025,Payable Invoice,Peña SA - Bill',
        '10 Jxn 2025,Payable Invoice,Peña SA - Bill',
        'unreadable-date',
      ],
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
      entry: ['Bank,Received,149.43,0.00', 'Bank,Received,149.53,0.00', 'unbalanced-transaction'],
      opening: ['"12,000.00"', '"12,000.30"', 'opening-unbalanced'],
      amount: ['Parts,280.60', 'Parts,280.6x', 'unreadable-amount'],
      date: ['11/01/2025,5,2000', '11/41/2025,5,2000', 'unreadable-date'],
      account: SALES,
    },
  },
  {
    corpus: 'odoo',
    ledger: 'odoo/general_ledger.csv',
    mistakes: {
      entry: ['0.00,1800.00,10700.00', '0.00,1800.10,10700.00', 'unbalanced-transaction'],
      total: ['Total 2500 Bank Loan,,,,,500.00', 'Total 2500 Bank Loan,,,,,502.00', 'total-differs'],
      balance: ['3000.00,0.00,5500.00', '3000.00,0.00,5501.00', 'balance-differs'],
      opening: [
        'Initial Balance,,,,,6000.00,0.00,6000.00',
        'Initial Balance,,,,,6000.30,0.00,6000.00',
        'opening-unbalanced',
      ],
      amount: ['Supplier,,1500.00,0.00,1500.00', 'Supplier,,1500.0x,0.00,1500.00', 'unreadable-amount'],
      date: [
        'BILL/2025/00001,01/20/2025,Rent of January,Landlord,,900.00',
        'BILL/2025/00001,01/45/2025,Rent of January,Landlord,,900.00',
        'unreadable-date',
      ],
    },
  },
  {
    corpus: 'erpnext',
    ledger: 'erpnext/general-ledger.csv',
    mistakes: {
      entry: ['0.00,1800.00,10700.00', '0.00,1800.10,10700.00', 'unbalanced-transaction'],
      balance: ['3000.00,0.00,5500.00', '3000.00,0.00,5501.00', 'balance-differs'],
      amount: ['CO,1500.00,0.00,1500.00', 'CO,1500.0x,0.00,1500.00', 'unreadable-amount'],
    },
  },
  {
    corpus: 'netsuite',
    ledger: 'netsuite/GeneralLedger.csv',
    mistakes: {
      entry: ['"$1,800.00","$10,700.00"', '"$1,800.10","$10,700.00"', 'unbalanced-transaction'],
      total: [
        'Total - 1500 - Office Equipment,,,,,,,,,$0.00',
        'Total - 1500 - Office Equipment,,,,,,,,,$2.00',
        'total-differs',
      ],
      balance: ['"$5,500.00"', '"$5,501.00"', 'balance-differs'],
      opening: [
        'Opening Balance,,,,,,,,,,"$6,000.00"',
        'Opening Balance,,,,,,,,,,"$6,000.30"',
        'opening-unbalanced',
      ],
      amount: ['"$1,500.00",,', '"$1,500.0x",,', 'unreadable-amount'],
    },
  },
  {
    corpus: 'sage50',
    ledger: 'sage50/gl.csv',
    mistakes: {
      entry: ['Bill of December,,"1,800.00"', 'Bill of December,,"1,800.10"', 'unbalanced-transaction'],
      total: [
        'Current Period Change,"3,000.00","2,500.00"',
        'Current Period Change,"3,002.00","2,500.00"',
        'total-differs',
      ],
      balance: ['Beginning Balance,,,"3,000.00"', 'Beginning Balance,,,"3,000.50"', 'balance-differs'],
      amount: ['Goods,"1,500.00"', 'Goods,"1,500.0x"', 'unreadable-amount'],
    },
  },
  {
    corpus: 'gnucash',
    ledger: 'gnucash/transactions.csv',
    mistakes: {
      entry: [
        '"$1,800.00","1,800.00","$1,800.00","1,800.00"',
        '"$1,800.10","1,800.10","$1,800.10","1,800.10"',
        'unbalanced-transaction',
      ],
      amount: [
        '"($4,200.00)","-4,200.00","($4,200.00)","-4,200.00"',
        '"($4,200.0x)","-4,200.0x","($4,200.0x)","-4,200.0x"',
        'unreadable-amount',
      ],
    },
  },
  {
    corpus: 'business-central',
    ledger: 'business-central/entries.csv',
    mistakes: {
      entry: ['"1,800.00","1,800.00",0.00', '"1,800.10","1,800.10",0.00', 'unbalanced-transaction'],
      line: ['EAST,"1,500.00","1,500.00",0.00', 'EAST,"1,500.00","1,501.00",0.00', 'amount-differs'],
      amount: ['WEST,"4,200.00","4,200.00"', 'WEST,"4,200.0x","4,200.00"', 'unreadable-amount'],
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
      amount: ['5000|280.60', '5000|280.6x', 'unreadable-amount'],
      date: ['4|3|Bill|Bill|GJ|West|20250111', '4|3|Bill|Bill|GJ|West|20251311', 'unreadable-date'],
      side: ['395.53|D', '395.53|?', 'unreadable-side'],
      closing: [
        '2500||20250630|2025|M06|-10000.00|-10000.00',
        '2500||20250630|2025|M06|-10000.00|-10001.00',
        'control-differs',
        'Trial_Balance_20251231.txt',
      ],
      balance: [
        '3000||20250630|2025|M06|-20000.00|-20000.00',
        '3000||20250630|2025|M06|-20000.00|-20000.x0',
        'unreadable-amount',
        'Trial_Balance_20251231.txt',
      ],
      account: [
        '  "4000": { classification: Income, type: Sales }\n',
        '',
        'unclassified-account',
        'company.yaml',
        ['services"|Income', 'services"|Mystery', 'Chart_Of_Accounts.txt'],
      ],
    },
  },
  {
    corpus: 'plain-text',
    ledger: 'main.journal.csv',
    mistakes: {
      entry: ['expenses:rent,20.00,$,,20.00', 'expenses:rent,20.10,$,,20.10', 'unbalanced-transaction'],
      amount: ['income:sales,-50.25,$,50.25', 'income:sales,-50.2x,$,50.2x', 'unreadable-amount'],
      currency: ['assets:bank,100.00,$', 'assets:bank,100.00,AAPL', 'mixed-currency'],
      opening: [
        '2,2024-02-01,,*,c1,Sale,,assets:bank',
        '0,2024-01-01,,,,o,,assets:till,10.00,$,,10.00,,\n0,2024-01-01,,,,o,,equity:opening balances,-9.00,$,9.00,,,\n2,2024-02-01,,*,c1,Sale,,assets:bank',
        'opening-unbalanced',
      ],
      account: [',Rent,,expenses:rent', ',Rent,,reserves:rent', 'unclassified-account'],
    },
  },
]

const errorsOf = ({ corpus, ledger }: Case, mistakes: readonly Mistake[]): Promise<string[]> => {
  const files = packed(seedOf(corpus))
  const changes = mistakes.flatMap(([from, to, , file = ledger, also]) => [
    [from, to, file] as const,
    ...(also === undefined ? [] : [also]),
  ])
  for (const [from, to, file] of changes) {
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
    return findings.flatMap(({ severity, code }) => (severity === 'error' ? [code] : [])).sort()
  })
}

for (const each of chosen(CASES)) {
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

/** A figure that cannot be read is told as that, and not as what follows from its being left out. */
const UNREADABLE: readonly (readonly [corpus: string, ledger: string, from: string, to: string])[] = [
  ['quickbooks', 'gl.csv', '"12,000.00"', '"12,0x0.00"'],
  ['quickbooks', 'gl.csv', '"8,141.99"', '"8,1x1.99"'],
  ['quickbooks-desktop', 'gl.csv', 'tools",,,,,,,,,,,,"12,000.00"', 'tools",,,,,,,,,,,,"12,0x0.00"'],
  ['xero', 'gl.csv', 'Opening Balance,,,,"12,000.00"', 'Opening Balance,,,,"12,0x0.00"'],
  ['xero', 'gl.csv', 'Closing Balance,,,,"12,000.00"', 'Closing Balance,,,,"12,0x0.00"'],
  ['odoo', 'odoo/general_ledger.csv', 'Initial Balance,,,,,6000.00', 'Initial Balance,,,,,60x0.00'],
  [
    'netsuite',
    'netsuite/GeneralLedger.csv',
    'Opening Balance,,,,,,,,,,"$6,000.00"',
    'Opening Balance,,,,,,,,,,"$6,0x0.00"',
  ],
  ['sage50', 'sage50/gl.csv', 'Ending Balance,,,"8,675.00"', 'Ending Balance,,,"8,6x5.00"'],
]
for (const [corpus, ledger, from, to] of chosen(UNREADABLE))
  test(`${corpus}: ${from} that cannot be read`, async () =>
    assert.equal(await errorsOf({ corpus, ledger, mistakes: {} }, [[from, to, 'unreadable-amount']]), [
      'unreadable-amount',
    ]))
