/**
 * Detects objects of tables that change during a build, as {@link SourceWatch} does files: what the manifest states of them is what was
 * read only if they are listed in the same state before the first look at them and after the last.
 */
import { byCodePoint } from '../contract/vocabulary.ts'
import { BucketError } from '../system/refusals.ts'
import type { Company } from '../workspace/company.ts'
import { error, type Finding } from '../workspace/findings/finding.ts'
import { tableAddresses } from '../workspace/source-files.ts'
import type { TableAddress, TableListing, TableObject, TableStore } from '../workspace/table-address.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { TablesRead } from './result.ts'

export class TableWatch implements TableStore {
  readonly #store: TableStore
  readonly #seen: { readonly address: TableAddress; readonly objects: readonly TableObject[] }[] = []

  constructor(store: TableStore) {
    this.#store = store
  }

  /** How much the tables hold, and how much of it was read here. */
  get reading(): TablesRead {
    const objects = this.#seen.flatMap((seen) => seen.objects)
    return {
      objects: objects.length,
      bytes: objects.reduce((sum, { bytes }) => sum + bytes, 0),
      read: this.#store.bytesRead,
    }
  }

  get bytesRead(): number {
    return this.#store.bytesRead
  }

  async list(address: TableAddress): Promise<TableListing> {
    const listing = await this.#store.list(address)
    this.#seen.push({ address, objects: listing.objects })
    return listing
  }

  log(address: TableAddress, listing: TableListing): ReturnType<TableStore['log']> {
    return this.#store.log(address, listing)
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

/** Opens the buckets with tables of the ledger, and loads their client only then; null where the ledger has none. */
export async function watchTables({ engine }: Workspace, company: Company): Promise<TableWatch | null> {
  if (tableAddresses(company).length === 0) return null
  const { openTables } = await import('../snapshot/places/bucket/tables.ts')
  return new TableWatch(openTables(engine))
}

/** Findings about tables that changed while they were read, or about which nobody can say that. */
export async function replacedIn(tables: TableWatch | null): Promise<readonly Finding[]> {
  try {
    return (await tables?.changed()) ?? []
  } catch (problem) {
    if (!(problem instanceof BucketError)) throw problem
    const message = `the table was read, and nobody can say whether it stayed as it was: ${problem.message}`
    return [error('table-unreachable', message, { remedy: 'build again once the bucket answers' })]
  }
}
