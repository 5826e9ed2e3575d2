/** QuickBooks: what its reports look like, what they leave unsaid, and what is refused, each through a whole build. */
import { readFileSync as readFile, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { addCompany } from '../../../builder/ingest/add/add.ts'
import { QUICKBOOKS } from '../../../builder/ingest/formats/reports/programs/quickbooks.ts'
import { type Finding, spelledOut } from '../../../builder/workspace/findings/finding.ts'
import { onlineJournal, onlineLedger } from '../../peers/business/quickbooks.ts'
import { suite } from '../../suite.ts'
import { proposed } from '../../support/added.ts'
import { makeBusiness } from '../../support/business.ts'
import { column } from '../../support/fields.ts'
import { intakeOf } from '../../support/readings.ts'
import { csvOf, type ReportRow, workbookOf } from '../../support/report-files.ts'
import {
  buildIn,
  buildWith,
  codes,
  type Files,
  findingsOf,
  findingsText,
  inWorkspace,
  only,
  postings,
} from '../../support/workspace.ts'

const test = suite('QuickBooks')

const KINDS = {
  Checking: 'Asset, type: Bank',
  'Accounts Payable': 'Liability, type: AccountsPayable',
  Equity: 'Equity, type: Capital',
  Sales: 'Income, type: Sales',
  Rent: 'Expense, type: Expense',
}
const company = (kinds: Readonly<Record<string, string>> = KINDS, more = '', ledger = ''): string => `id: acme
name: Acme
fiscalMonthEnd: 12
currency: USD
accounts:
${Object.entries(kinds)
  .map(([id, kind]) => `  ${JSON.stringify(id)}: { classification: ${kind} }`)
  .join('\n')}
ledger: [{ files: "quickbooks/*", format: quickbooks${ledger} }]
${more}
`
const STAMP = 'Accrual Basis Tuesday, January 7, 2026 10:12 AM GMT-05:00'
const HEAD = ',Date,Transaction Type,Num,Name,Memo/Description,Split,Amount,Balance'

/** A ledger of Online: `Checking 100 > 01/15/2025 Deposit 7 50.00; …`, an account with its opening and its lines. */
function ledger(period: string, ...accounts: readonly string[]): string {
  const rows: string[] = ['Acme', 'General Ledger', `"${period}"`, '', HEAD]
  for (const text of accounts) {
    const [head, lines = ''] = text.split('>') as [string, string?]
    const [, name, opening] = /^(.*?)\s*(-?[\d.]+)?\s*$/.exec(head)!
    rows.push(name!)
    let balance = Number(opening ?? 0) * 100
    if (opening !== undefined) rows.push(`,Beginning Balance,,,,,,,${(balance / 100).toFixed(2)}`)
    let total = 0
    for (const line of lines.split(';').filter((each) => each.trim() !== '')) {
      const [date, type, num, amount, party = ''] = line.trim().split(' ')
      const minor = Math.round(Number(amount) * 100)
      balance += minor
      total += minor
      rows.push(
        `,${date},${type},${num},${party},,x,${(minor / 100).toFixed(2)},${(balance / 100).toFixed(2)}`,
      )
    }
    rows.push(`Total for ${name},,,,,,,$${(total / 100).toFixed(2)},`, '')
  }
  return [...rows, `"${STAMP}"`, ''].join('\n')
}
const JANUARY = ledger(
  'January 2025',
  'Checking 100.00 > 01/15/2025 Deposit 7 50.00; 01/31/2025 Check 8 -20.00',
  'Equity 100.00',
  'Sales > 01/15/2025 Deposit 7 50.00',
  'Rent > 01/31/2025 Check 8 20.00',
)
const FEBRUARY = ledger(
  'February 1-28, 2025',
  'Checking 130.00 > 02/15/2025 Deposit 9 5.00',
  'Equity 100.00',
  'Sales 50.00 > 02/15/2025 Deposit 9 5.00',
  'Rent 20.00',
)
const files = (texts: Readonly<Record<string, string | Buffer>>, yaml = company()): Files => ({
  'company.yaml': yaml,
  ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [`quickbooks/${name}`, text])),
})
/** What is told of the reports; that the bank was overdrawn is not what is tested. */
const told = (findings: readonly Finding[]): string[] =>
  codes(findings).filter((code) => code !== 'abnormal-balance')
/** What is refused where it is read. */
const readIn = async (all: Files) => (await intakeOf(all)).findings
const errorsIn = async (all: Files) => (await readIn(all)).filter(({ severity }) => severity === 'error')
const errorsOf = async (all: Files) => (await findingsOf(all)).filter(({ severity }) => severity === 'error')

test('monthly ledgers join: the first opens the books, the balances of the next are controls', async () => {
  await buildWith(files({ 'jan.csv': JANUARY, 'feb.csv': FEBRUARY }), ({ result, statement }) => {
    assert.equal(told(result.findings), [])
    assert.equal(statement('BalanceSheet').rows, {
      Checking: ['130.00', '135.00'],
      Equity: ['100.00', '100.00'],
      'current-year-earnings': ['30.00', '35.00'],
    })
    assert.equal(statement('ProfitAndLoss').rows, { Sales: ['50.00', '5.00'], Rent: ['20.00', '0.00'] })
  })
})

test('a month that is missing, or was changed after the next was exported', async () => {
  const changed = FEBRUARY.replace(
    'Beginning Balance,,,,,,,130.00',
    'Beginning Balance,,,,,,,131.00',
  ).replace('5.00,135.00', '5.00,136.00')
  const found = only(await findingsOf(files({ 'jan.csv': JANUARY, 'feb.csv': changed })), 'control-differs')
  assert.match(
    found.message,
    /^February 2025 begins with 131\.00 in Checking; the books end January 2025 at 130\.00\. Was January 2025 or an earlier month changed after it was exported\?$/,
  )
  assert.equal([found.file, found.row], ['quickbooks/feb.csv', 7])
  const wrong = FEBRUARY.replace('Beginning Balance,,,,,,,50.00', 'Beginning Balance,,,,,,,51.00').replace(
    '5.00,55.00',
    '5.00,56.00',
  )
  assert.match(
    only(await findingsOf(files({ 'jan.csv': JANUARY, 'feb.csv': wrong })), 'control-differs').message,
    /^February 2025 begins with 51\.00 in Sales; the books end January 2025 at 50\.00\./,
  )
})

