/**
 * Clients that others wrote, each behind the same few verbs. What a client of these is known to stumble over stands
 * beside it; none of it may happen here.
 */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import * as openid from 'openid-client'
import { REDIRECT_URI, SECRET } from '../harness.ts'

const require = createRequire(import.meta.url)
/** Read from beside the entry point: not every package lets its package.json be imported. */
const versionOf = (name: string): string =>
  (require(`../../../../node_modules/${name}/package.json`) as { version: string }).version

const ID = 'reports'
const SCOPE = 'openid profile email read:company'

export interface Tokens {
  readonly access: string
  readonly refresh: string
}

export interface Flow {
  /** Where the user's browser is sent. */
  readonly url: string
  exchange(callback: URL): Promise<Tokens>
  /** The library's own way, where it has one. */
  userInfo?(tokens: Tokens): Promise<unknown>
  refresh?(tokens: Tokens): Promise<Tokens>
  revoke?(tokens: Tokens): Promise<unknown>
}

export interface ThirdParty {
  readonly name: string
  readonly version: string | Promise<string>
  begin(issuer: string): Promise<Flow>
}

interface Answer {
  readonly access_token: string
  readonly refresh_token: string
}
const tokensOf = ({ access_token, refresh_token }: Answer): Tokens => ({
  access: access_token,
  refresh: refresh_token,
})
const authorizeParameters = (state: string) => ({ redirect_uri: REDIRECT_URI, scope: SCOPE, state })

/**
 * Discovers only at well-known addresses, compares the issuer byte for byte, insists on `iss` once it is advertised,
 * on `sub` in the user info, and throws on a `state` that it did not send.
 */
const openidClient: ThirdParty = {
  name: 'openid-client',
  version: versionOf('openid-client'),
  begin: async (issuer) => {
    const config = await openid.discovery(new URL(issuer), ID, undefined, openid.ClientSecretPost(SECRET), {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    })
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const expectedState = openid.randomState()
    const url = openid.buildAuthorizationUrl(config, {
      ...authorizeParameters(expectedState),
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    })
    return {
      url: url.href,
      exchange: async (callback) =>
        tokensOf(
          (await openid.authorizationCodeGrant(config, callback, {
            pkceCodeVerifier,
            expectedState,
          })) as unknown as Answer,
        ),
      userInfo: ({ access }) => openid.fetchUserInfo(config, access, 'ann'),
      refresh: async ({ refresh }) =>
        tokensOf((await openid.refreshTokenGrant(config, refresh)) as unknown as Answer),
      revoke: ({ refresh }) => openid.tokenRevocation(config, refresh),
    }
  },
}

/** The same with what it does by default: OpenID Connect, with a nonce and a greatest age of the sign-in. */
const openidClientByDefault: ThirdParty = {
  name: 'openid-client (OpenID Connect)',
  version: versionOf('openid-client'),
  begin: async (issuer) => {
    const config = await openid.discovery(new URL(issuer), ID, SECRET, undefined, {
      execute: [openid.allowInsecureRequests],
    })
    const expectedNonce = openid.randomNonce()
    const parameters = { ...authorizeParameters('openid'), nonce: expectedNonce, max_age: '3600' }
    return {
      url: openid.buildAuthorizationUrl(config, parameters).href,
      exchange: async (callback) => {
        const checks = { expectedNonce, expectedState: 'openid', maxAge: 3600, idTokenExpected: true }
        const tokens = await openid.authorizationCodeGrant(config, callback, checks)
        if (tokens.claims()?.name !== 'Ann Åkesson') throw new Error(JSON.stringify(tokens.claims()))
        return tokensOf(tokens as unknown as Answer)
      },
      userInfo: ({ access }) => openid.fetchUserInfo(config, access, 'ann'),
      refresh: async ({ refresh }) =>
        tokensOf((await openid.refreshTokenGrant(config, refresh)) as unknown as Answer),
      revoke: ({ refresh }) => openid.tokenRevocation(config, refresh),
    }
  },
}

interface OldClient {
  authorizationUrl(parameters: object): string
  callbackParams(url: string): object
  callback(redirectUri: string, parameters: object, checks: object): Promise<Answer & { claims(): object }>
  userinfo(access: string): Promise<unknown>
  refresh(refresh: string): Promise<Answer>
  revoke(token: string): Promise<void>
}

