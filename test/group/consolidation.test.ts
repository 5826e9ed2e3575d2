/** What is shown of a group: members side by side, what they have with each other, translation by its formula, on the page and in the pack. */
import { join } from 'node:path'
import readWorkbook from 'read-excel-file/node'
import * as assert from 'uvu/assert'
import {
  intercompany,
  type TranslationTable,
  translations,
  worksheets,
} from '../../builder/report/consolidation.ts'
import { exportPack } from '../../builder/report/export/pack.ts'
import { statementPageAt } from '../../builder/report/pages/site.ts'
import { openReport, type ShownStatement } from '../../builder/report/report.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { GROUP, groupYaml, inGroup, memberYaml } from '../support/group.ts'
import { buildIn, type Files, ledgerCsv } from '../support/workspace.ts'

const test = suite('consolidation')

const ZETA: Files = {
  'company.yaml': memberYaml('zeta'),
  'ledger.csv': ledgerCsv(`
    1 2025-01-10 bank 90.00; 1 2025-01-10 sales -90.00
    2 2025-02-10 debtors 50.00; 2 2025-02-10 sales -50.00`),
}
/** It says less of what both have with each other. */
const ALPHA: Files = {
  'company.yaml': memberYaml('alpha'),
  'ledger.csv': ledgerCsv(`
    1 2025-01-10 bank 7.00; 1 2025-01-10 capital -7.00
    2 2025-02-12 rent 48.00; 2 2025-02-12 creditors -48.00`),
}
/** A group with Euro covers January alone. */
const EARLY: Files = {
  'company.yaml': memberYaml('alpha'),
  'ledger.csv': ledgerCsv('1 2025-01-10 bank 7.00; 1 2025-01-10 capital -7.00'),
}
const PAIRS = `member,account,with_member,with_account
zeta,debtors,alpha,creditors
zeta,sales,alpha,rent
`
const TRADING: Files = {
  'company.yaml': groupYaml(
    'members: [{ company: zeta }, { company: alpha }]\nintercompany: intercompany.csv',
  ),
  'intercompany.csv': PAIRS,
}
const EURO: Files = {
  'company.yaml': memberYaml('euro', 'currency: EUR\n'),
  'ledger.csv': ledgerCsv(`
    1 2024-12-02 bank 1000.00; 1 2024-12-02 capital -1000.00
    2 2025-01-10 debtors 200.00; 2 2025-01-10 sales -200.00
    3 2025-01-12 bank 100.00; 3 2025-01-12 capital -100.00
    4 2025-01-20 drawings 50.00; 4 2025-01-20 bank -50.00`),
}
const TRANSLATING: Files = {
  'company.yaml': groupYaml(
    'members: [{ company: alpha }, { company: euro }]\nrates: rates.csv\nhistorical: historical.csv',
  ),
  'rates.csv': '1 EUR = x USD\ncurrency,month,average,closing\nEUR,2024-12,,1.00\nEUR,2025-01,1.05,1.10\n',
  'historical.csv': 'member,date,account,rate\neuro,2025-01-12,capital,1.02\neuro,2025-01-20,,1.08\n',
}

const built = <T>(
  members: Readonly<Record<string, Files>>,
  group: Files,
  look: (at: Workspace) => Promise<T>,
) =>
  inGroup({ ...members, [GROUP]: group }, async (workspace) => {
    for (const id of [...Object.keys(members), GROUP]) await buildIn(workspace, id)
    return look(workspace)
  })

async function sourceIn({ snapshots }: Workspace) {
  const found = await openReport(snapshots, { company: GROUP, snapshotId: null, month: null })
  const { source, month } = found.value!
  const choice = { basis: 'ACCRUAL', month, budgetId: null, classId: null, departmentId: null } as const
  return { source, choice }
}
const titles = ({ columns }: ShownStatement) => columns.map(({ title }) => title)
const cells = (shown: ShownStatement | undefined) =>
  Object.fromEntries(shown!.lines.map(({ label, cells }) => [label, cells]))
const amounts = ({ rows }: TranslationTable) =>
  Object.fromEntries(
    rows.map(({ label, cells }) => [
      label,
      cells.map((cell) => (typeof cell === 'string' ? cell : cell.minor)),
    ]),
  )

test('members stand in the order of the settings, then what is eliminated, then the group, of the month and of the year', () =>
  built({ zeta: ZETA, alpha: ALPHA }, TRADING, async (at) => {
    const { source, choice } = await sourceIn(at)
    const [month, year, position] = await worksheets(source, choice)
    assert.equal(titles(month!), ['Zeta', 'Alpha', 'Eliminations', 'Feb 2025'])
    assert.equal(titles(year!), ['Zeta', 'Alpha', 'Eliminations', 'Jan to Feb 2025'])
    assert.equal(cells(month).Sales, [5000, 0, -4800, 200])
    assert.equal(cells(year).Sales, [14000, 0, -4800, 9200])
    assert.equal(cells(position).Debtors, [5000, 0, -4800, 200])
  }))

