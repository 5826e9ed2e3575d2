/** Adds the line of company.yaml to findings about one of its keys. */
import { join } from 'node:path'
import { isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { readFileSync } from '../system/plain-file.ts'
import type { Finding } from '../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'

/** The same findings; those that name a key of company.yaml without a line get the line. */
export function withSettingLines(findings: readonly Finding[], folder: string): Finding[] {
  const keyOf = ({ file, row, column }: Finding) => (file === COMPANY_FILE && row === null ? column : null)
  if (findings.every((found) => keyOf(found) === null)) return [...findings]
  const lineOf = settingLines(folder)
  return findings.map((found) => {
    const key = keyOf(found)
    return key === null ? found : { ...found, row: lineOf(key) }
  })
}

/**
 * Returns a function from a key such as `opening.priorYearsNotClosed` to its line in company.yaml, or that of the
 * nearest key above it.
 */
export function settingLines(folder: string): (key: string) => number {
  const lines = new LineCounter()
  const { contents } = parseDocument(readFileSync(join(folder, COMPANY_FILE), 'utf8'), { lineCounter: lines })
  return (key) => lines.linePos(offsetOf(contents, key)).line
}

const startOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined)

/** The offset of the key, or of the nearest key above it that exists. */
function offsetOf(root: Node | null, path: string): number {
  let node: unknown = root
  let offset = root?.range?.[0] ?? 0
  for (const part of path.split('.')) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === part)
      if (pair === undefined) break
      offset = startOf(pair.key) ?? offset
      node = pair.value
    } else if (isSeq(node)) {
      node = node.items[Number(part)]
      offset = startOf(node) ?? offset
    } else break
  }
  return offset
}
