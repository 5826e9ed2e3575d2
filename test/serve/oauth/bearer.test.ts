/** Checklist 1.6 (U1–U9) and 1.7 (K1–K4): tokens in requests. */
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { request } from 'node:http'
import { createLocalJWKSet, decodeProtectedHeader, importJWK, type JWK, jwtVerify, SignJWT } from 'jose'
import * as assert from 'uvu/assert'
import { withServerKeys } from '../../../serve/oauth/state/server-state.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import {
  ACME,
  authorizeUrl,
  BETA,
  Browser,
  COMPANIES,
  connect,
  postToken,
  type Running,
  redeem,
  start,
  userInfo,
} from './harness.ts'

const test = suite('bearer')
rememberPasswords(test)
let server: Running
let browser: Browser
let access: string
let refresh: string
test.before(async () => {
  server = await start()
  browser = new Browser(server.issuer)
  const tokens = await connect(server, browser)
  access = tokens.access
  refresh = tokens.refresh
})
test.after(() => server.close())

const challengeOf = (answer: { challenge: string | undefined }): string | undefined =>
  answer.challenge?.replace(/, error_description="[^"]+"/, '')

/** Raw, since fetch would mend what is being tested. */
function ask(headers: string[], query = ''): Promise<{ status: number; challenge: string | undefined }> {
  return new Promise((resolve, reject) => {
    const asked = request(`${server.issuer}/oauth2/user-info${query}`, (answer) => {
      answer.resume()
      resolve({ status: answer.statusCode!, challenge: answer.headers['www-authenticate'] })
    })
    if (headers.length > 0) asked.setHeader('authorization', headers)
    asked.on('error', reject)
    asked.end()
  })
}
const EXPIRED = 'the access token has expired: get another with the refresh token'
const assertInvalid = async (token: string, what: string, told = 'the access token is not valid') => {
  const answer = await ask([`Bearer ${token}`])
  assert.equal(
    [answer.status, challengeOf(answer)],
    [401, 'Bearer realm="tieout", error="invalid_token"'],
    what,
  )
  assert.match(answer.challenge ?? '', `error_description="${told}`, what)
}

test('U1 no token: which scheme, and no error', async () => {
  assert.equal(await ask([]), { status: 401, challenge: 'Bearer realm="tieout"' })
})

test('U2 malformed headers, and a scheme in any case', async () => {
  for (const header of ['Bearer', `Bearer ${access} x`, 'Bearer a,b', 'Bearer é', `Bearer\t${access}`]) {
    const { status } = await ask([Buffer.from(header).toString('latin1')])
    assert.ok(status === 400 || status === 401, header)
  }
  assert.is(challengeOf(await ask(['Bearer a b'])), 'Bearer realm="tieout", error="invalid_request"')
  for (const header of ['Basic eDp5', `Token ${access}`, `Bearerx ${access}`, access])
    assert.equal(await ask([header]), { status: 401, challenge: 'Bearer realm="tieout"' }, header)
  for (const scheme of ['bearer', 'BEARER']) assert.is((await ask([`${scheme} ${access}`])).status, 200)
})

test('U3 tokens that are not, or not any more', async () => {
  const [header, payload, signature] = access.split('.')
  await assertInvalid('x', 'garbage')
  await assertInvalid(refresh, 'a refresh token')
  await assertInvalid(`${header}.${payload}.`, 'no signature')
  await assertInvalid(`${header}.${payload}.${signature!.slice(0, -4)}AAAA`, 'wrong signature')
  server.clock.now += 906_000
  await assertInvalid(access, 'expired', EXPIRED)
  await assertInvalid(`${header}.${payload}.${signature!.slice(0, -4)}AAAA`, 'expired and forged')
  server.clock.now -= 906_000
  assert.is((await ask([`Bearer ${access}`])).status, 200)
})

test('U4 the scope that is lacking is named', async () => {
  const { access: email } = await connect(server, browser, { scope: 'email' })
  const answer = await ask([`Bearer ${email}`])
  assert.is(answer.status, 403)
  assert.is(challengeOf(answer), 'Bearer realm="tieout", error="insufficient_scope", scope="openid"')
})

test('U6 a token in a form is no credential: user-info takes none', async () => {
  const body = new URLSearchParams({ access_token: access })
  const answer = await fetch(`${server.issuer}/oauth2/user-info`, { method: 'POST', body })
  assert.is(answer.status, 405)
})

