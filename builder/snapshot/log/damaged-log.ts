/** Refuses changes while the log is damaged or lost, and says how to repair it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../../system/durable.ts'
import { error, FindingsError } from '../../workspace/findings/finding.ts'
import { type CheckedSnapshot, checkManifest } from '../files/files.ts'
import { LOG, MANIFEST, POINTER, PRUNED, parseSnapshotId } from '../files/layout.ts'

/**
 * The sentence that says how a snapshot proves the loss of the log. Null where there may never have been a log: the first
 * publication writes its line last.
 */
export const lostLog = ({ id, manifest }: CheckedSnapshot): string | null =>
  typeof manifest?.Build?.LogSha256 === 'string'
    ? `${LOG} is missing or empty, although ${MANIFEST} of ${id} names a line of it`
    : null

/** The folders of the snapshots, and the folders with the manifests of pruned ones. */
export const snapshotFoldersIn = (folder: string): string[] =>
  [folder, join(folder, PRUNED)].flatMap((each) =>
    namesIn(each)
      .filter((name) => parseSnapshotId(name))
      .sort()
      .map((name) => join(each, name)),
  )

/** The remedy for a damaged log in reports. Commands that change something give a longer one. */
export const LOG_REMEDY = `restore ${LOG} from a backup; where there is none, keep it outside of the snapshots, and vouch for them ("tieout snapshots adopt")`

/** The error for a log with a changed line. `message` says which one. */
export const damagedLog = (folder: string, company: string, message: string): FindingsError =>
  refusal(
    folder,
    company,
    message,
    `restore ${LOG} from a backup of the snapshots; "tieout verify ${company}" says what else is not as it was. Where there is no backup, keep the damaged ${LOG} outside of the snapshots, and vouch for what is there: ${adoptCommand(company)}`,
  )

/**
 * Throws {@link FindingsError} if manifests name lines of a log that is gone, with or without the pointer: a new log would hide
 * what was done to the snapshots. `restoring` is the snapshot that is being restored. If it is the only one in the folder,
 * its restoration was interrupted, and the log that it names is in another workspace.
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
