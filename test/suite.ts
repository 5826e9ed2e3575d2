/**
 * What declares tests: `const test = suite('name')` and `test('behaviour', () => …)`; they run when their file was read. Hooks may
 * stand before and after all tests or each; what they set on the object that each gets, the tests get. What a hook throws is told,
 * and fails the tests that it was for.
 */
type Work<At> = (at: At) => unknown

export interface Test<At = Record<string, unknown>> {
  (name: string, work: Work<At>): void
  /** Counts a test that cannot run here. */
  skip(name?: string, work?: Work<At>): void
  /** Counts all tests as skipped, and says why, unless nothing is missing. */
  needs(missing: string | null): void
  before: Hook<At>
  after: Hook<At>
}

type Hook<At> = ((work: Work<At>) => void) & { each(work: Work<At>): void }

export interface Counts {
  passed: number
  failed: number
  skipped: number
}

/** The suites that were declared and have not run yet. */
const declared: (() => Promise<Counts>)[] = []

export function suite<At = Record<string, unknown>>(suiteName: string, at = {} as At): Test<At> {
  const tests: { readonly name: string; readonly work: Work<At> }[] = []
  const before: Work<At>[] = []
  const after: Work<At>[] = []
  const beforeEach: Work<At>[] = []
  const afterEach: Work<At>[] = []
  let skipped = 0
  let lacks: string | null = null
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
  declared.push(async () => {
    if (lacks !== null) {
      process.stdout.write(`${lacks}\n`)
      return { passed: 0, failed: 0, skipped: Math.max(tests.length, 1) }
    }
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
  })
  const hook = (once: Work<At>[], each: Work<At>[]): Hook<At> =>
    Object.assign((work: Work<At>) => void once.push(work), {
      each: (work: Work<At>) => void each.push(work),
    })
  return Object.assign((name: string, work: Work<At>) => void tests.push({ name, work }), {
    skip: () => void skipped++,
    needs: (missing: string | null) => {
      lacks ??= missing
    },
    before: hook(before, beforeEach),
    after: hook(after, afterEach),
  })
}

/** Runs what the files that were read since declared. */
export async function runDeclared(): Promise<Counts> {
  const sum = { passed: 0, failed: 0, skipped: 0 }
  for (const run of declared.splice(0)) {
    const counts = await run()
    for (const key of ['passed', 'failed', 'skipped'] as const) sum[key] += counts[key]
  }
  return sum
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
