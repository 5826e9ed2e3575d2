/**
 * The pages of a report, read back by another HTML parser (parse5) and by a browser: every figure is the published one,
 * the text is its rounding, and nothing in the books becomes markup. Chromium judges accessibility (axe-core).
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parse } from 'parse5'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { STYLE_SHEET, STYLE_SHEET_AROUND } from '../../builder/report/pages/places.ts'
import { reportPages } from '../../builder/report/pages/site.ts'
import { renderedFile, renderedReport } from '../../builder/report/rendered.ts'
import { shownStatement } from '../../builder/report/report.ts'
import type { ReportSource } from '../../builder/report/source.ts'
import { openWorkspace, type Workspace } from '../../builder/workspace/workspace.ts'
import { ODD_COMPANIES } from '../pictures/odd-companies.ts'
import { alike } from '../seed.ts'
import { suite } from '../suite.ts'
import { reportOf } from '../support/asked.ts'
import { missing, openWindow } from '../support/chromium.ts'
import { all, attribute, named, textOf } from '../support/elements.ts'
import { inPublished } from '../support/published.ts'
import { CHART, COMPANY, companyYaml, ledgerCsv } from '../support/workspace.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Beside harbor, whose pages are looked at, another sample a day; the group is of harbor and nordvik. */
const SAMPLES = ['harbor', ...alike([['lakeside'], ['nordvik'], ['nordvik', 'harbor-group']]).flat()]

interface At {
  root: string
  workspace: Workspace
  /** By company: what its report is made of, and the pages of it. */
  reports: Map<string, { source: ReportSource; month: string; files: Map<string, string> }>
}

const pages = suite<At>('pages of a report')

pages.before(async (at) => {
  at.root = mkdtempSync(join(tmpdir(), 'tieout-pages-'))
  at.workspace = { ...openWorkspace(ROOT), root: at.root, snapshots: join(at.root, 'snapshots') }
  at.reports = new Map()
  for (const company of SAMPLES) {
    await build(at.workspace, company, { publish: true })
    const { source, month } = await reportOf(at.workspace, company)
    at.reports.set(company, { source, month, files: await reportPages(source, month) })
  }
})
pages.after((at) => rmSync(at.root, { recursive: true, force: true }))

/** All pages as they are opened: path → content. */
async function rendered(workspace: Workspace, company: string): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for await (const { path, content } of renderedReport(await reportOf(workspace, company)))
    files.set(path, content)
  return files
}

/** Rounded to whole units, half away from zero, by arithmetic of this test alone. */
function wholeText(minor: bigint, decimals: number): string {
  const unit = 10n ** BigInt(decimals)
  const size = minor < 0n ? -minor : minor
  const whole = size / unit + (2n * (size % unit) >= unit ? 1n : 0n)
  if (whole === 0n) return '–'
  return `${minor < 0n ? '-' : ''}${whole.toLocaleString('en-US')}`
}

pages(
  'each figure is the one that the statement shows, and its text the rounding of it',
  async ({ workspace, reports }) => {
    let figures = 0
    for (const [company, { source, files }] of reports) {
      const decimals = 2
      for (const [path, text] of files) {
        if (!path.endsWith('.html')) continue
        for (const cell of named(parse(text), 'td')) {
          const minor = attribute(cell, 'data-minor')
          if (minor === undefined) continue
          assert.is(
            // Behind the figure stands whether it is better or worse, or partial.
            textOf(cell).replace(/[▲▼]/, '').trim().replace(/\*$/, ''),
            wholeText(BigInt(minor), decimals),
            `${company} ${path}`,
          )
          figures++
        }
      }
      const scope = { budgetId: null, classId: null, departmentId: null, snapshotId: null, month: null }
      for (const [file, statement] of [
        ['profit-loss', 'ProfitAndLoss'],
        ['balance-sheet', 'BalanceSheet'],
        ['cash-flow', 'CashFlow'],
      ] as const) {
        const basis = source.frame.bases[0]!
        const asked = { company, statement, basis, view: 'month', ...scope } as const
        const { value: shown } = await shownStatement(workspace.snapshots, asked)
        const page = files.get(`${basis.toLowerCase()}/all/${file}.html`)!
        const [table] = named(parse(page), 'table')
        const stated = named(table!, 'tr').map((row) =>
          named(row, 'td').flatMap((cell) => attribute(cell, 'data-minor') ?? []),
        )
        const expected = shown!.lines
          .filter(({ kind }) => kind !== 'heading')
          .map(({ cells }) =>
            cells.filter((cell, i) => cell !== null && shown!.columns[i]!.kind !== 'percent').map(String),
          )
        assert.equal(
          stated.filter((row) => row.length > 0),
          expected.filter((row) => row.length > 0),
          `${company} ${file}`,
        )
      }
    }
    assert.ok(figures > 1_000, `${figures} figures`)
  },
)

