/** How many bytes this process reads from files, as Linux counts them. */
import { existsSync, readFileSync } from 'node:fs'

const COUNTED = '/proc/self/io'
export const canCount = existsSync(COUNTED)

/** The bytes that are read from files while `work` runs. Nothing else may run meanwhile. */
export async function bytesRead(work: () => Promise<unknown>): Promise<number> {
  const before = counted()
  await work()
  return counted() - before
}

const counted = (): number => Number(/^rchar: (\d+)$/m.exec(readFileSync(COUNTED, 'utf8'))?.[1])