/** Discovers OpenID Connect alone, authenticates with Basic where that is offered, and requires an ID token. */
const openidClient5: ThirdParty = {
  name: 'openid-client 5',
  version: versionOf('openid-client-5'),
  begin: async (issuer) => {
    const { Issuer } = require('openid-client-5') as {
      Issuer: { discover(url: string): Promise<{ Client: new (metadata: object) => OldClient }> }
    }
    const { Client } = await Issuer.discover(issuer)
    const client = new Client({ client_id: ID, client_secret: SECRET, redirect_uris: [REDIRECT_URI] })
    const checks = { state: 'old', nonce: 'of-the-old', max_age: 3600 }
    return {
      url: client.authorizationUrl({ scope: SCOPE, ...checks }),
      exchange: async (callback) =>
        tokensOf(await client.callback(REDIRECT_URI, client.callbackParams(callback.href), checks)),
      userInfo: ({ access }) => client.userinfo(access),
      refresh: async ({ refresh }) => tokensOf(await client.refresh(refresh)),
      revoke: ({ refresh }) => client.revoke(refresh),
    }
  },
}

interface SimpleToken {
  readonly token: Answer
  refresh(): Promise<SimpleToken>
  revokeAll(): Promise<void>
}

/**
 * Authenticates with Basic unless told otherwise, form-encoded inside; its paths default to /oauth/…. Where a refresh
 * answers without `refresh_token`, it forgets the one it has (lib/access-token.js), and the next refresh sends none.
 * It takes no answer but JSON, not even to a revocation.
 */
const simpleOauth2 = (authorizationMethod: 'header' | 'body'): ThirdParty => ({
  name: `simple-oauth2 (${authorizationMethod})`,
  version: versionOf('simple-oauth2'),
  begin: async (issuer) => {
    const { AuthorizationCode } = require('simple-oauth2') as {
      AuthorizationCode: new (
        options: object,
      ) => {
        authorizeURL(parameters: object): string
        getToken(parameters: object): Promise<SimpleToken>
      }
    }
    const client = new AuthorizationCode({
      client: { id: ID, secret: SECRET },
      auth: {
        tokenHost: issuer,
        tokenPath: '/oauth2/token',
        authorizePath: '/oauth2/authorize',
        revokePath: '/oauth2/revoke',
      },
      options: { authorizationMethod },
    })
    let token: SimpleToken
    return {
      url: client.authorizeURL(authorizeParameters('simple')),
      exchange: async (callback) => {
        const code = callback.searchParams.get('code')
        token = await client.getToken({ code, redirect_uri: REDIRECT_URI })
        return tokensOf(token.token)
      },
      // Its own object is refreshed, again and again: that is where it would lose the token.
      refresh: async () => {
        token = await token.refresh()
        return tokensOf(token.token)
      },
      revoke: () => token.revokeAll(),
    }
  },
})

interface NodeOauth {
  useAuthorizationHeaderforGET(on: boolean): void
  get(url: string, token: string, done: (failure: unknown, body: string) => void): void
  getOAuthAccessToken(
    token: string,
    parameters: object,
    done: (failure: unknown, access: string, refresh: string) => void,
  ): void
}
interface Strategy {
  readonly _oauth2: NodeOauth
  authenticate(req: object, options?: object): void
}

/** What passport does with a strategy: an object of its own with the four outcomes, and a session. */
function authenticator(strategy: Strategy): (query: object) => Promise<unknown> {
  const session = {}
  return (query) =>
    new Promise((resolve, reject) => {
      const outcomes = { success: resolve, redirect: resolve, fail: reject, error: reject }
      Object.assign(Object.create(strategy) as Strategy, outcomes).authenticate({
        query,
        session,
        headers: {},
      })
    })
}

/**
 * Keeps state and the code verifier in the session. Its profile request would put the token into the query: the switch
 * `useAuthorizationHeaderforGET` is what users of it have to set. Refreshing is left to its inner client.
 */
