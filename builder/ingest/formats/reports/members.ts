/** Classes and departments out of the columns of reports: which column is which, and the members with their tree. */
import type { Company } from '../../../workspace/company.ts'
import type { MemberRow } from '../../format/intake.ts'
import type { Target } from './rows/layout.ts'
import type { ReportScan } from './rows/scan.ts'

/** Column → what it is: by company.yaml, else by its header, unless company.yaml gives that part to another column. */
export function targetsOf(
  scans: readonly ReportScan[],
  stated: Company['dimensions'],
): Map<string, Target | 'none'> {
  const targets = new Map<string, Target | 'none'>(Object.entries(stated ?? {}))
  const taken = new Set<string>(targets.values())
  for (const { layout } of scans)
    for (const { id, target } of layout.dimensions) {
      if (targets.has(id)) continue
      const isFree = target !== 'none' && !taken.has(target)
      targets.set(id, isFree ? target : 'none')
      if (isFree) taken.add(target)
    }
  return targets
}

/** `North:Works` is Works inside North. */
export const memberId = (text: string): string =>
  text
    .split(':')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(':')

export function membersOf(
  scans: readonly ReportScan[],
  targets: ReadonlyMap<string, Target | 'none'>,
): Readonly<Record<Target, readonly MemberRow[]>> {
  const found = { class: new Map<string, MemberRow>(), department: new Map<string, MemberRow>() }
  for (const { file, members } of scans)
    for (const [dimension, texts] of members) {
      const target = targets.get(dimension)
      if (target === undefined || target === 'none') continue
      for (const [text, row] of texts) {
        let parentId: string | null = null
        for (const name of memberId(text).split(':')) {
          const id: string = parentId === null ? name : `${parentId}:${name}`
          if (!found[target].has(id)) found[target].set(id, { file, row, id, name, parentId, isActive: true })
          parentId = id
        }
      }
    }
  return { class: [...found.class.values()], department: [...found.department.values()] }
}
