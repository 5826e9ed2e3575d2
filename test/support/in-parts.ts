/** Reads files of one format as a whole, and in parts: by this process in the place of threads, or by threads. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import type { SourceFile } from '../../builder/ingest/format/format.ts'
import {
  type Call,
  made,
  PartHands,
  type PartWork,
  type ReadFiles,
} from '../../builder/ingest/format/part-hands.ts'
import { lookAt } from '../../builder/ingest/format/preview.ts'
import { Scratch, scanFile } from '../../builder/ingest/text/scan.ts'
import { type Company, companySchema } from '../../builder/workspace/company.ts'
import { Threads } from '../../builder/workspace/threads.ts'

/** Path → content. */
export type Files = Readonly<Record<string, string | Buffer>>

export const companyOf = (yaml: string): Company => companySchema.parse(parse(yaml)) as Company

/** Does in this process what threads do, on copies as they get them. */
export class Copies<Work extends PartWork> {
  readonly done: (keyof Work)[] = []
  readonly #work: Work
  /** The call of which it fails. */
  fails: keyof Work | null = null

  constructor(work: Work) {
    this.#work = work
  }

  run = async (call: Call<Work>): Promise<unknown> => {
    if (call.name === this.fails) throw new Error('no memory')
    this.done.push(call.name)
    return structuredClone(await made(this.#work, structuredClone(call)))
  }
  close = async (): Promise<void> => {}
}

/** Company and format of a test. */
export class InParts<Work extends PartWork> {
  readonly #read: ReadFiles<Work>
  readonly #work: Work
  readonly #company: Company

  constructor(read: ReadFiles<Work>, work: Work, company: Company) {
    this.#read = read
    this.#work = work
    this.#company = company
  }

  /** The same of another company. */
  of = (company: Company): InParts<Work> => new InParts(this.#read, this.#work, company)

  /** All that is read, with the text of the CSV files in the place of their paths. */
  async reading(files: Files, hands: PartHands<Work> | null): Promise<unknown> {
    const folder = mkdtempSync(join(tmpdir(), 'tieout-parts-'))
    const scratch = new Scratch()
    const [setting] = this.#company.ledger
    assert.ok(setting)
    try {
      const sources: SourceFile[] = []
      for (const [file, content] of Object.entries(files)) {
        const path = join(folder, file)
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, content)
        const scan = await scanFile(path)
        sources.push({ file, path, scan, look: await lookAt(path, file, scan, setting) })
      }
      const content = await this.#read(sources, setting, this.#company, scratch, hands)
      const ledger = content.ledger.map((plan) =>
        plan.kind === 'csv' ? { ...plan, path: readFileSync(plan.path, 'utf8') } : plan,
      )
      return { ...content, ledger }
    } finally {
      await scratch.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  }

  /** What was done of the parts, for each size of parts in bytes; after they gave the same as the whole. */
  async same(files: Files, sizes: readonly number[]): Promise<readonly (keyof Work)[]> {
    const whole = await this.reading(files, null)
    const done: (keyof Work)[] = []
    for (const partBytes of sizes) {
      const copies = new Copies(this.#work)
      const parts = await this.reading(files, new PartHands(copies, { partBytes, atOnce: 3 }))
      assert.equal(parts, whole, `in parts of ${partBytes} bytes`)
      done.push(...copies.done)
    }
    return done
  }

  /** What three threads read, with the loader of this process, is what this one reads. */
  async sameByThreads(module: URL, each: readonly Files[], partBytes: number): Promise<void> {
    const work = { module, name: 'this test', remedy: '', errors: {} }
    const threads = new Threads<Call<Work>, unknown>(work, null, 3, 200 * 1024 ** 2)
    const hands = new PartHands(threads, { partBytes, atOnce: 6 })
    try {
      for (const files of each)
        assert.equal(await this.reading(files, hands), await this.reading(files, null))
    } finally {
      await hands.close()
    }
  }

  /** Where one of those who read fails, the reading ends with its reason. */
  async endsWithReason(files: Files, calls: readonly (keyof Work)[], partBytes: number): Promise<void> {
    for (const call of calls) {
      const failing = new Copies(this.#work)
      failing.fails = call
      const hands = new PartHands(failing, { partBytes, atOnce: 2 })
      const reason = await this.reading(files, hands).catch(({ message }: Error) => message)
      assert.is(reason, 'no memory', String(call))
    }
  }
}
