/**
 * Caches what a format's parser made of its files, by the hash of everything it depends on, so that only changed
 * files are parsed again.
 */
import { present } from '../contract/present.ts'
import { type Cache, cacheKey } from '../workspace/cache.ts'
import type { Company, LedgerSetting } from '../workspace/company.ts'
import type { FormatContent } from './format/content.ts'
import type { Format, SourceFile } from './format/format.ts'
import type { LedgerInput, LedgerPlan } from './format/intake.ts'
import { entrySchema } from './parse-cache-schema.ts'
import { type Scratch, scanFile } from './text/scan.ts'

export class ParseCache {
  readonly #cache: Cache
  #unkept: (() => Promise<void>)[] = []

  constructor(cache: Cache) {
    this.#cache = cache
  }

  /** Returns what `format.read` would, from the cache where it has an entry for exactly these files and settings. */
  async read(
    format: Format,
    files: readonly SourceFile[],
    setting: LedgerSetting,
    company: Company,
    scratch: Scratch,
  ): Promise<FormatContent> {
    const sources = files.map(({ file, scan }) => [file, scan.sha256])
    const key = cacheKey(JSON.stringify([format.id, sources, setting, company]))
    const known = await this.#find(key, files, scratch).catch(() => null)
    if (known !== null) return known
    const carried = await format.read(files, setting, company, scratch)
    return this.#hashed(key, files, carried)
  }

  /**
   * Writes the parsed content to the cache. Call it once it is certain that no file changed between its hash and
   * its parsing.
   */
  async keep(): Promise<void> {
    for (const keep of this.#unkept.splice(0)) await keep().catch(() => {})
  }

  async #find(key: string, files: readonly SourceFile[], scratch: Scratch): Promise<FormatContent | null> {
    const text = this.#cache.find(key)
    if (text === null) return null
    const { carried, copies } = entrySchema.parse(JSON.parse(text.toString('utf8')))
    const paths = await Promise.all(
      copies.map(async (hash) => {
        const path = await scratch.file()
        await this.#cache.copyOf(hash, path)
        if ((await scanFile(path)).sha256 !== hash) throw new Error('damaged')
        return path
      }),
    )
    const pathOf = new Map<string, string>([
      ...paths.map((path, i) => [`copy ${i}`, path] as const),
      ...files.map(({ path }, i) => [`source ${i}`, path] as const),
    ])
    return withPlans(carried, (plan) => ({ ...plan, path: present(pathOf.get(plan.path), plan.path) }))
  }

  /** Returns the same content with the hashes of the files in its plans. */
  async #hashed(key: string, files: readonly SourceFile[], carried: FormatContent): Promise<FormatContent> {
    const copies: { readonly hash: string; readonly path: string }[] = []
    const known = new Map(
      files.map(({ path, scan }, i) => [path, { number: `source ${i}`, hash: scan.sha256 }]),
    )
    for (const { path } of carried.ledger.filter((input) => input.kind === 'csv'))
      if (!known.has(path)) {
        const { sha256: hash } = await scanFile(path)
        known.set(path, { number: `copy ${copies.length}`, hash })
        copies.push({ hash, path })
      }
    const kept = (path: string) => present(known.get(path), `hash of ${path}`)
    const hashed = withPlans(carried, (plan) => ({ ...plan, sha256: kept(plan.path).hash }))
    const numbered = withPlans(hashed, (plan) => ({ ...plan, path: kept(plan.path).number }))
    const entry = { carried: numbered, copies: copies.map(({ hash }) => hash) }
    this.#unkept.push(async () => {
      for (const { hash, path } of copies) await this.#cache.keepFile(hash, path)
      this.#cache.keep(key, Buffer.from(JSON.stringify(entry)))
    })
    return hashed
  }
}

const withPlans = (carried: FormatContent, change: (plan: LedgerPlan) => LedgerPlan): FormatContent => ({
  ...carried,
  ledger: carried.ledger.map((input): LedgerInput => (input.kind === 'csv' ? change(input) : input)),
})
