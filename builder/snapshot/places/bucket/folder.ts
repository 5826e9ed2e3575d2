/** Lists the published files of a company's folder as a bucket does: those of manifests apart from all others. */
import { join, sep } from 'node:path'
import { filesAndFolders, isUnfinished } from '../../../system/durable.ts'
import { readFileSync } from '../../../system/plain-file.ts'
import { SnapshotDamagedError } from '../../files/damage.ts'
import { MANIFEST, POINTER, parseSnapshotId } from '../../files/layout.ts'
import { type FileEntry, type Manifest, readManifest } from '../../files/manifest.ts'
import { measure } from '../../files/measure.ts'
import { readPointer } from '../../files/open.ts'
import { type CompanyObject, isPublishedPath } from './company-object.ts'

export interface PublishedFolder {
  readonly object: CompanyObject
  /** The files that manifests list, by paths in the company's folder. */
  readonly listed: readonly FileEntry[]
}

/**
 * Reads what is published in a company's folder, whose lock must be held. `known` gives the entry of a file that need not be measured again.
 * Throws {@link SnapshotDamagedError}.
 */
export async function readPublishedFolder(
  root: string,
  company: string,
  known: (path: string) => FileEntry | null = () => null,
): Promise<PublishedFolder> {
  const folder = join(root, company)
  const paths = filesAndFolders(folder)[0]
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => isPublishedPath(path) && !isUnfinished(path) && path !== POINTER)
    .sort()
  const listed = paths.flatMap((path) => {
    const [id = '', name, ...deeper] = path.split('/')
    return parseSnapshotId(id) !== null && name === MANIFEST && deeper.length === 0
      ? listedIn(id, manifestIn(folder, id))
      : []
  })
  const isListed = new Set(listed.map(({ Path }) => Path))
  const Files = paths
    .filter((path) => !isListed.has(path))
    .map((Path) => known(Path) ?? { Path, ...measure(join(folder, Path)) })
  const Current = await readPointer(root, company)
  return { object: { Format: 1, CompanyId: company, Current, Files }, listed }
}

/** The manifest of a snapshot, unverified. Throws {@link SnapshotDamagedError} if it cannot be read. */
export function manifestIn(folder: string, id: string): Manifest {
  const read = readManifest(readFileSync(join(folder, id, MANIFEST), 'utf8'))
  if (read.manifest === null) throw new SnapshotDamagedError(`snapshot ${id}: ${read.problem}`)
  return read.manifest
}

/** The files of a manifest by their paths in the company's folder. Throws where one would lie outside. */
export function listedIn(id: string, { Files }: Pick<Manifest, 'Files'>): FileEntry[] {
  return Files.map(({ Path, Bytes, Sha256 }) => {
    if (!isPublishedPath(Path))
      throw new SnapshotDamagedError(`snapshot ${id} lists "${Path}", which no snapshot can hold`)
    return { Path: `${id}/${Path}`, Bytes, Sha256 }
  })
}
