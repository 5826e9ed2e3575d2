/**
 * Decodes form and query parameters strictly: limited in size, well-formed, and each given once (RFC 6749 §3.1,
 * §3.2).
 */
import type { IncomingMessage } from 'node:http'
import { readNoQuery } from '../../builder/contract/requests.ts'
import { bodyOf, isOfType } from '../http/request/request-body.ts'
import { OAuthError } from './errors.ts'

export type Parameters = ReadonlyMap<string, readonly string[]>

const BODY_BYTES_MAX = 16 * 1024

/** RFC 6749 §3.1: a parameter without a value is treated as if it had been omitted. */
function parseParameters(text: string): Parameters {
  const parameters = new Map<string, string[]>()
  for (const pair of text.split('&')) {
    const at = pair.indexOf('=')
    if (at < 1 || at === pair.length - 1) continue
    const name = decode(pair.slice(0, at))
    const values = parameters.get(name)
    const value = decode(pair.slice(at + 1))
    if (values) values.push(value)
    else parameters.set(name, [value])
  }
  return parameters
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new OAuthError('invalid_request', 'a parameter is not percent-encoded UTF-8')
  }
}

export function queryOf(req: IncomingMessage): Parameters {
  const target = req.url ?? ''
  const at = target.indexOf('?')
  return parseParameters(at === -1 ? '' : target.slice(at + 1))
}

/** Throws where an address that takes no parameters is given one, and names it, as every other route does. */
export function requireNoQuery(req: IncomingMessage): void {
  const target = req.url ?? ''
  const at = target.indexOf('?')
  const read = readNoQuery(at === -1 ? '' : target.slice(at + 1))
  if (read.ok) return
  // RFC 6749 §5.2 allows only some characters in a description.
  const names = read.problems.map(({ parameter }) =>
    parameter.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?'),
  )
  throw new OAuthError(
    'invalid_request',
    `parameters that are not known here: ${[...new Set(names)].join(', ')}`,
  )
}

/** The value of `name`, or undefined where it is absent or empty. Throws where it is given twice. */
export function single(parameters: Parameters, name: string): string | undefined {
  const values = parameters.get(name)
  if (values !== undefined && values.length > 1)
    throw new OAuthError('invalid_request', `${name} is given more than once`)
  return values?.[0]
}

export function required(parameters: Parameters, name: string): string {
  const value = single(parameters, name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing`)
  return value
}

export async function readForm(req: IncomingMessage): Promise<Parameters> {
  if (!isOfType(req, 'application/x-www-form-urlencoded'))
    throw new OAuthError('invalid_request', 'the body must be application/x-www-form-urlencoded, in UTF-8')
  const bytes = await bodyOf(req).catch(() => {
    throw new OAuthError('invalid_request', 'the body ended early')
  })
  if (bytes === null || bytes.length > BODY_BYTES_MAX)
    // The rest of the body is not read, so that the connection ends with the answer.
    throw new OAuthError('invalid_request', 'the body is too long', {
      status: 413,
      headers: { Connection: 'close' },
    })
  try {
    return parseParameters(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (failure) {
    if (failure instanceof OAuthError) throw failure
    throw new OAuthError('invalid_request', 'the body is not UTF-8')
  }
}
