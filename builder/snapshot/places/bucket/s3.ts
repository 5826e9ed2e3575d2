/** A bucket of Amazon S3, or of a store that speaks like it. Requests that fail for a passing reason are tried again. */

import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { BucketError } from '../../../system/refusals.ts'
import { type BucketAddress, bucketName } from '../../../workspace/bucket-address.ts'
import { SnapshotDamagedError } from '../../files/damage.ts'
import {
  type Bucket,
  type Clock,
  type Deadline,
  type Listed,
  type ObjectTag,
  type Stored,
  type Tail,
  TooLateError,
} from './bucket.ts'
import { bucketProblem, type ClientFailure, statusOf } from './problem.ts'
import { receiveFile, type Sdk, sendFile } from './s3-files.ts'
export interface S3Options extends BucketAddress {
  /** The address of a store that is not Amazon's; null: AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, or Amazon's. */
  readonly endpoint: string | null
  /** Null: AWS_REGION, or that of the profile. */
  readonly region: string | null
  /** How often a request is sent at most; between attempts it waits up to 20 s, longer each time. */
  readonly attempts?: number
  /** Seconds without an answer after which an attempt is given up. */
  readonly seconds?: number
  readonly clock?: Clock
  /** What the credentials must be allowed to do, for a message; by default what snapshots need. */
  readonly allowed?: string
}

/** How often a request is sent at most; with the waits in between, this takes about half a minute. */
const ATTEMPTS = 8
const ANSWER_SECONDS = 30
const CONNECT_SECONDS = 5

/** Opens a bucket; nothing is sent yet. The client is loaded here, because most commands need none. */
export async function openS3(options: S3Options): Promise<Bucket> {
  // The pinned version runs on Node 20; that later ones will not is no concern of those who build.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'
  const sdk = await import('@aws-sdk/client-s3')
  return new S3Bucket(sdk, options)
}

function configOf({
  endpoint,
  region,
  attempts = ATTEMPTS,
  seconds = ANSWER_SECONDS,
}: S3Options): S3ClientConfig {
  const { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3 } = process.env
  const isOther = (endpoint ?? AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) !== undefined
  return {
    ...(endpoint === null ? {} : { endpoint }),
    ...(region === null ? {} : { region }),
    // Other stores seldom have a host name for each bucket, so that the bucket stands in the path.
    forcePathStyle: isOther,
    // Other stores do not all know the newer checksums. What is read is checked against its hash by whoever reads.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: attempts,
    requestHandler: {
      connectionTimeout: CONNECT_SECONDS * 1000,
      requestTimeout: seconds * 1000,
      throwOnRequestTimeout: true,
      socketTimeout: seconds * 1000,
    },
  }
}

/** Middleware of the lowest priority runs for each attempt, after it was signed. */
const INNERMOST = { step: 'finalizeRequest', priority: 'low' } as const
const TIMELY = { ...INNERMOST, name: 'tieoutTimely' } as const

class S3Bucket implements Bucket {
  readonly name: string
  readonly requests: Record<string, number> = {}
  readonly clock: Clock
  readonly #sdk: Sdk
  readonly #client: S3Client
  readonly #bucket: string
  readonly #prefix: string
  readonly #allowed: string | undefined

