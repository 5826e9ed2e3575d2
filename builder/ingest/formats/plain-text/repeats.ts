/**
 * Transactions that stand in an export twice, as where one was appended to itself or two that overlap were joined. hledger
 * numbers the transactions of a journal, so that one with the number and the lines of another is the same. In other exports two
 * transactions may well be alike, and only several in a row, or all of a file, give a warning.
 */
import { present } from '../../../contract/present.ts'
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import { ContentHash, contentHash } from '../../text/content-hash.ts'
import { NumberIndex } from '../../text/number-index.ts'
import type { PlainPosting } from './dialects.ts'

interface Place {
  readonly file: string
  readonly row: number
}

const UNNUMBERED = -1

/** A transaction, by its place among all that were noted. */
interface Noted extends Place {
  readonly number: number
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
  /** Content → the transaction that has it first. */
  readonly #firsts = new NumberIndex()
  /** Of each transaction, in their order, the row of its first line, and the hash of the number that the program gave it. */
  readonly #rows: number[] = []
  readonly #numbers: number[] = []
  /** Files, with how many transactions were noted before. */
  readonly #files: { readonly file: string; readonly from: number }[] = []
  readonly #longest = new Map<string, Run>()
  readonly #numbered = new Map<string, Run>()
  readonly #counts = new Map<string, { all: number; repeated: number }>()
  #run: (Run & { next: number }) | null = null

  /** The next transaction, whose first line is in this row. */
  note(file: string, row: number, postings: readonly PlainPosting[]): void {
    const place = this.#rows.length
    const number = postings[0]?.transaction ?? null
    if (this.#files.at(-1)?.file !== file) this.#files.push({ file, from: place })
    this.#rows.push(row)
    this.#numbers.push(number === null ? UNNUMBERED : contentHash([number]))
    const counts = this.#counts.get(file) ?? { all: 0, repeated: 0 }
    this.#counts.set(file, counts)
    counts.all++
    const first = this.#firsts.first(contentOf(postings), place)
    if (first === place) {
      this.#run = null
      return
    }
    counts.repeated++
    this.#goOn(first, this.#at(place))
  }

  #at(place: number): Noted {
    const { file } = present(
      this.#files.findLast(({ from }) => from <= place),
      'file of a transaction',
    )
    return { file, row: this.#rows[place] ?? 0, number: this.#numbers[place] ?? UNNUMBERED }
  }

  /** The transaction `again` is the same as that at the place `at`. */
  #goOn(at: number, again: Noted): void {
    const { file } = again
    const first = this.#at(at)
    if (again.number !== UNNUMBERED && first.file === file && again.number === first.number)
      this.#countNumbered(file, first, again)
    const open = this.#run
    const goesOn = open !== null && open.next === at && open.again.file === file
    const run = goesOn ? open : { first, again, length: 0, next: at }
    run.length++
    run.next = at + 1
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
