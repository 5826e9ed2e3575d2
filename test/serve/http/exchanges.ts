/**
 * Requests with all that clients go by in their answers, as `cases/` has them: `$ METHOD target | as TOKEN | Header: value | body: text |
 * show: member`, where `{x*9}` is nine times x. Below it stand status, headers that matter, and the problem or the body.
 */
import { fileURLToPath } from 'node:url'
import { heldTo, memberOf } from '../../support/cases.ts'

export interface Exchange {
  readonly method: string
  readonly target: string
  /** `undefined`: whoever asks unless somebody else is named; null: nobody. */
  readonly token: string | null | undefined
  readonly headers: Record<string, string>
  readonly body: string | undefined
}
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const SHOWN = ['allow', 'www-authenticate', 'retry-after', 'location']

const repeated = (text: string): string =>
  text.replace(/\{([^{}]+)\*(\d+)\}/g, (_, part: string, count: string) => part.repeat(Number(count)))

function parsed(line: string): { readonly exchange: Exchange; readonly show: string | undefined } {
  const [request = '', ...parts] = line.slice(2).split(' | ').map(repeated)
  const [method = '', target = ''] = request.split(/ (.*)/)
  const after = (start: string) => parts.find((part) => part.startsWith(start))?.slice(start.length)
  const headers = parts
    .filter((part) => !/^(as|body:|show:)( |$)/.test(part))
    .map((part) => part.split(/: ?(.*)/))
  const who = after('as ')
  const token = who === 'nobody signed in' ? null : who
  const body = after('body: ') ?? after('body:')
  return {
    exchange: { method, target, token, headers: Object.fromEntries(headers), body },
    show: after('show: '),
  }
}

interface Told {
  readonly code?: string
  readonly error?: string
  readonly detail?: string
  readonly error_description?: string
}

/** What a page says, without its head and its markup. */
const proseOf = (text: string): string =>
  text
    .replace(/<head>.*<\/head>|<[^>]*>/gs, ' ')
    .replace(/\s+/g, ' ')
    .slice(0, 300)

function bodyOf(text: string, show: string | undefined): string {
  if (!text.startsWith('{')) return proseOf(text)
  const json = JSON.parse(text) as Told
  const code = json.code ?? json.error
  if (show !== undefined) return memberOf(json, show)
  if (code === undefined) return text.replace(/\n\s*/g, ' ')
  const detail = json.detail ?? json.error_description ?? ''
  return `${code}: ${detail.length > 300 ? `${detail.slice(0, 200)} … ${detail.slice(-60)}` : detail}`
}

/** The case of that name in the folder `cases` of a test, asked one after the other; `settle` names what is another one each time. */
export const exchanged = (
  name: string,
  ask: (exchange: Exchange) => Promise<Answer>,
  { of = import.meta.url, settle = (text: string) => text, shown = SHOWN } = {},
): Promise<void> =>
  heldTo(fileURLToPath(new URL(`cases/${name}.txt`, of)), async (line) => {
    if (!line.startsWith('$ ')) return ''
    const { exchange, show } = parsed(line)
    const { status, headers, text } = await ask(exchange)
    const told = shown.flatMap((key) => (headers.get(key) === null ? [] : [`${key}: ${headers.get(key)}`]))
    const all = `${`${status} ${bodyOf(text, show).trim()}`.trim()}\n${told.join(' | ')}`
    return settle(all.replace(/(?<=-r\d+-)[0-9a-f]{6}\b/g, 'HASH'))
  })
