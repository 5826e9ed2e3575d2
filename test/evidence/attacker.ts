/** What somebody who can write the snapshots, but has no key of the publisher, does to them with tools of their own. */
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LOG, MANIFEST, POINTER, parseSnapshotId, SIGNATURE } from '../../builder/snapshot/files/layout.ts'
import {
  encodeManifest,
  type Manifest,
  type Pointer,
  reasonIn,
} from '../../builder/snapshot/files/manifest.ts'
import type { Signer } from '../../builder/snapshot/keys/key-file.ts'
import { composeLine, readLog } from '../../builder/snapshot/log/log.ts'
import type { EventDetails, LogEvent } from '../../builder/snapshot/log/log-record.ts'
import { sha256 } from '../../builder/system/hash.ts'

/** A copy that can be written to. */
export function copyOf(from: string, to: string): string {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true })
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink())
      chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
  return to
}

/** In the order of publication: by month, then revision. */
export const snapshotsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => parseSnapshotId(name))
    .sort()

export const manifestOf = (folder: string, id: string): Manifest =>
  JSON.parse(readFileSync(join(folder, id, MANIFEST), 'utf8')) as Manifest

/** Writes a manifest, and signs it with a key of one's own, or not at all; gives its hash. */
export async function writeManifest(
  folder: string,
  id: string,
  signer: Signer | null,
  change: (manifest: Manifest) => Manifest,
): Promise<Pointer> {
  const { KeyId: _, ...Build } = manifestOf(folder, id).Build
  const manifest = change({ ...manifestOf(folder, id), Build })
  const bytes = encodeManifest({
    ...manifest,
    Build: { ...manifest.Build, ...(signer ? { KeyId: signer.keyId } : {}) },
  })
  writeFileSync(join(folder, id, MANIFEST), bytes)
  rmSync(join(folder, id, SIGNATURE), { force: true })
  if (signer) writeFileSync(join(folder, id, SIGNATURE), await signer.sign(bytes))
  return { SnapshotId: id, ManifestSha256: sha256(bytes) }
}

/** The whole history of a company once more: every manifest, the log and the pointer, all of which agree with each other. */
export async function rewriteHistory(
  folder: string,
  signer: Signer | null,
  change: (manifest: Manifest) => Manifest = (manifest) => manifest,
  /** Of each line; that of the manifest unless given. */
  reason?: string | null,
): Promise<void> {
  rmSync(join(folder, LOG), { force: true })
  let before: Pointer | null = null
  for (const id of snapshotsIn(folder)) {
    const { hashes } = await readLog(folder)
    const LogSha256 = hashes.at(-1) ?? null
    before = await writeManifest(folder, id, signer, (manifest) => {
      const changed = change(manifest)
      return {
        ...changed,
        Previous: before,
        ...(changed.Format > 1 ? { ComparedWith: before } : {}),
        Build: { ...changed.Build, LogSha256 },
      }
    })
    const stated = reason === undefined ? reasonIn(manifestOf(folder, id)) : reason
    await addLine(folder, 'publish', before, signer, {}, stated)
  }
  point(folder, before!)
}

/** One more line of the log, which follows the one before it, whether it may stand there or not. */
export async function addLine(
  folder: string,
  event: LogEvent,
  pointer: Pointer,
  signer: Signer | null,
  details: EventDetails = {},
  reason: string | null = 'a reason that sounds well',
): Promise<void> {
  const line = await composeLine(await readLog(folder), event, pointer, reason, signer, details)
  writeLines(folder, [...linesOf(folder), line])
}

export const pointerTo = (folder: string, id: string): Pointer => ({
  SnapshotId: id,
  ManifestSha256: sha256(readFileSync(join(folder, id, MANIFEST))),
})

export const point = (folder: string, pointer: Pointer): void =>
  writeFileSync(join(folder, POINTER), `${JSON.stringify(pointer)}\n`)

export function linesOf(folder: string): string[] {
  return existsSync(join(folder, LOG)) ? readFileSync(join(folder, LOG), 'utf8').trimEnd().split('\n') : []
}

export const writeLines = (folder: string, lines: readonly string[]): void =>
  writeFileSync(join(folder, LOG), lines.map((line) => `${line}\n`).join(''))

/** What a manifest states of its program, of one that is neither this one nor a released one. */
export const ofAnotherProgram = ({ Tool, Build }: Manifest): Pick<Manifest, 'Tool' | 'Build'> => ({
  Tool: { ...Tool, Version: '1.1.0+eeeeeeee' },
  Build: { ...Build, Program: 'e'.repeat(64) },
})
