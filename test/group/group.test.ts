/** Groups of companies: mapping, classes, elimination, months, and what is said where members do not fit together. */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { explain } from '../../builder/inspect/explain.ts'
import { snapshotFolder } from '../../builder/snapshot/files/layout.ts'
import type { Manifest } from '../../builder/snapshot/files/manifest.ts'
import { openCurrent } from '../../builder/snapshot/files/open.ts'
import { buildStages } from '../../builder/workspace/group-order.ts'
import { suite } from '../suite.ts'
import { toExplain } from '../support/asked.ts'
import { GROUP, groupYaml, inGroup, memberYaml } from '../support/group.ts'
import {
  buildIn,
  codes,
  type Files,
  findingsText,
  ledgerCsv,
  only as onlyFinding,
  writeFiles,
} from '../support/workspace.ts'

const test = suite('group')

const ALPHA: Files = {
  'company.yaml': memberYaml('alpha'),
  'ledger.csv': ledgerCsv(`
    1 2025-01-10 bank 1000.00; 1 2025-01-10 capital -1000.00
    2 2025-01-20 debtors 300.00; 2 2025-01-20 sales -300.00
    3 2025-02-10 rent 50.00; 3 2025-02-10 bank -50.00`),
}
const BETA: Files = {
  'company.yaml': memberYaml('beta'),
  'ledger.csv': ledgerCsv(`
    1 2025-01-11 bank 500.00; 1 2025-01-11 capital -500.00
    2 2025-01-21 cogs 280.00; 2 2025-01-21 creditors -280.00
    3 2025-02-15 bank 900.00; 3 2025-02-15 sales -900.00`),
}
const MEMBERS = 'members: [{ company: alpha }, { company: beta }]'
const PAIRS = `member,account,with_member,with_account
alpha,debtors,beta,creditors
alpha,sales,beta,cogs
`

test('figures of the members are added up, each in its class, and what they have with each other is eliminated', () =>
  inGroup(
    {
      alpha: ALPHA,
      beta: BETA,
      [GROUP]: {
        'company.yaml': groupYaml(`${MEMBERS}\nintercompany: intercompany.csv`),
        'intercompany.csv': PAIRS,
      },
    },
    async (workspace) => {
      for (const id of ['alpha', 'beta']) await buildIn(workspace, id)
      const built = await buildIn(workspace, GROUP)
      const all = built.statement('ProfitAndLoss')
      assert.equal(all.rows.sales, ['20.00', '900.00'])
      assert.equal(all.rows.rent, ['0.00', '50.00'])
      assert.is(all.rows.cogs, undefined)
      assert.equal(all.totals.NetIncome, ['20.00', '850.00'])
      const of = (classId: string) => built.statement('ProfitAndLoss', { classId }).totals.NetIncome
      assert.equal(of('alpha'), ['300.00', '-50.00'])
      assert.equal(of('beta'), ['-280.00', '900.00'])
      assert.equal(built.statement('ProfitAndLoss', { classId: 'eliminations' }).rows.sales, [
        '-280.00',
        '0.00',
      ])
      const balance = built.statement('BalanceSheet')
      assert.equal(balance.rows.debtors, ['20.00', '20.00'])
      assert.is(balance.rows.creditors, undefined)
      const said = built.result.findings.filter(({ code }) => code === 'intercompany-difference')
      assert.is(said.length, 2, findingsText(built.result.findings))
      assert.is(
        said[0]?.message,
        'alpha 1100 Debtors and beta 2000 Creditors do not agree: in 2025-01 300.00 and -280.00, 20.00 apart; and so in 1 later month',
      )
    },
  ))

/** What is found about a group whose members are built first. */
const findingsOf = (companies: Readonly<Record<string, Files>>, group: Files) =>
  inGroup({ ...companies, [GROUP]: group }, async (workspace) => {
    for (const stage of buildStages(workspace, [GROUP, ...Object.keys(companies)]).slice(0, -1))
      for (const id of stage) await buildIn(workspace, id)
    return (await build(workspace, GROUP, { publish: true })).findings
  })

