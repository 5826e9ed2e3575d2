/**
 * Verifies published snapshots without trusting anybody: every file, every manifest, the chain of manifests,
 * and every figure, recomputed from the books. Works on any copy of a snapshot, of a company's folder, or of
 * all companies. Owns what counts as damage. Must not trust a manifest, a path or a name before checking it.
 */
import { existsSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Damage } from '../../snapshot/files/damage.ts'
import { type CheckedSnapshot, checkSnapshot } from '../../snapshot/files/files.ts'
import { checkInputsOf } from '../../snapshot/files/inputs.ts'
import { LOG, MANIFEST, POINTER, parseSnapshotId, SIGNATURE } from '../../snapshot/files/layout.ts'
import {
  type CheckedMembers,
  checkedOnce,
  checkMemberSnapshots,
} from '../../snapshot/files/member-snapshots.ts'
import type { KnownKeys } from '../../snapshot/keys/sign.ts'
import type { Authority } from '../../snapshot/keys/stamp.ts'
import { checkCompany, keyNotes } from '../../snapshot/log/chain.ts'
import {
  checkStamps,
  manifestsOf,
  readIfThere,
  type StampedManifest,
} from '../../snapshot/log/check-stamps.ts'
import { closedAfterLines, historyOf } from '../../snapshot/log/history.ts'
import { steadily } from '../../snapshot/log/steadily.ts'
import type { Sharing } from '../../system/machine.ts'
import { foreignApproval, foreignApprovals } from './approvers.ts'
import { checkMembers } from './members.ts'
import type { ProofProgress, ProofRequest, Proven } from './prove.ts'
import { makerOf } from './reading.ts'
import { checkUses, comparisonOf, notCompared } from './restatement-check.ts'
import { revokedUnlogged } from './revoked.ts'

export interface VerifyOptions extends Pick<Sharing, 'workers' | 'memory'> {
  /** Whether to recompute the figures; otherwise only files and chain are checked. */
  readonly figures: boolean
  /** Ids of the keys that may have signed; null where the verifier names none. */
  readonly known: KnownKeys
  /**
   * The revoked keys with the time of each revocation (ISO 8601, UTC). Where the log lacks a revocation, what
   * that key signed may be later than it.
   */
  readonly revoked?: ReadonlyMap<string, string>
  /**
   * Whether these are the workspace's own snapshots: then a revocation missing from the log is entered by the
   * next change.
   */
  readonly isOurs?: boolean
  /**
   * The time-stamping authority to trust; without it a time stamp is only checked against itself and its
   * manifest.
   */
  readonly authority?: Authority | null
  /** Whether manifests are stamped where these come from; then one without a stamp is reported. */
  readonly expectsStamps?: boolean
  /** SHA-256 (hex) of a log line or a manifest that was noted elsewhere; it must occur here. */
  readonly expect?: string
  /** Ids of the keys that may have approved; if given, an approval is required. */
  readonly approverKeys?: ReadonlySet<string>
  /** Whether to rebuild each snapshot from its kept sources as well. */
  readonly sources?: boolean
  /** How snapshots are proven, and how many at a time; by default in this process, one after the other. */
  readonly prove?: { readonly run: Prove; readonly atOnce: number }
  readonly progress?: (snapshotId: string, done: number, total: number) => void
  /** Whether the company's folder is the payload of an evidence bag, with only the manifests of snapshots outside its period. */
  readonly isExtract?: boolean
}

export type Prove = (request: ProofRequest, progress: ProofProgress) => Promise<Proven>

export interface VerifiedSnapshot {
  readonly snapshotId: string
  readonly folder: string
  readonly manifestSha256: string | null
  /** Id of the key that signed it; null where no valid signature is there. */
  readonly keyId: string | null
  readonly contentHash: string | null
  readonly files: number
  readonly bytes: number
  /** Null where the figures were not recomputed: not asked for, or the books are damaged. */
  readonly recomputed: { readonly documents: number; readonly comparisons: number } | null
  readonly damages: readonly Damage[]
  /**
   * Figures that this program computes differently than the one that made the snapshot; they may still be as
   * published.
   */
  readonly readings: readonly Damage[]
  /**
   * What was asked for and can be neither confirmed nor refuted, for example because the sources are missing.
   */
  readonly unproven: readonly string[]
  readonly notes: readonly string[]
}

