/**
 * `npm test`: every `*.test.ts` under test/, in processes that each take file after file. `npm test -- sie` runs
 * the files whose path holds "sie". The last line is `N passed, N failed`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { globSync } from 'tinyglobby'
import { TestFolder } from './test-folder.ts'
import { LaneOutput, type Verdict } from './verdict.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** One more than there are cores, since many tests wait: for processes that start, for disks, for time limits. */
const LANES = availableParallelism() + 1
const LIMIT_SECONDS = Number(process.env.TEST_LIMIT_SECONDS ?? 600)
/** How long each file took last time, so that the longest begin first. */
const DURATIONS = join(root, 'test/output/durations.json')
/** Where that is not known, these begin first: one of them that begins last would be waited for alone. */
const LONGEST = [
  'faults/power',
  'faults/errors',
  'spark/',
  'postgres.test',
  'report/pages',
  'cli/approval',
  'peers/node-versions',
  'faults/kill',
  'bucket-',
  'sign-in-load',
  'parquet-golden',
  'divided-files',
  'verify-workers',
  'evidence/',
  'queue/',
  'books/audit',
  'cli/workers',
  'cli/signing',
  'two-nodes',
]

const print = (text: string): void => void process.stdout.write(`${text}\n`)

const filters = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))
const files = globSync('test/**/*.test.ts', { cwd: root })
  .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
  .sort()
const durations = readDurations()
const seconds = (file: string): number => durations[file] ?? assumedSeconds(file)
const queue = [...files].sort((a, b) => seconds(b) - seconds(a))

/** uvu's line of dots for a suite of which nothing failed. */
const DOTS = /^.*•.*\(\d+ \/ \d+\)$/

const folder = new TestFolder()
/** What became of each file, and the line that says so. */
const results = new Map<string, { readonly verdict: Verdict; readonly line: string }>()
const failing = (): string[] =>
  [...results].flatMap(([file, { verdict }]) => (verdict.failed > 0 ? file : []))
const children = new Set<ChildProcess>()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const child of children) kill(child)
    folder.remove()
    process.exit(1)
  })

/** One process until the queue is empty; another one where it hangs, crashes or exits in the middle of a file. */
async function takeFiles(): Promise<void> {
  while (queue.length > 0) {
    const child = spawn(process.execPath, ['--import', 'tsx', join(root, 'test/lane.ts')], {
      cwd: root,
      env: { ...process.env, ...folder.env },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      // A group of its own: what it started ends with it.
      detached: true,
    })
    children.add(child)
    const ended = new Promise<string>((resolve) =>
      child.once('close', (code, signal) => resolve(signal ?? `code ${code}`)),
    )
    const output = new LaneOutput(child.stdout!)
    while (queue.length > 0) if (!(await runOne(child, output, ended, queue.shift()!))) break
    if (child.connected) child.send('', () => {})
    await ended
    children.delete(child)
  }
}

function assumedSeconds(file: string): number {
  const place = LONGEST.findIndex((part) => file.includes(part))
  return place === -1 ? statSync(join(root, file)).size / 10_000 : 1000 - place
}

/** False where the process is gone. */
async function runOne(
  child: ChildProcess,
  output: LaneOutput,
  ended: Promise<string>,
  file: string,
): Promise<boolean> {
  const startedAt = Date.now()
  // A process that is gone already is noticed by its end.
  child.send(join(root, file), () => {})
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<'limit'>((resolve) => {
    timer = setTimeout(() => resolve('limit'), LIMIT_SECONDS * 1000)
  })
  const outcome = await Promise.race([output.verdict(), ended, limit])
  clearTimeout(timer)
  durations[file] = (Date.now() - startedAt) / 1000
  if (typeof outcome === 'object') {
    report(file, outcome, output.take())
    return true
  }
  if (outcome === 'limit') kill(child)
  await ended
  const reason =
    outcome === 'limit'
      ? `did not finish within ${LIMIT_SECONDS} seconds`
      : `ended the process that runs the tests (${outcome})`
  report(file, { passed: 0, failed: 1, skipped: 0 }, `${output.take()}\n   FAIL  ${reason}`, reason)
  return false
}

