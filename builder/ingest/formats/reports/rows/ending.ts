/** Whether a report is whole: it ends as its program ends reports, and its sections have the totals that others have. */
import { listed } from '../../../../contract/listed.ts'
import { error, type Finding, ofLedger, warning } from '../../../../workspace/findings/finding.ts'
import type { ReportFamily } from './layout.ts'
import type { Sections } from './sections.ts'
import type { OpenReport } from './walk.ts'

/** What the rows of a report show about its end. */
export interface SeenRows {
  lines: number
  totals: number
  hasGrand: boolean
  /** Sections with lines of their own. */
  readonly lined: Set<number>
  /** The part of the report that has lines and no total yet. */
  openPart: string | null
  /** The last row that is not blank. */
  last: number
}

export const EXPORT_AGAIN = 'export the report again, without changing it in a spreadsheet program'

/** `untotalled`: sections without a total; `hasEnd`: a grand total, or a last line with basis and time. */
export function endingFindings(
  { layout, file }: OpenReport,
  family: ReportFamily,
  sections: Sections,
  untotalled: readonly number[],
  { lines, totals, lined, openPart, last, hasEnd }: SeenRows & { readonly hasEnd: boolean },
): Finding[] {
  const [firstUntotalled] = untotalled
  // A program that marks its rows is known to write totals, or none. What it states shows what is missing.
  if (layout.marks !== null || family.ends === 'never')
    return firstUntotalled === undefined || layout.marks?.ends !== 'total'
      ? []
      : [cutOff(file, last, sections.labelOf(firstUntotalled))]
  const isTotalled = totals > 0 || lined.size > 0
  if (isTotalled && openPart !== null && !hasEnd) return [cutOff(file, last, openPart)]
  // A program without sub-accounts leaves out the total of an account that nothing moved.
  const lacking = layout.isFlat ? untotalled.filter((index) => lined.has(index)) : untotalled
  if (lacking.length > 0) return noTotals(file, sections, lacking, lined)
  if (hasEnd || lines === 0) return []
  return [noEnd(isTotalled && family.alwaysEnds?.(layout) === true ? error : warning, file, last)]
}

const cutOff = (file: string, row: number, label: string): Finding =>
  error('report-cut-off', `the report ends inside ${label}, before its total: it was cut off`, {
    file,
    row,
    remedy: 'export it again, and look at its last row: a report ends with totals, basis and time',
  })

/** A finding names at most this number of sections. */
const NAMED = 8

/** A section with entries may lack some of them, which is an error; one without entries lacks its total alone. */
function noTotals(
  file: string,
  sections: Sections,
  untotalled: readonly number[],
  lined: ReadonlySet<number>,
): Finding[] {
  const report = (finding: typeof error, indexes: readonly number[]): Finding[] => {
    const labels = indexes.map((index) => sections.labelOf(index))
    const [first, ...others] = labels
    if (first === undefined) return []
    // Without entries it may be no account, but a line that people wrote or a program printed below them.
    const named = finding === warning ? labels.map(ofLedger) : labels
    const which = others.length === 0 ? `${named[0]} has` : `${labels.length} accounts have`
    const list = others.length === 0 ? '' : `: ${listed(named, NAMED)}`
    return [
      finding('section-without-total', `${which} no total below, unlike other accounts${list}`, {
        file,
        text: first,
        remedy: EXPORT_AGAIN,
      }),
    ]
  }
  return [
    ...report(
      error,
      untotalled.filter((index) => lined.has(index)),
    ),
    ...report(
      warning,
      untotalled.filter((index) => !lined.has(index)),
    ),
  ]
}

const noEnd = (finding: typeof error, file: string, row: number): Finding =>
  finding(
    'report-without-end',
    'the report has neither a grand total nor a last line with basis and time: nothing shows that it is whole',
    {
      file,
      row,
      remedy:
        'if rows were deleted or the export was cut off, export it again, with the total or the last line that the program writes',
    },
  )
