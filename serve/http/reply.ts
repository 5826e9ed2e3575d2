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

export async function sendAnswer(
  req: IncomingMessage,
  res: ServerResponse,
  answer: Answer,
  compressor: Compressor,
  { type, vary }: Form = { type: JSON_TYPE },
): Promise<void> {
  const coding = chooseCoding(req.headers['accept-encoding'], answer.body.length)
  const etag = etagOf(answer.hash, coding)
  const visit = visitOf(req)
  visit.snapshotId = answer.snapshotId
  visit.cached = answer.cached
  res.setHeader('ETag', etag)
  res.setHeader('Cache-Control', 'private, no-cache')
  res.setHeader('Vary', `${vary === undefined ? '' : `${vary}, `}Authorization, Accept-Encoding`)
  if (answer.snapshotId !== null) res.setHeader('Snapshot-Id', answer.snapshotId)
  if (answer.tieOut !== null) res.setHeader('Tie-Out', `pass; manifest="sha256-${answer.tieOut}"`)
  if (isNotModified(req, etag)) {
    res.statusCode = 304
    res.end()
    return
  }
  const body =
    coding === 'identity' ? answer.body : await compressor.compress(answer.hash, answer.body, coding)
  res.setHeader('Content-Type', type)
  res.setHeader('Content-Length', body.length)
  res.setHeader('Accept-Ranges', 'none')
  if (coding !== 'identity') res.setHeader('Content-Encoding', coding)
  res.end(body)
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
