/** Identifies the state of a source that was read: by the hash of its bytes, or by what a store says of its object. */
import type { InputEntry } from './manifest.ts'

/** The members of an entry that identify the state that was read. */
type InputState = Pick<InputEntry, 'Format' | 'Sha256' | 'ETag' | 'VersionId'>

/**
 * The state of a source, for people. A hash proves which bytes were read, to whoever has the bytes; an ETag is the word of a store, and
 * proves that its object was not replaced since. The member of a group is named by the hash of its manifest.
 */
export const stateText = ({ Format, Sha256, ETag = '', VersionId }: InputState): string =>
  Sha256 === null
    ? Format === 'snapshot'
      ? `manifest ${ETag}`
      : `ETag ${ETag}${VersionId === undefined ? '' : `, version ${VersionId}`}`
    : `SHA-256 ${Sha256}`
