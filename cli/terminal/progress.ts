/**
 * Shows progress: one bar on stderr for people, or one line per step in a log. A single line that is overwritten is
 * all that is needed, hence no library.
 */
import type { BuildStep, Progress } from '../../builder/build/result.ts'
import { MOST_COMPANIES } from './key-figures.ts'
import { count, harmless, type Terminal, wantsColour, widthOf } from './terminal.ts'

const DOING: Record<BuildStep, string> = {
  read: 'reading the exports',
  engine: 'reading the ledger with its engine',
  books: 'checking the books',
  statements: 'composing statements',
  publish: 'publishing',
}
const BAR_WIDTH = 24
const REDRAW_MS = 80
const ERASE = '\r\x1b[2K'

/** `total` is null while the amount of work is not known. */
type Work = (doing: string, done: number, total: number | null) => void

/** Several works that run at once, by title. */
interface Shown {
  show(title: string, ...at: Parameters<Work>): void
  /** Removes a work that is done, before its outcome is printed in the place of the bar. */
  end(title: string): void
  close(): void
}

interface ShownBuilds extends Omit<Shown, 'show'> {
  show(company: string, ...at: Parameters<Progress>): void
}

/** Shows the builds of this many companies. */
export function showBuilds(companies: number, terminal: Terminal): ShownBuilds {
  const shown = showAll(companies, terminal, '')
  return { ...shown, show: (company, step, done, total) => shown.show(company, DOING[step], done, total) }
}

/** Shows one work until it ends; `unit` stands behind the figures. */
export async function showWork<T>(
  title: string,
  terminal: Terminal,
  unit: string,
  work: (show: Work) => Promise<T>,
): Promise<T> {
  const shown = showAll(1, terminal, unit)
  try {
    return await work((...at) => shown.show(title, ...at))
  } finally {
    shown.end(title)
    shown.close()
  }
}

/** The number of megabytes, for {@link showWork} with the unit `MB`. */
export const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6)

function showAll(works: number, terminal: Terminal, unit: string): Shown {
  if (terminal.json) return { show: () => {}, end: () => {}, close: () => {} }
  return terminal.io.stderr.isTTY && process.env.TERM !== 'dumb'
    ? drawBar(works, terminal, unit)
    : printSteps(works, terminal)
}

/**
 * Prints one line for each step. With many works the first step is not printed, since a work without a second one has
 * changed nothing.
 */
function printSteps(works: number, terminal: Terminal): Shown {
  const isSilent = (title: string): boolean => works > MOST_COMPANIES && !last.has(title) && !terminal.verbose
  const last = new Map<string, string>()
  return {
    show: (title, doing) => {
      if (doing === last.get(title)) return
      const silent = isSilent(title)
      last.set(title, doing)
      if (!silent) terminal.note(`${title}: ${doing}`)
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

function drawBar(works: number, { notePaint: paint, io: { stderr } }: Terminal, unit: string): Shown {
  const underWay = new Map<string, UnderWay>()
  let finished = 0
  let drawnAt = 0

  /**
   * The text of one work. Several works share the line, so that each shows a percentage; only a single one has room
   * for a bar.
   */
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
    const room = stderr.columns || 80
    let line = works > 1 ? paint.dim(`${count(finished)} of ${count(works)} done`) : ''
    for (const [title, at] of underWay) {
      const longer = `${line}${line === '' ? '' : paint.dim(' · ')}${textOf(title, at)}`
      // A line that wraps could not be overwritten.
      if (line !== '' && widthOf(longer) >= room) break
      line = longer
    }
    stderr.write(`${ERASE}${harmless(line, wantsColour(stderr))}`)
  }
  // Redraws the clock while a step reports no progress.
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
      stderr.write(ERASE)
    },
    close: () => {
      clearInterval(ticking)
      stderr.write(ERASE)
    },
  }
}
