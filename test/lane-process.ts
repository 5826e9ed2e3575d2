/** The processes that run files of tests, as whoever gives them files sees them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Told } from './lane.ts'
import type { Counts } from './suite.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const LIMIT_SECONDS = Number(process.env.TEST_LIMIT_SECONDS ?? 600)

export interface Result extends Counts {
  readonly file: string
  readonly seconds: number
  readonly said: string
}

/** A process that runs file after file. */
export class Lane {
  readonly #child: ChildProcess
  #hasEnded = false
  readonly #ended: Promise<string>

  constructor(env: NodeJS.ProcessEnv) {
    this.#child = spawn(process.execPath, [join(root, 'test/lane.mjs')], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // A group of its own: what it started ends with it.
      detached: true,
    })
    this.#ended = new Promise((resolve) =>
      this.#child.once('exit', (code, signal) => {
        this.#hasEnded = true
        resolve(`ended the process that runs the tests (${signal ?? `code ${code}`})`)
      }),
    )
  }

  /** True where a file hung, crashed, or ended the process in its middle. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  async run(file: string): Promise<Result> {
    const begun = Date.now()
    let said = ''
    let timer: NodeJS.Timeout | undefined
    const outcome = await Promise.race([
      this.#ended,
      new Promise<string>((resolve) => {
        timer = setTimeout(
          () => resolve(`did not finish within ${LIMIT_SECONDS} seconds`),
          LIMIT_SECONDS * 1000,
        )
      }),
      new Promise<Counts>((resolve) => {
        this.#child.on('message', (told: Told) => {
          if ('text' in told) said += told.text
          else resolve(told.counts)
        })
        // A process that is gone already is noticed by its end.
        this.#child.send(join(root, file), () => {})
      }),
    ])
    clearTimeout(timer)
    this.#child.removeAllListeners('message')
    const seconds = (Date.now() - begun) / 1000
    if (typeof outcome === 'object') return { ...outcome, file, seconds, said }
    this.kill()
    await this.#ended
    return { passed: 0, failed: 1, skipped: 0, file, seconds, said: `${said}  FAIL  ${outcome}\n` }
  }

  async end(): Promise<void> {
    if (this.#child.connected) this.#child.send('', () => {})
    await this.#ended
  }

  kill(): void {
    try {
      process.kill(-this.#child.pid!, 'SIGKILL')
    } catch {
      // Gone in the meantime.
    }
  }
}
