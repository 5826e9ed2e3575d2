/** Brings files of a working copy from the bucket again that are not what their snapshot says: cut off, changed, or gone. */
import { randomBytes } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolders, removeTree, syncTree } from '../../../system/durable.ts'
import { disk, isAbsent } from '../../../system/effects.ts'
import { sha256OfFile } from '../../../system/hash.ts'
import { MANIFEST, stageFolder } from '../../files/layout.ts'
import type { FileEntry } from '../../files/manifest.ts'
import type { Bucket } from './bucket.ts'
import { type CompanyObject, getObjectTo } from './company-object.ts'
import { listedIn, manifestIn } from './folder.ts'

/**
 * Replaces the damaged files of one snapshot; the caller has the lock of the folder. Returns their paths; null if it is
 * unknown whether the bucket holds the snapshot. Throws {@link BucketError} where the bucket does not give them.
 */
export async function mend(
  bucket: Bucket,
  root: string,
  { CompanyId: company, Files }: CompanyObject,
  id: string,
): Promise<readonly string[] | null> {
  const folder = join(root, company)
  const own = Files.filter(({ Path }) => Path.startsWith(`${id}/`))
  if (!own.some(({ Path }) => Path === `${id}/${MANIFEST}`)) return null
  const stage = stageFolder(root, company, randomBytes(6).toString('hex'))
  const mended: string[] = []
  try {
    for (const files of [() => own, () => listedIn(id, manifestIn(folder, id))])
      for (const file of files()) {
        if (await isIntact(join(folder, file.Path), file)) continue
        const staged = join(stage, file.Path)
        makeFolders(dirname(staged))
        await getObjectTo(bucket, file.Sha256, staged)
        await syncTree(stage, [file.Path], [dirname(staged)])
        makeFolders(dirname(join(folder, file.Path)))
        disk.rename(staged, join(folder, file.Path))
        mended.push(file.Path)
      }
  } finally {
    removeTree(stage)
  }
  return mended
}

async function isIntact(path: string, { Bytes, Sha256 }: FileEntry): Promise<boolean> {
  const found = await lstat(path).catch((problem) => {
    if (isAbsent(problem)) return null
    throw problem
  })
  if (!found?.isFile() || found.size !== Bytes) return false
  return (await sha256OfFile(path)) === Sha256
}
