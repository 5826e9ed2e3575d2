/** Every byte to the terminal: text or one JSON document to stdout, notes to stderr, colours where they are wanted. */
import { spawnSync } from 'node:child_process'
import type { WriteStream } from 'node:tty'
import { stripVTControlCharacters } from 'node:util'
import picocolors from 'picocolors'

export type Paint = ReturnType<typeof picocolors.createColors>

export interface TerminalOptions {
  readonly json?: boolean
  readonly verbose?: boolean
  readonly debug?: boolean
}

/** https://no-color.org, https://force-color.org; else colours for people only, never for files and pipes. */
export function wantsColour(stream: Pick<WriteStream, 'isTTY'>, env = process.env): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0'
  return stream.isTTY === true && env.TERM !== 'dumb'
}

export class Terminal {
  readonly json: boolean
  /** Nothing is left out of long lists. */
  readonly verbose: boolean
  /** Failures show where in the program they arose. */
  readonly debug: boolean
  readonly paint: Paint = picocolors.createColors(wantsColour(process.stdout))
  readonly notePaint: Paint = picocolors.createColors(wantsColour(process.stderr))
  /** Of stdout; what goes to a file or a pipe is not wrapped. */
  readonly width: number = process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY

  constructor({ json = false, verbose = false, debug = false }: TerminalOptions) {
    this.json = json
    this.verbose = verbose
    this.debug = debug
  }

  /** The outcome of a command: `document` with --json, else `text`. Once per command, where it is a document. */
  show(document: object, text: () => string): void {
    if (this.json) process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
    else print(process.stdout, text())
  }

  /** As {@link show}; a text that is longer than the terminal goes through a pager. */
  page(document: object, text: () => string): void {
    const shown = this.json ? '' : text()
    if (this.json || !pagedText(shown)) this.show(document, () => shown)
  }

  /** Beside the outcome: what goes on, what to know. With --json nobody reads it. */
  note(text: string): void {
    if (!this.json) print(process.stderr, text)
  }

  /** The stack of a failure, with --debug. */
  trace(problem: unknown): void {
    if (!this.debug) return
    print(process.stderr, problem instanceof Error ? (problem.stack ?? problem.message) : String(problem))
  }
}

/** The colours of this program, and all else that acts on a terminal, or turns the direction of a text around. */
const ACTS =
  /(\u001b\[(?:[0-2]|22|3[0-79]|90)m)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** One text with the end of its line. What came out of a file is seen, and does nothing: it may hold anything. */
export function print(stream: NodeJS.WriteStream, text: string): void {
  const colours = wantsColour(stream)
  const shown = text.replace(ACTS, (acting, colour?: string) =>
    colours && colour !== undefined
      ? colour
      : acting.replace(/[^ -~]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
  stream.write(`${shown}\n`)
}

/** Columns that a text takes: colours take none. */
export const widthOf = (text: string): number => stripVTControlCharacters(text).length

/** Thousands apart, whatever the locale: 38,123. */
export const count = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',')

export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

/** Text as lines of at most `width`, each after `indent` blanks but the first. A word too long stays whole. */
export function wrap(text: string, width: number, indent = 0): string {
  const room = Math.max(20, width - indent)
  const lines = text.split('\n').flatMap((paragraph) => {
    const wrapped: string[] = []
    let line = ''
    for (const word of paragraph.split(' ')) {
      if (line !== '' && widthOf(line) + 1 + widthOf(word) > room) {
        wrapped.push(line)
        line = word
      } else line = line === '' ? word : `${line} ${word}`
    }
    return [...wrapped, line]
  })
  return lines.join(`\n${' '.repeat(indent)}`)
}

/** Stops at the end of a text of one screen, keeps colours, and does not fold long lines. */
const LESS = 'FRSX'

type Screen = Pick<NodeJS.WriteStream, 'isTTY' | 'rows'>

/** Long text page by page, as git shows its log: by $PAGER, else less. Whether a pager showed it; false where there is no terminal, no need, or no pager that works. */
export function pagedText(text: string, out: Screen = process.stdout, env = process.env): boolean {
  const pager = env.PAGER ?? 'less'
  if (!out.isTTY || pager === '' || pager === 'cat' || text.split('\n').length < out.rows) return false
  const { status } = spawnSync(pager, {
    input: `${text}\n`,
    stdio: ['pipe', 'inherit', 'inherit'],
    shell: true,
    env: { ...env, LESS: env.LESS ?? LESS },
  })
  return status === 0
}
