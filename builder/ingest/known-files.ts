/**
 * Finds ledger files that would count twice: files named by two entries of company.yaml, and files of the same
 * content.
 */
import type { LedgerSetting } from '../workspace/company.ts'
import { error, type Finding } from '../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'
import type { SourceFile } from './format/format.ts'
import type { FilePreview } from './format/preview.ts'
import { folderValues } from './parquet/folders.ts'
import type { ParquetFooter } from './parquet/footer.ts'
import type { Scan } from './text/scan.ts'
import { isZip } from './workbook/xlsx.ts'

/** The entry of company.yaml that names a file, and its key, such as `ledger.0`. */
interface Named {
  readonly setting: LedgerSetting
  readonly key: string
}

/** The ledger files opened so far. */
export class KnownFiles {
  readonly #entryOf = new Map<string, string>()
  readonly #contents = new Map<string, string>()

  /** The error where another entry of company.yaml names the file too; else null. */
  named(file: string, { key, setting }: Named): Finding | null {
    const before = this.#entryOf.get(file)
    if (before !== undefined) return readTwice(file, before, key, setting.files)
    this.#entryOf.set(file, key)
    return null
  }

  /** The error where another file has the same content and is read on the same basis; else null. */
  copied({ file, scan, look }: SourceFile, { setting }: Pick<Named, 'setting'>): Finding | null {
    // Equal files in two folders of a partitioned table may hold other entries: the folders state a part of them.
    const stated = look.parquet === null ? [] : folderValues(file)
    return this.#repeated(file, [scan.sha256, setting.basis, stated], () => mayHoldRows(scan, look))
  }

  /** As {@link KnownFiles.copied}, of an object of a bucket: `state` is what its store says of its content. */
  copiedObject(
    { file, state }: { readonly file: string; readonly state: string },
    { setting }: Pick<Named, 'setting'>,
    footer: ParquetFooter,
  ): Finding | null {
    return this.#repeated(file, [state, setting.basis, folderValues(file)], () => hasRows(footer))
  }

  #repeated(file: string, of: readonly unknown[], mayHoldRows: () => boolean): Finding | null {
    const content = JSON.stringify(of)
    const twin = this.#contents.get(content)
    if (twin !== undefined && mayHoldRows()) return sameContent(file, twin)
    this.#contents.set(content, file)
    return null
  }
}

const readTwice = (file: string, before: string, key: string, pattern: string): Finding =>
  error('file-read-twice', `${file} is named by ${before} and by ${key}: its entries would count twice`, {
    file: COMPANY_FILE,
    column: `${key}.files`,
    text: pattern,
    remedy: 'narrow one of the two patterns',
  })

/** Files with a header alone may be alike: branches without entries export the same header. */
function mayHoldRows({ head }: Scan, { parquet }: FilePreview): boolean {
  if (parquet !== null) return hasRows(parquet)
  return isZip(head) || /[^\s][\r\n]+[^\s]/.test(head.toString('latin1').replaceAll('\0', ''))
}

const hasRows = (footer: ParquetFooter): boolean => footer.problem !== null || footer.rows > 0

const sameContent = (file: string, twin: string): Finding =>
  error('same-file-twice', `is ${twin} under another name: its entries would count twice`, {
    file,
    remedy: 'remove one of the two files, or let the pattern in company.yaml name only one',
  })
