/** Reads and validates a YAML file: the result is a valid value, or all mistakes with their lines. */
import { isUtf8 } from 'node:buffer'
import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml'
import type { z } from 'zod'
import { readFileSync } from '../system/plain-file.ts'
import { LISTED } from './findings/cap-findings.ts'
import { error, type Finding } from './findings/finding.ts'
import { keysAt, nearestKey } from './schema-keys.ts'

export type Parsed<T> =
  | { readonly value: T; readonly findings: readonly [] }
  | { readonly value: null; readonly findings: readonly Finding[] }

/** The text that `tieout add` writes for a value that no source states. It must be filled in before a build. */
export const BLANK = 'FILL IN'

/**
 * Reads `path` and validates it. Every mistake is a finding with file and line; `file` is the name in findings. Keys in
 * `mayWait` may be blank and then count as absent. Throws only if the file cannot be read.
 */
export function readYaml<T>(
  path: string,
  file: string,
  schema: z.ZodType<T>,
  mayWait: ReadonlySet<string> = new Set(),
): Parsed<T> {
  const { value: text, findings } = readYamlText(path, file)
  return text === null ? { value: null, findings } : parseYaml(text, file, schema, mayWait)
}

/** The text of a YAML file without a byte order mark, or a finding if it is not UTF-8. Throws as {@link readYaml} does. */
export function readYamlText(path: string, file: string): Parsed<string> {
  const bytes = readFileSync(path)
  if (isUtf8(bytes)) return { value: bytes.toString('utf8').replace(/^\ufeff/, ''), findings: [] }
  const finding = error('undecodable-text', 'holds bytes that are not UTF-8 text', {
    file,
    remedy: 'save the file as UTF-8',
  })
  return { value: null, findings: [finding] }
}

/** Parses and validates a YAML text, as {@link readYaml} does. */
export function parseYaml<T>(
  text: string,
  file: string,
  schema: z.ZodType<T>,
  mayWait: ReadonlySet<string> = new Set(),
): Parsed<T> {
  const lines = new LineCounter()
  // The default schema, YAML 1.2 core, keeps dates as text, as our schemas expect.
  // Repeated keys are looked for below: the library compares each key with all before it.
  const doc = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  const source: YamlSource = { doc, file, lineAt: (offset) => lines.linePos(offset).line }
  const wrong = syntaxFindings(source)
  if (wrong.length > 0) return { value: null, findings: wrong }
  keepNumbersAsWritten(doc)
  for (const key of mayWait) if (doc.get(key) === BLANK) doc.delete(key)
  const plain = plainValue(doc)
  if (!('value' in plain)) {
    const row = plain.at.range ? source.lineAt(plain.at.range[0]) : 1
    return {
      value: null,
      findings: [error('yaml-alias', plain.message, { file, row, remedy: plain.remedy })],
    }
  }
  // Each schema is used once or twice, which is no reason to compile it.
  const parsed = schema.safeParse(plain.value ?? {}, { jitless: true })
  const blanks = blankFindings(doc.contents, [], source.lineAt, file)
  if (parsed.success && blanks.length === 0) return { value: parsed.data, findings: [] }
  const issues = parsed.success ? [] : parsed.error.issues.flatMap((each) => meant(each)).slice(0, LISTED)
  const blankKeys = new Set(blanks.map((blank) => blank.column))
  const findings = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.slice(0, LISTED).map((key) => unknownKey(source, key, issue.path, schema))
      : blankKeys.has(placeOf(source, issue.path).column)
        ? []
        : [settingFinding(source, issue)],
  )
  return { value: null, findings: [...findings, ...blanks] }
}

interface YamlSource {
  readonly doc: Document.Parsed
  readonly file: string
  /** The line of a place in the text, from 1. */
  lineAt(offset: number): number
}

const syntaxFindings = ({ doc, file, lineAt }: YamlSource): Finding[] =>
  [
    ...doc.errors.map(({ message, pos }) => ({ message, at: pos[0] })),
    ...repeatedKeys(doc).map((at) => ({ message: 'Map keys must be unique', at })),
  ].map(({ message, at }) =>
    error('yaml-syntax', `not valid YAML: ${message}`, {
      file,
      row: lineAt(at),
      remedy: 'check the indentation, the quotes and the colons of this line',
    }),
  )

/** The offsets in the text at which a map repeats a key. */
function repeatedKeys(doc: Document): number[] {
  const repeated: number[] = []
  visit(doc, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        const value = isScalar(key) ? key.value : key
        if (seen.has(value)) repeated.push((key as Node | null)?.range?.[0] ?? 0)
        seen.add(value)
      }
    },
  })
  return repeated
}

const nodeIn = (doc: Document.Parsed, path: readonly PropertyKey[]): Node | null | undefined =>
  path.length === 0 ? doc.contents : (doc.getIn(path as string[], true) as Node | undefined)

/** The place of a setting. A missing key is reported at the line of its nearest parent. */
function placeOf({ doc, file, lineAt }: YamlSource, path: readonly PropertyKey[]) {
  let row = 1
  for (let depth = path.length; depth >= 0; depth--) {
    const range = nodeIn(doc, path.slice(0, depth))?.range
    if (!range) continue
    row = lineAt(range[0])
    break
  }
  return { file, row, column: path.map(String).join('.') || null }
}

function unknownKey(
  source: YamlSource,
  key: string,
  path: readonly PropertyKey[],
  schema: z.ZodType,
): Finding {
  const parent = nodeIn(source.doc, path)
  const pair = isMap(parent)
    ? parent.items.find((item) => isPair(item) && String(item.key) === key)
    : undefined
  const offset = (pair?.key as Node | undefined)?.range?.[0]
  return error('unknown-key', `unknown key "${key}"`, {
    ...placeOf(source, path),
    ...(offset === undefined ? {} : { row: source.lineAt(offset) }),
    column: [...path.map(String), key].join('.'),
    remedy: misspelt(key, keysAt(schema, path)),
  })
}

