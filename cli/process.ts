/** The command as a process of its own: its arguments, its streams, the signals that stop it, and its exit code. */
import * as module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { main, report } from './main.ts'
import { stopOnSignals } from './terminal/stopping.ts'
import { print } from './terminal/terminal.ts'

const argv = process.argv.slice(2)

// In "tieout check | head" the reader closes the pipe once it has read enough.
process.stdout.on('error', (problem: NodeJS.ErrnoException) => {
  if (problem.code === 'EPIPE') process.exit(process.exitCode ?? 0)
  process.exit(report(Object.assign(problem, { path: 'the output' }), argv, process))
})

keepCompiledCode()
stopOnSignals((message) => print(process.stderr, message))

/**
 * Node.js ends without an error when nothing is left to wait for and a promise never settled. That must not look like success.
 */
let isThrough = false
process.once('beforeExit', () => {
  if (!isThrough)
    process.exitCode = report(new Error('the command ended before its work was done'), argv, process)
})

void main(argv, process).then((exitCode) => {
  process.exitCode = exitCode
  isThrough = true
})

interface CompileCache {
  enableCompileCache?(folder: string): unknown
}

/**
 * Keeps the program's compiled code between runs, where Node can (22.8 and later). It lies in the user's own cache folder:
 * whoever may write there decides what runs here, so the system's temporary folder is no place for it. A folder that cannot be
 * written is no failure: nothing is kept then.
 */
function keepCompiledCode(): void {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  ;(module as CompileCache).enableCompileCache?.(join(cache, 'tieout'))
}
