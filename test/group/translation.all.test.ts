/** Members in other currencies: IAS 21 by hand, and what is said about rates. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { verifyCompanies } from '../../builder/evidence/verify/verify.ts'
import { suite } from '../suite.ts'
import { GROUP, groupYaml, inGroup, memberYaml } from '../support/group.ts'
import {
  type Built,
  buildIn,
  codes,
  type Files,
  findingsText,
  ledgerCsv,
  only,
  postings,
  writeFiles,
} from '../support/workspace.ts'

const test = suite('translation')

/** Opening net assets 1,000; a result of 200, a contribution of 100 and a dividend of 50 in January. */
const MEMBER: Files = {
  'company.yaml': memberYaml('euro', 'currency: EUR\n'),
  'ledger.csv': ledgerCsv(`
    1 2024-12-02 bank 400.00; 1 2024-12-02 plant 600.00; 1 2024-12-02 capital -1000.00
    2 2025-01-10 debtors 200.00; 2 2025-01-10 sales -200.00
    3 2025-01-12 bank 100.00; 3 2025-01-12 capital -100.00
    4 2025-01-20 drawings 50.00; 4 2025-01-20 bank -50.00`),
}
const RATES = `1 EUR = x USD
currency,month,average,closing
EUR,2024-12,,1.00
EUR,2025-01,1.05,1.10
`
const HISTORICAL = `member,date,account,rate
euro,2025-01-12,capital,1.02
euro,2025-01-20,,1.08
`
/** The group covers 2025 alone, so that what stood at the end of 2024 is its opening. */
const ALPHA: Files = {
  'company.yaml': memberYaml('alpha'),
  'ledger.csv': ledgerCsv('1 2025-01-10 bank 7.00; 1 2025-01-10 capital -7.00'),
}
const SETTINGS =
  'members: [{ company: alpha }, { company: euro }]\nrates: rates.csv\nhistorical: historical.csv'

const inEuros = <T>(group: Files, look: (built: Built) => T | Promise<T>, member = MEMBER): Promise<T> =>
  inGroup({ alpha: ALPHA, euro: member, [GROUP]: group }, async (workspace) => {
    for (const id of ['alpha', 'euro']) await buildIn(workspace, id)
    return look(await buildIn(workspace, GROUP))
  })
const WHOLE: Files = {
  'company.yaml': groupYaml(SETTINGS),
  'rates.csv': RATES,
  'historical.csv': HISTORICAL,
}

test('results are at the average, balances at the closing rate, equity at the rate of its day: the difference is 117', () =>
  inEuros(WHOLE, (built) => {
    assert.equal(codes(built.result.findings), [], findingsText(built.result.findings))
    const of = { classId: 'euro' }
    assert.equal(built.statement('ProfitAndLoss', of).rows, { sales: ['210.00'] })
    const { rows, totals } = built.statement('BalanceSheet', of)
    assert.equal(rows, {
      bank: ['495.00'],
      plant: ['660.00'],
      debtors: ['220.00'],
      capital: ['1102.00'],
      drawings: ['-54.00'],
      'current-year-earnings': ['210.00'],
      'translation-difference': ['117.00'],
    })
    assert.equal(totals.TotalAssets, ['1375.00'])
    // The cash flow has averages, and the difference on cash in a row of its own:
    // 400 × 0.10 + 50 × (1.10 − 1.05) = 42.50 on cash; 3.00 and −1.50 are equity at rates of its days.
    assert.equal(built.statement('CashFlow', of).rows, {
      'net-income': ['210.00'],
      debtors: ['-210.00'],
      capital: ['102.00'],
      drawings: ['-54.00'],
      'translation-difference': ['47.00'],
    })
  }))

