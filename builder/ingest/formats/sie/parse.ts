/**
 * The text of one SIE file as records with their line numbers. Knows the grammar of SIE 4B (labels, quotes, object
 * lists, voucher blocks) and what each field must look like; knows no accounting and no other file.
 */
import { error, warning } from '../../../workspace/finding.ts'
import { type Item, LABELS, Statements } from './labels.ts'
import { cleaned, linesIn, split, tokenize, Voucher, type VoucherHead } from './lines.ts'
import type { SieFile, SieVoucher } from './records.ts'
import { UsesOfVouchers } from './uses.ts'

/** Whether a text is a SIE file: its first item is one that SIE puts at the top. */
export const looksLikeSie = (text: string): boolean =>
  /^\s*#(FLAGGA|PROGRAM|FORMAT|GEN|SIETYP|KSUMMA|FNAMN|RAR)\b/i.test(text)

/** Labels that may stand inside a voucher's braces. */
const VOUCHER_LABELS: ReadonlySet<string> = new Set(['TRANS', 'RTRANS', 'BTRANS'])

/**
 * Reads a whole file; every mistake in it is a finding of the result. Labels that SIE does not know, and those that
 * say nothing about figures, are skipped, as the standard asks. `decimals` is the scale of the company's currency.
 */
export function parseSie(file: string, text: string, decimals: number): SieFile {
  const parser = new Parser(file, text, decimals)
  let number = 0
  for (const { raw, start, next } of linesIn(text)) parser.line(cleaned(raw), ++number, start, next)
  return parser.finish(number)
}

class Parser {
  readonly #text: string
  readonly #file: Statements
  readonly #vouchers: SieVoucher[] = []
  readonly #uses = new UsesOfVouchers()
  readonly #history = { added: 0, struck: 0, firstLine: null as number | null }
  /** Open from its #VER to its "}". */
  #voucher: VoucherHead | null = null
  /** Where the lines of its block begin, in the text. */
  #block = { start: 0, line: 0, count: 0 }
  #isDamaged = false
  #brace: 'outside' | 'inside' | 'skipped' = 'outside'
  /** An #RTRANS whose #TRANS is to follow. */
  #added: Item | null = null
  /** Where the line that is read begins. */
  #at = 0

  constructor(file: string, text: string, decimals: number) {
    this.#text = text
    this.#file = new Statements(file, decimals)
  }

  line(source: string, number: number, start: number, next: number): void {
    this.#at = start
    if (source === '{') {
      this.#brace = this.#voucher === null ? 'skipped' : 'inside'
      if (this.#block.start === 0) this.#block = { start: next, line: number + 1, count: 0 }
    } else if (source === '}') this.#closeVoucher()
    else if (source.startsWith('#')) this.#labelled(source, number)
  }

  #labelled(source: string, line: number): void {
    const label = (/^#\w*/.exec(source)?.[0] ?? '#').slice(1).toUpperCase()
    if (label !== 'VER' && !VOUCHER_LABELS.has(label) && !LABELS.has(label)) return
    const tokens = tokenize(source.slice(label.length + 1))
    if (tokens !== null) {
      const { fields, objects } = split(tokens)
      this.#item({ fields, objects, label, line, source })
      return
    }
    this.#isDamaged = true
    this.#file.report(
      'unreadable-line',
      `#${label}: a quotation mark or an object list is left open`,
      { line, source },
      'a quotation mark inside a text is written \\"; an object list is {dimension "object"}',
    )
  }

