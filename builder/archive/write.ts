/**
 * Writes a bag as a folder or a zip: beside its place, hashed on the way, and moved to it once all of it is on the
 * disk. What is there already is never touched; what fails leaves nothing behind.
 */
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, lstatSync, mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import yazl from 'yazl'
import { SnapshotDamagedError } from '../snapshot/open.ts'
import { removeIfThere, removeTree, syncTree } from '../workspace/durable.ts'
import { cannotLink, disk, isAbsent, isPresent } from '../workspace/effects.ts'
import type { BagContents, BagFile } from './contents.ts'
import { PlaceError } from './refusals.ts'

export type Written = (bytes: number, total: number) => void

export const isZipPath = (path: string): boolean => /\.zip$/i.test(path)

/** `to` ends in `.zip`, or names a folder that is not there yet. Throws {@link PlaceError}. */
export async function writeBag(bag: BagContents, to: string, written: Written): Promise<void> {
  if (isThere(to)) throw new PlaceError(`${to} is there already; name another place, or move it away first`)
  const parent = dirname(to)
  if (!isThere(parent)) throw new PlaceError(`there is no folder ${parent}`)
  const staged = join(parent, `.${basename(to)}.${randomBytes(6).toString('hex')}.partial`)
  const total = bag.files.reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  const counted = (bytes: number) => {
    done += bytes
    written(done, total)
  }
  try {
    if (isZipPath(to)) {
      await writeZip(bag, staged, counted)
      disk.syncFile(staged)
      placeFile(staged, to)
    } else {
      await writeFolder(bag, staged, counted)
      // An empty folder would be replaced, one with files in it not: it was not there a moment ago.
      disk.rename(staged, to)
    }
    disk.syncFolder(parent)
  } finally {
    if (isZipPath(to)) removeIfThere(staged)
    else removeTree(staged)
  }
}

function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch (problem) {
    if (isAbsent(problem)) return false
    throw problem
  }
}

/** A link is never made over a file that came meanwhile; where there are no links, the look before has to do. */
function placeFile(staged: string, to: string): void {
  try {
    disk.link(staged, to)
  } catch (problem) {
    if (isPresent(problem)) throw new PlaceError(`${to} is there already; name another place`)
    if (!cannotLink(problem)) throw problem
    disk.rename(staged, to)
  }
}

async function writeFolder({ files }: BagContents, folder: string, counted: Counted): Promise<void> {
  mkdirSync(folder)
  const folders = new Set<string>()
  for (const file of files) {
    const target = join(folder, file.path)
    for (
      let above = dirname(target);
      above.length > folder.length && !folders.has(above);
      above = dirname(above)
    )
      folders.add(above)
    mkdirSync(dirname(target), { recursive: true })
    await pipeline(contentOf(file), checked(file, counted), createWriteStream(target, { flags: 'wx' }))
  }
  await syncTree(
    folder,
    files.map(({ path }) => path),
    folders,
  )
}

/** The same everywhere, and a day that every tool can show: a zip keeps local times, without their zone. */
const ENTRY = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true, mode: 0o100644 }
/** Compressed by themselves. */
const PACKED = /\.(parquet|xlsx|zip)$/i

async function writeZip({ name, files }: BagContents, path: string, counted: Counted): Promise<void> {
  const zip = new yazl.ZipFile()
  const output = zip.outputStream as Readable
  // A failure inside the archive must end the file that waits for it: yazl would wait as well.
  const fail = (problem: Error) => output.destroy(problem)
  zip.on('error', fail)
  for (const file of files)
    zip.addReadStreamLazy(
      `${name}/${file.path}`,
      { ...ENTRY, compress: !PACKED.test(file.path), size: file.bytes },
      (give) => {
        const content = checked(file, counted)
        pipeline(contentOf(file), content).catch(fail)
        give(null, content)
      },
    )
  zip.end()
  await pipeline(output, createWriteStream(path, { flags: 'wx' }))
}

type Counted = (bytes: number) => void

const contentOf = ({ source }: BagFile): Readable =>
  typeof source === 'string' ? createReadStream(source) : Readable.from([source])

/** Lets the bytes of a file through, and fails at its end where they are not the ones that were published. */
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
