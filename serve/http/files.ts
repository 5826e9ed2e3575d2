/**
 * Files of a snapshot as they lie on disk, for auditors, sent by sirv: those that the manifest lists, the manifest
 * and its signature. A path is looked up in that list and never joined; a file is hashed before its first byte is
 * sent, and again when it was touched.
 */

import { createHash } from 'node:crypto'
import { lstat, realpath } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import sirv from 'sirv'
import { Problem } from '../../builder/contract/problem.ts'
import { cutManifest, hasEntryText } from '../../builder/snapshot/cut.ts'
import { SnapshotDamagedError } from '../../builder/snapshot/damage.ts'
import { isOfFigures, isReport, MANIFEST, SIGNATURE } from '../../builder/snapshot/layout.ts'
import { encodeManifest } from '../../builder/snapshot/manifest.ts'
import type { Snapshot } from '../../builder/snapshot/open.ts'
import { checkSignature } from '../../builder/snapshot/sign.ts'
import { createReadStream, readFile } from '../../builder/workspace/plain-file.ts'
import { keepNewest } from '../keep-newest.ts'
import { isNotModified } from './reply.ts'
import { contextOf } from './request-context.ts'

export interface Download {
  readonly snapshot: Snapshot
  /** The path as the client wrote it, decoded once. */
  readonly path: string
}

/**
 * Whether the scope for ledger entries is needed: the file holds postings, details of a restatement, or anything
 * not known to be figures. A manifest of format 1 needs it too, since it names the computer that made it; and a signature of a
 * manifest of which others get only {@link isCut a part}.
 */
export function needsLedger({ snapshot, path }: Download): boolean {
  if (path === MANIFEST) return snapshot.manifest.Build?.Host !== undefined
  return path === SIGNATURE ? hasEntryText(snapshot.manifest) : !isOfFigures(path)
}

/** Whether the file is sent without texts of entries to a client that does not have that scope. */
export const isCut = ({ snapshot, path }: Download): boolean =>
  path === MANIFEST && hasEntryText(snapshot.manifest)

export type SendFile = (
  req: IncomingMessage,
  res: ServerResponse,
  download: Download,
  cut?: boolean,
) => Promise<void>

/** A published folder, whose files sirv lists once because they never change. */
interface Folder {
  /** Expected hash of each file; that of the signature is added once it was verified. */
  readonly hashes: Map<string, string>
  readonly serve: ReturnType<typeof sirv>
  /** The manifest without texts of entries, once it was asked for. */
  cut?: Buffer
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
  /** By the hash of the manifest, least recently used first. */
  const folders = new Map<string, Folder>()
  function folderOf(snapshot: Snapshot): Folder {
    const folder = folders.get(snapshot.manifestHash) ?? openFolder(snapshot)
    folders.delete(snapshot.manifestHash)
    folders.set(snapshot.manifestHash, folder)
    keepNewest(folders, MOST_FOLDERS)
    return folder
  }

  return async (req, res, { snapshot, path }, cut = false) => {
    const folder = folderOf(snapshot)
    const orForgotten = (problem: unknown): never => {
      // sirv keeps the properties of the files that it listed; a file that was restored needs a new list.
      folders.delete(snapshot.manifestHash)
      throw problem
    }
    if (path === SIGNATURE && !folder.hashes.has(path))
      await addSignature(folder, snapshot).catch(orForgotten)
    const hash = folder.hashes.get(path)
    if (hash === undefined) throw new Problem('not-found', 'The snapshot has no such file.')
    contextOf(req).snapshotId = snapshot.id
    const etag = cut ? `"${hash}-cut"` : `"${hash}"`
    res.setHeader('ETag', etag)
    res.setHeader('Cache-Control', 'private, no-cache')
    res.appendHeader('Vary', 'Authorization')
    res.setHeader('Snapshot-Id', snapshot.id)
    // RFC 9530: the hash of the file as it was published, also where a part of it is sent.
    res.setHeader('Repr-Digest', `sha-256=:${Buffer.from(hash, 'hex').toString('base64')}:`)
    if (isNotModified(req, etag)) {
      res.statusCode = 304
      res.end()
      return
    }
    if (cut) {
      folder.cut ??= encodeManifest(cutManifest(snapshot.manifest, snapshot.manifestHash))
      res.setHeader('Content-Type', TYPES.json ?? '')
      res.setHeader('Accept-Ranges', 'none')
      res.setHeader('Content-Length', folder.cut.length)
      res.end(folder.cut)
      return
    }
    await verify(folder, snapshot, path, hash).catch(orForgotten)
    res.setHeader('Content-Type', TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream')
    res.setHeader('Accept-Ranges', 'none')
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
  folder.hashes.set(SIGNATURE, createHash('sha256').update(bytes).digest('hex'))
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
