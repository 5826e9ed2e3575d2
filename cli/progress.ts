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

export interface ShownProgress {
  readonly progress: Progress
  /** Takes the bar away: what follows is printed where it stood. */
  end(): void
}

export function showProgress(company: string, terminal: Terminal): ShownProgress {
  if (terminal.json) return { progress: () => {}, end: () => {} }
  return process.stderr.isTTY && process.env.TERM !== 'dumb'
    ? drawBar(company, terminal)
    : printSteps(company, terminal)
}

function printSteps(company: string, terminal: Terminal): ShownProgress {
  let last: Step | null = null
  return {
    progress: (step) => {
      if (step === last) return
      last = step
      terminal.note(`${company}: ${DOING[step]}`)
    },
    end: () => {},
  }
}

function drawBar(company: string, { notePaint: paint }: Terminal): ShownProgress {
  const begun = Date.now()
  let current: { step: Step; done: number; total: number | null } | null = null
  let drawnAt = 0

  const draw = () => {
    if (!current) return
    drawnAt = Date.now()
    const { step, done, total } = current
    const filled = total === null || total === 0 ? 0 : Math.round((done / total) * BAR_WIDTH)
    const bar =
      total === null ? '' : ` ${paint.cyan('━'.repeat(filled))}${paint.dim('─'.repeat(BAR_WIDTH - filled))}`
    const figures = total === null ? '' : ` ${count(done)} of ${count(total)}`
    const seconds = Math.floor((drawnAt - begun) / 1000)
    process.stderr.write(
      `${ERASE}${paint.bold(company)} ${DOING[step]}${bar}${figures}${seconds > 0 ? paint.dim(` ${seconds} s`) : ''}`,
    )
  }
  // The clock goes on where a step cannot say how far it is.
  const ticking = setInterval(draw, 1000)
  ticking.unref()

  return {
    progress: (step, done, total) => {
      const next = step !== current?.step
      current = { step, done, total }
      if (next || Date.now() - drawnAt >= REDRAW_MS) draw()
    },
    end: () => {
      clearInterval(ticking)
      process.stderr.write(ERASE)
    },
  }
}
