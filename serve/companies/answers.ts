/**
 * The answers of company routes, each from one snapshot: published documents and slices of whole months are made
 * here, every other range by the ad-hoc engine. Does no accounting: the figures are those of the snapshot.
 */
import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AdhocQuery, AdhocRequest } from '../../builder/contract/adhoc.ts'
import { cutTo, isMonthAligned } from '../../builder/contract/calendar.ts'
import type { DateRange, StatementScope } from '../../builder/contract/document.ts'
import { emptyStatement, encodePage, sliceMetrics } from '../../builder/contract/encode.ts'
import { Problem, type ProblemCode, problemOfMany } from '../../builder/contract/problem.ts'
import type {
  CompanyRequest,
  Filters,
  ListRequest,
  MetricsRequest,
  StatementRequest,
} from '../../builder/contract/requests.ts'
import { sliceStatement } from '../../builder/contract/slice.ts'
import { type BasisSource, type StatementName, UNASSIGNED } from '../../builder/contract/vocabulary.ts'
import {
  INFO,
  type ListName,
  LOG,
  metricsPath,
  statementPath,
  TIE_OUTS,
} from '../../builder/snapshot/files/layout.ts'
import type { Snapshot } from '../../builder/snapshot/files/open.ts'
import { historyOf } from '../../builder/snapshot/log/history.ts'
import { closedThroughOf } from '../../builder/snapshot/log/lock-date.ts'
import { readLog } from '../../builder/snapshot/log/log.ts'
import { type ByteCache, createByteCache } from './byte-cache.ts'
import { checkedOfActuals, checkedOfBudget } from './checked.ts'
import type { Companies } from './companies.ts'
import type { Pins } from './pin.ts'
import type { Published } from './published.ts'

export interface Answer {
  readonly body: Buffer
  /** Hash of the body; equal figures are equal bytes and have an equal ETag, in whichever snapshot. */
  readonly hash: string
  readonly snapshotId: string | null
  /** The `Tie-Out` header of a statement; null elsewhere. */
  readonly tieOut: string | null
  /** Whether the body was in memory; null where it is never kept. */
  readonly cached: boolean | null
}

/** Who reads which company; made only after the grant was checked. */
export interface Grantee {
  readonly grantId: string
  readonly company: string
  /** A signal that aborts when the client has left. */
  readonly leaving?: () => AbortSignal
}

export interface CompanyAnswers {
  info(reader: Grantee, request: CompanyRequest): Promise<Answer>
  list(reader: Grantee, name: ListName, request: ListRequest): Promise<Answer>
  statement(reader: Grantee, statement: StatementName, request: StatementRequest): Promise<Answer>
  metrics(reader: Grantee, request: CompanyRequest & MetricsRequest): Promise<Answer>
  snapshots(reader: Grantee): Promise<Answer>
  tieOuts(reader: Grantee, snapshotId: string): Promise<Answer>
  /** The snapshot for a reader who names none; null where it is only known after waiting. */
  now(grantId: string, company: string): Snapshot | null
  /** A snapshot by id, to read its files. */
  snapshot(reader: Grantee, snapshotId: string): Promise<Snapshot>
}

interface AnswersOptions {
  readonly snapshots: string
  readonly companies: Companies
  readonly pins: Pins
  readonly adhoc: { answer(request: AdhocRequest, signal?: AbortSignal, grantId?: string): Promise<Buffer> }
  readonly cacheBytes?: number
}

type Content = Pick<Answer, 'body' | 'hash'>

interface CompanyState {
  /** Identifies the version of the log that was read. */
  readonly stamp: string
  /** The day through which the books are closed. */
  readonly through: string | null
  /** Snapshots that `tieout use` left for another. */
  readonly withdrawn: ReadonlySet<string>
  readonly publishedAt: ReadonlyMap<string, string>
}

export function contentOf(body: Buffer | string): Content {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return { body: bytes, hash: createHash('sha256').update(bytes).digest('hex').slice(0, 32) }
}

/**
 * The cache key of a request, without the snapshot. It is remembered, since `routes.ts` parses equal queries to one
 * object.
 */
