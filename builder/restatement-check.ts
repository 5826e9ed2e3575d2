/**
 * Whether a snapshot says of closed months what is so: what it states differently than the snapshot before it is
 * computed again from what both published, and held against its manifest and `restatement.json`.
 */
import { restatedText } from './closed-months.ts'
import { unlistedBooks } from './recompute.ts'
import { type Compared, restatedBetween } from './restatement.ts'
import type { Damage } from './snapshot/damage.ts'
import type { CheckedSnapshot } from './snapshot/files.ts'
import { MANIFEST, RESTATEMENT } from './snapshot/layout.ts'
import { comparedWith, filesOf, type Manifest } from './snapshot/manifest.ts'
import { sha256 } from './snapshot/open.ts'
import { VERSION } from './version.ts'

interface Checked {
  readonly damages: readonly Damage[]
  readonly notes: readonly string[]
}

const NOTHING: Checked = { damages: [], notes: [] }

/**
 * `all` are the snapshots that lie there; without the one that it was compared with, or where one is damaged, nothing can
 * be said.
 */
export async function checkRestatement(
  snapshot: CheckedSnapshot,
  all: readonly CheckedSnapshot[],
): Promise<Checked> {
  const link = snapshot.manifest && comparedWith(snapshot.manifest)
  const previous = all.find(
    ({ id, manifestHash }) => id === link?.SnapshotId && manifestHash === link.ManifestSha256,
  )
  if (!isSound(snapshot) || !previous || !isSound(previous)) return NOTHING
  const { manifest } = snapshot
  const stated = manifest.Restatement
  if (stated?.Uncompared !== undefined)
    return { damages: [], notes: [`${snapshot.id} was published with a reason, and ${restatedText(stated)}`] }
  const found = await restatedBetween(comparedOf(previous), comparedOf(snapshot), manifest.Format === 1)
  if (stated === undefined)
    return {
      damages: [],
      notes: found
        ? [`${snapshot.id} was published before closed months were guarded: ${restatedText(found.part)}`]
        : [],
    }
  const told = problemOf(snapshot.id, previous.id, manifest, found)
  if (told === null) return NOTHING
  const [path, message] = told
  return manifest.Tool.Version === VERSION
    ? { damages: [{ kind: 'restatement', snapshotId: snapshot.id, path, message }], notes: [] }
    : {
        damages: [],
        notes: [`${message} (it was made by version ${manifest.Tool.Version}, this is ${VERSION})`],
      }
}

type Sound = CheckedSnapshot & { readonly manifest: Manifest }
const isSound = (snapshot: CheckedSnapshot): snapshot is Sound =>
  snapshot.manifest !== null && snapshot.damages.length === 0 && unlistedBooks(snapshot.manifest).length === 0

const comparedOf = ({ id, folder, manifest }: Sound): Compared => ({
  id,
  folder,
  company: manifest.CompanyId,
  files: filesOf(manifest),
})

/** The file that is wrong, and what is. */
function problemOf(
  id: string,
  before: string,
  { Restatement: stated, Files }: Manifest,
  found: Awaited<ReturnType<typeof restatedBetween>>,
): [path: string, message: string] | null {
  if (found && !stated)
    return [
      MANIFEST,
      `${id} states closed months differently than before, and gives no reason: ${restatedText(found.part)}`,
    ]
  if (!found && stated)
    return [MANIFEST, `${id} says that it restates closed months, but they are as in ${before}`]
  const file = Files.find(({ Path }) => Path === RESTATEMENT)?.Sha256
  if (file !== (found?.file ? sha256(found.file) : undefined))
    return [RESTATEMENT, `${RESTATEMENT} of ${id} does not list what differs from ${before}`]
  if (!found || !stated) return null
  if (!stated.Reason) return [MANIFEST, `${id} restates closed months without a reason`]
  const same = JSON.stringify({ ...stated, Reason: null }) === JSON.stringify(found.part)
  return same
    ? null
    : [MANIFEST, `${MANIFEST} of ${id} sums up its restatement otherwise than ${RESTATEMENT}`]
}