test('what both sides agree on is gone from the group, and the difference of a pair stands in its column', () =>
  built({ zeta: ZETA, alpha: ALPHA }, TRADING, async (at) => {
    const { source, choice } = await sourceIn(at)
    const [results, balances] = await intercompany(source, choice)
    // In January Zeta sold to others: an account that holds more than one matter shows that too.
    assert.equal(cells(results)['Sales less Rent']?.at(-1), 9200)
    assert.equal(cells(balances), {
      Debtors: [5000, 0, -4800, 200],
      Creditors: [0, 4800, -4800, 0],
      'Debtors less Creditors': [5000, -4800, 0, 200],
    })
  }))

test('the translation difference of a member is shown by its parts, and is what the balance sheet states', () =>
  built({ alpha: EARLY, euro: EURO }, TRANSLATING, async (at) => {
    const { source, choice } = await sourceIn(at)
    const [formula, byMonth] = await translations(source, choice)
    assert.equal(amounts(formula!), {
      'Opening net assets': [100000, '× 1.00', '× 1.10', 10000],
      Result: [20000, '× 1.05', '× 1.10', 1000],
      'Movements of equity': [5000, 'of its days', '× 1.10', 700],
      Rounding: ['', '', '', 0],
      'Difference of the month': ['', '', '', 11700],
    })
    const { rows } = (await buildIn(at, GROUP)).statement('BalanceSheet', { classId: 'euro' })
    assert.equal(rows['translation-difference'], ['117.00'])
    assert.equal(amounts(byMonth!)['Translation difference on the balance sheet'], [11700])
  }))

test('what others have of a translation difference, and what a member takes with it, stands between its formula and the balance sheet', () =>
  built(
    {
      alpha: {
        ...EARLY,
        'ledger.csv': ledgerCsv(`
          1 2025-01-10 bank 7.00; 1 2025-01-10 capital -7.00; 2 2025-03-10 bank 7.00; 2 2025-03-10 capital -7.00`),
      },
      euro: {
        ...EURO,
        'ledger.csv': ledgerCsv(`
          1 2024-12-02 bank 1000.00; 1 2024-12-02 capital -1000.00; 2 2025-03-02 till 1.00; 2 2025-03-02 bank -1.00`),
      },
    },
    {
      'company.yaml': groupYaml(
        'members: [{ company: alpha }, { company: euro, share: { 2025-01-01: 80, 2025-02-01: 60 }, to: 2025-03-31 }]\nrates: rates.csv',
      ),
      'rates.csv': `1 EUR = x USD
currency,month,average,closing
EUR,2024-12,,1.00
EUR,2025-01,1.10,1.10
EUR,2025-02,1.20,1.20
EUR,2025-03,1.25,1.30
`,
    },
    async (at) => {
      const { source, choice } = await sourceIn(at)
      const [, byMonth] = await translations(source, choice)
      const rows = amounts(byMonth!)
      assert.equal(rows['Difference of the month'], [10000, 10000, 10000])
      // 20 % of 100; then 40 % of 200; then all of it.
      assert.equal(rows['Opening, part of others, or moved to income'], [-2000, -6000, -22000])
      assert.equal(rows['Translation difference on the balance sheet'], [8000, 12000, 0])
    },
  ))

test('the page and the pack of the whole group show all of it, those of one member say why they do not', () =>
  built({ alpha: EARLY, euro: EURO }, TRANSLATING, async (at) => {
    const { source, choice } = await sourceIn(at)
    const edition = { month: choice.month, styleSheet: 'report.css', above: '' }
    const page = (filter: string) => statementPageAt(source, edition, `accrual/${filter}/consolidation.html`)
    const whole = await page('all')
    for (const text of ['<h2>Profit and loss', '<h2>Cash flow', '<h2>Translation', 'data-value="117.00"'])
      assert.ok(whole!.includes(text), text)
    assert.match((await page('class-euro'))!, /Members stand side by side for the whole group alone/)
    const to = join(at.root, 'pack.xlsx')
    const asked = { basis: null, budgetId: null, departmentId: null, snapshotId: null, month: null }
    const pack = async (classId: string | null, to: string) => {
      await exportPack(at.snapshots, {
        ...asked,
        classId,
        company: GROUP,
        to,
        cents: false,
        software: 'test',
      })
      return (await readWorkbook(to))
        .map(({ sheet }) => sheet)
        .filter((name) => /member|Translation/.test(name))
    }
    assert.equal(await pack(null, to), [
      'Profit and loss by member',
      'Balance sheet by member',
      'Cash flow by member',
      'Translation',
    ])
    assert.equal(await pack('euro', join(at.root, 'euro.xlsx')), [])
  }))
