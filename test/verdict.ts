/** How many tests of a file passed, and how `run.ts` learns it from the process that ran them. */
import type { Readable } from 'node:stream'

export interface Verdict {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** Begins a line of stdout that is for `run.ts`: its place after a file's output is what ends that output. */
export const MARK = '\u0000verdict '

/** Collects what a lane prints, up to the line that holds its verdict on the file. */
export class LaneOutput {
  #rest = ''
  #output = ''
  #verdicts: Verdict[] = []
  #waiting: ((verdict: Verdict) => void) | null = null

  constructor(stdout: Readable) {
    stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n')
      this.#rest = lines.pop()!
      for (const line of lines) this.#line(line)
    })
  }

  verdict(): Promise<Verdict> {
    return new Promise((resolve) => {
      const known = this.#verdicts.shift()
      if (known) resolve(known)
      else this.#waiting = resolve
    })
  }

  take(): string {
    const output = this.#output + this.#rest
    this.#output = ''
    this.#rest = ''
    return output
  }

  #line(line: string): void {
    if (!line.startsWith(MARK)) {
      this.#output += `${line}\n`
      return
    }
    const verdict = JSON.parse(line.slice(MARK.length)) as Verdict
    if (this.#waiting) this.#waiting(verdict)
    else this.#verdicts.push(verdict)
    this.#waiting = null
  }
}
