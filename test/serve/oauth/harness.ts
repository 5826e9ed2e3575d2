/** A running authorization server over a temporary folder, and a browser without a screen to drive it with. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { createAccess } from '../../../builder/workspace/access/access.ts'
import { secretHash } from '../../../builder/workspace/access/access-edit.ts'
import type { StatePlace } from '../../../builder/workspace/workspace.ts'
import { createAddressOf } from '../../../serve/http/request/client-address.ts'
import { createOAuth, type OAuth, type OAuthOptions } from '../../../serve/oauth/oauth.ts'
import { OWN_PASSWORDS, type Passwords } from '../../../serve/oauth/people/passwords.ts'
import type { OAuthEvent, PublishedCompany } from '../../../serve/oauth/server.ts'
import { OAUTH_RECORDS } from '../../../serve/oauth/state/records.ts'
import { openServerState } from '../../../serve/oauth/state/server-state.ts'
import type { Store } from '../../../serve/store/store.ts'
import { isShared, stateOf } from '../../support/state.ts'

/** One hash takes most of a second: this is the stored one of PASSWORD. */
export const PASSWORD = 'correct horse battery staple'
export const PASSWORD_HASH =
  '$scrypt$ln=17,r=8,p=1$lRIXlA6a79oZWyV+XQDm5w$+61DzEYsraJhtfOmNOF1z2Nvawp/zAYBsl9Wg8ouNms'
export const SECRET = 'a-secret-of-the-reporting-client'
export const OTHER_SECRET = 'a-secret-of-the-other-client'
export const REDIRECT_URI = 'https://client.example/callback'
export const OTHER_REDIRECT_URI = 'https://other.example/cb?tenant=1'

export const ANN = { id: 'ann', email: 'ann@example.com' }
export const ACCESS_YAML = `users:
  - id: ann
    email: ann@example.com
    firstName: Ann
    lastName: Åkesson
    companies: [beta, acme, gone]
    password: ${PASSWORD_HASH}
  - id: bob
    email: bob@example.com
    firstName: Bob
    lastName: Berg
    companies: []
    password: ${PASSWORD_HASH}
clients:
  - id: reports
    name: Reports & <Friends>
    secretHashes: [${secretHash(SECRET)}, ${secretHash('an-older-secret')}]
    redirectUris: [${REDIRECT_URI}, "http://127.0.0.1/native"]
    allowLoopbackPort: true
  - id: other
    name: Other
    secretHashes: [${secretHash(OTHER_SECRET)}]
    redirectUris: ["${OTHER_REDIRECT_URI}"]
  - id: strict
    name: Strict
    secretHashes: [${secretHash(SECRET)}]
    redirectUris: [${REDIRECT_URI}]
    requirePkce: true
`
const published = (id: string, name: string): PublishedCompany => ({
  ...{ id, name, snapshotId: `2025-06-r1-${id}`, booksThrough: '2025-06' },
})
export const COMPANIES = [
  published('acme', 'Acme Trading'),
  published('beta', 'Béta <AB>'),
  published('secret', 'Not Ann’s'),
]
/** As user-info describes them. */
export const [ACME, BETA] = COMPANIES.map(({ id, name, snapshotId, booksThrough }) => ({
  ...{ Id: id, Name: name, SnapshotId: snapshotId, BooksThrough: booksThrough },
}))

const QUICK = '$scrypt$ln=17,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$'
const quickHash = (password: string): string =>
  QUICK + createHash('sha256').update(password).digest('base64').replace('=', '')
/** In the form of the real ones, without their cost; checks real ones too. */
const QUICK_PASSWORDS: Passwords = {
  ...OWN_PASSWORDS,
  hash: async (password) => quickHash(password),
  verify: async (password, hash) => {
    if (hash === undefined || hash === PASSWORD_HASH) return hash !== undefined && password === PASSWORD
    return hash.startsWith(QUICK) ? hash === quickHash(password) : OWN_PASSWORDS.verify(password, hash)
  },
}