const passportOauth2: ThirdParty = {
  name: 'passport-oauth2',
  version: versionOf('passport-oauth2'),
  begin: async (issuer) => {
    const OAuth2Strategy = require('passport-oauth2') as new (
      options: object,
      verify: (...values: unknown[]) => void,
    ) => Strategy
    const strategy = new OAuth2Strategy(
      {
        authorizationURL: `${issuer}/oauth2/authorize`,
        tokenURL: `${issuer}/oauth2/token`,
        clientID: ID,
        clientSecret: SECRET,
        callbackURL: REDIRECT_URI,
        scope: SCOPE.split(' '),
        state: true,
        pkce: true,
      },
      (access, refresh, _profile, done) =>
        (done as (failure: null, user: object) => void)(null, { access, refresh }),
    )
    strategy._oauth2.useAuthorizationHeaderforGET(true)
    const authenticate = authenticator(strategy)
    return {
      url: (await authenticate({})) as string,
      exchange: async (callback) => (await authenticate(Object.fromEntries(callback.searchParams))) as Tokens,
      userInfo: ({ access }) =>
        new Promise((resolve, reject) => {
          strategy._oauth2.get(`${issuer}/oauth2/user-info`, access, (failure, body) =>
            failure ? reject(failure) : resolve(JSON.parse(body)),
          )
        }),
      refresh: ({ refresh: token }) =>
        new Promise((resolve, reject) => {
          const form = { grant_type: 'refresh_token' }
          strategy._oauth2.getOAuthAccessToken(token, form, (failure, access, refresh) =>
            failure ? reject(failure) : resolve({ access, refresh }),
          )
        }),
    }
  },
}

/** Reads the ID token and then the user info; refreshing is left to its inner client. */
const passportOpenId: ThirdParty = {
  name: 'passport-openidconnect',
  version: versionOf('passport-openidconnect'),
  begin: async (issuer) => {
    const OpenIdStrategy = require('passport-openidconnect') as new (
      options: object,
      verify: (...values: never[]) => void,
    ) => Strategy
    let profile: unknown
    const strategy = new OpenIdStrategy(
      {
        issuer,
        authorizationURL: `${issuer}/oauth2/authorize`,
        tokenURL: `${issuer}/oauth2/token`,
        userInfoURL: `${issuer}/oauth2/user-info`,
        clientID: ID,
        clientSecret: SECRET,
        callbackURL: REDIRECT_URI,
        scope: SCOPE.split(' ').slice(1),
        nonce: true,
        maxAge: 3600,
      },
      // It counts the parameters, and loads the profile where there are nine.
      (
        _issuer: string,
        uiProfile: { readonly _json: unknown },
        idProfile: { readonly displayName: string },
        _context: unknown,
        _idToken: string,
        access: string,
        refresh: string,
        _parameters: unknown,
        done: (failure: null, user: object) => void,
      ) => {
        profile = uiProfile._json
        if (idProfile.displayName !== 'Ann Åkesson') throw new Error(JSON.stringify(idProfile))
        done(null, { access, refresh })
      },
    )
    const authenticate = authenticator(strategy)
    return {
      url: (await authenticate({})) as string,
      exchange: async (callback) => (await authenticate(Object.fromEntries(callback.searchParams))) as Tokens,
      userInfo: async () => profile,
    }
  },
}

/** Of Python: discovers, sends a nonce, and checks the ID token by the published keys. */
const authlib: ThirdParty = {
  name: 'Authlib',
  version: execa('python3', ['-c', 'import authlib; print(authlib.__version__)'], { reject: false }).then(
    ({ stdout }) => stdout || 'missing',
  ),
  begin: async (issuer) => {
    const script = fileURLToPath(new URL('authlib_client.py', import.meta.url))
    const run = async (verb: string, ...more: string[]) => {
      const { stdout } = await execa(
        'python3',
        [script, verb, issuer, ID, SECRET, SCOPE, REDIRECT_URI, ...more],
        {
          env: { AUTHLIB_INSECURE_TRANSPORT: '1' },
        },
      )
      return JSON.parse(stdout) as Answer & { url: string; nonce: string; user: unknown; name: string }
    }
    const { url, nonce } = await run('begin')
    let user: unknown
    return {
      url,
      exchange: async (callback) => {
        const answer = await run('finish', callback.searchParams.get('code')!, nonce)
        if (answer.name !== 'Ann Åkesson') throw new Error(JSON.stringify(answer))
        user = answer.user
        return tokensOf(answer)
      },
      userInfo: async () => user,
    }
  },
}

interface GrantStep {
  readonly location?: string
  readonly session: object
  readonly state: { readonly response: Answer & { readonly profile: unknown; readonly error?: string } }
}

/**
 * Joins scopes with a comma unless told otherwise, sends a `nonce` with OAuth too, and the profile is fetched in the same step. It does
 * not refresh or revoke.
 */
