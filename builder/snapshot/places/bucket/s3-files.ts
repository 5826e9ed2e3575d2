/** Sends files to S3 and receives them, whatever their size: no more than a few pieces of a file are in memory. */
import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { MODES } from '../../../system/effects.ts'
import { sha256 } from '../../../system/hash.ts'
import { SnapshotDamagedError } from '../../files/damage.ts'
import { statusOf } from './problem.ts'

export type Sdk = typeof import('@aws-sdk/client-s3')

interface Key {
  readonly Bucket: string
  readonly Key: string
}

/** A file up to this size is one request, a larger one is sent in parts of it. S3 takes parts of 5 MiB and more, and 10,000 of them. */
const PART = 8 * 1024 * 1024
const MOST_PARTS = 10_000
/** How many parts of one file are on their way at once. */
const PARTS_AT_ONCE = 4
/** How often a file is received again from its beginning after the connection broke in the middle. */
const ATTEMPTS = 4

/**
 * Creates an object from a file. Returns false if there is one already. `putSmall` sends the bytes of a file of one part. Throws
 * {@link SnapshotDamagedError} if the file does not have the hash.
 */
export async function sendFile(
  sdk: Sdk,
  client: S3Client,
  at: Key,
  file: { readonly path: string; readonly sha256: string },
  putSmall: (bytes: Buffer) => Promise<boolean>,
): Promise<boolean> {
  const handle = await open(file.path)
  try {
    const { size } = await handle.stat()
    if (size <= PART) {
      const bytes = await handle.readFile()
      if (sha256(bytes) !== file.sha256) throw changed(file.path)
      return await putSmall(bytes)
    }
    if (await isThere(sdk, client, at)) return false
    const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(at))
    const upload = { ...at, UploadId }
    try {
      const length = Math.max(PART, Math.ceil(size / MOST_PARTS))
      const { Parts, hash } = await sendParts(sdk, client, upload, handle, length)
      if (hash !== file.sha256) throw changed(file.path)
      const MultipartUpload = { Parts }
      await client.send(
        new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload, IfNoneMatch: '*' }),
      )
      return true
    } catch (problem) {
      // What stays of an upload costs; an error here must not hide the one that ended it.
      await client.send(new sdk.AbortMultipartUploadCommand(upload)).catch(() => {})
      throw problem
    }
  } finally {
    await handle.close()
  }
}

const changed = (path: string): SnapshotDamagedError =>
  new SnapshotDamagedError(`${path} was changed; "tieout verify" says more`)

async function isThere(sdk: Sdk, client: S3Client, at: Key): Promise<boolean> {
  try {
    await client.send(new sdk.HeadObjectCommand(at))
    return true
  } catch (problem) {
    if (statusOf(problem) === 404) return false
    throw problem
  }
}

async function sendParts(
  sdk: Sdk,
  client: S3Client,
  upload: Key & { readonly UploadId: string | undefined },
  handle: Awaited<ReturnType<typeof open>>,
  length: number,
) {
  const hash = createHash('sha256')
  const parts: { PartNumber: number; ETag: string | undefined }[] = []
  const sending = new Set<Promise<void>>()
  for (let PartNumber = 1; ; PartNumber++) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length)
    if (bytesRead === 0) break
    const Body = buffer.subarray(0, bytesRead)
    hash.update(Body)
    const sent = client
      .send(new sdk.UploadPartCommand({ ...upload, PartNumber, Body }))
      .then(({ ETag }) => void parts.push({ PartNumber, ETag }))
    sending.add(sent)
    sent.finally(() => sending.delete(sent)).catch(() => {})
    if (sending.size === PARTS_AT_ONCE) await Promise.race(sending)
  }
  await Promise.all(sending)
  return { Parts: parts.sort((a, b) => a.PartNumber - b.PartNumber), hash: hash.digest('hex') }
}

/** Writes an object to a new file. Returns its SHA-256. A connection that breaks in the middle is tried again. */
export async function receiveFile(sdk: Sdk, client: S3Client, at: Key, path: string): Promise<string> {
  for (let attempt = 1; ; attempt++)
    try {
      const { Body, ContentLength } = await client.send(new sdk.GetObjectCommand(at))
      return await written(Body as Readable, ContentLength, path)
    } catch (problem) {
      await rm(path, { force: true })
      if (!isBroken(problem) || attempt === ATTEMPTS) throw problem
    }
}

async function written(body: Readable, length: number | undefined, path: string): Promise<string> {
  const hash = createHash('sha256')
  const file = await open(path, 'wx', MODES.published)
  let received = 0
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      hash.update(piece)
      received += piece.length
      await file.writeFile(piece)
    }
  } catch (problem) {
    // Errors of write(2) do not name the file.
    if ((problem as NodeJS.ErrnoException).syscall === 'write') Object.assign(problem as Error, { path })
    throw problem
  } finally {
    await file.close()
  }
  if (length !== undefined && received !== length)
    throw Object.assign(new Error(`the object ended after ${received} of ${length} bytes`), {
      code: 'ECONNRESET',
    })
  return hash.digest('hex')
}

/** Whether a connection broke while an object was being received. */
const isBroken = (problem: unknown): boolean =>
  ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ETIMEDOUT'].includes(
    (problem as NodeJS.ErrnoException).code ?? '',
  ) || (problem as Error).name === 'TimeoutError'
