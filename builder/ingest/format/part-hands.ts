/**
 * Threads that read files of a format side by side, large ones in parts, where the files are large enough for more than one thread.
 * What they find must not depend on how many there are. Knows no file format.
 */
import { extname } from 'node:path'
import type { Company, LedgerSetting } from '../../workspace/company.ts'
import { portionOf } from '../../workspace/machine.ts'
import { type Hands, type ReadBy, serveOrders, Threads } from '../../workspace/threads.ts'
import type { Scratch } from '../text/scan.ts'
import type { FormatContent } from './content.ts'
import type { Format, SourceFile } from './format.ts'

/** What can be done with a part of a file, here or in a thread: data in, data out. */
export type PartWork = Readonly<Record<string, (given: never) => Promise<unknown>>>

type Given<Work extends PartWork, Name extends keyof Work> = Parameters<Work[Name]>[0]
type Made<Work extends PartWork, Name extends keyof Work> = Awaited<ReturnType<Work[Name]>>

/** A call of one of the functions. */
export interface Call<Work extends PartWork> {
  readonly name: keyof Work
  readonly given: unknown
}

export interface Sizes {
  /** The last part keeps the others waiting, so that it should not be large; a thread has one whole in memory as text. */
  readonly partBytes: number
  /** How many parts may be under way or waiting to be taken. */
  readonly atOnce: number
}

/** How large the files of a format must be. */
export interface Worth {
  readonly partBytes: number
  /** Starting and warming up takes a thread as long as reading so many bytes. */
  readonly threadBytes: number
  /** With fewer threads this one reads as fast alone; 2 unless said. */
  readonly leastThreads?: number
}

export class PartHands<Work extends PartWork> {
  readonly #hands: Hands<Call<Work>, unknown>
  readonly partBytes: number
  readonly atOnce: number

  constructor(hands: Hands<Call<Work>, unknown>, { partBytes, atOnce }: Sizes) {
    this.#hands = hands
    this.partBytes = partBytes
    this.atOnce = atOnce
  }

  async make<Name extends keyof Work>(name: Name, given: Given<Work, Name>): Promise<Made<Work, Name>> {
    return (await this.#hands.run({ name, given })) as Made<Work, Name>
  }

  close(): Promise<void> {
    return this.#hands.close()
  }
}

/** Reads all files of one ledger entry together, with `hands` if there are any. What is found does not depend on them. */
export type ReadFiles<Work extends PartWork> = (
  sources: readonly SourceFile[],
  setting: LedgerSetting,
  company: Company,
  scratch: Scratch,
  hands: PartHands<Work> | null,
) => Promise<FormatContent>

/** The text of a workbook has some four times the bytes of the file. */
const PACKED = 4

/** Reads with threads where these are worth it; `reader` is the address of a module beside `part-thread`, which serves with {@link serveParts}. */
export const inParts =
  <Work extends PartWork>(reader: string, worth: Worth, read: ReadFiles<Work>): Format['read'] =>
  (sources, setting, company, scratch, by) => {
    const size = sources.reduce((sum, { scan, look }) => sum + scan.bytes * (look.workbook ? PACKED : 1), 0)
    return withHands<Work, FormatContent>(reader, worth, size, by, (hands) =>
      read(sources, setting, company, scratch, hands),
    )
  }

/** Does something with files of so many bytes; `hands` is null where this thread reads them as fast alone. */
export async function withHands<Work extends PartWork, Result>(
  reader: string,
  worth: Worth,
  size: number,
  by: ReadBy | null,
  use: (hands: PartHands<Work> | null) => Promise<Result>,
): Promise<Result> {
  const hands = partHands<Work>(new URL(`part-thread${extname(reader)}`, reader), worth, size, by)
  try {
    return await use(hands)
  } finally {
    await hands?.close()
  }
}

/** Null where this thread reads the files as fast alone. */
function partHands<Work extends PartWork>(
  module: URL,
  { partBytes, threadBytes, leastThreads = 2 }: Worth,
  size: number,
  by: ReadBy | null,
): PartHands<Work> | null {
  if (by === null) return null
  const { threads } = portionOf(by.sharing)
  const count = Math.min(threads.count, Math.floor(size / threadBytes))
  if (count < leastThreads) return null
  const work = { ...by.purpose, module, errors: {} }
  const hands = new Threads<Call<Work>, unknown>(work, null, count, threads.bytes)
  return new PartHands(hands, { partBytes, atOnce: 2 * count })
}

export const made = <Work extends PartWork>(work: Work, { name, given }: Call<Work>): Promise<unknown> =>
  (work[name] as (given: unknown) => Promise<unknown>)(given)

/** In a thread: does what is asked for. */
export const serveParts = <Work extends PartWork>(work: Work): void =>
  serveOrders<Call<Work>, unknown>((call) => made(work, call))

/** Bytes that a thread handed over, without a copy of them. */
export const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)

/** The bytes of the next parts, in their order. */
export async function* nextBytes(made: AsyncIterator<Uint8Array>, count: number): AsyncGenerator<Buffer> {
  for (let i = 0; i < count; i++) yield bufferOf((await made.next()).value as Uint8Array)
}