const keys = new WeakMap<StatementRequest, string>()
function keyOf(request: StatementRequest): string {
  const known = keys.get(request)
  if (known !== undefined) return known
  const { snapshotId: _, ...asked } = request
  const key = JSON.stringify(asked)
  keys.set(request, key)
  return key
}

export const createAnswers = (options: AnswersOptions): CompanyAnswers => new SnapshotAnswers(options)

class SnapshotAnswers implements CompanyAnswers {
  readonly #options: AnswersOptions
  readonly #cache: ByteCache<Content>
  /**
   * Whole documents: a client that asks for one range usually asks for more, and each would be read and hashed again.
   */
  readonly #documents: ByteCache<Buffer>
  /** By the folder of a snapshot. */
  readonly #states = new Map<string, CompanyState>()

  constructor(options: AnswersOptions) {
    const { cacheBytes = 64 * 1024 * 1024 } = options
    this.#options = options
    this.#cache = createByteCache(cacheBytes, ({ body }) => body.length)
    this.#documents = createByteCache(cacheBytes / 4, (document) => document.length)
  }

  async info(reader: Grantee, { snapshotId }: CompanyRequest): Promise<Answer> {
    const { snapshot, info } = await this.#read(reader, snapshotId)
    const { through: LockedThrough } = await this.#stateOf(snapshot)
    // A month can be closed without a new snapshot, so an answer cached for the snapshot would be out of date.
    const content = contentOf(
      LockedThrough === info.LockedThrough
        ? await snapshot.read(INFO)
        : `${JSON.stringify({ ...info, LockedThrough })}\n`,
    )
    return { ...content, snapshotId: snapshot.id, tieOut: null, cached: null }
  }

