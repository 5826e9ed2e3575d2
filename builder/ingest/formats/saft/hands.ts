/**
 * Threads that read SAF-T files, where these are large enough for more than one: small files whole, large ones in parts. What they find
 * does not depend on how many there are.
 */
import { extname } from 'node:path'
import { portionOf } from '../../../workspace/machine.ts'
import { type Hands, type Shared, Threads } from '../../../workspace/threads.ts'
import type { ReadBy, SourceFile } from '../../format/format.ts'
import type { Context } from './entries.ts'
import type { SaftText } from './parse.ts'
import type { FileSurvey, Made, Order, PartContext, PartSurvey, PartToWrite, WrittenPart } from './parts.ts'

const MODULE = new URL(`part-thread${extname(import.meta.url)}`, import.meta.url)
const MB = 1024 ** 2

/** The last part keeps the others waiting, so that it should not be large; a thread has one whole in memory as text. */
const PART = 4 * MB
/** Starting and warming up takes a thread as long as reading so much. */
const WORTH_A_THREAD = 12 * MB

/** Null where this thread does it as fast alone. */
export function saftHands(sources: readonly SourceFile[], by: ReadBy | null): SaftHands | null {
  if (by === null) return null
  const { threads } = portionOf(by.sharing)
  const count = Math.min(threads.count, Math.floor(bytesOf(sources) / WORTH_A_THREAD))
  if (count < 2) return null
  const hands = new Threads<Order, Made>(
    { ...by.purpose, module: MODULE, errors: {} },
    null,
    count,
    threads.bytes,
  )
  return new SaftHands(hands, { partBytes: PART, atOnce: 2 * count })
}

const bytesOf = (sources: readonly SourceFile[]): number =>
  sources.reduce((sum, { scan }) => sum + scan.bytes, 0)

export interface Sizes {
  readonly partBytes: number
  /** How many written parts may be under way or waiting to be taken. */
  readonly atOnce: number
}

export class SaftHands {
  readonly #hands: Hands<Order, Made>
  readonly partBytes: number
  readonly atOnce: number

  constructor(hands: Hands<Order, Made>, { partBytes, atOnce }: Sizes) {
    this.#hands = hands
    this.partBytes = partBytes
    this.atOnce = atOnce
  }

  surveyFile(text: SaftText, context: Context): Promise<FileSurvey> {
    return this.#run({ do: 'survey file', text, context })
  }

  surveyPart(text: SaftText, shared: Shared<PartContext>): Promise<PartSurvey> {
    return this.#run({ do: 'survey part', text, shared })
  }

  write(part: PartToWrite): Promise<WrittenPart> {
    return this.#run({ do: 'write', ...part })
  }

  close(): Promise<void> {
    return this.#hands.close()
  }

  async #run<M extends Made>(order: Order): Promise<M> {
    return (await this.#hands.run(order)) as M
  }
}
