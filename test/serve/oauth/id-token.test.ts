/** Checklist O: ID tokens (OpenID Connect Core), as a client checks them. */
import { createHash } from 'node:crypto'
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
} from 'jose'
import * as assert from 'uvu/assert'
import { rotateKeys } from '../../../serve/oauth/keys/key-rotation.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { soon } from '../../support/state.ts'
import { authorizeUrl, Browser, type Running, redeem, refreshWith, start, userInfo } from './harness.ts'

const test = suite('id token')
rememberPasswords(test)
let server: Running
let browser: Browser
test.before.each(async () => {
  server = await start()
  browser = new Browser(server.issuer)
})
test.after.each(() => server.close())

const tokensOf = async (parameters: Record<string, string | undefined>) => {
  const code = (await browser.allow(authorizeUrl(server.issuer, parameters))).searchParams.get('code')!
  return (await redeem(server.issuer, code)).body
}

/** As a client does: by the published keys alone. */
async function verified(idToken: string): Promise<JWTPayload> {
  const jwks = (await (await fetch(`${server.issuer}/oauth2/jwks`)).json()) as JSONWebKeySet
  const { payload } = await jwtVerify(idToken, createLocalJWKSet(jwks), {
    algorithms: ['RS256'],
    issuer: server.issuer,
    audience: 'reports',
    requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'at_hash'],
    currentDate: new Date(server.clock.now),
  })
  return payload
}

test('O1 alg, iss, aud, nonce, times and at_hash', async () => {
  const signedIn = Math.floor(server.clock.now / 1000)
  await browser.toConsent(authorizeUrl(server.issuer))
  server.clock.now += 60_000
  const { id_token, access_token } = await tokensOf({ nonce: 'of this request' })
  assert.equal(Object.keys(decodeProtectedHeader(id_token)).sort(), ['alg', 'kid', 'typ'])
  assert.equal(await verified(id_token), {
    iss: server.issuer,
    sub: 'ann',
    aud: 'reports',
    iat: signedIn + 60,
    exp: signedIn + 960,
    auth_time: signedIn,
    nonce: 'of this request',
    at_hash: createHash('sha256').update(access_token).digest().subarray(0, 16).toString('base64url'),
    name: 'Ann Åkesson',
    given_name: 'Ann',
    family_name: 'Åkesson',
    email: 'ann@example.com',
  })
  server.clock.now += 960_000
  const late = await verified(id_token).catch((problem) => problem.code)
  assert.is(late, 'ERR_JWT_EXPIRED')
})

test('O2 no nonce where none was sent, no name and address without their scopes, none without openid', async () => {
  const claims = await verified((await tokensOf({ scope: 'openid read:company' })).id_token)
  for (const absent of ['nonce', 'name', 'email']) assert.not.ok(absent in claims, absent)
  assert.not.ok('id_token' in (await tokensOf({ scope: 'profile email read:company', nonce: 'n' })))
})

test('O3 it is no credential here, and does not come with a refresh', async () => {
  const { id_token, refresh_token } = await tokensOf({})
  assert.is((await userInfo(server.issuer, id_token)).status, 401)
  assert.not.ok('id_token' in (await refreshWith(server.issuer, refresh_token)).body)
})

test('O4 max_age and prompt=login make auth_time new', async () => {
  const { id_token } = await tokensOf({})
  const first = (await verified(id_token)).auth_time as number
  for (const [more, seconds] of [
    [{}, 0],
    [{ max_age: '3600' }, 0],
    [{ max_age: '30' }, 60],
    [{ prompt: 'login' }, 120],
  ] as const) {
    server.clock.now = (first + (seconds || 60)) * 1000
    assert.is(
      (await verified((await tokensOf(more)).id_token)).auth_time,
      first + seconds,
      JSON.stringify(more),
    )
  }
})

test('O5 keys that are rotated verify what they signed until it has expired', async () => {
  const kidOf = ({ id_token }: { id_token: string }) => decodeProtectedHeader(id_token).kid
  const first = kidOf(await tokensOf({}))
  await rotateKeys(server.state, server.clock.now, { longestTokenSeconds: 900, compromised: false })
  server.clock.now += 65 * 60_000
  const last = await tokensOf({})
  assert.is(kidOf(last), first)
  server.clock.now += 10 * 60_000
  const next = await soon(async () => {
    const tokens = await tokensOf({})
    assert.is.not(kidOf(tokens), first)
    return tokens
  })
  for (const { id_token } of [last, next]) await verified(id_token)
})

test('O6 what is published where OpenID Connect looks is complete', async () => {
  const document = await (await fetch(`${server.issuer}/.well-known/openid-configuration`)).json()
  const said = document as Record<string, unknown>
  // OpenID Connect Discovery §3: required, and what counts otherwise where it is absent.
  for (const required of [
    ...['issuer', 'authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'],
    ...['response_types_supported', 'subject_types_supported', 'id_token_signing_alg_values_supported'],
    ...['scopes_supported', 'claims_supported', 'request_uri_parameter_supported'],
  ])
    assert.ok(required in said, required)
  assert.is(said.request_uri_parameter_supported, false)
  assert.equal(said.id_token_signing_alg_values_supported, ['RS256'])
  const claims = Object.keys(await verified((await tokensOf({ nonce: 'n' })).id_token))
  assert.equal(claims.sort(), [...(said.claims_supported as string[])].sort())
})