test('a month that no file holds is named once, with the number of accounts that it moved', async () => {
  const march = ledger(
    'March 2025',
    'Checking 1,234,735.00 > 03/15/2025 Deposit 10 1.00'.replaceAll(',', ''),
    'Equity 100.00',
    'Sales 1234655.00 > 03/15/2025 Deposit 10 1.00',
    'Rent 20.00',
  )
  const april = ledger(
    'April 2025',
    'Checking 1234736.00 > 04/15/2025 Check 11 -1.00',
    'Rent 20.00 > 04/15/2025 Check 11 1.00',
  )
  const all = await errorsOf(files({ 'jan.csv': JANUARY, 'mar.csv': march, 'apr.csv': april }))
  assert.equal(column(all, 'message'), [
    'March 2025 begins with 1,234,735.00 in Checking; the books end February 2025 at 130.00, and 1 more account differs. Is February 2025 missing?',
  ])
})

test('an account under a new name in later exports is the same one, by its number, and that is said', async () => {
  const numbered = (text: string, rent: string) =>
    text
      .replaceAll('Checking', '1010 · Checking')
      .replaceAll('Equity', '3000 · Equity')
      .replaceAll('Sales', '4000 · Sales')
      .replaceAll('Rent', `6000 · ${rent}`)
  const kinds = {
    '1010': KINDS.Checking,
    '3000': KINDS.Equity,
    '4000': KINDS.Sales,
    '6000': KINDS.Rent,
  }
  const all = { 'jan.csv': numbered(JANUARY, 'Rent'), 'feb.csv': numbered(FEBRUARY, 'Premises') }
  await buildWith(files(all, company(kinds)), ({ result, statement, read }) => {
    assert.match(
      only(result.findings, 'account-renamed').message,
      /^account 6000 is called Premises in quickbooks\/feb\.csv, and Rent in quickbooks\/jan\.csv: it counts as one/,
    )
    assert.equal(told(result.findings), ['account-renamed'])
    assert.equal(statement('ProfitAndLoss').rows['6000'], ['20.00', '0.00'])
    assert.match(read('chart-of-accounts.json'), /"Name":"Premises"/)
  })
  // Without numbers beside the other accounts, a year before a name is a part of it.
  const years = (text: string, name: string) => text.replaceAll('Rent', name)
  const plain = { 'jan.csv': years(JANUARY, '2024 Rent'), 'feb.csv': years(FEBRUARY, '2024 Fees') }
  const found = await findingsOf(
    files(plain, company({ ...KINDS, '2024 Rent': KINDS.Rent, '2024 Fees': KINDS.Rent })),
  )
  assert.not.ok(codes(found).includes('account-renamed'))
})

test('two reports of the same days are told by their entries, not by their names', async () => {
  const again = ledger(
    'January 31-February 28, 2025',
    'Checking 150.00 > 01/31/2025 Check 8 -20.00; 02/15/2025 Deposit 9 5.00',
    'Sales 50.00 > 02/15/2025 Deposit 9 5.00',
    'Rent > 01/31/2025 Check 8 20.00',
  )
  const found = only(await readIn(files({ 'a.csv': JANUARY, 'b.csv': again })), 'overlapping-reports')
  assert.match(found.message, /a\.csv and quickbooks\/b\.csv both hold entries of 2025-01-31:/)
})

test('accounts of one period in several files are one ledger', async () => {
  const [head, ...parts] = JANUARY.split(/(?<=^Total for .*\n\n)/m)
  assert.is(parts.length, 4)
  const title = head!.slice(0, head!.indexOf('Checking'))
  await buildWith(
    files({ 'a.csv': `${head}"${STAMP}"\n`, 'b.csv': `${title}${parts.slice(0, 3).join('')}"${STAMP}"\n` }),
    ({ result, statement }) => {
      assert.equal(told(result.findings), [])
      assert.equal(statement('ProfitAndLoss').totals.NetIncome, ['30.00'])
    },
  )
})

test('a ledger that begins inside the year brings forward what was earned before', async () => {
  await buildWith(files({ 'feb.csv': FEBRUARY }), ({ result, statement }) => {
    assert.equal(told(result.findings), [])
    const sheet = statement('BalanceSheet')
    assert.equal(sheet.months, ['2025-01', '2025-02'])
    assert.equal(sheet.rows['current-year-earnings'], ['30.00', '35.00'])
  })
})

test('the result of a year stands in the retained earnings that the next year brings forward', async () => {
  const first = ledger(
    'January-December, 2024',
    'Checking > 03/15/2024 Deposit 7 50.00',
    'Sales > 03/15/2024 Deposit 7 50.00',
  )
  const next = ledger(
    'January 2025',
    'Checking 50.00 > 01/15/2025 Deposit 8 1.00',
    'Retained Earnings 50.00',
    'Sales > 01/15/2025 Deposit 8 1.00',
  )
  await buildWith(files({ '2024.csv': first, '2025.csv': next }), ({ result, statement }) => {
    assert.equal(told(result.findings), ['account-not-stated'])
    const { months, rows } = statement('BalanceSheet')
    const last = (id: string) => rows[id]?.[months.indexOf('2025-01')]
    assert.equal([last('Retained Earnings'), last('current-year-earnings')], ['50.00', '1.00'])
  })
})

test('amounts in parentheses, with signs of a currency, and with the minus behind', async () => {
  const odd = JANUARY.replace('-20.00,130.00', '"$(20.00)",130.00')
  assert.ok(odd.includes('$(20.00)'))
  const behind = JANUARY.replace('-20.00,130.00', '20.00-,130.00')
  for (const text of [odd, behind])
    await buildWith(files({ 'jan.csv': text }), ({ result, statement }) => {
      assert.equal(told(result.findings), [])
      assert.equal(statement('BalanceSheet').rows.Checking, ['130.00'])
    })
})

