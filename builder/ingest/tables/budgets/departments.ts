/**
 * Budgets with a sheet for each department, or a block for each department below a title that names it. Both are
 * read as if the sheet had a column of departments.
 */
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import { type Keys, resolve } from '../../format/keys.ts'
import type { TextRow } from '../../text/csv.ts'
import type { Table } from '../table.ts'
import { sectionOfTotal } from '../totals.ts'

export interface ByDepartment {
  readonly table: Table
  /** Each account stands below a department. An account that does not may be a sum of the others, and is refused. */
  readonly isDivided: boolean
}

/** Words for a department that a title may contain beside its name. */
const CALLED =
  /^(?:department|dept\.?|division|cost cent(?:er|re)|avdelning|kostnadsställe|abteilung|kostenstelle|avdeling|afdeling)\s*[:–-]?\s+/i

/** `isAccount` recognises titles that name an account, which are not taken for departments. */
export function byDepartment(
  table: Table,
  departments: Keys,
  isAccount: (text: string) => boolean,
): ByDepartment {
  const whole = { table, isDivided: false }
  if (departments.size === 0) return whole
  const named = (row: TextRow): string | null => {
    const [text, ...others] = new Set(row.cells.filter((cell) => cell !== ''))
    if (text === undefined || others.length > 0 || isAccount(text)) return null
    return departmentOf(text, departments)
  }
  // The header may stand again above each block.
  const header = table.header.join('\n')
  const rows = table.rows.filter(({ cells }) => cells.join('\n') !== header)
  const titles = new Map(rows.flatMap((row) => [[row, named(row)] as const]).filter(([, id]) => id !== null))
  const above = table.above.findLast((row) => named(row) !== null)
  const isCalled = above?.cells.some((cell) => CALLED.test(cell)) ?? false
  if (titles.size === 0 && !isCalled) return whole
  let open = above === undefined ? null : named(above)
  const tagged = rows.flatMap((row) => {
    const title = titles.get(row)
    if (title !== undefined) {
      open = title
      return [withCell(row, '')]
    }
    const closes = row.cells.map(sectionOfTotal).find((text) => text !== null)
    const isEnd = closes != null && open !== null && departmentOf(closes, departments) === open
    const found = withCell(row, isEnd || row.cells.every((cell) => cell === '') ? '' : (open ?? ''))
    if (isEnd) open = null
    return [found]
  })
  return {
    table: { ...table, header: [...table.header, 'department'], rows: tagged },
    isDivided: true,
  }
}

const withCell = (row: TextRow, text: string): TextRow => ({ ...row, cells: [...row.cells, text] })

function departmentOf(text: string, departments: Keys): string | null {
  const trimmed = text.trim()
  return (
    [trimmed, trimmed.replace(CALLED, '')]
      .map((each) => resolve(departments, each).id)
      .find((id) => id !== undefined) ?? null
  )
}

/** Reads sheets whose names are departments. A sheet beside them with another name may hold their sums. */
export function sheetsByDepartment(
  tables: readonly Table[],
  departments: Keys,
  hasColumn: (table: Table) => boolean,
): { readonly tables: readonly Table[]; readonly findings: readonly Finding[] } {
  const pathOf = ({ file }: Table) => file.replace(/#.*/s, '')
  const findings: Finding[] = []
  const read = tables.map((table) => {
    const beside = tables.filter((each) => pathOf(each) === pathOf(table))
    const own = (each: Table) => (each.sheet === null ? null : departmentOf(each.sheet, departments))
    if (beside.length < 2 || hasColumn(table) || !beside.some((each) => own(each) !== null)) return table
    const id = own(table)
    if (id !== null)
      return {
        ...table,
        header: [...table.header, 'department'],
        rows: table.rows.map((row) => withCell(row, row.cells.every((cell) => cell === '') ? '' : id)),
      }
    findings.push(
      error(
        'sheet-of-no-department',
        `the sheet "${table.sheet}" stands beside sheets of departments, and no department is called so: does it sum up the others?`,
        {
          file: table.file,
          text: table.sheet,
          remedy:
            'name the sheets of the departments under "sheet" in company.yaml; or give this one a column "department"',
        },
      ),
    )
    return null
  })
  return { tables: read.filter((table) => table !== null), findings }
}
