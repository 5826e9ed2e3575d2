/**
 * One of the processes that `run.ts` gives test files to, one at a time. Runs what uvu queues for each file itself:
 * uvu's own runner imports all files before the first test runs, and counts a failed `before` as a pass.
 */
import { register } from 'node:module'
import { pathToFileURL } from 'node:url'
import { MARK, type Verdict } from './verdict.ts'

/** What uvu's `suite.run()` leaves in the queue: errors as text or true, tests passed, skipped, and in all. */
type QueuedSuite = () => Promise<[errors: string | true, passed: number, skipped: number, total: number]>
type Queue = [file: string, ...suites: QueuedSuite[]][]

/** uvu returns inside of a `finally`, which swallows what a hook throws: there it is told like a test that fails. */
const TELL_HOOKS = `export async function load(url, context, next) {
  const loaded = await next(url, context)
  if (!url.endsWith('/uvu/dist/index.mjs')) return loaded
  const told = "catch (err) { errors += format(state.__test__ || 'before', err, name) } finally {"
  return { ...loaded, source: String(loaded.source).replace('finally {', told) }
}`
register(`data:text/javascript,${encodeURIComponent(TELL_HOOKS)}`)

const globals = globalThis as unknown as { UVU_DEFER: 1; UVU_QUEUE: Queue; UVU_INDEX: number }

async function runFile(file: string): Promise<Verdict> {
  globals.UVU_QUEUE.push([file])
  globals.UVU_INDEX = globals.UVU_QUEUE.length - 1
  await import(pathToFileURL(file).href)
  const verdict = { passed: 0, failed: 0, skipped: 0 }
  const [, ...suites] = globals.UVU_QUEUE[globals.UVU_INDEX]!
  for (const suite of suites) {
    const [errors, passed, skipped, total] = await suite()
    if (errors !== true) process.stdout.write(`\n${errors}\n`)
    else if (passed < total) complain(`${total - passed} of ${total} tests did not run: a hook threw`)
    verdict.passed += passed
    verdict.failed += total - passed
    verdict.skipped += skipped
  }
  if (verdict.passed + verdict.failed + verdict.skipped > 0) return verdict
  complain('the file has no tests: is `<suite>.run()` missing at its end?')
  return { ...verdict, failed: 1 }
}

const complain = (problem: string): void => void process.stdout.write(`\n   FAIL  ${problem}\n`)

async function judge(file: string): Promise<Verdict> {
  try {
    return await runFile(file)
  } catch (problem) {
    complain(problem instanceof Error ? (problem.stack ?? problem.message) : String(problem))
    return { passed: 0, failed: 1, skipped: 0 }
  }
}

// One stream keeps the order of what a file prints.
process.stderr.write = process.stdout.write.bind(process.stdout)
globals.UVU_DEFER = 1
globals.UVU_QUEUE = []
// Thrown where nobody waits: the process cannot go on, but the file gets its name on it.
process.on('uncaughtException', (problem) => {
  complain(problem.stack ?? problem.message)
  process.exit(1)
})

process.on('message', (file: string) => {
  // No more files; whatever a test left open, the process ends.
  if (file === '') process.exit(0)
  const before = listening()
  void judge(file).then(async (verdict) => {
    // A closed server is let go of only after its callback.
    await new Promise((resolve) => setTimeout(resolve, 20))
    const left = listening() - before
    if (left > 0) process.stdout.write(`\n   note: servers left open: ${left}\n`)
    process.stdout.write(`\n${MARK}${JSON.stringify(verdict)}\n`)
  })
})

const listening = (): number =>
  process.getActiveResourcesInfo().filter((resource) => resource === 'TCPServerWrap').length
