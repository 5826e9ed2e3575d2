/**
 * Keeps the program's compiled code between runs, where Node can (22.8 and later). It lies in the user's own cache folder:
 * whoever may write there decides what runs here, so the system's temporary folder is no place for it.
 */
import * as module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

interface CompileCache {
  enableCompileCache?(folder: string): unknown
}

/** A folder that cannot be written is no failure: nothing is kept then. */
export function keepCompiledCode(env = process.env): void {
  const cache = env.XDG_CACHE_HOME || join(homedir(), '.cache')
  ;(module as CompileCache).enableCompileCache?.(join(cache, 'tieout'))
}
