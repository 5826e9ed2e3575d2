/** Reads classes and departments from a spreadsheet: id, name, parent, is_active. */

import { RESERVED_MEMBER_IDS } from '../../contract/vocabulary.ts'
import type { TableSetting } from '../../workspace/company.ts'
import { error, type Finding } from '../../workspace/finding.ts'
import type { MemberRow } from '../format/intake.ts'
import { nameKeys } from '../format/keys.ts'
import { textAt } from '../text/csv.ts'
import { REQUIRED } from './header.ts'
import { idFindings, readActive } from './list.ts'
import { cellPlace, columnsNotRead, findColumns, type Table } from './table.ts'
import { cycleFindings, findParent } from './tree.ts'

const COLUMNS = ['id', 'name', 'parent', 'is_active'] as const

/** `carried` are members that the ledger itself declares (SIE objects); a row of the list replaces one of these. */
export function readMembers(
  tables: readonly Table[],
  setting: TableSetting | undefined,
  carried: readonly MemberRow[],
): { readonly members: readonly MemberRow[]; readonly findings: readonly Finding[] } {
  const drafts = tables.map((table) => readDrafts(table, setting))
  const findings = drafts.flatMap((draft) => [...draft.findings])
  const listed = drafts.flatMap((draft) => draft.rows)
  findings.push(...idFindings(listed, (id) => RESERVED_MEMBER_IDS.has(id)))
  const ids = new Set(listed.map((row) => row.id))
  const others = carried.filter((member) => !ids.has(member.id))
  const keys = nameKeys([...listed, ...others])
  const members = listed.map(({ parent, ...member }): MemberRow => {
    const found = findParent(parent.text, keys, parent)
    findings.push(...found.findings)
    return { ...member, parentId: found.id }
  })
  const all = [...members, ...others]
  return { members: all, findings: [...findings, ...cycleFindings(all)] }
}

type Draft = Omit<MemberRow, 'parentId'> & { readonly parent: ReturnType<typeof cellPlace> }

function readDrafts(
  table: Table,
  setting: TableSetting | undefined,
): { readonly rows: readonly Draft[]; readonly findings: readonly Finding[] } {
  const {
    at,
    others,
    findings: columnFindings,
  } = findColumns(table, COLUMNS, REQUIRED.classes, setting?.columns)
  const notRead = others.map((i) => textAt(table.header, i))
  const findings = [...columnFindings, ...columnsNotRead(table, notRead, COLUMNS)]
  if (at.id === undefined || at.name === undefined) return { rows: [], findings }
  const rows: Draft[] = []
  for (const row of table.rows) {
    const id = textAt(row.cells, at.id)
    if (id === '') {
      findings.push(
        error('empty-id', 'has no id', {
          ...cellPlace(table, row, at.id),
          remedy: 'give the row an id, or remove it',
        }),
      )
      continue
    }
    const active = readActive(table, row, at.is_active)
    findings.push(...active.findings)
    rows.push({
      file: table.file,
      row: row.row,
      id,
      name: textAt(row.cells, at.name) || id,
      isActive: active.isActive,
      parent: at.parent === undefined ? noCell(table, row) : cellPlace(table, row, at.parent),
    })
  }
  return { rows, findings }
}

const noCell = (table: Table, row: Table['rows'][number]) => ({
  file: table.file,
  row: row.row,
  column: 'parent',
  text: '',
})
