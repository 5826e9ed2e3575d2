/**
 * Transactions that stand in an export twice, as where one was appended to itself or two that overlap were joined. hledger
 * numbers the transactions of a journal, so that one with the number and the lines of another is the same. In other exports two
 * transactions may well be alike, and only several in a row, or all of a file, give a warning.
 */
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import { ContentHash } from '../../text/content-hash.ts'
import type { PlainPosting } from './dialects.ts'

interface Place {
  readonly file: string
  readonly row: number
}

/** A transaction that was noted. */
interface Noted extends Place {
  /** Its place among all transactions. */
  readonly at: number
  /** The number that the program gave it. */
  readonly number: string | null
}

interface Run {
  readonly first: Place
  readonly again: Place
  length: number
}

/** So many transactions alike in a row are not chance. */
const RUN = 3

/** Over all files of a ledger entry. */
export class Repeats {
  /** Content of a transaction → the first one that has it. */
  readonly #firsts = new Map<number, Noted>()
  /** How many transactions were noted, over all files. */
  #noted = 0
  readonly #longest = new Map<string, Run>()
  readonly #numbered = new Map<string, Run>()
  readonly #counts = new Map<string, { all: number; repeated: number }>()
  #run: (Run & { next: number }) | null = null

  note(file: string, row: number, postings: readonly PlainPosting[]): void {
    const number = postings[0]?.transaction ?? null
    const again: Noted = { file, row, number, at: this.#noted++ }
    const content = contentOf(postings)
    const first = this.#firsts.get(content)
    const counts = this.#counts.get(file) ?? { all: 0, repeated: 0 }
    this.#counts.set(file, counts)
    counts.all++
    if (first === undefined) {
      this.#firsts.set(content, again)
      this.#run = null
      return
    }
    counts.repeated++
    if (number !== null && first.file === file && number === first.number)
      this.#countNumbered(file, first, again)
    const open = this.#run
    const goesOn = open !== null && open.next === first.at && open.again.file === file
    const run = goesOn ? open : { first, again, length: 0, next: first.at }
    run.length++
    run.next = first.at + 1
    this.#run = run
    if (run.length > (this.#longest.get(file)?.length ?? 0)) this.#longest.set(file, run)
  }

  #countNumbered(file: string, first: Place, again: Place): void {
    const found = this.#numbered.get(file)
    if (found === undefined) this.#numbered.set(file, { first, again, length: 1 })
    else found.length++
  }

  findings(file: string): Finding[] {
    const numbered = this.#numbered.get(file)
    if (numbered !== undefined) return [repeated(numbered, true)]
    const longest = this.#longest.get(file)
    const counts = this.#counts.get(file)
    if (longest === undefined || counts === undefined) return []
    const isWhole = counts.repeated * 2 === counts.all || counts.repeated === counts.all
    return longest.length >= RUN || isWhole ? [repeated(longest, false)] : []
  }
}

function repeated({ first, again, length }: Run, isNumbered: boolean): Finding {
  const where = first.file === again.file ? `in row ${first.row}` : `in ${first.file}, row ${first.row}`
  const what =
    length === 1 ? 'a transaction stands' : `${length} transactions${isNumbered ? '' : ' in a row'} stand`
  const place = { file: again.file, row: again.row }
  return isNumbered
    ? error(
        'entry-repeated',
        `${what} twice in this file, with the same number, date and lines: ${where}, and again in row ${again.row}`,
        {
          ...place,
          remedy: 'export the journal once more into a new file: as it stands, it would count twice',
        },
      )
    : warning(
        'entry-repeated',
        `${what} here as ${where}, with the same dates, texts and lines. Is the export, or a part of it, there twice?`,
        {
          ...place,
          remedy:
            'if so, take the repetition out: as it stands, it counts twice; if they are different transactions that look alike, nothing need be done',
        },
      )
}

function contentOf(postings: readonly PlainPosting[]): number {
  const hash = new ContentHash()
  for (const { date, memo, reference, account, amount } of postings)
    hash.add(date).add(memo).add(reference).add(account).add(amount.number).add(amount.commodity)
  return hash.value
}
