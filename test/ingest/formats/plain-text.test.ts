/** Plain-text accounting: what the programs write beyond the plain case, each through a whole build. */

import { execFileSync, spawnSync } from 'node:child_process'
import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'
import { buildWith, codes, findingsOf, only } from '../../support/workspace.ts'

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

cases(test, new URL('cases/plain-text.yaml', import.meta.url))
