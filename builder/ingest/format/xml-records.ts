/**
 * Reads an XML file as records: handlers get each record as a tree, and the elements around records one by one.
 * Memory is bounded whatever the file holds; a fault that ends the reading is a finding. Knows no file format.
 */

import type { TableOptions } from '../../workspace/company.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import type { Encoding } from '../text/decode.ts'
import { undecodable } from '../text/decode.ts'
import { textOf as textOfFile } from '../text/scan.ts'
import { XmlError, xmlReader } from '../workbook/xml.ts'
import type { SourceFile } from './format.ts'

/** An element of a record with everything inside it. */
export interface XmlNode {
  readonly name: string
  /** Line of the text on which it begins. */
  readonly row: number
  /** Its own text, trimmed, without that of its children. */
  readonly text: string
  readonly children: readonly XmlNode[]
}

export interface RecordHandlers {
  /** `uri` is the default namespace, else the first named one that is not part of XML itself. */
  readonly root: (name: string, uri: string) => void
  /** Returns whether the element is a record, whose children are then not passed to `open`. The root has depth 1. */
  readonly open: (name: string, depth: number, row: number) => boolean
  readonly record: (node: XmlNode) => void
  /** Called at the end of an element that is not a record, with its own text. */
  readonly close: (name: string, depth: number, text: string, row: number) => void
}

/** Far above any accounting file. */
const LONGEST = 1 << 20
const MOST_ELEMENTS = 10_000

interface Draft {
  readonly name: string
  readonly row: number
  text: string
  readonly children: Draft[]
}

/**
 * Reads the file in steps, between which the caller can write what the handlers collected. Returns null where all was read, else the
 * finding that ended it.
 */
export async function* recordSteps(
  { file, path }: Pick<SourceFile, 'file' | 'path'>,
  encoding: Encoding,
  on: RecordHandlers,
): AsyncGenerator<undefined, Finding | null> {
  const records = new Records(on)
  try {
    for await (const text of textOfFile(path, encoding, 1 << 18)) {
      records.write(text)
      yield
    }
    records.end()
  } catch (cause) {
    if (cause instanceof XmlError) return records.refusal(file, cause)
    throw cause
  }
  return null
}