test('accounts are mapped by a table, else by number and by name; one that is none of the group refuses the build', async () => {
  const other = `id,number,name,classification,type
KASSE,1000,Kasse,Asset,Bank
EK,,Capital,Equity,Capital
UMSATZ,,Umsatz,Income,Sales
`
  const beta: Files = {
    'company.yaml': memberYaml('beta'),
    'chart.csv': other,
    'ledger.csv': ledgerCsv(`
      1 2025-01-11 KASSE 500.00; 1 2025-01-11 EK -500.00
      2 2025-02-15 KASSE 900.00; 2 2025-02-15 UMSATZ -900.00`),
  }
  const found = await findingsOf({ alpha: ALPHA, beta }, { 'company.yaml': groupYaml(MEMBERS) })
  const unmapped = onlyFinding(found, 'group-account-unmapped')
  assert.is(unmapped.message, 'beta: UMSATZ Umsatz has figures and no account of the group')
  const settings = groupYaml('members: [{ company: alpha }, { company: beta, accounts: beta.csv }]')
  const mapped = (row: string) =>
    findingsOf(
      { alpha: ALPHA, beta },
      { 'company.yaml': settings, 'beta.csv': `account,group_account\n${row}\n` },
    )
  assert.equal(await mapped('UMSATZ,4000'), [])
  assert.is(onlyFinding(await mapped('UMSATZ,bank'), 'group-account-kind').text, 'UMSATZ')
  const twice = onlyFinding(await mapped('UMSATZ,4000\nUMSATZ,4000\nUMSATZ,4090'), 'duplicate-id')
  assert.is(
    `${twice.row} ${twice.message}`,
    '4 "UMSATZ" stands for "sales" in one row and for "returns" in another',
  )
  const wrong = (await mapped('UMS,4001')).filter(({ code }) => code === 'unknown-account')
  assert.equal(
    wrong.map(({ message, row }) => `${row} ${message}`),
    ['2 "UMS" is no account of beta', '2 "4001" is no account of the group'],
  )
})

test('a member that has published nothing, or whose snapshot is damaged, refuses the build of the group', () =>
  inGroup(
    { alpha: ALPHA, beta: BETA, [GROUP]: { 'company.yaml': groupYaml(MEMBERS) } },
    async (workspace) => {
      const { snapshotId } = (await buildIn(workspace, 'alpha')).result
      const refused = () => build(workspace, GROUP, { publish: true })
      assert.equal(codes((await refused()).findings), ['group-member-unpublished'])
      await buildIn(workspace, 'beta')
      assert.is((await refused()).outcome, 'published')
      const postings = join(
        snapshotFolder(workspace.snapshots, 'alpha', snapshotId!),
        'books/postings.parquet',
      )
      chmodSync(postings, 0o644)
      writeFileSync(postings, readFileSync(postings).fill(0, 100, 108))
      // That nothing was published since says nothing of its bytes, which only a build reads.
      writeFiles(join(workspace.datasets, GROUP), {
        'company.yaml': groupYaml(MEMBERS, 'words: { class: Company }\n'),
      })
      assert.equal(codes((await refused()).findings), ['group-member-damaged'])
      rmSync(snapshotFolder(workspace.snapshots, 'alpha', snapshotId!), { recursive: true })
      assert.equal(codes((await refused()).findings), ['group-member-damaged'])
    },
  ))

test('the group covers the months that all members have, from a fiscal year of its own; what was before is its opening', () => {
  const settings = memberYaml('beta', 'closing: { transactions: [CLOSE] }\n')
  const july: Files = {
    'company.yaml': settings.replace('fiscalMonthEnd: 12', 'fiscalMonthEnd: 6'),
    'ledger.csv': ledgerCsv(`
      1 2024-07-11 bank 500.00; 1 2024-07-11 capital -500.00
      2 2024-12-21 bank 100.00; 2 2024-12-21 sales -100.00
      3 2025-01-15 bank 30.00; 3 2025-01-15 sales -30.00
      CLOSE 2025-06-30 sales 130.00; CLOSE 2025-06-30 retained -130.00
      5 2025-07-01 bank 7.00; 5 2025-07-01 sales -7.00`),
  }
  return inGroup(
    { alpha: ALPHA, beta: july, [GROUP]: { 'company.yaml': groupYaml(MEMBERS) } },
    async (workspace) => {
      await buildIn(workspace, 'alpha')
      await buildIn(workspace, 'beta')
      const built = await buildIn(workspace, GROUP)
      assert.equal(built.result.coverage, { startDate: '2025-01-01', endDate: '2025-02-28' })
      assert.is(
        onlyFinding(built.result.findings, 'group-member-lags').message.slice(0, 40),
        'alpha is published through 2025-02-28, o',
      )
      assert.equal(built.statement('ProfitAndLoss').rows.sales, ['330.00', '0.00'])
      const balance = built.statement('BalanceSheet', { classId: 'beta' })
      assert.equal(balance.rows.bank, ['630.00', '630.00'])
      assert.equal(balance.rows['prior-years-not-closed'], ['100.00', '100.00'])
    },
  )
})

