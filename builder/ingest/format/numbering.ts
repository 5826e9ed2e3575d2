/** Checks that consecutive numbers of entries have no gaps. */
import { listed } from '../../contract/listed.ts'
import { type Finding, ofLedger, warning } from '../../workspace/findings/finding.ts'
import { notChecked } from '../../workspace/findings/not-checked.ts'

/** Consecutive numbers, and the row of the first. */
interface Run {
  readonly from: number
  to: number
  readonly row: number
}

interface Gap {
  /** Empty where journals share the series. */
  readonly journal: string
  readonly prefix: string
  readonly from: number
  readonly to: number
  /** The row of the entry behind the gap. */
  readonly row: number
}

/** Gaps or repeats that are listed; more are counted. */
const LISTED = 20
export const shortList = (items: readonly (string | number)[]): string => listed(items, LISTED)

/** `12`, `15 to 17`. */
const gapText = ({ from, to }: Pick<Gap, 'from' | 'to'>): string =>
  from === to ? `${from}` : `${from} to ${to}`

const labelOf = (gap: Omit<Gap, 'row'>): string => `${gap.journal} ${gap.prefix}${gapText(gap)}`.trim()

/**
 * Letters, or year and month, that the numbers of a series share, and the number behind them. More than 15 digits
 * are not a counter.
 */
const NUMBER = /^(.*?)(\d{1,15})$/s

/** A number more than `step` ahead, at the start of a thousand, begins a new series: `2023020001` follows `2023010045`. */
const ANEW = { step: 100, round: 1000 }

/** How the entries of a format are numbered. */
export interface NumberingForm {
  /** Journals may share one series; otherwise each is one. */
  readonly isShared: boolean
  readonly column: string | null
  readonly remedy: string
}

export class Numbering {
  readonly #journals = new Map<string, Map<string, Run[]>>()
  /** Lines of one entry stand together. */
  #last = { journal: '', number: '' }

  add(journal: string, number: string, row: number): void {
    if (number === this.#last.number && journal === this.#last.journal) return
    this.#last = { journal, number }
    const [, prefix, digits] = NUMBER.exec(number) ?? []
    if (prefix === undefined || digits === undefined || Number(digits) === 0) return
    const at = Number(digits)
    const runs = this.#runsOf(journal, prefix)
    const last = runs.at(-1)
    // Most entries stand in the order of their numbers.
    if (last === undefined) runs.push({ from: at, to: at, row })
    else if (last.from <= at && at <= last.to) return
    else if (at === last.to + 1) last.to = at
    else runs.push({ from: at, to: at, row })
  }

  #runsOf(journal: string, prefix: string): Run[] {
    const prefixes = this.#journals.get(journal) ?? new Map<string, Run[]>()
    this.#journals.set(journal, prefixes)
    const runs = prefixes.get(prefix) ?? []
    prefixes.set(prefix, runs)
    return runs
  }

  /** The lowest and the highest number of each journal, as `A 1 to 120`. */
  ranges(): string[] {
    return [...this.#journals].flatMap(([journal, prefixes]) =>
      [...prefixes].map(([prefix, runs]) => {
        const [first, ...others] = inOrder(runs)
        const from = first?.from ?? 0
        return labelOf({
          journal,
          prefix,
          from,
          to: others.reduce((to, run) => Math.max(to, run.to), first?.to ?? from),
        })
      }),
    )
  }

  /** Where journals may share a series and the same number stands in several, each journal has its own series all the same. */
  findings(
    file: string,
    { isShared, column, remedy }: NumberingForm,
    unread: readonly Pick<Finding, 'file' | 'row'>[] = [],
  ): Finding[] {
    const each = [...this.#journals].map(([journal, prefixes]) => gapsIn(journal, [prefixes]))
    const all = isShared ? gapsIn('', [...this.#journals.values()]) : null
    const held = each.reduce((sum, { held: own }) => sum + own, 0)
    // A shared series that lacks more numbers than it has is not one.
    const isTogether = all !== null && all.held === held && missingIn(all.gaps) <= all.held
    const gaps = isTogether ? all.gaps : each.flatMap(({ gaps: own }) => own)
    const [first] = gaps
    if (first === undefined) return []
    if (unread.length > 0) return [notChecked('whether each number of an entry is there', unread)]
    const missing = missingIn(gaps)
    const labels = ofLedger(shortList(gaps.map((gap, i) => (i < LISTED ? labelOf(gap) : ''))))
    return [
      warning(
        'voucher-gap',
        `${missing} ${missing === 1 ? 'number' : 'numbers'} of entries ${missing === 1 ? 'is' : 'are'} missing, where entries are numbered ${isTogether ? 'through all journals' : isShared ? 'journal by journal' : 'series by series'}: ${labels}`,
        { file, row: first.row, column, text: labelOf(first), remedy },
      ),
    ]
  }
}

const missingIn = (gaps: readonly Gap[]): number => gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0)

/** By number. Of those that begin with the same one the first row comes first, by which a gap in front of it is told. */
const inOrder = (runs: readonly Run[]): Run[] => [...runs].sort((a, b) => a.from - b.from || a.row - b.row)

/** How many different numbers there are, and the gaps between them. */
function gapsIn(
  journal: string,
  journals: readonly ReadonlyMap<string, readonly Run[]>[],
): { held: number; gaps: Gap[] } {
  const gaps: Gap[] = []
  let held = 0
  for (const prefix of new Set(journals.flatMap((prefixes) => [...prefixes.keys()]))) {
    const runs = inOrder(journals.flatMap((prefixes) => prefixes.get(prefix) ?? []))
    const [lowest] = runs
    if (lowest === undefined) continue
    let to = lowest.from - 1
    for (const run of runs) {
      const step = run.from - to
      const beginsAnew = step > ANEW.step && run.from % ANEW.round === 1
      if (step > 1 && !beginsAnew)
        gaps.push({ journal, prefix, from: to + 1, to: run.from - 1, row: run.row })
      held += Math.max(0, run.to - Math.max(to, run.from - 1))
      to = Math.max(to, run.to)
    }
  }
  return { held, gaps }
}
