/**
 * The answers of company routes, each from one snapshot: published documents and slices of whole months are made
 * here, every other range by the ad-hoc engine. Does no accounting: the figures are those of the snapshot.
 */
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AdhocQuery, AdhocRequest } from '../../builder/contract/adhoc.ts'
import { cutTo, isMonthAligned } from '../../builder/contract/calendar.ts'
import type { DateRange, StatementScope } from '../../builder/contract/document.ts'
import { emptyStatement, encodePage, sliceMetrics } from '../../builder/contract/encode.ts'
import { invalidRequest, Problem, type ProblemCode, problemOfMany } from '../../builder/contract/problem.ts'
import type {
  AgeingRequest,
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
import { checkedOfActuals, checkedOfBudget } from './checked.ts'
import type { Companies } from './companies.ts'
import type { Pins } from './pin.ts'
import type { Published } from './published.ts'

/** An answer, which is made where no cache has it. */
export interface Answer {
  readonly snapshotId: string | null
  /** Names the content: equal keys have equal content. Null where it depends on more than a snapshot. */
  readonly key: string | null
  /** `abandoned` aborts when nobody waits for it any more. */
  make(abandoned: AbortSignal): Promise<Content>
}

export interface Content {
  readonly body: Buffer
  /** The `Tie-Out` header of a statement; null elsewhere. */
  readonly tieOut: string | null
}

/** Who reads which company; made only after the grant was checked. */
export interface Grantee {
  readonly grantId: string
  readonly company: string
}

interface AnswersOptions {
  readonly snapshots: string
  readonly companies: Companies
  readonly pins: Pins
  readonly adhoc: { answer(request: AdhocRequest, signal?: AbortSignal, grantId?: string): Promise<Buffer> }
}

interface CompanyState {
  /** Identifies the version of the log that was read. */
  readonly stamp: string
  /** The day through which the books are closed. */
  readonly through: string | null
  /** Snapshots that `tieout use` left for another. */
  readonly withdrawn: ReadonlySet<string>
  readonly publishedAt: ReadonlyMap<string, string>
}

export const contentOf = (body: Buffer | string, tieOut: string | null = null): Content => ({
  body: typeof body === 'string' ? Buffer.from(body) : body,
  tieOut,
})

export class CompanyAnswers {
  readonly #options: AnswersOptions
  /** By the folder of a snapshot. */
  readonly #states = new Map<string, CompanyState>()

  constructor(options: AnswersOptions) {
    this.#options = options
  }

  async info(reader: Grantee, { snapshotId }: CompanyRequest): Promise<Answer> {
    const { snapshot, info } = await this.#read(reader, snapshotId)
    return {
      snapshotId: snapshot.id,
      // A month can be closed without a new snapshot.
      key: null,
      make: async () => {
        const { through: LockedThrough } = await this.#stateOf(snapshot)
        return contentOf(
          LockedThrough === info.LockedThrough
            ? await snapshot.read(INFO)
            : `${JSON.stringify({ ...info, LockedThrough })}\n`,
        )
      },
    }
  }

  async list(reader: Grantee, name: ListName, { offset, limit, snapshotId }: ListRequest): Promise<Answer> {
    const published = await this.#read(reader, snapshotId, offset > 0)
    return answerOf(published, [name, offset, limit], async () =>
      contentOf(encodePage(published.lists.get(name) ?? [], offset, limit)),
    )
  }

  async statement(reader: Grantee, statement: StatementName, request: StatementRequest): Promise<Answer> {
    const published = await this.#read(reader, request.snapshotId)
    requireKnown(published, namedByFilters(request))
    requireBasis(published, request)
    const { snapshotId: _, startDate, endDate, ...wanted } = request
    const scope: StatementScope = { statement, ...wanted }
    const range = { startDate, endDate }
    return answerOf(published, [scope, range], async (abandoned) => {
      const body = isPrecomputed(published, wanted, range)
        ? await statementFromFile(published, scope, range)
        : await this.#compute(reader, published, { kind: 'statement', ...scope, ...range }, abandoned)
      const content = contentOf(body)
      return { ...content, tieOut: await tieOutOf(published, scope, range, content.body) }
    })
  }

  async metrics(reader: Grantee, request: CompanyRequest & MetricsRequest): Promise<Answer> {
    const { snapshotId, metricIds, startDate, endDate, ...filters } = request
    const published = await this.#read(reader, snapshotId)
    requireKnown(published, [...namedByFilters(filters), ...namedMetrics(metricIds)])
    const range = { startDate, endDate }
    return answerOf(published, ['metrics', metricIds, filters, range], async (abandoned) =>
      contentOf(
        isPrecomputed(published, filters, range)
          ? await metricsFromFile(published, filters, metricIds, range)
          : await this.#compute(
              reader,
              published,
              { kind: 'metrics', metricIds, ...filters, ...range },
              abandoned,
            ),
      ),
    )
  }

  async ageing(reader: Grantee, { snapshotId, account, asOf }: AgeingRequest): Promise<Answer> {
    const published = await this.#read(reader, snapshotId)
    requireKnown(published, [
      { id: account, list: 'chart-of-accounts', parameter: 'AccountId', code: 'unknown-account' },
    ])
    const coverage = published.coverage(null)
    if (asOf !== null && coverage !== null && (asOf < coverage.startDate || asOf > coverage.endDate))
      throw invalidRequest([
        { parameter: 'AsOf', problem: `the books cover ${coverage.startDate} to ${coverage.endDate}` },
      ])
    return answerOf(published, ['ageing', account, asOf], async (abandoned) =>
      contentOf(await this.#compute(reader, published, { kind: 'ageing', account, asOf }, abandoned)),
    )
  }

  async snapshots({ company }: Grantee): Promise<Answer> {
    return { snapshotId: null, key: null, make: async () => contentOf(await this.#versions(company)) }
  }

  async #versions(company: string): Promise<string> {
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
    return `${JSON.stringify({ Data })}\n`
  }

  async tieOuts(reader: Grantee, snapshotId: string): Promise<Answer> {
    const published = await this.#named(reader, snapshotId)
    return answerOf(published, [TIE_OUTS], async () => contentOf(await published.snapshot.read(TIE_OUTS)))
  }

  /** A snapshot by id, to read its files. */
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

const answerOf = ({ snapshot }: Published, asked: readonly unknown[], make: Answer['make']): Answer => ({
  snapshotId: snapshot.id,
  key: `${snapshot.company} ${snapshot.manifestHash} ${JSON.stringify(asked)}`,
  make,
})

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

async function statementFromFile(
  published: Published,
  scope: StatementScope,
  range: DateRange,
): Promise<Buffer | string> {
  const { snapshot, info } = published
  const path = statementPath(scope)
  if (snapshot.has(path)) return sliceStatement(await snapshot.read(path), range)
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
