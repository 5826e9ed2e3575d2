/**
 * What of a manifest quotes entries or says what people typed, and the manifest without it, for whoever may see figures and not
 * entries.
 */
import { type Finding, LEFT_OUT } from '../workspace/finding.ts'
import type { Manifest } from './manifest.ts'

/** A manifest that is not the published one: it lacks what it must not show, and no signature is of it. */
export type CutManifest = Manifest & { readonly Cut: true; readonly ManifestSha256: string }

/**
 * The finding without texts of entries. Earlier versions quoted them in the message: of such a finding its code and its place are left,
 * and docs/findings.md says what the code means.
 */
export const cutFinding = (found: Finding): Finding => ({
  ...found,
  ...(isQuoting(found) ? { message: LEFT_OUT, remedy: null } : {}),
  text: null,
  ledgerText: null,
})

/** Whether the message itself may quote entries, since nothing says that it does not. */
export const isQuoting = ({ ledgerText }: Finding): boolean => ledgerText === undefined

const needsCut = (found: Finding): boolean =>
  isQuoting(found) || found.text !== null || found.ledgerText !== null

/** Whether {@link cutManifest} would leave something out. */
export const hasEntryText = ({ Warnings, Restatement }: Manifest): boolean =>
  Warnings.some(needsCut) || (Restatement?.Reason ?? null) !== null

export const cutManifest = (manifest: Manifest, ManifestSha256: string): CutManifest => ({
  ...{ Cut: true, ManifestSha256 },
  ...manifest,
  Warnings: manifest.Warnings.map(cutFinding),
  ...(manifest.Restatement ? { Restatement: { ...manifest.Restatement, Reason: null } } : {}),
})