export interface Running {
  readonly issuer: string
  /** Where it listens; differs from the issuer only behind a proxy. */
  readonly address: string
  readonly folder: string
  readonly state: StatePlace
  readonly events: OAuthEvent[]
  readonly clock: { now: number }
  oauth: OAuth & { readonly store: Store }
  setAccess(yaml: string): void
  /** Closes and opens again on the same state and address. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** With a store of its own, which it closes too. */
export async function openOAuth({
  state: place,
  ...options
}: Omit<OAuthOptions, 'store' | 'keys'> & { readonly state: StatePlace }): Promise<
  OAuth & { readonly store: Store }
> {
  const {
    store,
    keys,
    throttle,
    isShared: _,
    ...state
  } = await openServerState(place, OAUTH_RECORDS, options.log)
  const oauth = await createOAuth({ throttle, ...options, store, keys }).catch(async (problem) => {
    await state.close()
    throw problem
  })
  return {
    ...oauth,
    store,
    close: async () => {
      await oauth.close()
      await state.close()
    },
  }
}

export async function start(publicIssuer?: string, parent = tmpdir()): Promise<Running> {
  const folder = mkdtempSync(join(parent, 'tieout-oauth-'))
  const accessFile = join(folder, 'access.yaml')
  writeFileSync(accessFile, ACCESS_YAML, { mode: 0o600 })
  const state = await stateOf(folder)
  const clock = { now: Date.now() }
  const events: OAuthEvent[] = []
  let oauth: Running['oauth']
  const http: Server = createServer((req, res) => {
    const path = req.url!.split('?')[0]
    const routes = oauth.routes.filter((route) => route.path === path)
    const route = routes.find(
      (candidate) => candidate.method === (req.method === 'HEAD' ? 'GET' : req.method),
    )
    res.setHeader('Request-Id', 'request-1')
    if (route) void route.handle(req, res)
    else res.writeHead(routes.length > 0 ? 405 : 404).end()
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const issuer = publicIssuer ?? address
  const open = () =>
    openOAuth({
      issuer,
      state,
      // Files change faster here than the interval between two looks at them.
      access: createAccess(accessFile, { now: tickingClock() }),
      companies: () => COMPANIES,
      accessTokenSeconds: 900,
      // As behind one proxy: a request may come from wherever a test says.
      addressOf: createAddressOf(1),
      // Hashes take most of the time of these tests, and are the same whatever keeps the state.
      ...(isShared ? { passwords: QUICK_PASSWORDS } : {}),
      now: () => clock.now,
      log: (event) => events.push(event),
    })
  oauth = await open()
  const running: Running = {
    issuer,
    address,
    folder,
    state,
    events,
    clock,
    oauth,
    setAccess: (yaml) => writeFileSync(accessFile, yaml),
    restart: async () => {
      await oauth.close()
      oauth = await open()
      running.oauth = oauth
    },
    close: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
      await oauth.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return running
}

const tickingClock = () => {
  let now = 0
  return () => (now += 1000)
}

/** Keeps cookies and follows nothing by itself. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly issuer: string
  constructor(issuer: string) {
    this.issuer = issuer
  }

  async request(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(cookie === '' ? {} : { cookie }), ...(init.headers as Record<string, string>) }
    const response = await fetch(new URL(url, this.issuer), { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (value === '') this.cookies.delete(name!)
      else this.cookies.set(name!, value!)
    }
    return response
  }

  post(url: string, form: Record<string, string> | [string, string][], headers = {}): Promise<Response> {
    return this.request(url, { method: 'POST', body: new URLSearchParams(form), headers })
  }

  /** Follows redirects within the server; gives the last answer, or the redirect that leaves it. */
  async follow(response: Response): Promise<Response> {
    const location = response.headers.get('location')
    if (location === null || !new URL(location, this.issuer).href.startsWith(this.issuer)) return response
    return this.follow(await this.request(location))
  }

  /** Signs in at a page that asks for it; gives what comes then. */
  async signIn(to: string, email = ANN.email, password = PASSWORD): Promise<Response> {
    const { action, hidden } = await readPage(await this.follow(await this.request(to)))
    return this.follow(await this.post(action!, { ...hidden, email, password }))
  }

  /** Goes from an authorization URL to the consent page, signing in where asked. */
  async toConsent(url: string, email = ANN.email, password = PASSWORD): Promise<Page> {
    let page = await readPage(await this.follow(await this.request(url)))
    if (page.action?.endsWith('/oauth2/login'))
      page = await readPage(
        await this.follow(await this.post(page.action, { ...page.hidden, email, password })),
      )
    return page
  }

  /** The whole flow: gives the address the client is called back at. */
  async allow(url: string, companies: readonly string[] = ['acme', 'beta']): Promise<URL> {
    const page = await this.toConsent(url)
    const form = [...Object.entries(page.hidden), ['decision', 'allow'] as [string, string]]
    for (const company of companies) form.push(['company', company])
    const response = await this.post(page.action!, form)
    const location = response.headers.get('location')
    if (location === null) throw new Error(`not redirected: ${response.status} ${await response.text()}`)
    return new URL(location)
  }
}

export interface Page {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Of the last form, the one that decides. */
  readonly action: string | undefined
  readonly hidden: Record<string, string>
}

export async function readPage(response: Response): Promise<Page> {
  const text = await response.text()
  const form = text.slice(Math.max(0, text.lastIndexOf('<form')))
  const hidden = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)]
  return {
    status: response.status,
    headers: response.headers,
    text,
    action: /action="([^"]*)"/.exec(form)?.[1],
    hidden: Object.fromEntries(hidden.map((match) => [match[1]!, match[2]!])),
  }
}