function settingFinding(source: YamlSource, issue: Issue): Finding {
  const found = source.doc.getIn(issue.path as string[]) as unknown
  const isMissing =
    found === undefined &&
    (issue.code === 'invalid_type' || (issue.code === 'custom' && issue.params?.isMissing === true))
  const key = String(issue.path.at(-1) ?? source.file)
  return error(
    isMissing ? 'missing-setting' : 'invalid-setting',
    isMissing ? `"${key}" is missing` : sentence(issue),
    {
      ...placeOf(source, issue.path),
      text:
        found === undefined || typeof found === 'object'
          ? null
          : withoutPassword(String(found).slice(0, LONGEST)),
      remedy: isMissing ? `add the key "${key}" here` : null,
    },
  )
}

/** Longer than any value that a finding shows, and than any address with a password. */
const LONGEST = 10_000

/** Findings are printed and kept in logs, where the password of an address has no place. */
const withoutPassword = (text: string): string =>
  text.replace(/(:\/\/[^:/@]*):[^@]*@/, '$1:***@').replace(/(password=)[^&]*/, '$1***')

/** How often aliases may repeat values; an alias inside a repeated value counts each time. */
const ALIASES_MAX = 1000

type Plain =
  | { readonly value: unknown }
  | { readonly at: Pick<Node, 'range'>; readonly message: string; readonly remedy: string }

/** The plain value of a document, or the alias that names nothing or repeats too much. */
function plainValue(doc: Document): Plain {
  const anchors = new Set<string>()
  let unknown: Alias | undefined
  let nested: Alias | undefined
  let aliases = 0
  visit(doc, {
    Node: (_, node) => {
      if (!isAlias(node) && node.anchor !== undefined) anchors.add(node.anchor)
    },
    Alias: (_, node, path) => {
      aliases++
      if (!anchors.has(node.source)) unknown ??= node
      if (path.some((parent) => isCollection(parent) && parent.anchor !== undefined)) nested ??= node
    },
  })
  if (unknown !== undefined)
    return {
      at: unknown,
      message: `the alias "*${unknown.source}" repeats nothing`,
      remedy: `write "&${unknown.source}" before the value that it is to repeat; put a text that begins with "*" into quotes`,
    }
  try {
    // The library looks through the document for each alias.
    if (aliases <= ALIASES_MAX) return { value: doc.toJS({ maxAliasCount: ALIASES_MAX }) }
  } catch (problem) {
    if (!(problem instanceof ReferenceError)) throw problem
  }
  return {
    at: nested ?? doc.contents ?? doc,
    message: `aliases repeat values more than ${ALIASES_MAX} times`,
    remedy: 'write the values out, or repeat fewer of them',
  }
}

type Issue = z.core.$ZodIssue

/** For a value that may have several forms, the mistakes of the form that fits best. */
function meant(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const isOther = (issues: Issue[]) =>
    issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0)
  const branch = issue.errors.find((issues) => !isOther(issues))
  const [first] = issue.errors[0] ?? []
  if (branch === undefined) return [first ? { ...first, path: issue.path } : issue]
  return branch.flatMap((each) => meant({ ...each, path: [...issue.path, ...each.path] }))
}

const TYPES: Readonly<Record<string, string>> = {
  object: 'must be a map of keys',
  record: 'must be a map of keys',
  array: 'must be a list',
  string: 'must be text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
}

/** The message of a mistake: that of our schemas, or else the library's in the same style. */
function sentence(issue: Issue): string {
  if (!/^(Invalid|Too) /.test(issue.message)) return issue.message
  if (issue.code === 'invalid_value') return `must be ${list(issue.values.map(String))}`
  if (issue.code === 'invalid_type') return TYPES[issue.expected] ?? issue.message
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}`
  return issue.code === 'too_big' ? `must be at most ${issue.maximum}` : issue.message
}

const list = (values: readonly string[]): string => {
  const shown = values.map((value) => (/^[\w-]+$/.test(value) ? value : JSON.stringify(value)))
  return shown.length === 1 ? shown.join() : `one of ${shown.join(', ')}`
}

function misspelt(key: string, known: readonly string[]): string {
  const near = nearestKey(key, known)
  if (near !== null) return `is "${near}" meant? correct its spelling, or remove it`
  return known.length === 0 ? 'remove it' : `remove it, or write one of ${known.join(', ')}`
}

/** Keeps numbers as text if they are not written in their shortest form: account 0800 is not 800, and reference 1.10 is not 1.1. */
function keepNumbersAsWritten(doc: Document): void {
  visit(doc, {
    Scalar: (_, node) => {
      if (typeof node.value === 'number' && node.source !== undefined && String(node.value) !== node.source)
        node.value = node.source
    },
  })
}

function blankFindings(
  node: unknown,
  path: readonly string[],
  lineAt: (offset: number) => number,
  file: string,
): Finding[] {
  if (isMap(node))
    return node.items.flatMap((pair) => blankFindings(pair.value, [...path, String(pair.key)], lineAt, file))
  const list = node as {
    items?: readonly unknown[]
    value?: unknown
    range?: [number, number, number]
  } | null
  if (list?.items)
    return list.items.flatMap((item, i) => blankFindings(item, [...path, String(i)], lineAt, file))
  if (list?.value !== BLANK) return []
  return [
    error('blank', `"${path.join('.')}" is still to be filled in`, {
      file,
      row: list.range ? lineAt(list.range[0]) : null,
      column: path.join('.'),
      text: BLANK,
      remedy: 'write the value over the mark; the comment beside it says what is asked',
    }),
  ]
}
