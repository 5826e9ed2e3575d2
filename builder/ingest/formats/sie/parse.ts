/**
 * The text of one SIE file as records with their line numbers. Knows the grammar of SIE 4B (labels, quotes, object
 * lists, voucher blocks) and what each field must look like; knows no accounting and no other file.
 */
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import { countIn } from '../../claims/claim-format.ts'
import { yearLabel } from '../../format/intake.ts'
import type { EntryText } from './csv.ts'
import { cleaned, fieldsIn } from './lines.ts'
import { BESIDE, type Item, LABELS, SieFile } from './records.ts'
import { plainId, referenceOf, type SieVoucher } from './vouchers.ts'

/** Whether a text is a SIE file: its first item is one that SIE puts at the top. */
export const looksLikeSie = (text: string): boolean =>
  /^\s*#(FLAGGA|PROGRAM|FORMAT|GEN|SIETYP|KSUMMA|FNAMN|RAR)\b/i.test(text)

/** Labels that may stand inside a voucher's braces. */
const VOUCHER_LABELS: ReadonlySet<string> = new Set(['TRANS', 'RTRANS', 'BTRANS'])

/** Reads a whole file; every mistake in it is a finding of the result. */
export function parseSie(file: string, text: string, decimals: number): SieFile {
  const parser = new SieParser(file, decimals, null)
  for (const line of text.split(/\r\n|\n|\r/)) parser.line(line)
  return parser.finish()
}

const withoutEnd = (file: string, row: number): Finding =>
  error('truncated-file', 'the file begins with #KSUMMA but does not end with it', {
    file,
    row,
    remedy: 'export the file again, in full',
  })

/** `#Ver A 1` → `VER`. */
function labelOf(source: string): string {
  if (source.startsWith('#TRANS ')) return 'TRANS'
  return (/^#\w*/.exec(source)?.[0] ?? '#').slice(1).toUpperCase()
}

/**
 * Reads lines one by one. Labels that SIE does not know, and those that say nothing about figures, are skipped, as the standard asks.
 */
export class SieParser {
  /** The number of the last line that was read. */
  lastLine = 0
  readonly #file: SieFile
  readonly #rows: EntryText | null
  /** Open from its #VER to its "}". */
  #voucher: SieVoucher | null = null
  /** Its "{" was read. */
  #hasBlock = false
  #isDamaged = false
  #brace: 'outside' | 'inside' | 'skipped' = 'outside'
  /** An #RTRANS whose #TRANS is to follow. */
  #added: Item | null = null

  /** `decimals` is the scale of the company's currency. Lines of vouchers that can be read are added to `rows`. */
  constructor(file: string, decimals: number, rows: EntryText | null) {
    this.#file = new SieFile(file, decimals)
    this.#rows = rows
  }

  line(source: string): void {
    this.#line(cleaned(source), ++this.lastLine)
  }

  #line(source: string, number: number): void {
    // Some programs open the block on the line of the voucher.
    const voucher = source.endsWith('{') ? /^(#VER\s.*?)\s\{$/i.exec(source)?.[1] : undefined
    if (voucher !== undefined) {
      this.#labelled(voucher, number)
      this.#line('{', number)
    } else if (source === '{') {
      this.#brace = this.#voucher === null ? 'skipped' : 'inside'
      this.#hasBlock = true
    } else if (source === '}') this.#closeVoucher()
    else if (source.startsWith('#')) this.#labelled(source, number)
  }

  #labelled(source: string, line: number): void {
    const label = labelOf(source)
    if (label !== 'VER' && !VOUCHER_LABELS.has(label) && !LABELS.has(label)) {
      const text = source.slice(label.length + 1).replace(/"/g, '')
      if (!BESIDE.has(label)) countIn(this.#file.others, `#${label}`, text)
      return
    }
    const found = fieldsIn(source, label.length + 1)
    if (found !== null) {
      this.#item({ fields: found.fields, objects: found.objects, label, line, source })
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
    const [series = '', number = '', date = '', text = '', enteredOn = '', enteredBy = ''] = item.fields
    const iso = this.#file.dateOf(item, date)
    this.#isDamaged = iso === null
    this.#hasBlock = false
    this.#voucher = { series: series === '#' ? '' : series, number, date: iso ?? '', text, line: item.line }
    this.#file.voucher = referenceOf(this.#voucher)
    const id = this.#file.vouchers.add(this.#voucher)
    this.#rows?.begin({
      ...{ id, reference: this.#file.voucher, journal: this.#voucher.series },
      ...{ enteredOn: enteredOn.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'), enteredBy },
    })
  }

  #closeVoucher(): void {
    if (this.#voucher !== null) this.#file.hasDamage ||= this.#isDamaged
    this.#voucher = null
    this.#file.voucher = ''
    this.#endOfAdded(null)
    this.#brace = 'outside'
  }

  #voucherLine(item: Item, voucher: SieVoucher): void {
    this.#endOfAdded(item)
    if (item.label !== 'TRANS') {
      const { history } = this.#file
      if (item.label === 'RTRANS') history.added++
      else history.struck++
      history.firstLine ??= item.line
      return
    }
    const [account = null, , own = '', memo = ''] = item.fields
    // Neither the line nor its voucher has a date that can be read.
    if (own === '' && voucher.date === '')
      this.#file.unread.push({
        ...{ file: this.#file.file, row: voucher.line, of: 'entry', account },
        entry: this.#file.voucher || null,
      })
    const date = own === '' ? voucher.date : this.#file.dateOf(item, own)
    const figure = this.#file.amountOf(item, 1)
    if (figure === null || date === null) {
      this.#isDamaged = true
      return
    }
    const { objects, line: row } = item
    const { amount, minor } = figure
    this.#file.lineCount++
    const tag = this.#file.vouchers.note(account ?? '', objects, minor, date, row)
    this.#rows?.add({ row, date, account: account ?? '', amount, tag, memo: memo || voucher.text })
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

  /** All that was read. Call once, after the last line. */
  finish(): SieFile {
    // Inside of a block, or between #VER and its "{".
    const isCutOff = this.#brace === 'inside' || (this.#voucher !== null && !this.#hasBlock)
    if (isCutOff) this.#truncated({ line: this.lastLine, source: '' })
    this.#closeVoucher()
    const { file, checksums, findings, unread, years } = this.#file
    const year = years.get(0)
    for (const [i, row] of unread.entries())
      if (typeof row.entry === 'string' && year)
        unread[i] = { ...row, entry: plainId(yearLabel(year), row.entry) }
    // One #KSUMMA opens the file, another closes it.
    if (checksums === 1) findings.push(withoutEnd(file, this.lastLine))
    return this.#file
  }
}
