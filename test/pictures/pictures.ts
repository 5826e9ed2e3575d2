/**
 * `npm run pictures [-- company…]`: takes pictures of what people look at, of the companies that come with the program and of odd ones:
 * every page of the report, wide and narrow, light and dark, on paper, and the board pack as LibreOffice prints it. They lie in
 * `test/output/pages/`. Nothing compares them: whoever changes a page looks at them.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { BrowserContext } from 'playwright-core'
import { build } from '../../builder/build/build.ts'
import { exportPack } from '../../builder/report/export/pack.ts'
import { printReport } from '../../builder/report/print.ts'
import { writeReport } from '../../builder/report/write.ts'
import { membersOf } from '../../builder/workspace/group-order.ts'
import { openWorkspace, type Workspace } from '../../builder/workspace/workspace.ts'
import { missing, openWindow, pictureAt } from '../support/chromium.ts'
import { COMPANY, inWorkspace } from '../support/workspace.ts'
import { ODD_COMPANIES } from './odd-companies.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SAMPLES = ['harbor', 'lakeside', 'nordvik', 'harbor-group']
const WHOLE = { snapshotId: null, month: null } as const

/** Width of the window and colours: every page is seen the first way, overview and profit and loss in all of them. */
const LOOKS = [
  { width: 1600, colorScheme: 'light' },
  { width: 800, colorScheme: 'light' },
  { width: 360, colorScheme: 'light' },
  { width: 1600, colorScheme: 'dark' },
] as const
const SEEN_IN_ALL = /^accrual\/all\/(index|profit-loss)\.html$/

/** One page of each kind: of the whole company, of the first class and of the first account. */
function pagesToShow(folder: string): string[] {
  const all = (readdirSync(folder, { recursive: true }) as string[])
    .filter((path) => path.endsWith('.html'))
    .sort()
  const first = (kind: RegExp) => all.filter((path) => kind.test(path)).slice(0, 1)
  return [
    ...all.filter((path) => /^(accrual\/all\/[^/]+|[^/]+)\.html$/.test(path) && path !== 'index.html'),
    ...first(/^accrual\/class-.*\/profit-loss\.html$/),
    ...first(/^accrual\/all\/accounts\//),
  ]
}

async function takePages(context: BrowserContext, name: string, folder: string): Promise<void> {
  const page = await context.newPage()
  for (const path of pagesToShow(folder))
    for (const { width, colorScheme } of SEEN_IN_ALL.test(path) ? LOOKS : LOOKS.slice(0, 1)) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await page.goto(pathToFileURL(join(folder, path)).href)
      const picture = `${name}-${path.replace(/\.html$/, '').replaceAll('/', '-')}-${width}-${colorScheme}`
      await page.screenshot({ path: pictureAt(picture), fullPage: true })
    }
  await page.close()
}

/** One picture for each sheet of paper, where poppler is installed. */
function takePaper(name: string, pdf: string): void {
  if (spawnSync('pdftoppm', ['-v']).error) say(`no pdftoppm: no pictures of ${name} on paper`)
  else execFileSync('pdftoppm', ['-r', '60', '-png', pdf, pictureAt(name).replace(/\.png$/, '')])
}

async function takePack(name: string, workspace: Workspace, company: string, folder: string): Promise<void> {
  if (spawnSync('soffice', ['--version']).error) return say('no LibreOffice: no pictures of board packs')
  const to = join(folder, 'pack.xlsx')
  const choice = { basis: null, budgetId: null, classId: null, departmentId: null, cents: false }
  const { findings } = await exportPack(workspace.snapshots, {
    company,
    ...WHOLE,
    ...choice,
    to,
    software: 'pictures',
  })
  if (findings) throw new Error(JSON.stringify(findings))
  execFileSync('soffice', [
    `-env:UserInstallation=${pathToFileURL(join(folder, 'office')).href}`,
    ...['--headless', '--convert-to', 'pdf', '--outdir', folder, to],
  ])
  takePaper(`${name}-pack`, join(folder, 'pack.pdf'))
}

async function take(
  context: BrowserContext,
  name: string,
  workspace: Workspace,
  company: string,
): Promise<void> {
  say(`${name} …`)
  const built = await build(workspace, company, { publish: true })
  if (built.outcome !== 'published') throw new Error(`${name}: ${JSON.stringify(built.findings)}`)
  const folder = mkdtempSync(join(tmpdir(), 'tieout-pictures-'))
  try {
    await writeReport(workspace.snapshots, { company, ...WHOLE, to: join(folder, 'report') })
    await takePages(context, name, join(folder, 'report'))
    const pdf = join(folder, 'paper.pdf')
    await printReport(workspace.snapshots, { company, ...WHOLE, basis: null, to: pdf })
    takePaper(`${name}-paper`, pdf)
    await takePack(name, workspace, company, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const say = (text: string): void => void process.stderr.write(`${text}\n`)

if (missing) {
  say(missing)
  process.exit(1)
}
const asked = process.argv.slice(2)
const isAsked = (name: string) => asked.length === 0 || asked.includes(name)
mkdirSync(dirname(pictureAt('any')), { recursive: true })
const { context, close } = await openWindow()
try {
  const root = mkdtempSync(join(tmpdir(), 'tieout-pictures-'))
  const samples = { ...openWorkspace(ROOT), root, snapshots: join(root, 'snapshots') }
  for (const company of SAMPLES.filter(isAsked)) {
    for (const member of membersOf(samples, company)) await build(samples, member, { publish: true })
    await take(context, company, samples, company)
  }
  rmSync(root, { recursive: true, force: true })
  for (const [what, files] of Object.entries(ODD_COMPANIES)) {
    const name = what.replaceAll(' ', '-')
    if (isAsked(name)) await inWorkspace(files, (workspace) => take(context, name, workspace, COMPANY))
  }
} finally {
  await close()
}
