/**
 * `test/ingest/corpus/<parser>/seed`: a small company that builds. `…/found/<case>`: files that once were a problem, to be
 * laid over the seed. A folder whose name ends with `.xlsx` is the parts of a workbook.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { storedZip } from '../../support/stored-zip.ts'

const ROOT = fileURLToPath(new URL('../corpus', import.meta.url))

/** Path relative to the company's folder → bytes; the parts of a workbook are files in it, `ledger.xlsx/xl/workbook.xml`. */
export type Parts = Readonly<Record<string, Buffer>>

function partsIn(folder: string): Parts {
  if (!existsSync(folder)) return {}
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [relative(folder, path).replaceAll('\\', '/'), readFileSync(path)]),
  )
}

export const parsers = (): string[] => readdirSync(ROOT).sort()
export const seedOf = (parser: string): Parts => partsIn(posix.join(ROOT, parser, 'seed'))

/** By name of the case: the seed with its files laid over. */
export function foundOf(parser: string): Readonly<Record<string, Parts>> {
  const folder = posix.join(ROOT, parser, 'found')
  if (!existsSync(folder)) return {}
  return Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name, { ...seedOf(parser), ...partsIn(posix.join(folder, name)) }]),
  )
}

const BOOK = /^(.*?\.xlsx)\/(.*)$/

/** The files of the company's folder: workbooks packed. */
export function packed(parts: Parts): Record<string, Buffer> {
  const files: Record<string, Buffer> = {}
  const books = new Map<string, Record<string, Buffer>>()
  for (const [path, bytes] of Object.entries(parts)) {
    const inBook = BOOK.exec(path)
    if (inBook === null) files[path] = bytes
    else books.set(inBook[1]!, { ...books.get(inBook[1]!), [inBook[2]!]: bytes })
  }
  for (const [path, entries] of books) files[path] = storedZip(entries)
  return files
}
