/**
 * How far a build is: one bar on stderr where people look at it, one line per step where a log is kept. One line that
 * is drawn over is all there is to it, so no library is needed.
 */
import type { Progress, Step } from '../builder/build.ts'
import { count, type Terminal } from './terminal.ts'

const DOING: Record<Step, string> = {
  read: 'reading the exports',
  books: 'checking the books',
  statements: 'composing statements',
  publish: 'publishing',
}
const BAR_WIDTH = 24
const REDRAW_MS = 80
const ERASE = '\r\x1b[2K'

/** `total` null: nobody knows yet how much there is. */
export type Work = (doing: string, done: number, total: number | null) => void

export interface Shown<How> {
  readonly progress: How
  /** Takes the bar away: what follows is printed where it stood. */
  end(): void
}
export type ShownProgress = Shown<Progress>

export function showProgress(company: string, terminal: Terminal): ShownProgress {
  const shown = showWork(company, terminal)
  return { ...shown, progress: (step, done, total) => shown.progress(DOING[step], done, total) }
}

/** Any work with a name; `unit` stands behind the figures. */
export function showWork(title: string, terminal: Terminal, unit = ''): Shown<Work> {
  if (terminal.json) return { progress: () => {}, end: () => {} }
  return process.stderr.isTTY && process.env.TERM !== 'dumb'
    ? drawBar(title, terminal, unit)
    : printSteps(title, terminal)
}

/** Bytes as {@link showWork} takes them with the unit `MB`. */
export const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6)

function printSteps(title: string, terminal: Terminal): Shown<Work> {
  let last: string | null = null
  return {
    progress: (doing) => {
      if (doing === last) return
      last = doing
      terminal.note(`${title}: ${doing}`)
    },
    end: () => {},
  }
}

function drawBar(title: string, { notePaint: paint }: Terminal, unit: string): Shown<Work> {
  const begun = Date.now()
  let current: { doing: string; done: number; total: number | null } | null = null
  let drawnAt = 0

  const draw = () => {
    if (!current) return
    drawnAt = Date.now()
    const { doing, done, total } = current
    const filled = total === null || total === 0 ? 0 : Math.round((done / total) * BAR_WIDTH)
    const bar =
      total === null ? '' : ` ${paint.cyan('━'.repeat(filled))}${paint.dim('─'.repeat(BAR_WIDTH - filled))}`
    const figures = total === null ? '' : ` ${count(done)} of ${count(total)}${unit && ` ${unit}`}`
    const seconds = Math.floor((drawnAt - begun) / 1000)
    process.stderr.write(
      `${ERASE}${paint.bold(title)} ${doing}${bar}${figures}${seconds > 0 ? paint.dim(` ${seconds} s`) : ''}`,
    )
  }
  // The clock goes on where a step cannot say how far it is.
  const ticking = setInterval(draw, 1000)
  ticking.unref()

  return {
    progress: (doing, done, total) => {
      const next = doing !== current?.doing
      current = { doing, done, total }
      if (next || Date.now() - drawnAt >= REDRAW_MS) draw()
    },
    end: () => {
      clearInterval(ticking)
      process.stderr.write(ERASE)
    },
  }
}