  constructor(sdk: Sdk, options: S3Options) {
    const { bucket, prefix } = options
    this.clock = options.clock ?? Date.now
    this.name = bucketName({ bucket, prefix })
    this.#sdk = sdk
    this.#bucket = bucket
    this.#allowed = options.allowed
    this.#prefix = prefix && `${prefix}/`
    this.#client = new sdk.S3Client(configOf(options))
    // Counts each attempt, since it runs for each.
    this.#client.middlewareStack.add(
      (next, { commandName = 'unknown' }) =>
        (args) => {
          const kind = commandName.replace(/Command$/, '')
          this.requests[kind] = (this.requests[kind] ?? 0) + 1
          return next(args)
        },
      { ...INNERMOST, name: 'tieoutCount' },
    )
  }

  async putOnce(key: string, bytes: Uint8Array): Promise<boolean> {
    return (await this.#put(key, bytes, { IfNoneMatch: '*' })) !== null
  }

  async putFileOnce(key: string, path: string, sha256: string): Promise<boolean> {
    const file = { path, sha256 }
    return this.#answered(
      () => sendFile(this.#sdk, this.#client, this.#at(key), file, (bytes) => this.putOnce(key, bytes)),
      (problem) => (statusOf(problem) === 412 ? false : undefined),
    )
  }

  getFile(key: string, path: string): Promise<string | null> {
    return this.#answered(() => receiveFile(this.#sdk, this.#client, this.#at(key), path), absent)
  }

  async get(key: string): Promise<Stored | null> {
    return this.#answered(async () => {
      const command = new this.#sdk.GetObjectCommand(this.#at(key))
      const { Body, ETag } = await this.#client.send(command)
      return { bytes: Buffer.from((await Body?.transformToByteArray()) ?? []), tag: ETag ?? '' }
    }, absent)
  }

  async getUnless(key: string, tag: ObjectTag): Promise<Stored | 'same' | null> {
    return this.#answered<Stored | 'same' | null>(
      async () => {
        const command = new this.#sdk.GetObjectCommand({ ...this.#at(key), IfNoneMatch: tag })
        const { Body, ETag } = await this.#client.send(command)
        return { bytes: Buffer.from((await Body?.transformToByteArray()) ?? []), tag: ETag ?? '' }
      },
      (problem) => (statusOf(problem) === 304 ? 'same' : absent(problem)),
    )
  }

  async tail(key: string, tag: ObjectTag, length: number): Promise<Tail | null> {
    return this.#answered(
      async () => {
        const command = new this.#sdk.GetObjectCommand({
          ...this.#at(key),
          Range: `bytes=-${length}`,
          IfMatch: tag,
        })
        const { Body, VersionId } = await this.#client.send(command)
        return {
          bytes: Buffer.from((await Body?.transformToByteArray()) ?? []),
          // A bucket that keeps no versions calls what it has "null".
          version: VersionId === undefined || VersionId === 'null' ? null : VersionId,
        }
      },
      (problem) => (statusOf(problem) === 412 ? null : absent(problem)),
    )
  }

  async head(key: string): Promise<Listed | null> {
    return this.#answered(async () => {
      const command = new this.#sdk.HeadObjectCommand(this.#at(key))
      const { ContentLength = 0, LastModified = new Date(0), ETag = '' } = await this.#client.send(command)
      return { key, bytes: ContentLength, at: LastModified, tag: ETag }
    }, absent)
  }

  async swap(
    key: string,
    bytes: Uint8Array,
    expected: ObjectTag | null,
    by: Deadline | null = null,
  ): Promise<ObjectTag | null> {
    const condition = expected === null ? { IfNoneMatch: '*' } : { IfMatch: expected }
    const written = await this.#put(key, bytes, condition, by)
    if (written !== null) return written
    // The answer of an attempt may have been lost: it wrote, and the next attempt found the object that it had written.
    const now = await this.get(key)
    return now?.bytes.equals(bytes) ? now.tag : null
  }

  async *list(beginning: string): AsyncIterable<Listed> {
    let ContinuationToken: string | undefined
    do {
      const { Contents = [], NextContinuationToken } = await this.#answered(() =>
        this.#client.send(
          new this.#sdk.ListObjectsV2Command({
            Bucket: this.#bucket,
            Prefix: this.#prefix + beginning,
            ContinuationToken,
          }),
        ),
      )
      for (const { Key = '', Size = 0, LastModified = new Date(0), ETag = '' } of Contents)
        yield { key: Key.slice(this.#prefix.length), bytes: Size, at: LastModified, tag: ETag }
      ContinuationToken = NextContinuationToken
    } while (ContinuationToken !== undefined)
  }

  async remove(key: string, by: Deadline | null = null): Promise<boolean> {
    return this.#answered(async () => {
      const command = new this.#sdk.DeleteObjectCommand(this.#at(key))
      command.middlewareStack.add(this.#timely(by), TIMELY)
      return (await this.#client.send(command)).$metadata.attempts === 1
    })
  }

  /**
   * Refuses an attempt after the deadline. It runs after the signing, and a store refuses what was signed 15 minutes
   * ago, so nothing that was sent in time arrives much later.
   */
  #timely(by: Deadline | null) {
    return <Args, Sent>(next: (args: Args) => Promise<Sent>) =>
      async (args: Args): Promise<Sent> => {
        if (by?.isPast()) throw new TooLateError(this.name)
        return next(args)
      }
  }

  /** The new tag; null if the condition does not hold. */
  async #put(
    key: string,
    Body: Uint8Array,
    condition: { readonly IfNoneMatch?: string; readonly IfMatch?: string },
    by: Deadline | null = null,
  ): Promise<ObjectTag | null> {
    for (let conflicts = 0; ; conflicts++)
      try {
        const command = new this.#sdk.PutObjectCommand({ ...this.#at(key), Body, ...condition })
        command.middlewareStack.add(this.#timely(by), TIMELY)
        return (await this.#client.send(command)).ETag ?? ''
      } catch (problem) {
        if (isOwn(problem)) throw problem
        const status = statusOf(problem)
        const isGone = condition.IfMatch !== undefined && (problem as ClientFailure).name === 'NoSuchKey'
        if (status === 412 || isGone) return null
        // 409: another conditional write of this key is under way, and the store asks to try again.
        if (status !== 409 || conflicts === ATTEMPTS) throw this.#problem(problem)
      }
  }

  #problem(problem: unknown): BucketError {
    return bucketProblem(this.name, problem, this.#allowed)
  }

  #at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + key }
  }

  /** Returns what `ask` gives. Where it fails, `answer` may turn the failure into a result; undefined makes it an error. */
  async #answered<T>(
    ask: () => Promise<T>,
    answer: (problem: unknown) => T | undefined = () => undefined,
  ): Promise<T> {
    try {
      return await ask()
    } catch (problem) {
      if (isOwn(problem)) throw problem
      const answered = answer(problem)
      if (answered === undefined) throw this.#problem(problem)
      return answered
    }
  }
}

/** Whether an error is about a file of this computer, or has its words already. */
const isOwn = (problem: unknown): boolean =>
  problem instanceof BucketError ||
  problem instanceof SnapshotDamagedError ||
  (problem as NodeJS.ErrnoException).path !== undefined

/** Null for an answer that there is no such object. A missing bucket is another matter. HEAD has no body that names the error. */
const absent = (problem: unknown): null | undefined =>
  ['NoSuchKey', 'NotFound'].includes((problem as ClientFailure).name ?? '') ? null : undefined
