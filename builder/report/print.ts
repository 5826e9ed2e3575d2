/** Prints a report as PDF with an installed browser of the Chromium family: the same pages, on paper. */
import { execFile } from 'node:child_process'
import { accessSync, constants, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Basis } from '../contract/vocabulary.ts'
import { basisOf, type Resolved } from '../inspect/inspect.ts'
import { writeOutput } from '../system/output.ts'
import { PlaceError } from '../system/refusals.ts'
import { scratchFolder } from '../system/scratch-folder.ts'
import { PAPER, type Paper, paperFiles } from './pages/paper.ts'
import { openReport } from './report.ts'

interface PrintRequest {
  readonly company: string
  readonly snapshotId: string | null
  /** `YYYY-MM`; null for the last month of the books. */
  readonly month: string | null
  /** Null for the first basis of the books. */
  readonly basis: Basis | null
  /** A file that is not there yet. */
  readonly to: string
}

export interface PrintedReport {
  readonly company: string
  readonly snapshotId: string
  readonly month: string
  readonly basis: Basis
  readonly file: string
  readonly bytes: number
}

/** Prints the statements of one basis. Throws {@link PlaceError} where there is no browser, or the file cannot be written. */
export async function printReport(root: string, request: PrintRequest): Promise<Resolved<PrintedReport>> {
  const { company, to } = request
  const opened = await openReport(root, request)
  if (opened.findings) return opened
  const { snapshot, source, month } = opened.value
  const basis = basisOf(source.frame, { basis: request.basis, budgetId: null })
  await printPaper({ source, snapshot, month, basis }, to)
  return {
    value: { company, snapshotId: snapshot.id, month, basis, file: to, bytes: statSync(to).size },
  }
}

/** Prints a document; where `signal` aborts, the browser is ended. Throws {@link PlaceError} as {@link printReport} does. */
export async function printPaper(paper: Paper, to: string, signal?: AbortSignal): Promise<void> {
  const browser = findBrowser()
  const scratch = scratchFolder('print')
  const folder = scratch.path
  try {
    for (const [path, text] of await paperFiles(paper)) writeFileSync(join(folder, path), text)
    await writeOutput(to, 'file', (staged) => printed(browser, join(folder, PAPER), staged, folder, signal))
  } finally {
    scratch.remove()
  }
}

/** Program names that are looked for on the path, and the usual places on macOS and Windows. */
const BROWSERS: readonly string[] = [
  ...[
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    'microsoft-edge',
    'brave-browser',
  ],
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

export function hasBrowser(): boolean {
  try {
    return findBrowser() !== ''
  } catch (problem) {
    if (problem instanceof PlaceError) return false
    throw problem
  }
}

/** Finds the browser that CHROMIUM names, else the first one that is installed. */
export function findBrowser(): string {
  const named = process.env.CHROMIUM
  const places = (named === undefined ? BROWSERS : [named]).flatMap((name) =>
    isAbsolute(name)
      ? [name]
      : (process.env.PATH ?? '')
          .split(delimiter)
          .filter((folder) => folder !== '')
          .map((folder) => join(folder, name)),
  )
  const found = places.find(isProgram)
  if (found !== undefined) return found
  throw new PlaceError(
    named === undefined
      ? 'no browser of the Chromium family was found, which prints the PDF: install Chromium, Chrome or Edge, or name one in the environment as CHROMIUM; or open the report ("tieout open") and print it there'
      : `CHROMIUM names ${named}, which is not a program`,
  )
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

const MOST_MILLISECONDS = 120_000
/** The browser has a socket among its temporary files, whose path may have about a hundred characters. */
const LONGEST_FOLDER = 60

async function printed(
  browser: string,
  page: string,
  to: string,
  profile: string,
  signal?: AbortSignal,
): Promise<void> {
  const args = [
    '--headless',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    '--no-pdf-header-footer',
    // Bookmarks, by the headings of the document.
    '--generate-pdf-document-outline',
    `--user-data-dir=${join(profile, 'profile')}`,
    // Chromium refuses its sandbox to root. The page has no script and loads nothing but its style sheet.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    `--print-to-pdf=${to}`,
    pathToFileURL(page).href,
  ]
  const env = tmpdir().length > LONGEST_FOLDER ? { ...process.env, TMPDIR: '/tmp' } : process.env
  const limits = { env, timeout: MOST_MILLISECONDS, ...(signal && { signal }) }
  const output = await promisify(execFile)(browser, args, limits).catch(
    (problem: Error & { stderr?: string }) => ({ stderr: problem.stderr ?? problem.message }),
  )
  if (!statSync(to, { throwIfNoEntry: false })?.size)
    throw new PlaceError(
      `${browser} printed nothing: ${output.stderr.trim().split('\n').at(-1) ?? ''}. Open the report ("tieout open") and print it there`,
    )
}