const grant: ThirdParty = {
  name: 'grant',
  version: versionOf('grant'),
  begin: async (issuer) => {
    const create = require('grant/lib/grant') as (options: object) => (input: object) => Promise<GrantStep>
    const step = create({
      config: {
        defaults: { transport: 'state', state: true, nonce: true, pkce: true },
        tieout: {
          oauth: 2,
          authorize_url: `${issuer}/oauth2/authorize`,
          access_url: `${issuer}/oauth2/token`,
          profile_url: `${issuer}/oauth2/user-info`,
          key: ID,
          secret: SECRET,
          scope: SCOPE.split(' '),
          scope_delimiter: ' ',
          redirect_uri: REDIRECT_URI,
          response: ['tokens', 'profile'],
        },
      },
    })
    const input = { method: 'GET', query: {}, body: {}, state: {} }
    const begun = await step({ ...input, params: { provider: 'tieout' }, session: {} })
    let profile: unknown
    return {
      url: begun.location!,
      exchange: async (callback) => {
        const { state } = await step({
          ...input,
          params: { provider: 'tieout', override: 'callback' },
          query: Object.fromEntries(callback.searchParams),
          session: begun.session,
        })
        if (state.response.error !== undefined) throw new Error(JSON.stringify(state.response))
        profile = state.response.profile
        return tokensOf(state.response)
      },
      userInfo: async () => profile,
    }
  },
}

interface ClientOauth2Token {
  readonly accessToken: string
  readonly refreshToken: string
  refresh(): Promise<ClientOauth2Token>
}

/** Not maintained any more and still in use: authenticates with Basic always, not form-encoded inside. */
const clientOauth2: ThirdParty = {
  name: 'client-oauth2',
  version: versionOf('client-oauth2'),
  begin: async (issuer) => {
    const ClientOAuth2 = require('client-oauth2') as new (
      options: object,
    ) => { code: { getUri(): string; getToken(uri: string): Promise<ClientOauth2Token> } }
    const { code } = new ClientOAuth2({
      clientId: ID,
      clientSecret: SECRET,
      accessTokenUri: `${issuer}/oauth2/token`,
      authorizationUri: `${issuer}/oauth2/authorize`,
      redirectUri: REDIRECT_URI,
      scopes: SCOPE.split(' '),
      state: 'client-oauth2',
    })
    let token: ClientOauth2Token
    const pair = () => ({ access: token.accessToken, refresh: token.refreshToken })
    return {
      url: code.getUri(),
      exchange: async (callback) => {
        token = await code.getToken(callback.href)
        return pair()
      },
      refresh: async () => {
        token = await token.refresh()
        return pair()
      },
    }
  },
}

async function curlForm(url: string, form: Record<string, string>): Promise<string> {
  const fields = Object.entries({ client_id: ID, client_secret: SECRET, ...form }).flatMap(
    ([name, value]) => ['--data-urlencode', `${name}=${value}`],
  )
  return (await execa('curl', ['--silent', '--show-error', '--fail-with-body', ...fields, url])).stdout
}

/** No library at all: what stands in the README. */
const curl: ThirdParty = {
  name: 'curl',
  version: execa('curl', ['--version'], { reject: false }).then(
    ({ stdout }) => stdout?.split(' ')[1] ?? 'missing',
  ),
  begin: async (issuer) => {
    const discovered = await execa('curl', ['--silent', '--fail', `${issuer}/auth/oauth-discovery`])
    const { authorization_endpoint, token_endpoint } = JSON.parse(discovered.stdout) as Record<string, string>
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: ID,
      ...authorizeParameters('curl'),
    })
    const ask = async (form: Record<string, string>) =>
      tokensOf(JSON.parse(await curlForm(token_endpoint!, form)) as Answer)
    return {
      url: `${authorization_endpoint}?${query}`,
      exchange: (callback) =>
        ask({
          grant_type: 'authorization_code',
          code: callback.searchParams.get('code')!,
          redirect_uri: REDIRECT_URI,
        }),
      userInfo: async ({ access }) => {
        const header = `Authorization: Bearer ${access}`
        const url = `${issuer}/oauth2/user-info`
        return JSON.parse((await execa('curl', ['--silent', '--fail', '-H', header, url])).stdout)
      },
      refresh: ({ refresh }) => ask({ grant_type: 'refresh_token', refresh_token: refresh }),
      revoke: ({ refresh }) => curlForm(`${issuer}/oauth2/revoke`, { token: refresh }),
    }
  },
}

export const THIRD_PARTIES: readonly ThirdParty[] = [
  openidClient,
  openidClientByDefault,
  openidClient5,
  passportOpenId,
  authlib,
  simpleOauth2('header'),
  simpleOauth2('body'),
  passportOauth2,
  grant,
  clientOauth2,
  curl,
]