pages(
  'no page is larger than 150 kB, and those of a whole company on one basis together not larger than 700 kB',
  ({ reports }) => {
    for (const [company, { files }] of reports) {
      let main = 0
      for (const [path, text] of files) {
        assert.ok(text.length <= 150_000, `${company} ${path}: ${text.length} bytes`)
        if (path.startsWith('accrual/all/')) main += text.length
      }
      assert.ok(main <= 700_000, `${company}: ${main} bytes`)
    }
  },
)

pages(
  'every link leads to a page of the report; nothing is fetched from elsewhere, and no script runs',
  async ({ workspace }) => {
    const files = await rendered(workspace, SAMPLES.at(-1)!)
    for (const [path, text] of files) {
      if (!path.endsWith('.html')) continue
      const document = parse(text)
      assert.is(named(document, 'script').length, 0)
      assert.is(named(document, 'style').length, 0, 'a policy without inline styles holds')
      assert.ok(all(document).every((element) => attribute(element, 'style') === undefined))
      for (const element of [...named(document, 'a'), ...named(document, 'link')]) {
        const href = attribute(element, 'href')!
        if (href.startsWith('#')) continue
        const to = decodeURIComponent(
          new URL(href, `http://report/${path.split('/').map(encodeURIComponent).join('/')}`).pathname,
        )
        assert.ok(files.has(to.slice(1)), `${path} → ${href}`)
      }
    }
  },
)

pages('a company of one month, of losses only, and of five years: pages for each', async () => {
  for (const [what, files] of Object.entries(ODD_COMPANIES))
    await inPublished(files, async (workspace) => {
      const { source, month } = await reportOf(workspace)
      for (const [path, text] of await reportPages(source, month)) {
        assert.not(/NaN|undefined|Infinity/.test(text), `${what} ${path}`)
        if (path.includes('/') && !text.includes('No ratio has a value here.'))
          assert.ok(named(parse(text), 'table').length > 0, `${what} ${path}`)
      }
    })
})

const EVIL = '<script>alert(1)</script><img src=x onerror=alert(2)>"\'&amp;</td></table>'

pages('names of the books never become markup', () =>
  inPublished(
    {
      'company.yaml': companyYaml(`name: ${JSON.stringify(`Acme ${EVIL}`)}\nclasses: classes.csv`),
      'classes.csv': `id,name\n../../evil%2f,"${EVIL.replaceAll('"', '""')}"\n`,
      'chart.csv': CHART.replace('Sales,Income,Sales\n', `"${EVIL.replaceAll('"', '""')}",Income,Sales\n`),
      'ledger.csv': ledgerCsv(
        '1 2025-01-02 bank 10.00 ../../evil%2f; 1 2025-01-02 sales -10.00 ../../evil%2f',
      ),
    },
    async (workspace) => {
      const files = await rendered(workspace, COMPANY)
      for (const [path, text] of files) {
        assert.not(path.includes('..'), path)
        if (!path.endsWith('.html')) continue
        const document = parse(text)
        assert.equal([named(document, 'script').length, named(document, 'img').length], [0, 0], path)
        assert.ok(
          textOf(named(document, path === 'index.html' ? 'h1' : 'header')[0]!).includes(`Acme ${EVIL}`),
        )
      }
      assert.ok(textOf(parse(files.get('accrual/all/profit-loss.html')!)).includes(EVIL))
    },
  ),
)

pages('a chart has its title, its description and a table with the figures that it draws', ({ reports }) => {
  for (const [company, { files }] of reports) {
    const document = parse(files.get('accrual/all/index.html')!)
    const charts = named(document, 'svg').filter((each) => attribute(each, 'class') === 'chart')
    assert.ok(charts.length >= 3, company)
    for (const chart of charts) {
      assert.ok(textOf(named(chart, 'title')[0]!).length > 10)
      assert.ok(textOf(named(chart, 'desc')[0]!).length > 20)
      for (const id of attribute(chart, 'aria-labelledby')!.split(' '))
        assert.is(all(document).filter((element) => attribute(element, 'id') === id).length, 1)
    }
    const tables = named(document, 'details').filter((each) => textOf(each).startsWith('Figures'))
    assert.is(tables.length, charts.length)
    // Income less costs is net income, month by month.
    const [income, costs, net] = named(tables[0]!, 'tr')
      .slice(1)
      .map((row) => named(row, 'td').map((cell) => BigInt(attribute(cell, 'data-minor')!)))
    assert.equal(
      income!.map((each, i) => each - costs![i]!),
      net,
    )
  }
})

pages('equal inputs give equal bytes', async ({ reports }) => {
  const { source, month, files } = reports.get(SAMPLES.at(-1)!)!
  assert.equal([...(await reportPages(source, month))], [...files])
})

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Pages whose colours, dark and on paper, are those of all others. */
const COLOURED = ['accrual/all/index', 'accrual/all/profit-loss']
/** One page of each other kind. Statements by quarter and year, and of one class, have the marks of those by month and of all. */
const KINDS = [
  'accrual/all/profit-loss-by-month',
  'accrual/all/balance-sheet',
  'accrual/all/cash-flow',
  'accrual/all/ratios',
  'accrual/all/metrics',
  'accrual/all/accounts/1011/2025-01',
  'certificate',
  'history',
]
/** Pages whose columns long names and large figures make wide. */
const WIDE = ['accrual/all/index', 'accrual/all/profit-loss', 'accrual/all/profit-loss-by-month']