test('brackets in a formula are grouping, as spreadsheets calculate them: =(5.00) is 5.00', async () => {
  const rows = JANUARY.split('\n').map((line): ReportRow => {
    const row = /^"[^"]*"$/.test(line) ? [line.slice(1, -1)] : line.split(',')
    return row.map((cell) => cell.replace(/^-(\d+\.\d\d)$/, '=-($1)').replace(/^(\d+\.\d\d)$/, '=($1)'))
  })
  for (const content of [csvOf(rows), workbookOf({ Sheet1: rows })])
    await buildWith(files({ 'jan.x': content }), ({ result, statement }) => {
      assert.equal(told(result.findings), [])
      assert.equal(statement('BalanceSheet').rows.Checking, ['130.00'])
      assert.equal(statement('ProfitAndLoss').rows, { Sales: ['50.00'], Rent: ['20.00'] })
    })
})

test('a row that is not an amount, and one that is not a date, with their places', async () => {
  const bad = JANUARY.replace('Deposit,7,,,x,50.00,150.00', 'Deposit,7,,,x,fifty,150.00').replace(
    '01/31/2025,Check,8,,,x,-20.00',
    '13/31/2025,Check,8,,,x,-20.00',
  )
  const found = await errorsIn(files({ 'jan.csv': bad }, company(KINDS, '', ', dateFormat: MM/DD/YYYY')))
  assert.equal(
    found.map(({ code, row, column, text }) => [code, row, column, text]).slice(0, 2),
    [
      ['unreadable-amount', 8, 'Amount', 'fifty'],
      ['unreadable-date', 9, 'Date', '13/31/2025'],
    ],
    findingsText(found),
  )
})

const AMBIGUOUS = ledger(
  'All Dates',
  'Checking > 01/02/2025 Deposit 7 50.00',
  'Sales > 01/02/2025 Deposit 7 50.00',
)

test('a date that can be read in two ways is asked for, unless the period tells', async () => {
  const found = only(await readIn(files({ 'a.csv': AMBIGUOUS })), 'ambiguous-date-format')
  assert.match(found.message, /"01\/02\/2025" can be read in several ways: DD\/MM\/YYYY or MM\/DD\/YYYY/)
  const months = async (text: string, setting = '') =>
    buildWith(files({ 'a.csv': text }, company(KINDS, '', setting)), ({ statement }) =>
      statement('ProfitAndLoss').months.at(-1),
    )
  assert.is(await months(AMBIGUOUS, ', dateFormat: DD/MM/YYYY'), '2025-02')
  assert.is(await months(AMBIGUOUS.replace('All Dates', 'January 2025')), '2025-01')
  assert.is(await months(AMBIGUOUS.replace('All Dates', 'February 2025')), '2025-02')
})

test('a ledger that says it was run on the cash basis is one', async () => {
  const cash = JANUARY.replace('Accrual Basis', 'Cash Basis')
  await buildWith(files({ 'jan.csv': cash }), ({ result, statement }) => {
    assert.equal(told(result.findings), [])
    assert.equal(statement('ProfitAndLoss', { basis: 'CASH' }).totals.NetIncome, ['30.00'])
  })
  const found = await readIn(files({ 'jan.csv': cash }, company(KINDS, '', ', basis: accrual')))
  assert.match(only(found, 'basis-differs').message, /run on the cash basis, company.yaml says accrual/)
})

test('the sign of amounts is the one under which every day balances', async () => {
  // Debit positive, as Desktop writes them: a sale is negative.
  const debit = JANUARY.replace(
    'Sales\n,01/15/2025,Deposit,7,,,x,50.00,50.00',
    'Sales\n,01/15/2025,Deposit,7,,,x,-50.00,-50.00',
  )
    .replace('Total for Sales,,,,,,,$50.00', 'Total for Sales,,,,,,,$-50.00')
    .replace('Equity\n,Beginning Balance,,,,,,,100.00', 'Equity\n,Beginning Balance,,,,,,,-100.00')
  assert.is.not(debit, JANUARY)
  await buildWith(files({ 'jan.csv': debit }), ({ result, statement }) => {
    assert.equal(told(result.findings), [])
    assert.equal(statement('ProfitAndLoss').totals.NetIncome, ['30.00'])
    assert.equal(statement('BalanceSheet').rows.Equity, ['100.00'])
  })
})

test('what the type of an account is not stated for is asked, and turns no sign in silence', async () => {
  const { Sales: _, ...others } = KINDS
  const found = await errorsIn(files({ 'jan.csv': JANUARY }, company(others)))
  assert.equal(codes(found), ['unclassified-account'])
  const turned = await errorsOf(files({ 'jan.csv': JANUARY }, company({ ...KINDS, Sales: 'Expense' })))
  assert.match(
    only(turned, 'unbalanced-transaction').message,
    /2025-01-15 .*100\.00 too much on the debit side/,
  )
})

const NESTED = [
  'Checking,,,,,,,,',
  ',Beginning Balance,,,,,,,0.00',
  ',01/15/2025,Check,1,,,x,-60.00,-60.00',
  'Total for Checking,,,,,,,-60.00,',
  'Rent,,,,,,,,',
  ',01/15/2025,Check,1,,,x,10.00,10.00',
  'Total for Rent,,,,,,,10.00,',
  'Office,,,,,,,,',
  ',01/15/2025,Check,1,,,x,20.00,20.00',
  'Floor 2,,,,,,,,',
  ',01/15/2025,Check,1,,,x,30.00,30.00',
  'Total for Floor 2,,,,,,,30.00,',
  'Total for Office with sub-accounts,,,,,,,50.00,',
  'Total for Rent with sub-accounts,,,,,,,60.00,',
]
const nested = (rows: readonly string[]) =>
  ['Acme', 'General Ledger', 'January 2025', '', HEAD, ...rows, `"${STAMP}"`, ''].join('\n')
const NESTED_KINDS = {
  ...KINDS,
  'Rent:Office': 'Expense, type: Expense',
  'Rent:Office:Floor 2': 'Expense, type: Expense',
}

