/**
 * Writes answers of API routes: form, coding, validators, conditional requests. Responses are kept in memory, bounded by
 * bytes: it is the only cache of the server.
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ARROW_STREAM } from '../../builder/contract/operations.ts'
import type { Answer, Content } from '../companies/answers.ts'
import { JSON_TYPE } from '../oauth/reply.ts'
import { createByteCache } from './byte-cache.ts'
import { type Coding, inCoding, preferredCoding, prefersColumns } from './forms.ts'
import { isNotModified } from './request/headers.ts'
import { contextOf } from './request/request-context.ts'

/** An answer in the form and coding that a request asked for. */
interface Response {
  readonly etag: string
  readonly tieOut: string | null
  readonly type: string
  readonly coding: Coding
  readonly body: Buffer
}

export interface Replies {
  /**
   * Sends an answer in the form and coding that the client prefers, or 304 where the client has it. `columnar`: it is
   * offered as an Arrow stream too.
   */
  send(req: IncomingMessage, res: ServerResponse, answer: Answer, columnar?: boolean): Promise<void>
}

const CACHE_BYTES = 64 * 1024 * 1024
/** Approximate bytes that the headers of a response take in memory. */
const HEAD_BYTES = 1000

export function createReplies(): Replies {
  const cache = createByteCache<Response>(CACHE_BYTES, ({ body }) => HEAD_BYTES + body.length)
  return {
    send: async (req, res, { key, snapshotId, make }, columnar = false) => {
      const asColumns = columnar && prefersColumns(req.headers.accept)
      const coding = preferredCoding(req.headers['accept-encoding'])
      const context = contextOf(req)
      context.snapshotId = snapshotId
      context.cached = key !== null
      const begin = async (abandoned: AbortSignal): Promise<Response> => {
        if (key !== null) context.cached = false
        return responseOf(await make(abandoned), asColumns, coding)
      }
      const leaving = leavingOf(res)
      const response =
        key === null
          ? await begin(leaving())
          : await cache.get(`${key} ${asColumns} ${coding}`, begin, leaving)
      if (key === null) context.cached = null
      // Origin, where pages of other origins may read.
      const varies = [
        columnar ? 'Accept' : undefined,
        'Authorization',
        'Accept-Encoding',
        res.getHeader('Vary'),
      ]
      res.setHeader('Vary', varies.filter((name) => name !== undefined).join(', '))
      if (snapshotId !== null) res.setHeader('Snapshot-Id', snapshotId)
      write(req, res, response)
    },
  }
}

async function responseOf({ body, tieOut }: Content, asColumns: boolean, coding: Coding): Promise<Response> {
  // Equal figures are equal bytes and have an equal ETag, in whichever snapshot.
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 32)
  const shown = asColumns ? (await import('../../builder/contract/arrow.ts')).encodeArrow(body) : body
  const coded = await inCoding(shown, coding)
  // A strong validator names the bytes, so that each form and coding has its own (RFC 9110 §8.8.3.3).
  const variant = [...(asColumns ? ['arrow'] : []), ...(coded.coding === 'identity' ? [] : [coded.coding])]
  return {
    etag: `"${[hash, ...variant].join('-')}"`,
    tieOut,
    type: asColumns ? ARROW_STREAM : JSON_TYPE,
    ...coded,
  }
}

function write(
  req: IncomingMessage,
  res: ServerResponse,
  { etag, tieOut, type, coding, body }: Response,
): void {
  res.setHeader('ETag', etag)
  res.setHeader('Cache-Control', 'private, no-cache')
  if (tieOut !== null) res.setHeader('Tie-Out', tieOut)
  if (isNotModified(req, etag)) {
    res.statusCode = 304
    res.end()
    return
  }
  res.setHeader('Content-Type', type)
  res.setHeader('Content-Length', body.length)
  res.setHeader('Accept-Ranges', 'none')
  if (coding !== 'identity') res.setHeader('Content-Encoding', coding)
  res.end(body)
}

/**
 * Returns a function that makes a signal, which aborts when the client leaves before its answer is complete. The
 * signal is made only where an answer has to be computed.
 */
function leavingOf(res: ServerResponse): () => AbortSignal {
  return () => {
    const controller = new AbortController()
    if (res.destroyed) controller.abort()
    else
      res.once('close', () => {
        if (!res.writableFinished) controller.abort()
      })
    return controller.signal
  }
}

export function sendJsonBytes(res: ServerResponse, status: number, type: string, body: Buffer): void {
  res.statusCode = status
  res.setHeader('Content-Type', type)
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Content-Length', body.length)
  res.end(body)
}
