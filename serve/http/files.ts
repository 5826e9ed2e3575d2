/**
 * Files of a snapshot as they lie on disk, for auditors, sent by sirv: those that the manifest lists, the manifest
 * and its signature. A path is looked up in that list and never joined; a file is hashed before its first byte is
 * sent, and again when it was touched.
 */

import { createHash } from 'node:crypto'
import { lstat, realpath } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { LRUCache } from 'lru-cache'
import sirv from 'sirv'
import { Problem } from '../../builder/contract/problem.ts'
import { cutManifest, hasEntryText } from '../../builder/snapshot/files/cut.ts'
import { SnapshotDamagedError } from '../../builder/snapshot/files/damage.ts'
import { isOfFigures, isReport, MANIFEST, SIGNATURE } from '../../builder/snapshot/files/layout.ts'
import { encodeManifest } from '../../builder/snapshot/files/manifest.ts'
import type { Snapshot } from '../../builder/snapshot/files/open.ts'
import { checkSignature } from '../../builder/snapshot/keys/sign.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { createReadStream, readFile } from '../../builder/system/plain-file.ts'
import { zipStream } from '../../builder/system/zip-file.ts'
import { isNotModified } from './request/headers.ts'
import { contextOf } from './request/request-context.ts'

export interface Download {
  readonly snapshot: Snapshot
  /** The path as the client wrote it, decoded once; null for all files that it may read, as one zip. */
  readonly path: string | null
}

/**
 * Whether the scope for ledger entries is needed: the file holds postings, details of a restatement, or anything
 * not known to be figures. A manifest of format 1 needs it too, since it names the computer that made it; and a signature of a
 * manifest, of which others get only a part.
 */
export function needsLedger({ snapshot, path }: Download): boolean {
  if (path === null) return false
  if (path === MANIFEST) return snapshot.manifest.Build?.Host !== undefined
  return path === SIGNATURE ? hasEntryText(snapshot.manifest) : !isOfFigures(path)
}

/** `hasLedger`: the client has that scope. Others get the manifest without texts of entries. */
export type SendFile = (
  req: IncomingMessage,
  res: ServerResponse,
  download: Download,
  hasLedger: boolean,
) => Promise<void>

/** A published folder, whose files sirv lists once because they never change. */
interface Folder {
  /** Expected hash of each file; that of the signature is added once it was verified. */
  readonly hashes: Map<string, string>
  readonly serve: ReturnType<typeof sirv>
  /** The manifest without texts of entries, and its hash, once it was asked for. */
  cut?: { readonly bytes: Buffer; readonly hash: string }
  /** Identity of each file on the disk when its hash was last verified. */
  readonly verified: Map<string, string>
}

const MOST_FOLDERS = 8
const TYPES: Record<string, string> = {
  json: 'application/json; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
  sig: 'application/jose',
}

