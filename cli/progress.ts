/**
 * How far work is: one bar on stderr where people look at it, one line per step where a log is kept. One line that is
 * drawn over, whatever number of works it tells of, is all there is to it, so no library is needed.
 */
import type { Progress, Step } from '../builder/build/result.ts'
import { count, type Terminal, widthOf } from './terminal.ts'

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

/** Works that go on at the same time, by their titles. */
interface Shown {
  show(title: string, ...at: Parameters<Work>): void
  /** One is done: what is said of it is printed where the bar stood. */
  end(title: string): void
  close(): void
}

export interface ShownBuilds extends Omit<Shown, 'show'> {
  show(company: string, ...at: Parameters<Progress>): void
}

/** The builds of so many companies. */
export function showBuilds(companies: number, terminal: Terminal): ShownBuilds {
  const shown = showAll(companies, terminal, '')
  return { ...shown, show: (company, step, done, total) => shown.show(company, DOING[step], done, total) }
}

/** Any work with a name; `unit` stands behind the figures. */
export function showWork(
  title: string,
  terminal: Terminal,
  unit = '',
): { readonly progress: Work; end(): void } {
  const shown = showAll(1, terminal, unit)
  return {
    progress: (...at) => shown.show(title, ...at),
    end: () => {
      shown.end(title)
      shown.close()
    },
  }
}

/** Bytes as {@link showWork} takes them with the unit `MB`. */
export const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6)

function showAll(works: number, terminal: Terminal, unit: string): Shown {
  if (terminal.json) return { show: () => {}, end: () => {}, close: () => {} }
  return process.stderr.isTTY && process.env.TERM !== 'dumb'
    ? drawBar(works, terminal, unit)
    : printSteps(terminal)
}

function printSteps(terminal: Terminal): Shown {
  const last = new Map<string, string>()
  return {
    show: (title, doing) => {
      if (doing === last.get(title)) return
      last.set(title, doing)
      terminal.note(`${title}: ${doing}`)
    },
    end: () => {},
    close: () => {},
  }
}

interface UnderWay {
  readonly doing: string
  readonly done: number
  readonly total: number | null
  readonly begun: number
}

function drawBar(works: number, { notePaint: paint }: Terminal, unit: string): Shown {
  const underWay = new Map<string, UnderWay>()
  let finished = 0
  let drawnAt = 0

  /** Several share the line: each says what it does, and only a single one has room for more. */
  function textOf(title: string, { doing, done, total, begun }: UnderWay): string {
    const part = total === null || total === 0 ? 0 : done / total
    const filled = Math.round(part * BAR_WIDTH)
    const bar = `${paint.cyan('━'.repeat(filled))}${paint.dim('─'.repeat(BAR_WIDTH - filled))}`
    const figures =
      underWay.size > 1
        ? `${Math.floor(part * 100)} %`
        : `${bar} ${count(done)} of ${count(total ?? 0)}${unit === '' ? '' : ` ${unit}`}`
    const seconds = Math.floor((Date.now() - begun) / 1000)
    return `${paint.bold(title)} ${doing}${total === null ? '' : ` ${figures}`}${seconds > 0 ? paint.dim(` ${seconds} s`) : ''}`
  }
  const draw = (): void => {
    if (underWay.size === 0) return
    drawnAt = Date.now()
    const room = process.stderr.columns || 80
    let line = works > 1 ? paint.dim(`${count(finished)} of ${count(works)} done`) : ''
    for (const [title, at] of underWay) {
      const longer = `${line}${line === '' ? '' : paint.dim(' · ')}${textOf(title, at)}`
      // A line that wraps could not be drawn over.
      if (line !== '' && widthOf(longer) >= room) break
      line = longer
    }
    process.stderr.write(`${ERASE}${line}`)
  }
  // The clock goes on where a step cannot say how far it is.
  const ticking = setInterval(draw, 1000)
  ticking.unref()

  return {
    show: (title, doing, done, total) => {
      const known = underWay.get(title)
      underWay.set(title, { doing, done, total, begun: known?.begun ?? Date.now() })
      if (doing !== known?.doing || Date.now() - drawnAt >= REDRAW_MS) draw()
    },
    end: (title) => {
      underWay.delete(title)
      finished++
      process.stderr.write(ERASE)
    },
    close: () => {
      clearInterval(ticking)
      process.stderr.write(ERASE)
    },
  }
}
