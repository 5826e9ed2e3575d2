/** Members in other currencies: IAS 21 by hand, and what is said about rates; members that are owned in part, or join and leave. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { follow } from '../cli/transcripts.ts'
import { suite } from '../suite.ts'
import { GROUP, groupYaml, inGroup, isOfSome, memberYaml } from '../support/group.ts'
import {
  type Built,
  buildIn,
  codes,
  type Files,
  ledgerCsv,
  only,
  postings,
  writeFiles,
} from '../support/workspace.ts'

const test = suite('translation')
follow('translation, and members in part or for a while', isOfSome, import.meta.url)

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