test('sub-accounts stand under their parents, whether those are closed before them or after', async () => {
  const after = NESTED.filter((row) => !row.startsWith('Total for Rent,'))
  for (const rows of [NESTED, after])
    await buildWith(
      files({ 'a.csv': nested(rows) }, company(NESTED_KINDS)),
      ({ result, statement, read }) => {
        assert.equal(told(result.findings), [])
        assert.equal(statement('ProfitAndLoss').rows, {
          Rent: ['10.00'],
          'Rent:Office': ['20.00'],
          'Rent:Office:Floor 2': ['30.00'],
        })
        const chart = JSON.parse(read('chart-of-accounts.json')) as {
          Data: { Id: string; ParentId?: string | null }[]
        }
        assert.equal(
          chart.Data.filter(({ Id }) => Id.startsWith('Rent')).map(({ Id, ParentId }) => [
            Id,
            ParentId ?? null,
          ]),
          [
            ['Rent', null],
            ['Rent:Office', 'Rent'],
            ['Rent:Office:Floor 2', 'Rent:Office'],
          ],
        )
      },
    )
})

const DESKTOP = ['', '', '', 'Type', 'Date', 'Num', 'Name', 'Memo', 'Split', 'Debit', 'Credit', 'Balance']
test('Desktop puts labels of sub-accounts into columns of their own, and lines of a parent under "Other"', async () => {
  const rows: ReportRow[] = [
    DESKTOP,
    ['Checking', '', '', '', '', '', '', '', '', '', '', '0.00'],
    ['', '', '', 'Check', '01/15/2025', '1', 'Ann', '', '-SPLIT-', '', '30.00', '-30.00'],
    ['Total Checking', '', '', '', '', '', '', '', '', '0.00', '30.00', '-30.00'],
    ['Rent', '', '', '', '', '', '', '', '', '', '', '0.00'],
    ['', 'Office', '', '', '', '', '', '', '', '', '', '0.00'],
    ['', '', '', 'Check', '01/15/2025', '1', 'Ann', '', 'x', '20.00', '', '20.00'],
    ['', 'Total Office', '', '', '', '', '', '', '', '20.00', '0.00', '20.00'],
    ['', 'Rent - Other', '', '', '', '', '', '', '', '', '', '0.00'],
    ['', '', '', 'Check', '01/15/2025', '1', 'Ann', '', 'x', '10.00', '', '10.00'],
    ['', 'Total Rent - Other', '', '', '', '', '', '', '', '10.00', '0.00', '10.00'],
    ['Total Rent', '', '', '', '', '', '', '', '', '30.00', '0.00', '30.00'],
    ['TOTAL', '', '', '', '', '', '', '', '', '30.00', '30.00', '0.00'],
  ]
  for (const content of [csvOf(rows), workbookOf({ Sheet1: rows })])
    await buildWith(files({ 'gl.x': content }, company(NESTED_KINDS)), ({ result, statement }) => {
      assert.equal(told(result.findings), ['period-not-stated'])
      assert.equal(statement('ProfitAndLoss').rows, { Rent: ['10.00'], 'Rent:Office': ['20.00'] })
    })
})

/** `1100 · Bank 5000.00` at its depth; `> 01/15/2025 Check 1 -400.00 4600.00`; `Total 1100 · Bank 0.00 400.00 4600.00`. */
const desktop = (...texts: readonly string[]): string =>
  csvOf([
    DESKTOP,
    ...texts.map((text): ReportRow => {
      const blank = (n: number): string[] => Array.from({ length: n }, () => '')
      const entry = /^\s*> (\S+) (\S+) (\S+) (\S+) (\S+)$/.exec(text)
      if (entry !== null) {
        const [, date, type, num, amount, balance] = entry as unknown as string[]
        const sides = amount!.startsWith('-') ? ['', amount!.slice(1)] : [amount!, '']
        return ['', '', '', type!, date!, num!, 'Ann', '', 'x', ...sides, balance!]
      }
      const depth = /^ */.exec(text)![0].length / 2
      const total = /^\s*(total .*?|TOTAL)\s+(\S+) (\S+) (\S+)$/i.exec(text)
      if (total !== null)
        return [...blank(depth), total[1]!, ...blank(8 - depth), total[2]!, total[3]!, total[4]!]
      const [, label, balance] = /^\s*(.*) (\S+)$/.exec(text)!
      return [...blank(depth), label!, ...blank(10 - depth), balance!]
    }),
  ])
const PARENTS = {
  '1000': 'Asset, type: OtherCurrentAsset',
  '1100': 'Asset, type: Bank',
  '3000': 'Equity, type: Capital',
  '6000': 'Expense, type: Expense',
}
const PARENT = [
  '1000 · Assets 5000.00',
  '  1100 · Bank 5000.00',
  '  > 01/15/2025 Check 1 -400.00 4600.00',
  '  Total 1100 · Bank 0.00 400.00 4600.00',
  'Total 1000 · Assets 0.00 400.00 4600.00',
  '3000 · Equity -5000.00',
  'Total 3000 · Equity 0.00 0.00 -5000.00',
  '6000 · Rent 0.00',
  '> 01/15/2025 Check 1 400.00 400.00',
  'Total 6000 · Rent 400.00 0.00 400.00',
  'TOTAL 400.00 400.00 0.00',
]

test('the heading of a parent is the sum of its sub-accounts, not its own opening', async () => {
  const flat = PARENT.map((row) => row.trimStart())
  const untotalled = PARENT.filter((row) => !row.trim().startsWith('Total 1100'))
  assert.match(
    only(await readIn(files({ 'gl.csv': desktop(...untotalled) }, company(PARENTS))), 'section-without-total')
      .message,
    /^1100 · Bank has no total below/,
  )
  for (const rows of [PARENT, flat])
    await buildWith(files({ 'gl.csv': desktop(...rows) }, company(PARENTS)), ({ result, statement }) => {
      assert.equal(told(result.findings), ['period-not-stated'])
      assert.equal(statement('BalanceSheet').rows['1100'], ['4600.00'])
      assert.equal(statement('BalanceSheet').rows['1000'], undefined)
      assert.equal(statement('BalanceSheet').totals.TotalAssets, ['4600.00'])
    })
})

