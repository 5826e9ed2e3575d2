/** Defines the kinds of damage to published snapshots and to archives of them. */
import { FIGURE_LIMIT, minorFromJson } from '../../contract/currency.ts'

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
  /** Null for damage to the company's folder, such as its pointer or a missing snapshot. */
  readonly snapshotId: string | null
  /** The path of the file within the snapshot, or within the company's folder. */
  readonly path: string | null
  readonly message: string
}

/** Thrown when a file of a snapshot is missing or differs from the manifest; the message names it. */
export class SnapshotDamagedError extends Error {
  readonly code = 'snapshot-damaged'
}

/** A figure of a document in minor units. Throws {@link SnapshotDamagedError} where no document can state it; `place` is for the message. */
export function publishedMinor(value: number, decimals: number, place: string): number {
  const minor = minorFromJson(value, decimals)
  if (Math.abs(minor) < FIGURE_LIMIT) return minor
  throw noFigure(place, value)
}

export const noFigure = (place: string, value: number | null): SnapshotDamagedError =>
  new SnapshotDamagedError(`${place} states ${value}, which no figure can be; see "tieout verify"`)

/** Damage of the company as a whole, not of one of its snapshots. */
export const ofCompany = (kind: DamageKind, path: string, message: string): Damage => ({
  kind,
  snapshotId: null,
  path,
  message,
})
