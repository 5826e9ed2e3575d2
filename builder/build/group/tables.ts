/** Reads the small tables that the settings of a group name. */
import type { SourceRecord } from '../../ingest/format/intake.ts'
import { COLUMNS, REQUIRED } from '../../ingest/tables/header.ts'
import { cellPlace, findColumns, readTables } from '../../ingest/tables/table.ts'
import { error, type Finding, type Place } from '../../workspace/findings/finding.ts'
import type { Group, groupFiles } from '../../workspace/group.ts'

type Kind = 'mapping' | 'departmentMapping' | 'rates' | 'historical' | 'intercompany'
type Column<K extends Kind> = (typeof COLUMNS)[K][number]

/** A row, by column: the text of each cell with its place. */
export type GroupRow<K extends Kind> = { readonly [column in Column<K>]: ReturnType<typeof cellPlace> }

export interface GroupTable<K extends Kind> {
  readonly rows: readonly GroupRow<K>[]
  /** The cells above the header. */
  readonly titles: readonly string[]
  readonly sources: readonly SourceRecord[]
  readonly findings: readonly Finding[]
}

/** The finding about a cell that should name an account, of the company or group that `whose` is. */
export const noAccount = (cell: Place & { readonly text: string }, whose: string): Finding =>
  error('unknown-account', `"${cell.text}" is no account of ${whose}`, {
    ...cell,
    remedy: `write an id or number of the chart of ${whose}`,
  })

/** The finding about a cell that should name a member. */
export const noMember = (cell: Place & { readonly text: string }, { members }: Group): Finding =>
  error('group-unknown-member', `"${cell.text}" is no member of the group`, {
    ...cell,
    remedy: `write one of ${members.map(({ company }) => company).join(', ')}`,
  })

/** Notes what stands for an account or a department of a member; a row that says something else than one above is refused. */
export function setOnce(
  map: Map<string, string>,
  [from, to]: readonly [string, string],
  cell: Place & { readonly text: string },
  findings: Finding[],
): void {
  const known = map.get(from)
  if (known === undefined || known === to) map.set(from, to)
  else
    findings.push(
      error('duplicate-id', `"${cell.text}" stands for "${known}" in one row and for "${to}" in another`, {
        ...cell,
        remedy: 'write one row for it',
      }),
    )
}

/** Reads a table, in which every column must be there. */
export async function readGroupTable<K extends Kind>(
  folder: string,
  { key, files }: ReturnType<typeof groupFiles>[number],
  kind: K,
): Promise<GroupTable<K>> {
  const { tables, sources, findings } = await readTables(folder, { files }, kind, key)
  const names: readonly Column<K>[] = COLUMNS[kind]
  const read = tables.map((table) => {
    const { at, findings } = findColumns<Column<K>>(table, names, REQUIRED[kind])
    const rows = findings.length > 0 ? [] : table.rows
    return {
      findings,
      rows: rows.map(
        (row) =>
          Object.fromEntries(
            names.map((name) => [name, cellPlace(table, row, at[name] ?? -1)]),
          ) as GroupRow<K>,
      ),
    }
  })
  return {
    rows: read.flatMap(({ rows }) => rows),
    titles: tables.flatMap(({ above }) => above.flatMap(({ cells }) => cells)),
    sources,
    findings: [...findings, ...read.flatMap((each) => each.findings)],
  }
}