export interface VerifiedCompany {
  readonly company: string
  readonly folder: string
  readonly current: string | null
  readonly snapshots: readonly VerifiedSnapshot[]
  /** The valid time stamps. */
  readonly stamps: readonly StampedManifest[]
  /** Damages of the pointer, the log and the chain. */
  readonly damages: readonly Damage[]
  readonly notes: readonly string[]
}

/** The bag in which an archived snapshot came. */
export interface VerifiedArchive {
  readonly path: string
  readonly kind: 'folder' | 'zip'
  readonly bagItVersion: string | null
  readonly payload: { readonly files: number; readonly bytes: number }
  readonly damages: readonly Damage[]
  readonly notes: readonly string[]
  /**
   * Pages of the bag that another version of the program wrote, so that they cannot be compared byte for
   * byte.
   */
  readonly uncompared: readonly string[]
}

/**
 * `read-otherwise`: nothing is damaged, but another program made figures that this one computes differently.
 * `unproven`: everything present is sound, but not everything asked for is present.
 */
export type VerificationOutcome = 'verified' | 'read-otherwise' | 'unproven' | 'damaged'

export interface Verification {
  readonly verified: boolean
  readonly outcome: VerificationOutcome
  /** The result for the bag itself, where an archive was verified. */
  readonly archive?: VerifiedArchive
  readonly companies: readonly VerifiedCompany[]
}

/** What a folder holds, judged by its contents, since a copy may have any name. */
type FolderKind = 'snapshot' | 'company' | 'companies'

/** Finds out what a folder holds; null where it is neither a snapshot nor holds any. */
export async function folderKind(folder: string): Promise<FolderKind | null> {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return null
  if (existsSync(join(folder, MANIFEST))) return 'snapshot'
  if (await holdsCompany(folder)) return 'company'
  return (await companiesIn(folder)).length > 0 ? 'companies' : null
}

async function holdsCompany(folder: string): Promise<boolean> {
  const names = await readdir(folder)
  return names.some((name) => name === POINTER || parseSnapshotId(name) !== null)
}

/** Lists the folders of companies in alphabetical order, even where the pointer was removed. */
async function companiesIn(root: string): Promise<string[]> {
  const names = (await readdir(root, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
  const held = await Promise.all(names.map((name) => holdsCompany(join(root, name))))
  return names.filter((_, i) => held[i])
}

/** Verifies a folder whose kind {@link folderKind} has found. */
export async function verifyFolder(
  folder: string,
  kind: FolderKind,
  options: VerifyOptions,
): Promise<Verification> {
  const path = resolve(folder)
  if (kind === 'snapshot') return verdict([await verifyLone(path, options)])
  if (kind === 'company') return verdict([await company(path, false, await sharing(options, [path]))])
  return verifyCompanies(path, await companiesIn(path), options)
}

/**
 * Limits the snapshots that are proven at once to those that there are, so that a few get more cores each; a single one
 * is proven in this process.
 */
async function sharing(options: VerifyOptions, folders: readonly string[]): Promise<VerifyOptions> {
  const { prove, ...alone } = options
  const names = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])))
  const snapshots = names.flat().filter((name) => parseSnapshotId(name) !== null).length
  if (!prove || snapshots < 2) return alone
  return { ...options, prove: { ...prove, atOnce: Math.min(prove.atOnce, snapshots) } }
}

/** Runs `work` on all items, at most `atOnce` at a time; results are in the order of `all`. */
async function each<In, Out>(
  all: readonly In[],
  atOnce: number,
  work: (one: In) => Promise<Out>,
): Promise<Out[]> {
  const done: Out[] = []
  const left = all.entries()
  const worker = async () => {
    for (const [i, one] of left) done[i] = await work(one)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, worker))
  return done
}

