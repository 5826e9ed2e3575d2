/** What the titles and the foot of a report state of the part of the books that it is of: its class or department. */
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import type { Keys } from '../../format/keys.ts'
import type { ReportMember } from '../../format/own-report.ts'

export const dimensionMemberOf =
  ({ classes, departments }: { readonly classes: Keys; readonly departments: Keys }) =>
  (text: string): ReportMember | null => {
    if (/^(not specified|unassigned|unclassified|no class|none)$/i.test(text)) return { of: 'class', id: '' }
    const leaf = text.split(':').at(-1)?.trim() ?? ''
    const named = (keys: Keys) => keys.get(text) ?? keys.get(leaf) ?? null
    const [ofClass, ofDepartment] = [named(classes), named(departments)]
    return ofClass !== null
      ? { of: 'class', id: ofClass }
      : ofDepartment !== null
        ? { of: 'department', id: ofDepartment }
        : null
  }

const FILTER =
  /^(filter(ed)?( by)?|filters|class|department|location|region|customer|vendor|supplier|contact|partner|project|tag|journal|analytic)s?\s*(:|=| is | equals )\s*(\S.*)$/i

/** The class or department that a title, the foot or the sheet of filters says the report is of alone; an error where it is of neither. */
export function filterIn(
  stated: readonly string[],
  member: (text: string) => ReportMember | null,
  file: string,
  otherwise: string,
): { readonly filter: ReportMember | null; readonly finding: Finding | null } {
  for (const text of stated) {
    const value = /^[^:=]{2,30}?\s*(?::|=| is | equals )\s*(\S.*)$/i.exec(text)?.[1]?.trim()
    const filter = value === undefined ? null : member(value)
    if (filter !== null) return { filter, finding: null }
    if (FILTER.test(text) && !/^(all|none|no|posted)\b/i.test(value ?? '')) {
      const message = 'says that it is filtered, by what is no class or department of the company'
      const remedy = `export it again without a filter, or ${otherwise}`
      return { filter, finding: error('report-filtered', message, { file, row: 1, text, remedy }) }
    }
  }
  return { filter: null, finding: null }
}
