/** Reads lists whose rows have an id and may have a parent: of classes and departments here, of accounts in chart.ts. */
import { RESERVED_MEMBER_IDS } from '../../contract/vocabulary.ts'
import type { TableSetting } from '../../workspace/company.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import type { MemberRow, Origin } from '../format/intake.ts'
import { type Keys, nameKeys, resolve } from '../format/keys.ts'
import { textAt } from '../text/csv.ts'
import { footerLeftOut, footersOf } from '../text/footer.ts'
import { COLUMNS, REQUIRED } from './header.ts'
import { cellPlace, columnsNotRead, findColumns, type Table } from './table.ts'

interface ListRow extends Origin {
  readonly id: string
  readonly parentId: string | null
}

export type Cell = ReturnType<typeof cellPlace>

/** What a list is of. A `Draft` is a row whose parent is not looked up yet. */
export interface ListKind<Column extends string, Row, Draft> {
  readonly columns: readonly Column[]
  readonly required: readonly Column[]
  /** Null where it is no row of the list; `has` tells whether there is such a column. */
  readonly read: (
    cell: (column: Column) => Cell,
    has: (column: Column) => boolean,
    findings: Finding[],
  ) => Draft | null
  readonly ifEmpty: (table: Table) => readonly Finding[]
  readonly isReserved: (id: string) => boolean
  readonly keysOf: (rows: readonly (Row | Draft)[]) => Keys
  /** Null where a mistake in the row was reported already. */
  readonly rowOf: (draft: Draft, parentId: string | null) => Row | null
}

/** `carried` are rows that the ledger itself declares (SIE); a row of the list replaces one of these. */
export function readList<Column extends string, Row extends ListRow, Draft extends Omit<ListRow, 'parentId'>>(
  tables: readonly Table[],
  setting: TableSetting | undefined,
  carried: readonly Row[],
  kind: ListKind<Column | 'parent', Row, Draft>,
): { readonly rows: readonly Row[]; readonly findings: readonly Finding[] } {
  const { columns, required } = kind
  const findings: Finding[] = []
  const drafts: (readonly [Draft, parent: Cell])[] = []
  for (const table of tables) {
    const { at, others, findings: ofColumns } = findColumns(table, columns, required, setting?.columns)
    const notRead = others.map((i) => textAt(table.header, i))
    findings.push(...ofColumns, ...columnsNotRead(table, notRead, columns))
    if (required.some((name) => at[name] === undefined)) continue
    if (table.rows.length === 0) findings.push(...kind.ifEmpty(table))
    const isTorn = ({ cells }: { readonly cells: readonly string[] }): boolean =>
      required.some((name) => textAt(cells, at[name] ?? -1) === '')
    const footers = footersOf(table.rows).filter(isTorn)
    for (const { row, cells } of footers)
      findings.push(footerLeftOut(table.file, row, cells.filter((text) => text !== '').join(', ')))
    for (const row of table.rows.filter((each) => !footers.includes(each))) {
      const cell = (name: Column | 'parent'): Cell => {
        const column = at[name]
        return column === undefined
          ? { file: table.file, row: row.row, column: name, text: '' }
          : cellPlace(table, row, column)
      }
      const draft = kind.read(cell, (name) => at[name] !== undefined, findings)
      if (draft !== null) drafts.push([draft, cell('parent')])
    }
  }
  const listed = drafts.map(([draft]) => draft)
  findings.push(...idFindings(listed, kind.isReserved))
  const ids = new Set(listed.map(({ id }) => id))
  const others = carried.filter(({ id }) => !ids.has(id))
  const keys = kind.keysOf([...listed, ...others])
  const rows = drafts.flatMap(([draft, parent]) => kind.rowOf(draft, parentIn(parent, keys, findings)) ?? [])
  const all = [...rows, ...others]
  return { rows: all, findings: [...findings, ...cycleFindings(all)] }
}

