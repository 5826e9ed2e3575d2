/** Real Chromium, where there is one: the Debian package, or what CHROMIUM names. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'

const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium'
const OUTPUT = fileURLToPath(new URL('../output/pages/', import.meta.url))

/** Why tests that need Chromium are skipped; null where it is there. */
export const missing = existsSync(EXECUTABLE)
  ? null
  : `${EXECUTABLE} is not there: install chromium, or name one in CHROMIUM`

export interface Window {
  readonly context: BrowserContext
  close(): Promise<void>
}

/** A window of a browser that has never been used. */
export async function openWindow(options: BrowserContextOptions = {}): Promise<Window> {
  const profile = mkdtempSync(join(tmpdir(), 'tieout-chromium-'))
  const context = await chromium.launchPersistentContext(profile, {
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
    viewport: { width: 1100, height: 900 },
    locale: 'en-GB',
    timeout: 60_000,
    ...options,
  })
  return {
    context,
    close: async () => {
      await context.close()
      rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Where pictures are kept for people to look at; no test compares them. */
export function pictureAt(name: string): string {
  mkdirSync(OUTPUT, { recursive: true })
  return join(OUTPUT, `${name}.png`)
}
