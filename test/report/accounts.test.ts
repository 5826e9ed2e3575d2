/**
 * The pages of accounts, read back by another HTML parser (parse5): the lines of each month add up to its figure, and that is the
 * one which the statements publish, whichever company; every figure of a statement leads to the month that it is of.
 */
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'parse5'
import * as assert from 'uvu/assert'
import { parse as parseYaml } from 'yaml'
import { currencyDecimals, minorFromJson } from '../../builder/contract/currency.ts'
import { accountLedgers } from '../../builder/report/accounts.ts'
import { accountPagePath } from '../../builder/report/pages/places.ts'
import { renderedReport } from '../../builder/report/rendered.ts'
import type { OpenedReport } from '../../builder/report/report.ts'
import { statementPath } from '../../builder/snapshot/files/layout.ts'
import { datasetFolder } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { reportOf } from '../support/asked.ts'
import { all, attribute, type Element } from '../support/elements.ts'
import { inPublished } from '../support/published.ts'
import { buildIn, CHART, companyYaml, inWorkspace, ledgerCsv } from '../support/workspace.ts'

const GOLDEN = fileURLToPath(new URL('../golden', import.meta.url))

const accounts = suite('pages of accounts')

const minorsOf = (row: Element): number[] =>
  all(row)
    .flatMap((each) => (each.tagName === 'td' ? (attribute(each, 'data-minor') ?? []) : []))
    .map(Number)

interface Month {
  readonly lines: readonly number[]
  readonly amount: number
  readonly balance: number
}

/** Whether the row says that a fiscal year begins inside the month, whose lines go on. */
const beginsYear = (row: Element): boolean =>
  all(row).some(
    ({ childNodes: [text] }) => text && 'value' in text && text.value.startsWith('Fiscal year from'),
  )

/** The months of a page by their anchor, with what the lines between the anchors state. */
function monthsOn(text: string): Map<string, Month> {
  const months = new Map<string, Month>()
  let lines: number[] = []
  for (const row of all(parse(text)).filter(({ tagName }) => tagName === 'tr')) {
    const month = attribute(row, 'id')
    const cells = minorsOf(row)
    const [amount, balance] = cells
    if (month !== undefined) {
      months.set(month, { lines, amount: amount!, balance: balance! })
      lines = []
    } else if (cells.length === 1) lines = beginsYear(row) ? lines : []
    else if (cells.length === 2 && attribute(row, 'class') !== 'aside') lines.push(amount!)
  }
  return months
}

async function filesOf(report: OpenedReport): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for await (const { path, content } of renderedReport(report)) files.set(path, content)
  return files
}

interface Published {
  readonly Periods: readonly { readonly Month: string }[]
  readonly Data: readonly { readonly AccountId: string; readonly Values: readonly number[] }[]
}

/** Gives how many figures were compared. */
async function assertAsPublished(report: OpenedReport, where: string): Promise<number> {
  const { snapshot, source } = report
  const files = await filesOf(report)
  let compared = 0
  for await (const { basis, account, statement, years } of accountLedgers(source)) {
    const scope = { statement, basis, budgetId: null, classId: null, departmentId: null }
    const document: Published = JSON.parse((await snapshot.read(statementPath(scope))).toString('utf8'))
    const row = document.Data.find(({ AccountId }) => AccountId === account.id)
    for (const { start } of years)
      for (const [month, { lines, amount, balance }] of monthsOn(
        files.get(accountPagePath(basis, account.id, start))!,
      )) {
        const at = document.Periods.findIndex(({ Month }) => Month === month)
        const published = minorFromJson(row?.Values[at] ?? 0, currencyDecimals(source.frame.currency))
        const stated = statement === 'ProfitAndLoss' ? amount : balance
        assert.is(stated, published, `${where}: ${basis} ${account.id} ${month}`)
        assert.is(
          lines.reduce((sum, line) => sum + line, 0),
          amount,
          `${where}: the lines of ${basis} ${account.id} ${month}`,
        )
        compared++
      }
  }
  return compared
}

function inGolden(name: string, run: (report: OpenedReport) => Promise<void>): Promise<void> {
  const input = join(GOLDEN, name, 'input')
  const { id } = parseYaml(readFileSync(join(input, 'company.yaml'), 'utf8')) as { id: string }
  return inWorkspace(
    {},
    async (workspace) => {
      cpSync(input, datasetFolder(workspace, id), { recursive: true })
      const { result } = await buildIn(workspace, id)
      assert.is(result.outcome, 'published', JSON.stringify(result.findings))
      await run(await reportOf(workspace, id))
    },
    id,
  )
}

/** The others are refused. */
const COMPANIES = readdirSync(GOLDEN).filter((name) =>
  existsSync(join(GOLDEN, name, 'expected', 'info.json')),
)

for (const name of COMPANIES)
  accounts(`${name}: each month is the published figure, and its lines add up to it`, () =>
    inGolden(name, async (report) => {
      assert.ok((await assertAsPublished(report, name)) > 0)
    }),
  )

accounts('figures of a statement lead to a page that has their month', () =>
  inGolden('april-to-march', async (report) => {
    const files = await filesOf(report)
    let links = 0
    for (const [path, text] of files) {
      if (!/^\w+\/all\/[^/]+\.html$/.test(path)) continue
      for (const cell of all(parse(text)).filter(({ tagName }) => tagName === 'td'))
        for (const link of all(cell).filter(({ tagName }) => tagName === 'a')) {
          const to = new URL(attribute(link, 'href')!, `http://report/${path}`)
          const page = files.get(decodeURIComponent(to.pathname).slice(1))!
          const isThere = to.pathname.includes('/accounts/')
            ? monthsOn(page).has(to.hash.slice(1))
            : page.includes(` id="${decodeURIComponent(to.hash.slice(1))}"`)
          assert.ok(isThere, `${path} → ${to.pathname}${to.hash}`)
          links++
        }
    }
    assert.ok(links > 20, `${links} links`)
  }),
)

accounts(
  'a year of many lines has pages for its months, none of them too large, and no line is left out',
  () => {
    const count = 4000
    const entries = Array.from({ length: count }, (_, i) => {
      const day = i % 3 === 0 ? '2025-02-10' : '2025-03-10'
      return `t${i} ${day} bank 1.25; t${i} ${day} sales -1.25`
    }).join('; ')
    return inPublished(
      { 'company.yaml': companyYaml(), 'chart.csv': CHART, 'ledger.csv': ledgerCsv(entries) },
      async (workspace) => {
        const files = await filesOf(await reportOf(workspace))
        const year = files.get('accrual/all/accounts/bank/2025-01.html')!
        const months = monthsOn(year)
        assert.equal([months.get('2025-02')?.amount, months.get('2025-03')?.balance], [166750, 500000])
        const parts = [...files.keys()].filter((path) =>
          path.startsWith('accrual/all/accounts/bank/2025-01/'),
        )
        assert.ok(parts.length >= 4, parts.join())
        let lines = 0
        for (const path of parts) {
          const text = files.get(path)!
          assert.ok(Buffer.byteLength(text) <= 150_000, `${path}: ${Buffer.byteLength(text)}`)
          lines += all(parse(text)).filter((row) => row.tagName === 'tr' && minorsOf(row).length === 2).length
        }
        assert.is(lines, count)
        for (const link of all(parse(year)).filter(({ tagName }) => tagName === 'a')) {
          const to = new URL(attribute(link, 'href')!, 'http://report/accrual/all/accounts/bank/2025-01.html')
          if (to.hash === '') assert.ok(files.has(to.pathname.slice(1)), to.pathname)
        }
      },
    )
  },
)
