/** Resolves the parents of accounts and members, and reports cycles. */
import { error, type Finding } from '../../workspace/finding.ts'
import type { Origin } from '../format/intake.ts'
import { type Keys, resolve } from '../format/keys.ts'

export interface Node extends Origin {
  readonly id: string
  readonly parentId: string | null
}

/** The id of the row's parent; null, with a finding, where `text` names none or two. */
export function findParent(
  text: string,
  keys: Keys,
  place: { readonly file: string; readonly row: number; readonly column: string; readonly text: string },
): { readonly id: string | null; readonly findings: readonly Finding[] } {
  if (text === '') return { id: null, findings: [] }
  const found = resolve(keys, text)
  if (found.id !== undefined) return { id: found.id, findings: [] }
  const finding =
    found.problem === 'unknown'
      ? error('unknown-parent', `the parent "${text}" is in no row of this list`, {
          ...place,
          remedy: 'write the id of another row, or leave it empty',
        })
      : error('ambiguous-parent', `the parent "${text}" means more than one row`, {
          ...place,
          remedy: 'write the id of the one that is meant',
        })
  return { id: null, findings: [finding] }
}

/** One finding for each cycle, at its first row. */
export function cycleFindings(nodes: readonly Node[]): Finding[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const settled = new Set<string>()
  const findings: Finding[] = []
  for (const start of nodes) {
    const path: string[] = []
    let at: Node | undefined = start
    while (at !== undefined && !settled.has(at.id) && !path.includes(at.id)) {
      path.push(at.id)
      at = at.parentId === null ? undefined : byId.get(at.parentId)
    }
    const circle = at === undefined ? -1 : path.indexOf(at.id)
    if (at !== undefined && circle !== -1)
      findings.push(
        error('circular-parent', `is its own ancestor: ${[...path.slice(circle), at.id].join(' → ')}`, {
          file: at.file,
          row: at.row,
          column: 'parent',
          text: at.parentId,
          remedy: 'change one of these parents',
        }),
      )
    for (const id of path) settled.add(id)
  }
  return findings
}
