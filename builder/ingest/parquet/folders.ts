/**
 * Reads what the folders of a partitioned table state, as Hive and Spark write them: `gl/department=shop/month=2025-01/a.parquet`
 * has the department `shop` and the month `2025-01` in all its rows.
 */

import { sep } from 'node:path'

/** Stands for a missing value in the name of a folder. */
const NOTHING = '__HIVE_DEFAULT_PARTITION__'

/** The names and values in the folders of a path, from the outermost to the innermost; null is no value. */
export const folderValues = (file: string): readonly (readonly [name: string, value: string | null])[] =>
  file
    .split('/')
    .slice(0, -1)
    .flatMap((folder) => {
      const [, name, value] = /^([^=]+)=(.*)$/.exec(folder) ?? []
      if (name === undefined || value === undefined) return []
      return [[unescaped(name), value === NOTHING || value === '' ? null : unescaped(value)] as const]
    })

/** The end of a path that belongs to a partitioned table: the folders that state values, and the name of the file. */
export function withFolders(path: string): string {
  const parts = path.split(sep)
  const first = parts.slice(0, -1).findLastIndex((folder) => !folder.includes('=')) + 1
  return parts.slice(first).join('/')
}

/** Hive writes characters that a folder cannot have as `%` and their code, such as `%2F`. Other text stays as it is. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