/** More files fail for a reason of the code, not of the machine. */
const MOST_AGAIN = 3

/**
 * Runs the few files that failed once more, with nothing beside them, and returns those that then pass: servers have time limits, and
 * what other files take of a small machine may exceed them.
 */
async function passedAlone(): Promise<string[]> {
  const again = failing()
  if (files.length === 1 || again.length === 0 || again.length > MOST_AGAIN) return []
  print('\nOnce more, with nothing beside them:')
  queue.push(...again)
  await takeFiles()
  const still = new Set(failing())
  return again.filter((file) => !still.has(file))
}

function list(title: string, named: readonly string[]): void {
  if (named.length > 0)
    print(`\n${title}:\n${named.map((file) => `  ${results.get(file)!.line}`).join('\n')}`)
}

function kill(child: ChildProcess): void {
  try {
    process.kill(-child.pid!, 'SIGKILL')
  } catch {
    // Gone in the meantime.
  }
}

function report(file: string, verdict: Verdict, output: string, reason?: string): void {
  const counts = [
    `${verdict.passed} passed`,
    ...(verdict.failed > 0 ? [`${verdict.failed} failed`] : []),
    ...(verdict.skipped > 0 ? [`${verdict.skipped} skipped`] : []),
  ].join(', ')
  const line = `${file}: ${reason ?? counts}`
  print(`${verdict.failed > 0 ? '✘' : '•'} ${line}, ${durations[file]!.toFixed(1)} s`)
  results.set(file, { verdict, line })
  const said = output
    .split('\n')
    .filter((text) => text.trim() !== '' && (verdict.failed > 0 || !DOTS.test(text)))
    .join('\n')
  if (said !== '') print(said)
}

/** Tests of the command, and of the server that it starts, run what is compiled. */
function buildIsStale(): boolean {
  const modified = (file: string) =>
    statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY
  const runsCommand = (file: string) => readFileSync(join(root, file), 'utf8').includes('/command.ts')
  if (!files.some(runsCommand)) return false
  const sources = globSync(['{builder,cli,serve}/**/*.{ts,cts}', 'tsconfig*.json'], { cwd: root })
  return Math.max(...sources.map(modified)) > modified('dist/cli/main.js')
}

function runBuild(): boolean {
  print('Compiling, since sources are newer than dist/.')
  const { status } = spawnSync('npm', ['run', 'build', '--silent'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) print('The sources do not compile.')
  return status === 0
}

function readDurations(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(DURATIONS, 'utf8')) as Record<string, number>
  } catch {
    // The first run, or one that was cut off.
    return {}
  }
}

function writeDurations(): void {
  mkdirSync(join(root, 'test/output'), { recursive: true })
  writeFileSync(DURATIONS, JSON.stringify(durations, null, 2))
}

if (buildIsStale() && !runBuild()) {
  print('0 passed, 1 failed')
  process.exit(1)
}
const begun = Date.now()
await Promise.all(Array.from({ length: LANES }, takeFiles))
const alone = await passedAlone()
folder.remove()
writeDurations()

if (files.length === 0) print(`No test file${filters.length > 0 ? ` holds "${filters.join('", "')}"` : ''}.`)
list('Failed beside others, and passed alone', alone)
list('Failed', failing())
const sum = { passed: 0, failed: 0, skipped: 0 }
for (const { verdict } of results.values())
  for (const key of ['passed', 'failed', 'skipped'] as const) sum[key] += verdict[key]
print(`\n${files.length} files in ${((Date.now() - begun) / 1000).toFixed(1)} s`)
print(`${sum.passed} passed, ${sum.failed} failed${sum.skipped > 0 ? `, ${sum.skipped} skipped` : ''}`)
process.exit(sum.failed > 0 || sum.passed === 0 ? 1 : 0)