class Records {
  readonly #on: RecordHandlers
  readonly #reader = xmlReader({
    open: (name, attributes) => this.#opened(name, attributes),
    text: (text) => this.#texted(text),
    close: (name) => this.#closed(name),
  })
  #depth = 0
  /** The innermost open element, in which a truncated file ends. */
  readonly #open: string[] = []
  #text = ''
  readonly #drafts: Draft[] = []
  #elements = 0
  #ended = false

  constructor(on: RecordHandlers) {
    this.#on = on
  }

  write(chunk: string): void {
    this.#reader.write(chunk)
  }

  end(): void {
    this.#ended = true
    this.#reader.end()
  }

  refusal(file: string, { message, line }: XmlError): Finding {
    const inside = this.#open.at(-1)
    return this.#ended && inside !== undefined
      ? error('truncated-file', `the file ends inside <${inside}>: it was cut off`, {
          file,
          row: line,
          remedy: 'export it again, and copy it whole',
        })
      : error('malformed-xml', `the file cannot be read as XML: ${message}`, {
          file,
          row: line,
          remedy: 'export the file again, and do not change it by hand',
        })
  }

  #opened(name: string, attributes: Readonly<Record<string, string>>): void {
    const row = this.#reader.line()
    this.#open.push(name)
    const parent = this.#drafts.at(-1)
    if (parent === undefined) {
      this.#depth++
      if (this.#depth === 1) this.#on.root(name, namespaceOf(attributes))
      this.#text = ''
      if (!this.#on.open(name, this.#depth, row)) return
      this.#elements = 0
    }
    const draft: Draft = { name, row, text: '', children: [] }
    if (++this.#elements > MOST_ELEMENTS)
      throw new XmlError(`an element holds more than ${MOST_ELEMENTS} others`, row)
    parent?.children.push(draft)
    this.#drafts.push(draft)
  }

  #texted(text: string): void {
    const draft = this.#drafts.at(-1)
    if ((draft?.text ?? this.#text).length + text.length > LONGEST)
      throw new XmlError(`a text is longer than ${LONGEST} characters`, this.#reader.line())
    if (draft === undefined) this.#text += text
    else draft.text += text
  }

  #closed(name: string): void {
    this.#open.pop()
    const draft = this.#drafts.pop()
    if (draft === undefined) this.#on.close(name, this.#depth, this.#text.trim(), this.#reader.line())
    else {
      draft.text = draft.text.trim()
      if (this.#drafts.length > 0) return
      this.#on.record(draft)
    }
    this.#depth--
    this.#text = ''
  }
}

function namespaceOf(attributes: Readonly<Record<string, string>>): string {
  const named = Object.entries(attributes).filter(
    ([name, uri]) => name.startsWith('xmlns:') && !uri.startsWith('http://www.w3.org/'),
  )
  return attributes.xmlns ?? named[0]?.[1] ?? ''
}
/** Name of the root element at the beginning of a text; null where it is not XML. */
export function rootName(head: string): string | null {
  let at = head.search(/[^\ufeff\s]/)
  if (head[at] !== '<') return null
  for (;;) {
    const end = head.startsWith('<?', at)
      ? head.indexOf('?>', at)
      : head.startsWith('<!--', at)
        ? head.indexOf('-->', at)
        : head.startsWith('<!DOCTYPE', at)
          ? doctypeEnd(head, at)
          : null
    if (end === null) break
    if (end === -1) return null
    at = head.indexOf('>', end) + 1
    while (at < head.length && head.charAt(at).trim() === '') at++
  }
  return /^<(?:[\w.-]+:)?([\w.-]+)[\s/>]/.exec(head.slice(at, at + 300))?.[1] ?? null
}

function doctypeEnd(head: string, at: number): number {
  const end = head.indexOf('>', at)
  const subset = head.indexOf('[', at)
  return subset === -1 || end < subset ? end : head.indexOf(']', subset)
}

/** Names in XML declarations of the encodings that are read. */
const DECLARED: Readonly<Record<string, Encoding>> = {
  'utf-8': 'utf-8',
  'us-ascii': 'utf-8',
  'windows-1252': 'windows-1252',
  cp1252: 'windows-1252',
  // A file declared as ISO 8859-1 may use letters and dashes that only windows-1252 has, which is a superset.
  'iso-8859-1': 'windows-1252',
  latin1: 'windows-1252',
  'iso-8859-15': 'iso-8859-15',
  cp437: 'cp437',
  ibm437: 'cp437',
}

/**
 * The encoding of an XML file: that of company.yaml; else UTF-16 or UTF-8 as its bytes show (text in another
 * encoding is valid UTF-8 by accident only where it is ASCII); else that of the XML declaration.
 */
export function xmlEncoding(
  { file, scan }: SourceFile,
  { encoding: stated }: Pick<TableOptions, 'encoding'>,
): { readonly encoding: Encoding; readonly finding: Finding | null } {
  const seen = stated ?? scan.encoding
  if (stated === 'utf-8' && scan.encoding !== 'utf-8')
    return { encoding: stated, finding: undecodable(file, stated, null) }
  if (stated !== undefined || seen.startsWith('utf-')) return { encoding: seen, finding: null }
  const declared = /^<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(
    scan.head.subarray(0, 500).toString('latin1').trimStart(),
  )?.[1]
  const encoding = DECLARED[declared?.toLowerCase() ?? 'utf-8']
  if (encoding === undefined)
    return {
      encoding: seen,
      finding: error('unknown-encoding', `the file says that it is in the encoding ${declared}`, {
        file,
        row: 1,
        text: declared ?? null,
        remedy:
          'export it as UTF-8; or state how it is to be read, such as "encoding: windows-1252", in company.yaml',
      }),
    }
  return { encoding, finding: encoding === 'utf-8' ? undecodable(file, 'utf-8', null) : null }
}

/** Text of a descendant, by its path of names; empty where there is none. */
export function textOf(node: XmlNode, ...path: readonly string[]): string {
  let at: XmlNode | undefined = node
  for (const name of path) at = at?.children.find((child) => child.name === name)
  return at?.text ?? ''
}
