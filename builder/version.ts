/** The version of this program, as its package says; the manifest of every snapshot names it. */
import { existsSync, readFileSync } from 'node:fs'

/** Beside the sources, or one folder further up from the compiled twin. */
const file = ['../package.json', '../../package.json']
  .map((path) => new URL(path, import.meta.url))
  .find((url) => existsSync(url))!

export const VERSION: string = (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version

/** What archives say that they were made by. */
export const SOFTWARE = `Tieout ${VERSION}`
