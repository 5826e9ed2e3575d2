/**
 * Whether two folders of snapshots hold the same bytes: `node --import tsx test/bench/same.ts <before> <after>`. Of each
 * company the current snapshots are compared, file by file; of the manifest all but `Build`. Run before and after a change
 * that must change no figure.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const [before = '', after = ''] = process.argv.slice(2)
if (after === '') throw new Error('usage: same.ts <snapshots before> <snapshots after>')

const current = (root: string, company: string): string =>
  join(root, company, JSON.parse(readFileSync(join(root, company, 'current.json'), 'utf8')).SnapshotId)

function contentOf(folder: string, path: string): string {
  const bytes = readFileSync(join(folder, path))
  if (path !== 'manifest.json') return bytes.toString('latin1')
  const { Build: _, ...rest } = JSON.parse(bytes.toString())
  return JSON.stringify(rest)
}

const filesOf = (folder: string): Set<string> =>
  new Set(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'manifest.json.sig')
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)),
  )

let differing = 0
const tell = (text: string): void => {
  if (differing++ < 20) process.stdout.write(`${text}\n`)
}
for (const company of readdirSync(before)) {
  const [left, right] = [current(before, company), current(after, company)]
  const [old, now] = [filesOf(left), filesOf(right)]
  for (const path of new Set([...old, ...now]))
    if (!old.has(path)) tell(`${company}: ${path} is new`)
    else if (!now.has(path)) tell(`${company}: ${path} is missing`)
    else if (contentOf(left, path) !== contentOf(right, path)) tell(`${company}: ${path} differs`)
  process.stdout.write(`${company}: ${old.size} files compared\n`)
}
process.stdout.write(`${differing === 0 ? 'the same' : `${differing} differences`}\n`)
process.exitCode = differing === 0 ? 0 : 1
