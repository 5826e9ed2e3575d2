/**
 * Restores an archived snapshot into a workspace: unpacks it into a staging folder, verifies it there down to
 * the figures, and moves it into place in one step. Published files stay untouched, and so does the choice of
 * the current snapshot.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { listed } from '../../contract/listed.ts'
import { present } from '../../contract/present.ts'
import type { Damage } from '../../snapshot/files/damage.ts'
import { type CheckedSnapshot, checkSnapshot } from '../../snapshot/files/files.ts'
import { memberOf } from '../../snapshot/files/input-state.ts'
import { discardInputs, placeInputs, stageInputs } from '../../snapshot/files/inputs.ts'
import {
  companyFolder,
  inputPath,
  inputsStage,
  POINTER,
  parseSnapshotId,
  prunedFolder,
  snapshotFolder,
  stageFolder,
  stampPath,
} from '../../snapshot/files/layout.ts'
import { fileOf, keptInputs, type Pointer } from '../../snapshot/files/manifest.ts'
import { openSnapshot, readPointer } from '../../snapshot/files/open.ts'
import { keepStamp } from '../../snapshot/keys/keep-stamp.ts'
import { knownKeys, publicKeys, revokedKeys, signingKeyPath, trustKey } from '../../snapshot/keys/key-file.ts'
import type { KnownKeys } from '../../snapshot/keys/sign.ts'
import { addCandidate } from '../../snapshot/log/candidates.ts'
import { beginChange, type Change, type ChangeOptions, movePointer } from '../../snapshot/log/change.ts'
import { closingBy, isSamePointer } from '../../snapshot/log/history.ts'
import { statedLockDate } from '../../snapshot/log/lock-date.ts'
import type { EventDetails } from '../../snapshot/log/log-record.ts'
import { settleChange } from '../../snapshot/log/settle.ts'
import { type ChangingWorkspace, changeOptions } from '../../snapshot/signing/change-options.ts'
import { filesAndFolders, removeTree, syncTree } from '../../system/durable.ts'
import { MODES } from '../../system/effects.ts'
import { readFileSync } from '../../system/plain-file.ts'
import { ChangeRefusedError } from '../../system/refusals.ts'
import { COMPANY_FILE, datasetFolder, type Workspace } from '../../workspace/workspace.ts'
import { type Container, openFolder, unpack } from '../archive/container.ts'
import { payloadPath } from '../archive/contents.ts'
import { archiveDamage } from '../archive/payload.ts'
import { ZipUnreadableError } from '../archive/zip.ts'
import { openArchive, unreadArchive, verifyUnpacked } from './archive.ts'
import { placeSources } from './rebuild.ts'
import { type ArchivedSnapshot, archivedSnapshot, manifestsIn, refuseOthers, sameHere } from './restorable.ts'
import type { Verification, VerifyOptions } from './verify.ts'

interface RestoreOptions extends VerifyOptions, ChangeOptions {
  readonly unpacked?: (bytes: number, total: number) => void
}

export interface Restored {
  /**
   * `present`: the same snapshot was there already. `refused`: the archive is damaged, and nothing was
   * changed. `waiting`: it waits for approval by another person.
   */
  readonly outcome: 'restored' | 'waiting' | 'present' | 'refused'
  /** Hash of the proposal that waits for approval; null where there is none. */
  readonly candidate: string | null
  readonly company: string | null
  readonly snapshotId: string | null
  /** Whether it is the current snapshot now, as the first one restored for its company is. */
  readonly current: boolean
  readonly keyId: string | null
  /** Null where it was there already. */
  readonly verification: Verification | null
  /** What the user should know although it is not damage. */
  readonly notes: readonly string[]
}

interface RestoreRequest extends Pick<RestoreOptions, 'figures' | 'progress' | 'unpacked'> {
  readonly archive: string
  /**
   * A file of the only public keys that may have signed it; the one that did is trusted from then on. Null
   * accepts any key.
   */
  readonly keyFile: string | null
}

