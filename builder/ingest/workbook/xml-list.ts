/**
 * Reads an XML document that is mostly one long list in pieces: items of the list by others, some at a time, and what stands around the
 * list here. Cuts are guessed from bytes. They are right if what stands above the first ends between two items, and if each piece of
 * items can be read to its end as a document of its own.
 */
import { type XmlHandlers, xmlReader } from './xml.ts'

/** A list, by the names of the elements that it is inside of, itself the last, and that of its items. */
export interface XmlList {
  readonly path: readonly string[]
  readonly item: string
}

export interface Piece {
  /** Whole items, and nothing else. */
  readonly isItems: boolean
  readonly bytes: Buffer
}

/** Nothing is cut where an item, or what stands above the first, is larger than so many pieces. */
const MOST = 16

/** The pieces in the order of the document, those of items of about `size` bytes. Throws where the document cannot be cut. */
export async function* piecesOf(
  chunks: AsyncIterable<Buffer>,
  list: XmlList,
  size: number,
): AsyncGenerator<Piece> {
  let tags: Tags | null = null
  let isBehind = false
  let open: Buffer = Buffer.alloc(0)
  for await (const block of blocksOf(chunks, size)) {
    open = Buffer.concat([open, block])
    if (!isBehind && open.length > MOST * size) throw new Error('there is no place to cut')
    if (tags === null) {
      tags = tagsOf(open, list)
      if (tags === null) continue
      yield { isItems: false, bytes: open.subarray(0, tags.first) }
      open = open.subarray(tags.first)
    }
    const end = isBehind ? 0 : open.indexOf(tags.end)
    const cut = end === -1 ? open.lastIndexOf(tags.item) : end
    if (cut > 0) yield { isItems: true, bytes: open.subarray(0, cut) }
    open = open.subarray(Math.max(cut, 0))
    if (end === -1) continue
    isBehind = true
    yield { isItems: false, bytes: open }
    open = Buffer.alloc(0)
  }
  yield { isItems: false, bytes: open }
}

/** The same bytes, so many at once. */
async function* blocksOf(chunks: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let length = 0
  for await (const chunk of chunks) {
    held.push(chunk)
    length += chunk.length
    if (length < size) continue
    const bytes = Buffer.concat(held)
    const whole = length - (length % size)
    for (let at = 0; at < whole; at += size) yield bytes.subarray(at, at + size)
    held = [bytes.subarray(whole)]
    length -= whole
  }
  yield Buffer.concat(held)
}

interface Tags {
  /** Where the first item begins, and how items begin. */
  readonly first: number
  readonly item: string
  /** How the end of the list begins. */
  readonly end: string
}

/** Null where no item is there yet. Throws of a document that is not read as its pieces would be. */
function tagsOf(head: Buffer, { path, item }: XmlList): Tags | null {
  // One letter for each byte: what is looked for is ASCII.
  const text = head.toString('latin1')
  if (/^[^<]*<\?xml[^>]*1\.1/.test(text)) throw new Error('what is a line end differs from XML 1.0')
  const found = new RegExp(`<([\\w.-]+:)?${item}[\\s>]`).exec(text)
  if (found === null) return null
  const [tag, prefix = ''] = found
  return { first: found.index, item: tag, end: `</${prefix}${path.at(-1)}` }
}

/** Reads what stands around the list. */
export class AroundList {
  readonly #path: string
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  readonly #reader
  readonly #open: string[] = []
  #isProbe = false
  #isBetween = false

  constructor({ path }: XmlList, handlers: XmlHandlers) {
    this.#path = path.join('/')
    this.#reader = xmlReader({
      ...handlers,
      open: (name, attributes) => {
        if (this.#isProbe) this.#isBetween = this.#open.join('/') === this.#path
        else handlers.open?.(name, attributes)
        this.#open.push(name)
      },
      close: (name) => {
        this.#open.pop()
        if (!this.#isProbe) handlers.close?.(name)
      },
      text: (text) => handlers.text?.(text),
    })
  }

  write(bytes: Buffer): void {
    this.#reader.write(this.#decoder.decode(bytes, { stream: true }))
  }

  /** Whether an element that stood behind what was written would be in the list: not in an item, nor in a comment. */
  isBetweenItems(): boolean {
    this.#isBetween = false
    this.#isProbe = true
    this.#reader.write('<probe/>')
    this.#isProbe = false
    return this.#isBetween
  }

  end(): void {
    this.#reader.write(this.#decoder.decode())
    this.#reader.end()
  }
}

/** So many bytes are decoded at once: what the parser cuts out of a text keeps all of it in memory. */
const CHUNK = 1 << 16

/** Reads whole items as a document of its own; `last` is called where they end. Throws where they are not what they seem to be. */
export function readItems(
  bytes: Uint8Array,
  { path }: XmlList,
  handlers: XmlHandlers,
  last: () => void,
): void {
  const reader = xmlReader(handlers)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  reader.write(path.map((name) => `<${name}>`).join(''))
  for (let at = 0; at < bytes.length; at += CHUNK)
    reader.write(decoder.decode(bytes.subarray(at, at + CHUNK), { stream: true }))
  reader.write(decoder.decode())
  last()
  reader.write(
    [...path]
      .reverse()
      .map((name) => `</${name}>`)
      .join(''),
  )
  reader.end()
}
