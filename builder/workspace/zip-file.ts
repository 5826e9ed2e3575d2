/** Writes zips: entry after entry as they come, never whole in memory, equal contents as equal bytes. Imports yazl. */
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import yazl from 'yazl'
import { fileStream } from './effects.ts'

export interface ZipContent {
  readonly name: string
  /** What fails in it ends the zip; called when it is its turn. */
  open(): Readable
  /** Bytes, where they are known before. */
  readonly size?: number
  /** False where it is compressed by itself. */
  readonly compress?: boolean
}

/** The same everywhere, and a day that every tool can show: a zip keeps local times, without their zone. */
const ENTRY = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true, mode: 0o100644 }

/** `path` is not there yet. */
export async function writeZipFile(path: string, contents: readonly ZipContent[]): Promise<void> {
  const zip = new yazl.ZipFile()
  const output = zip.outputStream as Readable
  // A failure inside must end the file that waits for it: yazl would wait as well.
  const fail = (problem: Error) => output.destroy(problem)
  zip.on('error', fail)
  for (const { name, open, size, compress = true } of contents)
    zip.addReadStreamLazy(name, { ...ENTRY, compress, ...(size === undefined ? {} : { size }) }, (give) => {
      const content = open()
      content.once('error', fail)
      give(null, content)
    })
  zip.end()
  await pipeline(output, fileStream(path))
}
