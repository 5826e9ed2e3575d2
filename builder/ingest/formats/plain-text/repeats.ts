/**
 * Transactions that stand in an export twice, as where one was appended to itself or two that overlap were joined. hledger
 * numbers the transactions of a journal, so that one with the number and the lines of another is the same; elsewhere two
 * may well be alike, and only several in a row, or all of a file, are asked about.
 */
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import { ContentHash } from '../../text/content-hash.ts'
import type { PlainPosting } from './dialects.ts'

interface Place {
  readonly file: string
  readonly row: number
}

interface Run {
  readonly first: Place
  readonly again: Place
  length: number
}

/** Three alike in a row are no chance. */
const RUN = 3

/** Over all files of a ledger entry. */
export class Repeats {
  /** By content, the first transaction that has it; of each one are kept its place and its number, as columns. */
  readonly #firsts = new Map<number, number>()
  readonly #files: string[] = []
  readonly #rows: number[] = []
  readonly #numbers: (string | null)[] = []
  readonly #longest = new Map<string, Run>()
  readonly #numbered = new Map<string, Run>()
  readonly #counts = new Map<string, { all: number; repeated: number }>()
  #run: (Run & { next: number }) | null = null

  note(file: string, row: number, postings: readonly PlainPosting[]): void {
    const again: Place = { file, row }
    const number = postings[0]!.transaction
    const content = contentOf(postings)
    const at = this.#firsts.get(content)
    this.#files.push(file)
    this.#rows.push(row)
    this.#numbers.push(number)
    const counts = this.#counts.get(file) ?? { all: 0, repeated: 0 }
    this.#counts.set(file, counts)
    counts.all++
    if (at === undefined) {
      this.#firsts.set(content, this.#files.length - 1)
      this.#run = null
      return
    }
    counts.repeated++
    const first: Place = { file: this.#files[at]!, row: this.#rows[at]! }
    if (number !== null && first.file === file && number === this.#numbers[at])
      this.#countNumbered(file, first, again)
    const goesOn = this.#run?.next === at && this.#run.again.file === file
    const run = goesOn ? this.#run! : { first, again, length: 0, next: at }
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
            'if so, take the repetition out: as it stands, it counts twice; if they are others that are alike, nothing need be done',
        },
      )
}

function contentOf(postings: readonly PlainPosting[]): number {
  const hash = new ContentHash()
  for (const { date, memo, reference, account, amount } of postings)
    hash.add(date).add(memo).add(reference).add(account).add(amount.number).add(amount.commodity)
  return hash.value
}
