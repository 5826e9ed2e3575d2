/** Writes a bag as a folder or a zip, and checks the hash of each published file while it is copied. */
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { present } from '../../contract/present.ts'
import { SnapshotDamagedError } from '../../snapshot/files/damage.ts'
import { fileStream } from '../../system/effects.ts'
import { writeOutput } from '../../system/output.ts'
import { createReadStream } from '../../system/plain-file.ts'
import { writeZipFile } from '../../system/zip-file.ts'
import type { BagContents, BagFile } from './contents.ts'

export type BytesWritten = (bytes: number, total: number) => void

export const isZipPath = (path: string): boolean => /\.zip$/i.test(path)

/** `to` ends in `.zip`, or names a folder that does not exist yet. Throws PlaceError. */
export async function writeBag(bag: BagContents, to: string, written: BytesWritten): Promise<void> {
  const total = bag.files.reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  const counted = (bytes: number) => {
    done += bytes
    written(done, total)
  }
  const zip = isZipPath(to)
  await writeOutput(to, zip ? 'file' : 'folder', (staged) =>
    zip ? writeZip(bag, staged, counted) : writeFolder(bag, staged, counted),
  )
}

async function writeFolder({ files }: BagContents, folder: string, counted: Counted): Promise<void> {
  for (const file of files) {
    const target = join(folder, file.path)
    mkdirSync(dirname(target), { recursive: true })
    await pipeline(contentOf(file), checked(file, counted), fileStream(target))
  }
}

const writeZip = ({ name, files }: BagContents, path: string, counted: Counted): Promise<void> =>
  writeZipFile(
    path,
    files.map((file) => ({
      name: `${name}/${file.path}`,
      open: () => {
        const content = checked(file, counted)
        // An error destroys the stream, and the zip writer reports it.
        pipeline(contentOf(file), content).catch(() => {})
        return content
      },
    })),
  )

type Counted = (bytes: number) => void

const contentOf = ({ path, source }: BagFile): Readable =>
  typeof source === 'string'
    ? createReadStream(source)
    : Readable.from([present(source, `content of ${path}`)])

/** Passes the bytes of a file on, and fails at the end where size or hash are not those published. */
function checked(file: BagFile, counted: Counted): Transform {
  const hash = createHash('sha256')
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      bytes += chunk.length
      counted(chunk.length)
      done(null, chunk)
    },
    flush(done) {
      if (bytes === file.bytes && hash.digest('hex') === file.sha256) done()
      else done(new SnapshotDamagedError(`${file.path} is not what was published; nothing was archived`))
    },
  })
}
