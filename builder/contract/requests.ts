/**
 * Reads the parameters of every route strictly: all unknown, repeated, missing or malformed parameters are
 * reported at once, and none is ignored. openapi.json takes its parameters from the same tables. Whether an
 * id exists is decided later, against a snapshot.
 */
import { z } from 'zod'
import { isCalendarDate } from './calendar.ts'
import type { DateRange } from './document.ts'
import { repeatedMembers } from './json.ts'
import type { ParameterProblem } from './problem.ts'
import { BASES, type Basis } from './vocabulary.ts'

export type ReadRequest<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly ParameterProblem[] }

/** Control characters and lone surrogates: no id contains them, and they must not reach logs and headers. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\ud800-\udfff]/u
/** Patterns of JSON Schema, which knows no lone surrogates. */
const NO_CONTROLS = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$'
export const PRINTABLE = NO_CONTROLS.replace('*', '+')
/** An id that narrows an answer. An empty one is none (see `check`). */
const filter = z
  .string({ error: 'must be text' })
  .max(500, 'must be at most 500 characters')
  .refine((text) => !UNPRINTABLE.test(text), 'must not hold control characters')
  .meta({ pattern: NO_CONTROLS })
const id = filter.min(1, 'must not be empty').meta({ pattern: PRINTABLE })
const calendarDate = z
  .string({ error: 'must be text' })
  .refine((text) => isCalendarDate(text) && text >= '0001', 'must be a calendar date, YYYY-MM-DD')
  .meta({ format: 'date' })
