/**
 * `test/ingest/corpus/<parser>/seed`: a small company that builds. `…/found/<case>`: files that once were a problem, to be
 * laid over the seed. A folder whose name ends with `.xlsx` is the parts of a workbook.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { zipEntries } from '../../../builder/ingest/workbook/xlsx.ts'
import { storedZip } from '../../support/stored-zip.ts'

const ROOT = fileURLToPath(new URL('../corpus', import.meta.url))

/** Path relative to the company's folder → bytes; the parts of a workbook are files in it, `ledger.xlsx/xl/workbook.xml`. */
export type Parts = Readonly<Record<string, Buffer>>

export function partsIn(folder: string): Parts {
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

const LEDGERS: Readonly<Record<string, string>> = {
  ads: 'GL_Detail_20250101_20251231.txt',
  'business-central': 'business-central/entries.csv',
  erpnext: 'erpnext/general-ledger.csv',
  fec: '111111111FEC20231231.txt',
  gnucash: 'gnucash/transactions.csv',
  netsuite: 'netsuite/GeneralLedger.csv',
  odoo: 'odoo/general_ledger.csv',
  'plain-text': 'main.journal.csv',
  sage50: 'sage50/gl.csv',
  saft: '2025.xml',
  sie: 'books.se',
  tables: 'ledger.csv',
}
/** The file of a corpus that holds its entries. */
export const ledgerOf = (parser: string): string => LEDGERS[parser] ?? 'gl.csv'

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

/** The workbook that a path lies in, and its part; null where it is a file of its own. */
export function bookOf(path: string): { readonly book: string; readonly part: string } | null {
  const found = /^(.*?\.xlsx)\/(.*)$/.exec(path)
  return found && { book: found[1]!, part: found[2]! }
}

/** The files of the company's folder: workbooks packed. */
export function packed(parts: Parts): Record<string, Buffer> {
  const files: Record<string, Buffer> = {}
  const books = new Map<string, Record<string, Buffer>>()
  for (const [path, bytes] of Object.entries(parts)) {
    const within = bookOf(path)
    if (within === null) files[path] = bytes
    else books.set(within.book, { ...books.get(within.book), [within.part]: bytes })
  }
  for (const [path, entries] of books) files[path] = storedZip(entries)
  return files
}

/** The opposite: workbooks as their parts. */
export async function unpacked(files: Parts): Promise<Parts> {
  const parts: Record<string, Buffer> = {}
  for (const [path, bytes] of Object.entries(files)) {
    if (!path.endsWith('.xlsx')) parts[path] = bytes
    else
      for (const { name, chunks } of await zipEntries(bytes))
        parts[`${path}/${name}`] = await joined(chunks())
  }
  return parts
}

async function joined(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}
