/** What can be wrong with published snapshots and with archives of them, each with its name and a sentence that says where. */

export type DamageKind =
  | 'pointer-missing'
  | 'pointer-unreadable'
  | 'rolled-back'
  | 'snapshot-missing'
  | 'log'
  | 'log-cut'
  | 'log-missing'
  | 'unexpected'
  | 'manifest-missing'
  | 'manifest-unreadable'
  | 'manifest-exchanged'
  | 'manifest-misplaced'
  | 'content-hash'
  | 'signature'
  | 'signature-missing'
  | 'unsigned'
  | 'format'
  | 'foreign-key'
  | 'unapproved'
  | 'ended-key'
  | 'missing'
  | 'truncated'
  | 'changed'
  | 'swapped'
  | 'no-file'
  | 'extra'
  | 'books'
  | 'inputs'
  | 'sources'
  | 'figures'
  | 'tie-out'
  | 'restatement'
  | 'stamp'
  | 'bag-declaration'
  | 'bag-manifest'
  | 'bag-path'
  | 'bag-info'
  | 'bag-missing'
  | 'bag-changed'
  | 'bag-extra'
  | 'bag-payload'
  | 'zip'

export interface Damage {
  readonly kind: DamageKind
  /** Null where it concerns the company's folder: its pointer, a snapshot that is gone. */
  readonly snapshotId: string | null
  /** Within the snapshot, or within the company's folder. */
  readonly path: string | null
  readonly message: string
}

/** A file of a snapshot is missing or is not what the manifest says; the message names it. */
export class SnapshotDamagedError extends Error {
  readonly code = 'snapshot-damaged'
}
