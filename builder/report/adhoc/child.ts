/**
 * The ad-hoc engine: a process of its own that answers ranges which no snapshot file holds. The server forks it
 * and speaks to it in messages. Owns these answers. Must not be imported by anything.
 */
import type { RangeBooks } from '../../books/sums/ranges.ts'
import type { AdhocMessage, AdhocQuery, AdhocReply, AdhocRequest } from '../../contract/adhoc.ts'
import { isOfTheDisk, openSnapshot } from '../../snapshot/files/open.ts'
import { answerMetrics, answerStatement } from '../../statements/answer.ts'
import { hasBrowser } from '../print.ts'
import { renderedFile, type SavedAs, savedAs, savedPage } from '../rendered.ts'
import { openedReport } from '../report.ts'
import { ageingText } from './ageing.ts'
import { BooksCache, type SnapshotPlace } from './books-cache.ts'
import { savedFile } from './saved-file.ts'

/** The limit of loaded books: 200 MB of Parquet are about 40 million postings. */
const booksCache = new BooksCache(200_000_000)

/** A query that has arrived and was not answered yet. */
interface Query {
  cancelled: boolean
  /** Interrupts what DuckDB does for it. Does nothing before the books are loaded, since others may be waiting for them. */
  interrupt(): void
}
const queries = new Map<number, Query>()

class CancelledError extends Error {}

function answer(id: number, query: Query, request: AdhocRequest): Promise<string | Buffer> {
  const { query: asked, ...place } = request
  if (asked.kind === 'page' || asked.kind === 'ageing') return fromFiles(id, query, place, asked)
  return booksCache.use(request, async (books) => {
    // Queries of several connections run beside each other; several of one connection would not.
    const db = await books.db.connect()
    try {
      query.interrupt = () => db.interrupt()
      if (query.cancelled) throw new CancelledError('nobody waits for it')
      send({ id, begun: true })
      return await compute({ ...books, db }, asked)
    } finally {
      query.interrupt = () => {}
      db.close()
    }
  })
}

type Asked<Kind extends AdhocQuery['kind']> = Extract<AdhocQuery, { readonly kind: Kind }>

/** Answers from the published files, without loading the books. */
async function fromFiles(
  id: number,
  query: Query,
  { snapshotsRoot, company, snapshotId, manifestSha256 }: SnapshotPlace,
  asked: Asked<'page' | 'ageing'>,
): Promise<string | Buffer> {
  const snapshot = await openSnapshot(snapshotsRoot, company, snapshotId, manifestSha256)
  if (query.cancelled) throw new CancelledError('nobody waits for it')
  send({ id, begun: true })
  if (asked.kind === 'ageing') return ageingText(snapshot, asked)
  const { path, entries, search } = asked
  const opened = await openedReport(snapshot)
  const as = savedAs(path)
  if (as !== null) {
    const saved = FORMATS.includes(as) ? savedPage(opened, path) : null
    if (saved === null) return ''
    const leaving = new AbortController()
    query.interrupt = () => leaving.abort()
    return (await savedFile(opened, { as, ...saved }, entries, leaving.signal)) ?? ''
  }
  // Computers are named in the log alone, which is not served.
  return (await renderedFile(opened, path, { entries, hosts: false, files: FORMATS, search })) ?? ''
}

const FORMATS: readonly SavedAs[] = ['csv', 'xlsx', ...(hasBrowser() ? ['pdf' as const] : [])]

function compute(books: RangeBooks, query: Asked<'statement' | 'metrics'>): Promise<string> | string {
  const { startDate, endDate, budgetId, classId, departmentId } = query
  const range = { startDate, endDate }
  const filters = { budgetId, classId, departmentId }
  if (query.kind === 'metrics') return answerMetrics(books, filters, query.metricIds, range)
  return answerStatement(books, { statement: query.statement, basis: query.basis, ...filters }, range)
}

/** An error of sending means that the server has ended, which `disconnect` handles. */
const send = (message: AdhocReply): void => void process.send?.(message, undefined, undefined, () => {})

async function take(id: number, request: AdhocRequest): Promise<void> {
  const query: Query = { cancelled: false, interrupt: () => {} }
  queries.set(id, query)
  try {
    const made = await answer(id, query, request)
    const body = typeof made === 'string' ? Buffer.from(made, 'utf8') : made
    send({ id, memory: process.memoryUsage.rss(), ok: true, body })
  } catch (problem) {
    const message = problem instanceof Error ? problem.message : String(problem)
    const reason = query.cancelled ? 'cancelled' : reasonOf(problem, message)
    send({ id, memory: process.memoryUsage.rss(), ok: false, reason, message })
  } finally {
    queries.delete(id)
  }
}

function reasonOf(problem: unknown, message: string): 'memory' | 'unreadable' | 'failed' {
  if (isOfTheDisk(problem)) return 'unreadable'
  return /^Out of Memory/i.test(message) ? 'memory' : 'failed'
}

process.on('message', (message: AdhocMessage) => {
  if (!('cancel' in message)) return void take(message.id, message)
  const query = queries.get(message.id)
  if (query === undefined) return
  query.cancelled = true
  query.interrupt()
})
// A signal to the whole process group (from a terminal or systemd) is for the server, which may still need answers from
// here.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {})
// Ends with the server.
process.on('disconnect', () => process.exit(0))