  #item(item: Item): void {
    if (VOUCHER_LABELS.has(item.label)) {
      if (this.#brace === 'inside' && this.#voucher !== null) this.#voucherLine(item, this.#voucher)
      else if (this.#brace !== 'skipped')
        this.#file.report(
          'line-outside-voucher',
          `#${item.label} outside the braces of a voucher`,
          item,
          'a voucher is #VER, "{", its lines, "}"; export the file again',
        )
      return
    }
    if (this.#brace !== 'outside') {
      if (this.#brace === 'skipped' && item.label !== 'VER') return
      this.#truncated(item)
    }
    this.#closeVoucher()
    if (item.label === 'VER') this.#openVoucher(item)
    else LABELS.get(item.label)?.(this.#file, item)
  }

  #openVoucher(item: Item): void {
    const [series = '', number = '', date = '', text = ''] = item.fields
    const iso = this.#file.dateOf(item, date)
    this.#isDamaged = iso === null
    this.#block = { start: 0, line: 0, count: 0 }
    this.#voucher = { series: series === '#' ? '' : series, number, date: iso ?? '', text, line: item.line }
  }

  #closeVoucher(): void {
    if (this.#voucher !== null) {
      const { start, line, count } = this.#block
      const { decimals } = this.#file
      const block = { text: this.#text, start, end: this.#at, line, decimals }
      this.#vouchers.push(new Voucher(this.#voucher, count, this.#isDamaged, block))
    }
    this.#voucher = null
    this.#endOfAdded(null)
    this.#brace = 'outside'
  }

  #voucherLine(item: Item, voucher: VoucherHead): void {
    this.#endOfAdded(item)
    if (item.label !== 'TRANS') {
      if (item.label === 'RTRANS') this.#history.added++
      else this.#history.struck++
      this.#history.firstLine ??= item.line
      return
    }
    const [account = null, , own = ''] = item.fields
    // Neither the line nor its voucher has a date that can be read.
    if (own === '' && voucher.date === '')
      this.#file.unread.push({ file: this.#file.file, row: voucher.line, of: 'entry', account })
    const isDated = own === '' || this.#file.dateOf(item, own) !== null
    const figure = this.#file.amountOf(item, 1)
    if (figure === null || !isDated) {
      this.#isDamaged = true
      return
    }
    this.#block.count++
    this.#uses.note(account ?? '', item.objects, figure.minor, item.line)
  }

  /** An #RTRANS counts through the identical #TRANS that must follow it. */
  #endOfAdded(next: Item | null): void {
    const added = this.#added
    this.#added = next?.label === 'RTRANS' ? next : null
    if (added === null) return
    const isFollowed =
      next?.label === 'TRANS' && next.fields.slice(0, 2).join() === added.fields.slice(0, 2).join()
    if (isFollowed) return
    this.#file.findings.push(
      warning(
        'added-line-alone',
        'this added line (#RTRANS) is not followed by its #TRANS; it does not count',
        {
          file: this.#file.file,
          row: added.line,
          text: added.source,
          remedy: 'where it should count, export the voucher again',
        },
      ),
    )
  }

  #truncated(where: { readonly line: number; readonly source: string }): void {
    const block = this.#voucher === null ? 'the block' : `#VER on line ${this.#voucher.line}`
    this.#file.report(
      'truncated-file',
      `the voucher has no closing "}": ${block} is cut off`,
      where,
      'export the file again, in full',
    )
  }

  /** All that was read. `lines` is how many the file has. */
  finish(lines: number): SieFile {
    this.#at = this.#text.length
    // Inside of a block, or between #VER and its "{".
    const isCutOff = this.#brace === 'inside' || (this.#voucher !== null && this.#block.start === 0)
    if (isCutOff) this.#truncated({ line: lines, source: '' })
    this.#closeVoucher()
    const { file, head, checksums, findings, unread } = this.#file
    if (checksums === 1)
      findings.push(
        error('truncated-file', 'the file begins with #KSUMMA but does not end with it', {
          file,
          row: lines,
          remedy: 'export the file again, in full',
        }),
      )
    const { years, accounts, accountKinds, dimensions, objects, balances } = this.#file
    return {
      file,
      ...head,
      ...{ years, accounts, accountKinds, dimensions, objects, balances },
      vouchers: this.#vouchers,
      uses: this.#uses,
      history: this.#history,
      unread,
      findings,
    }
  }
}