test('a translated entry balances by itself, and what rounding leaves of an account is one entry of the month', () => {
  // At 1.0027 each 3.33 is 3.338991, and five of them 16.694955: 16.69, where five times 3.34 would be 16.70.
  const days = ['03', '04', '05', '06', '07']
  const entries = days.map((day) => `${day} 2025-01-${day} rent 3.33; ${day} 2025-01-${day} bank -3.33`)
  const member = { ...MEMBER, 'ledger.csv': ledgerCsv(entries.join('\n')) }
  const rates = '1 EUR = x USD\ncurrency,month,average,closing\nEUR,2024-12,,1\nEUR,2025-01,1.0027,1.0027\n'
  const group = {
    'company.yaml': groupYaml('members: [{ company: alpha }, { company: euro }]\nrates: rates.csv'),
    'rates.csv': rates,
  }
  return inEuros(
    group,
    async (built) => {
      assert.equal(
        (await postings(built, 'transaction_id, account, amount')).filter((line) => line.startsWith('euro')),
        [
          ...days.flatMap((day) => [`euro ${day} bank -3.34`, `euro ${day} rent 3.34`]),
          ...['euro rounding 2025-01 bank 0.01', 'euro rounding 2025-01 rent -0.01'],
        ],
      )
      assert.equal(built.statement('ProfitAndLoss').rows, { rent: ['16.69'] })
    },
    member,
  )
})

test('translated amounts that are too large to be exact are refused as such', () => {
  const ledger = ledgerCsv('1 2025-01-03 bank 9000000000000.03; 1 2025-01-03 sales -9000000000000.03')
  const rates =
    '1 EUR = x USD\ncurrency,month,average,closing\nEUR,2024-12,,1000.7\nEUR,2025-01,1000.1,1000.9\n'
  return inGroup(
    { alpha: ALPHA, euro: { ...MEMBER, 'ledger.csv': ledger }, [GROUP]: { ...WHOLE, 'rates.csv': rates } },
    async (workspace) => {
      for (const id of ['alpha', 'euro']) await buildIn(workspace, id)
      const { findings } = await build(workspace, GROUP, { publish: true })
      assert.equal([...new Set(codes(findings))], ['amount-too-large'], findingsText(findings))
    },
  )
})

test('the pairs of members in two currencies are eliminated in the currency of the group', () => {
  const member: Files = {
    ...MEMBER,
    'ledger.csv': `${MEMBER['ledger.csv']}5,2025-01-25,rent,20.00,,\n5,2025-01-25,creditors,-20.00,,\n`,
  }
  const settings = `${SETTINGS}\nintercompany: intercompany.csv`
  const pairs = 'member,account,with_member,with_account\nalpha,debtors,euro,creditors\n'
  const alpha = `${ALPHA['ledger.csv']}2,2025-01-25,debtors,21.00,,\n2,2025-01-25,sales,-21.00,,\n`
  const group = { ...WHOLE, 'company.yaml': groupYaml(settings), 'intercompany.csv': pairs }
  return inGroup(
    { alpha: { ...ALPHA, 'ledger.csv': alpha }, euro: member, [GROUP]: group },
    async (workspace) => {
      for (const id of ['alpha', 'euro']) await buildIn(workspace, id)
      const built = await buildIn(workspace, GROUP)
      // 20.00 EUR at the closing rate of 1.10 are 22.00: a dollar of exchange difference is still to be booked.
      assert.match(
        only(built.result.findings, 'intercompany-difference').message,
        /in 2025-01 21\.00 and -22\.00, -1\.00 apart$/,
      )
      const { rows } = built.statement('BalanceSheet', { classId: 'eliminations' })
      assert.equal([rows.debtors, rows.creditors], [['-21.00'], ['-21.00']])
    },
  )
})

