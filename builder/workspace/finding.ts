/** Problems in what people gave us are values, not exceptions: they are collected, then decided on together. */

import type { FindingCode } from './finding-codes.ts'

export interface Finding {
  /** An error forbids publication; a warning is shown and kept in the manifest. */
  readonly severity: 'error' | 'warning'
  /** Stable; docs/findings.md has each of them, with its cause and what to do. */
  readonly code: FindingCode
  /** What is wrong, in an accountant's words, with the figures. */
  readonly message: string
  /** Path relative to the company's folder (or the workspace, for tieout.yaml), `/` separated; of what is published the whole path. */
  readonly file: string | null
  /** Row of the spreadsheet or CSV (the header is row 1), or line of a text file. */
  readonly row: number | null
  /** Column header, or key of a YAML file. */
  readonly column: string | null
  /** The text found there. */
  readonly text: string | null
  /** What to do about it. */
  readonly remedy: string | null
}

type Place = Partial<Pick<Finding, 'file' | 'row' | 'column' | 'text' | 'remedy'>>

const finding = (
  severity: Finding['severity'],
  code: FindingCode,
  message: string,
  place: Place,
): Finding => ({
  severity,
  code,
  message,
  file: place.file ?? null,
  row: place.row ?? null,
  column: place.column ?? null,
  text: place.text ?? null,
  remedy: place.remedy ?? null,
})

export const error = (code: FindingCode, message: string, place: Place = {}): Finding =>
  finding('error', code, message, place)
export const warning = (code: FindingCode, message: string, place: Place = {}): Finding =>
  finding('warning', code, message, place)

export const hasErrors = (findings: readonly Finding[]): boolean =>
  findings.some((found) => found.severity === 'error')

/** Thrown where work cannot go on; carries all that was found, for exit code 3. */
export class FindingsError extends Error {
  readonly code = 'findings'
  readonly findings: readonly Finding[]
  constructor(findings: readonly Finding[]) {
    const errors = findings.filter((found) => found.severity === 'error')
    super(`${errors.length} finding${errors.length === 1 ? '' : 's'} in the input; nothing was published`)
    this.findings = findings
  }
}

/** `ledger/2025.csv:17, column amount`: where a finding is, for people. */
export function placeOf(found: Finding): string {
  const row = found.row === null ? '' : `:${found.row}`
  const column = found.column === null ? '' : `${found.file === null ? '' : ', '}column ${found.column}`
  return `${found.file ?? ''}${row}${column}`
}