test('a parent with entries of its own has them and its own opening under "Other", on several levels', async () => {
  const rows = [
    '1000 · Assets 5700.00',
    '  1100 · Bank 5200.00',
    '    1110 · Till 200.00',
    '    > 01/15/2025 Check 1 -100.00 100.00',
    '    Total 1110 · Till 0.00 100.00 100.00',
    '    1100 · Bank - Other 5000.00',
    '    > 01/15/2025 Check 1 -300.00 4700.00',
    '    Total 1100 · Bank - Other 0.00 300.00 4700.00',
    '  Total 1100 · Bank 0.00 400.00 4800.00',
    '  1200 · Deposits 0.00',
    '  Total 1200 · Deposits 0.00 0.00 0.00',
    '  1000 · Assets - Other 500.00',
    '  Total 1000 · Assets - Other 0.00 0.00 500.00',
    'Total 1000 · Assets 0.00 400.00 5300.00',
    '3000 · Equity -5700.00',
    'Total 3000 · Equity 0.00 0.00 -5700.00',
    ...PARENT.slice(7),
  ]
  const yaml = company({ ...PARENTS, '1110': 'Asset, type: Bank', '1200': 'Asset, type: OtherCurrentAsset' })
  await buildWith(files({ 'gl.csv': desktop(...rows) }, yaml), ({ result, statement }) => {
    assert.equal(told(result.findings), ['period-not-stated'])
    const { rows: sheet, totals } = statement('BalanceSheet')
    assert.equal([sheet['1000'], sheet['1100'], sheet['1110']], [['500.00'], ['4700.00'], ['100.00']])
    assert.equal(totals.TotalAssets, ['5300.00'])
  })
  const differs = async (from: string, to: string) => {
    const changed = rows.map((row) => (row.trim() === from ? row.replace(from, to) : row))
    assert.is.not(changed.join(), rows.join())
    return (await errorsOf(files({ 'gl.csv': desktop(...changed) }, yaml))).map(({ code, message }) => [
      code,
      message,
    ])
  }
  assert.equal(await differs('1000 · Assets 5700.00', '1000 · Assets 5701.00'), [
    ['balance-differs', '1000 · Assets begins with 5,701.00; its sub-accounts begin with 5,700.00 together'],
  ])
  assert.equal(await differs('1110 · Till 200.00', '1110 · Till 201.00'), [
    [
      'opening-unbalanced',
      'the opening balances add up to 1.00, not to zero; 1110 · Till stands at 100.00 in row 5; what it brings forward and its entries make 101.00',
    ],
  ])
  assert.equal(
    await differs('Total 1100 · Bank 0.00 400.00 4800.00', 'Total 1100 · Bank 0.00 400.00 4801.00'),
    [
      [
        'total-differs',
        'Total 1100 · Bank is stated to end with 4,801.00; what its accounts bring forward and their entries make 4,800.00',
      ],
    ],
  )
})

test('a heading that is an opening of its own is one where the total says so', async () => {
  const rows = [
    '1000 · Assets 700.00',
    '  1100 · Bank 5000.00',
    ...PARENT.slice(2, 4),
    'Total 1000 · Assets 0.00 400.00 5300.00',
    '3000 · Equity -5700.00',
    'Total 3000 · Equity 0.00 0.00 -5700.00',
    ...PARENT.slice(7),
  ]
  await buildWith(files({ 'gl.csv': desktop(...rows) }, company(PARENTS)), ({ result, statement }) => {
    assert.equal(told(result.findings), ['period-not-stated'])
    assert.equal(statement('BalanceSheet').rows['1000'], ['700.00'])
  })
})

test('every running balance follows from the one above it; the first that does not is named', async () => {
  const changed = JANUARY.replace('Deposit,7,,,x,50.00,150.00', 'Deposit,7,,,x,50.00,151.00')
  const [found, ...others] = await errorsOf(files({ 'jan.csv': changed }))
  assert.equal(others, [])
  assert.equal(
    [found!.code, found!.row, found!.column, found!.message],
    [
      'balance-differs',
      8,
      'Balance',
      'Checking stands at 151.00 in row 8; what it brings forward and its entries make 150.00',
    ],
  )
})

test('a running balance that begins with what no row brings forward is refused', async () => {
  const gone = JANUARY.replace('Checking\n,Beginning Balance,,,,,,,100.00', 'Checking').replace(
    'Equity\n,Beginning Balance,,,,,,,100.00',
    'Equity',
  )
  const found = only(await errorsIn(files({ 'jan.csv': gone })), 'opening-missing')
  assert.match(
    found.message,
    /^account Checking stands at 100\.00 before its first entry, by the balance in row 7/,
  )
  assert.equal([found.row, found.column], [7, 'Balance'])
})

test('lines of one entry with several names are joined by what else they share, and that is said', async () => {
  const text = ledger(
    'January 2025',
    'Checking 0.00 > 01/15/2025 Deposit 7 50.00; 01/15/2025 Deposit 8 1.00 Cy',
    'Sales > 01/15/2025 Deposit 7 30.00 Ann; 01/15/2025 Deposit 7 20.00 Bob; 01/15/2025 Deposit 8 1.00 Cy',
  )
  await buildWith(files({ 'a.csv': text }), async (built) => {
    const found = only(built.result.findings, 'entries-joined')
    assert.match(found.message, /^the file has no number of each entry; 3 groups of lines/)
    assert.equal(await postings(built, 'transaction_id, amount'), [
      ...['2025-01-15 Deposit 7 -30.00', '2025-01-15 Deposit 7 -20.00', '2025-01-15 Deposit 7 50.00'],
      ...['2025-01-15 Deposit 8 Cy -1.00', '2025-01-15 Deposit 8 Cy 1.00'],
    ])
  })
})

test('sections that are no accounts: a detail grouped by customer, with an account in each row', async () => {
  const rows: ReportRow[] = [
    ['Transaction Detail by Account'],
    ['Acme'],
    ['All Dates'],
    ',Date,Transaction Type,Num,Name,Memo/Description,Account,Split,Amount,Balance'.split(','),
    ['Ann'],
    ['', '01/15/2025', 'Deposit', '7', 'Ann', '', 'Checking', 'x', '50.00', '50.00'],
    ['', '01/15/2025', 'Deposit', '7', 'Ann', '', 'Sales', 'x', '50.00', '100.00'],
    ['Total for Ann', '', '', '', '', '', '', '', '100.00'],
    [STAMP],
  ]
  await buildWith(files({ 'a.csv': csvOf(rows) }), ({ result, statement }) => {
    assert.equal(told(result.findings), [])
    assert.equal(statement('BalanceSheet').rows.Checking, ['50.00'])
  })
})

