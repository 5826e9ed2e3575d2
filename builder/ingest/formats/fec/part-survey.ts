/** What the lines of a part of a FEC say, in one pass that keeps none; rows are counted from the beginning of the part. */
import { type Capped, CappedFindings, LISTED } from '../../../workspace/cap-findings.ts'
import { countIn, type Values } from '../../claims/claim-format.ts'
import { Numbering, type PartRuns } from '../../format/numbering.ts'
import type { Range } from '../../text/text-parts.ts'
import { EntriesSurveyor, type PartEntries } from './entries.ts'
import { type Journals, JournalsSurveyor, NO_LINES, type NotedLines, noteLines } from './journals.ts'
import { type FecText, headerRow, linesIn } from './lines.ts'
import { type FecLine, isUnread, parseLine, type UnreadLine } from './parse.ts'

export interface FecAccount {
  readonly name: string
  /** Where it is used first. */
  readonly row: number
}

/** A line that was left out; its findings are among the faults. */
export interface LeftOut extends Omit<UnreadLine, 'findings'> {
  readonly row: number
}

export interface PartSurvey {
  /** Of the text. */
  readonly lines: number
  /** Lines that could be read. */
  readonly rows: number
  readonly accounts: ReadonlyMap<string, FecAccount>
  readonly journals: Journals
  readonly entries: PartEntries
  readonly numbers: PartRuns
  /** Lines with the separator in a label. */
  readonly joined: NotedLines
  readonly faults: Capped
  readonly leftOut: readonly LeftOut[]
  /** Of the columns that are not read. */
  readonly others: Values
}

export async function surveyLines(text: FecText, part: Range): Promise<PartSurvey> {
  const lines = new LinesSurveyor()
  const others: Values = new Map()
  let row = 0
  for await (const texts of linesIn(text, part))
    for (const each of texts) {
      row++
      if (row === headerRow(part)) continue
      const line = parseLine(each, row, text.layout, text.file)
      if (line === null) continue
      if (isUnread(line)) lines.leaveOut(line, row)
      else {
        for (const [i, [header]] of text.layout.others.entries())
          countIn(others, header, line.others[i] ?? '')
        lines.add(line)
      }
    }
  return { lines: row, others, ...lines.survey() }
}

class LinesSurveyor {
  #rows = 0
  readonly #accounts = new Map<string, FecAccount>()
  readonly #journals = new JournalsSurveyor()
  readonly #entries = new EntriesSurveyor()
  readonly #numbering = new Numbering()
  readonly #joined = { ...NO_LINES }
  readonly #faults = new CappedFindings()
  readonly #leftOut: LeftOut[] = []

  leaveOut({ findings, entry, account }: UnreadLine, row: number): void {
    for (const found of findings) this.#faults.add(found)
    this.#entries.doubt(entry)
    if (entry !== null) this.#numbering.add(entry.journal, entry.number, row)
    if (this.#leftOut.length <= LISTED) this.#leftOut.push({ row, entry, account })
  }

  add(line: FecLine): void {
    const { journal, number, account, accountName, row } = line
    this.#rows++
    nameAccount(this.#accounts, account, accountName, row)
    this.#journals.add(line)
    this.#entries.add(line)
    this.#numbering.add(journal, number, row)
    if (line.mended) noteLines(this.#joined, { count: 1, row }, 0)
  }

  survey(): Omit<PartSurvey, 'lines' | 'others'> {
    return {
      ...{ rows: this.#rows, accounts: this.#accounts, journals: this.#journals.journals() },
      ...{ entries: this.#entries.entries(), numbers: this.#numbering.runs(), joined: this.#joined },
      ...{ faults: this.#faults.capped(), leftOut: this.#leftOut },
    }
  }
}

/** The last name that is not blank counts. */
export function nameAccount(
  accounts: Map<string, FecAccount>,
  account: string,
  name: string,
  row: number,
): void {
  const known = accounts.get(account)
  if (known === undefined || (name !== '' && known.name !== name))
    accounts.set(account, { name: name || (known?.name ?? ''), row: known?.row ?? row })
}
