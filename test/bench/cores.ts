/**
 * `npm run bench -- cores [--case NAME]`: whole builds as processes that may use 1, 2, 4, … cores of this machine. What they
 * publish is the same bytes on any number of them, or the benchmark ends.
 */
import { createHash } from 'node:crypto'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from '../../builder/snapshot/files/manifest.ts'
import { inFolder, newest } from './build.ts'
import { writeExport } from './formats.ts'
import { BASES, MEASURED, type Size, writeCompany, writeWorkspace } from './ledger.ts'
import { isInstalled, tieoutOn, type Usage } from './processes.ts'
import type { Result } from './results.ts'

interface Case {
  readonly what: string
  /** Writes the company `bench` into a workspace. */
  readonly write: (folder: string) => Promise<void>
  /** Its last month is built on a snapshot of the months before it, which are closed by then. */
  readonly isNextMonth?: boolean
  /** Seconds by number of cores. */
  readonly targets?: Readonly<Record<number, string>>
}

const csv = (size: Partial<Size>) => (folder: string) =>
  writeCompany(folder, 'bench', { ...MEASURED, ...size })
const exported = (format: string) => (folder: string) => writeExport(folder, format, 400_000)

const CASES: Readonly<Record<string, Case>> = {
  '1M': { what: '1M postings', write: csv({}), targets: { 2: '≤ 4', 16: '≤ 2' } },
  '10M': { what: '10M postings', write: csv({ postings: 10_000_000 }), targets: { 2: '≤ 16', 16: '≤ 6' } },
  '40k': {
    what: '40,000 postings, a typical company',
    write: csv({ postings: 40_000, classes: 14, departments: 14 }),
    targets: { 2: '≤ 1.2', 16: '≤ 1' },
  },
  planned: {
    what: '40,000 postings, three budgets by class and department, eight metrics of each day',
    write: csv({ postings: 40_000, classes: 14, departments: 14, budgets: 3, metrics: 8 }),
  },
  few: {
    what: '1M postings, 3 classes, no department',
    write: csv({ classes: 3, departments: 0 }),
    targets: { 2: '≤ 1.7', 16: '≤ 1' },
  },
  next: {
    what: '1M postings, the last month after the others are closed',
    write: csv({}),
    isNextMonth: true,
  },
  monthly: { what: '1M postings in 120 monthly files', write: csv({ monthly: true }) },
  sie: { what: '400,000 postings in one SIE file', write: exported('sie') },
  saft: { what: '400,000 postings in one SAF-T file', write: exported('saft') },
}

/** All cases unless some are named. */
export async function cores(named: readonly string[]): Promise<Result[]> {
  const unknown = named.filter((name) => !(name in CASES))
  if (unknown.length > 0)
    throw new Error(`no such case: ${unknown.join(', ')}; there are ${Object.keys(CASES).join(', ')}`)
  if (!isInstalled('taskset')) throw new Error('taskset is missing, which confines a process to cores')
  const results: Result[] = []
  for (const [name, each] of Object.entries(CASES))
    if (named.length === 0 || named.includes(name)) results.push(...(await byCores(name, each)))
  return results
}

const GB = 1024 ** 3

function byCores(name: string, { what, write, isNextMonth, targets = {} }: Case): Promise<Result[]> {
  return inFolder(async (source) => {
    await write(source)
    const before = isNextMonth ? join(source, 'before') : null
    if (before !== null) closeMonths(join(source, 'datasets'), before)
    const results: Result[] = []
    let first: string | null = null
    for (const count of counts(allowedCores().length)) {
      const own = allowedCores().slice(0, count)
      const { usage, published } = await build(join(source, 'datasets'), own, before)
      first ??= published
      if (published !== first) throw new Error(`${name}: ${count} cores publish other bytes than one core`)
      const result: Result = {
        part: `cores ${name}`,
        name: `${what}, ${count === 1 ? 'one core' : `${count} cores`}`,
        value: usage.wall,
        unit: 's',
        target: targets[count] ?? null,
        reference: {
          name: `peak ${(usage.peak / GB).toFixed(2)} GB, processor time`,
          value: usage.cpu,
          unit: 's',
        },
      }
      process.stderr.write(`${result.name}: ${usage.wall.toFixed(2)} s\n`)
      results.push(result)
    }
    return results
  })
}

/** Closes all months but the last in the settings of the company, and writes the company as it was before that to a folder. */
function closeMonths(datasets: string, before: string): void {
  const settings = join(datasets, 'bench', 'company.yaml')
  writeFileSync(settings, `${readFileSync(settings, 'utf8')}lockDate: 2025-11-30\n`)
  cpSync(datasets, before, { recursive: true })
  for (const basis of BASES) {
    const ledger = join(before, 'bench', 'ledger', `${basis}.csv`)
    const lines = readFileSync(ledger, 'utf8').split('\n')
    writeFileSync(ledger, lines.filter((line) => !line.includes(',2025-12-')).join('\n'))
  }
}

/** In a workspace of its own, with nothing cached, and nothing built but what is in the folder `before`. */
const build = (
  datasets: string,
  own: readonly number[],
  before: string | null,
): Promise<{ usage: Usage; published: string }> =>
  inFolder(async (folder) => {
    if (before !== null) {
      writeWorkspace(folder, '', before)
      await tieoutOn(own, folder, 'build', 'bench')
    }
    writeWorkspace(folder, '', datasets)
    const usage = await tieoutOn(own, folder, 'build', 'bench')
    return { usage, published: publishedIn(folder) }
  })

/** A hash of the content hash and of every published file's path, size and hash. */
function publishedIn(folder: string): string {
  const { ContentHash, Files } = JSON.parse(
    readFileSync(join(newest(folder), 'manifest.json'), 'utf8'),
  ) as Manifest
  return createHash('sha256')
    .update(JSON.stringify([ContentHash, [...Files]]))
    .digest('hex')
}

/** Numbers of the cores that this process may use. */
export function allowedCores(): number[] {
  const [, list = ''] = /Cpus_allowed_list:\s+(\S+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return list.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, i) => from + i)
  })
}

/** 1, 2, 4, … up to all of them. */
function counts(all: number): number[] {
  const powers = Array.from({ length: Math.floor(Math.log2(all)) + 1 }, (_, i) => 2 ** i)
  return [...new Set([...powers, all])]
}
