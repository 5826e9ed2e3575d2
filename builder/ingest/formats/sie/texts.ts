/**
 * Reads the SIE files of one entry in parts, by others if there are any. A file is cut in front of vouchers, which is a guess: where a part
 * ended inside of a voucher, the whole file is read as one. Rows of vouchers are written at once, with what the files say above their
 * first voucher; where that turns out to be wrong, write.ts writes them again. No more than a few parts are in memory at a time.
 */
import { present } from '../../../contract/present.ts'
import type { Company } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/finding.ts'
import { inOrder } from '../../../workspace/in-order.ts'
import { type Shared, share } from '../../../workspace/threads.ts'
import type { SourceFile } from '../../format/format.ts'
import { bufferOf } from '../../format/part-hands.ts'
import { type EightBitLetters, type Encoding, eightBitEncoding, isWide } from '../../text/decode.ts'
import type { Scratch } from '../../text/scan.ts'
import { cutFrom, type Range, textParts } from '../../text/text-parts.ts'
import { HEADER } from './csv.ts'
import { joinTexts, type SieText } from './parse.ts'
import {
  atVoucher,
  PART_BYTES,
  type Part,
  type PartCount,
  type PartRead,
  type PartToRead,
  type SieHands,
  WORK,
} from './parts.ts'
import type { SieFile } from './records.ts'
import { dimensionRules } from './tags.ts'
import type { VoucherContext, VoucherRemarks } from './vouchers.ts'
import { transactionFiles } from './years.ts'

/** What is read of a part, and where its rows stand. */
export interface ReadPart {
  readonly order: PartToRead
  readonly lineCount: number
  readonly context: VoucherContext | null
  readonly remarks: VoucherRemarks | null
  /** Its rows in the file that was written. */
  readonly rows: Range
}

export interface ReadFile {
  readonly source: SourceFile
  readonly encoding: Encoding
  readonly sie: SieFile
  readonly undecodableLine: number | null
  readonly parts: readonly ReadPart[]
  /** The rows of all parts as canonical CSV; null where none were wanted. */
  readonly path: string | null
}

export interface Wanted {
  /** As company.yaml states it. */
  readonly encoding: Encoding | undefined
  readonly decimals: number
  readonly dimensions: Company['dimensions']
  /** Null where no rows of vouchers are wanted. */
  readonly scratch: Scratch | null
}

/** The text of a part is in memory as a whole; 80 MB take less than 2 GB. */
const LONGEST = 80 * 1024 ** 2
/** A thread has not much more memory than its part of a file needs. */
const LONGEST_FOR_THREADS = 8 * 1024 ** 2

const lengthOf = ({ start, end }: Range): number => end - start

/** Does what is to be done with a part by others, if there are any and they have the memory. */
export const readWith = (hands: SieHands | null, order: PartToRead): Promise<PartRead> =>
  hands !== null && lengthOf(order.part.range) <= LONGEST_FOR_THREADS
    ? hands.make('readPart', order)
    : WORK.readPart(order)
const countWith = (hands: SieHands | null, part: Part): Promise<PartCount> =>
  hands !== null && lengthOf(part.range) <= LONGEST_FOR_THREADS
    ? hands.make('countPart', part)
    : WORK.countPart(part)

export const atOnceOf = (hands: SieHands | null): number => hands?.atOnce ?? 1

/** A file and the orders for its parts: what stands above its first voucher, and the rest. */
interface CutFile {
  readonly source: SourceFile
  readonly encoding: Encoding
  readonly head: PartToRead
  readonly rest: readonly PartToRead[]
}

