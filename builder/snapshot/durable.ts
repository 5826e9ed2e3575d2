/**
 * Files that stay once they are said to be there: data reaches the disk before the name that leads to it does. All
 * that changes the snapshots on disk goes through these few functions.
 */
import { execFile } from 'node:child_process'
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** Writes a small file anew in one step: whoever reads it sees the old text or the new one. */
export function replaceFile(path: string, text: string): void {
  const next = `${path}.next`
  if (existsSync(next)) rmSync(next)
  const handle = openSync(next, 'wx', 0o644)
  try {
    writeFileSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(next, path)
  syncFolder(dirname(path))
}

/**
 * Data, then folders: a rename must never be durable before what it names (see ALICE, OSDI '14). `paths` and `folders`
 * lie in `root`, which is among the folders that are synchronised.
 */
export async function syncTree(
  root: string,
  paths: readonly string[],
  folders: Iterable<string>,
): Promise<void> {
  // One call for the whole file system beats one fsync per file; not every system has it.
  const synced = await promisify(execFile)('sync', ['-f', root]).then(
    () => true,
    () => false,
  )
  if (!synced)
    for (let i = 0; i < paths.length; i += 64)
      await Promise.all(paths.slice(i, i + 64).map((path) => syncFile(join(root, path))))
  for (const folder of [...new Set([...folders, root])].sort().reverse()) syncFolder(folder)
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export function syncFolder(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
