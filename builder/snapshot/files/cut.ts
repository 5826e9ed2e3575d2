/** Removes from a manifest what quotes ledger entries or what people typed, for readers who may see figures but no entries. */
import { type Finding, LEFT_OUT_TEXT } from '../../workspace/findings/finding.ts'
import type { InputEntry, Manifest } from './manifest.ts'

/** A cut manifest is not the published one, so no signature covers it; it names the hash of the published one. */
type CutManifest = Manifest & { readonly Cut: true; readonly ManifestSha256: string }

/**
 * The finding without texts of entries. Earlier versions quoted them in the message: then only the code and the place
 * are left, and docs/findings.md says what the code means.
 */
export const cutFinding = (found: Finding): Finding => ({
  ...found,
  ...(isQuoting(found) ? { message: LEFT_OUT_TEXT, remedy: null } : {}),
  text: null,
  ledgerText: null,
})

/** Whether the message may quote entries: a finding of an earlier version does not say. */
export const isQuoting = ({ ledgerText }: Finding): boolean => ledgerText === undefined

const needsCut = (found: Finding): boolean =>
  isQuoting(found) || found.text !== null || found.ledgerText !== null

/**
 * Titles and footers are what somebody wrote in a source, and numbers of entries are ids of entries. Who answered questions about
 * the company is named as those are who published and approved.
 */
const cutInput = (input: InputEntry): InputEntry => {
  const { Stated: _, Numbers: __, ...rest } = input
  return input.Role === 'configuration' ? input : rest
}
const needsCutInput = ({ Role, Stated, Numbers }: InputEntry): boolean =>
  Role !== 'configuration' && (Stated ?? Numbers) !== undefined

/** Whether {@link cutManifest} would leave something out. */
export const hasEntryText = ({ Inputs, Warnings, Restatement }: Manifest): boolean =>
  Warnings.some(needsCut) || Inputs.some(needsCutInput) || (Restatement?.Reason ?? null) !== null

export const cutManifest = (manifest: Manifest, ManifestSha256: string): CutManifest => ({
  ...{ Cut: true, ManifestSha256 },
  ...manifest,
  Inputs: manifest.Inputs.map(cutInput),
  Warnings: manifest.Warnings.map(cutFinding),
  ...(manifest.Restatement ? { Restatement: { ...manifest.Restatement, Reason: null } } : {}),
})
