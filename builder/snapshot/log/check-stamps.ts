/** Checks the time stamps in a company's folder against its manifests, including those of pruned and left out snapshots. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { listed } from '../../contract/listed.ts'
import { isUnfinished, namesIn } from '../../system/durable.ts'
import { isAbsent } from '../../system/effects.ts'
import { sha256 } from '../../system/hash.ts'
import { isNoFile, readFile } from '../../system/plain-file.ts'
import type { Damage } from '../files/damage.ts'
import {
  LEFT_OUT_FOLDER,
  MANIFEST,
  PRUNED,
  parseSnapshotId,
  STAMPS,
  stampedHash,
  stampPath,
} from '../files/layout.ts'
import type { Authority } from '../keys/stamp.ts'
import type { History } from './history.ts'

export interface StampedManifest {
  readonly snapshotId: string
  /** When the authority stamped the manifest; ISO 8601, UTC. */
  readonly at: string
  readonly by: string | null
  /** The policy by which the authority stamps. */
  readonly policy: string
}

interface CheckedStamps {
  readonly stamps: readonly StampedManifest[]
  readonly damages: readonly Damage[]
  readonly notes: readonly string[]
}

interface ManifestFile {
  readonly id: string
  readonly hash: string
  readonly bytes: Buffer
}

/** All manifests of a company: those of its snapshots, of pruned ones, and of those that an evidence bag leaves out. */
export async function manifestsOf(folder: string): Promise<ManifestFile[]> {
  const places = [folder, join(folder, PRUNED), join(folder, LEFT_OUT_FOLDER)]
  const folders = places.flatMap((place) =>
    namesIn(place)
      .filter((name) => parseSnapshotId(name))
      .map((id) => ({ id, path: join(place, id, MANIFEST) })),
  )
  const found = await Promise.all(
    folders.map(async ({ id, path }) => ({ id, bytes: await readIfThere(path) })),
  )
  return found.flatMap(({ id, bytes }) => (bytes ? [{ id, bytes, hash: sha256(bytes) }] : []))
}

/** Ids of the pruned snapshots for which an adoption vouches, since the log that said so of them was lost. */
export async function adoptedRests(
  folder: string,
  { adopted, pruned }: Pick<History, 'adopted' | 'pruned'>,
): Promise<string[]> {
  const isRest = (name: string) => !pruned.has(name) && !existsSync(join(folder, name))
  const ids = namesIn(join(folder, PRUNED)).filter((name) => parseSnapshotId(name) && isRest(name))
  const kept = await Promise.all(ids.map((id) => readIfThere(join(folder, PRUNED, id, MANIFEST))))
  return ids.filter((_, i) => kept[i] && adopted.has(sha256(kept[i])))
}

/** The bytes of a file; null if there is none, or if something else has its name, which other checks report. */
export async function readIfThere(path: string): Promise<Buffer | null> {
  return readFile(path).catch((problem: NodeJS.ErrnoException) => {
    if (isAbsent(problem) || isNoFile(problem)) return null
    throw problem
  })
}

/**
 * Ids of the snapshots whose manifests have no stamp, pruned ones included. Null where no stamps are expected: the settings
 * name no authority, and no snapshot of the company was ever stamped.
 */
export async function unstampedIn(folder: string, expectsStamps: boolean): Promise<string[] | null> {
  if (!expectsStamps && !namesIn(join(folder, STAMPS)).some((name) => stampedHash(name) !== null)) return null
  const manifests = await manifestsOf(folder)
  const missing = manifests.filter(({ hash }) => !existsSync(stampPath(folder, hash)))
  // A snapshot whose pruning was interrupted is in two places.
  return [...new Set(missing.map(({ id }) => id))]
}

/** A note names at most this number of snapshots. */
const NOTED = 5
/** A stamp may come so long after the publication without a note. */
const LATE_MS = 24 * 60 * 60 * 1000
/** Clocks commonly differ by this much. */
const EARLY_MS = 5 * 60 * 1000

interface StampsExpected {
  /** The trusted authority. Without one, a stamp is checked by the certificate that it carries. */
  readonly authority?: Authority | null
  /** Whether missing stamps are reported even if there are none at all. */
  readonly expectsStamps?: boolean
  /** Publication times of the snapshots according to the log. */
  readonly publishedAt?: ReadonlyMap<string, string>
  /** Whether only one manifest of many is checked, so that stamps of others are expected. */
  readonly isOne?: boolean
}

