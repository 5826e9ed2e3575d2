/** Who reads the parts of large workbooks: threads, which start with the first workbook for which they are worth it. */
import { extname } from 'node:path'
import { portionOf } from '../../workspace/machine.ts'
import { type Hands, type ReadBy, type Shared, Threads } from '../../workspace/threads.ts'
import type { PackedRows, PackedTexts } from './packed-cells.ts'
import type { PartOrder, PartReading } from './parts.ts'
import type { SheetContext } from './sheet.ts'

/** Those who read failed, unlike what they read. The cause is their reason. */
export class ReadersFailed extends Error {}

export interface Sizes {
  /** The last part keeps the others waiting, so that it should not be large. */
  readonly partBytes: number
  /** How many parts may be under way or waiting to be taken. */
  readonly atOnce: number
}

export class PartReaders implements Sizes {
  readonly #hands: Hands<PartOrder, PartReading>
  readonly partBytes: number
  readonly atOnce: number

  constructor(hands: Hands<PartOrder, PartReading>, { partBytes, atOnce }: Sizes) {
    this.#hands = hands
    this.partBytes = partBytes
    this.atOnce = atOnce
  }

  rows(bytes: Buffer, context: Shared<SheetContext>): Promise<PackedRows | null> {
    return this.#read({ bytes: new Uint8Array(bytes), context }) as Promise<PackedRows | null>
  }

  texts(bytes: Buffer): Promise<PackedTexts | null> {
    return this.#read({ bytes: new Uint8Array(bytes), context: null }) as Promise<PackedTexts | null>
  }

  async #read(order: PartOrder): Promise<PartReading> {
    try {
      return await this.#hands.run(order)
    } catch (cause) {
      throw new ReadersFailed('', { cause })
    }
  }
}

const MODULE = new URL(`part-thread${extname(import.meta.url)}`, import.meta.url)

const MB = 1024 ** 2
/** Of unpacked XML. */
const PART_BYTES = 2 * MB
/** Starting and warming up takes a thread as long as reading so many bytes. */
const THREAD_BYTES = 12 * MB

/** Gives each workbook its readers. */
export interface ReaderPool {
  /** Null where a workbook of so many bytes, unpacked, is read by this thread as fast alone. */
  forBytes(bytes: number): PartReaders | null
}

export const NO_READERS: ReaderPool = { forBytes: () => null }

/** A command that has the machine for itself, and reads before it changes anything. */
export const BY_COMMAND: ReadBy = {
  sharing: {},
  purpose: { name: 'this command', remedy: 'Nothing was changed; end other programs, and try again' },
}

/** Threads for all workbooks together, as many as these are large. */
export class ReaderThreads implements ReaderPool {
  #by: ReadBy | null
  #bytes = 0
  #threads: Threads<PartOrder, PartReading> | null = null

  constructor(by: ReadBy | null) {
    this.#by = by
  }

  forBytes(bytes: number): PartReaders | null {
    if (this.#by === null) return null
    this.#bytes += bytes
    const { threads } = portionOf(this.#by.sharing)
    const count = Math.min(threads.count, Math.floor(this.#bytes / THREAD_BYTES))
    if (count < 2) return null
    const work = { ...this.#by.purpose, module: MODULE, errors: {} }
    this.#threads ??= new Threads(work, null, count, threads.bytes)
    this.#threads.atLeast(count)
    return new PartReaders(this.#threads, { partBytes: PART_BYTES, atOnce: 2 * count })
  }

  /** Who goes on reading does so alone. */
  async close(): Promise<void> {
    this.#by = null
    await this.#threads?.close()
  }
}
