/** Plain-text accounting: what the programs write beyond the plain case, each through a whole build. */
import { execFileSync, spawnSync } from 'node:child_process'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../../suite.ts'
import { proposed } from '../../support/added.ts'
import { fields } from '../../support/fields.ts'
import { buildWith, checkWith, codes, findingsOf, only, postings } from '../../support/workspace.ts'

const test = suite('plain-text accounting')

const yaml = (more = '', ledger = '{ files: "*.journal.csv" }') =>
  `id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: USD\nledger: [${ledger}]\n${more}\n`
const files = (csv: string, more = '', ledger?: string) => ({
  'company.yaml': yaml(more, ledger),
  'books.journal.csv': csv,
})

const PRINT =
  'txnidx,date,date2,status,code,description,comment,account,amount,commodity,credit,debit,posting-status,posting-comment'
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

/** `1 2024-01-05 Text; assets:bank 10.00 $ [comment]; …` per transaction, as `hledger print -O csv` writes it. */
const print = (...transactions: string[]): string =>
  [
    PRINT,
    ...transactions.flatMap((transaction, i) => {
      const [head, ...postings] = transaction.split(';').map((part) => part.trim())
      const [, date, text, comment = ''] = /^(\S+) ([^#]*)(?:#(.*))?$/.exec(head!)!
      return postings.map((posting) => {
        const [, account, amount, commodity = '$', note = ''] =
          /^(.*?)\s{2}(\S+)(?: ([^\s[]+))?(?: \[(.*)\])?$/.exec(posting)!
        const unsigned = amount!.replace('-', '')
        const isCredit = amount!.startsWith('-')
        return [
          `${i + 1}`,
          date,
          '',
          '',
          '',
          text!.trim(),
          comment,
          account,
          amount,
          commodity,
          isCredit ? unsigned : '',
          isCredit ? '' : unsigned,
          '',
          note,
        ]
          .map((cell) => quoted(cell!))
          .join(',')
      })
    }),
    '',
  ].join('\n')

const OPENING =
  '2024-01-01 opening; assets:bank  100.00; liabilities:card  -20.00; equity:opening balances  -80.00'
const SALE = '2024-02-05 Sale; assets:bank  50.00; income:sales  -50.00'

test('an opening transaction is state, credit is negative, and every account is on its statement', () =>
  buildWith(
    files(print(OPENING, SALE, '2024-03-01 Food; expenses:food  7.25; liabilities:card  -7.25')),
    (built) => {
      assert.equal(codes(built.result.findings), [])
      const sheet = built.statement('BalanceSheet')
      assert.equal(sheet.rows['assets:bank']!.slice(0, 3), ['100.00', '150.00', '150.00'])
      assert.equal(sheet.rows['liabilities:card']!.slice(0, 3), ['20.00', '20.00', '27.25'])
      assert.equal(sheet.rows['equity:opening balances']![0], '80.00')
      assert.equal(built.statement('ProfitAndLoss').rows['income:sales']!.slice(0, 3), [
        '0.00',
        '50.00',
        '0.00',
      ])
      assert.equal(built.statement('CashFlow').totals.BeginningCash![0], '100.00')
    },
  ))

test('the chart has the tree of the paths, but for parents whose accounts differ', () =>
  buildWith(
    files(
      print(
        '2024-01-05 Sale; assets:bank:checking  30.00; income:sales  -30.00',
        '2024-01-06 Goods; expenses:cost of goods:parts  4.00; expenses:food  2.00; assets:bank:checking  -6.00',
      ),
    ),
    (built) => {
      const chart = JSON.parse(built.read('chart-of-accounts.json')) as {
        Data: { Id: string; ParentId: string | null; Name: string; Classification: string }[]
      }
      const parents = Object.fromEntries(chart.Data.map((row) => [row.Id, row.ParentId]))
      assert.is(parents['assets:bank:checking'], 'assets:bank')
      assert.is(parents['assets:bank'], 'assets')
      assert.is(parents['expenses:cost of goods:parts'], 'expenses:cost of goods')
      assert.is(parents['expenses:food'], null)
      assert.not.ok('expenses' in parents)
      assert.is(chart.Data.find(({ Id }) => Id === 'assets:bank:checking')!.Name, 'checking')
    },
  ))

test('tags are class and department; the tag of a posting wins over that of its transaction', () =>
  buildWith(
    files(
      print(
        '2024-01-05 Sale #class: EAST, seen; assets:bank  30.00; income:sales  -30.00 $ [class: WEST, department: SHOP]',
      ),
    ),
    (built) => {
      assert.equal(codes(built.result.findings), ['openings-not-stated'])
      assert.equal(built.statement('ProfitAndLoss', { classId: 'WEST', departmentId: 'SHOP' }).rows, {
        'income:sales': ['30.00'],
      })
      assert.equal(built.statement('BalanceSheet', { classId: 'EAST' }).rows['assets:bank'], ['30.00'])
    },
  ))

test('company.yaml says which tags count', () =>
  buildWith(
    files(
      print('2024-01-05 Sale #class: x, project: P1; assets:bank  30.00; income:sales  -30.00'),
      'dimensions: { project: class, class: none }',
    ),
    (built) => {
      assert.equal(built.statement('ProfitAndLoss', { classId: 'P1' }).totals.NetIncome, ['30.00'])
    },
  ))

test('a posting with a day of its own is dated so; its transaction stays one', () =>
  buildWith(
    files(
      print(
        '2024-01-31 Sale; assets:bank  30.00 $ [date:2/3]; assets:clearing  -30.00 $ [[2024-02-03]]',
        '2024-01-31 Sale; assets:clearing  30.00; income:sales  -30.00',
      ),
    ),
    (built) => assert.equal(built.statement('BalanceSheet').rows['assets:bank'], ['0.00', '30.00']),
  ))

test('virtual postings are left out and counted', () =>
  buildWith(
    files(
      print(
        OPENING,
        '2024-02-05 Sale; assets:bank  50.00; income:sales  -50.00; (budget:sales)  50.00; [assets:bank:goal]  5.00; [assets:bank]  -5.00',
      ),
    ),
    (built) => {
      const found = only(built.result.findings, 'virtual-postings')
      assert.match(found.message, '3 virtual postings')
      assert.is(found.row, 7)
      assert.equal(built.statement('BalanceSheet').rows['assets:bank'], ['100.00', '150.00'])
    },
  ))

test('another commodity is refused, with the command that states it at cost', async () => {
  const found = only(
    await findingsOf(files(print(SALE, '2024-02-06 Buy; assets:shares  10 ACME; assets:bank  -500.00'))),
    'mixed-currency',
  )
  assert.equal([found.file, found.row, found.text], ['books.journal.csv', 4, 'ACME'])
  assert.match(found.remedy!, 'hledger print -B')
})

test('an account of thousands of parts is refused, by its first row, and one of a hundred is read', async () => {
  const deep = (parts: number) => `assets:bank${':a'.repeat(parts - 2)}`
  const sale = (parts: number) => `2024-02-06 Sale; ${deep(parts)}  5.00; income:sales  -5.00`
  await buildWith(files(print(SALE, sale(100))), (built) =>
    assert.is(built.statement('BalanceSheet').rows[deep(100)]?.at(-1), '5.00'),
  )
  for (const parts of [101, 8000]) {
    const found = only(await findingsOf(files(print(SALE, sale(parts)))), 'account-too-deep')
    assert.equal([found.file, found.row, found.column], ['books.journal.csv', 4, 'account'])
  }
})

test('an opening after the books have begun counts as activity, and says so', () =>
  buildWith(
    files(print(OPENING, SALE, '2024-03-05 opening; assets:savings  9.00; equity:opening balances  -9.00')),
    (built) => {
      assert.is(only(built.result.findings, 'late-opening').row, 7)
      assert.equal(built.statement('BalanceSheet').rows['assets:savings'], ['0.00', '0.00', '9.00'])
    },
  ))

test('an opening whose day is not a date is reported by its rows', async () => {
  const found = await findingsOf(
    files(print(OPENING, SALE, '2024-03 opening; assets:savings  9.00; equity:opening balances  -9.00')),
  )
  assert.equal(
    fields(
      found.filter(({ severity }) => severity === 'error'),
      'code',
      'row',
    ),
    [
      ['unreadable-date', 7],
      ['unreadable-date', 8],
    ],
  )
})

test('the decimal mark is that of the file; what could mean two is asked', async () => {
  const euros = (csv: string, ledger?: string) => ({
    ...files(csv, '', ledger),
    'company.yaml': yaml('', ledger).replace('USD', 'EUR'),
  })
  await buildWith(
    euros(print('2024-01-05 Sale; assets:bank  1000,5 EUR; income:sales  -1000,5 €')),
    (built) => assert.equal(built.statement('ProfitAndLoss').totals.NetIncome, ['1000.50']),
  )
  const unclear = print('2024-01-05 Sale; assets:bank  1,000 EUR; income:sales  -1,000 EUR')
  only(await findingsOf(euros(unclear)), 'unclear-decimal')
  await buildWith(euros(unclear, '{ files: books.journal.csv, decimal: ".", thousands: "," }'), (built) =>
    assert.equal(built.statement('ProfitAndLoss').totals.NetIncome, ['1000.00']),
  )
})

test('hledger register: the sign of the currency stands in the amount', () =>
  buildWith(
    files(
      'txnidx,date,code,description,account,amount,total\n"1","2024-01-05","","Sale","assets:bank","$1000.25","$1000.25"\n"1","2024-01-05","","Sale","income:sales","$-1000.25","0"\n',
    ),
    (built) => assert.equal(built.statement('ProfitAndLoss').totals.NetIncome, ['1000.25']),
  ))

test('bean-query: the weight is the amount; a position with its cost is refused with the query to use', async () => {
  const header = 'id,date,flag,payee,narration,account'
  const cells = (id: string, account: string) =>
    `${id},2024-01-03,*,Broker,"Buy ""A"", stock   ",${account}   `
  await buildWith(
    files(
      `${header},position,weight,any_meta_cclass\r\n${cells('ab', 'Assets:Stock')},   10    AAPL {50.00 USD},  500.00 USD,EAST\r\n${cells('ab', 'Assets:Bank')}, -500.00 USD  , -500.00 USD,\r\n`,
    ),
    (built) => {
      assert.equal(built.statement('BalanceSheet').rows['Assets:Stock'], ['500.00'])
      assert.equal(built.statement('BalanceSheet', { classId: 'EAST' }).rows['Assets:Stock'], ['500.00'])
    },
  )
  const found = await findingsOf(
    files(
      `${header},position\r\n${cells('ab', 'Assets:Stock')},   10    AAPL {50.00 USD}\r\n${cells('ab', 'Assets:Bank')}, -500.00 USD\r\n`,
    ),
  )
  assert.match(only(found, 'mixed-currency').remedy!, 'weight')
})

const LEDGER = [
  '"2024/01/05","A1","Shop \\"A\\", Ltd\\","assets:bank","$","50","*"," class: x\\n more"',
  '"2024/01/05","A1","Shop \\"A\\", Ltd\\","income:sales","$","-50","*",""',
  '"2024/01/05","A1","Shop \\"A\\", Ltd\\","assets:bank","$","7.5","*",""',
  '"2024/01/05","A1","Shop \\"A\\", Ltd\\","income:sales","$","-7.5","*",""',
  '',
].join('\n')

test('ledger csv has no header and no transactions: each ends where it balances, and rows keep their numbers', async () => {
  await buildWith(files(LEDGER), async (built) => {
    assert.equal(built.statement('ProfitAndLoss').totals.NetIncome, ['57.50'])
    assert.equal(await postings(built, 'row, transaction_id, memo'), [
      '1 2024-01-05/1 Shop "A", Ltd\\',
      '2 2024-01-05/1 Shop "A", Ltd\\',
      '3 2024-01-05/2 Shop "A", Ltd\\',
      '4 2024-01-05/2 Shop "A", Ltd\\',
    ])
  })
  const found = await findingsOf(files(LEDGER.replace('"-7.5"', '"-7,5x"')))
  assert.is(only(found, 'unreadable-amount').row, 4)
})

test('a torn row, a quote that never closes, bytes of another encoding: each is one finding with its row', async () => {
  const csv = print(OPENING, SALE)
  const torn = only(await findingsOf(files(`${csv}"3","2024-02-06"\n"3","2024-02-06"\n`)), 'column-count')
  assert.is(torn.row, 7)
  assert.match(torn.message, '1 other')
  assert.is(only(await findingsOf(files(`${csv}"3","2024-02-06\n`)), 'unreadable-csv').row, 7)
  const latin = Buffer.from(csv.replace('Sale', 'Café'), 'latin1')
  await buildWith({ ...files(''), 'books.journal.csv': latin }, (built) =>
    assert.equal(codes(built.result.findings), []),
  )
})

test('a file that is stated to be of this format and is not says what it lacks', async () => {
  only(
    await findingsOf(files('a,b\n1,2\n', '', '{ files: books.journal.csv, format: plain-text }')),
    'unknown-file',
  )
})

test('an account whose name says nothing is refused until company.yaml does', async () => {
  const csv = print('2024-01-05 Verkauf; Vermögen:Bank  30.00; Erlöse:Handel  -30.00')
  assert.equal(codes(await findingsOf(files(csv))), ['unclassified-account', 'unclassified-account'])
  await buildWith(
    files(
      csv,
      'accounts: { "Vermögen:Bank": { classification: Asset, type: Bank }, "Erlöse:Handel": { classification: Income } }',
    ),
    (built) => assert.equal(built.statement('CashFlow').totals.EndingCash, ['30.00']),
  )
})

test('a tag with a reserved value is refused', async () => {
  const csv = print('2024-01-05 Sale #class: all; assets:bank  30.00; income:sales  -30.00')
  only(await findingsOf(files(csv)), 'reserved-id')
})

test('add writes down accounts, tags and the currency, and asks for the rest', () => {
  const text = print(
    '2024-01-05 Sale #class: EAST, trip: Rome; assets:cash  30.00 EUR; Sonstiges  -30.00 EUR',
  )
  return proposed({ '2024.csv': text }, ({ result, yaml: proposal }) => {
    assert.equal(result.findings, [])
    assert.equal(fields(result.files, 'to', 'kind'), [['ledger/2024.journal.csv', 'plain-text']])
    const { currency, dimensions, ledger, accounts } = parse(proposal) as Record<string, unknown>
    assert.equal([currency, dimensions], ['EUR', { class: 'class', trip: 'none' }])
    assert.equal(ledger, [{ files: 'ledger/*.journal.csv', format: 'plain-text' }])
    const kinds = accounts as Record<string, unknown>
    assert.equal(kinds['assets:cash'], { classification: 'Asset', type: 'Bank' })
    assert.match(proposal, 'kind unknown: its name does not state it')
  })
})

const hledger = (journal: string, ...args: string[]): string =>
  execFileSync('hledger', ['-f', '-', ...args], {
    input: journal,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  })
const installed = spawnSync('hledger', ['--version']).error === undefined
if (!installed) process.stdout.write('hledger is not installed: its closings are not tested\n')
const check = installed ? test : test.skip

const YEAR = `2024-01-01 opening
    assets:bank   $100
    equity:opening balances
2024-05-01 sale
    assets:bank   $50.50
    income:sales
2024-12-30 rent
    expenses:rent  $20
    assets:bank
`
const NEXT = '2025-02-01 sale\n    assets:bank  $5\n    income:sales\n'

check('years that hledger closed and opened again go on as one', async () => {
  const retained =
    YEAR +
    hledger(
      YEAR,
      'close',
      'type:RX',
      '--close',
      '--close-acct=equity:retained earnings',
      '--close-desc=retain',
      '-e2025-01-01',
    )
  const closed = retained + hledger(retained, 'close', 'type:ALE', '-e2025-01-01') + NEXT
  await buildWith(files(hledger(closed, 'print', '-O', 'csv')), (built) => {
    assert.equal(codes(built.result.findings), ['closing-balances-left-out'])
    const sheet = built.statement('BalanceSheet')
    assert.equal(sheet.rows['assets:bank']!.slice(11), ['130.50', '130.50', '135.50'])
    assert.equal(sheet.rows['equity:retained earnings']!.slice(11), ['30.50', '30.50', '30.50'])
    assert.is(built.statement('ProfitAndLoss').totals.NetIncome![11], '-20.00')
  })
})

check('an opening that does not carry what the year before closed with is refused', async () => {
  const closed =
    YEAR + hledger(YEAR, 'close', 'type:ALE', '-e2025-01-01').replaceAll('130.50', '131.50') + NEXT
  const broken = closed.replace(/2024-12-31 closing[\s\S]*?\n\n/, (text) =>
    text.replaceAll('131.50', '130.50'),
  )
  const csv = hledger(broken, '-I', 'print', '-O', 'csv')
  assert.ok(codes(await findingsOf(files(csv))).includes('opening-not-carried'))
})

const TWO = print(OPENING, SALE, '2024-03-01 Food; expenses:food  7.25; liabilities:card  -7.25')
const body = TWO.slice(TWO.indexOf('\n') + 1)

for (const [what, again] of [
  ['with its header', TWO],
  ['without its header', body],
] as const)
  test(`an export of hledger appended to itself ${what} is refused: its numbers are unique`, () =>
    checkWith(files(TWO + again), ({ result }) => {
      const found = only(result.findings, 'entry-repeated')
      assert.is(found.severity, 'error')
      assert.match(found.message, '3 transactions stand twice in this file')
      assert.match(found.message, 'in row 2')
    }))

test('exports of two years that were joined, each with its header and its numbers from 1, are read', () =>
  buildWith(files(TWO + print('2025-02-05 Sale; assets:bank  60.00; income:sales  -60.00')), (built) => {
    assert.equal(codes(built.result.findings), [])
  }))

const beancount = (...days: string[]) =>
  days.map((day) => `${day},,Fare,Expenses:Travel,2.50,USD\n${day},,Fare,Assets:Bank,-2.50,USD\n`).join('')
const BEANCOUNT = 'date,payee,narration,account,amount,currency\n'

test('without numbers a repetition is a question: several in a row, or all of a file', async () => {
  const once = beancount('2024-01-05', '2024-01-06', '2024-01-07')
  const other = beancount('2024-01-08')
  const told = async (text: string) => {
    const findings = await findingsOf(files(BEANCOUNT + text))
    return findings
      .filter(({ code }) => code === 'entry-repeated')
      .map(({ severity, row }) => [severity, row])
  }
  assert.equal(await told(once + once), [['warning', 8]])
  assert.equal(await told(once + other + once), [['warning', 10]])
  assert.equal(await told(other + other), [['warning', 4]])
  // Two fares of one day are two fares.
  assert.equal(await told(once + beancount('2024-01-07') + other), [])
})

test('the transactions of one file in another, under other line ends, are a question', async () => {
  const findings = await findingsOf({
    ...files(BEANCOUNT + beancount('2024-01-05', '2024-01-06')),
    'copy.journal.csv': (BEANCOUNT + beancount('2024-01-05', '2024-01-06')).replaceAll('\n', '\r\n'),
  })
  const found = only(findings, 'entry-repeated')
  assert.equal([found.severity, found.file], ['warning', 'copy.journal.csv'])
  assert.match(found.message, 'books.journal.csv, row 2')
})
