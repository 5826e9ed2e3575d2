/** Edits company.yaml as its owner would: it adds what is missing, and keeps every comment and value. */
import {
  Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  YAMLMap,
  YAMLSeq,
} from 'yaml'
import { z } from 'zod'
import { userName } from '../system/operator.ts'
import { extensibleSchema } from './company.ts'
import type { Finding } from './findings/finding.ts'
import { COMPANY_FILE } from './workspace.ts'
import { BLANK, parseYaml } from './yaml-file.ts'

/** The value of a key of an entry, such as a name, a list of sheets or a column map. */
export type Setting =
  | string
  | number
  | readonly string[]
  | { readonly [key: string]: string | readonly string[] }
type Value = string | number | boolean | null | readonly string[] | { readonly [key: string]: Setting }

/** An entry of a list in the file; its values are unchecked. */
type Entry = { readonly [key: string]: unknown }

/** A value that no source states but that can be inferred. */
export interface Assumed<T extends string | number = string | number> {
  readonly value: T
  /** The reason, for people. */
  readonly why: string
}

/** These words are in the comment of every assumed value. */
export const CHECK = 'please check'

const HEAD = ` What this company is and where its sources lie; paths are relative to this file.
 Values marked ${BLANK} are questions: write the answer over the mark, then run "tieout check".`

/** A YAML comment, without the control characters that names in old exports may hold. */
const asComment = (text: string): string => ` ${text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim()}`

export class CompanyEdit {
  /** The changes, for people. */
  readonly changes: string[] = []
  readonly findings: readonly Finding[]
  readonly #doc: Document.Parsed | Document
  readonly #isNew: boolean

