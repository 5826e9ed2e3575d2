/**
 * Recognises tables of Delta Lake, Apache Iceberg and Apache Hudi by the log inside their folder. The folder also holds files of rows that
 * were deleted or replaced, and only the log says which files count, so that files read by a pattern would give wrong figures.
 */

interface TableFormat {
  readonly format: string
  /** The folder of the log, inside the folder of the table. */
  readonly log: string
  /** A name in it by which it is known. */
  readonly name: RegExp
}

const FORMATS: readonly TableFormat[] = [
  { format: 'Delta Lake', log: '_delta_log', name: /^\d{20}\./ },
  {
    format: 'Apache Iceberg',
    log: 'metadata',
    name: /^(v\d+|\d+-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})(\.gz)?\.metadata\.json(\.gz)?$/,
  },
  { format: 'Apache Hudi', log: '.hoodie', name: /^hoodie\.properties$/ },
]

export interface TableLog extends Pick<TableFormat, 'format'> {
  /** Where the log is, for people. */
  readonly where: string
}

/** Says what a folder is the table of. `namesIn` gives the names in a folder inside of it; none where there is no such folder. */
export async function tableFormatOf(
  namesIn: (log: string) => Iterable<string> | AsyncIterable<string>,
): Promise<TableFormat | null> {
  for (const format of FORMATS)
    for await (const name of namesIn(format.log)) if (format.name.test(name)) return format
  return null
}

/** The message and remedy for the files of such a table. */
export const tableLogProblem = ({ format, where }: TableLog) => ({
  what: `belongs to a table of ${format} (${where}), whose folder also holds files of rows that were deleted or replaced: only its log says which files count`,
  remedy:
    'let an engine that knows the table write its rows as Parquet files into a folder of their own (CREATE TABLE … USING parquet AS SELECT …, or COPY (SELECT …) TO …), and name these',
})