/** Verifies companies of a workspace, given by their ids. */
export async function verifyCompanies(
  root: string,
  ids: readonly string[],
  options: VerifyOptions,
): Promise<Verification> {
  const folders = ids.map((id) => join(root, id))
  const shared = await sharing(options, folders)
  return verdict(await each(folders, atOnceOf(shared), (folder) => company(folder, true, shared)))
}

const verdict = (companies: readonly VerifiedCompany[]): Verification => ({
  ...verdictOn(companies, false),
  companies,
})

/**
 * Sums up the outcome; `isDamaged` says that the archive around the companies is damaged, `isProven` that what stands in it beside them
 * follows from them.
 */
export function verdictOn(
  companies: readonly VerifiedCompany[],
  isDamaged: boolean,
  isProven = true,
): Pick<Verification, 'verified' | 'outcome'> {
  const outcome = outcomeOf(companies, isDamaged, isProven)
  return { verified: outcome === 'verified', outcome }
}

function outcomeOf(
  companies: readonly VerifiedCompany[],
  isDamaged: boolean,
  isProven = true,
): VerificationOutcome {
  const snapshots = companies.flatMap((company) => company.snapshots)
  if (isDamaged || [...companies, ...snapshots].some(({ damages }) => damages.length > 0)) return 'damaged'
  if (snapshots.some(({ readings }) => readings.length > 0)) return 'read-otherwise'
  return !isProven || snapshots.some(({ unproven }) => unproven.length > 0) ? 'unproven' : 'verified'
}

/** Verifies a company, again where it changed meanwhile and something is wrong. */
const company = (folder: string, nameCounts: boolean, options: VerifyOptions): Promise<VerifiedCompany> =>
  steadily(
    folder,
    () => companyNow(folder, nameCounts, options),
    (found) => outcomeOf([found], false) !== 'damaged',
  )

async function companyNow(
  folder: string,
  nameCounts: boolean,
  options: VerifyOptions,
): Promise<VerifiedCompany> {
  const checked = await checkCompany(folder, basename(folder), nameCounts, options.known, options.isExtract)
  const closings = closedAfterLines(checked.log)
  const checkMember = checkedOnce(options.known)
  const snapshots = await each(checked.snapshots, atOnceOf(options), async (snapshot) =>
    withProof(snapshot, await checkMemberSnapshots(snapshot, checkMember), options, {
      compared: comparisonOf(snapshot, checked),
      closedThrough: closings.get(snapshot.manifest?.Build?.LogSha256 ?? null),
    }),
  )
  const { log, ...company } = checked
  const uses = options.figures ? await checkUses(checked) : { damages: [], notes: [] }
  const noted = missingNoted(options.expect, [...log.hashes, ...manifestHashes(checked.snapshots)], LOG)
  const revoked = revokedUnlogged(checked, options)
  const foreign = foreignApprovals(log, options.approverKeys)
  const { publishedAt } = historyOf(log.records)
  const stamped = await checkStamps(folder, await manifestsOf(folder), { ...options, publishedAt })
  const found = [revoked, uses, await checkMembers(checked), stamped]
  return {
    ...company,
    snapshots,
    stamps: stamped.stamps,
    damages: [...noted, ...checked.damages, ...foreign, ...found.flatMap(({ damages }) => damages)],
    notes: [...checked.notes, ...notCompared(checked), ...found.flatMap(({ notes }) => notes)],
  }
}

