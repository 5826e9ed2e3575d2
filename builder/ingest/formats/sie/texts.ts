/**
 * Reads the texts of the SIE files of one entry, each in one pass that keeps no voucher. Rows of vouchers are written at once, with what the
 * files say above their first voucher; where that turns out to be wrong, ledger.ts has them written again.
 */
import { isAscii } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import { present } from '../../../contract/present.ts'
import type { Company } from '../../../workspace/company.ts'
import { createReadStream } from '../../../workspace/plain-file.ts'
import type { SourceFile } from '../../format/format.ts'
import { type Encoding, eightBitEncoding, eightBitLetters, isWide } from '../../text/decode.ts'
import { type Scratch, textOf } from '../../text/scan.ts'
import { HEADER } from './csv.ts'
import { cleaned, linesOf } from './lines.ts'
import { SieParser } from './parse.ts'
import type { SieFile } from './records.ts'
import { dimensionRules } from './tags.ts'
import { type VoucherContext, type VoucherRemarks, VoucherRows } from './vouchers.ts'
import { transactionFiles } from './years.ts'

/** The rows of a file as canonical CSV. */
export interface WrittenRows {
  readonly path: string
  /** Null where its vouchers are not among the rows. */
  readonly remarks: VoucherRemarks | null
}

export interface ReadFile {
  readonly source: SourceFile
  readonly encoding: Encoding
  readonly sie: SieFile
  readonly undecodableLine: number | null
  /** With which its rows were written. */
  readonly context: VoucherContext | null
  /** Null where none were wanted. */
  readonly rows: WrittenRows | null
}

export interface Wanted {
  /** As company.yaml states it. */
  readonly encoding: Encoding | undefined
  readonly decimals: number
  readonly dimensions: Company['dimensions']
  /** Null where no rows of vouchers are wanted. */
  readonly scratch: Scratch | null
}

/** A file whose text can be read. */
interface Text {
  readonly source: SourceFile
  readonly encoding: Encoding
  readonly decimals: number
}

const CHUNK = 1 << 16

export async function readTexts(
  sources: readonly SourceFile[],
  { encoding: stated, decimals, dimensions, scratch }: Wanted,
): Promise<ReadFile[]> {
  const texts: Text[] = []
  for (const source of sources)
    texts.push({ source, decimals, encoding: stated ?? (await encodingOf(source)) })
  const heads: SieFile[] = []
  if (scratch !== null) for (const text of texts) heads.push(await readHead(text))
  const contexts = contextsOf(heads, dimensions)
  const files: ReadFile[] = []
  for (const [i, text] of texts.entries()) files.push(await readText(text, contexts[i] ?? null, scratch))
  return files
}

/** As `detectEncoding` of all bytes, of which the scan found most. */
async function encodingOf({ path, scan: { encoding } }: SourceFile): Promise<Encoding> {
  if (isWide(encoding)) return encoding
  const all = { dos: 0, latin: 0, swedish: 0, macA: 0, macAe: 0, macO: 0 }
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK }) as AsyncIterable<Buffer>) {
    if (isAscii(chunk)) continue
    if (encoding === 'utf-8') return encoding
    const letters = eightBitLetters(chunk)
    for (const key of Object.keys(all) as (keyof typeof all)[]) all[key] += letters[key]
  }
  return encoding === 'utf-8' ? 'cp437' : eightBitEncoding(all, encoding)
}

