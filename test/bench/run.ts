/**
 * `npm run bench [-- part…]`: measures what the program promises, beside its references, in one run. `--large` asks `adhoc` of
 * ten million postings, too; `--against FOLDER` has `formats` measure the compiled program of another checkout
 * beside this one; `--case 1M` has `cores` measure one company, `--case 'sie 1M'` has `formats` measure one file; it can be given
 * several times.
 */
import { existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { RESULTS_FILE, type Result, tableOf, writeResults } from './results.ts'

const { values, positionals: asked } = parseArgs({
  options: {
    large: { type: 'boolean', default: false },
    against: { type: 'string' },
    case: { type: 'string', multiple: true, default: [] },
  },
  allowPositionals: true,
})
const { large } = values

/** Loaded when they are run, since some need programs that others do not. */
const PARTS: Readonly<Record<string, () => Promise<readonly Result[]>>> = {
  cores: async () => (await import('./cores.ts')).cores(values.case),
  rebuild: async () => (await import('./build.ts')).rebuilds(),
  serve: async () => (await import('./serve.ts')).ready(),
  start: async () => (await import('./serve.ts')).start(),
  adhoc: async () => {
    const { adhoc } = await import('./adhoc.ts')
    return [
      ...(await adhoc({ postings: 1_000_000, p50: 5 })),
      ...(large ? await adhoc({ postings: 10_000_000, p50: 10 }) : []),
    ]
  },
  formats: async () =>
    (await import('./formats.ts')).formats({ against: values.against ?? null, cases: values.case }),
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