/** Checks the stamps of these manifests; all manifests without a stamp are named in a note. */
export async function checkStamps(
  folder: string,
  manifests: readonly ManifestFile[],
  { authority = null, expectsStamps = false, publishedAt = new Map(), isOne = false }: StampsExpected,
): Promise<CheckedStamps> {
  const names = namesIn(join(folder, STAMPS))
  if (names.length === 0 && authority === null && !expectsStamps)
    return { stamps: [], damages: [], notes: [] }
  const { checkStamp } = await import('../keys/stamp.ts')
  const stamps: StampedManifest[] = []
  const damages: Damage[] = []
  const missing: string[] = []
  const forgeable: string[] = []
  for (const { id, hash, bytes } of manifests) {
    const answer = await readIfThere(stampPath(folder, hash))
    if (answer === null) {
      missing.push(id)
      continue
    }
    const path = `${STAMPS}/${hash}.tsr`
    const { stamp, problem } = await checkStamp(answer, bytes, authority)
    const isAhead = stamp !== null && Date.parse(stamp.at) > Date.now() + LATE_MS
    const wrong = isAhead ? `is of ${stamp.at}, a day that has not come here` : problem
    if (wrong !== null)
      damages.push({
        kind: 'stamp',
        snapshotId: id,
        path,
        message: `${path}, the time stamp of ${id}, ${wrong}`,
      })
    // Authorities signed like that when it was honest, so that it is no damage.
    else if (stamp?.forgeable)
      forgeable.push(
        `${path}, the time stamp of ${id}, proves nothing: its signature rests on ${stamp.forgeable}, which can be forged`,
      )
    else if (stamp) stamps.push({ snapshotId: id, at: stamp.at, by: stamp.by, policy: stamp.policy })
  }
  const known = new Set(manifests.map(({ hash }) => hash))
  const strays = isOne ? [] : names.filter((name) => !known.has(stampedHash(name) ?? ''))
  return {
    stamps,
    damages,
    notes: [
      ...(stamps.length > 0 ? [summary(stamps, manifests.length, authority)] : []),
      ...(missing.length > 0 ? [unstampedText(missing)] : []),
      ...forgeable,
      ...stamps.flatMap((stamp) => distance(stamp, publishedAt.get(stamp.snapshotId))),
      ...strays.map((name) =>
        isUnfinished(name)
          ? `${STAMPS}/${name} is of a stamping that runs now or was interrupted; the next one, or the next build, removes it`
          : `${STAMPS}/${name} is no time stamp of a manifest here; it was not looked at`,
      ),
    ],
  }
}

function summary(stamps: readonly StampedManifest[], all: number, authority: Authority | null): string {
  const times = stamps.map(({ at }) => at).sort()
  const who = [...new Set(stamps.map(({ by }) => by ?? 'somebody'))].map((by) => `"${by}"`).join(', ')
  const when = times.length === 1 ? `on ${times[0]}` : `from ${times[0]} to ${times.at(-1)}`
  const policies = [...new Set(stamps.map(({ policy }) => policy))]
  const rest = !authority
    ? '; whether that is who it says, --tsa <certificate.pem> tells'
    : authority.revocations.length === 0
      ? '; whether a certificate was revoked, a list (CRL) in the file of the certificate tells'
      : ''
  return `${stamps.length} of ${all} manifests ${all === 1 ? 'is' : 'are'} stamped ${when} by ${who}, policy ${policies.join(', ')}${rest}`
}

export const unstampedText = (ids: readonly string[]): string =>
  `unstamped: ${listed(ids, NOTED)}; "tieout snapshots stamp" asks for what is missing`

function distance({ snapshotId, at }: StampedManifest, logged: string | undefined): string[] {
  const ms = logged === undefined ? 0 : Date.parse(at) - Date.parse(logged)
  if (ms >= -EARLY_MS && ms <= LATE_MS) return []
  return [
    `${snapshotId} was stamped on ${at}, ${ms < 0 ? 'before' : 'long after'} the log says that it was published (${logged}): ${ms < 0 ? 'the log states a time that is ahead, since the clock of the publisher was wrong or somebody wrote another time' : 'that it was there on that day the stamp does not say'}`,
  ]
}
