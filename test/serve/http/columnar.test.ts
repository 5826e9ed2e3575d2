/** Statements and metrics as Arrow streams: who gets them, and that each figure is that of the JSON answer. */
import { type Table, tableFromIPC } from 'apache-arrow'
import * as assert from 'uvu/assert'
import { encodeArrow } from '../../../builder/contract/arrow.ts'
import { encodeMetrics, encodeStatement } from '../../../builder/contract/encode.ts'
import { ARROW_STREAM } from '../../../builder/contract/operations.ts'
import { prefersColumns } from '../../../serve/http/forms.ts'
import { suite } from '../../suite.ts'
import { BUDGET } from '../companies/fixture.ts'
import { type Stand, stand } from './stand.ts'

const columnar = suite<{ it: Stand }>('columnar answers')
columnar.before(async (context) => {
  context.it = await stand()
})
columnar.after(async ({ it }) => it.close())

const STATEMENTS = ['profit-loss', 'balance-sheet', 'cash-flow-statement']
const RANGE = 'StartDate=2024-03-01&EndDate=2025-12-31&AccountingBasis=ACCRUAL'
const BUDGETED = `BudgetId=${encodeURIComponent(BUDGET.Id)}`
const METRICS = { NonFinancialIds: ['units', 'headcount'], StartDate: '2024-01-01', EndDate: '2025-06-30' }

interface Request {
  readonly path: string
  readonly init: RequestInit
}
const statement = (route: string, more = ''): Request => ({
  path: `/companies/acme/${route}?${RANGE}${more}`,
  init: {},
})
const metrics: Request = {
  path: '/companies/acme/non-financial',
  init: {
    method: 'POST',
    body: JSON.stringify(METRICS),
    headers: { 'Content-Type': 'application/json' },
  },
}

const ask = ({ base }: Stand, { path, init }: Request, headers: Record<string, string>): Promise<Response> =>
  fetch(`${base}${path}`, {
    ...init,
    headers: { Authorization: 'Bearer owner', ...(init.headers as object), ...headers },
  })
const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer())

type Figure = readonly [id: string, month: string, minor: bigint | null]

