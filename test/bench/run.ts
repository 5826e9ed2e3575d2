/**
 * `npm run bench [-- part…] [-- --large]`: measures what the program promises, beside its references, in one run. Parts: build,
 * rebuild, growth, small, serve, start, attacks, adhoc, formats. `--large` adds ten million postings, and hledger at a million;
 * `--against FOLDER` has `formats` measure the compiled program of another checkout beside this one.
 */
import { existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { adhoc } from './adhoc.ts'
import { attacks } from './attacks.ts'
import { builds, growth, rebuilds } from './build.ts'
import { formats } from './formats.ts'
import { RESULTS_FILE, type Result, tableOf, writeResults } from './results.ts'
import { ready, start } from './serve.ts'
import { small } from './small.ts'

const { values, positionals: asked } = parseArgs({
  options: { large: { type: 'boolean', default: false }, against: { type: 'string' } },
  allowPositionals: true,
})
const { large } = values

const PARTS: Readonly<Record<string, () => Promise<readonly Result[]>>> = {
  build: () => builds({ large }),
  rebuild: () => rebuilds(),
  growth: () => growth({ large }),
  small,
  serve: ready,
  start,
  attacks,
  adhoc: async () => [
    ...(await adhoc({ postings: 1_000_000, p50: 5 })),
    ...(large ? await adhoc({ postings: 10_000_000, p50: 10 }) : []),
  ],
  formats: () => formats({ against: values.against ?? null }),
}

const unknown = asked.filter((part) => !(part in PARTS))
if (unknown.length > 0) {
  process.stderr.write(`no such part: ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}\n`)
  process.exit(2)
}
const before = existsSync(RESULTS_FILE)
  ? (JSON.parse(readFileSync(RESULTS_FILE, 'utf8')) as { results: Result[] }).results
  : []
const results: Result[] = []
for (const [part, measure] of Object.entries(PARTS)) {
  if (asked.length > 0 && !asked.includes(part)) continue
  process.stderr.write(`${part} …\n`)
  results.push(...(await measure()))
  writeResults(results, before)
}
process.stdout.write(`${tableOf(results)}\n`)