export function authorizeUrl(issuer: string, parameters: Record<string, string | undefined> = {}): string {
  const all = {
    response_type: 'code',
    client_id: 'reports',
    redirect_uri: REDIRECT_URI,
    scope: 'openid profile email read:company',
    state: 's1',
    ...parameters,
  }
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `${issuer}/oauth2/authorize?${new URLSearchParams(given)}`
}

export interface TokenAnswer {
  readonly status: number
  readonly headers: Headers
  /** As read; every member may be absent. */
  readonly body: {
    readonly access_token: string
    readonly refresh_token: string
    readonly id_token: string
    readonly token_type: string
    readonly expires_in: number
    readonly scope: string
    readonly error: string
    readonly error_description: string
  }
}

export async function postToken(
  issuer: string,
  form: Record<string, string | undefined> | string,
  headers: Record<string, string> = {},
  path = '/oauth2/token',
): Promise<TokenAnswer> {
  const given =
    typeof form === 'string'
      ? form
      : new URLSearchParams(
          Object.entries({ client_id: 'reports', client_secret: SECRET, ...form }).filter(
            (entry): entry is [string, string] => entry[1] !== undefined,
          ),
        ).toString()
  const response = await fetch(issuer + path, {
    method: 'POST',
    body: given,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? null : JSON.parse(text),
  }
}

export const redeem = (
  issuer: string,
  code: string,
  more: Record<string, string | undefined> = {},
): Promise<TokenAnswer> =>
  postToken(issuer, { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...more })

export const refreshWith = (
  issuer: string,
  refresh_token: string,
  more: Record<string, string | undefined> = {},
): Promise<TokenAnswer> => postToken(issuer, { grant_type: 'refresh_token', refresh_token, ...more })

export const userInfo = (issuer: string, token: string): Promise<Response> =>
  fetch(`${issuer}/oauth2/user-info`, { headers: { authorization: `Bearer ${token}` } })

/** A code and its tokens, in a browser that may be signed in already. */
export async function connect(
  server: Pick<Running, 'issuer'>,
  browser: Browser,
  parameters: Record<string, string | undefined> = {},
): Promise<{ code: string; access: string; refresh: string }> {
  const code = (await browser.allow(authorizeUrl(server.issuer, parameters))).searchParams.get('code')!
  const { body } = await redeem(server.issuer, code)
  return { code, access: body.access_token, refresh: body.refresh_token }
}

/** 503 in the form of RFC 6749 §5.2. */
export function assertUnavailable({ status, headers, body }: TokenAnswer, what: string): void {
  assert.equal([status, body.error], [503, 'temporarily_unavailable'], what)
  assert.match(headers.get('content-type')!, /^application\/json/)
  assert.is(headers.get('retry-after'), '10')
}

export const DAY_MS = 24 * 3600 * 1000
