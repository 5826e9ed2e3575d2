/** The scratch folder through which files of a job go to the cluster and back. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { isRunning } from '../../system/running.ts'
import { type ScratchFolder, scratchFolder } from '../../system/scratch-folder.ts'
import { error, FindingsError } from '../../workspace/findings/finding.ts'

/** Whether a statement wrote its result into a folder. */
export const holdsResult = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.parquet'))

/** A new folder in the scratch folder. Those of builds that were killed are removed first. */
export function scratchFor(company: string, parent: string): ScratchFolder {
  const own = `${company}-${hostname()}`
  try {
    mkdirSync(parent, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(parent)) {
      const [, pid] = /-(\d+)-\w+$/.exec(name) ?? []
      if (name.startsWith(`tieout-${own}-`) && !isRunning(Number(pid)))
        rmSync(join(parent, name), { recursive: true, force: true })
    }
    return scratchFolder(`${own}-${process.pid}`, parent)
  } catch (problem) {
    throw new FindingsError([
      error(
        'engine-scratch',
        `the scratch folder of the engine cannot be used: ${(problem as Error).message}`,
        {
          remedy: 'make it writable, or name another one as engine.scratch in tieout.yaml',
        },
      ),
    ])
  }
}
