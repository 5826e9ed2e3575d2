/**
 * Real FEC files, through add and build, against figures added up from the files by a few lines that share nothing with
 * the importer: every account at every month's end. Skipped where the sample files are not at hand.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { addCompany } from '../../builder/ingest/add/add.ts'
import { suite } from '../suite.ts'
import { type Built, buildIn, codes, inWorkspace, only } from '../support/workspace.ts'

const SAMPLES = fileURLToPath(new URL('../../../shared/samples/fec/', import.meta.url))
const LONG = '123456789FEC20500930.txt'
const PIPED = '111111111FEC20221231.TXT'
const test = suite('real FEC files')
const check = existsSync(SAMPLES) ? test : test.skip
if (!existsSync(SAMPLES))
  process.stdout.write('the FEC sample files are not at hand: their tests are skipped\n')

/** Adds one file, gives the company its name, and builds. */
const published = (
  file: string,
  settings: string,
  look: (built: Built, yaml: string) => void,
): Promise<void> =>
  inWorkspace({}, async (workspace) => {
    const added = await addCompany(workspace, 'sample', [join(SAMPLES, file)])
    assert.equal(added.findings, [])
    assert.equal(
      added.questions,
      [],
      'all of it is set up; the name is the company id until somebody says another',
    )
    const path = join(workspace.datasets, 'sample', 'company.yaml')
    const yaml = readFileSync(path, 'utf8').replace(/^name: .*$/m, 'name: Sample')
    writeFileSync(path, yaml + settings)
    look(await buildIn(workspace, 'sample'), yaml)
  })

/** Hundredths, debit positive, by account and month; and which lines are brought forward. */
function linesOf(file: string) {
  const [header, ...lines] = readFileSync(join(SAMPLES, file), 'latin1').split(/[\r\n]+/)
  const delimiter = header!.includes('\t') ? '\t' : '|'
  const names = header!.split(delimiter)
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const cells = line.split(delimiter).map((cell) => cell.trim())
      const cell = (name: string) => cells[names.indexOf(name)]!
      const hundredths = (name: string) => Number(cell(name).replace(',', ''))
      return {
        account: cell('CompteNum'),
        month: `${cell('EcritureDate').slice(0, 4)}-${cell('EcritureDate').slice(4, 6)}`,
        amount: hundredths('Debit') - hundredths('Credit'),
        isOpening: /^ANO?$/.test(cell('JournalCode')),
      }
    })
}

const cents = (text: string | null | undefined): number => Number((text ?? '0').replace('.', ''))
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const DEBIT = /^[236]|^409|^4[17]|^4456|^4458[36]|^425|^486|^46[25]|^5/

function checkEveryAccount(built: Built, file: string): void {
  const lines = linesOf(file)
  const balances = built.statement('BalanceSheet')
  const results = built.statement('ProfitAndLoss')
  let compared = 0
  for (const account of new Set(lines.map((line) => line.account))) {
    const own = lines.filter((line) => line.account === account)
    const sign = DEBIT.test(account) && !/^419|^477/.test(account) ? 1 : -1
    const isResult = /^[67]/.test(account)
    const { rows, months } = isResult ? results : balances
    for (const [i, month] of months.entries()) {
      const counted = own.filter((line) => (isResult ? line.month === month : line.month <= month))
      const amount = sign * sum(counted.map((line) => line.amount))
      assert.is(cents(rows[account]?.[i]), amount + 0, `${account} ${month}`)
      compared++
    }
  }
  assert.ok(compared > 300)
}

const total = ({ totals }: ReturnType<Built['statement']>, name: string): number =>
  sum(totals[name]!.map(cents))

check('a year of 13 months: every account, the result, cash, and the cash flow', () =>
  published(LONG, '', (built, yaml) => {
    assert.match(yaml, '{ start: 2022-04-01, end: 2023-04-30 } # please check')
    assert.match(yaml, '"411100000": { classification: Asset, type: AccountsReceivable } # CLIENTS')
    const results = built.statement('ProfitAndLoss')
    assert.is(results.months.length, 13)
    assert.is(total(results, 'NetIncome'), 12623391)
    assert.is(total(results, 'TotalIncome') + total(results, 'TotalOtherIncome'), 123705039)
    const costs = ['TotalCostOfSales', 'TotalExpense', 'TotalOtherExpense']
    assert.is(sum(costs.map((name) => total(results, name))), 111081648)
    const balances = built.statement('BalanceSheet')
    assert.is(balances.rows['current-year-earnings']!.at(-1), '126233.91', 'one fiscal year, not two')
    const cash = built.statement('CashFlow').totals
    assert.is(cash.BeginningCash![0], '62272.46')
    assert.is(cash.EndingCash!.at(-1), '124818.33')
    assert.is(sum(cash.NetChangeInCash!.map(cents)), 12481833 - 6227246)
    checkEveryAccount(built, LONG)
  }),
)

check('letters that most receivables lack: the cash basis is refused with the figure', () =>
  published(LONG, '', ({ result }) => {
    const refused = result.findings.filter(({ code }) => code === 'cash-basis-unlinked')
    assert.match(refused[0]!.message, '128,200.50 of 132,507.26 in receivables')
    assert.is(refused.length, 2)
  }),
)

check('with a raised limit it is derived from the letters, and cash moves as under accrual', () =>
  published(LONG, 'cashBasis: { maxUnlinked: 1000000 }\n', (built) => {
    assert.not.ok(codes(built.result.findings).includes('cash-basis-unlinked'))
    const accrual = built.statement('CashFlow')
    const cash = built.statement('CashFlow', { basis: 'CASH' })
    for (const name of ['BeginningCash', 'NetChangeInCash', 'EndingCash'])
      assert.equal(cash.totals[name], accrual.totals[name])
    assert.is.not(
      total(built.statement('ProfitAndLoss', { basis: 'CASH' }), 'NetIncome'),
      total(built.statement('ProfitAndLoss'), 'NetIncome'),
    )
  }),
)

check('separated by |, padded, amounts with leading zeros, not UTF-8', () =>
  published(PIPED, '', (built) => {
    assert.match(only(built.result.findings, 'fiscal-year-assumed').message, '2023-01-01 to 2023-12-31')
    assert.is(total(built.statement('ProfitAndLoss'), 'NetIncome'), 3647731 - 3775840)
    assert.is(built.statement('CashFlow').totals.EndingCash!.at(-1), '26061.92')
    checkEveryAccount(built, PIPED)
  }),
)
