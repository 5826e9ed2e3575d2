/** In every format: mistakes that have nothing to do with one another are told in one check, each as itself and once. */

import * as assert from 'uvu/assert'
import type { Finding } from '../../builder/workspace/findings/finding.ts'
import { chosen } from '../seed.ts'
import { suite } from '../suite.ts'
import { column } from '../support/fields.ts'
import { readBooksIn } from '../support/mutations.ts'
import { foundIn } from '../support/readings.ts'
import { inWorkspace, only } from '../support/workspace.ts'
import { errors } from './folder.ts'
import { ledgerOf, packed, seedOf } from './fuzz/corpus.ts'

const test = suite('independent mistakes at once')

/** A change of one place, in the ledger or another file of the company; and the one error that it is. */
type Mistake = readonly [from: string, to: string, error: string, file?: string, also?: Also]
/** Another change without which it would be no mistake. */
type Also = readonly [from: string, to: string, file: string]

interface Case {
  readonly corpus: string
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
    mistakes: {
      entry: ['0.00,1800.00,10700.00', '0.00,1800.10,10700.00', 'unbalanced-transaction'],
      balance: ['3000.00,0.00,5500.00', '3000.00,0.00,5501.00', 'balance-differs'],
      amount: ['CO,1500.00,0.00,1500.00', 'CO,1500.0x,0.00,1500.00', 'unreadable-amount'],
    },
  },
  {
    corpus: 'netsuite',
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
    mistakes: {
      entry: ['"1,800.00","1,800.00",0.00', '"1,800.10","1,800.10",0.00', 'unbalanced-transaction'],
      line: ['EAST,"1,500.00","1,500.00",0.00', 'EAST,"1,500.00","1,501.00",0.00', 'amount-differs'],
      amount: ['WEST,"4,200.00","4,200.00"', 'WEST,"4,200.0x","4,200.00"', 'unreadable-amount'],
    },
  },
  {
    corpus: 'ads',
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

type Change = readonly [from: string, to: string, file?: string | undefined]

/** What is told of a corpus with these changes, each of a text that stands there once. */
const toldOf = async (corpus: string, changes: readonly Change[]): Promise<readonly Finding[]> => {
  const files = packed(seedOf(corpus))
  for (const [from, to, file = ledgerOf(corpus)] of changes) {
    const read = files[file]!.toString('latin1')
    const latin = (text: string) => Buffer.from(text).toString('latin1')
    const [useFrom, useTo] = read.includes(latin(from)) ? [latin(from), latin(to)] : [from, to]
    assert.is(read.split(useFrom).length, 2, `${corpus}: ${from} stands there once`)
    const changed = read.replace(useFrom, () => useTo)
    files[file] = Buffer.from(changed, 'latin1')
  }
  return (await inWorkspace(files, readBooksIn)).findings
}
const errorsOf = async (corpus: string, mistakes: readonly Mistake[]): Promise<string[]> => {
  const changes = mistakes.flatMap(([from, to, , file, also]): Change[] => [
    [from, to, file],
    ...(also === undefined ? [] : [also]),
  ])
  return errors({ findings: await toldOf(corpus, changes) }).sort()
}

for (const each of chosen(CASES)) {
  const all = Object.entries(each.mistakes)
  for (const [what, mistake] of all)
    test(`${each.corpus}: ${what} alone`, async () =>
      assert.equal(await errorsOf(each.corpus, [mistake]), [mistake[2]]))
  test(`${each.corpus}: all at once`, async () =>
    assert.equal(
      await errorsOf(
        each.corpus,
        all.map(([, mistake]) => mistake),
      ),
      all.map(([, [, , error]]) => error).sort(),
    ))
}

/** A figure that cannot be read is told as that, and not as what follows from its being left out. */
const UNREADABLE: readonly (readonly [corpus: string, from: string, to: string])[] = [
  ['quickbooks', '"12,000.00"', '"12,0x0.00"'],
  ['quickbooks', '"8,141.99"', '"8,1x1.99"'],
  ['quickbooks-desktop', 'tools",,,,,,,,,,,,"12,000.00"', 'tools",,,,,,,,,,,,"12,0x0.00"'],
  ['xero', 'Opening Balance,,,,"12,000.00"', 'Opening Balance,,,,"12,0x0.00"'],
  ['xero', 'Closing Balance,,,,"12,000.00"', 'Closing Balance,,,,"12,0x0.00"'],
  ['odoo', 'Initial Balance,,,,,6000.00', 'Initial Balance,,,,,60x0.00'],
  ['netsuite', 'Opening Balance,,,,,,,,,,"$6,000.00"', 'Opening Balance,,,,,,,,,,"$6,0x0.00"'],
  ['sage50', 'Ending Balance,,,"8,675.00"', 'Ending Balance,,,"8,6x5.00"'],
]
for (const [corpus, from, to] of chosen(UNREADABLE))
  test(`${corpus}: ${from} that cannot be read`, async () =>
    assert.equal(await errorsOf(corpus, [[from, to, 'unreadable-amount']]), ['unreadable-amount']))

/** What follows from a line that cannot be read is no other mistake: it is said not to have been checked. */
const UNCHECKED: readonly (readonly [corpus: string, change: Change, ...unchecked: readonly RegExp[]])[] = [
  [
    'quickbooks',
    ['-Split-,47.13,', '-Split-,47.1x,'],
    /^Total for 1000 Bank/,
    /^the closing balance of account 1000/,
  ],
  [
    'xero',
    ['47.13,0.00,', '47.1x,0.00,'],
    /^Total Bank, the total of the report/,
    /^the closing balance of account Bank/,
  ],
  ['odoo', ['Ann,,2500.00', 'Ann,,2500.x'], /^Total 1010 Checking/],
  ['erpnext', ['CO,2500.00,0.00,12500', 'CO,2500.x,0.00,12500'], /^what account 1010 moved by/],
  ['netsuite', ['"$2,500.00",,', '"$2,500.x",,'], /^Total 1010 - Checking/],
  [
    'sage50',
    ['December,"2,500.00"', 'December,"2,500.x"'],
    /^the closing balance of account 1010/,
    /^what account 1010 moved by/,
  ],
]
for (const [corpus, change, ...unchecked] of UNCHECKED)
  test(`${corpus}: what follows from a line that cannot be read is no other mistake`, async () => {
    const findings = await toldOf(corpus, [change])
    assert.equal(errors({ findings }), ['unreadable-amount'])
    const sentences = column(foundIn({ findings }, 'not-checked'), 'message')
    assert.is(sentences.length, unchecked.length, sentences.join('\n'))
    for (const sentence of unchecked) assert.ok(sentences.some((each) => sentence.test(each)))
  })

/** A row, or a title, that says two things: which of them is true is not for us to choose. */
const CONTRADICTIONS: readonly (readonly [corpus: string, change: Change, told: string, message: RegExp])[] =
  [
    [
      'plain-text',
      ['-50.25,$,50.25', '-50.25,$,55.25'],
      'error amount-differs',
      /stated as -50\.25; debit and credit say -55\.25/,
    ],
    [
      'plain-text',
      ['20.00,$,,20.00', '20.00,$,20.00,'],
      'error amount-differs',
      /stated as 20\.00; debit and credit say -20\.00/,
    ],
    [
      'plain-text',
      ['20.00,$,,20.00', '20.00,$,0.00,0.00'],
      'error amount-differs',
      /stated as 20\.00; debit and credit say 0\.00/,
    ],
    [
      'quickbooks',
      ['January 1 - December 31, 2025', 'January 1 - January 11, 2025'],
      'warning dates-outside-period',
      /says 2025-01-01 to 2025-01-11; 6 lines are dated outside of it, such as 2025-01-12/,
    ],
    [
      'xero',
      ['31 December 2025', '11 January 2025'],
      'warning dates-outside-period',
      /says 2025-01-01 to 2025-01-11; 6 lines are dated outside of it, such as 2025-01-12/,
    ],
    [
      'ads',
      ['1|1|Invoice|Invoice|GJ|East|20250110|2025|M01', '1|1|Invoice|Invoice|GJ|East|20250110|2025|M02'],
      'warning period-differs',
      /^a line is of another Period than the month of Effective_Date/,
    ],
  ]
for (const [corpus, change, told, message] of CONTRADICTIONS)
  test(`${corpus}: ${change[1]} for ${change[0]}`, async () => {
    const [severity, code] = told.split(' ') as [string, string]
    const findings = await toldOf(corpus, [change])
    assert.equal(errors({ findings }), severity === 'error' ? [code] : [])
    const found = only(findings, code)
    assert.is(found.severity, severity)
    assert.match(found.message, message)
  })
