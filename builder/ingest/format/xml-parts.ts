/**
 * Cuts a large XML file into parts that are read as files of their own, each inside the elements that are open where it begins. Cuts are
 * guessed from bytes; whether a part begins as the one before it ended shows when both are read. Knows no file format.
 */
import { createReadStream } from '../../workspace/plain-file.ts'
import type { Range } from '../text/text-parts.ts'

export interface XmlPart extends Range {
  /** What is read before it: the beginnings of the elements that it is inside of. */
  readonly opening: readonly Range[]
  /** What is read after it: the ends of these elements. */
  readonly closing: string
}

/** A file that is not cut. */
export const WHOLE: XmlPart = { opening: [], start: 0, end: Number.POSITIVE_INFINITY, closing: '' }

/** Names of elements, each inside the one before it. A file is cut in front of records. */
export interface Nesting {
  readonly root: string
  readonly section: string
  readonly group: string
  readonly record: string
}

/** The tag of the root is looked for in so many bytes. */
const LONGEST_TOP = 100_000
/** Of a file with more than this above its first record nothing is cut. */
const LONGEST_HEAD = 64 * 1024 * 1024

/**
 * The parts in the order of the file, each as soon as it is known: what stands above the first record, then about `bytes` each. A file
 * whose tags are written in an unusual way has one part, {@link WHOLE}.
 */
export async function* xmlParts(path: string, nesting: Nesting, bytes: number): AsyncGenerator<XmlPart> {
  let around: Around | null = null
  let group: Range = WHOLE
  let start = 0
  let open: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(path, { highWaterMark: bytes }) as AsyncIterable<Buffer>) {
    open = Buffer.concat([open, chunk])
    if (around === null) {
      if (open.length > LONGEST_HEAD) break
      around = aroundRecords(open, nesting)
      if (around === null) continue
      group = around.group
      start = group.end
      open = open.subarray(start)
      yield { opening: [], start: 0, end: start, closing: around.closing }
    }
    const cut = open.lastIndexOf(around.tags.record)
    if (cut <= 0) continue
    yield { opening: [...around.opening, group], start, end: start + cut, closing: around.closing }
    const head = open.lastIndexOf(around.tags.group, cut)
    if (head !== -1) group = { start: start + head, end: start + open.indexOf(around.tags.record, head) }
    start += cut
    open = open.subarray(cut)
  }
  yield around === null ? WHOLE : { opening: [...around.opening, group], start, end: WHOLE.end, closing: '' }
}

/** What stands around all records of a file. */
interface Around {
  readonly tags: { readonly group: string; readonly record: string }
  /** The tag of the root, with all above it; and the section up to its first group. */
  readonly opening: readonly Range[]
  /** The first group up to its first record. */
  readonly group: Range
  readonly closing: string
}

/** Null where the beginning of the file does not show it. */
function aroundRecords(head: Buffer, { root, section, group, record }: Nesting): Around | null {
  const found = new RegExp(`<([\\w.-]+:)?${root}[\\s>]`).exec(head.toString('latin1', 0, LONGEST_TOP))
  if (found === null) return null
  const [, prefix = ''] = found
  const tag = (name: string): string => `<${prefix}${name}>`
  const rootEnd = head.indexOf('>', found.index) + 1
  const sectionAt = head.indexOf(tag(section), rootEnd)
  const groupAt = head.indexOf(tag(group), sectionAt)
  const recordAt = head.indexOf(tag(record), groupAt)
  if (rootEnd === 0 || sectionAt === -1 || groupAt < sectionAt || recordAt < groupAt) return null
  return {
    tags: { group: tag(group), record: tag(record) },
    opening: [
      { start: 0, end: rootEnd },
      { start: sectionAt, end: groupAt },
    ],
    group: { start: groupAt, end: recordAt },
    closing: [group, section, root].map((name) => `</${prefix}${name}>`).join(''),
  }
}