test('classes and locations, some inside others; company.yaml may exchange them', async () => {
  const rows = (text: string): string =>
    [
      'Acme',
      'Journal',
      'All Dates',
      'Date,Transaction Type,Num,Name,Memo,Account,Class,Location,Debit,Credit',
      text,
      `"${STAMP}"`,
      '',
    ].join('\n')
  const text = rows('01/15/2025,Check,1,,,Rent,North:Works,Main,10.00,\n,,,,,Checking,,,,10.00')
  await buildWith(files({ 'a.csv': text }), ({ result, statement }) => {
    assert.equal(told(result.findings), [])
    assert.equal(statement('ProfitAndLoss', { classId: 'North' }).totals.NetIncome, ['-10.00'])
    assert.equal(statement('ProfitAndLoss', { classId: 'North:Works' }).totals.NetIncome, ['-10.00'])
    assert.equal(statement('ProfitAndLoss', { departmentId: 'Main' }).totals.NetIncome, ['-10.00'])
  })
  const yaml = company(KINDS, 'dimensions: { Class: department, Location: none }')
  await buildWith(files({ 'a.csv': text }, yaml), ({ statement }) =>
    assert.equal(statement('ProfitAndLoss', { departmentId: 'North' }).totals.NetIncome, ['-10.00']),
  )
})

/** A journal of Online: numbers on rows of their own, a total for each, or neither; a last line, and maybe a grand total. */
const journal = (rows: readonly string[], ...end: readonly string[]): string =>
  [
    'Journal,,,,,,,',
    'All Dates,,,,,,,',
    'Date,Transaction Type,Num,Name,Memo,Account,Debit,Credit',
    ...rows,
    ...end,
    '',
  ].join('\n')
const LAST = '"Tuesday, January 7, 2026 10:12 AM",,,,,,,'
test('an entry of a journal that does not balance is named', async () => {
  const rows = ['01/15/2025,Check,1,Ann,,Rent,10.00,', ',,,,,Checking,,9.00']
  const others = ['01/15/2025,Check,1,Ann,,Rent,5.00,', ',,,,,Checking,,5.00']
  const all = files({ 'a.csv': journal([...rows, ...others], LAST) })
  const found = only(await findingsOf(all), 'unbalanced-transaction')
  assert.match(found.message, /2025-01-15 Check 1 Ann/)
  assert.is(found.row, 4)
})

test('entries of one day with the same words are told apart by their order', async () => {
  const rows = [
    ...['01/15/2025,Check,,Ann,,Rent,10.00,', ',,,,,Checking,,10.00'],
    ...['01/15/2025,Check,,Ann,,Rent,5.00,', ',,,,,Checking,,5.00'],
    ...['01/16/2025,Check,,Ann,,Rent,5.00,', ',,,,,Checking,,5.00'],
  ]
  await buildWith(files({ 'a.csv': journal(rows, LAST) }), async (built) => {
    assert.equal(await postings(built, 'transaction_id, amount'), [
      ...['2025-01-15 Check Ann -10.00', '2025-01-15 Check Ann 10.00'],
      ...['2025-01-15 Check Ann (2) -5.00', '2025-01-15 Check Ann (2) 5.00'],
      ...['2025-01-16 Check Ann -5.00', '2025-01-16 Check Ann 5.00'],
    ])
  })
})

test('a journal with its words on every row and no numbers is put together from what its rows share', async () => {
  const text = [
    'Date,Transaction Type,No.,Name,Memo/Description,Account,Debit,Credit',
    '03/31/2025,Journal Entry,JE-1,,Rent,Rent,"2,500.00",',
    '03/31/2025,Journal Entry,JE-1,,Rent,Checking,,"2,500.00"',
    '03/31/2025,Journal Entry,JE-2,,Rent,Rent,1.00,',
    '03/31/2025,Journal Entry,JE-2,,Rent,Checking,,1.00',
  ].join('\n')
  await buildWith(files({ 'a.csv': text }), ({ result, statement }) => {
    assert.equal(told(result.findings).sort(), ['openings-not-stated', 'report-without-end'])
    assert.equal(statement('ProfitAndLoss').rows.Rent!.at(-1), '2501.00')
  })
})

test('a file among them that is no report', async () => {
  const found = only(await readIn(files({ 'jan.csv': JANUARY, 'notes.txt': 'read me' })), 'no-report')
  assert.is(found.file, 'quickbooks/notes.txt')
})

test('a section that lost its total is told, and no parent of those below it', async () => {
  const text = JANUARY.replace('Total for Equity,,,,,,,$0.00,\n', '')
  assert.is.not(text, JANUARY)
  await buildWith(files({ 'jan.csv': text }), ({ result, statement }) => {
    const found = result.findings.find(({ code }) => code === 'section-without-total')
    // A line that somebody wrote below the accounts looks the same.
    assert.is(found?.message, '[…] has no total below, unlike other accounts')
    assert.equal(found?.ledgerText, ['Equity'])
    assert.equal(statement('ProfitAndLoss').rows, { Sales: ['50.00'], Rent: ['20.00'] })
  })
})

test('rows that were deleted, or figures that were changed, are found by the totals', async () => {
  const gone = JANUARY.replace(/^,01\/31\/2025,Check.*\n/gm, '')
  const found = await errorsOf(files({ 'jan.csv': gone }))
  assert.equal(codes(found), ['total-differs', 'total-differs'])
  assert.match(found[0]!.message, /^Total for Checking is stated as 30\.00, its lines add up to 50\.00$/)
  const section = JANUARY.replace(/^Rent\n(?:.*\n)*?Total for Rent.*\n/m, '')
  assert.equal(codes(await errorsOf(files({ 'jan.csv': section }))), ['unbalanced-transaction'])
  const label = JANUARY.replace('Total for Rent', 'Total for Tent')
  assert.ok(codes(await errorsOf(files({ 'jan.csv': label }))).includes('unknown-total'))
})

