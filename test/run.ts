/**
 * `npm test`: every `*.test.ts` below test/, in processes that each take file after file. Those named `*.all.test.ts` are
 * left to `npm run test:all`, which runs everything. `npm test -- sie` runs the files whose path holds "sie", of both kinds. The last
 * line is `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { globSync } from 'tinyglobby'
import { Lane, type Result } from './lane-process.ts'
import { seed, seedText } from './seed.ts'
import type { Counts } from './suite.ts'
import { TestFolder } from './test-folder.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const SLOWEST = 10
/** How long each file took last time, so that the longest begin first: one that begins last would be waited for alone. */
const DURATIONS = join(root, 'test/output/durations.json')

const given = process.argv.slice(2)
const filters = given.filter((argument) => !argument.startsWith('-'))
const isAll = given.includes('--all')
/** More than there are cores, since tests wait: for disks and time limits, and those of `npm run test:all` for other processes too. */
const LANES = availableParallelism() + (isAll ? 2 : 1)
/** Those that `npm test` leaves out. */
const isOfAll = (file: string): boolean => file.endsWith('.all.test.ts')
const isWanted = (file: string): boolean =>
  filters.length > 0 ? filters.some((filter) => file.includes(filter)) : isAll || !isOfAll(file)
const files = globSync('test/**/*.test.ts', { cwd: root }).filter(isWanted).sort()

const print = (text: string): void => void process.stdout.write(`${text}\n`)

const lineOf = ({ file, passed, failed, skipped }: Result): string =>
  `${file}: ${passed} passed${failed > 0 ? `, ${failed} failed` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`

async function runAll(env: NodeJS.ProcessEnv, lanes: Set<Lane>): Promise<Result[]> {
  const durations = readDurations()
  const expected = (file: string): number => durations[file] ?? sizeOf(file) / 1000
  // Those of `npm run test:all` first: they wait for other programs, and the others fill the gaps.
  const queue = [...files].sort(
    (a, b) => Number(isOfAll(b)) - Number(isOfAll(a)) || expected(b) - expected(a),
  )
  const results: Result[] = []
  const takeFiles = async (): Promise<void> => {
    let lane: Lane | null = null
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      lane ??= new Lane(env)
      lanes.add(lane)
      const result = await lane.run(file)
      results.push(result)
      print(`${result.failed > 0 ? '✘' : '•'} ${lineOf(result)}, ${result.seconds.toFixed(1)} s`)
      if (result.said.trim() !== '') print(result.said.trimEnd())
      durations[file] = result.seconds
      // What a failed test left running would disturb the next file.
      if (result.failed > 0) lane.kill()
      if (result.failed > 0 || lane.hasEnded) lane = null
    }
    await lane?.end()
  }
  await Promise.all(Array.from({ length: LANES }, takeFiles))
  mkdirSync(join(root, 'test/output'), { recursive: true })
  writeFileSync(DURATIONS, JSON.stringify(durations, null, 2))
  return results
}

/** Bytes of a file and of the cases beside it that it names, one by one or as a folder. */
function sizeOf(file: string): number {
  const named = readFileSync(join(root, file), 'utf8').match(/\bcases\/[\w.-]*/g) ?? []
  const cases = named.map((path) => join(dirname(file), `${path}*`))
  return [file, ...globSync(cases, { cwd: root })].reduce((sum, at) => sum + statSync(join(root, at)).size, 0)
}

function readDurations(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(DURATIONS, 'utf8')) as Record<string, number>
  } catch {
    // The first run, or one that was cut off.
    return {}
  }
}

/** Tests run what is compiled. Types are checked by `npm run types`. */
function compiles(): boolean {
  const modified = (file: string) =>
    statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY
  const sources = globSync(['{builder,cli,serve}/**/*.{ts,cts}', 'tsconfig*.json'], { cwd: root })
  if (Math.max(...sources.map(modified)) <= modified('dist/cli/main.js')) return true
  print('Compiling, since sources are newer than dist/.')
  return spawnSync('npm', ['run', 'compile', '--silent'], { cwd: root, stdio: 'inherit' }).status === 0
}

if (!compiles()) {
  print('The sources do not compile.\n0 passed, 1 failed')
  process.exit(1)
}
const begun = Date.now()
const folder = new TestFolder()
const lanes = new Set<Lane>()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const lane of lanes) lane.kill()
    folder.remove()
    process.exit(1)
  })
const results = await runAll({ ...folder.env, TEST_SEED: String(seed), TEST_ALL: isAll ? '1' : '0' }, lanes)
folder.remove()

const list = (title: string, lines: readonly string[]): void => {
  if (lines.length > 0) print(`\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`)
}
if (files.length === 0) print(`No test file holds "${filters.join('", "')}".`)
const slowest = results.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
list(
  'The slowest',
  slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${file}`),
)
list('Failed', results.filter(({ failed }) => failed > 0).map(lineOf))
const sum = (key: keyof Counts): number => results.reduce((all, result) => all + result[key], 0)
const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')]
print(`\n${files.length} files in ${((Date.now() - begun) / 1000).toFixed(1)} s. ${seedText}`)
print(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)
