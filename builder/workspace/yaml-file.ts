/** One YAML file in, one validated value or all its mistakes out, each with its line. */
import { readFileSync } from 'node:fs'
import { type Document, isMap, isPair, LineCounter, type Node, parseDocument, visit } from 'yaml'
import type { z } from 'zod'
import { error, type Finding } from './finding.ts'

export type Parsed<T> =
  | { readonly value: T; readonly findings: readonly [] }
  | { readonly value: null; readonly findings: readonly Finding[] }

/** What `tieout add` writes where the source cannot say: a blank that must be filled in before a build. */
export const BLANK = 'FILL IN'

/**
 * Reads `path` and validates it. Every mistake is a finding with file and line; `file` is the name findings show.
 * Throws only where the file cannot be read at all.
 */
export function readYaml<T>(path: string, file: string, schema: z.ZodType<T>): Parsed<T> {
  return parseYaml(readFileSync(path, 'utf8'), file, schema)
}

export function parseYaml<T>(text: string, file: string, schema: z.ZodType<T>): Parsed<T> {
  const lines = new LineCounter()
  // YAML 1.2 core: dates stay text, as the schemas expect them.
  const doc = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const lineAt = (offset: number) => lines.linePos(offset).line
  const findings: Finding[] = doc.errors.map((problem) =>
    error('yaml-syntax', `not valid YAML: ${problem.message}`, {
      file,
      row: lineAt(problem.pos[0]),
      remedy: 'check the indentation, the quotes and the colons of this line',
    }),
  )
  if (findings.length > 0) return { value: null, findings }
  keepNumbersAsWritten(doc)

  const nodeAt = (path: readonly PropertyKey[]): Node | null => {
    // The nearest node that exists: a missing key is reported where its parent stands.
    for (let depth = path.length; depth >= 0; depth--) {
      const node =
        depth === 0 ? doc.contents : (doc.getIn(path.slice(0, depth) as string[], true) as Node | undefined)
      if (node?.range) return node
    }
    return null
  }
  const place = (path: readonly PropertyKey[]) => {
    const node = nodeAt(path)
    return { file, row: node?.range ? lineAt(node.range[0]) : 1, column: path.map(String).join('.') || null }
  }

  const parsed = schema.safeParse(doc.toJS() ?? {})
  const blanks = blankFindings(doc.contents, [], (offset) => lineAt(offset), file)
  if (parsed.success && blanks.length === 0) return { value: parsed.data, findings: [] }
  const blankKeys = new Set(blanks.map((blank) => blank.column))
  for (const issue of parsed.success ? [] : parsed.error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        const parent = issue.path.length === 0 ? doc.contents : doc.getIn(issue.path as string[], true)
        const pair = isMap(parent)
          ? parent.items.find((item) => isPair(item) && String(item.key) === key)
          : undefined
        const offset = (pair?.key as Node | undefined)?.range?.[0]
        findings.push(
          error('unknown-key', `unknown key "${key}"`, {
            ...place(issue.path),
            ...(offset === undefined ? {} : { row: lineAt(offset) }),
            column: [...issue.path.map(String), key].join('.'),
            remedy: 'remove it, or correct its spelling',
          }),
        )
      }
      continue
    }
    const at = place(issue.path)
    if (blankKeys.has(at.column)) continue
    const found = doc.getIn(issue.path as string[]) as unknown
    findings.push(
      error('invalid-setting', issue.message, {
        ...at,
        text: found === undefined || typeof found === 'object' ? null : String(found),
      }),
    )
  }
  return { value: null, findings: [...findings, ...blanks] }
}

/** Account 0800 is not account 800, nor is reference 1.10 the reference 1.1: such a number is the text that stands there. */
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
