/** Stores the time stamp of a manifest in a company's folder. The caller holds the company's lock. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolders, replaceFile } from '../../system/durable.ts'
import { type Effects, MODES } from '../../system/effects.ts'
import { STAMPS, stampPath } from '../files/layout.ts'

/**
 * Writes the stamp in one step, so that a killed process leaves a complete stamp or none. A stamp that is there already stays,
 * because both are for the same manifest. `hash` is the manifest's SHA-256.
 */
export function keepStamp(folder: string, hash: string, answer: Buffer, effects: Effects): void {
  for (const made of makeFolders(join(folder, STAMPS), effects)) effects.syncFolder(dirname(made))
  const path = stampPath(folder, hash)
  if (!existsSync(path)) replaceFile(path, answer, MODES.published, effects)
}
