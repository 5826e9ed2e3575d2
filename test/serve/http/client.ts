/** An HTTP client that checks every answer against openapi.json, and one that speaks raw bytes. */
import { connect } from 'node:net'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formatsPlugin from 'ajv-formats'
import * as assert from 'uvu/assert'
import type { z } from 'zod'
import { openApi } from '../../../builder/contract/openapi.ts'
import { OPERATIONS } from '../../../builder/contract/operations.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
// ajv-formats is CommonJS: its function is the default export's default where types come from ESM.
ajv.addFormat('decimal', true)
;(formatsPlugin as unknown as typeof formatsPlugin.default)(ajv)
const description = openApi('http://127.0.0.1') as {
  paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, unknown> }> }>>
}
ajv.addFormat('decimal', true)
ajv.addSchema({ $id: 'openapi', ...description })

const pointerText = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')
const templates = Object.keys(description.paths).map(
  (path) => [path, new RegExp(`^${path.replace('{Path}', '.+').replace(/\{\w+\}/g, '[^/]+')}$`)] as const,
)

/** The schema of an answer as described; what no operation describes can only be a problem. */
function schemaOf(method: string, path: string, status: number, type: string): ValidateFunction {
  const template = templates.find(([, pattern]) => pattern.test(path))?.[0]
  const operation =
    template && description.paths[template]?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
  if (!template || !operation) return ajv.getSchema('openapi#/components/schemas/Problem')!
  const key = operation.responses[status] ? String(status) : 'default'
  assert.ok(
    operation.responses[key]?.content?.[type],
    `${method} ${path} ${status} is not described as ${type}`,
  )
  const place = [
    'paths',
    template,
    method === 'HEAD' ? 'get' : method.toLowerCase(),
    'responses',
    key,
    'content',
    type,
    'schema',
  ]
  return ajv.getSchema(`openapi#/${place.map((part) => encodeURIComponent(pointerText(part))).join('/')}`)!
}

function strictOf(path: string, method: string): z.ZodType | null {
  const template = templates.find(([, pattern]) => pattern.test(path))?.[0]
  const operation = Object.values(OPERATIONS).find(
    (each) => each.path === template && each.method === (method === 'HEAD' ? 'GET' : method),
  )
  return operation === undefined || typeof operation.answer === 'string' ? null : operation.answer
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads fields that its assertion is about
  readonly json: any
}

export interface Ask {
  readonly method?: string
  readonly token?: string | null
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array
}

export type Client = (path: string, ask?: Ask) => Promise<Reply>

/** `token` is sent unless a request says otherwise (null: none). */
export const client =
  (base: string, token: string | null = null): Client =>
  async (path, ask = {}) => {
    const { method = 'GET', headers = {}, body } = ask
    const bearer = ask.token === undefined ? token : ask.token
    const response = await fetch(`${base}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(bearer === null ? {} : { Authorization: `Bearer ${bearer}` }), ...headers },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    return checked(method, path, response.status, response.headers, text)
  }

function checked(method: string, target: string, status: number, headers: Headers, text: string): Reply {
  const path = target.split('?')[0]!
  const type = (headers.get('content-type') ?? '').split(';')[0]!
  if (text === '' || path === '/healthz' || path === '/readyz' || type === 'application/zip')
    return { status, headers, text, json: null }
  const json: Reply['json'] = JSON.parse(text)
  const validate = schemaOf(method, path, status, type)
  const described: boolean = validate(json)
  assert.ok(described, `${method} ${target} ${status}: ${ajv.errorsText(validate.errors)}\n${text}`)
  // The description leaves room for what may be added; what there is now is exactly what the schemas say.
  if (status === 200) strictOf(path, method)?.parse(json)
  assert.is(headers.get('x-content-type-options'), 'nosniff')
  assert.match(headers.get('request-id') ?? '', /^[A-Za-z0-9._-]{1,64}$/)
  if (status >= 400 && !path.startsWith('/oauth2/')) {
    assert.is(type, 'application/problem+json')
    assert.is(json.status, status)
    assert.is(headers.get('cache-control'), 'no-store')
    assert.is(headers.get('etag'), null)
  }
  return { status, headers, text, json }
}

/** Sends bytes as they are and gives all that comes back until the server closes the connection. */
export const raw = (port: number, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('end', () => resolve(text))
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
    socket.write(bytes, 'latin1')
  })

/** Status of a request whose target fetch would normalise. */
export async function rawStatus(
  port: number,
  target: string,
  token: string,
  method = 'GET',
): Promise<number> {
  const head = `${method} ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`
  return Number((await raw(port, head)).split(' ')[1])
}