test('a ledger that was cut off anywhere is refused; a journal too, but for whole entries, which is said', async () => {
  const business = makeBusiness()
  const cuts = async (name: 'gl.csv', all: Files, check: (found: readonly string[], at: number) => void) => {
    const lines = String(all[name]).split('\n')
    for (let i = 1; i <= 12; i++) {
      const at = Math.floor((lines.length * i) / 13) + (i % 3)
      const cut = { ...all, [name]: `${lines.slice(0, at).join('\n')}\n` }
      check(codes(await readIn(cut)), at)
    }
  }
  await cuts('gl.csv', onlineLedger(business).files, (found, at) =>
    assert.ok(found.includes('report-cut-off'), `${at}: ${found}`),
  )
  await cuts('gl.csv', onlineJournal(business).files, (found, at) =>
    assert.ok(
      found.some((code) => ['report-cut-off', 'report-without-end'].includes(code)),
      `${at}: ${found}`,
    ),
  )
})

const entryRows = (...head: readonly string[]) => [
  ...head,
  '01/15/2025,Check,1,Ann,,Rent,10.00,',
  '01/15/2025,Check,1,Ann,,Checking,,10.00',
]

test('an entry of a journal that stands there twice: a mistake where its number is its own, else a question, unless a total counts both', async () => {
  const numbered = [...entryRows('41'), 'Total for 41,,,,,,10.00,10.00']
  const other = [...entryRows('42'), 'Total for 42,,,,,,10.00,10.00']
  const severity = async (text: string) => {
    const found = (await findingsOf(files({ 'a.csv': text }))).filter(({ code }) => code === 'entry-repeated')
    return found.map(spelledOut).map(({ severity: how, message }) => `${how}: ${message}`)
  }
  assert.equal(await severity(journal([...numbered, ...other, ...numbered], LAST)), [
    'error: entry 41 stands in the file twice, with the same number, date and lines, and would count twice',
  ])
  assert.equal(await severity(journal([...numbered, ...other], LAST)), [])
  const plain = ['01/15/2025,Check,1,Ann,,Rent,10.00,', ',,,,,Checking,,10.00']
  assert.equal(await severity(journal([...plain, ...plain], LAST)), [
    'warning: entry 2025-01-15 Check 1 Ann stands twice with the same lines, and counts twice',
  ])
  assert.equal(await severity(journal([...plain, ...plain], 'TOTAL,,,,,,20.00,20.00', LAST)), [])
})

test('an entry of a journal without a number does not take that of the entry before', async () => {
  const numbered = ['01/15/2025,Check,1,Ann,,Rent,10.00,', ',,,,,Checking,,10.00']
  const plain = ['01/16/2025,Check,,Bob,,Rent,10.00,', ',,,,,Checking,,10.00']
  const found = await readIn(files({ 'a.csv': journal([...numbered, ...plain, ...plain], LAST) }))
  assert.is(only(found, 'entry-repeated').text, '2025-01-16 Check Bob')
})

test('a journal with totals that was cut before its last line is refused', async () => {
  const rows = [...entryRows(), ',,,,,,10.00,10.00', ...entryRows(), ',,,,,,10.00,10.00']
  const cut = only(await readIn(files({ 'a.csv': journal(rows) })), 'report-without-end')
  assert.is(cut.severity, 'error')
  const whole = await readIn(files({ 'a.csv': journal(rows, 'TOTAL,,,,,,20.00,20.00') }))
  assert.not.ok(codes(whole).includes('report-without-end'))
})

