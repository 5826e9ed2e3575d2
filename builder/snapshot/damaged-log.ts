/** A log that is damaged or gone: nothing is changed then, and the remedy is told. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../workspace/durable.ts'
import { error, FindingsError } from '../workspace/finding.ts'
import { type CheckedSnapshot, checkManifest } from './files.ts'
import { LOG, MANIFEST, POINTER, PRUNED, parseSnapshotId } from './layout.ts'

/** What shows that a log was lost, in a sentence; null where there may never have been one: the first publication writes its line last. */
export const lostLog = ({ id, manifest }: CheckedSnapshot): string | null =>
  typeof manifest?.Build?.LogSha256 === 'string'
    ? `${LOG} is missing or empty, although ${MANIFEST} of ${id} names a line of it`
    : null

/** Folders of the snapshots that lie there, and of what stays of pruned ones. */
export const snapshotFoldersIn = (folder: string): string[] =>
  [folder, join(folder, PRUNED)].flatMap((each) =>
    namesIn(each)
      .filter((name) => parseSnapshotId(name))
      .sort()
      .map((name) => join(each, name)),
  )

/** Of a log that is damaged, for whoever only looks; a command that changes something says more. */
export const LOG_REMEDY = `restore ${LOG} from a backup; where there is none, keep it outside of the snapshots, and vouch for them ("tieout snapshots adopt")`

/** A log of which a line is not as it was written. */
export const damagedLog = (folder: string, company: string, message: string): FindingsError =>
  refusal(
    folder,
    company,
    message,
    `restore ${LOG} from a backup of the snapshots; "tieout verify ${company}" says what else is not as it was. Where there is no backup, keep the damaged ${LOG} outside of the snapshots, and vouch for what is there: ${adoptCommand(company)}`,
  )

/**
 * Throws where manifests name lines of a log that is gone: a new one would hide what was done to the snapshots, also where the
 * pointer went with it. `restoring` is the snapshot of the archive at hand: where it lies there alone its restoration was
 * interrupted, and the log that it names is that of another workspace.
 */
export async function refuseLostLog(
  folder: string,
  company: string,
  restoring: string | null,
): Promise<void> {
  const hasPointer = existsSync(join(folder, POINTER))
  const folders = snapshotFoldersIn(folder)
  if (!hasPointer && folders.length === 1 && folders[0] === join(folder, restoring ?? '')) return
  for (const each of folders) {
    const lost = lostLog(await checkManifest(each, null))
    if (lost === null) continue
    const missing = hasPointer ? LOG : `${LOG} and ${POINTER}`
    throw refusal(
      folder,
      company,
      hasPointer ? lost : `${lost}, and ${POINTER} is missing too`,
      `restore ${missing} from a backup of the snapshots, or copy them too where this folder is a copy${folders.length === 1 ? '; where "tieout restore" was interrupted here, run it again' : ''}. Where there is no backup, move the folder of ${company} away and restore its snapshots from archives ("tieout restore"), or vouch for what is there: ${adoptCommand(company)}`,
    )
  }
}

const adoptCommand = (company: string): string => `tieout snapshots adopt ${company} --reason "…"`

const refusal = (folder: string, company: string, message: string, remedy: string): FindingsError =>
  new FindingsError([error('log-damaged', `${message} (${company})`, { file: join(folder, LOG), remedy })])