const integer = (least: number, greatest: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${least} to ${greatest}, digits only`)
    .transform(Number)
    .pipe(z.int().min(least, `must be at least ${least}`).max(greatest, `must be at most ${greatest}`))

const isInOrder = (range: { StartDate: string; EndDate: string }) => range.StartDate <= range.EndDate
const NOT_IN_ORDER = { path: ['EndDate'], error: 'must not be before StartDate' }

const snapshot = {
  SnapshotId: filter.optional().describe('Read this retained snapshot instead of the current one'),
}
const range = {
  StartDate: calendarDate.describe('First day of the range, inclusive'),
  EndDate: calendarDate.describe('Last day of the range, inclusive'),
}

/** Query parameters of each kind of route. */
export const queries = {
  none: z.strictObject({}),
  company: z.strictObject(snapshot),
  ageing: z.strictObject({
    AsOf: calendarDate.optional().describe('The day; omitted means the last day of the books'),
    AccountId: filter.optional().describe('One account; omitted means all receivables and payables'),
    ...snapshot,
  }),
  list: z.strictObject({
    offset: integer(0, 999_999_999_999_999).default(0).describe('Records to skip'),
    limit: integer(1, 1000).default(100).describe('Greatest number of records to return'),
    ...snapshot,
  }),
  statement: z
    .strictObject({
      ...range,
      AccountingBasis: z
        .enum(BASES, { error: `must be ${BASES.join(' or ')}` })
        .describe('Accounting basis of the figures'),
      BudgetId: filter.optional().describe('A budget; omitted means actuals'),
      ClassId: filter.optional().describe('A class with its descendants, or `unassigned`'),
      DepartmentId: filter.optional().describe('A department with its descendants, or `unassigned`'),
      ...snapshot,
    })
    .refine(isInOrder, NOT_IN_ORDER),
}

/** Body of POST non-financial. */
export const metricsBody = z
  .strictObject({
    NonFinancialIds: z
      .array(id, { error: 'must be a list of ids' })
      .describe('Metrics to answer, in this order; no duplicates'),
    ...range,
    BudgetId: filter.nullable().optional().describe('A budget; null or omitted means actuals'),
    ClassId: filter.nullable().optional(),
    DepartmentId: filter.nullable().optional(),
  })
  .refine(({ NonFinancialIds }) => new Set(NonFinancialIds).size === NonFinancialIds.length, {
    path: ['NonFinancialIds'],
    error: 'must not hold an id twice',
  })
  .refine(isInOrder, NOT_IN_ORDER)

export interface Filters {
  readonly budgetId: string | null
  readonly classId: string | null
  readonly departmentId: string | null
}
/** The snapshot that a request names; null for the current one. */
export interface CompanyRequest {
  readonly snapshotId: string | null
}
export interface AgeingRequest extends CompanyRequest {
  readonly asOf: string | null
  readonly account: string | null
}
export interface ListRequest extends CompanyRequest {
  readonly offset: number
  readonly limit: number
}
export interface StatementRequest extends CompanyRequest, DateRange, Filters {
  readonly basis: Basis
}
export interface MetricsRequest extends DateRange, Filters {
  readonly metricIds: readonly string[]
}

/**
 * Reads the query of a route without parameters. Here and below, `search` is the raw query string without its
 * question mark.
 */
export const readNoQuery = (search: string): ReadRequest<null> =>
  map(readQuery(search, queries.none), () => null)

export const readCompanyQuery = (search: string): ReadRequest<CompanyRequest> =>
  map(readQuery(search, queries.company), (query) => ({ snapshotId: query.SnapshotId ?? null }))

export const readAgeingQuery = (search: string): ReadRequest<AgeingRequest> =>
  map(readQuery(search, queries.ageing), ({ AsOf, AccountId, SnapshotId }) => ({
    ...{ asOf: AsOf ?? null, account: AccountId ?? null, snapshotId: SnapshotId ?? null },
  }))

export const readListQuery = (search: string): ReadRequest<ListRequest> =>
  map(readQuery(search, queries.list), ({ offset, limit, SnapshotId }) => ({
    offset,
    limit,
    snapshotId: SnapshotId ?? null,
  }))

export const readStatementQuery = (search: string): ReadRequest<StatementRequest> =>
  map(readQuery(search, queries.statement), (query) => ({
    ...rangeAndFilters(query),
    basis: query.AccountingBasis,
    snapshotId: query.SnapshotId ?? null,
  }))

/** Reads the JSON body of POST non-financial; the body must be UTF-8 without repeated keys. */
export function readMetricsBody(body: Uint8Array): ReadRequest<MetricsRequest> {
  const parsed = parseObject(body)
  if (!parsed.ok) return parsed
  return map(check(parsed.value.object, metricsBody, parsed.value.repeated), (value) => ({
    ...rangeAndFilters(value),
    metricIds: value.NonFinancialIds,
  }))
}

const rangeAndFilters = (given: {
  StartDate: string
  EndDate: string
  BudgetId?: string | null | undefined
  ClassId?: string | null | undefined
  DepartmentId?: string | null | undefined
}): DateRange & Filters => ({
  startDate: given.StartDate,
  endDate: given.EndDate,
  budgetId: given.BudgetId ?? null,
  classId: given.ClassId ?? null,
  departmentId: given.DepartmentId ?? null,
})

const failed = (problems: readonly ParameterProblem[]): ReadRequest<never> => ({ ok: false, problems })
const map = <A, B>(read: ReadRequest<A>, change: (value: A) => B): ReadRequest<B> =>
  read.ok ? { ok: true, value: change(read.value) } : read

/** Far more parameters than any route has. */
const MOST_PARAMETERS = 100

function readQuery<T extends z.ZodObject>(search: string, schema: T): ReadRequest<z.output<T>> {
  // URLSearchParams would keep a malformed escape and replace invalid UTF-8; both would be guesses about what
  // was meant.
  try {
    decodeURIComponent(search)
  } catch {
    return failed([{ parameter: 'query', problem: 'holds a malformed percent-encoding' }])
  }
  if (search.split('&', MOST_PARAMETERS + 1).length > MOST_PARAMETERS)
    return failed([{ parameter: 'query', problem: `holds more than ${MOST_PARAMETERS} parameters` }])
  // URLSearchParams removes one leading question mark, which must not be part of the first name.
  const entries = [...new URLSearchParams(`?${search}`)]
  return check(Object.fromEntries(entries), schema, repeatedIn(entries.map(([name]) => name)))
}

function repeatedIn(names: readonly string[]): ReadonlySet<string> {
  const [seen, repeated] = [new Set<string>(), new Set<string>()]
  for (const name of names) (seen.has(name) ? repeated : seen).add(name)
  return repeated
}

/**
 * Validates parameters. A repeated one is reported as repeated, whatever its last value is. An empty filter counts as
 * absent, since forms and generated clients send those that nobody filled in.
 */
function check<T extends z.ZodObject>(
  sent: object,
  schema: T,
  repeated: ReadonlySet<string>,
): ReadRequest<z.output<T>> {
  const given = Object.fromEntries(
    Object.entries(sent).filter(
      ([name, value]) => value !== '' || !(schema.shape[name] instanceof z.ZodOptional),
    ),
  )
  const parsed = schema.safeParse(given)
  const problems: ParameterProblem[] = [...repeated].map((parameter) => ({
    parameter,
    problem: 'is given more than once',
  }))
  /** Only the first problem of each parameter is reported. */
  const told = new Set(repeated)
  for (const issue of parsed.success ? [] : parsed.error.issues) {
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys : []
    for (const key of unknown) problems.push({ parameter: key, problem: 'is not known here' })
    const parameter = String(issue.path[0] ?? 'body')
    if (unknown.length > 0 || told.has(parameter)) continue
    told.add(parameter)
    problems.push({ parameter, problem: Object.hasOwn(given, parameter) ? issue.message : 'is missing' })
  }
  return parsed.success && problems.length === 0 ? { ok: true, value: parsed.data } : failed(problems)
}

interface JsonObject {
  readonly object: object
  readonly repeated: ReadonlySet<string>
}

function parseObject(body: Uint8Array): ReadRequest<JsonObject> {
  let text: string
  let object: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return failed([{ parameter: 'body', problem: 'must be UTF-8' }])
  }
  try {
    object = JSON.parse(text)
  } catch {
    return failed([{ parameter: 'body', problem: 'must be JSON' }])
  }
  if (typeof object !== 'object' || object === null || Array.isArray(object))
    return failed([{ parameter: 'body', problem: 'must be a JSON object' }])
  return { ok: true, value: { object, repeated: repeatedKeys(text) } }
}

const repeatedKeys = (text: string): ReadonlySet<string> =>
  new Set([...repeatedMembers(text)].flatMap(({ depth, name }) => (depth === 1 ? [name] : [])))
