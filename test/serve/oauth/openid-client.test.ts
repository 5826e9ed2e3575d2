/** A real OAuth client from discovery to a refreshed token, and across a restart of the server. */
import * as client from 'openid-client'
import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { ACME, BETA, Browser, REDIRECT_URI, type Running, SECRET, start } from './harness.ts'

const test = suite('openid-client')
rememberPasswords(test)
let server: Running
test.before(async () => {
  server = await start()
})
test.after(() => server.close())

test('D4 a client that looks for OpenID Connect first finds the same, and signs in', async () => {
  const config = await client.discovery(
    new URL(server.issuer),
    'reports',
    undefined,
    client.ClientSecretPost(SECRET),
    { execute: [client.allowInsecureRequests] },
  )
  assert.is(config.serverMetadata().issuer, server.issuer)
  const url = client.buildAuthorizationUrl(config, { redirect_uri: REDIRECT_URI, scope: 'read:company' })
  const tokens = await client.authorizationCodeGrant(config, await new Browser(server.issuer).allow(url.href))
  assert.is((await client.fetchUserInfo(config, tokens.access_token, 'ann')).Id, 'ann')
})

test('discovery, consent, code, user-info, three refreshes, a restart, and the end by a replayed code', async () => {
  const config = await client.discovery(
    new URL(server.issuer),
    'reports',
    undefined,
    client.ClientSecretPost(SECRET),
    { algorithm: 'oauth2', execute: [client.allowInsecureRequests] },
  )
  assert.ok(config.serverMetadata().supportsPKCE())
  const verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid profile email phone read:company',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  })
  const callback = await new Browser(server.issuer).allow(url.href)
  const checks = { pkceCodeVerifier: verifier, expectedState: state }
  const tokens = await client.authorizationCodeGrant(config, callback, checks)
  assert.is(tokens.expires_in, 900)
  assert.is(tokens.scope, 'openid profile email phone read:company')

  const info = await client.fetchUserInfo(config, tokens.access_token, 'ann')
  assert.equal(
    { ...info },
    {
      Id: 'ann',
      sub: 'ann',
      Email: 'ann@example.com',
      FirstName: 'Ann',
      LastName: 'Åkesson',
      CompanyDetails: [ACME, BETA],
    },
  )

  let latest = tokens
  for (let i = 0; i < 3; i++) {
    const next = await client.refreshTokenGrant(config, latest.refresh_token!)
    assert.is.not(next.refresh_token, latest.refresh_token)
    await client.fetchUserInfo(config, next.access_token, 'ann')
    latest = next as typeof tokens
  }

  await server.restart()
  await client.fetchUserInfo(config, latest.access_token, 'ann')
  latest = (await client.refreshTokenGrant(config, latest.refresh_token!)) as typeof tokens

  const replayed = await client.authorizationCodeGrant(config, callback, checks).catch((error) => error)
  assert.is(replayed.error, 'invalid_grant')
  const dead = await client.fetchUserInfo(config, latest.access_token, 'ann').catch((error) => error)
  assert.is(dead.status, 401)
  const ended = await client.refreshTokenGrant(config, latest.refresh_token!).catch((error) => error)
  assert.is(ended.error, 'invalid_grant')
})

test('revocation ends the access', async () => {
  const config = await client.discovery(
    new URL(server.issuer),
    'reports',
    undefined,
    client.ClientSecretPost(SECRET),
    { algorithm: 'oauth2', execute: [client.allowInsecureRequests] },
  )
  const url = client.buildAuthorizationUrl(config, { redirect_uri: REDIRECT_URI, scope: 'openid' })
  const callback = await new Browser(server.issuer).allow(url.href, [])
  const tokens = await client.authorizationCodeGrant(config, callback)
  await client.tokenRevocation(config, tokens.refresh_token!)
  const dead = await client.fetchUserInfo(config, tokens.access_token, 'ann').catch((error) => error)
  assert.is(dead.status, 401)
})

test.run()
