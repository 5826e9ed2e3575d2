/** Writes zip files as a stream, so that they need little memory. Equal contents give equal bytes. It is the only file that imports yazl. */
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import yazl from 'yazl'
import { fileStream } from './effects.ts'

interface ZipContent {
  readonly name: string
  /** Opens the content when its turn comes. An error of the stream ends the zip. */
  open(): Readable
}

/**
 * One fixed time for all entries, because a zip stores local times without a zone; 1980 is the first year that a zip can store.
 * All are compressed, even Parquet: what is stored as it is, with its sizes behind it, is refused by Java's ZipInputStream.
 */
const ENTRY = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true, mode: 0o100644 }

/** Writes a zip file. `path` must not exist. */
export const writeZipFile = (path: string, contents: readonly ZipContent[]): Promise<void> =>
  pipeline(zipStream(contents), fileStream(path))

/** The bytes of a zip. A content that fails ends the stream with its error. */
export function zipStream(contents: readonly ZipContent[]): Readable {
  const zip = new yazl.ZipFile()
  const output = zip.outputStream as Readable
  // An error must end the output stream, because yazl would wait for ever.
  const fail = (problem: Error) => output.destroy(problem)
  zip.on('error', fail)
  for (const { name, open } of contents)
    zip.addReadStreamLazy(name, ENTRY, (give) => {
      try {
        give(null, open().once('error', fail))
      } catch (problem) {
        fail(problem as Error)
      }
    })
  zip.end()
  return output
}
