/**
 * Reads what the folders of a partitioned table state, as Hive and Spark write them: `gl/department=shop/month=2025-01/a.parquet`
 * has the department `shop` and the month `2025-01` in all its rows.
 */

import { opendir, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { type TableLog, tableFormatOf, tableLogProblem } from '../../workspace/table-address.ts'

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

/** Looks for logs in the folders above files, and remembers each folder, since a table has many files in few. */
export class TableLogs {
  readonly #known = new Map<string, Promise<TableLog | null>>()

  /** The log of the table to which a file belongs, or that to which a link leads. */
  async above(path: string): Promise<TableLog | null> {
    for (const place of new Set([resolve(path), await realpath(path)])) {
      const log = await this.#from(dirname(place))
      if (log !== null) return log
    }
    return null
  }

  #from(folder: string): Promise<TableLog | null> {
    const known = this.#known.get(folder) ?? this.#look(folder)
    this.#known.set(folder, known)
    return known
  }

  async #look(folder: string): Promise<TableLog | null> {
    const found = await tableFormatOf((log) => namesIn(join(folder, log)))
    if (found !== null) return { format: found.format, where: join(folder, found.log) }
    const above = dirname(folder)
    return above === folder ? null : this.#from(above)
  }
}

/** A folder that cannot be read is passed over, since the files of its table could be. */
async function* namesIn(folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(() => [])
  for await (const { name } of entries) yield name
}

/** The finding for a file. The log is named inside the company's `folder`, or by its own name: the rest of this machine is for nobody else. */
export function withLog(file: string, { format, where }: TableLog, folder: string): Finding {
  const inside = relative(folder, where)
  const shown = inside.startsWith('..') ? basename(where) : inside
  const { what, remedy } = tableLogProblem({ format, where: shown })
  return error('table-with-log', what, { file, remedy })
}