test('U5 a token in the query is refused, alone or beside the header', async () => {
  for (const headers of [[], [`Bearer ${access}`]]) {
    const answer = await ask(headers, `?access_token=${access}`)
    assert.is(answer.status, 400)
    assert.is(challengeOf(answer), 'Bearer realm="tieout", error="invalid_request"')
  }
})

test('U7 two Authorization headers', async () => {
  assert.is((await ask([`Bearer ${access}`, `Bearer ${access}`])).status, 400)
  assert.is((await ask([`Bearer ${access}`, 'Basic eDp5'])).status, 400)
})

test('U8 nobody else keeps the answer; whoever has it is told so until a company has another snapshot', async () => {
  const answer = await userInfo(server.issuer, access)
  assert.match(answer.headers.get('cache-control')!, /private|no-store/)
  assert.not.match(answer.headers.get('cache-control')!, /public/)
  assert.is(answer.headers.get('vary'), 'Authorization')
  const again = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${access}`, 'if-none-match': answer.headers.get('etag')! }
    return (await fetch(`${server.issuer}/oauth2/user-info`, { headers })).status
  }
  assert.is(await again(), 304)
  const [acme] = COMPANIES
  COMPANIES[0] = { ...acme!, snapshotId: '2025-06-r2-acme' }
  assert.is(await again(), 200)
  COMPANIES[0] = acme!
  assert.is(await again(), 304)
})

test('U9 every token has all members; companies need read:company', async () => {
  const info = async (scope: string) => {
    const { access: token } = await connect(server, browser, { scope })
    return (await userInfo(server.issuer, token)).json()
  }
  const person = { Email: 'ann@example.com', FirstName: 'Ann', LastName: 'Åkesson' }
  const nothing = { Id: 'ann', sub: 'ann', ...person, CompanyDetails: [] }
  assert.equal(await info('openid'), nothing)
  assert.equal(await info('openid email profile'), nothing)
  assert.equal(await info('read:company'), { ...nothing, CompanyDetails: [ACME, BETA] })
})

test('U9 a parameter is refused by name, after the token and its scope', async () => {
  const ask = (token: string, query: string) =>
    fetch(`${server.issuer}/oauth2/user-info?${query}`, { headers: { authorization: `Bearer ${token}` } })
  for (const [query, named] of [
    ['schema=openid', 'schema'],
    ['a=', 'a'],
    ['b', 'b'],
    ['x=1&x=2&y=3', 'x, y'],
    ['%22%0a=1', '??'],
    ['%zz', 'query'],
  ] as const) {
    const answer = await ask(access, query)
    assert.is(answer.status, 400, query)
    const body = (await answer.json()) as { error: string; error_description: string }
    assert.is(body.error, 'invalid_request')
    assert.ok(body.error_description.endsWith(`: ${named}`), body.error_description)
  }
  assert.is((await ask(access, '')).status, 200)
  assert.is((await ask('x', 'schema=openid')).status, 401)
})

test('C6 only the companies of this consent', async () => {
  const callback = await browser.allow(authorizeUrl(server.issuer, { scope: 'read:company' }), ['beta'])
  const { body } = await redeem(server.issuer, callback.searchParams.get('code')!)
  const info = (await (await userInfo(server.issuer, body.access_token)).json()) as Record<string, unknown>
  assert.equal(info.CompanyDetails, [BETA])
})

test('K1 RFC 9068, verifiable from the published keys', async () => {
  const jwks = (await (await fetch(`${server.issuer}/oauth2/jwks`)).json()) as { keys: JWK[] }
  const { payload, protectedHeader } = await jwtVerify(access, createLocalJWKSet(jwks), {
    issuer: server.issuer,
    audience: server.issuer,
    typ: 'at+jwt',
    currentDate: new Date(server.clock.now),
  })
  assert.equal(protectedHeader, { alg: 'RS256', typ: 'at+jwt', kid: jwks.keys[0]!.kid })
  for (const claim of ['sub', 'client_id', 'jti', 'scope']) assert.type(payload[claim], 'string', claim)
  assert.is(payload.exp! - payload.iat!, 900)
})

test('K2 K3 forged and incomplete tokens', async () => {
  const { keys } = (await withServerKeys(server.state, (place) => place.read()))!
  const { kid, jwk } = keys.signing[0]!
  const key = await importJWK(jwk, 'RS256')
  const claims = JSON.parse(Buffer.from(access.split('.')[1]!, 'base64url').toString())
  const good = { alg: 'RS256', typ: 'at+jwt', kid }
  assert.equal(decodeProtectedHeader(access), good)
  const sign = (header: object, changes: object = {}, by: Parameters<SignJWT['sign']>[0] = key) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader(header as typeof good).sign(by)
  assert.is((await ask([`Bearer ${await sign(good)}`])).status, 200, 'the way this test signs works')

  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const unsigned = `${encode({ alg: 'none', typ: 'at+jwt', kid })}.${encode(claims)}`
  await assertInvalid(`${unsigned}.`, 'none')
  const publicPem = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({
    type: 'spki',
    format: 'pem',
  })
  const hs = `${encode({ alg: 'HS256', typ: 'at+jwt', kid })}.${encode(claims)}`
  for (const secret of [publicPem, String(jwk.n)])
    await assertInvalid(`${hs}.${createHmac('sha256', secret).update(hs).digest('base64url')}`, 'HS256')

  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const foreignJwk = foreign.publicKey.export({ format: 'jwk' })
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  await assertInvalid(await sign(good, {}, foreign.privateKey), 'another key')
  await assertInvalid(await sign({ ...good, jwk: foreignJwk }, {}, foreign.privateKey), 'jwk')
  await assertInvalid(await sign({ ...good, jku: 'https://evil.example' }, {}, foreign.privateKey), 'jku')
  await assertInvalid(await sign({ ...good, alg: 'ES256' }, {}, curve), 'ES256')
  await assertInvalid(await sign({ ...good, alg: 'PS256' }, {}, foreign.privateKey), 'PS256')
  await assertInvalid(await sign({ ...good, kid: 'unknown' }), 'unknown kid')
  await assertInvalid(await sign({ alg: 'RS256', typ: 'at+jwt' }), 'no kid')
  await assertInvalid(await sign({ ...good, typ: 'JWT' }), 'typ')
  await assertInvalid(await sign({ alg: 'RS256', kid }), 'no typ')
  const crit = `${encode({ ...good, crit: ['x'], x: 1 })}.${encode(claims)}.${access.split('.')[2]}`
  await assertInvalid(crit, 'crit')

  for (const claim of ['exp', 'iat', 'sub', 'jti', 'client_id', 'iss', 'aud', 'gid', 'scope'])
    await assertInvalid(await sign(good, { [claim]: undefined }), `no ${claim}`)
  await assertInvalid(await sign(good, { iss: 'https://evil.example' }), 'iss')
  await assertInvalid(await sign(good, { aud: 'reports' }), 'aud')
  await assertInvalid(await sign(good, { gid: 'x'.repeat(43) }), 'unknown grant')
  await assertInvalid(
    await sign(good, { iat: claims.iat + 60, exp: claims.exp + 60 }),
    'issued in the future',
  )
  await assertInvalid(await sign(good, { nbf: claims.iat + 60 }), 'not yet')
  assert.is(
    (await ask([`Bearer ${await sign(good, { exp: claims.iat - 3 })}`])).status,
    200,
    'within tolerance',
  )
  await assertInvalid(await sign(good, { exp: claims.iat - 6 }), 'expired', EXPIRED)
})

test('K4 variants of the text of a token get nothing past the grant', async () => {
  const { access: token } = await connect(server, browser)
  await postToken(server.issuer, { token }, {}, '/oauth2/revoke')
  for (const variant of [token, `${token} `, `${token}=`, `${token}==`]) {
    const { status } = await ask([`Bearer ${variant}`])
    assert.is(status, 401, JSON.stringify(variant))
  }
})

test('a demo token works, within access.yaml, and ends', async () => {
  const token = await server.oauth.issueDemoToken('ann', 'reports', ['acme', 'secret'], 60)
  const info = (await (await userInfo(server.issuer, token)).json()) as Record<string, unknown>
  assert.equal(info.CompanyDetails, [ACME])
  server.clock.now += 66_000
  await assertInvalid(token, 'expired', EXPIRED)
  server.clock.now -= 66_000
  for (const [user, client] of [
    ['nobody', 'reports'],
    ['ann', 'nobody'],
  ] as const) {
    const failure = await server.oauth.issueDemoToken(user, client, [], 60).catch((error) => error)
    assert.instance(failure, Error)
  }
})

test('a token that was verified before is refused as soon as it or its grant has ended', async () => {
  const { access: token } = await connect(server, browser)
  const status = async () => (await ask([`Bearer ${token}`])).status
  assert.is(await status(), 200)
  assert.is(await status(), 200)
  server.clock.now += 906_000
  assert.is(await status(), 401, 'expired')
  server.clock.now -= 906_000
  assert.is(await status(), 200)
  await postToken(server.issuer, { token }, {}, '/oauth2/revoke')
  assert.is(await status(), 401, 'revoked')
})
