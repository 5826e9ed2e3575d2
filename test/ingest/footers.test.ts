/** The last rows of a file that are none: left out with a word where they end before the header does; what may be a torn row is refused. */
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { CHART, checkWith, companyYaml } from '../support/workspace.ts'

const footers = suite('footers')

const FOOTERS = [
  'Total',
  'Grand total:,,10.00',
  'Summe EUR',
  'Generated on 2025-02-01 by Eva',
  'Printed 2/1/2025 4:00 PM, page 1 of 1',
  'Skapad den 1 februari',
  'Total,,,10.00\n\nPrinted on Friday, 2 p.m., by Eva, for Acme, in Oslo, Norway',
]
const TORN = [
  '2',
  'JV-0042',
  '2,2025-01-16,bank',
  'Total Wine & More',
  'Printed Matter AB,2025-01-16',
  'Total,2025-01-16,10.00',
]

type Files = Readonly<Record<string, string>>
const found = (files: Files): Promise<string[]> =>
  checkWith(files, ({ result }) =>
    [...new Set(result.findings.map(({ severity, code, file }) => `${severity} ${code} ${file}`))].sort(),
  )

const plain = (n: number) =>
  `transaction_id,date,account,debit,credit\n${n}1,2025-01-15,bank,5.00,\n${n}1,2025-01-15,sales,,5.00\n`
const sided = (n: number) =>
  `No,Day,Account,Amount,Side\n${n}1,2025-01-15,bank,5.00,D\n${n}1,2025-01-15,sales,5.00,C\n`
const COLUMNS =
  'columns: { transaction_id: No, date: Day, account: Account, amount: Amount, direction: Side }, '

for (const [name, settings, text] of [
  ['ledgers', '', plain],
  ['ledgers with sides', COLUMNS, sided],
] as const) {
  const company = (files: Files) => ({
    ...{ ...files, 'company.yaml': companyYaml(`ledger: [{ ${settings}files: "ledger-*.csv" }]`) },
  })
  const each = (ends: readonly string[]) =>
    company(Object.fromEntries(ends.map((end, n) => [`ledger-${n}.csv`, `${text(n)}${end}\n`])))

  footers(`${name}: a total or who made the file is left out`, async () =>
    assert.equal(
      await found(each(FOOTERS)),
      FOOTERS.map((_, n) => `note line-left-out ledger-${n}.csv`),
    ),
  )

  footers(`${name}: what may be a torn row is refused, and what stands above entries`, async () => {
    const above = text(9).replace('\n', '\nTotal\n')
    const refused = await found({ ...each(TORN), 'ledger-9.csv': above })
    const files = [...TORN.keys(), 9].map((n) => `ledger-${n}.csv`)
    for (const file of files)
      assert.ok(
        refused.some((one) => /^error (malformed-row|column-count) /.test(one) && one.endsWith(file)),
        `${file}: ${refused.join('\n')}`,
      )
  })
}

footers('who made the file, above the header', async () =>
  assert.equal(
    await found({
      'company.yaml': companyYaml(`ledger: [{ ${COLUMNS}files: ledger.csv }]`),
      'ledger.csv': `Generated on 2025-02-01 by Eva\n\n${sided(1)}`,
    }),
    [],
  ),
)

footers('lists and budgets', async () => {
  const files = {
    'ledger.csv': plain(1),
    'chart.csv': CHART,
    'departments.csv': 'id,name\nshop,Shop\n',
    'b.csv': 'account,2025-01,2025-02\nsales,1,2\n',
  }
  const settings = 'departments: departments.csv\nbudgets: [{ id: b, name: B, files: b.csv }]'
  const ending = (end: string) => ({
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [name, `${text}${end}`])),
    'company.yaml': companyYaml(settings),
  })
  assert.equal(await found(ending('Generated on 2025-02-01\n')), [
    'note line-left-out chart.csv',
    'note line-left-out departments.csv',
    'note line-left-out ledger.csv',
  ])
  const refused = await found(ending('new'))
  for (const name of ['chart.csv', 'departments.csv', 'b.csv'])
    assert.ok(refused.includes(`error column-count ${name}`), name)
})
