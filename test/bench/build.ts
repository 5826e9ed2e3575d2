/** Builds of a company that was built before, as whole processes. */

import { createHash } from 'node:crypto'
import {
  createReadStream,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { MEASURED, type Size, writeCompany, writeWorkspace } from './ledger.ts'
import { tieout } from './processes.ts'
import type { Result } from './results.ts'

/**
 * Removed at the end of all: ext4 looks for a minute whether the inode of a new file was deleted lately, which makes
 * thousands of files after the removal of thousands cost seconds that no user has.
 */
const folders: string[] = []
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

export function inFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-bench-'))
  folders.push(folder)
  return run(folder)
}

/**
 * The second build of the same company: after no change, and after one corrected transaction inside a month; of a ledger
 * in one file for each basis, and in one for each month.
 */
export async function rebuilds({ postings = 1_000_000 } = {}): Promise<Result[]> {
  return [
    ...(await rebuild({ ...MEASURED, postings }, 'accrual.csv', '')),
    ...(await rebuild({ ...MEASURED, postings, monthly: true }, 'accrual/2023-05.csv', ', monthly files')),
  ]
}

function rebuild(size: Size, ledger: string, which: string): Promise<Result[]> {
  return inFolder(async (folder) => {
    writeWorkspace(folder)
    await writeCompany(folder, 'bench', size)
    const first = await tieout(folder, 'build', 'bench')
    const unchanged = await tieout(folder, 'build', 'bench')
    const hashing = await timeOf(() => hashAll(join(folder, 'datasets', 'bench')))
    const before = inodes(newest(folder))
    correct(join(folder, 'datasets', 'bench', 'ledger', ledger))
    const corrected = await tieout(folder, 'build', 'bench')
    const after = inodes(newest(folder))
    const linked = [...after].filter(([path, inode]) => before.get(path) === inode).length
    return [
      {
        part: 'rebuild',
        name: `nothing to do${which}`,
        value: unchanged.wall,
        unit: 's',
        target: null,
        reference: { name: 'hashing the inputs', value: hashing, unit: 's' },
      },
      {
        part: 'rebuild',
        name: `one corrected transaction, part of the full build${which}`,
        value: corrected.wall / first.wall,
        unit: '',
        target: null,
        reference: { name: 'full build', value: first.wall, unit: 's' },
      },
      {
        part: 'rebuild',
        name: `one corrected transaction, files hard-linked${which}`,
        value: linked / after.size,
        unit: '',
        target: '≥ 0.99',
      },
    ]
  })
}

/** Moves one amount between two lines of the first transaction: its month and its account stay, two figures change. */
function correct(path: string): void {
  const lines = readFileSync(path, 'utf8').split('\n')
  const cells = (line: number) => lines[line]!.split(',')
  const [a, b] = [cells(1), cells(2)]
  a[3] = (Number(a[3]) + 1).toFixed(2)
  b[3] = (Number(b[3]) - 1).toFixed(2)
  lines[1] = a.join(',')
  lines[2] = b.join(',')
  writeFileSync(path, lines.join('\n'))
}

const snapshotsOf = (folder: string): string => join(folder, 'snapshots', 'bench')

/** Folder of the snapshot that `current.json` names. */
export function newest(folder: string): string {
  const { SnapshotId } = JSON.parse(readFileSync(join(snapshotsOf(folder), 'current.json'), 'utf8')) as {
    SnapshotId: string
  }
  return join(snapshotsOf(folder), SnapshotId)
}

function inodes(folder: string): Map<string, number> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(folder.length), statSync(path).ino]
    }),
  )
}

async function hashAll(folder: string): Promise<void> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      await pipeline(createReadStream(join(entry.parentPath, entry.name)), createHash('sha256'))
}

async function timeOf(run: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await run()
  return (performance.now() - begun) / 1000
}