/** What is found does not depend on `hands`. There are findings where the files cannot be read at all. */
export async function readTexts(
  sources: readonly SourceFile[],
  wanted: Wanted,
  hands: SieHands | null,
): Promise<{ readonly files: readonly ReadFile[]; readonly findings: readonly Finding[] }> {
  const ranges: Range[][] = []
  for (const source of sources) ranges.push(await rangesOf(source, wanted, hands?.partBytes ?? PART_BYTES))
  const tooLong = sources.filter((_, i) =>
    present(ranges[i], 'ranges').some((range) => lengthOf(range) > LONGEST),
  )
  if (tooLong.length > 0) return { files: [], findings: tooLong.map(tooLarge) }

  const counts = inOrder(partsOf(sources, ranges), atOnceOf(hands), (part) => countWith(hands, part))
  const cut: CutFile[] = []
  for (const [i, source] of sources.entries())
    cut.push(await placed(source, present(ranges[i], 'ranges'), counts, wanted))

  const heads: PartRead[] = []
  const orders = cut.map(({ head }) => head)
  for await (const head of inOrder(orders, atOnceOf(hands), (order) => readWith(hands, order)))
    heads.push(head)
  const contexts = guessed(cut, heads, wanted)
  return readRest(cut, heads, contexts, wanted, hands)
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1024 ** 2)

const tooLarge = ({ file, scan }: SourceFile): Finding =>
  error(
    'file-too-large',
    `the file has ${megabytes(scan.bytes)} MB and cannot be read in parts, each of whole vouchers; up to ${megabytes(LONGEST)} MB can be read as one`,
    {
      file,
      remedy:
        'export it again, as text in another encoding than UTF-16 and with each #VER at the beginning of a line',
    },
  )

/** The head of the file, and the parts below it. */
async function rangesOf(
  { path, scan }: SourceFile,
  { encoding }: Wanted,
  partBytes: number,
): Promise<Range[]> {
  const file = { path, size: scan.bytes }
  const end = isWide(encoding ?? scan.encoding) ? file.size : await cutFrom(file, 0, atVoucher)
  return [{ start: 0, end }, ...(await textParts(file, partBytes, atVoucher, end))]
}

const partsOf = (sources: readonly SourceFile[], ranges: readonly (readonly Range[])[]): Part[] =>
  sources.flatMap(({ file, path }, i) => present(ranges[i], 'ranges').map((range) => ({ file, path, range })))

/** Gives the parts of a file their first lines, and the encoding of them all. */
async function placed(
  source: SourceFile,
  ranges: readonly Range[],
  counted: AsyncIterator<PartCount>,
  { encoding: stated, decimals }: Wanted,
): Promise<CutFile> {
  const counts: PartCount[] = []
  for (const _ of ranges) counts.push((await counted.next()).value as PartCount)
  const encoding = stated ?? encodingOf(source, counts)
  let firstLine = 1
  const orders = ranges.map((range, i): PartToRead => {
    const part = { file: source.file, path: source.path, range }
    const order = { part, encoding, firstLine, decimals, context: null, ids: new Map() }
    firstLine += present(counts[i], 'count').lineEnds
    return order
  })
  const [head, ...rest] = orders
  return { source, encoding, head: present(head, 'head'), rest }
}

/** As `detectEncoding` of all bytes, of which the scan found most. */
function encodingOf({ scan: { encoding } }: SourceFile, counts: readonly PartCount[]): Encoding {
  if (isWide(encoding)) return encoding
  const letters = counts.flatMap((count) => count.letters ?? [])
  if (encoding === 'utf-8') return letters.length === 0 ? 'cp437' : 'utf-8'
  const sum = (of: keyof EightBitLetters) => letters.reduce((total, each) => total + each[of], 0)
  const all = { dos: sum('dos'), latin: sum('latin'), swedish: sum('swedish') }
  return eightBitEncoding({ ...all, macA: sum('macA'), macAe: sum('macAe'), macO: sum('macO') }, encoding)
}

/** What rows of vouchers need, where nothing below the first voucher says otherwise. */
function guessed(
  cut: readonly CutFile[],
  heads: readonly PartRead[],
  { dimensions, scratch }: Wanted,
): (VoucherContext | null)[] {
  if (scratch === null) return cut.map(() => null)
  const files = cut.map(({ source }, i) => joinedTop(source.file, present(heads[i], 'head').text))
  return contextsOf(files, dimensions)
}

