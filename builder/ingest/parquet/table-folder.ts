/** Recognises Parquet files on this machine that belong to a table with a log. */
import { readdir, realpath } from 'node:fs/promises'
import { basename, resolve, sep } from 'node:path'
import { type TableLog, tableLogAbove } from '../../workspace/table-log.ts'

/** The log of the table to which the file at `path` belongs, or that to which a link leads, by the name of its folder; null where there is none. */
export async function tableLogOf(path: string): Promise<TableLog | null> {
  const named = resolve(path)
  const places = new Set([named, await realpath(named)])
  for (const place of places) {
    const log = await tableLogAbove(place.split(sep).join('/'), namesIn)
    // Where it lies on this machine is not for a published page.
    if (log !== null) return { ...log, path: basename(log.path) }
  }
  return null
}

/** A folder that cannot be read is none of a table whose files can be. */
async function* namesIn(folder: string): AsyncGenerator<string> {
  yield* await readdir(folder).catch(() => [])
}