  /** `text` is the text of the file; null if there is none yet. */
  constructor(text: string | null) {
    this.#isNew = text === null
    this.#doc = text === null ? new Document(new YAMLMap()) : parseDocument(text, { prettyErrors: false })
    if (text === null) this.#doc.commentBefore = HEAD
    else if (this.#doc.contents === null) this.#doc.contents = new YAMLMap() as never
    this.findings = text === null ? [] : mistakesIn(text)
  }

  toString(): string {
    return this.#doc.toString({ lineWidth: 0 })
  }

  /** The plain value of a key; undefined if it is absent or still a blank. */
  get(key: string): unknown {
    const node = this.#doc.get(key, true)
    const value = node === undefined ? undefined : (node as Node).toJS(this.#doc)
    return value === BLANK ? undefined : (value as unknown)
  }

  /** The entries of a list, without their blanks; none if the key is absent or still a blank. */
  entries(key: string): readonly Entry[] {
    const list = this.get(key)
    return Array.isArray(list) ? list.map(withoutBlanks) : []
  }

  /**
   * Writes a value if the key is absent or a blank. If no source states the value (null), the assumed one is written with a note to
   * check it, or else a blank for the owner to fill in. Both are written only in a new file or over a blank, because an
   * owner may leave keys out on purpose. A stated value replaces an assumed one.
   */
  answer(key: string, value: Value, comment: string, assumed: Assumed | null = null): void {
    const before = this.#doc.get(key, true)
    if (before !== undefined && !isBlank(before) && !(value !== null && isStill(before, assumed))) return
    if (value === null && (before === undefined ? !this.#isNew : assumed === null)) return
    const isAssumed = value === null && assumed !== null
    const scalar = this.#line(isAssumed ? assumed.value : (value ?? BLANK), null)
    scalar.comment = isAssumed
      ? asComment(`${assumed.why}, ${CHECK}: ${comment}`)
      : isScalar(before) && isBlank(before) && before.comment
        ? before.comment
        : asComment(comment)
    if (before === undefined) this.#append(key, scalar)
    else this.#doc.set(key, scalar)
    this.changes.push(`${key}: ${firstOf(scalar.toJS(this.#doc) as Value)}`)
  }

  /** Changes one value of one entry of a list. */
  change(list: string, index: number, key: string, value: string): void {
    this.#doc.setIn([list, index, key], value)
    this.changes.push(`${list}.${index}.${key}: ${value}`)
  }

  /** Appends one entry to a list, on one line. A list that holds nothing but a blank entry is replaced. */
  addToList(key: string, entry: Value, comment: string | null, about: string): void {
    const list = this.#collection(key, YAMLSeq, about)
    list.items = list.items.filter((item) => !(isMap(item) && isBlank(item.get('files', true))))
    list.items.push(this.#line(entry, comment))
    this.changes.push(`${key}: ${firstOf(entry)}`)
  }

  /**
   * Appends one line to a map. A name that is there stays as it is, unless it is a question that this answers, or still has the value
   * that was `derived` from files of before.
   */
  addToMap(
    key: string,
    name: string,
    value: Value,
    comment: string | null,
    about: string,
    derived?: Value,
  ): boolean {
    const map = this.#collection(key, YAMLMap, about)
    // YAML reads `1510:` as a number, which is the same name.
    const before = map.items.find((pair) => String(isScalar(pair.key) ? pair.key.value : pair.key) === name)
    if (before !== undefined) {
      if (asks(this.#doc.createNode(value))) return false
      const held = JSON.stringify((before.value as Node).toJS(this.#doc))
      if (!asks(before.value)) {
        if (held !== JSON.stringify(derived) || held === JSON.stringify(value)) return false
        this.changes.push(`${key}.${name}: ${held} is ${JSON.stringify(value)} now`)
      }
      before.value = this.#line(value, comment)
      return true
    }
    const quoted = new Scalar(name)
    quoted.type = Scalar.QUOTE_DOUBLE
    map.items.push(this.#doc.createPair(quoted, this.#line(value, comment)) as Pair)
    return true
  }

  /** The questions that are left, by the path of their keys, such as `ledger.0.basis`, with the comment beside each. */
  blanks(): { readonly key: string; readonly about: string }[] {
    return [...blanksBelow(this.#doc.contents, [])].map(({ path, about }) => ({
      key: path.join('.'),
      about: about.trim(),
    }))
  }

  /** Whether the value of a key was assumed, and nobody changed it. */
  isAssumed(key: string): boolean {
    const node = this.#doc.get(key, true)
    return isScalar(node) && (node.comment ?? '').includes(CHECK)
  }

  /**
   * Writes an answer over a blank; the comment beside it stays. Gives what makes it a blank again. Throws where there is no such
   * blank.
   */
  fill(key: string, value: string | number): () => void {
    const found = [...blanksBelow(this.#doc.contents, [])].find(({ path }) => path.join('.') === key)
    if (found === undefined) throw new Error(`${key} of company.yaml is not a blank`)
    const { scalar } = found
    scalar.value = value
    this.changes.push(`${key}: ${value}`)
    return () => {
      scalar.value = BLANK
      this.changes.pop()
    }
  }

  /** Writes what the owner states over a blank or an assumption, which need not be checked any more. Returns whether that changed it. */
  state(key: string, value: string | number): boolean {
    const before = this.#doc.get(key, true)
    if (!isScalar(before) || before.value === value) return false
    before.value = value
    if (before.comment?.includes(CHECK)) before.comment = before.comment.replace(/^.*?: /, ' ')
    this.changes.push(`${key}: ${value}`)
    return true
  }

  /** Notes beside the settings that the one who runs the program answered this question today. */
  answered(key: string): void {
    const notes = this.#collection(
      'answered',
      YAMLMap,
      'Who answered the questions of "tieout add", and when.',
    )
    notes.set(key, `${userName()}, ${new Date().toISOString().slice(0, 10)}`)
  }

  #collection<T extends YAMLMap | YAMLSeq>(key: string, kind: new () => T, about: string): T {
    const found = this.#doc.get(key, true)
    if (isMap(found) || isSeq(found)) return found as T
    const made = new kind()
    if (found === undefined) this.#append(key, made, about)
    else this.#doc.set(key, made)
    return made
  }

  #append(key: string, value: Node, about?: string): void {
    const name = new Scalar(key)
    if (about !== undefined) {
      name.commentBefore = asComment(about)
      name.spaceBefore = true
    }
    ;(this.#doc.contents as YAMLMap).items.push(this.#doc.createPair(name, value) as Pair)
  }

  #line(value: Value, comment: string | null): Node {
    const node = this.#doc.createNode(value) as Node & { flow?: boolean }
    if (isMap(node) || isSeq(node)) node.flow = true
    if (comment !== null) node.comment = asComment(comment)
    return node
  }
}

/** The mistakes that keep `tieout add` from extending the file: invalid YAML, or a key that is not a list or map. Blanks are none. */
const mistakesIn = (text: string): readonly Finding[] =>
  parseYaml(text, COMPANY_FILE, extensibleSchema).findings.filter(({ code }) => code !== 'blank')

const entrySchema = z.record(z.string(), z.unknown())

const withoutBlanks = (entry: unknown): Entry =>
  Object.fromEntries(
    Object.entries(entrySchema.safeParse(entry).data ?? {}).filter(([, value]) => value !== BLANK),
  )

/** `about` is the comment beside the blank; in an entry on one line, the comment behind it, after what the entry is called. */
function* blanksBelow(
  node: unknown,
  path: readonly string[],
  around = '',
): Generator<{ readonly path: readonly string[]; readonly scalar: Scalar; readonly about: string }> {
  if (isMap(node)) {
    const name = node.get('name') ?? node.get('files')
    const about = node.comment ? [...(name ? [name] : []), node.comment.trim()].join(': ') : around
    for (const { key, value } of node.items)
      yield* blanksBelow(value, [...path, String(isScalar(key) ? key.value : key)], about)
  } else if (isSeq(node))
    for (const [i, item] of node.items.entries()) yield* blanksBelow(item, [...path, String(i)])
  else if (isBlank(node) && isScalar(node)) yield { path, scalar: node, about: node.comment ?? around }
}

const isStill = (node: unknown, assumed: Assumed | null): boolean =>
  isScalar(node) && node.value === assumed?.value && (node.comment ?? '').includes(CHECK)

const isBlank = (node: unknown): boolean => isScalar(node) && node.value === BLANK

/** Whether a map has a blank among its values. */
const asks = (node: unknown): boolean => isMap(node) && node.items.some(({ value }) => isBlank(value))

const firstOf = (value: Value) =>
  Array.isArray(value)
    ? value.join(', ') || 'none'
    : typeof value === 'object' && value !== null
      ? Object.values(value)[0]
      : value
