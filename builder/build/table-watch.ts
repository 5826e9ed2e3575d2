/**
 * Detects objects of tables that change during a build, as {@link SourceWatch} does files: what the manifest states of them is what was
 * read only if they are listed in the same state before the first look at them and after the last.
 */
import { byCodePoint } from '../contract/vocabulary.ts'
import { error, type Finding } from '../workspace/finding.ts'
import type { TableAddress, TableListing, TableObject, TableStore } from '../workspace/table-address.ts'

export class TableWatch implements TableStore {
  readonly #store: TableStore
  readonly #seen: { readonly address: TableAddress; readonly objects: readonly TableObject[] }[] = []

  constructor(store: TableStore) {
    this.#store = store
  }

  get bytesRead(): number {
    return this.#store.bytesRead
  }

  async list(address: TableAddress): Promise<TableListing> {
    const listing = await this.#store.list(address)
    this.#seen.push({ address, objects: listing.objects })
    return listing
  }

  tail(object: TableObject, length: number): ReturnType<TableStore['tail']> {
    return this.#store.tail(object, length)
  }

  /** The objects that were replaced, came or went since they were listed. Throws {@link BucketError}. */
  async changed(): Promise<Finding[]> {
    const findings: Finding[] = []
    for (const { address, objects } of this.#seen) {
      const now = new Map((await this.#store.list(address)).objects.map((object) => [object.file, object]))
      for (const was of objects) {
        const is = now.get(was.file)
        now.delete(was.file)
        if (is === undefined) findings.push(changed(was.file, 'was removed'))
        else if (is.etag !== was.etag || is.bytes !== was.bytes)
          findings.push(changed(was.file, `was replaced (ETag ${was.etag} before, ${is.etag} now)`))
      }
      findings.push(...[...now.keys()].map((file) => changed(file, 'was added')))
    }
    return findings.sort((a, b) => byCodePoint(a.file ?? '', b.file ?? ''))
  }
}

const changed = (file: string, how: string): Finding =>
  error('source-changed', `${how} while the table was read: parts of two states may have been read`, {
    file,
    remedy: 'build again, once nothing writes to the table any more',
  })
