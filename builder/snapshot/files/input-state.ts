/** Identifies the state of a source that was read: by the hash of its bytes, or by what a store says of its object. */
import type { InputEntry, Manifest } from './manifest.ts'

/**
 * The `Format` of an entry that is the published snapshot of a group's member. Its `File` is company and snapshot, its `ETag` the
 * SHA-256 of the manifest.
 */
export const MEMBER_FORMAT = 'snapshot'

export interface NamedMember {
  readonly company: string
  readonly snapshotId: string
  readonly manifestHash: string
}

/** The snapshot of a group's member that an entry is; null for all others. */
export function memberOf({
  File,
  Format,
  ETag = '',
}: Pick<InputEntry, 'File' | 'Format' | 'ETag'>): NamedMember | null {
  if (Format !== MEMBER_FORMAT) return null
  const [company = '', ...rest] = File.split('/')
  return { company, snapshotId: rest.join('/'), manifestHash: ETag }
}

/** The snapshots of members that the snapshot of a group was made from; none where its manifest cannot be read. */
export const membersNamed = (manifest: Pick<Manifest, 'Inputs'> | null): NamedMember[] =>
  (manifest?.Inputs ?? []).flatMap((input) => memberOf(input) ?? [])

/** The members of an entry that identify the state that was read. */
type InputState = Pick<InputEntry, 'Format' | 'Sha256' | 'ETag' | 'VersionId'>

/**
 * The state of a source, for people. A hash proves which bytes were read, to whoever has the bytes; an ETag is the word of a store, and
 * proves that its object was not replaced since. The member of a group is named by the hash of its manifest.
 */
export const stateText = ({ Format, Sha256, ETag = '', VersionId }: InputState): string =>
  Sha256 === null
    ? Format === MEMBER_FORMAT
      ? `manifest ${ETag}`
      : `ETag ${ETag}${VersionId === undefined ? '' : `, version ${VersionId}`}`
    : `SHA-256 ${Sha256}`