/** The company whose snapshot is in an archive, unverified; null where that cannot be read, so that restoring it will be refused. */
export async function companyInArchive(path: string): Promise<string | null> {
  let container: Container
  try {
    container = await openArchive(path)
  } catch (problem) {
    if (!(problem instanceof ZipUnreadableError)) throw problem
    return null
  }
  try {
    const found = await archivedSnapshot(container)
    return Array.isArray(found) ? null : found.manifest.CompanyId
  } finally {
    container.close()
  }
}

/**
 * Restores with the keys of the workspace and, if given, those of a key file. Throws {@link
 * ChangeRefusedError}.
 */
export async function restoreArchive(
  workspace: ChangingWorkspace,
  { archive, keyFile, ...told }: RestoreRequest,
): Promise<Restored> {
  const { snapshots, state } = workspace
  const own = await knownKeys(state)
  const given = keyFile === null ? [] : await publicKeys(keyFile)
  const known = keyFile === null ? null : new Set(given.map(({ kid }) => kid))
  const revoked = new Map([
    ...(await revokedKeys(signingKeyPath(state))),
    ...(keyFile === null ? [] : await revokedKeys(keyFile)),
  ])
  // Makes a signing key where there is none yet, since the restoration is entered in the signed log.
  const options = await changeOptions(workspace)
  const restored = await restoreSnapshot(snapshots, archive, { ...told, known, revoked, ...options })
  const { outcome, keyId } = restored
  if (outcome === 'refused') return restored
  const key = given.find(({ kid }) => kid === keyId)
  if (key && !own?.has(key.kid)) await trustKey(state, key)
  return { ...restored, notes: [...restored.notes, ...keyNotes(keyId, keyFile !== null, own)] }
}

function keyNotes(keyId: string | null, wasGiven: boolean, own: KnownKeys): string[] {
  if (keyId === null) return ['it was published without a signature']
  if (wasGiven || own?.has(keyId)) return []
  return [
    `it is signed with key ${keyId}, which this workspace does not know: ask the publisher whether it is theirs; then restore it with --key <file>, so that "tieout verify" accepts the key`,
  ]
}

/**
 * Puts the sources that were kept with a restored snapshot into the company's folder, so that it can be checked and built here. Returns
 * why it could not; null where they are there.
 */
