/** `tieout add --member`: a group is proposed from what its members have published, and builds once its rates are filled in. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { addGroup, proposeAccounts } from '../../builder/build/propose-group.ts'
import { datasetFolder } from '../../builder/workspace/workspace.ts'
import { tieout } from '../cli/command.ts'
import { suite } from '../suite.ts'
import { GROUP, inGroup, memberYaml } from '../support/group.ts'
import {
  buildIn,
  codes,
  type Files,
  findingsText,
  ledgerCsv,
  only,
  writeFiles,
} from '../support/workspace.ts'

const test = suite('a group from its members')

const ALPHA: Files = {
  'company.yaml': memberYaml('alpha'),
  'ledger.csv': ledgerCsv(`
    1 2025-01-10 bank 1000.00; 1 2025-01-10 capital -1000.00
    2 2025-02-20 bank 300.00; 2 2025-02-20 sales -300.00`),
}
/** The numbers of alpha, of which 4000 is called otherwise, 2000 is another account, and `cogs` is the id of another. */
const NORD: Files = {
  'company.yaml': memberYaml('nord', 'currency: SEK\n'),
  'chart.csv': `id,number,name,classification,type
KASSA,1000,Bank,Asset,Bank
AK,,Share capital,Equity,Capital
capital,3000,Capital,Equity,Capital
VARA,4000,Varuförsäljning,Income,Sales
SKULD,2000,Skatteskuld,Liability,OtherCurrentLiability
cogs,6100,Frakt,Expense,Expense
`,
  'ledger.csv': ledgerCsv(`
    1 2025-01-11 KASSA 500.00; 1 2025-01-11 capital -500.00
    2 2025-02-15 KASSA 900.00; 2 2025-02-15 VARA -900.00
    3 2025-02-16 cogs 100.00; 3 2025-02-16 SKULD -100.00`),
}

