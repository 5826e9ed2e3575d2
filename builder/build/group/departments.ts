/** Maps the departments of members to those of their group, by the member's own table; the others keep their ids. */
import { quoted } from '../../database/database.ts'
import { type FormatContent, NO_CONTENT } from '../../ingest/format/content.ts'
import type { MemberRow } from '../../ingest/format/intake.ts'
import type { Company } from '../../workspace/company.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import type { Member } from './members.ts'
import { type GroupRow, readGroupTable, setOnce } from './tables.ts'

/** Department of a member → department of the group. */
export type DepartmentMap = ReadonlyMap<string, string>

/** The maps of members, by their place, and the departments of the group: those of all members that no table gives another. */
export async function mapDepartments(
  folder: string,
  company: Company,
  members: readonly Member[],
): Promise<{ readonly maps: readonly DepartmentMap[]; readonly content: FormatContent }> {
  const maps: DepartmentMap[] = []
  const departments: MemberRow[] = []
  const sources: FormatContent['sources'][number][] = []
  const findings: Finding[] = []
  const targets: GroupRow<'departmentMapping'>[] = []
  for (const { id, at, setting, frame, file } of members) {
    const { members: own } = frame.departments
    const map = new Map<string, string>()
    if (setting.departments !== undefined) {
      const key = `group.members.${at}.departments`
      const table = await readGroupTable(folder, { key, files: setting.departments }, 'departmentMapping')
      sources.push(...table.sources)
      findings.push(...table.findings)
      for (const row of table.rows) {
        const { department, group_department } = row
        if (group_department.text === '') continue
        const from =
          own.find((each) => each.id === department.text) ?? own.find(({ name }) => name === department.text)
        if (from === undefined) findings.push(noDepartment(department, id))
        else setOnce(map, [from.id, group_department.text], department, findings)
        targets.push(row)
      }
    }
    maps.push(map)
    departments.push(
      ...own
        .filter((each) => !map.has(each.id))
        .map(({ parentId, ...each }) => ({
          ...{ ...each, parentId: map.get(parentId ?? '') ?? parentId, file, row: 1 },
        })),
    )
  }
  // A table of the group's own may have more departments than its members.
  if (company.departments === undefined)
    findings.push(
      ...targets
        .filter(({ group_department: { text } }) => !departments.some(({ id }) => id === text))
        .map(({ group_department }) => noDepartment(group_department, 'the group')),
    )
  return { maps, content: { ...NO_CONTENT, departments, sources, findings } }
}

const noDepartment = (
  cell: { readonly text: string; readonly file: string; readonly row: number },
  whose: string,
): Finding =>
  error('unknown-department', `"${cell.text}" is no department of ${whose}`, {
    ...cell,
    remedy: `write the id of a department of ${whose}${whose === 'the group' ? ': one of a member that no table gives another, or of the table that "departments" of the group names' : ''}`,
  })

/** SQL for the department of the group that a department of the member is. */
export const departmentSql = (map: DepartmentMap, department: string): string =>
  map.size === 0
    ? department
    : `CASE ${department} ${[...map].map(([from, to]) => `WHEN ${quoted(from)} THEN ${quoted(to)}`).join(' ')} ELSE ${department} END`
