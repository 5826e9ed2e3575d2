/**
 * Files of a snapshot as they lie on disk, for auditors, through sirv: what the manifest lists, the manifest, its signature.
 * A path is looked up, never joined; a file is hashed before its first byte is sent, and again when it was touched.
 */

import { createHash } from 'node:crypto'
import { lstat, realpath } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import sirv from 'sirv'
import { Problem } from '../../builder/contract/problem.ts'
import { SnapshotDamagedError } from '../../builder/snapshot/damage.ts'
import { isOfFigures, isReport, MANIFEST, SIGNATURE } from '../../builder/snapshot/layout.ts'
import type { Snapshot } from '../../builder/snapshot/open.ts'
import { checkSignature } from '../../builder/snapshot/sign.ts'
import { createReadStream, readFile } from '../../builder/workspace/plain-file.ts'
import { keepNewest } from '../keep-newest.ts'
import { isNotModified } from './reply.ts'
import { contextOf } from './request-context.ts'

export interface Download {
  readonly snapshot: Snapshot
  /** As the client spells it, decoded once. */
  readonly path: string
}

/**
 * Whether a file states more than figures: postings, what a restatement says of them, or whatever is not known here. Of
 * manifests those of format 1 do, which name the computer that made them.
 */
export function needsLedger({ snapshot, path }: Download): boolean {
  if (path === MANIFEST) return snapshot.manifest.Build?.Host !== undefined
  return path !== SIGNATURE && !isOfFigures(path)
}

export type SendFile = (req: IncomingMessage, res: ServerResponse, download: Download) => Promise<void>

/** One published folder, which never changes: sirv lists it once. */
interface Folder {
  /** Of the signature once it was found to be one. */
  readonly hashes: Map<string, string>
  readonly serve: ReturnType<typeof sirv>
  /** Identity of each file when its hash was last found to be right. */
  readonly verified: Map<string, string>
}

const MOST_FOLDERS = 8
const TYPES: Record<string, string> = {
  json: 'application/json; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
  sig: 'application/jose',
}

export function createFiles(): SendFile {
  /** By the hash of the manifest, in order of use. */
  const folders = new Map<string, Folder>()
  function folderOf(snapshot: Snapshot): Folder {
    const folder = folders.get(snapshot.manifestHash) ?? openFolder(snapshot)
    folders.delete(snapshot.manifestHash)
    folders.set(snapshot.manifestHash, folder)
    keepNewest(folders, MOST_FOLDERS)
    return folder
  }

  return async (req, res, { snapshot, path }) => {
    const folder = folderOf(snapshot)
    if (path === SIGNATURE && !folder.hashes.has(path))
      await addSignature(folder, snapshot).catch((problem: unknown) => {
        // sirv knows what it listed: one that is restored is another file.
        folders.delete(snapshot.manifestHash)
        throw problem
      })
    const hash = folder.hashes.get(path)
    if (hash === undefined) throw new Problem('not-found', 'The snapshot has no such file.')
    contextOf(req).snapshotId = snapshot.id
    const etag = `"${hash}"`
    res.setHeader('ETag', etag)
    res.setHeader('Cache-Control', 'private, no-cache')
    res.setHeader('Vary', 'Authorization')
    res.setHeader('Snapshot-Id', snapshot.id)
    // RFC 9530: the hash that the manifest has of the file.
    res.setHeader('Repr-Digest', `sha-256=:${Buffer.from(hash, 'hex').toString('base64')}:`)
    if (isNotModified(req, etag)) {
      res.statusCode = 304
      res.end()
      return
    }
    await verify(folder, snapshot, path, hash)
    res.setHeader('Content-Type', TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream')
    res.setHeader('Accept-Ranges', 'none')
    endWithAnswer(res)
    // sirv decodes once more, and reads ranges in ways of its own (`bytes=-5`): it gets neither.
    const asked = Object.create(req, {
      url: { value: encodeURI(`/${path}`) },
      headers: { value: {} },
      _parsedUrl: { value: undefined, writable: true },
    })
    folder.serve(asked, res, () => void res.destroy())
  }
}

function openFolder(snapshot: Snapshot): Folder {
  const { manifest, manifestHash, folder } = snapshot
  return {
    hashes: new Map([
      [MANIFEST, manifestHash],
      // Pages are for people who signed in, not for programs.
      ...manifest.Files.filter(({ Path }) => !isReport(Path)).map(
        ({ Path, Sha256 }) => [Path, Sha256] as const,
      ),
    ]),
    serve: sirv(folder, { extensions: [] }),
    verified: new Map(),
  }
}

/**
 * No manifest can state the hash of its signature: that it signs these very bytes, with the key that the manifest
 * names, is what vouches for it. A snapshot that was published without one has no such file.
 */
async function addSignature(folder: Folder, snapshot: Snapshot): Promise<void> {
  const stated = snapshot.manifest.Build?.KeyId
  if (stated === undefined) return
  const damaged = (what: string) =>
    new SnapshotDamagedError(`${SIGNATURE} of snapshot ${snapshot.id} of ${snapshot.company} ${what}`)
  const bytes = await readFile(join(snapshot.folder, SIGNATURE)).catch(() => null)
  if (bytes === null) throw damaged('is missing')
  const { keyId } = await checkSignature(
    await readFile(join(snapshot.folder, MANIFEST)),
    bytes.toString('utf8'),
  )
  if (keyId !== stated) throw damaged('does not sign its manifest')
  folder.hashes.set(SIGNATURE, createHash('sha256').update(bytes).digest('hex'))
}

/** What lies there is a plain file, reached by no link, with the bytes that the manifest hashed. */
async function verify(folder: Folder, snapshot: Snapshot, path: string, hash: string): Promise<void> {
  const damaged = (what: string) =>
    new SnapshotDamagedError(`${path} of snapshot ${snapshot.id} of ${snapshot.company} ${what}`)
  const file = join(snapshot.folder, path)
  const real = await realpath(file).catch(() => null)
  if (real === null) throw damaged('is missing')
  if (real !== join(await realpath(snapshot.folder), path)) throw damaged('is a link')
  const { ino, size, mtimeMs, ctimeMs } = await lstat(file)
  const stamp = `${ino} ${size} ${mtimeMs} ${ctimeMs}`
  if (folder.verified.get(path) === stamp) return
  const digest = createHash('sha256')
  await pipeline(createReadStream(file), digest)
  if (digest.digest('hex') !== hash) throw damaged('was changed after publication')
  folder.verified.set(path, stamp)
}

/** sirv pipes and looks no further: a client that leaves would leave the file open, a failing disk end the process. */
function endWithAnswer(res: ServerResponse): void {
  res.once('pipe', (source) => {
    const file = source as ReturnType<typeof createReadStream>
    file.once('error', () => res.destroy())
    // A client that left before this moment is told of by nothing any more.
    if (res.destroyed) file.destroy()
    else res.once('close', () => void file.destroy())
  })
}