  async list(reader: Grantee, name: ListName, { offset, limit, snapshotId }: ListRequest): Promise<Answer> {
    const published = await this.#read(reader, snapshotId, offset > 0)
    return this.#answer(published, `${name} ${offset} ${limit}`, async () =>
      encodePage(published.lists.get(name) ?? [], offset, limit),
    )
  }

  async statement(reader: Grantee, statement: StatementName, request: StatementRequest): Promise<Answer> {
    const published = await this.#read(reader, request.snapshotId)
    requireKnown(published, namedByFilters(request))
    requireBasis(published, request)
    const { snapshotId: _, startDate, endDate, ...wanted } = request
    const scope: StatementScope = { statement, ...wanted }
    const range = { startDate, endDate }
    const begin = (abandoned: AbortSignal) =>
      isPrecomputed(published, wanted, range)
        ? statementFromFile(published, scope, range, (snapshot, path) => this.#document(snapshot, path))
        : this.#compute(reader, published, { kind: 'statement', ...scope, ...range }, abandoned)
    const answer = await this.#answer(published, `${statement} ${keyOf(request)}`, begin, reader.leaving)
    return { ...answer, tieOut: await tieOutOf(published, scope, range, answer.body) }
  }

  async metrics(reader: Grantee, request: CompanyRequest & MetricsRequest): Promise<Answer> {
    const { snapshotId, metricIds, startDate, endDate, ...filters } = request
    const published = await this.#read(reader, snapshotId)
    requireKnown(published, [...namedByFilters(filters), ...namedMetrics(metricIds)])
    const range = { startDate, endDate }
    const begin = (abandoned: AbortSignal) =>
      isPrecomputed(published, filters, range)
        ? metricsFromFile(published, filters, metricIds, range)
        : this.#compute(reader, published, { kind: 'metrics', metricIds, ...filters, ...range }, abandoned)
    const key = JSON.stringify(['metrics', metricIds, filters, range])
    return this.#answer(published, key, begin, reader.leaving)
  }

  async snapshots({ company }: Grantee): Promise<Answer> {
    const { companies } = this.#options
    const current = await companies.current(company)
    const publishedAt = current && (await this.#stateOf(current.snapshot)).publishedAt
    const Data = (await companies.versions(company)).map((version) => ({
      SnapshotId: version.id,
      BooksThrough: version.month,
      PublishedAt: publishedAt?.get(version.id) ?? null,
      ManifestSha256: version.manifestHash,
      IsCurrent: version.current,
    }))
    const content = contentOf(`${JSON.stringify({ Data })}\n`)
    return { ...content, snapshotId: null, tieOut: null, cached: null }
  }

  async tieOuts(reader: Grantee, snapshotId: string): Promise<Answer> {
    const published = await this.#named(reader, snapshotId)
    return this.#answer(published, TIE_OUTS, () => published.snapshot.read(TIE_OUTS))
  }

  now(grantId: string, company: string): Snapshot | null {
    const { companies, pins } = this.#options
    const current = companies.now(company)?.snapshot ?? null
    return current !== null && pins.known(grantId, company) === current.id ? current : null
  }

  async snapshot(reader: Grantee, snapshotId: string): Promise<Snapshot> {
    return (await this.#named(reader, snapshotId)).snapshot
  }

  async #named({ company }: Grantee, id: string): Promise<Published> {
    const published = await this.#options.companies.named(company, id)
    if (published === null) throw unknown('unknown-snapshot', [{ parameter: 'SnapshotId', id }])
    return published
  }

  /**
   * The snapshot of one answer: the one named, else the one that this grant's sync reads, else the current one. A
   * request that `follows` is a later page.
   */
  async #read(reader: Grantee, snapshotId: string | null, follows = false): Promise<Published> {
    const { companies, pins } = this.#options
    const { grantId, company } = reader
    if (snapshotId !== null) return this.#named(reader, snapshotId)
    const current = await companies.current(company)
    if (current === null) throw new Problem('not-found', 'The company is no longer published.')
    const pinned = await pins.get(grantId, company, follows)
    if (pinned === current.snapshot.id) return current
    const isOver = pinned === null || (await this.#stateOf(current.snapshot)).withdrawn.has(pinned)
    const kept = isOver ? null : await companies.named(company, pinned)
    if (kept !== null) return kept
    const held = await pins.hold(grantId, company, current.snapshot.id, pinned)
    return (await companies.named(company, held)) ?? current
  }

  /** What the log says now of a snapshot's company. It is read again when its file has changed. */
  async #stateOf({ folder }: Snapshot): Promise<CompanyState> {
    const file = await stat(join(dirname(folder), LOG)).catch(() => null)
    const stamp = `${file?.ino} ${file?.mtimeMs} ${file?.size}`
    const known = this.#states.get(folder)
    if (known?.stamp === stamp) return known
    const history = historyOf((await readLog(dirname(folder))).records)
    const { withdrawn, publishedAt } = history
    const state = { stamp, through: closedThroughOf(history, folder), withdrawn, publishedAt }
    this.#states.set(folder, state)
    return state
  }

  /** Answers from memory where possible; else computes once for all who ask for the same meanwhile. */
  async #answer(
    { snapshot }: Published,
    key: string,
    compute: (abandoned: AbortSignal) => Promise<Buffer | string>,
    leaving?: () => AbortSignal,
  ): Promise<Answer> {
    const place = `${snapshot.company} ${snapshot.manifestHash} ${key}`
    let cached = true
    const begin = async (abandoned: AbortSignal): Promise<Content> => {
      cached = false
      return contentOf(await compute(abandoned))
    }
    const { body, hash } = await this.#cache.get(place, begin, leaving)
    return { body, hash, snapshotId: snapshot.id, tieOut: null, cached }
  }

  #document({ company, manifestHash, read }: Snapshot, path: string): Promise<Buffer> {
    return this.#documents.get(`${company} ${manifestHash} ${path}`, () => read(path))
  }

  #compute(
    { grantId }: Grantee,
    { snapshot }: Published,
    query: AdhocQuery,
    abandoned: AbortSignal,
  ): Promise<Buffer> {
    const { snapshots, adhoc } = this.#options
    const request = {
      snapshotsRoot: snapshots,
      company: snapshot.company,
      snapshotId: snapshot.id,
      manifestSha256: snapshot.manifestHash,
      query,
    }
    return adhoc.answer(request, abandoned, grantId)
  }
}

function tieOutOf(
  published: Published,
  scope: StatementScope,
  range: DateRange,
  body: Buffer,
): Promise<string> | string {
  const { snapshot } = published
  return scope.budgetId === null
    ? checkedOfActuals(snapshot, scope, cutTo(range, published.coverage(null)) !== null)
    : checkedOfBudget(snapshot, scope, body)
}