/** The text of each figure as an integer, straight from the JSON's bytes: no double in between. */
function figuresOfJson(text: string, decimals: number): Figure[] {
  const months = [...text.matchAll(/"Month":"([^"]+)"/g)].map(([, month]) => month!)
  return [...text.matchAll(/^\{"(?:AccountId|NonFinancialId)":("(?:[^"\\]|\\.)*").*"Values":\[(.*)\]\}/gm)]
    .map(([, id, values]) => [JSON.parse(id!) as string, values!.split(',')] as const)
    .flatMap(([id, values]) =>
      months.map((month, i): Figure => {
        const [whole = '', fraction = ''] = values[i]!.split('.')
        return [id, month, values[i] === 'null' ? null : BigInt(whole + fraction.padEnd(decimals, '0'))]
      }),
    )
}

/** Four words, the least significant first, in two's complement. */
const integerOf = (words: Uint32Array): bigint =>
  BigInt.asIntN(
    128,
    words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n),
  )

function figuresOfTable(table: Table): Figure[] {
  const [id, month, value] = table.schema.names.map((name) => table.getChild(name)!)
  return Array.from({ length: table.numRows }, (_, i) => {
    const words = value!.get(i) as Uint32Array | null
    return [
      id!.get(i) as string,
      new Date(month!.get(i) as number).toISOString().slice(0, 7),
      words === null ? null : integerOf(words),
    ]
  })
}

columnar('every figure is that of the JSON answer, exactly; nulls stay null', async ({ it }) => {
  const requests: [Request, string, number, string][] = [
    ...STATEMENTS.flatMap((route): [Request, string, number, string][] =>
      ['', '&ClassId=north', '&ClassId=n%2F1', `&${BUDGETED}`, `&${BUDGETED}&ClassId=north`].map((more) => [
        statement(route, more),
        'AccountId',
        2,
        'Decimal[18e+2]',
      ]),
    ),
    [metrics, 'NonFinancialId', 6, 'Decimal[38e+6]'],
  ]
  let nulls = 0
  for (const [request, id, decimals, type] of requests) {
    const json = await (await ask(it, request, { Accept: 'application/json' })).text()
    const response = await ask(it, request, { Accept: ARROW_STREAM })
    assert.is(response.status, 200)
    assert.is(response.headers.get('content-type'), ARROW_STREAM)
    const table = tableFromIPC(await bytesOf(response))
    assert.equal(
      table.schema.fields.map(({ name, type: columnType }) => [name, String(columnType)]),
      [
        [id, 'Utf8'],
        ['Month', 'Date32<DAY>'],
        ['Value', type],
      ],
    )
    const figures = figuresOfTable(table)
    nulls += figures.filter(([, , minor]) => minor === null).length
    assert.equal(figures, figuresOfJson(json, decimals), request.path)
    const { CompanyId, StartDate, EndDate, Periods, ClassId } = JSON.parse(json)
    const { metadata } = table.schema
    assert.equal(
      [
        metadata.get('CompanyId'),
        metadata.get('StartDate'),
        metadata.get('EndDate'),
        metadata.get('ClassId'),
      ],
      [CompanyId, StartDate, EndDate, ClassId ?? undefined],
    )
    assert.equal(JSON.parse(metadata.get('Periods')!), Periods)
  }
  assert.ok(nulls > 0)
})

columnar('extremes: the greatest figures, negative ones, no decimals and four, no rows, no months', () => {
  const periods = ['2024-01', '2024-02'].map((month) => ({
    month,
    startDate: `${month}-01`,
    endDate: `${month}-28`,
  }))
  const head = { companyId: 'ö', startDate: '2024-01-01', endDate: '2024-02-28' }
  const filters = { budgetId: 'b', classId: null, departmentId: null }
  for (const [currency, decimals] of [
    ['JPY', 0],
    ['EUR', 2],
    ['BHD', 3],
    ['CLF', 4],
  ] as const)
    for (const shown of [[], periods])
      for (const values of [[], [999_999_999_999_999, -999_999_999_999_999], [-1, Number.NaN], [0, 1]]) {
        const text = encodeStatement({
          ...head,
          ...filters,
          currency,
          statement: 'ProfitAndLoss',
          basis: 'CASH',
          basisSource: 'Budget',
          periods: shown,
          rows:
            values.length === 0
              ? []
              : ['a"ä\u{1f600}', ''].map((accountId) => ({
                  accountId,
                  accountNumber: '',
                  accountName: '',
                  section: 'Income' as const,
                  values: Float64Array.from(values.slice(0, shown.length)),
                })),
          summary: [],
        })
        const table = tableFromIPC(encodeArrow(Buffer.from(text)))
        assert.equal(figuresOfTable(table), figuresOfJson(text, decimals))
        assert.is(table.schema.fields.length, 3)
        assert.is(table.schema.metadata.get('ClassId'), undefined)
      }
  const text = encodeMetrics({
    ...head,
    ...filters,
    periods,
    rows: [
      { metricId: 'm', values: ['123456789.123456', '-0.000001'] },
      { metricId: 'n', values: ['999999999999999', null] },
      // Sums of many values have more digits than one of them, and more than a double holds.
      { metricId: 'o', values: ['1234567890123456789.123456', '-0.1'] },
      { metricId: 'an "odd" name: "Values":[1,2]', values: ['-1000000000000000000000000', '-12345678901.5'] },
    ],
  })
  assert.equal(figuresOfTable(tableFromIPC(encodeArrow(Buffer.from(text)))), figuresOfJson(text, 6))
})

columnar(
  'equal requests give equal bytes, each form and coding with a validator of its own',
  async ({ it }) => {
    const request = statement('profit-loss')
    const tags = new Set<string>()
    for (const Accept of ['application/json', ARROW_STREAM])
      for (const coding of ['identity', 'gzip', 'br']) {
        const headers = { Accept, 'Accept-Encoding': coding }
        const [a, b] = [await ask(it, request, headers), await ask(it, request, headers)]
        assert.is(a.headers.get('vary'), 'Accept, Authorization, Accept-Encoding')
        assert.match(a.headers.get('tie-out') ?? '', /^pass/)
        assert.equal(await bytesOf(a), await bytesOf(b))
        const etag = a.headers.get('etag')!
        tags.add(etag)
        const again = await ask(it, request, { ...headers, 'If-None-Match': etag })
        assert.is(again.status, 304)
        assert.is(again.headers.get('vary'), a.headers.get('vary'))
      }
    // The JSON of this range is too small for a coding, the stream is not.
    assert.is([...tags].filter((tag) => /^"[0-9a-f]{32}-arrow(-br|-gzip)?"$/.test(tag)).length, 3)
    const first = encodeArrow(await bytesOf(await ask(it, request, {})))
    assert.equal(first, encodeArrow(await bytesOf(await ask(it, request, {}))))
  },
)

columnar('H7: JSON is what a client gets that does not like the stream better', async ({ it }) => {
  const table: [string | undefined, boolean][] = [
    [undefined, false],
    ['', false],
    ['*/*', false],
    ['application/*', false],
    ['text/html', false],
    ['application/json', false],
    [ARROW_STREAM, true],
    [ARROW_STREAM.toUpperCase(), true],
    [`${ARROW_STREAM}, */*;q=0.8`, true],
    [`${ARROW_STREAM};q=0.9, application/json`, false],
    [`${ARROW_STREAM}, application/json`, false],
    [`application/json;q=0.5, ${ARROW_STREAM};q=0.6`, true],
    [`application/json;q=0, ${ARROW_STREAM};q=0.001`, true],
    [`${ARROW_STREAM};q=0`, false],
    [`${ARROW_STREAM};q=x`, false],
    ['application/vnd.apache.arrow.file', false],
  ]
  for (const [accept, expected] of table) assert.is(prefersColumns(accept), expected, accept)
  for (const [path, Accept] of [
    [statement('profit-loss').path, '*/*'],
    [statement('profit-loss').path, 'text/html'],
    ['/companies/acme/info', ARROW_STREAM],
    ['/companies/acme/classes', ARROW_STREAM],
  ] as const) {
    const response = await ask(it, { path, init: {} }, { Accept })
    assert.is(response.headers.get('content-type'), 'application/json; charset=utf-8')
  }
})

columnar('a problem is a problem whatever form was asked for', async ({ it }) => {
  const request = statement('profit-loss', '&ClassId=nope')
  const response = await ask(it, request, { Accept: ARROW_STREAM })
  assert.is(response.status, 404)
  assert.is(response.headers.get('content-type'), 'application/problem+json')
})
