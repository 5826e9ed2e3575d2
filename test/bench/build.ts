/** Builds as whole processes: the targets at one and ten million postings, rebuilds, and hledger beside them. */

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  createReadStream,
  createWriteStream,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { BASES, MEASURED, type Size, writeCompany, writeWorkspace } from './ledger.ts'
import { isInstalled, program, tieout, type Usage } from './processes.ts'
import type { Result } from './results.ts'

const GB = 1024 ** 3

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

/** The first build of a company, in a workspace of its own. */
const build = (size: Partial<Size>): Promise<Usage> =>
  inFolder(async (folder) => {
    writeWorkspace(folder)
    await writeCompany(folder, 'bench', { ...MEASURED, ...size })
    return tieout(folder, 'build', 'bench')
  })

/** One and, where asked for, ten million postings; the peers make one statement in the time of all of ours. */
export async function builds({ large }: { readonly large: boolean }): Promise<Result[]> {
  const million = await build({})
  const results: Result[] = [
    { part: 'build', name: '1M postings, all documents', value: million.wall, unit: 's', target: '≤ 4' },
    { part: 'build', name: '1M postings, processor time', value: million.cpu, unit: 's', target: null },
    { part: 'build', name: '1M postings, peak memory', value: million.peak / GB, unit: 'GB', target: '≤ 1' },
  ]
  if (large) {
    const ten = await build({ postings: 10_000_000 })
    results.push(
      { part: 'build', name: '10M postings, all documents', value: ten.wall, unit: 's', target: '≤ 10' },
      { part: 'build', name: '10M postings, peak memory', value: ten.peak / GB, unit: 'GB', target: '≤ 2.5' },
    )
  }
  results.push(...(await besideHledger(large ? 1_000_000 : 100_000)))
  return results
}

/**
 * hledger makes ONE statement, of a journal with as many postings as ours builds from (the entries of both bases), and of
 * one with those of one basis. The target is stated for a million postings on both sides.
 */
async function besideHledger(postings: number): Promise<Result[]> {
  if (!isInstalled('hledger')) return []
  return inFolder(async (folder) => {
    writeWorkspace(folder)
    await writeCompany(folder, 'bench', { ...MEASURED, postings })
    const ours = await tieout(folder, 'build', 'bench')
    const beside = async (
      bases: readonly string[],
      entries: string,
      target: string | null,
    ): Promise<Result> => {
      const journal = join(folder, 'bench.journal')
      const ledgers = bases.map((basis) => join(folder, 'datasets', 'bench', 'ledger', `${basis}.csv`))
      await writeJournal(ledgers, journal)
      const theirs = await program('hledger', ['-f', journal, 'incomestatement', '-M', '-O', 'csv'])
      return {
        part: 'build',
        name: `${postings / 1000}k postings, times faster than ONE statement of hledger from ${entries}`,
        value: theirs.wall / ours.wall,
        unit: '×',
        target,
        reference: { name: 'hledger incomestatement -M', value: theirs.wall, unit: 's' },
      }
    }
    const target = postings === 1_000_000 ? '≥ 8' : null
    return [await beside(BASES, 'as many', target), await beside(BASES.slice(0, 1), 'half of them', null)]
  })
}

async function writeJournal(ledgers: readonly string[], journal: string): Promise<void> {
  const out = createWriteStream(journal)
  for (const csv of ledgers) {
    let open = ''
    let isFirst = true
    for await (const line of createInterface({ input: createReadStream(csv) })) {
      if (isFirst) {
        isFirst = false
        continue
      }
      const [id, date, account, amount] = line.split(',') as [string, string, string, string]
      const head = id === open ? '' : `\n${date} ${id}\n`
      open = id
      const kind = account < '1500' ? 'assets' : account >= '1900' && account < '3900' ? 'income' : 'expenses'
      if (!out.write(`${head}  ${kind}:${account}  ${amount}\n`)) await once(out, 'drain')
    }
  }
  out.end()
  await once(out, 'finish')
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
