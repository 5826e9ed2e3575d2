/** The HTTP front over snapshots made by hand, with an authorization server that knows a few tokens by name. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AdhocRequest } from '../../../builder/contract/adhoc.ts'
import { CompanyAnswers } from '../../../serve/companies/answers.ts'
import { Companies } from '../../../serve/companies/companies.ts'
import type { CompanyEvent } from '../../../serve/companies/company.ts'
import { openPins, PINS } from '../../../serve/companies/pin.ts'
import { FOLDER, type Source } from '../../../serve/companies/source.ts'
import { createReadiness } from '../../../serve/http/health.ts'
import type { Limits } from '../../../serve/http/limits/limits.ts'
import { Load, type LoadOptions } from '../../../serve/http/limits/load.ts'
import { createRateLimiter, type RateLimit } from '../../../serve/http/limits/rate-limit.ts'
import { type ConnectionEvent, type Listening, listen } from '../../../serve/http/listen.ts'
import { createListener } from '../../../serve/http/listener.ts'
import { createAddressOf, createPeerOf } from '../../../serve/http/request/client-address.ts'
import type { AccessEntry } from '../../../serve/http/request/request-context.ts'
import { openServerState } from '../../../serve/oauth/state/server-state.ts'
import { BearerError, type Grant } from '../../../serve/oauth/tokens/grant.ts'
import { stateOf } from '../../support/state.ts'
import { type FixtureCompany, publish, temporaryFolder } from '../companies/fixture.ts'
import { type Client, client } from './client.ts'

type Grants = Record<string, Omit<Grant, 'userId' | 'clientId'>>

export const GRANTS: Grants = {
  owner: {
    grantId: 'g1',
    scopes: new Set(['openid', 'read:company', 'read:ledger']),
    companies: ['acme', 'bare', 'ghost'],
  },
  again: { grantId: 'g1', scopes: new Set(['read:company']), companies: ['acme', 'bare', 'ghost'] },
  second: { grantId: 'g2', scopes: new Set(['read:company']), companies: ['acme'] },
  stranger: { grantId: 'g3', scopes: new Set(['read:company']), companies: ['other'] },
  nobody: { grantId: 'g4', scopes: new Set(['read:company']), companies: [] },
  profile: { grantId: 'g5', scopes: new Set(['openid', 'profile']), companies: ['acme'] },
}

async function authenticate(req: IncomingMessage, grants: Grants): Promise<Grant> {
  const header = req.headers.authorization
  if (header === undefined) throw new BearerError('no_token', 'a bearer token is required')
  if ((req.headersDistinct.authorization?.length ?? 0) > 1)
    throw new BearerError('invalid_request', 'more than one credential')
  const known = grants[header.replace('Bearer ', '')]
  if (known === undefined) throw new BearerError('invalid_token', 'the token is not valid')
  return { ...known, userId: 'u1', clientId: 'c1' }
}

export interface Stand {
  readonly root: string
  readonly port: number
  readonly base: string
  /** Asks as `owner`. */
  readonly ask: Client
  readonly entries: AccessEntry[]
  readonly events: CompanyEvent[]
  /** Bytes that were no request. */
  readonly refused: ConnectionEvent[]
  readonly adhoc: AdhocRequest[]
  /** By token, as they hold at this moment. */
  readonly grants: Grants
  /** Requests of statements that were found to have an answer. */
  asked(): number
  /** What the ad-hoc engine answers with from now on. */
  answerAdhoc(answer: (request: AdhocRequest, signal?: AbortSignal) => Promise<Buffer>): void
  /** The ad-hoc engine holds every query from now on until it is told to finish, which fails them all. */
  holdAdhoc(): HeldQueries
  /** The clock of pins and of looks at pointers. */
  advance(seconds: number): void
  readonly listening: Listening
  close(): Promise<void>
}

const COMPANIES: readonly FixtureCompany[] = [
  { id: 'acme', accounts: 250 },
  { id: 'other', shift: 7, accounts: 2 },
  { id: 'bare', bare: true, bases: ['ACCRUAL'], accounts: 1 },
]

export interface HeldQueries {
  /** Once so many were asked. */
  asked(count: number): Promise<void>
  finish(): void
}

