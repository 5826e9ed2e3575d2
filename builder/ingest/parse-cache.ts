/**
 * What the parser of a format made of its files, kept beside the workspace under the hash of all it was made from, so that
 * only what changed is parsed again. Safe to delete, and never trusted: an entry counts only where its bytes have the
 * hashes that its name and its list state. Whatever fails here is as if there were no entry.
 */
import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Company, LedgerSetting } from '../workspace/company.ts'
import type { Carried } from './carried.ts'
import { sha256 } from './files.ts'
import type { Format, SourceFile } from './format.ts'
import type { LedgerInput } from './intake.ts'
import { type Scratch, scanFile } from './scan.ts'

/** Rows that stand in memory would be text of several hundred megabytes. */
const MOST_ROWS = 200_000

interface Entry {
  /** Plans have the number of their copy, or of the source itself, in the place of its path. */
  readonly carried: Carried
  readonly copies: readonly string[]
}

export class ParseCache {
  readonly #folder: string
  readonly #used = new Set<string>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** As `format.read`, from the entry of these very files and settings where there is one. */
  async read(
    format: Format,
    files: readonly SourceFile[],
    setting: LedgerSetting,
    company: Company,
    scratch: Scratch,
  ): Promise<Carried> {
    const sources = files.map(({ file, scan }) => [file, scan.sha256])
    const key = sha256(
      Buffer.from(JSON.stringify([await programHash(), format.id, sources, setting, company])),
    )
    const known = await this.#find(key, files, scratch).catch(() => null)
    if (known !== null) return known
    const carried = await format.read(files, setting, company, scratch)
    await this.#keep(key, files, carried).catch(() => {})
    return carried
  }

  /** Removes the entries that nothing was read from. */
  async prune(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => []))
      if (!this.#used.has(name)) await rm(join(this.#folder, name), { force: true }).catch(() => {})
  }

  async #find(key: string, files: readonly SourceFile[], scratch: Scratch): Promise<Carried | null> {
    const name = (await readdir(this.#folder)).find((each) => each.startsWith(`${key}.`))
    if (name === undefined) return null
    const text = await readFile(join(this.#folder, name))
    if (name !== listName(key, text)) return null
    const { carried, copies } = JSON.parse(text.toString('utf8')) as Entry
    // What is hashed is the copy that will be read: another build may remove or replace the kept one at any time.
    const paths = await Promise.all(
      copies.map(async (hash) => {
        const path = await scratch.file()
        await copyFile(join(this.#folder, hash), path, constants.COPYFILE_FICLONE)
        if ((await scanFile(path)).sha256 !== hash) throw new Error('damaged')
        return path
      }),
    )
    for (const used of [name, ...copies]) this.#used.add(used)
    return withPaths(
      carried,
      (path) => (path.startsWith('copy ') ? paths : files.map((file) => file.path))[at(path)]!,
    )
  }

  async #keep(key: string, files: readonly SourceFile[], carried: Carried): Promise<void> {
    if (carried.ledger.some((input) => input.kind === 'rows' && input.rows.length > MOST_ROWS)) return
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const copies: string[] = []
    const numbers = new Map(files.map(({ path }, i) => [path, `source ${i}`]))
    for (const { path } of carried.ledger.filter((input) => input.kind === 'csv'))
      if (!numbers.has(path)) {
        numbers.set(path, `copy ${copies.length}`)
        const { sha256: hash } = await scanFile(path)
        await this.#place(hash, (to) => copyFile(path, to, constants.COPYFILE_FICLONE))
        copies.push(hash)
      }
    const text = Buffer.from(
      JSON.stringify({ carried: withPaths(carried, (path) => numbers.get(path)!), copies } satisfies Entry),
    )
    await this.#place(listName(key, text), (to) => writeFile(to, text, { mode: 0o600 }))
  }

  /** In one step, so that nobody sees a part of it. */
  async #place(name: string, write: (path: string) => Promise<void>): Promise<void> {
    const path = join(this.#folder, `${name}.${randomUUID()}`)
    try {
      await write(path)
      await rename(path, join(this.#folder, name))
      this.#used.add(name)
    } catch (problem) {
      await rm(path, { force: true })
      throw problem
    }
  }
}

const listName = (key: string, text: Buffer): string => `${key}.${sha256(text)}.json`
const at = (path: string): number => Number(path.split(' ')[1])

const withPaths = (carried: Carried, pathOf: (path: string) => string): Carried => ({
  ...carried,
  ledger: carried.ledger.map(
    (input): LedgerInput => (input.kind === 'csv' ? { ...input, path: pathOf(input.path) } : input),
  ),
})

let program: Promise<string> | undefined

/** Of the code itself: a version may be worked on. */
function programHash(): Promise<string> {
  program ??= hashOfCode(fileURLToPath(new URL('..', import.meta.url)))
  return program
}

async function hashOfCode(folder: string): Promise<string> {
  const hash = createHash('sha256')
  for (const name of (await readdir(folder, { recursive: true })).sort())
    if (/\.[jt]s$/.test(name)) hash.update(`${name}\0`).update(await readFile(join(folder, name)))
  return hash.digest('hex')
}
