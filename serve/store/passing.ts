/** Reads passing records of running servers without being one of them, wherever these keep their state. */
import type { StatePlace } from '../../builder/workspace/workspace.ts'
import { lookAtPassingFiles } from './lmdb-store.ts'
import type { Entry, Kind } from './store.ts'

export async function lookAtPassing<T>(
  { folder, database }: StatePlace,
  kind: Kind<T>,
): Promise<readonly Entry<T>[]> {
  if (database === null) return lookAtPassingFiles(folder, kind)
  const { openPostgresStore } = await import('./postgres/postgres-store.ts')
  const store = await openPostgresStore(database, [kind])
  try {
    return await store.all(kind)
  } finally {
    await store.close()
  }
}
