/** Reads the small tables that the settings of a group name. */
import type { SourceRecord } from '../../ingest/format/intake.ts'
import { COLUMNS, REQUIRED } from '../../ingest/tables/header.ts'
import { cellPlace, findColumns, readTables } from '../../ingest/tables/table.ts'
import type { Finding } from '../../workspace/findings/finding.ts'
import type { groupFiles } from '../../workspace/group.ts'

type Kind = 'mapping' | 'rates' | 'historical' | 'intercompany'
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