/** Classes or departments. */
export function readMembers(
  tables: readonly Table[],
  setting: TableSetting | undefined,
  carried: readonly MemberRow[],
  of: 'class' | 'department',
) {
  const { rows, findings } = readList(tables, setting, carried, MEMBERS)
  const reserved = carried.filter(({ id }) => MEMBERS.isReserved(id))
  return { rows, findings: [...findings, ...reserved.map((member) => reservedMember(member, of))] }
}

/** What the lines of a ledger call a member of it. */
const reservedMember = ({ id, file, row }: MemberRow, of: 'class' | 'department'): Finding =>
  error('reserved-id', `"${id}" is reserved and cannot be the id of a ${of}`, {
    ...{ file, row, text: id },
    remedy:
      'give it another name in the accounting program, and export again; or write "none" under "dimensions" in company.yaml for what holds it',
  })

const MEMBERS: ListKind<(typeof COLUMNS.classes)[number], MemberRow, Omit<MemberRow, 'parentId'>> = {
  columns: COLUMNS.classes,
  required: REQUIRED.classes,
  read: (cell, _, findings) => {
    const { text: id, file, row, column } = cell('id')
    if (id !== '')
      return {
        file,
        row,
        id,
        name: cell('name').text || id,
        isActive: readActive(cell('is_active'), findings),
      }
    const remedy = 'give the row an id, or remove it'
    findings.push(error('empty-id', 'has no id', { file, row, column, text: id, remedy }))
    return null
  },
  ifEmpty: () => [],
  isReserved: (id) => RESERVED_MEMBER_IDS.has(id),
  keysOf: nameKeys,
  rowOf: (draft, parentId) => ({ ...draft, parentId }),
}

const YES = ['', 'true', 'yes', 'y', '1', 'x']
const NO = ['false', 'no', 'n', '0']

/** An empty cell means yes: exports without the column list what is in use. */
export function readActive(cell: Cell, findings: Finding[]): boolean {
  const text = cell.text.toLowerCase()
  if (YES.includes(text)) return true
  if (NO.includes(text)) return false
  const remedy = 'write true or false, or leave it empty for true'
  findings.push(error('invalid-active', `"${text}" is neither yes nor no`, { ...cell, remedy }))
  return true
}

/** Reports ids that stand twice, of which the first row counts, and ids that are reserved for computed rows. */
function idFindings(
  rows: readonly Pick<ListRow, 'id' | 'file' | 'row'>[],
  reserved: (id: string) => boolean,
): Finding[] {
  const first = new Map<string, Origin>()
  const findings: Finding[] = []
  for (const { id, file, row } of rows) {
    const place = { file, row, column: 'id', text: id }
    const before = first.get(id)
    if (reserved(id))
      findings.push(
        error('reserved-id', `the id "${id}" is kept for a row or a filter of our own`, {
          ...place,
          remedy: 'give it another id',
        }),
      )
    if (before === undefined) first.set(id, { file, row })
    else
      findings.push(
        error('duplicate-id', `the id "${id}" stands in row ${before.row} of ${before.file} already`, {
          ...place,
          remedy: 'remove one of the rows, or give each its own id',
        }),
      )
  }
  return findings
}

/** The id of the row's parent; null, with a finding, where the cell names none or two. */
function parentIn(cell: Cell, keys: Keys, findings: Finding[]): string | null {
  if (cell.text === '') return null
  const { id, problem } = resolve(keys, cell.text)
  if (problem === 'unknown')
    findings.push(
      error('unknown-parent', `the parent "${cell.text}" is in no row of this list`, {
        ...cell,
        remedy: 'write the id of another row, or leave it empty',
      }),
    )
  if (problem === 'ambiguous')
    findings.push(
      error('ambiguous-parent', `the parent "${cell.text}" means more than one row`, {
        ...cell,
        remedy: 'write the id of the one that is meant',
      }),
    )
  return id ?? null
}

/** One finding for each cycle, at its first row. */
function cycleFindings(nodes: readonly ListRow[]): Finding[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const settled = new Set<string>()
  const findings: Finding[] = []
  for (const start of nodes) {
    const path: string[] = []
    let at: ListRow | undefined = start
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