/** What the head of a file says by itself, whatever follows. */
const joinedTop = (file: string, head: SieText): SieFile => present(joinTexts(file, [head]), 'head')

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

async function readRest(
  cut: readonly CutFile[],
  heads: readonly PartRead[],
  contexts: readonly (VoucherContext | null)[],
  { scratch }: Wanted,
  hands: SieHands | null,
): Promise<{ readonly files: readonly ReadFile[]; readonly findings: readonly Finding[] }> {
  const shares = contexts.map((context) => context && share(context))
  const orders = cut.flatMap(({ rest }, i) => rest.map((order) => ({ ...order, context: shares[i] ?? null })))
  const read = inOrder(orders, atOnceOf(hands), (order) => readWith(hands, order))
  const files: ReadFile[] = []
  for (const [i, file] of cut.entries()) {
    const context = contexts[i] ?? null
    const head = present(heads[i], 'head')
    const inParts = await fileOf(file, context, ofParts(file, head, read), scratch)
    if (inParts !== null) {
      files.push(inParts)
      continue
    }
    if (file.source.scan.bytes > LONGEST) return { files: [], findings: [tooLarge(file.source)] }
    const whole = wholeOf(file, shares[i] ?? null)
    files.push(present(await fileOf(file, context, readOne(whole), scratch), 'file that is read as one'))
  }
  return { files, findings: [] }
}

type Ordered = readonly [PartToRead, PartRead]

async function* ofParts(
  { head, rest }: CutFile,
  readHead: PartRead,
  read: AsyncIterator<PartRead>,
): AsyncGenerator<Ordered> {
  yield [head, readHead]
  for (const order of rest) yield [order, (await read.next()).value as PartRead]
}

async function* readOne(order: PartToRead): AsyncGenerator<Ordered> {
  yield [order, await WORK.readPart(order)]
}

const wholeOf = ({ source, head }: CutFile, context: Shared<VoucherContext> | null): PartToRead => ({
  ...head,
  part: { ...head.part, range: { start: 0, end: source.scan.bytes } },
  context,
})

/** The file of its parts, whose rows are written; null where they do not join. */
async function fileOf(
  { source, encoding }: CutFile,
  context: VoucherContext | null,
  read: AsyncIterable<Ordered>,
  scratch: Scratch | null,
): Promise<ReadFile | null> {
  const all: PartRead[] = []
  const parts: ReadPart[] = []
  async function* rows(): AsyncGenerator<Uint8Array | string> {
    yield HEADER
    let start = HEADER.length
    for await (const [order, { rows: own, ...part }] of read) {
      const end = start + own.csv.length
      const { lineCount } = part.text
      parts.push({
        ...{ order, lineCount, remarks: own.remarks, rows: { start, end } },
        context: own.remarks && context,
      })
      // Rows are not kept.
      all.push({ ...part, rows: { csv: NO_ROWS, remarks: null } })
      start = end
      if (own.csv.length > 0) yield own.csv
    }
  }
  const path = scratch === null ? await drained(rows()) : await scratch.written(chunksOf(rows()))
  const sie = joinTexts(
    source.file,
    all.map(({ text }) => text),
  )
  if (sie === null) return null
  const isUndecodable = all.some((part) => part.isUndecodable)
  const lost = all.find(({ lostLine }) => lostLine !== null)?.lostLine ?? 1
  return { source, encoding, sie, undecodableLine: isUndecodable ? lost : null, parts, path }
}

const NO_ROWS = new Uint8Array()

async function drained(rows: AsyncIterable<unknown>): Promise<null> {
  for await (const _ of rows);
  return null
}

export async function* chunksOf(rows: AsyncIterable<Uint8Array | string>): AsyncGenerator<Buffer | string> {
  for await (const chunk of rows) yield typeof chunk === 'string' ? chunk : bufferOf(chunk)
}
