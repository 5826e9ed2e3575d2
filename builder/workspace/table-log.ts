/**
 * Recognises tables of Delta Lake, Apache Iceberg and Apache Hudi. Their folders also hold files of rows that were deleted or replaced, and
 * only their log says which files count, so that files read by a pattern would give wrong figures.
 */

export interface TableLog {
  /** The name of the table format. */
  readonly format: string
  /** The path of the log, with a slash at its end. */
  readonly path: string
}

/** The folder of a log inside the folder of its table, and the files by which it is known. */
const LOGS = [
  { format: 'Delta Lake', folder: '_delta_log', file: /^\d{20}\./ },
  { format: 'Apache Iceberg', folder: 'metadata', file: /\.metadata\.json$/ },
  { format: 'Apache Hudi', folder: '.hoodie', file: /^hoodie\.properties$/ },
] as const

/** The names in a folder, whose path ends with a slash; none where there is no such folder. */
export type NamesIn = (folder: string) => Iterable<string> | AsyncIterable<string>

/** The log of the table to which a file belongs, which lies in one of the folders above the file; null where there is none. */
export async function tableLogAbove(path: string, namesIn: NamesIn): Promise<TableLog | null> {
  for (const above of foldersAbove(path))
    for (const { format, folder, file } of LOGS) {
      const log = `${above}${folder}/`
      for await (const name of namesIn(log)) if (file.test(name)) return { format, path: log }
    }
  return null
}

/** The folders of a path, from the innermost to the outermost, each with a slash at its end; the last one may be empty. */
export function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return Array.from({ length: parts.length + 1 }, (_, i) =>
    parts
      .slice(0, parts.length - i)
      .map((part) => `${part}/`)
      .join(''),
  )
}

/** What is said of a file of such a table. */
export const tableLogProblem = ({ format, path }: TableLog) =>
  ({
    code: 'table-with-log',
    what: `belongs to a table of ${format} (${path}), whose folder also holds files of rows that were deleted or replaced: only its log says which files count`,
    remedy:
      'let an engine that knows the table write its rows as Parquet files into a folder of their own (CREATE TABLE … USING parquet AS SELECT …, or COPY (SELECT …) TO …), and name these',
  }) as const