test('add: kinds of accounts by the Account List, which may be added later', async () => {
  const list = csvOf([
    ['Account List'],
    ['Acme'],
    [],
    ['Account #', 'Full name', 'Type', 'Detail type', 'Description', 'Total balance'],
    ['', 'Checking', 'Bank', 'Checking', '', '130.00'],
    ['', 'Equity', 'Equity', "Owner's Equity", '', '100.00'],
    ['', 'Sales', 'Income', 'Sales of Product Income', '', ''],
    ['', 'Rent', 'Expenses', 'Rent or Lease of Buildings', '', ''],
    ['TOTAL', '', '', '', '', '230.00'],
  ])
  await inWorkspace({}, async (workspace) => {
    const path = (name: string, text: string) => {
      writeFileSync(join(workspace.root, name), text)
      return join(workspace.root, name)
    }
    const yaml = () => String(readFile(join(workspace.datasets, 'zed', 'company.yaml')))
    const first = await addCompany(workspace, 'zed', [path('jan.csv', JANUARY)])
    assert.equal(first.findings, [])
    assert.match(yaml(), /name: Acme # as reports show it/)
    assert.match(
      yaml(),
      /"Sales": \{ classification: FILL IN \} # Sales; kind unknown: neither the report nor a list of accounts states it/,
    )
    assert.match(yaml(), /files: quickbooks\/\*, format: quickbooks \} # add the Account List/)
    const second = await addCompany(workspace, 'zed', [path('accounts.csv', list)])
    assert.equal(second.findings, [])
    assert.match(yaml(), /"Sales": \{ classification: Income, type: Sales \} # Sales\n/)
    assert.not.match(yaml(), /classification: FILL IN/)
    writeFileSync(
      join(workspace.datasets, 'zed', 'company.yaml'),
      yaml()
        .replace('fiscalMonthEnd: FILL IN', 'fiscalMonthEnd: 12')
        .replace('currency: FILL IN', 'currency: USD'),
    )
    const { result, statement } = await buildIn(workspace, 'zed')
    assert.equal(told(result.findings), [])
    assert.equal(statement('ProfitAndLoss').totals.NetIncome, ['30.00'])
  })
})

test('add: a year to date takes the place of the one before; the next month, and the other basis, stand beside it', async () => {
  const toDate = ledger(
    'January 1-February 28, 2025',
    'Checking 100.00 > 01/15/2025 Deposit 7 50.00; 01/31/2025 Check 8 -20.00; 02/15/2025 Deposit 9 5.00',
    'Equity 100.00',
    'Sales > 01/15/2025 Deposit 7 50.00; 02/15/2025 Deposit 9 5.00',
    'Rent > 01/31/2025 Check 8 20.00',
  )
  await inWorkspace({}, async (workspace) => {
    const add = async (name: string, text: string, replace = false) => {
      writeFileSync(join(workspace.root, name), text)
      const { findings, files: added } = await addCompany(workspace, 'zed', [join(workspace.root, name)], {
        replace,
      })
      return [codes(findings), added.flatMap(({ instead }) => instead)]
    }
    assert.equal(await add('General Ledger.csv', JANUARY), [[], []])
    assert.equal(await add('General Ledger (1).csv', toDate), [['period-there-already'], []])
    assert.equal(await add('cash.csv', toDate.replace('Accrual', 'Cash')), [[], []])
    assert.equal(await add('feb.csv', FEBRUARY), [[], []])
    assert.equal(await add('General Ledger (1).csv', toDate, true), [
      [],
      ['quickbooks/General Ledger.csv', 'quickbooks/feb.csv'],
    ])
    assert.equal(await add('General Ledger.csv', JANUARY, true), [['period-there-already'], []])
  })
})

test('add asks for the basis of a ledger that does not say it, and for dates that do not tell', () =>
  proposed({ 'a.csv': AMBIGUOUS.replace(STAMP, '') }, ({ yaml }) =>
    assert.match(
      yaml,
      /dateFormat: FILL IN, basis: FILL IN \} # dateFormat: how "01\/02\/2025" is meant, DD\/MM\/YYYY or MM\/DD\/YYYY; basis: accrual or cash/,
    ),
  ))

const LISTED_KINDS = [
  ['Checking', 'Bank'],
  ['Equity', 'Equity'],
  ['Sales', 'Income'],
  ['Rent', 'Expense'],
] as const
const desktopList = (currency: string): string =>
  csvOf([
    ['', 'Account', 'Type', 'Balance Total', 'Accnt. #', ...(currency === '' ? [] : ['Currency'])],
    ...LISTED_KINDS.map(([name, type]) => ['', name, type, '', '', ...(currency === '' ? [] : [currency])]),
  ])
/** Desktop, whose CSV has no title: of one quarter, with what each account begins with. */
const desktopQuarter = (month: number, sales = '0.00', checking = '100.00'): string => {
  const day = `${String(month).padStart(2, '0')}/15/2025`
  const bank = (Number(checking) + 50).toFixed(2)
  return csvOf([
    ['', 'Type', 'Date', 'Num', 'Name', 'Memo', 'Split', 'Debit', 'Credit', 'Balance'],
    ['Checking', '', '', '', '', '', '', '', '', checking],
    ['', 'Deposit', day, '7', 'Ann', '', 'Sales', '50.00', '', bank],
    ['Total Checking', '', '', '', '', '', '', '50.00', '0.00', bank],
    ['Sales', '', '', '', '', '', '', '', '', sales],
    ['', 'Deposit', day, '7', 'Ann', '', 'Checking', '', '50.00', (Number(sales) - 50).toFixed(2)],
    ['Total Sales', '', '', '', '', '', '', '0.00', '50.00', (Number(sales) - 50).toFixed(2)],
    ['TOTAL', '', '', '', '', '', '', '50.00', '50.00', '0.00'],
  ])
}

const YEAR_ASKED = ['fiscalMonthEnd', 'currency', 'ledger.0.basis']
for (const [what, gl, currency, asked, monthEnd] of [
  ['January', desktopQuarter(1), '', ['currency', 'ledger.0.basis'], '12 # .*please check'],
  ['July, with balances', desktopQuarter(7), '', ['currency', 'ledger.0.basis'], '6 # .*please check'],
  ['its list says the currency', desktopQuarter(1), 'CAD', ['ledger.0.basis'], '12 # .*please check'],
  ['a month in which no year is likely to begin', desktopQuarter(2), '', YEAR_ASKED, 'FILL IN'],
  ['income is brought forward: no year begins', desktopQuarter(7, '-20.00'), '', YEAR_ASKED, 'FILL IN'],
  ['nothing is brought forward into July', desktopQuarter(7, '0.00', '0.00'), '', YEAR_ASKED, 'FILL IN'],
] as const)
  test(`add asks what a Desktop ledger and its list do not tell: ${what}`, () =>
    proposed({ 'gl.csv': gl, 'list.csv': desktopList(currency) }, ({ result, yaml }) => {
      assert.equal(result.findings, [])
      assert.equal(column(result.questions, 'column'), asked)
      assert.match(yaml, "name: Acme # by the company's id, please check")
      assert.match(yaml, new RegExp(`fiscalMonthEnd: ${monthEnd}`))
    }))

test('types of accounts in the words of several countries, of Online and Desktop', () => {
  for (const [name, type, detailType, expected] of [
    ['Debtors', 'Accounts receivable (A/R)', '', 'Asset AccountsReceivable'],
    ['Truck', 'Fixed Assets', 'Vehicles', 'Asset FixedAsset'],
    ['Truck', 'Fixed Asset', 'Accumulated Depreciation', 'Asset AccumulatedDepreciation'],
    ['Accum. depreciation', 'Fixed Asset', '', 'Asset AccumulatedDepreciation ?'],
    ['Visa', 'Credit Card', '', 'Liability CreditCard'],
    ['VAT', 'Other Current Liabilities', 'Sales Tax Payable', 'Liability SalesTax'],
    ['Undeposited Funds', 'Other Current Asset', '', 'Asset CashEquivalent'],
    ['Undeposited Funds', '', '', 'Asset CashEquivalent'],
    ['Retained Earnings', '', '', 'Equity RetainedEarnings'],
    ['Loan', 'Long Term Liability', '', 'Liability LongTermLiability'],
    ['Stock', 'Other Current Assets', 'Inventory', 'Asset Inventory'],
    ['Depreciation', 'Other Expense', 'Depreciation', 'OtherExpense Depreciation'],
    ['Fun', 'Non-Posting', '', 'Asset NotInStatements'],
    ['Fun', '', '', null],
  ] as const) {
    const found = QUICKBOOKS.accountKind({ number: '', name, type, detailType })
    const kind = found && `${found.classification} ${found.type}${found.doubt === null ? '' : ' ?'}`
    assert.is(kind, expected, `${name}, ${type}`)
  }
})
