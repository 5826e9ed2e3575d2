/**
 * Reports for people: pages of a published snapshot for a signed-in user who may see the company. No bearer token
 * opens them. A company that the user may not see is answered exactly like one that does not exist.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname } from 'node:path'
import type { AdhocRequest } from '../../builder/contract/adhoc.ts'
import { FILE_PARAMETER } from '../../builder/contract/operations.ts'
import { Problem } from '../../builder/contract/problem.ts'
import { parseSnapshotId } from '../../builder/snapshot/files/layout.ts'
import type { Snapshot } from '../../builder/snapshot/files/open.ts'
import type { User } from '../../builder/workspace/access/access.ts'
import type { Companies } from '../companies/companies.ts'
import { seesEntries } from '../companies/entries.ts'
import { unavailable } from '../oauth/errors.ts'
import type { People } from '../oauth/people/people.ts'
import { requestIdOf, sendFile, sendPage, sendRedirect, sendStyle } from '../oauth/reply.ts'
import { problemPage } from '../pages/problem.ts'
import { homePage, reportListPage } from '../pages/reports.ts'
import type { Handler } from './company-endpoint.ts'
import { isUnreadable, methodNotAllowed, methodOf, notFound } from './problems.ts'
import { readMended } from './request/read-mended.ts'
import { contextOf } from './request/request-context.ts'

export interface ReportOptions {
  readonly people: People
  readonly companies: Companies
  readonly snapshots: string
  readonly adhoc: { answer(request: AdhocRequest, signal?: AbortSignal, grantId?: string): Promise<Buffer> }
}

interface ReportRoute {
  readonly path: string
  readonly methods: readonly string[]
  readonly handle: Handler
}

export function reportRoutes(options: ReportOptions): ReportRoute[] {
  const { people } = options
  const get = (
    path: string,
    page: (req: IncomingMessage, res: ServerResponse, to: To) => Promise<void>,
  ): ReportRoute => ({
    path,
    methods: ['GET'],
    handle: async (req, res, params, search) => {
      if (methodOf(req) !== 'GET') throw methodNotAllowed(['GET'])
      const { CompanyId: company = '', [FILE_PARAMETER]: file = '' } = params
      await people.answer(res, () => page(req, res, { company, file, search: searchedIn(search) }))
    },
  })
  return [
    { ...get('/', async (_req, res) => sendPage(res, 200, homePage(people))), handle: home(people) },
    get('/reports', async (_req, res) => sendRedirect(res, `${people.base}/reports/`)),
    get('/reports/', (req, res) => list(options, req, res)),
    get('/reports/{CompanyId}', async (_req, res, { company }) =>
      sendRedirect(res, `${people.base}/reports/${encodeURIComponent(company)}/`),
    ),
    get('/reports/{CompanyId}/', (req, res, to) => report(options, req, res, { ...to, file: FIRST_PAGE })),
    get(`/reports/{CompanyId}/{${FILE_PARAMETER}}`, (req, res, to) => report(options, req, res, to)),
  ]
}

interface To {
  readonly company: string
  /** The file within the report, decoded. */
  readonly file: string
  readonly search: string
}

const LONGEST_SEARCH = 100
/** What a form searches for, without line breaks and other controls. */
const searchedIn = (query: string): string =>
  [...(new URLSearchParams(query).get('q') ?? '').replace(/\p{Cc}+/gu, ' ').trim()]
    .slice(0, LONGEST_SEARCH)
    .join('')

const FIRST_PAGE = 'index.html'

/** The page at `/`. Programs, which do not ask for HTML, get problem details instead. */
const home =
  (people: People): Handler =>
  async (req, res) => {
    if (methodOf(req) !== 'GET' || !(req.headers.accept ?? '').includes('text/html')) throw notFound()
    sendPage(res, 200, homePage(people), { headers: { Vary: 'Accept' } })
  }

async function list(
  { people, companies }: ReportOptions,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const user = await people.person(req)
  if (user === null) return people.signIn(req, res, '/reports/')
  contextOf(req).userId = user.id
  await companies.refresh()
  const own = companies.list().filter(({ id }) => user.companies.includes(id))
  const html = reportListPage({
    ...people,
    name: user.firstName,
    companies: own.map(({ id, name, snapshotId }) => ({
      id,
      name,
      month: parseSnapshotId(snapshotId)?.month ?? '',
    })),
  })
  sendPage(res, 200, html)
}

