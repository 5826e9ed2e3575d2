/** A preview of a file whose format is not known yet: the beginning of its text, or the sheets of a workbook. */

import { readFile } from '../../system/plain-file.ts'
import type { TableOptions } from '../../workspace/company.ts'
import { folderValues } from '../parquet/folders.ts'
import { isParquet, type ParquetFooter, readFooter } from '../parquet/footer.ts'
import { type Delimiter, delimitersFor, firstRecords } from '../text/csv.ts'
import { decodeText, type Encoding } from '../text/decode.ts'
import type { Scan } from '../text/scan.ts'
import { isCompoundFile, isZip, parseXlsx, type Workbook } from '../workbook/xlsx.ts'

/** The first rows of a text file under one delimiter, or of a sheet. */
export interface Sample {
  readonly sheet: string | null
  /** Null for a sheet, and for Parquet. */
  readonly delimiter: string | null
  readonly rows: readonly (readonly string[])[]
}

export interface FilePreview {
  /** The encoding in which the file is read. */
  readonly encoding: Encoding
  /** The beginning of a text, or all of it; empty for a workbook and for Parquet. */
  readonly head: string
  /** All cells as text; null for a text file. */
  readonly workbook: Workbook | null
  /** The columns of a Parquet file, or why it cannot be read; null for all other files. */
  readonly parquet: ParquetFooter | null
  /** First rows: of each sheet that is not blank, or of the text under each delimiter, the most likely one first. */
  samples(rows: number): readonly Sample[]
}

/** Previews a file. A workbook is read here once, and passed on. */
export async function lookAt(
  path: string,
  file: string,
  scan: Scan,
  form: Pick<TableOptions, 'encoding' | 'decimal' | 'delimiter'> = {},
): Promise<FilePreview> {
  const encoding = form.encoding ?? scan.encoding
  if (isZip(scan.head) || isCompoundFile(scan.head)) {
    const workbook = await parseXlsx(await readFile(path), form.decimal ?? '.', file)
    return { encoding, head: '', workbook, parquet: null, samples: (rows) => sheetSamples(workbook, rows) }
  }
  if (isParquet(scan.head)) {
    const parquet = await readFooter(path)
    return { encoding, head: '', workbook: null, parquet, samples: () => headerSample(path, parquet) }
  }
  const head = decodeText(scan.head, encoding).text
  const known = new Map<number, readonly Sample[]>()
  // Kept, since several formats ask for the same rows.
  const samples = (rows: number): readonly Sample[] => {
    const before = known.get(rows)
    if (before) return before
    const beginning = rows > FEW_ROWS ? scan.sample : scan.head
    const text = rows > FEW_ROWS ? decodeText(beginning, encoding).text : head
    const found = textSamples(text, scan.bytes <= beginning.length, rows, form.delimiter)
    known.set(rows, found)
    return found
  }
  return { encoding, head, workbook: null, parquet: null, samples }
}

/** The beginning of any file holds this many rows, even where rows have a kilobyte. */
const FEW_ROWS = 100

const sheetSamples = ({ sheets }: Workbook, count: number): Sample[] =>
  sheets
    .filter(({ rows }) => rows.length > 0)
    .map(({ name, rows }) => ({
      sheet: name,
      delimiter: null,
      rows: rows.slice(0, count).map(({ cells }) => cells),
    }))

/** The columns of a Parquet file and of its folders as the only row: their types say what the values are, so that none need be read. */
const headerSample = (path: string, parquet: ParquetFooter): Sample[] =>
  parquet.problem !== null
    ? []
    : [
        {
          sheet: null,
          delimiter: null,
          rows: [[...parquet.columns.map(({ name }) => name), ...folderValues(path).map(([name]) => name)]],
        },
      ]

function textSamples(
  head: string,
  isWhole: boolean,
  count: number,
  stated: Delimiter | undefined,
): readonly Sample[] {
  // The last row of a beginning may be incomplete.
  const text = isWhole ? head : head.slice(0, Math.max(head.lastIndexOf('\n'), head.lastIndexOf('\r')))
  return delimitersFor(head, stated).map((delimiter) => ({
    sheet: null,
    delimiter,
    rows: firstRecords(text, delimiter, count).map(({ cells }) => cells),
  }))
}