test('rates are given the other way round as well, and a member of a member is translated once more', () =>
  inGroup(
    {
      alpha: ALPHA,
      euro: MEMBER,
      sub: {
        ...WHOLE,
        'company.yaml': groupYaml(SETTINGS).replaceAll(GROUP, 'sub'),
        'rates.csv': '1 USD = x EUR\ncurrency,month,average,closing\nEUR,2024-12,,1\nEUR,2025-01,0.8,0.5\n',
      },
      [GROUP]: {
        'company.yaml': groupYaml('members: [{ company: sub }]\nrates: rates.csv').replace('USD', 'JPY'),
        'rates.csv': '1 USD = x JPY\ncurrency,month,average,closing\nUSD,2024-12,,150\nUSD,2025-01,150,160\n',
      },
    },
    async (workspace) => {
      for (const id of ['alpha', 'euro', 'sub']) await buildIn(workspace, id)
      const sub = (await buildIn(workspace, 'sub')).statement('BalanceSheet', { classId: 'euro' })
      assert.equal(sub.rows.debtors, ['400.00'])
      assert.equal(sub.rows['current-year-earnings'], ['250.00'])
      const built = await buildIn(workspace, GROUP)
      assert.equal(built.statement('BalanceSheet').rows.debtors, ['64000'])
      assert.equal(built.statement('ProfitAndLoss').totals.NetIncome, ['37500'])
      // What the sub group translates is on no cash flow of the group either.
      assert.is(built.statement('CashFlow').rows.plant, undefined)
      const { companies } = await verifyCompanies(workspace.snapshots, ['sub', GROUP], {
        figures: true,
        known: null,
      })
      assert.equal(
        companies.flatMap(({ damages }) => damages.map(({ message }) => message)),
        [],
      )
    },
  ))

test('rates that are missing, unreadable, doubtful or of no stated direction are said', () =>
  inGroup({ alpha: ALPHA, euro: MEMBER, [GROUP]: WHOLE }, async (workspace) => {
    for (const id of ['alpha', 'euro']) await buildIn(workspace, id)
    /** What is found where the group has these rates. */
    const saidOf = async (rates: string | null, settings = SETTINGS) => {
      const folder = join(workspace.datasets, GROUP)
      writeFiles(folder, { 'company.yaml': groupYaml(settings), 'rates.csv': rates ?? '' })
      if (rates === null) rmSync(join(folder, 'rates.csv'))
      return (await build(workspace, GROUP, { publish: false })).findings
    }
    const table = (rows: string, head = '1 EUR = x USD') =>
      `${head}\ncurrency,month,average,closing\n${rows}\n`
    assert.equal(codes(await saidOf(null, 'members: [{ company: alpha }, { company: euro }]')), [
      'group-currency',
    ])
    const missing = only(await saidOf(table('EUR,2025-01,,1.10')), 'group-rate-missing')
    assert.is(missing.message, 'EUR of euro lacks rates of 2024-12, 2025-01')
    const unread = await saidOf(table('EUR,2024-12,,1\nEUR,2025-01,1.05,"1,10"'))
    assert.is(only(unread, 'group-rate-unreadable').row, 4)
    const twice = await saidOf(table('EUR,2024-12,,1\nEUR,2024-12,,1\nEUR,2025-01,1.05,1.10'))
    assert.is(only(twice, 'group-rate-unreadable').message, 'EUR has two rows of 2024-12')
    writeFiles(join(workspace.datasets, GROUP), {
      'historical.csv': `${HISTORICAL}euro,2025-01-12,capital,1.03\n`,
    })
    const ofDay = only(await saidOf(RATES), 'group-rate-unreadable')
    assert.is(`${ofDay.row} ${ofDay.message}`, '4 euro has two rows of 2025-01-12, capital')
    writeFiles(join(workspace.datasets, GROUP), { 'historical.csv': HISTORICAL })
    const noHead = await saidOf('currency,month,average,closing\nEUR,2024-12,,1\nEUR,2025-01,1.05,1.10\n')
    assert.equal(codes(noHead), ['group-rate-direction'])
    const jump = await saidOf(table('EUR,2024-12,,1\nEUR,2025-01,1.05,10.11'))
    assert.equal(codes(jump), ['group-rate-jump'])
    const average = await saidOf(
      table('EUR,2024-12,,1\nEUR,2025-01,1.05,1.10'),
      SETTINGS.replace('\nhistorical: historical.csv', ''),
    )
    assert.match(only(average, 'group-equity-average').message, /^euro: 2 postings on equity .* 2025-01-12/)
    writeFiles(join(workspace.datasets, 'euro'), { 'company.yaml': memberYaml('euro', 'currency: TRY\n') })
    await buildIn(workspace, 'euro')
    const lira = await saidOf(table('TRY,2024-12,,1\nTRY,2025-01,1.05,1.10', '1 TRY = x USD'))
    assert.equal(codes(lira), ['group-hyperinflation'])
  }))