/** Writes some pages of a report as `tieout report` writes all of them. */
async function writePages(
  workspace: Workspace,
  company: string,
  paths: readonly string[],
  to: string,
): Promise<void> {
  const opened = await reportOf(workspace, company)
  for (const path of [STYLE_SHEET, STYLE_SHEET_AROUND, ...paths.map((path) => `${path}.html`)]) {
    const text = await renderedFile(opened, path, { entries: true, hosts: true })
    assert.ok(text, path)
    mkdirSync(dirname(join(to, path)), { recursive: true })
    writeFileSync(join(to, path), text!)
  }
}

/** How charts and texts have to fit. A sheet of landscape A4 is about 1050 pixels wide. */
const LOOKS = [
  { width: 1050, media: 'print' },
  { width: 1600, media: 'screen' },
  { width: 800, media: 'screen' },
  { width: 360, media: 'screen' },
] as const

if (missing) process.stdout.write(`accessibility of the pages: skipped, ${missing}\n`)
else
  pages(
    'a browser finds nothing inaccessible, in light and dark, on narrow and wide screens and in print',
    async ({ root, workspace }) => {
      const to = join(root, 'report')
      const seen = [...COLOURED, ...alike(KINDS)]
      await writePages(workspace, 'harbor', seen, to)
      const { context, close } = await openWindow()
      try {
        const page = await context.newPage()
        const asked: string[] = []
        page.on('request', (request) => asked.push(request.url()))
        const nothingInaccessible = async (where: string, rules: readonly string[] | null) => {
          const only = rules === null ? {} : { runOnly: rules }
          const options = JSON.stringify({ ...only, resultTypes: ['violations'] })
          const found = await page.evaluate(`axe.run(${options}).then(({ violations }) =>
            violations.map(({ id, nodes }) => id + ': ' + nodes[0]?.html))`)
          assert.equal(found, [], where)
        }
        for (const path of seen) {
          await page.emulateMedia({ colorScheme: 'light', media: 'screen' })
          await page.goto(pathToFileURL(join(to, `${path}.html`)).href)
          await page.evaluate(AXE)
          for (const { width, media } of LOOKS) {
            await page.emulateMedia({ media })
            await page.setViewportSize({ width, height: 900 })
            assert.equal(await page.evaluate(CROSSING_TEXTS), [], `${path} at ${width}: texts of charts`)
            if (media === 'screen') assert.is(await page.evaluate(OVERFLOW), 0, `${path} at ${width}`)
          }
          // The last look, which is the narrowest one.
          await nothingInaccessible(path, null)
          if (COLOURED.includes(path))
            for (const look of [
              { colorScheme: 'dark', media: 'screen' },
              { colorScheme: 'light', media: 'print' },
            ] as const) {
              await page.emulateMedia(look)
              await nothingInaccessible(`${path}, ${look.colorScheme} ${look.media}`, ['color-contrast'])
            }
        }
        assert.ok(
          asked.every((url) => url.startsWith('file://')),
          'nothing is fetched from elsewhere',
        )
      } finally {
        await close()
      }
    },
  )

/** By how many pixels a page is too wide for the window. */
const OVERFLOW = 'Math.max(0, document.documentElement.scrollWidth - window.innerWidth)'

/** Cells whose text is wider than they are, so that it lies across the next one. */
const BROKEN_CELLS = `[...document.querySelectorAll('th, td')].filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent)`

if (!missing)
  pages('long names and many accounts stay in their columns, at every width', async () => {
    const { context, close } = await openWindow()
    try {
      const page = await context.newPage()
      for (const what of ['long members', 'many accounts'])
        await inPublished(ODD_COMPANIES[what]!, async (workspace) => {
          const to = join(workspace.root, 'report')
          await writePages(workspace, COMPANY, WIDE, to)
          for (const path of WIDE) {
            await page.goto(pathToFileURL(join(to, `${path}.html`)).href)
            for (const width of [360, 800, 1600]) {
              await page.setViewportSize({ width, height: 900 })
              assert.equal(await page.evaluate(BROKEN_CELLS), [], `${what}, ${path} at ${width}`)
              assert.is(await page.evaluate(OVERFLOW), 0, `${what}, ${path} at ${width}`)
            }
          }
        })
    } finally {
      await close()
    }
  })

/** Texts of a chart that lie across each other, or outside the drawing. */
const CROSSING_TEXTS = `[...document.querySelectorAll('svg.chart')].flatMap((chart) => {
  const frame = chart.getBoundingClientRect()
  const boxes = [...chart.querySelectorAll('text')].map((text) => [text.textContent, text.getBoundingClientRect()])
  return boxes.flatMap(([name, a], i) => [
    ...(a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1 || a.bottom > frame.bottom + 1 ? [name + ' is outside'] : []),
    ...boxes.slice(i + 1).filter(([, b]) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1).map(([other]) => name + ' × ' + other),
  ])
})`
