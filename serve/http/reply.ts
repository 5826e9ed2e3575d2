/** How answers and problems of API routes are written: validators, codings, conditional requests, RFC 9457. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Problem } from '../../builder/contract/problem.ts'
import type { Answer } from '../companies/answers.ts'
import { type Coding, type Compressor, chooseCoding } from './encoding.ts'
import { visitOf } from './visit.ts'

/** The form of an answer: its media type, and what besides coding and token it was chosen by. */
export interface Form {
  readonly type: string
  readonly vary?: string
}

export const JSON_TYPE = 'application/json; charset=utf-8'

/** An answer in the form and coding that a request asked for. Headers are names and values in turn. */
export interface Reply {
  readonly etag: string
  /** Of a 304 as of a 200. */
  readonly headers: readonly string[]
  readonly coding: Coding
  readonly type: string
  readonly answer: Answer
}

/** What was answered; no body was sent with a 304. */
export interface Sent {
  readonly reply: Reply
  readonly body: Buffer | null
}

export async function sendAnswer(
  req: IncomingMessage,
  res: ServerResponse,
  answer: Answer,
  compressor: Compressor,
  form: Form = { type: JSON_TYPE },
): Promise<Sent> {
  const reply = replyWith(answer, chooseCoding(req.headers['accept-encoding'], answer.body.length), form)
  const visit = visitOf(req)
  visit.snapshotId = answer.snapshotId
  visit.cached = answer.cached
  setHeaders(res, reply.headers)
  if (isNotModified(req, reply.etag)) {
    res.statusCode = 304
    res.end()
    return { reply, body: null }
  }
  const { coding } = reply
  const body =
    coding === 'identity' ? answer.body : await compressor.compress(answer.hash, answer.body, coding)
  setHeaders(res, headersOfBody(reply, body))
  res.end(body)
  return { reply, body }
}

function replyWith(answer: Answer, coding: Coding, { type, vary }: Form): Reply {
  const etag = etagOf(answer.hash, coding)
  const headers = [
    'ETag',
    etag,
    'Cache-Control',
    'private, no-cache',
    'Vary',
    `${vary === undefined ? '' : `${vary}, `}Authorization, Accept-Encoding`,
  ]
  if (answer.snapshotId !== null) headers.push('Snapshot-Id', answer.snapshotId)
  if (answer.tieOut !== null) headers.push('Tie-Out', answer.tieOut)
  return { etag, headers, coding, type, answer }
}

/** What a 200 says besides. */
export function headersOfBody({ type, coding }: Reply, body: Buffer): string[] {
  const headers = ['Content-Type', type, 'Content-Length', String(body.length), 'Accept-Ranges', 'none']
  if (coding !== 'identity') headers.push('Content-Encoding', coding)
  return headers
}

export function setHeaders(res: ServerResponse, headers: readonly string[]): void {
  for (let i = 0; i < headers.length; i += 2) res.setHeader(headers[i]!, headers[i + 1]!)
}

/** A strong validator names the bytes, so each coding of a body has its own (RFC 9110 §8.8.3.3). */
const etagOf = (hash: string, coding: Coding): string =>
  `"${hash}${coding === 'identity' ? '' : `-${coding}`}"`

/** RFC 9110 §13.1.2: a list or `*`, compared weakly; 304 is an answer to GET and HEAD only. */
export function isNotModified(req: IncomingMessage, etag: string): boolean {
  const given = req.headers['if-none-match']
  if (given === undefined || (req.method !== 'GET' && req.method !== 'HEAD')) return false
  if (given.trim() === '*') return true
  return (given.match(/(W\/)?"[^"]*"/g) ?? []).some((tag) => tag.replace(/^W\//, '') === etag)
}

/** What was said of an answer that could then not be given. */
const OF_CONTENT = [
  'ETag',
  'Snapshot-Id',
  'Tie-Out',
  'Repr-Digest',
  'Content-Encoding',
  'Accept-Ranges',
  'Vary',
] as const

/** Nothing in a problem depends on what the caller may not see. */
export function sendProblem(res: ServerResponse, problem: Problem): void {
  const body = Buffer.from(`${JSON.stringify(problem)}\n`)
  for (const [name, value] of Object.entries(problem.headers)) res.setHeader(name, value)
  for (const name of OF_CONTENT) res.removeHeader(name)
  sendJson(res, problem.status, 'application/problem+json', body)
}

export function sendJson(res: ServerResponse, status: number, type: string, body: Buffer): void {
  res.statusCode = status
  res.setHeader('Content-Type', type)
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Content-Length', body.length)
  res.end(body)
}
