/** Checks an archive: whether its bag is valid, and what its payload holds. */
import type { Damage, DamageKind } from '../../snapshot/files/damage.ts'
import {
  INPUTS,
  isHash,
  LEFT_OUT_FOLDER,
  LOG,
  MANIFEST_FILES,
  MEMBERS,
  POINTER,
  PRUNED,
  parseSnapshotId,
  STAMPS,
  stampedHash,
} from '../../snapshot/files/layout.ts'
import { namesSnapshot } from '../../snapshot/files/member-snapshots.ts'
import { type CheckedBag, checkBag, type Hashed } from './check.ts'
import type { Container, ContainerProblem } from './container.ts'
import { PAYLOAD } from './tags.ts'

export interface CheckedArchive {
  readonly version: CheckedBag['version']
  readonly payload: CheckedBag['payload']
  readonly info: CheckedBag['info']
  /** Damage of the bag; damage inside the snapshot is reported by the snapshot's own check. */
  readonly damages: readonly Damage[]
  readonly notes: readonly string[]
  readonly kind: Payload['kind']
  /** Null where the payload does not hold exactly one snapshot. */
  readonly snapshotId: string | null
}

export const archiveDamage = (kind: DamageKind, { path, message }: ContainerProblem): Damage => ({
  kind,
  snapshotId: null,
  path,
  message,
})

/** Checks the bag and its payload. `unpacking` holds the files that could not be read while they were unpacked. */
export async function checkArchive(
  container: Container,
  unpacking: readonly ContainerProblem[] = [],
  progress?: Hashed,
): Promise<CheckedArchive> {
  const bag = await checkBag(container, progress)
  const { kind, snapshotId, problems } = payloadOf(container)
  // Each file is reported once, by the check that knows most about it.
  const reported = new Set([...unpacking, ...problems].map(({ path }) => path))
  return {
    version: bag.version,
    payload: bag.payload,
    info: bag.info,
    notes: [...bag.notes, ...(snapshotId === null ? [] : identity(bag, snapshotId))],
    kind,
    snapshotId,
    damages: [
      ...container.problems.map((each) => archiveDamage('bag-path', each)),
      ...unpacking.map((each) => archiveDamage('zip', each)),
      ...bag.damages.filter(({ path }) => path === null || !reported.has(path)),
      ...problems.map((each) => archiveDamage('bag-payload', each)),
    ],
  }
}

interface Payload {
  /** `evidence` is a company's history over a period, with its log. */
  readonly kind: 'snapshot' | 'evidence'
  /** Null where the payload does not hold exactly one snapshot. */
  readonly snapshotId: string | null
  readonly problems: readonly ContainerProblem[]
}

/**
 * Recognises the payload: a company's folder with one snapshot and without the pointer, or, as evidence, with its
 * log.
 */
export function payloadOf({ files }: Pick<Container, 'files'>): Payload {
  const ids = new Set<string>()
  const problems: ContainerProblem[] = []
  const isEvidence = files.has(`${PAYLOAD}/${LOG}`)
  for (const path of files.keys()) {
    if (!path.startsWith(`${PAYLOAD}/`)) continue
    const parts = path.split('/').slice(1)
    const [top = '', ...below] = parts
    if (parseSnapshotId(top) && below.length > 0) ids.add(top)
    else if (
      !isKeptSource(parts) &&
      !isStamp(parts) &&
      !(isEvidence ? isOfHistory(parts) : isOfMember(parts))
    )
      problems.push({ path, message: `${path} belongs to no snapshot and is not a kept source` })
  }
  if (ids.size === 0) problems.push({ path: PAYLOAD, message: 'the bag holds no snapshot' })
  if (ids.size > 1 && !isEvidence)
    problems.push({ path: PAYLOAD, message: `the bag holds ${ids.size} snapshots; one is expected` })
  const [snapshotId = null] = ids.size === 1 && !isEvidence ? ids : []
  return { kind: isEvidence ? 'evidence' : 'snapshot', snapshotId, problems }
}

const isKeptSource = ([top, name = '', ...more]: readonly string[]): boolean =>
  top === INPUTS && isHash(name) && more.length === 0

const isStamp = ([top, name = '', ...more]: readonly string[]): boolean =>
  top === STAMPS && stampedHash(name) !== null && more.length === 0

const isOfMember = ([top, company = '', id = '', ...below]: readonly string[]): boolean =>
  top === MEMBERS && namesSnapshot(company, id) && below.length > 0

/** Whether the path is the log, the pointer, or a manifest of a snapshot that is not in the bag. */
const isOfHistory = ([top = '', id, name = '', ...more]: readonly string[]): boolean =>
  id === undefined
    ? top === LOG || top === POINTER
    : [PRUNED, LEFT_OUT_FOLDER].includes(top) &&
      parseSnapshotId(id) !== null &&
      MANIFEST_FILES.includes(name) &&
      more.length === 0

/** A note where the bag's name is not that of its snapshot: whoever bags a snapshot again may choose another name. */
function identity({ info }: CheckedBag, snapshotId: string): string[] {
  const [stated] = info.get('external-identifier') ?? []
  return stated === undefined || stated.endsWith(`/${snapshotId}`)
    ? []
    : [`the bag calls itself "${stated}", and holds snapshot ${snapshotId}`]
}