export async function restoreSources(
  workspace: Pick<Workspace, 'datasets' | 'snapshots'>,
  company: string,
  snapshotId: string,
): Promise<string | null> {
  const folder = datasetFolder(workspace, company)
  if (existsSync(folder)) return `its sources were not taken back: ${folder} is there already`
  const { manifest } = await openSnapshot(workspace.snapshots, company, snapshotId)
  const inputs = companyFolder(workspace.snapshots, company)
  const lacking = new Set(
    manifest.Inputs.filter(
      (input) =>
        // What members of a group published is no file of its folder.
        memberOf(input) === null && !(input.Kept && existsSync(inputPath(inputs, input.Sha256 ?? ''))),
    ).map(fileOf),
  )
  const ask = `ask the company for ${COMPANY_FILE} and these files, and put them into ${folder}; or for an archive of a snapshot that was built with "keepInputs: true" in tieout.yaml`
  if (lacking.size > 0) return `sources that are not in the archive: ${listed([...lacking], 3)}; ${ask}`
  let isPlaced = false
  try {
    const failed = await placeSources(manifest, inputs, workspace)
    isPlaced = failed === null
    return failed?.problem ?? null
  } finally {
    if (!isPlaced) rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Restores a snapshot from the archive at `path` into the snapshots folder `root`.
 * Throws {@link ChangeRefusedError} where another snapshot of that id is here, or the log names another
 * manifest.
 */
export async function restoreSnapshot(
  root: string,
  path: string,
  options: RestoreOptions,
): Promise<Restored> {
  let container: Container
  try {
    container = await openArchive(path)
  } catch (problem) {
    if (!(problem instanceof ZipUnreadableError)) throw problem
    return refused(path, [archiveDamage('zip', { path: null, message: problem.message })])
  }
  try {
    const found = await archivedSnapshot(container)
    if (Array.isArray(found)) return refused(path, found)
    return await restoreInto(root, path, container, found, options)
  } finally {
    container.close()
  }
}

async function restoreInto(
  root: string,
  path: string,
  container: Container,
  { manifest, pointer }: ArchivedSnapshot,
  options: RestoreOptions,
): Promise<Restored> {
  const company = manifest.CompanyId
  const folder = companyFolder(root, company)
  const isNew = !existsSync(folder)
  const change = await beginChange(root, company, { ...options, restoring: pointer.SnapshotId })
  try {
    await settleChange(change)
    const here = await sameHere(change, pointer, options)
    if (here === null) await refuseOthers(change, { manifest, pointer })
    return await stageAndPlace(
      change,
      path,
      container,
      pointer,
      withApplicableRevocations(change, pointer, options),
      here,
    )
  } finally {
    change.release()
    // A refused restoration leaves no empty folder of a new company behind.
    if (isNew && existsSync(folder) && readdirSync(folder).length === 0) change.effects.removeFolder(folder)
  }
}

/**
 * What the log says was published here was signed before the key was revoked, so the revocation does not
 * apply to it.
 */
function withApplicableRevocations(
  { history }: Change,
  pointer: Pointer,
  options: RestoreOptions,
): RestoreOptions {
  const logged = history.published.get(pointer.SnapshotId)
  return logged?.Event === 'publish' && isSamePointer(logged, pointer)
    ? { ...options, revoked: new Map() }
    : options
}

/** Finishes a restoration that was interrupted; where the snapshot is simply present, changes nothing. */
async function finish(change: Change, pointer: Pointer, here: CheckedSnapshot): Promise<Restored> {
  const { root, company, folder } = change
  const { SnapshotId: id } = pointer
  const isFirst = isFirstSnapshot(id, folder)
  // A snapshot in its place without a line in the log comes from a restoration that was interrupted: one
  // published here would have a line, unless it is older than the log (and has no `LogSha256`). The first one
  // also lacks the pointer.
  const unfinished =
    isFirst || (!change.history.published.has(id) && typeof here.manifest?.Build.LogSha256 === 'string')
  if (unfinished) await enter(change, pointer, isFirst)
  return {
    outcome: unfinished ? 'restored' : 'present',
    candidate: null,
    company,
    snapshotId: id,
    current: (await currentOf(root, company)) === id,
    keyId: here.keyId,
    verification: null,
    notes: unfinished ? await notesOn(change, pointer, isFirst) : [],
  }
}

/** Null also where the pointer is damaged: a restoration has to work after a disaster. */
const currentOf = async (root: string, company: string): Promise<string | null> =>
  (await readPointer(root, company).catch(() => null))?.SnapshotId ?? null

/**
 * Unpacks the archive into a staging folder and verifies it there; then moves it into place, unless it is
 * there already (`here`).
 */
async function stageAndPlace(
  change: Change,
  path: string,
  container: Container,
  pointer: Pointer,
  options: RestoreOptions,
  here: CheckedSnapshot | null,
): Promise<Restored> {
  const { root, company, folder, effects } = change
  const { SnapshotId: id } = pointer
  const stage = stageFolder(root, company, randomBytes(6).toString('hex'))
  try {
    effects.makeFolder(stage)
    const problems = await unpack(container, stage, {
      mode: MODES.published,
      effects,
      progress: options.unpacked ?? (() => {}),
    })
    await syncTree(stage, ...filesAndFolders(stage), effects)
    const origin = { path, kind: container.kind, problems }
    const verification = await verifyUnpacked(stage, await openFolder(stage), options, origin)
    const keyId = verification.companies[0]?.snapshots[0]?.keyId ?? null
    if (verification.outcome === 'damaged')
      return { ...refused(path, []), company, snapshotId: id, keyId, verification }
    if (here !== null) return await finish(change, pointer, here)
    const isFirst = isFirstSnapshot(id, folder)
    await stageSources(change, stage, pointer)
    const kept = { company, snapshotId: id, keyId, verification }
    restoreStamp(change, stage, pointer)
    // The first snapshot of a company needs no approval, since it replaces nothing.
    if (change.approvers.length > 0 && !isFirst) {
      const folder = join(stage, payloadPath(id))
      const line = await change.propose('restore', pointer, null, closingOf(change, pointer, folder))
      const candidate = await addCandidate(change, line, { folder, inputs: inputsStage(stage) })
      return { ...kept, outcome: 'waiting', candidate, current: false, notes: [] }
    }
    change.confirm()
    placeInputs(root, company, stage, effects)
    effects.rename(join(stage, payloadPath(id)), snapshotFolder(root, company, id))
    effects.syncFolder(folder)
    await enter(change, pointer, isFirst)
    return {
      ...kept,
      outcome: 'restored',
      candidate: null,
      current: isFirst,
      notes: await notesOn(change, pointer, isFirst),
    }
  } finally {
    removeTree(stage, effects)
    discardInputs(stage, effects)
  }
}

/**
 * Whether the company has neither a pointer nor another snapshot, so that making this one current overrules
 * nobody's choice.
 */
const isFirstSnapshot = (id: string, folder: string): boolean =>
  !existsSync(join(folder, POINTER)) &&
  !readdirSync(folder).some((name) => name !== id && parseSnapshotId(name))

async function stageSources({ root, company, effects }: Change, stage: string, { SnapshotId: id }: Pointer) {
  const data = join(stage, payloadPath(''))
  const { manifest } = await checkSnapshot(join(data, id), null)
  const kept = keptInputs(present(manifest, `manifest of ${id}, which was verified`))
    .map(({ Sha256 }) => ({ file: Sha256, path: inputPath(data, Sha256), sha256: Sha256 }))
    .filter((source) => existsSync(source.path) && statSync(source.path).isFile())
  await stageInputs(root, company, stage, kept, effects)
}

function restoreStamp({ folder, effects }: Change, stage: string, { ManifestSha256 }: Pointer): void {
  const from = stampPath(join(stage, payloadPath('')), ManifestSha256)
  if (existsSync(from)) keepStamp(folder, ManifestSha256, readFileSync(from), effects)
}

/** Months that were closed where a snapshot was published, which is in `place` now, are closed here, too. */
const closingOf = ({ history }: Change, { SnapshotId }: Pointer, place: string): EventDetails =>
  history.published.has(SnapshotId) ? {} : closingBy(history, statedLockDate(place))

/** Enters a snapshot that is in place in the log, and makes the first one of a company current. */
async function enter(change: Change, pointer: Pointer, isFirst: boolean): Promise<void> {
  const { root, company, folder, effects } = change
  const { published, pruned } = change.history
  const place = snapshotFolder(root, company, pointer.SnapshotId)
  if (!published.has(pointer.SnapshotId) || pruned.has(pointer.SnapshotId))
    await change.record('restore', pointer, null, closingOf(change, pointer, place))
  // The whole snapshot is back, so the manifest that pruning kept of it is not needed any more.
  removeTree(prunedFolder(folder, pointer.SnapshotId), effects)
  if (!isFirst) return
  await change.record('use', pointer, 'the first one that was restored here')
  change.confirm()
  movePointer(root, company, pointer, effects)
}

async function notesOn(
  { root, company, folder }: Change,
  { SnapshotId: id }: Pointer,
  isFirst: boolean,
): Promise<string[]> {
  const all = await manifestsIn(folder)
  const before = all.find(({ SnapshotId }) => SnapshotId === id)?.Previous?.SnapshotId
  return [
    ...(isFirst
      ? []
      : [
          `${(await currentOf(root, company)) ?? 'nothing'} stays current; "tieout use ${company} ${id}" changes that`,
        ]),
    ...(before === undefined || all.some(({ SnapshotId }) => SnapshotId === before)
      ? []
      : [`${before}, which it follows, is not here: restore it too where there is an archive of it`]),
  ]
}

const refused = (path: string, damages: readonly Damage[]): Restored => ({
  outcome: 'refused',
  candidate: null,
  company: null,
  snapshotId: null,
  current: false,
  keyId: null,
  verification: unreadArchive(path, ...damages),
  notes: [],
})
