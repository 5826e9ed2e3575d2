/**
 * Hundreds of thousands of figures of a budget, values of metrics and rows of workbooks are built with a heap that could not hold them
 * as objects.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { storedZip } from '../support/stored-zip.ts'
import { writeFiles } from '../support/workspace.ts'
import { inFolder, tieout } from './command.ts'

const memory = suite('memory of figures')

/** The heap of the main thread; the program alone takes 30 MB. */
const HEAP_MB = 75

const ids = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`)
const MEMBERS = { classes: ids('c', 10), departments: ids('d', 10) }
const ACCOUNTS = ids('1', 100)
const MONTHS = Array.from({ length: 12 }, (_, i) => `2025-${String(i + 1).padStart(2, '0')}`)

const list = (all: readonly string[]): string =>
  ['id,name', ...all.map((id) => `${id},Name of ${id}`)].join('\n')
const LEDGER = `transaction_id,date,account,amount
t1,2025-12-31,10,100.00
t1,2025-12-31,bank,-100.00
`
const COMPANY = {
  'chart.csv': [
    'id,name,classification,type',
    'bank,Bank,Asset,Bank',
    ...ACCOUNTS.map((id) => `${id},Account ${id},Expense,`),
  ].join('\n'),
  'classes.csv': list(MEMBERS.classes),
  'departments.csv': list(MEMBERS.departments),
}

/** Builds a company with these files, and returns what the command printed. */
const built = (settings: string, files: Readonly<Record<string, string | Buffer>>): Promise<string> =>
  inFolder(async (cwd) => {
    const folder = join(cwd, 'datasets/large')
    writeFiles(cwd, { 'tieout.yaml': 'datasets: datasets\nsnapshots: snapshots\n' })
    writeFiles(folder, {
      ...COMPANY,
      'company.yaml': `id: large
name: Large
currency: EUR
fiscalMonthEnd: 12
chartOfAccounts: { files: chart.csv }
classes: { files: classes.csv }
departments: { files: departments.csv }
${settings}`,
    })
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
    const { code, out, err } = await tieout(['build', '--workers', '1', '--memory', '1GB'], {
      cwd,
      env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` },
    })
    assert.is(code, 0, `${out}\n${err}`)
    return out
  })

/** A row for each class, department and month. */
const rowsOf = (id: string, months: readonly string[]): string =>
  MEMBERS.classes
    .flatMap((c) =>
      MEMBERS.departments.flatMap((d) => months.map((month, i) => `${id},${c},${d},${month},${i}.25\n`)),
    )
    .join('')

memory('a budget of 120,000 figures, a row for each', async () => {
  const out = await built('ledger: [{ files: l.csv }]\nbudgets: [{ id: plan, name: Plan, files: b.csv }]\n', {
    'l.csv': LEDGER,
    'b.csv': `account,class,department,month,amount\n${ACCOUNTS.map((id) => rowsOf(id, MONTHS)).join('')}`,
  })
  assert.match(out, /published/)
})

memory('90,000 values of metrics', async () => {
  const metrics = ids('m', 15)
  const months = ['2021', '2022', '2023', '2024', '2025'].flatMap((year) =>
    MONTHS.map((month) => `${year}${month.slice(4)}`),
  )
  const out = await built(
    `ledger: [{ files: l.csv }]
nonFinancial:
${metrics.map((id) => `  - { id: ${id}, name: ${id}, aggregation: sum }`).join('\n')}
metrics: [{ files: m.csv }]
`,
    {
      'l.csv': LEDGER,
      'm.csv': `metric,class,department,month,value\n${metrics.map((id) => rowsOf(id, months)).join('')}`,
    },
  )
  assert.match(out, /published/)
})

memory('four workbooks of 20,000 rows', async () => {
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`
  const row = (...cells: readonly string[]) => `<row>${cells.map(cell).join('')}</row>`
  const entry = (book: number, i: number) => {
    const about = [`b${book}-${i}`, '2025-12-31']
    return `${row(...about, '10', '1.00', `what was bought, ${i}`)}${row(...about, 'bank', '-1.00', `paid, ${i}`)}`
  }
  const book = (number: number) =>
    storedZip({
      '[Content_Types].xml': '<Types/>',
      'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="L" r:id="s"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="s" Type="x/worksheet" Target="worksheets/s.xml"/></Relationships>',
      'xl/worksheets/s.xml': `<worksheet><sheetData>${row('transaction_id', 'date', 'account', 'amount', 'memo')}${Array.from(
        { length: 10_000 },
        (_, i) => entry(number, i),
      ).join('')}</sheetData></worksheet>`,
    })
  const out = await built(
    'ledger: [{ files: "l*.xlsx" }]\n',
    Object.fromEntries([1, 2, 3, 4].map((number) => [`l${number}.xlsx`, book(number)])),
  )
  assert.match(out, /80,000/)
})
