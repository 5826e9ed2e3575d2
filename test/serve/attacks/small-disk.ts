/** A small disk that a test may fill: root on Linux can mount one; elsewhere its tests are skipped, and say so. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk {
  fill(): void
  empty(): void
  unmount(): void
}

/** Mounts it on `folder`; null where that cannot be done. */
export function smallDisk(folder: string, megabytes: number): SmallDisk | null {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', folder]
  if (process.platform !== 'linux' || spawnSync('mount', options).status !== 0) return null
  const ballast = join(folder, 'ballast')
  return {
    fill: () => {
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(ballast, Buffer.alloc(bavail * bsize))
    },
    empty: () => rmSync(ballast),
    unmount: () => void spawnSync('umount', ['-l', folder]),
  }
}

export const canMount = ((): boolean => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-mount-'))
  const disk = smallDisk(folder, 1)
  disk?.unmount()
  rmSync(folder, { recursive: true, force: true })
  if (disk === null) process.stdout.write('attacks: no small disk can be mounted, so full ones are skipped\n')
  return disk !== null
})()