/** Whether the snapshot's own files answer this: the covered part of the range is made of whole months. */
function isPrecomputed(published: Published, { budgetId }: Filters, range: DateRange): boolean {
  const inside = cutTo(range, published.coverage(budgetId))
  return inside === null || isMonthAligned(inside)
}

type ReadDocument = (snapshot: Snapshot, path: string) => Promise<Buffer>

async function statementFromFile(
  published: Published,
  scope: StatementScope,
  range: DateRange,
  documentOf: ReadDocument,
): Promise<Buffer | string> {
  const { snapshot, info } = published
  const path = statementPath(scope)
  if (snapshot.has(path)) return sliceStatement(await documentOf(snapshot, path), range)
  const company = {
    id: info.Id,
    currency: info.Currency,
    basisSource: await basisSourceOf(snapshot, scope),
  }
  return emptyStatement(company, scope, range, published.coverage(scope.budgetId))
}

/** A combination without postings has no file, so that the basis source is read from the unfiltered document. */
async function basisSourceOf(snapshot: Snapshot, scope: StatementScope): Promise<BasisSource> {
  if (scope.budgetId !== null) return 'Budget'
  const unfiltered = await snapshot.read(statementPath({ ...scope, classId: null, departmentId: null }))
  return (JSON.parse(unfiltered.toString('utf8')) as { BasisSource: BasisSource }).BasisSource
}

async function metricsFromFile(
  published: Published,
  filters: Filters,
  metricIds: readonly string[],
  range: DateRange,
): Promise<string> {
  const { snapshot, info } = published
  const path = metricsPath(filters)
  const document = snapshot.has(path) ? await snapshot.read(path) : null
  const coverage = published.coverage(filters.budgetId)
  return sliceMetrics(document, { id: info.Id }, filters, metricIds, range, coverage)
}

/** An id in a request, and the list of the company that must contain it. */
interface NamedId {
  readonly id: string | null
  readonly list: ListName
  readonly parameter: string
  readonly code: ProblemCode
}

/** The ids that filters name. `unassigned` is always valid, even where a company has no classes or departments. */
const namedByFilters = ({ budgetId, classId, departmentId }: Filters): NamedId[] => [
  { id: budgetId, list: 'budgets', parameter: 'BudgetId', code: 'unknown-budget' },
  {
    id: classId === UNASSIGNED ? null : classId,
    list: 'classes',
    parameter: 'ClassId',
    code: 'unknown-class',
  },
  {
    id: departmentId === UNASSIGNED ? null : departmentId,
    list: 'departments',
    parameter: 'DepartmentId',
    code: 'unknown-department',
  },
]

const namedMetrics = (ids: readonly string[]): NamedId[] =>
  ids.map((id) => ({
    id,
    list: 'non-financial-list',
    parameter: 'NonFinancialIds',
    code: 'unknown-metric',
  }))

/** Throws one problem that names every unknown id; its code is that of the first. */
function requireKnown(published: Published, named: readonly NamedId[]): void {
  const strangers = named.flatMap(({ id, list, parameter, code }) =>
    id === null || published.ids.get(list)?.has(id) ? [] : [{ parameter, id, code }],
  )
  const [first] = strangers
  if (first !== undefined) throw unknown(first.code, strangers)
}

const unknown = (code: ProblemCode, ids: readonly { parameter: string; id: string }[]): Problem =>
  problemOfMany(
    code,
    ids.map(({ parameter, id }) => ({
      parameter,
      problem: `there is no ${JSON.stringify(id)} in this company`,
    })),
  )

/**
 * Throws where the books do not have the basis, rather than answer with another one. A budget is the same under both.
 */
function requireBasis({ info }: Published, { basis, budgetId }: Filters & { basis: string }): void {
  if (budgetId !== null || (info.AccountingBases as readonly string[]).includes(basis)) return
  const problem = `these books have no ${basis} basis, and it cannot be derived; they have ${info.AccountingBases.join(' and ')}`
  throw problemOfMany('basis-not-available', [{ parameter: 'AccountingBasis', problem }])
}
