/** Real Chromium, where there is one: the Debian package, or what CHROMIUM names. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'

const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium'
const OUTPUT = fileURLToPath(new URL('../output/pages/', import.meta.url))

/** Why tests that need Chromium are skipped; null where it is there. */
export const missing = existsSync(EXECUTABLE)
  ? null
  : `${EXECUTABLE} is not there: install chromium, or name one in CHROMIUM`

/** A browser, in which {@link newWindow} opens windows that know nothing of each other. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: EXECUTABLE,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    timeout: 60_000,
  })

export const newWindow = (browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> =>
  browser.newContext({ viewport: { width: 1100, height: 900 }, locale: 'en-GB', ...options })

/** The only window of a browser. */
export async function openWindow(
  options: BrowserContextOptions = {},
): Promise<{ readonly context: BrowserContext; close(): Promise<void> }> {
  const browser = await openBrowser()
  return { context: await newWindow(browser, options), close: () => browser.close() }
}

/** Where pictures are kept for people to look at; no test compares them. */
export function pictureAt(name: string): string {
  mkdirSync(OUTPUT, { recursive: true })
  return join(OUTPUT, `${name}.png`)
}
