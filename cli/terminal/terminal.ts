/**
 * Writes every byte to the terminal: text or one JSON document to stdout, notes to stderr, with colours where they
 * are wanted.
 */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'

/** Codes that begin and end each look (ECMA-48 §8.3.117). */
const LOOKS = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
}

type Paint = Readonly<Record<keyof typeof LOOKS, (text: string) => string>>

/**
 * Stands for the escape character until a text is written. It is random, so that no name in the data can contain it and
 * set colours.
 */
const ESCAPE = randomUUID()
const CODES = new RegExp(`${ESCAPE}(\\[\\d+m)`, 'g')

export const paintOf = (isOn: boolean): Paint =>
  Object.fromEntries(
    Object.entries(LOOKS).map(([look, [begin, end]]) => [
      look,
      (text: string) => (isOn ? `${ESCAPE}[${begin}m${text}${ESCAPE}[${end}m` : text),
    ]),
  ) as Paint

type Output = NodeJS.WritableStream & Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows'>>

/** Where a command reads and writes: the streams of its process, or others. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
}

interface TerminalOptions {
  readonly json?: boolean
  readonly verbose?: boolean
  readonly debug?: boolean
}

/**
 * Follows https://no-color.org and https://force-color.org; otherwise colours are for terminals and not for files
 * and pipes.
 */
export function wantsColour(stream: Pick<Output, 'isTTY'>, env = process.env): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0'
  return stream.isTTY === true && env.TERM !== 'dumb'
}

export class Terminal {
  readonly json: boolean
  /** Long lists are shown in full. */
  readonly verbose: boolean
  /** A failure prints its stack. */
  readonly debug: boolean
  readonly paint: Paint
  readonly notePaint: Paint
  /** Columns of stdout; output to a file or a pipe is not wrapped. */
  readonly width: number
  readonly io: Io

  constructor(io: Io, { json = false, verbose = false, debug = false }: TerminalOptions) {
    this.json = json
    this.verbose = verbose
    this.debug = debug
    this.io = io
    this.paint = paintOf(wantsColour(io.stdout))
    this.notePaint = paintOf(wantsColour(io.stderr))
    this.width = io.stdout.isTTY ? io.stdout.columns || 80 : Number.POSITIVE_INFINITY
  }

  /** Prints the outcome of a command: `document` with --json, else `text`. With --json it must be called once. */
  show(document: object, text: () => string): void {
    if (this.json) this.io.stdout.write(`${harmless(jsonText(document), false)}\n`)
    else this.print(text())
  }

  /** Prints a part of the outcome for people, beside which there is no JSON. */
  print(text: string): void {
    print(this.io.stdout, text)
  }

  /** Like {@link show}, but a text longer than the terminal goes through a pager. */
  page(document: object, text: () => string): void {
    const shown = this.json ? '' : text()
    if (this.json || !pagedText(shown, this.io.stdout)) this.show(document, () => shown)
  }

  /** Prints progress or a remark beside the outcome; with --json nothing. */
  note(text: string): void {
    if (!this.json) print(this.io.stderr, text)
  }

  /** Prints the stack of a failure, with --debug. */
  trace(problem: unknown): void {
    if (!this.debug) return
    print(this.io.stderr, problem instanceof Error ? (problem.stack ?? problem.message) : String(problem))
  }
}

const LARGE = '\u0001'

/** As JSON; whole numbers that a double would round keep all of their digits. */
const jsonText = (document: object): string =>
  JSON.stringify(document, (_, value) => (typeof value === 'bigint' ? `${LARGE}${value}` : value), 2).replace(
    /"\\u0001(-?\d+)"/g,
    '$1',
  )

/** Matches control characters and those that change the direction of text. */
const ACTS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** Makes control characters visible, which a source may hold, so that they have no effect. The colours of {@link Paint} stay. */
export const harmless = (text: string, colours: boolean): string =>
  text
    .replace(ACTS, (acting) => `\\u${acting.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(CODES, colours ? '\u001b$1' : '')

/** Writes a text, {@link harmless}, and a line end. */
export function print(stream: Output, text: string): void {
  stream.write(`${harmless(text, wantsColour(stream))}\n`)
}

/** The columns that a text takes on the terminal, where colours take none. */
export const widthOf = (text: string): number => harmless(text, false).length

/** With thousands separators in every locale: 38,123. */
export const count = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',')

export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB']

/** `1.4 MB` */
export function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`
}

/**
 * Wraps text to lines of at most `width`; each but the first is indented by `indent`. A word that is too long is
 * not broken.
 */
export function wrap(text: string, width: number, indent = 0): string {
  const room = Math.max(20, width - indent)
  const lines = text.split('\n').flatMap((paragraph) => {
    const wrapped: string[][] = []
    let left = -1
    for (const word of paragraph.split(' ')) {
      const taken = widthOf(word) + 1
      if (taken > left) {
        wrapped.push([word])
        left = room + 1
      } else wrapped.at(-1)?.push(word)
      left -= taken
    }
    return wrapped.map((words) => words.join(' '))
  })
  return lines.join(`\n${' '.repeat(indent)}`)
}

/**
 * Options of less: quit where the text fits one screen, keep colours, do not wrap long lines, leave the text on the
 * screen.
 */
const LESS = 'FRSX'

type Screen = Pick<Output, 'isTTY' | 'rows'>

/**
 * Shows a long text page by page, by $PAGER or else less, as git shows its log. Returns false where nothing was
 * shown: stdout is no terminal, the text fits, or no pager works.
 */
export function pagedText(text: string, out: Screen, env = process.env): boolean {
  const pager = env.PAGER ?? 'less'
  if (!out.isTTY || pager === '' || pager === 'cat' || text.split('\n').length < (out.rows ?? 0)) return false
  const { status } = spawnSync(pager, {
    input: `${harmless(text, wantsColour(out, env))}\n`,
    stdio: ['pipe', 'inherit', 'inherit'],
    shell: true,
    env: { ...env, LESS: env.LESS ?? LESS },
  })
  return status === 0
}
