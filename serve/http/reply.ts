/** Writes answers of API routes: validators, content codings, conditional requests. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answer } from '../companies/answers.ts'
import { JSON_TYPE } from '../oauth/reply.ts'
import { type Coding, type Compressor, chooseCoding } from './encoding.ts'
import { contextOf } from './request/request-context.ts'

/** The media type of an answer, and the request headers besides coding and token that decided it. */
interface Form {
  readonly type: string
  readonly vary?: string
}

/**
 * An answer in the form and coding that a request asked for, without the headers that differ from request to
 * request. In lists of headers names and values alternate.
 */
export interface Response {
  readonly etag: string
  readonly snapshotId: string | null
  /** Headers of a 304. */
  readonly unchanged: readonly string[]
  /** Headers of a 200. */
  readonly whole: readonly string[]
  /** Null where only a 304 was asked for. */
  readonly body: Buffer | null
}

/** Sends an answer in the form and coding asked for, or 304 where the client has it; returns what can be cached. */
export async function sendAnswer(
  req: IncomingMessage,
  res: ServerResponse,
  answer: Answer,
  compressor: Compressor,
  form: Form = { type: JSON_TYPE },
): Promise<Response> {
  const coding = chooseCoding(req.headers['accept-encoding'], answer.body.length)
  const etag = etagOf(answer.hash, coding)
  const context = contextOf(req)
  context.snapshotId = answer.snapshotId
  context.cached = answer.cached
  const isUnchanged = isNotModified(req, etag)
  const body = isUnchanged ? null : await compressor.compress(answer.hash, answer.body, coding)
  // Origin, where pages of other origins may read.
  const varies = [form.vary, 'Authorization', 'Accept-Encoding', res.getHeader('Vary')]
  const vary = varies.filter((name) => name !== undefined).join(', ')
  const response = responseOf(answer, etag, { ...form, vary }, coding, body)
  writeResponse(res, [], response, isUnchanged)
  return response
}

/** `own` holds the headers of this request, to which the others are appended. */
export function writeResponse(
  res: ServerResponse,
  own: string[],
  { unchanged, whole, body }: Response,
  isUnchanged: boolean,
): void {
  const { req } = res
  contextOf(req).bytes = isUnchanged || body === null || req.method === 'HEAD' ? 0 : body.length
  if (isUnchanged || body === null) res.writeHead(304, append(own, unchanged)).end()
  else res.writeHead(200, append(own, whole)).end(body)
}

/** Appends in a loop, since `concat` takes as long as the rest of a cached response. */
function append(own: string[], others: readonly string[]): string[] {
  for (const text of others) own.push(text)
  return own
}

function responseOf(
  { snapshotId, tieOut }: Answer,
  etag: string,
  { type, vary }: Required<Form>,
  coding: Coding,
  body: Buffer | null,
): Response {
  const unchanged = ['ETag', etag, 'Cache-Control', 'private, no-cache', 'Vary', vary]
  if (snapshotId !== null) unchanged.push('Snapshot-Id', snapshotId)
  if (tieOut !== null) unchanged.push('Tie-Out', tieOut)
  const whole = body === null ? [] : [...unchanged, ...headersOfBody(type, coding, body)]
  return { etag, snapshotId, unchanged, whole, body }
}

function headersOfBody(type: string, coding: Coding, body: Buffer): string[] {
  const headers = ['Content-Type', type, 'Content-Length', String(body.length), 'Accept-Ranges', 'none']
  if (coding !== 'identity') headers.push('Content-Encoding', coding)
  return headers
}

export function setHeaders(res: ServerResponse, headers: readonly string[]): void {
  for (const [i, value] of headers.entries()) if (i % 2 === 1) res.setHeader(headers[i - 1] ?? '', value)
}

/** A strong validator names the bytes, so that each coding of a body has its own (RFC 9110 §8.8.3.3). */
const etagOf = (hash: string, coding: Coding): string =>
  `"${hash}${coding === 'identity' ? '' : `-${coding}`}"`

/** Only GET and HEAD are answered with 304. */
export const isNotModified = (req: IncomingMessage, etag: string): boolean =>
  (req.method === 'GET' || req.method === 'HEAD') && isValidatedBy(req.headers['if-none-match'], etag)

/** Whether If-None-Match names `etag` (RFC 9110 §13.1.2): a list or `*`, compared weakly. */
export function isValidatedBy(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  return (ifNoneMatch.match(/(W\/)?"[^"]*"/g) ?? []).some((tag) => tag.replace(/^W\//, '') === etag)
}

export function sendJsonBytes(res: ServerResponse, status: number, type: string, body: Buffer): void {
  res.statusCode = status
  res.setHeader('Content-Type', type)
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Content-Length', body.length)
  res.end(body)
}
