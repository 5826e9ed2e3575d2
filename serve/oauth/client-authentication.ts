/** Authenticates clients at the token and revocation endpoints: client_secret_post and Basic (RFC 6749 §2.3). */
import type { IncomingMessage } from 'node:http'
import type { Client } from '../../builder/workspace/access/access.ts'
import { secretHash } from '../../builder/workspace/access/access-edit.ts'
import { OAuthError } from './errors.ts'
import { sameSecret } from './keys/secret.ts'
import { type Parameters, single } from './parameters.ts'
import type { OAuthServer } from './server.ts'

interface Credentials {
  readonly id: string
  readonly secret: string
  readonly basic: boolean
}

/** Compared where the client does not exist, so that both refusals take equally long. */
const NOBODY = ['sha256:']

export interface AuthenticatedClient {
  readonly client: Client
  /** Whether the secret is still valid; called inside the write that depends on it. */
  isStillRight(): boolean
}

export function authenticateClient(
  server: OAuthServer,
  req: IncomingMessage,
  form: Parameters,
): AuthenticatedClient {
  const { id, secret, basic } = credentials(req, form)
  const client = server.access.client(id)
  const hash = secretHash(secret)
  const isSecretOf = (one: Client | undefined): boolean =>
    (one?.secretHashes ?? NOBODY).filter((known) => sameSecret(known, hash)).length > 0
  const isRight = isSecretOf(client)
  if (client === undefined || !isRight) {
    server.log({ event: 'client-refused', client: client?.id ?? null })
    throw invalidClient(basic)
  }
  return { client, isStillRight: () => isSecretOf(server.access.client(id)) }
}

function credentials(req: IncomingMessage, form: Parameters): Credentials {
  // Some clients send the bearer token that they refresh. It says nothing about who the client is.
  const headers = (req.headersDistinct.authorization ?? []).filter((header) => !/^Bearer /i.test(header))
  const id = single(form, 'client_id')
  const secret = single(form, 'client_secret')
  if (headers.length > 1 || (headers.length === 1 && secret !== undefined))
    throw new OAuthError('invalid_request', 'the client authenticates in more than one way')
  const [header] = headers
  if (header !== undefined) {
    const basic = parseBasic(header)
    if (id !== undefined && id !== basic.id)
      throw new OAuthError('invalid_request', 'client_id differs from the Authorization header')
    return basic
  }
  if (id === undefined || secret === undefined)
    throw invalidClient(
      false,
      `${id === undefined ? 'client_id' : 'client_secret'} is missing: send both in the body of the form`,
    )
  return { id, secret, basic: false }
}

/** RFC 6749 §2.3.1: id and secret are form-encoded inside the base64. */
function parseBasic(header: string): Credentials {
  const coded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1] ?? ''
  const text = Buffer.from(coded, 'base64').toString('utf8')
  const at = text.indexOf(':')
  if (at < 1) throw invalidClient(true)
  try {
    const decode = (part: string) => decodeURIComponent(part.replaceAll('+', ' '))
    return { id: decode(text.slice(0, at)), secret: decode(text.slice(at + 1)), basic: true }
  } catch {
    throw invalidClient(true)
  }
}

/** RFC 6749 §5.2: the challenge is sent only to clients that used the header; for others it would hide the error. */
const invalidClient = (basic: boolean, description = 'client authentication failed'): OAuthError =>
  new OAuthError('invalid_client', description, {
    headers: basic ? { 'WWW-Authenticate': 'Basic realm="tieout", charset="UTF-8"' } : {},
  })
