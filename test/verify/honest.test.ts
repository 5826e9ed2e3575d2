/** Companies as they are seldom set up: what their builds publish is verified, without the sources and with them. */
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { suite } from '../suite.ts'
import { buildAll, GROUP, groupYaml, inGroup, memberYaml } from '../support/group.ts'
import { CHART, codes, type Files, ledgerCsv } from '../support/workspace.ts'

const test = suite('honest books')

const verified = (companies: Readonly<Record<string, Files>>): Promise<void> =>
  inGroup(companies, async (workspace) => {
    await buildAll(workspace, Object.keys(companies))
  })

const YEAR = `1 2024-03-10 bank 100.00; 1 2024-03-10 sales -100.00
  2 2024-04-10 rent 40.00; 2 2024-04-10 bank -40.00`

test('a closing account may be a liability, which an income summary closes to', () =>
  verified({
    alpha: {
      'company.yaml': memberYaml('alpha', 'closing: { accounts: [summary, result], transactions: [c1] }\n'),
      'chart.csv': `${CHART}summary,8990,Income summary,OtherExpense,OtherExpense\nresult,2900,Result of the year,Liability,OtherCurrentLiability\n`,
      'ledger.csv': ledgerCsv(`${YEAR}
        c1 2024-12-31 sales 100.00; c1 2024-12-31 rent -40.00; c1 2024-12-31 summary -60.00
        c2 2024-12-31 summary 60.00; c2 2024-12-31 result -60.00
        c3 2025-02-03 result 60.00; c3 2025-02-03 retained -60.00`),
    },
  }))

test('a group may show the interests of others among liabilities, of a member and of a group', () => {
  const alpha = { 'company.yaml': memberYaml('alpha'), 'ledger.csv': ledgerCsv(YEAR) }
  const group = (member: string, id: string) =>
    groupYaml(`members: [{ company: ${member}, share: 80 }]`).replace(/^id: .*/, `id: ${id}`)
  const interests = 'non-controlling-interests,2600,Interests of others,Liability,LongTermLiability\n'
  return verified({
    alpha,
    inner: { 'company.yaml': group('alpha', 'inner') },
    [GROUP]: { 'company.yaml': group('inner', GROUP), 'chart.csv': CHART + interests },
  })
})

test('figures of a budget for an account that is in no statement are not counted', () =>
  verified({
    alpha: {
      'company.yaml': memberYaml('alpha', 'budgets: [{ id: plan, name: Plan, files: plan.csv }]\n'),
      'chart.csv': `${CHART}heads,9000,Headcount,NotInStatements,\n`,
      'ledger.csv': ledgerCsv(YEAR),
      'plan.csv': 'account,2024-03,2024-04\nsales,90.00,90.00\nheads,11,12\n',
    },
  }))

test('the days of a SIE file with a budget and no entries are those of its budget', () => {
  const sie = (year: number, lines: string) =>
    `#FLAGGA 0\n#FORMAT PC8\n#SIETYP 4\n#FNAMN "Exempel AB"\n#RAR 0 ${year}0101 ${year}1231\n#KONTO 1930 "Bank"\n#KONTO 3001 "Sales"\n${lines}`
  return verified({
    alpha: {
      'company.yaml':
        'id: alpha\nname: Alpha\nfiscalMonthEnd: 12\ncurrency: SEK\nledger: [{ files: "*.se" }]\nopening: none\n',
      'a.se': sie(2024, '#VER A 1 20240110 "s"\n{\n#TRANS 1930 {} 20.00\n#TRANS 3001 {} -20.00\n}\n'),
      'b.se': sie(2025, '#PBUDGET 0 202501 3001 {} -14.00\n#PBUDGET 0 202502 3001 {} -10.00\n'),
    },
  })
})

test('a group of which no member has published anything is refused, member by member', () =>
  inGroup(
    { [GROUP]: { 'company.yaml': groupYaml('members: [{ company: alpha }, { company: beta }]') } },
    async (workspace) => {
      const { findings } = await build(workspace, GROUP, { publish: true })
      assert.equal(codes(findings), ['group-member-unpublished', 'group-member-unpublished'])
    },
  ))
