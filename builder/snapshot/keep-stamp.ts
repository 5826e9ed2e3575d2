/** Puts the time stamp of a manifest into its place in a company's folder; whoever calls holds the company's lock. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolders, replaceFile } from '../workspace/durable.ts'
import { type Effects, MODES } from '../workspace/effects.ts'
import { STAMPS, stampPath } from './layout.ts'

/**
 * In one step, so that a process that is killed leaves a whole stamp or none. One that is there already stays: both are over
 * the same manifest. `hash` is the manifest's SHA-256.
 */
export function keepStamp(folder: string, hash: string, answer: Buffer, effects: Effects): void {
  for (const made of makeFolders(join(folder, STAMPS), effects)) effects.syncFolder(dirname(made))
  const path = stampPath(folder, hash)
  if (!existsSync(path)) replaceFile(path, answer, MODES.published, effects)
}
