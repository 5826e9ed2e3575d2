/** Reads passing records of running servers without being one of them, wherever these keep their state. */
import type { StatePlace } from '../../builder/workspace/workspace.ts'
import { lookAtPassingFiles } from './lmdb-store.ts'
import type { RecordKind, StoreEntry } from './store.ts'

export async function lookAtPassing<T>(
  { folder, database }: StatePlace,
  kind: RecordKind<T>,
): Promise<readonly StoreEntry<T>[]> {
  if (database === null) return lookAtPassingFiles(folder, kind)
  const { openPostgresStore } = await import('./postgres/postgres-store.ts')
  const store = await openPostgresStore(database, [kind])
  try {
    return await store.all(kind)
  } finally {
    await store.close()
  }
}