test('chart, maps and a table of rates are proposed; the build says which rates are missing, and then adds up', () =>
  inGroup({ alpha: ALPHA, nord: NORD }, async (workspace) => {
    for (const id of ['alpha', 'nord']) await buildIn(workspace, id)
    const added = await addGroup(workspace, GROUP, ['alpha', 'nord'], {})
    assert.equal([codes(added.findings), added.questions], [[], []])
    const file = (name: string) => join(datasetFolder(workspace, GROUP), name)
    const text = (name: string) => readFileSync(file(name), 'utf8')
    assert.match(text('company.yaml'), /currency: USD # as alpha has it, please check/)
    assert.match(text('company.yaml'), /fiscalMonthEnd: 12 # last month/)
    assert.is(
      text('nord-accounts.csv'),
      'account,group_account\nVARA,sales\ncogs,nord-cogs\n',
      text('chart.csv'),
    )
    assert.match(text('chart.csv'), /^nord-cogs,,Frakt,Expense,Expense,/m)
    assert.match(text('chart.csv'), /^SKULD,,Skatteskuld,/m)
    assert.match(
      added.changes.join('\n'),
      /^chart\.csv: of nord alone are AK Share capital, 2000 Skatteskuld, 6100 Frakt$/m,
    )
    assert.match(added.changes.join('\n'), /4000 Varuförsäljning is 4000 Sales/)
    assert.is(
      text('rates.csv'),
      '1 SEK = x USD\ncurrency,month,average,closing\nSEK,2024-12,,\nSEK,2025-01,,\nSEK,2025-02,,\n',
    )
    const refused = await build(workspace, GROUP, { publish: true })
    assert.is(
      only(refused.findings, 'group-rate-missing').message,
      'SEK of nord lacks rates of 2024-12, 2025-01, 2025-02',
      findingsText(refused.findings),
    )
    assert.is(refused.findings.length, 1, findingsText(refused.findings))
    const filled = text('rates.csv')
      .replace('12,,', '12,,0.1')
      .replace(/(2025-\d\d),,/g, '$1,0.1,0.1')
    writeFileSync(file('rates.csv'), filled)
    const { rows, totals } = (await buildIn(workspace, GROUP)).statement('ProfitAndLoss')
    assert.equal(
      [rows.sales, rows['nord-cogs'], totals.NetIncome],
      [
        ['0.00', '390.00'],
        ['0.00', '10.00'],
        ['0.00', '380.00'],
      ],
    )
  }))

test('what is stated is written; members that are not published are refused, and no file is overwritten', () =>
  inGroup({ alpha: ALPHA, nord: NORD }, async (workspace) => {
    const add = (
      ...of: Parameters<typeof addGroup> extends [unknown, unknown, ...infer Rest] ? Rest : never
    ) => addGroup(workspace, GROUP, ...of)
    const unpublished = await add(['alpha'], {})
    assert.equal(codes(unpublished.findings), ['group-member-unpublished'])
    assert.not(existsSync(datasetFolder(workspace, GROUP)))
    for (const id of ['alpha', 'nord']) await buildIn(workspace, id)
    writeFiles(datasetFolder(workspace, GROUP), { 'chart.csv': 'mine' })
    const refused = await add(['alpha', 'nord'], {})
    assert.equal(codes(refused.findings), ['file-exists'])
    assert.not(existsSync(join(datasetFolder(workspace, GROUP), 'company.yaml')))
    const other = await addGroup(workspace, 'other', ['nord', 'alpha'], { currency: 'SEK', name: 'Others' })
    assert.equal(codes(other.findings), [])
    const text = (name: string) => readFileSync(join(datasetFolder(workspace, 'other'), name), 'utf8')
    assert.match(text('company.yaml'), /name: Others #/)
    assert.match(text('rates.csv'), /^1 USD = x SEK\n/)
    assert.equal(codes((await addGroup(workspace, 'Not An Id', ['alpha'], {})).findings), ['company-id'])
    assert.equal(codes((await add(['../alpha'], {})).findings), ['company-id'])
  }))

test('accounts without a name or a number are never taken for each other', () => {
  const account = (id: string) =>
    ({ id, number: '', name: '', classification: 'Asset', type: 'Bank', isHeader: false }) as const
  const member = (id: string, of: string) => ({ id, frame: { accounts: [account(of)] } })
  const { chart } = proposeAccounts([member('a', 'x'), member('b', 'y')] as never)
  assert.equal(
    chart.map(({ id }) => id),
    ['x', 'y'],
  )
})

test('a number that means another account in the other chart joins nothing, a name does', () => {
  const account = (number: string, name: string) =>
    ({ id: number, number, name, classification: 'Expense', type: 'Expense', isHeader: false }) as const
  const member = (id: string, ...of: readonly (readonly [string, string])[]) => ({
    ...{ id, frame: { accounts: of.map(([number, name]) => account(number, name)) } },
  })
  const one = member('us', ['6110', 'Salaries'], ['6230', 'Health insurance'], ['6570', 'Bank charges'])
  const other = member(
    'se',
    ['6110', 'Kontorsmateriel'],
    ['6230', 'Datakommunikation'],
    ['6571', 'Bank charges'],
  )
  const { chart, added } = proposeAccounts([one, other] as never)
  assert.is(chart.length, 5)
  assert.equal(
    added[1]!.map(({ name }) => name),
    ['Kontorsmateriel', 'Datakommunikation'],
  )
})

test('accounts that a member brings stay below their parents, and parents without any of them are left out', () => {
  const account = (id: string, parentId: string | null = null, isHeader = false) =>
    ({ id, number: '', name: id, classification: 'Expense', type: 'Expense', parentId, isHeader }) as const
  const one = { id: 'us', frame: { accounts: [account('Staff', null, true), account('Wages', 'Staff')] } }
  const accounts = [
    ...[account('Office', 'Premises', true), account('Rent', 'Office'), account('Premises', null, true)],
    ...[account('Staff', null, true), account('Bonus', 'Staff')],
    ...[account('People', null, true), account('Wages', 'People')],
  ]
  const { chart, maps, added } = proposeAccounts([one, { id: 'se', frame: { accounts } }] as never)
  assert.equal(
    chart.map(({ id, parentId }) => [id, parentId]),
    [
      ...[['Staff', null] as const, ['Wages', 'Staff'] as const],
      ...[['Office', 'Premises'] as const, ['Rent', 'Office'] as const, ['Premises', null] as const],
      ['Bonus', 'Staff'],
    ],
  )
  assert.equal(
    [maps, added[1]!.map(({ id }) => id)],
    [
      [[], []],
      ['Rent', 'Bonus'],
    ],
  )
})

test('the command names members or files, and says what is left to do', () =>
  inGroup({ alpha: ALPHA, nord: NORD }, async (workspace) => {
    for (const id of ['alpha', 'nord']) await buildIn(workspace, id)
    const run = (...words: string[]) => tieout(['add', GROUP, ...words], { cwd: workspace.root })
    assert.is((await run()).code, 2)
    assert.is((await run('--member', 'alpha', 'ledger.csv')).code, 2)
    const { code, out } = await run('--member', 'alpha', '--member', 'nord')
    assert.is(code, 3, out)
    assert.match(out, /rates\.csv: fill in the rates of SEK, 2024-12 to 2025-02/)
    assert.match(out, /SEK of nord lacks rates of 2024-12, 2025-01, 2025-02/)
    assert.match(out, /Added, but not ready/)
  }))