/** What stands above the first voucher. */
async function readHead({ source, encoding, decimals }: Text): Promise<SieFile> {
  const parser = new SieParser(source.file, decimals)
  for await (const lines of linesOf(textOf(source.path, encoding, CHUNK)))
    for (const line of lines.map(cleaned)) {
      if (/^#VER\b/i.test(line)) return parser.finish()
      parser.line(line)
    }
  return parser.finish()
}

/** Of each file; null where its vouchers belong to no year that can be built. */
export function contextsOf(
  files: readonly SieFile[],
  dimensions: Company['dimensions'],
): (VoucherContext | null)[] {
  const usable = transactionFiles(files)
  const rules = dimensionRules(usable, dimensions)
  return files.map((file) => {
    const year = file.years.get(0)
    return year === undefined || !usable.includes(file) ? null : { year, coveredTo: file.coveredTo, rules }
  })
}

async function readText(
  text: Text,
  context: VoucherContext | null,
  scratch: Scratch | null,
): Promise<ReadFile> {
  const { source, encoding } = text
  const vouchers = context && new VoucherRows(source.file, context, new Map())
  const parser = new SieParser(source.file, text.decimals, vouchers)
  const lost = { line: null as number | null }
  const rows = rowsIn(text, parser, vouchers, lost)
  const path = scratch === null ? await drained(rows) : await scratch.written(rows)
  return {
    ...{ source, encoding, context },
    sie: parser.finish(),
    undecodableLine: (await isUndecodable(text)) ? (lost.line ?? 1) : null,
    rows: path === null ? null : { path, remarks: vouchers?.remarks() ?? null },
  }
}

/** Reads the whole text. `lost`: the first line with U+FFFD. */
async function* rowsIn(
  { source, encoding }: Text,
  parser: SieParser,
  vouchers: VoucherRows | null,
  lost: { line: number | null },
): AsyncGenerator<string> {
  yield HEADER
  for await (const lines of linesOf(textOf(source.path, encoding, CHUNK))) {
    for (const raw of lines) {
      parser.line(cleaned(raw))
      if (lost.line === null && raw.includes('\ufffd')) lost.line = parser.lastLine
    }
    yield vouchers?.written() ?? ''
  }
}

async function drained(rows: AsyncIterable<unknown>): Promise<null> {
  for await (const _ of rows);
  return null
}

/** Whether bytes of the file are not text in its encoding. */
async function isUndecodable({ source: { path, scan }, encoding }: Text): Promise<boolean> {
  if (!isWide(encoding)) return encoding === 'utf-8' && scan.encoding !== 'utf-8'
  const decoder = new TextDecoder(encoding, { fatal: true })
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK }) as AsyncIterable<Buffer>)
      decoder.decode(chunk, { stream: true })
    decoder.decode()
    return false
  } catch {
    return true
  }
}

/** What is known of a file's rows when all files were read. */
export interface Rows {
  /** Null where none of its vouchers go into the books, but other rows. */
  readonly context: VoucherContext | null
  /** The line of a voucher → its id, where that is not the plain one. */
  readonly ids: ReadonlyMap<number, string>
  /** Rows above those of the vouchers, as CSV. */
  readonly above: string
}

/** The rows of a file for the books: those that were written, where they are right and the only ones. */
export async function rightRows(
  { source, encoding, sie, context: guessed, rows }: ReadFile,
  { context, ids, above }: Rows,
  decimals: number,
  scratch: Scratch,
): Promise<WrittenRows> {
  const before = present(rows, 'rows of a file')
  if (context === null) return { path: await scratch.written(oneByOne(HEADER + above)), remarks: null }
  let right = before
  if (sie.lineCount > 0 && (ids.size > 0 || !isDeepStrictEqual(guessed, context))) {
    const text = { source, encoding, decimals }
    const vouchers = new VoucherRows(source.file, context, ids)
    const parser = new SieParser(source.file, decimals, vouchers)
    const path = await scratch.written(rowsIn(text, parser, vouchers, { line: null }))
    right = { path, remarks: vouchers.remarks() }
  }
  if (above === '') return right
  const below = createReadStream(right.path, { start: HEADER.length })
  return { ...right, path: await scratch.written(oneByOne(HEADER + above, below)) }
}

async function* oneByOne(
  first: string,
  rest: AsyncIterable<Buffer | string> | [] = [],
): AsyncGenerator<Buffer | string> {
  yield first
  yield* rest
}
