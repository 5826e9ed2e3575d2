/**
 * Parses XML of any size into events, in bounded memory. Documents with a DOCTYPE are refused: no ledger needs one,
 * and entities declared there can expand a small file enormously or name other files (CWE-776, CWE-611).
 */
import { SaxesParser } from 'saxes'

/** Names come without their prefix, those of attributes too, because programs choose prefixes freely. */
export interface XmlHandlers {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void
  /** Text and CDATA, possibly in several pieces. */
  readonly text?: (text: string) => void
  readonly close?: (name: string) => void
}

/** Why a text cannot be read as XML, and on which line. */
export class XmlError extends Error {
  readonly line: number
  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

/** Deeper than any export nests. */
const DEPTH = 200
/**
 * Characters of one tag, comment or piece of text; more is made to exhaust memory. Of a text with brackets the parser joins each
 * character by itself, which takes some forty bytes.
 */
const PIECE = 2 * 1024 * 1024

export interface XmlReader {
  /** The next piece of the document, cut anywhere. Throws {@link XmlError}. */
  readonly write: (chunk: string) => void
  readonly end: () => void
  /** The current line, from 1. */
  readonly line: () => number
}

export function xmlReader(handlers: XmlHandlers): XmlReader {
  const parser = new SaxesParser({ xmlns: false, position: true })
  let depth = 0
  let pending = 0
  const fail = (message: string): never => {
    throw new XmlError(message, parser.line)
  }
  parser.on('error', ({ message }) => fail(message.replace(/^\d+:\d+: /, '').replace(/\.$/, '')))
  parser.on('doctype', () => fail('a DOCTYPE is not read: entities can hide what a file holds'))
  parser.on('opentag', ({ name, attributes }) => {
    pending = 0
    if (++depth > DEPTH) fail(`elements are nested more than ${DEPTH} deep`)
    handlers.open?.(local(name), withoutPrefixes(attributes))
  })
  parser.on('closetag', ({ name }) => {
    pending = 0
    depth--
    handlers.close?.(local(name))
  })
  const text = (found: string) => {
    pending = 0
    handlers.text?.(found)
  }
  parser.on('text', text)
  parser.on('cdata', text)
  parser.on('comment', () => {
    pending = 0
  })
  return {
    write: (chunk) => {
      pending += chunk.length
      parser.write(chunk)
      if (pending > PIECE + chunk.length) fail(`a single piece is longer than ${PIECE} characters`)
    },
    end: () => {
      parser.close()
    },
    line: () => parser.line,
  }
}

const local = (name: string): string => {
  const colon = name.indexOf(':')
  return colon === -1 ? name : name.slice(colon + 1)
}

/** Of `r:id` and `id` the one without a prefix is used. */
function withoutPrefixes(attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  let plain: Record<string, string> | null = null
  for (const name in attributes) {
    if (!name.includes(':')) continue
    plain ??= { ...attributes }
    const short = local(name)
    const value = attributes[name]
    if (value !== undefined && !Object.hasOwn(attributes, short)) plain[short] = value
  }
  return plain ?? attributes
}
