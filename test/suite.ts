/**
 * What declares tests: `const test = suite('name')`, `test('behaviour', () => …)`, and `test.run()` at the end of the file. Hooks may
 * stand before and after all tests or each; what they set on the object that each gets, the tests get. What a hook throws is told,
 * and fails the tests that it was for.
 */
type Work<At> = (at: At) => unknown

export interface Test<At = Record<string, unknown>> {
  (name: string, work: Work<At>): void
  /** Counts a test that cannot run here. */
  skip(name?: string, work?: Work<At>): void
  before: Hook<At>
  after: Hook<At>
  run(): void
}

type Hook<At> = ((work: Work<At>) => void) & { each(work: Work<At>): void }

export interface Counts {
  passed: number
  failed: number
  skipped: number
}

/** The suites that were declared and have not run yet. */
const declared: (() => Promise<Counts>)[] = []
let isCollected = false

export function suite<At = Record<string, unknown>>(suiteName: string, at = {} as At): Test<At> {
  const tests: { readonly name: string; readonly work: Work<At> }[] = []
  const before: Work<At>[] = []
  const after: Work<At>[] = []
  const beforeEach: Work<At>[] = []
  const afterEach: Work<At>[] = []
  let skipped = 0
  const all = async (works: readonly Work<At>[]): Promise<void> => {
    for (const work of works) await work(at)
  }
  /** False where it failed, which is told. */
  const holds = async (name: string, work: Work<At>): Promise<boolean> => {
    try {
      await work(at)
      return true
    } catch (problem) {
      process.stdout.write(`  FAIL  ${suiteName} "${name}"\n${reasonOf(problem)}\n`)
      return false
    }
  }
  const runAll = async (): Promise<Counts> => {
    let passed = 0
    if (await holds('before', () => all(before)))
      for (const { name, work } of tests) {
        const runs = await holds(name, async () => {
          await all(beforeEach)
          await work(at)
        })
        if ((await holds(`${name}, after it`, () => all(afterEach))) && runs) passed++
      }
    if (!(await holds('after', () => all(after)))) passed = 0
    return { passed, failed: tests.length - passed, skipped }
  }
  const hook = (once: Work<At>[], each: Work<At>[]): Hook<At> =>
    Object.assign((work: Work<At>) => void once.push(work), {
      each: (work: Work<At>) => void each.push(work),
    })
  return Object.assign((name: string, work: Work<At>) => void tests.push({ name, work }), {
    skip: () => void skipped++,
    before: hook(before, beforeEach),
    after: hook(after, afterEach),
    run: () => {
      declared.push(runAll)
      // A file that was started by itself.
      if (!isCollected) setImmediate(() => void runDeclared().then(tellCounts))
    },
  })
}

/** From now on suites wait for {@link runDeclared}, which whoever imports their files calls. */
export function collectSuites(): void {
  isCollected = true
}

export async function runDeclared(): Promise<Counts> {
  const sum = { passed: 0, failed: 0, skipped: 0 }
  for (const run of declared.splice(0)) {
    const counts = await run()
    for (const key of ['passed', 'failed', 'skipped'] as const) sum[key] += counts[key]
  }
  return sum
}

function tellCounts({ passed, failed, skipped }: Counts): void {
  if (passed + failed + skipped === 0) return
  process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`)
  if (failed > 0) process.exitCode = 1
}

/** The message, how two values differ, and where in the test. */
function reasonOf(problem: unknown): string {
  if (!(problem instanceof Error)) return `    ${String(problem)}`
  const { details } = problem as { readonly details?: unknown }
  const difference = typeof details === 'string' ? details.split('\n') : []
  const at = (problem.stack ?? '')
    .split('\n')
    .filter((line) => /^\s*at /.test(line) && !NOT_THE_TEST.test(line))
  return [problem.message, ...difference, ...at.map((line) => line.trim())]
    .filter((line) => line.trim() !== '')
    .map((line) => `    ${line}`)
    .join('\n')
}

const NOT_THE_TEST = /\(?node:|node_modules|\/test\/(suite|lane)\.ts/