export function createFiles(): SendFile {
  /** By the hash of the manifest. */
  const folders = new LRUCache<string, Folder>({ max: MOST_FOLDERS })
  function folderOf(snapshot: Snapshot): Folder {
    const folder = folders.get(snapshot.manifestHash) ?? openFolder(snapshot)
    folders.set(snapshot.manifestHash, folder)
    return folder
  }

  return async (req, res, { snapshot, path }, hasLedger) => {
    const folder = folderOf(snapshot)
    const isCut = !hasLedger && hasEntryText(snapshot.manifest)
    if (isCut) folder.cut ??= cutOf(snapshot)
    const orForgotten = (problem: unknown): never => {
      // sirv keeps the properties of the files that it listed; a file that was restored needs a new list.
      folders.delete(snapshot.manifestHash)
      throw problem
    }
    const isSigned =
      path === SIGNATURE || (path === null && (hasLedger || !needsLedger({ snapshot, path: SIGNATURE })))
    if (isSigned && !folder.hashes.has(SIGNATURE)) await addSignature(folder, snapshot).catch(orForgotten)
    contextOf(req).snapshotId = snapshot.id
    res.setHeader('Cache-Control', 'private, no-cache')
    res.appendHeader('Vary', 'Authorization')
    res.setHeader('Snapshot-Id', snapshot.id)
    res.setHeader('Accept-Ranges', 'none')
    if (path === null) return sendZip(req, res, folder, snapshot, hasLedger).catch(orForgotten)
    const cut = path === MANIFEST && isCut ? folder.cut : undefined
    const hash = folder.hashes.get(path)
    if (hash === undefined) throw new Problem('not-found', 'The snapshot has no such file.')
    const etag = `"${cut?.hash ?? hash}"`
    res.setHeader('ETag', etag)
    // RFC 9530: the hash of the file as it was published, also where a part of it is sent.
    res.setHeader('Repr-Digest', `sha-256=:${Buffer.from(hash, 'hex').toString('base64')}:`)
    if (isNotModified(req, etag)) {
      res.statusCode = 304
      res.end()
      return
    }
    if (cut) {
      res.setHeader('Content-Type', TYPES.json ?? '')
      res.setHeader('Content-Length', cut.bytes.length)
      res.end(cut.bytes)
      return
    }
    await verify(folder, snapshot, path, hash).catch(orForgotten)
    res.setHeader('Content-Type', TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream')
    endWithAnswer(res)
    // sirv would decode the path again, and reads ranges in its own way (`bytes=-5`): it gets an encoded path and
    // no headers.
    const asked = Object.create(req, {
      url: { value: encodeURI(`/${path}`) },
      headers: { value: {} },
      _parsedUrl: { value: undefined, writable: true },
    })
    folder.serve(asked, res, () => void res.destroy())
  }
}

function cutOf({ manifest, manifestHash }: Snapshot): NonNullable<Folder['cut']> {
  const bytes = encodeManifest(cutManifest(manifest, manifestHash))
  return { bytes, hash: sha256(bytes) }
}

/** Every file is verified before the first byte, since an error could not be told afterwards. Equal files are equal bytes. */
async function sendZip(
  req: IncomingMessage,
  res: ServerResponse,
  folder: Folder,
  snapshot: Snapshot,
  hasLedger: boolean,
): Promise<void> {
  const manifest = (hasLedger ? undefined : folder.cut?.hash) ?? snapshot.manifestHash
  const etag = `"${manifest}-${hasLedger ? 'all' : 'figures'}"`
  res.setHeader('ETag', etag)
  if (isNotModified(req, etag)) {
    res.statusCode = 304
    return void res.end()
  }
  const paths = [...folder.hashes].filter(([path]) => hasLedger || !needsLedger({ snapshot, path }))
  for (const [path, hash] of paths) await verify(folder, snapshot, path, hash)
  res.setHeader('Content-Type', 'application/zip')
  res.setHeader('Content-Disposition', `attachment; filename="${snapshot.id}.zip"`)
  if (req.method === 'HEAD') return void res.end()
  let reading: Readable | null = null
  const contents = paths.map(([path]) => ({
    name: `${snapshot.id}/${path}`,
    open: () => {
      const cut = path === MANIFEST && !hasLedger ? folder.cut : undefined
      reading = cut ? Readable.from([cut.bytes]) : createReadStream(join(snapshot.folder, path))
      return reading
    },
  }))
  if (res.destroyed) return
  const zip = zipStream(contents)
  zip.once('error', () => res.destroy())
  // A client that leaves would leave the file open that is just read.
  res.once('close', () => {
    reading?.destroy()
    zip.destroy()
  })
  zip.pipe(res)
}

function openFolder(snapshot: Snapshot): Folder {
  const { manifest, manifestHash, folder } = snapshot
  return {
    hashes: new Map([
      [MANIFEST, manifestHash],
      // Report pages are for people who signed in, not for programs.
      ...manifest.Files.filter(({ Path }) => !isReport(Path)).map(
        ({ Path, Sha256 }) => [Path, Sha256] as const,
      ),
    ]),
    serve: sirv(folder, { extensions: [] }),
    verified: new Map(),
  }
}

/**
 * No manifest can state the hash of its own signature. The signature is accepted where it signs these bytes with
 * the key that the manifest names; a snapshot published without one has no such file.
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
  folder.hashes.set(SIGNATURE, sha256(bytes))
}

/** Checks that the path is a plain file, reached by no link, with the hash that the manifest states. */
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

/**
 * sirv pipes the file and handles nothing else: without this, a client that leaves would leave the file open, and a
 * failing disk would end the process.
 */
function endWithAnswer(res: ServerResponse): void {
  res.once('pipe', (source) => {
    const file = source as ReturnType<typeof createReadStream>
    file.once('error', () => res.destroy())
    // For a client that left before, no `close` event will follow.
    if (res.destroyed) file.destroy()
    else res.once('close', () => void file.destroy())
  })
}