/** Verifies one snapshot by itself. Nothing vouches for its manifest then, and a note says so. */
export async function verifyLone(folder: string, options: VerifyOptions): Promise<VerifiedCompany> {
  const checked = await checkSnapshot(folder, options.known)
  const inputs = await checkInputsOf(folder, checked)
  const members = await checkMemberSnapshots(checked, checkedOnce(options.known))
  const { id, manifestHash: hash } = checked
  const bytes = hash === null ? null : await readIfThere(join(folder, MANIFEST))
  const manifests = hash !== null && bytes ? [{ id, hash, bytes }] : []
  const stamped = await checkStamps(dirname(folder), manifests, { ...options, isOne: true })
  // Proven in this process: starting another one for a single snapshot only costs time.
  const { prove: _, ...alone } = options
  return {
    company: checked.manifest?.CompanyId ?? basename(folder),
    folder,
    current: null,
    stamps: stamped.stamps,
    snapshots: [await withProof(checked, members, alone, { compared: null, closedThrough: undefined })],
    damages: [
      ...missingNoted(options.expect, manifestHashes([checked]), MANIFEST),
      ...revokedSince(checked, options),
      ...inputs.damages,
      ...stamped.damages,
      ...(await foreignApproval(folder, options.approverKeys)),
    ],
    notes: [
      ...inputs.notes,
      ...stamped.notes,
      ...keyNotes([checked], options.known),
      // The signature of a known key vouches for the manifest.
      ...(options.known && checked.keyId
        ? []
        : [
            `nothing beside the snapshot vouches for its ${MANIFEST}: compare its SHA-256 with the one that was noted when it was published`,
          ]),
    ],
  }
}

/**
 * Reports a signature by a revoked key, unless the manifest's hash was noted at publication and so before the
 * revocation.
 */
function revokedSince({ id, keyId, manifestHash }: CheckedSnapshot, options: VerifyOptions): Damage[] {
  const at = keyId === null ? undefined : options.revoked?.get(keyId)
  if (at === undefined || options.expect === manifestHash) return []
  const message = `${SIGNATURE} of ${id} is of key ${keyId}, which was revoked on ${at.slice(0, 10)}, and nothing here says that it was signed before: name the SHA-256 of its ${MANIFEST} that was noted then, with --expect`
  return [{ kind: 'ended-key', snapshotId: id, path: SIGNATURE, message }]
}

const manifestHashes = (snapshots: readonly CheckedSnapshot[]): string[] =>
  snapshots.flatMap(({ manifestHash }) => manifestHash ?? [])

/**
 * Reports where a hash noted elsewhere is missing: whoever cuts off or replaces the log cannot change that
 * note.
 */
const missingNoted = (expect: string | undefined, hashes: readonly string[], path: string): Damage[] =>
  expect === undefined || hashes.includes(expect)
    ? []
    : [
        {
          kind: 'unexpected',
          snapshotId: null,
          path,
          message: `nothing here has the SHA-256 that was noted, ${expect}: neither a line of ${LOG} nor a ${MANIFEST}; what had been published by then was cut off or replaced`,
        },
      ]

/**
 * Adds the proof of its figures, and what was found about its members, to a checked snapshot; `about` is what its company's log and other snapshots
 * say of it.
 */
async function withProof(
  snapshot: CheckedSnapshot,
  members: CheckedMembers,
  options: VerifyOptions,
  about: Pick<ProofRequest, 'compared' | 'closedThrough'>,
): Promise<VerifiedSnapshot> {
  const { id, folder, manifest, manifestHash, keyId, damages } = snapshot
  const { known, figures, sources = false, prove, progress, workers, memory } = options
  const shared = {
    share: atOnceOf(options),
    ...(workers === undefined ? {} : { workers }),
    ...(memory === undefined ? {} : { memory }),
  }
  const proven =
    manifest && figures
      ? await (prove?.run ?? provenHere)(
          {
            snapshot: { ...snapshot, manifest },
            maker: makerOf(snapshot, known),
            sources,
            ...about,
            ...shared,
          },
          (done, total) => progress?.(id, done, total),
        )
      : null
  return {
    snapshotId: id,
    folder,
    manifestSha256: manifestHash,
    keyId,
    contentHash: manifest?.ContentHash ?? null,
    files: manifest?.Files.length ?? 0,
    bytes: manifest?.Files.reduce((sum, file) => sum + file.Bytes, 0) ?? 0,
    recomputed: proven?.recomputed ?? null,
    damages: [...damages, ...members.damages, ...(proven?.damages ?? [])],
    readings: proven?.readings ?? [],
    unproven: [...members.unproven, ...(proven?.unproven ?? [])],
    notes: proven?.notes ?? [],
  }
}

const atOnceOf = ({ prove }: VerifyOptions): number => prove?.atOnce ?? 1

const provenHere: Prove = async (request, progress) => (await import('./prove.ts')).prove(request, progress)
