/** What the pages that a snapshot keeps cost its build, and the largest of them: of the companies that come with the program. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from '../../builder/build/build.ts'
import { keptGroups, pagesOf } from '../../builder/report/pages/site.ts'
import { openReport } from '../../builder/report/report.ts'
import { openWorkspace } from '../../builder/workspace/workspace.ts'
import type { Result } from './results.ts'

const COMPANIES = ['harbor', 'lakeside', 'nordvik'] as const
const ROUNDS = 7

export async function report(): Promise<Result[]> {
  const results: Result[] = []
  for (const company of COMPANIES) {
    const shares: number[] = []
    let pages: readonly string[] = []
    // The first round warms up.
    for (let round = 0; round <= ROUNDS; round++) {
      const measured = await onceOf(company)
      if (round > 0) shares.push(measured.share)
      pages = measured.pages
    }
    const largest = pages.toSorted((a, b) => b.length - a.length)[0] ?? ''
    results.push(
      ...[
        {
          name: `${company}: pages, processor time of a build`,
          value: median(shares),
          unit: '×',
          target: '≤ 0.1',
        },
        { name: `${company}: its largest page`, value: largest.length / 1000, unit: 'kB', target: '≤ 150' },
        {
          name: `${company}: the same, compressed`,
          value: gzipSync(largest).length / 1000,
          unit: 'kB',
          target: null,
        },
      ].map((result) => ({ part: 'report', ...result })),
    )
  }
  return results
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** The share of making its pages, as a build makes them, in the processor time of a build of one thread. */
async function onceOf(company: string): Promise<{ share: number; pages: string[] }> {
  const root = mkdtempSync(join(tmpdir(), 'tieout-bench-'))
  try {
    const given = openWorkspace(fileURLToPath(new URL('../..', import.meta.url)))
    const workspace = { ...given, root, snapshots: join(root, 'snapshots') }
    const whole = await processorTime(() => build(workspace, company, { publish: true, workers: 1 }))
    const { value } = await openReport(workspace.snapshots, { company, snapshotId: null, month: null })
    if (value === undefined) throw new Error(`${company} has no report`)
    const pages: string[] = []
    const part = await processorTime(async () => {
      for (const group of keptGroups(value.source.frame))
        pages.push(
          ...(await pagesOf(value.source, { month: value.month, styleSheet: 'report.css' }, group)).values(),
        )
    })
    return { share: part / whole, pages }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

async function processorTime(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
