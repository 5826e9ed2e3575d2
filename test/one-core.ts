/**
 * In `npm test` each process that runs tests takes one core, as a build does beside others: there are more of these processes than cores,
 * and threads that wait for each other's cores cost a fifth of the time. In `npm run test:all` the files `*.all.test.ts`, and of the others
 * one in ten, use the whole machine.
 */
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { basename } from 'node:path'
import { seed } from './seed.ts'

const whole = os.availableParallelism
let isAlone = true
os.availableParallelism = () => (isAlone ? 1 : whole())
syncBuiltinESMExports()

/** Decides it for a file, before it is loaded. */
export function takeCores(file: string): void {
  const isWhole = file.endsWith('.all.test.ts') || (basename(file).length + seed) % 10 === 0
  isAlone = process.env.TEST_ALL !== '1' || !isWhole
}
