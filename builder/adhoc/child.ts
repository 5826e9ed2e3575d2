/**
 * The ad-hoc engine: a process of its own that answers ranges which no snapshot file holds. The server forks it and
 * speaks to it in messages; nothing imports it.
 */
import type { AdhocReply, AdhocRequest } from '../contract/adhoc.ts'
import { answerMetrics, answerStatement } from '../statements/answer.ts'
import { Shelf } from './shelf.ts'

/** Loaded books are bounded: 200 MB of Parquet are about 40 million postings. */
const shelf = new Shelf(200_000_000)

async function answer(request: AdhocRequest): Promise<string> {
  const books = await shelf.books(request)
  const { query } = request
  return query.kind === 'statement'
    ? answerStatement(books, scopeOf(query), rangeOf(query))
    : answerMetrics(
        books,
        { budgetId: query.budgetId, classId: query.classId, departmentId: query.departmentId },
        query.metricIds,
        rangeOf(query),
      )
}

const rangeOf = ({ startDate, endDate }: AdhocRequest['query']) => ({ startDate, endDate })
const scopeOf = ({
  statement,
  basis,
  budgetId,
  classId,
  departmentId,
}: AdhocRequest['query'] & { kind: 'statement' }) => ({
  statement,
  basis,
  budgetId,
  classId,
  departmentId,
})

const reply = (message: AdhocReply): void => void process.send?.(message)

process.on('message', (request: AdhocRequest & { readonly id: number }) => {
  answer(request).then(
    (text) => reply({ id: request.id, ok: true, body: Buffer.from(text, 'utf8') }),
    (problem: unknown) =>
      reply({
        id: request.id,
        ok: false,
        message: problem instanceof Error ? problem.message : String(problem),
      }),
  )
})
// The server is gone: so is the reason to be here.
process.on('disconnect', () => process.exit(0))
