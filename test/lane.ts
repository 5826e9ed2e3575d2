/** One of the processes that `run.ts` gives test files to, one at a time. What a file prints goes there with its counts. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { takeCores } from './one-core.ts'
import { type Counts, runDeclared } from './suite.ts'

/** What a lane sends: text that the file under way prints, and then its counts. */
export type Told = { readonly text: string } | { readonly counts: Counts }

const tell = (told: Told, then?: () => void): void =>
  void process.send?.(told, undefined, undefined, () => then?.())

/** What is made once in this process, for the files that it runs, may lie here. */
const TEMPORARY = tmpdir()
process.env.TEST_TMPDIR = TEMPORARY

/** What the tests of a file leave among temporary files goes when the file is done: they need not remove it. */
async function runFile(file: string): Promise<Counts> {
  takeCores(file)
  const folder = mkdtempSync(join(TEMPORARY, 'file-'))
  // Servers that tests start as another user have folders of their own below it.
  chmodSync(folder, 0o711)
  process.env.TMPDIR = folder
  try {
    await import(pathToFileURL(file).href)
    const counts = await runDeclared()
    if (counts.passed + counts.failed + counts.skipped > 0) return counts
    throw new Error('the file has no tests, or its suite is not that of test/suite.ts')
  } catch (problem) {
    tell({ text: `  FAIL  ${textOf(problem)}\n` })
    return { passed: 0, failed: 1, skipped: 0 }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

const textOf = (problem: unknown): string =>
  problem instanceof Error ? (problem.stack ?? problem.message) : String(problem)

const write = ((text: string | Uint8Array): boolean => {
  tell({ text: typeof text === 'string' ? text : Buffer.from(text).toString('utf8') })
  return true
}) as typeof process.stdout.write
process.stdout.write = write
process.stderr.write = write

// Thrown where nobody waits: the process cannot go on, but the file gets its name on it.
process.on('uncaughtException', (problem) => {
  tell({ text: `  FAIL  ${textOf(problem)}\n` }, () => process.exit(1))
})
process.on('message', (file: string) => {
  // No more files; whatever a test left open, the process ends.
  if (file === '') process.exit(0)
  void runFile(file).then((counts) => tell({ counts }))
})
