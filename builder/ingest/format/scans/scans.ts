/** Scans the files of a ledger: large ones ahead of their turn, by threads, of which one reads a file and another one hashes it. */
import { stat } from 'node:fs/promises'
import { handled } from '../../../workspace/handled.ts'
import type { ReadBy } from '../../../workspace/threads.ts'
import { headOf, type Scan, scanFile } from '../../text/scan.ts'
import { bufferOf, withHands } from '../part-hands.ts'
import type { ScanHands, WORK } from './parts.ts'

const MB = 1024 ** 2
const WORTH = { partBytes: 0, threadBytes: 64 * MB }

/** Calls `use` with scans of these files, which need not exist any more. */
export async function withScans<Result>(
  paths: readonly string[],
  by: ReadBy | null,
  use: (scans: Scans) => Promise<Result>,
): Promise<Result> {
  const sizes = await Promise.all(paths.map(sizeOf))
  const size = sizes.reduce((sum, bytes) => sum + bytes, 0)
  return withHands<typeof WORK, Result>(import.meta.url, WORTH, size, by, (hands) =>
    use(new Scans(paths, hands)),
  )
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

/** Scans of files that are asked for in the order in which they are listed, each once. What is found does not depend on `hands`. */
export class Scans {
  readonly #hands: ScanHands | null
  readonly #paths: readonly string[]
  readonly #places: ReadonlyMap<string, number>
  readonly #begun = new Map<string, Promise<Scan>>()
  #next = 0
  #taken = 0

  constructor(paths: readonly string[], hands: ScanHands | null) {
    this.#hands = hands
    this.#paths = [...new Set(paths)]
    this.#places = new Map(this.#paths.map((path, i) => [path, i]))
  }

  async of(path: string): Promise<Scan> {
    const hands = this.#hands
    if (hands === null) return scanFile(path)
    this.#beginThrough((this.#places.get(path) ?? 0) + hands.atOnce, hands)
    const scan = await (this.#begun.get(path) ?? scanBy(path, hands))
    this.#begun.delete(path)
    // Others need the cores and the memory when all is scanned.
    if (++this.#taken === this.#paths.length) await hands.close()
    return scan
  }

  #beginThrough(end: number, hands: ScanHands): void {
    for (const path of this.#paths.slice(this.#next, end)) {
      this.#begun.set(path, handled(scanBy(path, hands)))
    }
    this.#next = Math.max(this.#next, end)
  }
}

async function scanBy(path: string, hands: ScanHands): Promise<Scan> {
  const [text, sha256] = await Promise.all([hands.make('scan', path), hands.make('hash', path)])
  // A thread gives plain bytes.
  const sample = bufferOf(text.sample)
  return { ...text, sample, head: headOf(sample), sha256 }
}