test('a group is a member of another group, which is built after it', () =>
  inGroup(
    {
      alpha: ALPHA,
      beta: BETA,
      sub: { 'company.yaml': groupYaml(MEMBERS).replaceAll(GROUP, 'sub') },
      [GROUP]: { 'company.yaml': groupYaml('members: [{ company: sub }]') },
    },
    async (workspace) => {
      const stages = buildStages(workspace, [GROUP, 'sub', 'beta', 'alpha'])
      assert.equal(stages, [['beta', 'alpha'], ['sub'], [GROUP]])
      for (const id of stages.flat()) await buildIn(workspace, id)
      const built = await buildIn(workspace, GROUP)
      assert.is(built.result.outcome, 'unchanged')
      assert.equal(built.statement('ProfitAndLoss').totals.NetIncome, ['20.00', '850.00'])
      assert.equal(built.statement('ProfitAndLoss', { classId: 'sub' }).totals.NetIncome, ['20.00', '850.00'])
    },
  ))

test('what a member publishes anew is taken in, but not into months that the group has closed', () =>
  inGroup(
    { alpha: ALPHA, beta: BETA, [GROUP]: { 'company.yaml': groupYaml(MEMBERS, 'lockDate: 2025-01-31\n') } },
    async (workspace) => {
      for (const id of ['alpha', 'beta', GROUP]) await buildIn(workspace, id)
      const again = async (entries: string) => {
        const ledger = `${BETA['ledger.csv']}${ledgerCsv(entries).split('\n').slice(1).join('\n')}`
        writeFiles(join(workspace.datasets, 'beta'), { 'ledger.csv': ledger })
        await buildIn(workspace, 'beta')
        return build(workspace, GROUP, { publish: true })
      }
      assert.is((await again('9 2025-02-20 rent 5.00; 9 2025-02-20 bank -5.00')).outcome, 'published')
      const refused = await again('9 2025-01-20 rent 5.00; 9 2025-01-20 bank -5.00')
      assert.equal(codes(refused.findings), ['after-lock-date', 'closed-month-restated'])
      const stated = await build(workspace, GROUP, { publish: true, restate: 'beta had forgotten its rent' })
      assert.is(stated.outcome, 'published')
    },
  ))

test('the manifest names each member by its snapshot and the hash of its manifest; lines keep no texts of members', () =>
  inGroup(
    {
      alpha: {
        ...ALPHA,
        'ledger.csv': `${ALPHA['ledger.csv']}`
          .replace(/^(.*class,department)$/m, '$1,memo')
          .replace(/^(\d.*)$/gm, '$1,secret'),
      },
      beta: BETA,
      [GROUP]: { 'company.yaml': groupYaml(MEMBERS) },
    },
    async (workspace) => {
      for (const id of ['alpha', 'beta']) await buildIn(workspace, id)
      const built = await buildIn(workspace, GROUP)
      const { Inputs } = JSON.parse(built.read('manifest.json')) as Pick<Manifest, 'Inputs'>
      const alpha = await openCurrent(workspace.snapshots, 'alpha')
      const named = Inputs.find(({ File }) => File === `alpha/${alpha?.id}`)
      assert.equal([named?.Format, named?.ETag, named?.Postings], ['snapshot', alpha?.manifestHash, 6])
      assert.not.ok(built.read('books/postings.parquet').includes('secret'))
      const asked = { company: GROUP, account: 'sales', month: '2025-01', classId: 'alpha' }
      const explained = await explain(workspace.snapshots, toExplain({ ...asked, all: true, sources: true }))
      const [source] = explained.value?.sources ?? []
      const posting = JSON.parse(source?.text ?? '{}') as Record<string, unknown>
      assert.equal([posting.file, posting.row, posting.memo], ['ledger.csv', 5, 'secret'])
      assert.equal(
        explained.value?.lines.map(({ transactionId, file, row }) => [transactionId, file, row]),
        [['alpha 2', `alpha/${alpha?.id}`, 4]],
      )
    },
  ))

test('eliminations by hand are a ledger, whose lines stand in the class that they name', () =>
  inGroup(
    {
      alpha: ALPHA,
      beta: BETA,
      [GROUP]: {
        'company.yaml': groupYaml(`${MEMBERS}\neliminations: eliminations/*.csv`),
        'eliminations/2025.csv': `transaction_id,date,account,debit,credit,member,memo
E1,2025-01-31,capital,500.00,,eliminations,Investment in beta
E1,2025-01-31,bank,,500.00,eliminations,
E2,2025-02-28,sales,100.00,,beta,Unrealised profit
E2,2025-02-28,debtors,,100.00,beta,
`,
      },
    },
    async (workspace) => {
      for (const id of ['alpha', 'beta']) await buildIn(workspace, id)
      const built = await buildIn(workspace, GROUP)
      assert.equal(codes(built.result.findings), [])
      assert.equal(built.statement('BalanceSheet').rows.capital, ['1000.00', '1000.00'])
      assert.equal(built.statement('ProfitAndLoss', { classId: 'beta' }).rows.sales, ['0.00', '800.00'])
    },
  ))
