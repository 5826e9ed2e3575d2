/**
 * In `npm test` each process that runs tests takes one core, as a build does beside others: there are more of these processes than cores,
 * and threads that wait for each other's cores cost a fifth of the time. In `npm run test:all` a third of the files `*.all.test.ts`, and of
 * the others one in ten, use the whole machine, other files every day; those about threads always do.
 */
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { basename } from 'node:path'
import { seed } from './seed.ts'

const whole = os.availableParallelism
/** Null for those of the machine. */
let cores: number | null = 1
os.availableParallelism = () => cores ?? whole()
syncBuiltinESMExports()

const ABOUT_THREADS = /workers|threads|parallel|memory/

/** Decides it for a file, before it is loaded. */
export function takeCores(file: string): void {
  const name = basename(file)
  const isWhole =
    ABOUT_THREADS.test(name) || (name.length + seed) % (name.endsWith('.all.test.ts') ? 3 : 10) === 0
  cores = process.env.TEST_ALL === '1' && isWhole ? null : 1
}

/** Does it as on a machine of so many cores. */
export async function onCores<T>(count: number, work: () => Promise<T>): Promise<T> {
  const before = cores
  cores = count
  try {
    return await work()
  } finally {
    cores = before
  }
}
