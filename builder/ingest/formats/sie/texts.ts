/** Reads the texts of the SIE files of one entry, each in one pass that keeps no voucher and writes their rows at once. */
import type { SourceFile } from '../../format/format.ts'
import { decodeText, type Encoding, isWide } from '../../text/decode.ts'
import { linesOf } from '../../text/lines.ts'
import { type Scratch, textOf } from '../../text/scan.ts'
import { EntryText, HEADER } from './csv.ts'
import { SieParser } from './parse.ts'
import type { SieFile } from './records.ts'

export interface ReadFile {
  readonly source: SourceFile
  readonly encoding: Encoding
  readonly sie: SieFile
  readonly undecodableLine: number | null
  /** Its rows as canonical CSV; null where none were wanted. */
  readonly rows: string | null
}

const CHUNK = 1 << 16

/** `stated`: the encoding by company.yaml. No rows are written where `scratch` is null. */
export async function readTexts(
  sources: readonly SourceFile[],
  stated: Encoding | undefined,
  decimals: number,
  scratch: Scratch | null,
): Promise<ReadFile[]> {
  const files: ReadFile[] = []
  for (const source of sources)
    files.push(await readText(source, stated ?? source.scan.dosEncoding, decimals, scratch))
  return files
}

async function readText(
  source: SourceFile,
  encoding: Encoding,
  decimals: number,
  scratch: Scratch | null,
): Promise<ReadFile> {
  const entries = scratch === null ? null : new EntryText()
  const parser = new SieParser(source.file, decimals, entries)
  /** The first line with U+FFFD. */
  let lost: number | null = null
  async function* rows(): AsyncGenerator<string> {
    yield HEADER
    for await (const lines of linesOf(
      textOf(source.path, encoding, CHUNK),
      decodeText(source.scan.head, encoding).text,
    )) {
      for (const raw of lines) {
        parser.line(raw)
        if (lost === null && raw.includes('\ufffd')) lost = parser.lastLine
      }
      yield entries?.written() ?? ''
    }
  }
  if (scratch === null) for await (const _ of rows());
  const path = scratch === null ? null : await scratch.written(rows())
  const isOther = encoding === 'utf-8' && source.scan.encoding !== 'utf-8'
  return {
    ...{ source, encoding, rows: path },
    sie: parser.finish(),
    undecodableLine: isOther ? (lost ?? 1) : isWide(encoding) ? lost : null,
  }
}