async function report(
  options: ReportOptions,
  req: IncomingMessage,
  res: ServerResponse,
  to: To,
): Promise<void> {
  const user = await options.people.person(req)
  if (user === null) return options.people.signIn(req, res, pathOf(to))
  const context = contextOf(req)
  context.userId = user.id
  const found = await snapshotFor(options, user, to)
  if (found === null) context.reason = 'report-not-seen'
  else context.companyId = to.company
  const body = found && (await fileOf(options, res, user, found, to.search))
  if (!found || body === null || body.length === 0) return sendNothing(options.people, res)
  const { id } = found.snapshot
  context.snapshotId = id
  const saved = typeOf(found)
  if (saved !== undefined) sendFile(res, saved, [to.company, id, ...found.file.split('/')].join('-'), body)
  else if (found.file.endsWith('.css')) sendStyle(res, body.toString('utf8'))
  else sendPage(res, 200, body.toString('utf8'), { hasLogo: true })
}

/** The types of files that are saved, not shown. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['.csv', 'text/csv; charset=utf-8'],
  ['.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['.pdf', 'application/pdf'],
])
const typeOf = ({ file }: Pick<Found, 'file'>): string | undefined => TYPES.get(extname(file))

/** The users for whom a file is being made: each gets one at a time, so that nobody takes the engine from others. */
const saving = new Set<string>()

async function oneAtATime<T>(user: string, make: () => Promise<T>): Promise<T> {
  if (saving.has(user)) throw unavailable('another file is being made for you at the moment', undefined, 5)
  saving.add(user)
  try {
    return await make()
  } finally {
    saving.delete(user)
  }
}

/**
 * The address of a page, to which the sign-in returns. Each part is encoded, so that it stays a path of this
 * server.
 */
const pathOf = ({ company, file }: Pick<To, 'company' | 'file'>): string =>
  `/reports/${[company, ...file.split('/')].map(encodeURIComponent).join('/')}`

interface Found {
  readonly snapshot: Snapshot
  readonly file: string
}

/**
 * The current snapshot, or the one that the address names before the file; null where the user may not see it, or
 * where it does not exist.
 */
async function snapshotFor(
  { companies }: ReportOptions,
  user: User,
  { company, file }: To,
): Promise<Found | null> {
  if (!user.companies.includes(company)) return null
  const [first = '', ...rest] = file.split('/')
  if (parseSnapshotId(first) === null) {
    const current = await readable(companies, company, () => companies.current(company))
    return current && { snapshot: current.snapshot, file }
  }
  const named = await readable(companies, company, () => companies.named(company, first))
  return named && { snapshot: named.snapshot, file: rest.join('/') || FIRST_PAGE }
}

/** The ad-hoc engine makes the pages: those that a snapshot keeps get its id added, others are made from its books. */
async function fileOf(
  { adhoc, companies, snapshots }: ReportOptions,
  res: ServerResponse,
  user: User,
  { snapshot, file }: Found,
  search: string,
): Promise<Buffer | null> {
  const { company, id: snapshotId, manifestHash: manifestSha256 } = snapshot
  const entries = await seesEntries(companies, snapshot, (id) => user.ledger.includes(id))
  const query = { kind: 'page', path: file, entries, search } as const
  const leaving = new AbortController()
  res.once('close', () => leaving.abort())
  const request = { snapshotsRoot: snapshots, company, snapshotId, manifestSha256, query }
  const make = () =>
    readable(companies, company, () => adhoc.answer(request, leaving.signal, `user ${user.id}`))
  return typeOf({ file }) === undefined ? make() : oneAtATime(user.id, make)
}

async function readable<T>(companies: Companies, company: string, read: () => Promise<T>): Promise<T> {
  try {
    return await readMended(companies, company, read)
  } catch (problem) {
    if (isUnreadable(problem))
      throw unavailable('what is published of this company cannot be read at the moment', problem, 30)
    if (problem instanceof Problem) throw unavailable('too many pages are being made at the moment', problem)
    throw problem
  }
}

function sendNothing({ style }: People, res: ServerResponse): void {
  const title = 'There is no such page'
  const detail =
    'No report lies here that you may see. The company may have another name, or is not yours to see.'
  sendPage(res, 404, problemPage({ style, title, detail, code: 'not-found', requestId: requestIdOf(res) }))
}