interface StandOptions {
  readonly load?: LoadOptions
  readonly rateLimit?: RateLimit
  readonly hosts?: readonly string[]
  readonly origins?: readonly string[]
  readonly ignoredParameters?: readonly string[]
  readonly limits?: Partial<Limits>
  /** 0: whatever is published shows in the next answer. */
  readonly recheckMs?: number
  /** Where snapshots are brought from; the folder if not given. */
  readonly source?: Source
}

export async function stand(
  companies: readonly FixtureCompany[] = COMPANIES,
  options: StandOptions = {},
): Promise<Stand> {
  const folder = temporaryFolder()
  for (const company of companies) publish(folder.path, company)
  const entries: AccessEntry[] = []
  const events: CompanyEvent[] = []
  const adhoc: AdhocRequest[] = []
  let engine: (request: AdhocRequest, signal?: AbortSignal) => Promise<Buffer> = async () => {
    throw new Error('no answer was prepared')
  }
  let elapsed = 0
  const now = (): number => Date.now() + elapsed * 1000
  const published = new Companies({
    snapshots: folder.path,
    now,
    recheckMs: options.recheckMs ?? 0,
    source: options.source ?? FOLDER,
    log: (event) => events.push(event),
  })
  const state = await openServerState(await stateOf(folder.path), [PINS])
  const pins = openPins(state.store, 600, { isShared: state.isShared, now })
  const answers = new CompanyAnswers({
    snapshots: folder.path,
    companies: published,
    pins,
    adhoc: {
      answer: async (request, signal) => {
        adhoc.push(request)
        return engine(request, signal)
      },
    },
  })
  let asked = 0
  const statementOf = answers.statement.bind(answers)
  answers.statement = async (...of) => {
    const answer = await statementOf(...of)
    asked++
    return answer
  }
  const grants = { ...GRANTS }
  const oauth = {
    authenticate: (req: IncomingMessage) => authenticate(req, grants),
    // Nobody is signed in: reports have tests of their own.
    people: {
      base: '',
      style: '/style.css',
      answer: async (_res: ServerResponse, page: () => Promise<void>) => page(),
      person: async () => null,
      signIn: async (_req: IncomingMessage, res: ServerResponse) => void res.writeHead(303).end(),
    },
    routes: [
      {
        method: 'GET' as const,
        path: '/auth/oauth-discovery',
        handle: async (_req: IncomingMessage, res: ServerResponse) => {
          res.end('{}')
        },
      },
    ],
  }
  const refused: ConnectionEvent[] = []
  const listening = await listen('127.0.0.1', 0, {
    ...(options.limits && { limits: options.limits }),
    peerOf: createPeerOf(0),
    log: (event) => refused.push(event),
  })
  // Server, client and the test's own work share one event loop here: how late it is says nothing, unless a test asks.
  const load = new Load({ lagMs: () => 0, ...options.load })
  listening.serve(
    createListener({
      issuer: 'http://127.0.0.1',
      oauth,
      companies: published,
      snapshots: folder.path,
      adhoc: {
        answer: async () => {
          throw new Error('nobody is signed in')
        },
      },
      answers,
      readiness: createReadiness({
        accepting: listening.accepting,
        folder: folder.path,
        requireReadable: async () => {},
      }),
      load,
      limiter: createRateLimiter(options.rateLimit ?? { requests: 1_000_000, seconds: 60 }),
      hosts: options.hosts ?? null,
      origins: options.origins ?? [],
      ignoredParameters: options.ignoredParameters ?? [],
      addressOf: createAddressOf(0),
      log: (entry) => entries.push(entry),
    }),
  )
  const base = `http://127.0.0.1:${listening.port}`
  return {
    root: folder.path,
    port: listening.port,
    base,
    ask: client(base, 'owner'),
    entries,
    events,
    refused,
    adhoc,
    grants,
    asked: () => asked,
    answerAdhoc: (answer) => {
      engine = answer
    },
    holdAdhoc: () => {
      const waiting: (() => void)[] = []
      let finished = false
      engine = () =>
        new Promise((_, reject) => {
          const fail = (): void => reject(new Error('enough'))
          if (finished) fail()
          else waiting.push(fail)
        })
      return {
        asked: async (count) => {
          while (waiting.length < count) await new Promise((resolve) => setImmediate(resolve))
        },
        finish: () => {
          finished = true
          for (const fail of waiting) fail()
        },
      }
    },
    advance: (seconds) => {
      elapsed += seconds
    },
    listening,
    close: async () => {
      await listening.stop({ drainSeconds: 0 })
      load.close()
      await state.close()
      folder.remove()
    },
  }
}
