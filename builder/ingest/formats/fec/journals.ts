/** What the lines of each journal say: whether it carries balances of the year before, and on which days its lines are dated. */
import type { FecLine } from './parse.ts'
import type { Span } from './years.ts'

/** Lines that are told once for the file: how many, and the first row. */
export interface NotedLines {
  count: number
  row: number
}
export const NO_LINES: Readonly<NotedLines> = { count: 0, row: 0 }

export function noteLine(noted: NotedLines, row: number): void {
  if (noted.count === 0) noted.row = row
  noted.count++
}

export interface JournalLines {
  /** Whether any of its lines says that it carries balances from the year before. */
  isOpening: boolean
  first: string
  last: string
  /** Month → the first row that is dated in it. */
  readonly months: Map<string, number>
  /** Lines on accounts that begin each year with nothing. */
  readonly results: NotedLines
}

export type Journals = ReadonlyMap<string, Readonly<JournalLines>>

const NO_DAYS = { isOpening: false, first: '', last: '' }

export class JournalsSurveyor {
  readonly #journals = new Map<string, JournalLines>()
  /** Most lines have the journal of the line above, with the same name. */
  #last: { readonly lines: JournalLines; readonly journal: string; readonly name: string } | null = null

  add(line: FecLine): void {
    const { journal, journalName, date, account, row } = line
    if (this.#last?.journal !== journal || this.#last.name !== journalName)
      this.#last = { journal, name: journalName, lines: this.#linesOf(line) }
    const { lines } = this.#last
    if (date !== lines.last) {
      if (lines.first === '' || date < lines.first) lines.first = date
      if (date > lines.last) lines.last = date
      const month = date.slice(0, 7)
      if (!lines.months.has(month)) lines.months.set(month, row)
    }
    if (/^[67]/.test(account)) noteLine(lines.results, row)
  }

  #linesOf(line: FecLine): JournalLines {
    const { journal } = line
    const lines = this.#journals.get(journal) ?? { ...NO_DAYS, months: new Map(), results: { ...NO_LINES } }
    this.#journals.set(journal, lines)
    lines.isOpening ||= isOpeningJournal(line)
    return lines
  }

  journals(): Journals {
    return this.#journals
  }
}

/** An opening journal is named "à nouveaux" or the like; or its code says so (AN, ANO, RAN) and its name does not contradict it. */
function isOpeningJournal({ journal, journalName }: FecLine): boolean {
  const name = journalName.slice(0, 500).normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  if (/\ba[\s._'-]*nouv|report.*nouv|bilan d.?ouverture/.test(name)) return true
  return /^(an|ano|anv|ran|anouv|an\d+)$/i.test(journal) && !/achat|vente|analy|banque|caisse/.test(name)
}

/** The days of entries and openings. */
export function spanOf(journals: Journals, openings: ReadonlySet<string>): Span {
  const span = { first: '', last: '', lastOpening: '' }
  const months: (readonly [month: string, row: number])[] = []
  for (const [journal, lines] of journals)
    if (openings.has(journal)) {
      if (lines.last > span.lastOpening) span.lastOpening = lines.last
      months.push(...lines.months)
    } else {
      if (span.first === '' || lines.first < span.first) span.first = lines.first
      if (lines.last > span.last) span.last = lines.last
    }
  const firstRows = new Map<string, number>()
  for (const [month, row] of months.sort(([, a], [, b]) => a - b))
    if (!firstRows.has(month)) firstRows.set(month, row)
  return { ...span, openings: firstRows }
}

/** Openings of accounts that begin each year with nothing. */
export function resultsIn(journals: Journals, openings: ReadonlySet<string>): Readonly<NotedLines> {
  const found = [...journals].flatMap(([journal, { results }]) =>
    openings.has(journal) && results.count > 0 ? [results] : [],
  )
  return {
    count: found.reduce((sum, { count }) => sum + count, 0),
    row: Math.min(...found.map(({ row }) => row)),
  }
}
