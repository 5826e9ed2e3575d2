/** Owns findings: problems in what people wrote or exported. They are values, not exceptions, so that all of them are reported together. */
import type { FindingCode } from './finding-codes.ts'

export const SEVERITIES = ['error', 'warning', 'note'] as const

export interface Finding {
  /** An error prevents publication. A warning asks for something; a note does not. Both are shown and stored in the manifest. */
  readonly severity: (typeof SEVERITIES)[number]
  /** The stable code; docs/findings.md explains it. */
  readonly code: FindingCode
  /** What was found, in an accountant's words, with the figures. */
  readonly message: string
  /** Path with `/`, relative to the company's folder, or to the workspace for tieout.yaml; the full path of published files. */
  readonly file: string | null
  /** Row of the spreadsheet or CSV (the header is row 1), or line of a text file. */
  readonly row: number | null
  /** Column header, or key of a YAML file. */
  readonly column: string | null
  /** The text in that place. */
  readonly text: string | null
  /** What to fix, and how. */
  readonly remedy: string | null
}

export type Place = Partial<Pick<Finding, 'file' | 'row' | 'column' | 'text' | 'remedy'>>

/** A cell of a file may hold megabytes, and messages quote cells. What is longer is cut in its middle: the end of a message says what is wrong. */
const MOST_CHARACTERS = { message: 1000, text: 200, remedy: 1000 }

function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const half = most / 2
  return `${text.slice(0, half)}…${text.slice(-half)}`.replace(HALF_CHARACTER, '')
}

/** Matches half of a character that takes two places of a string, left over by a cut. */
const HALF_CHARACTER = /(?<![\ud800-\udbff])[\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])/g

const finding = (
  severity: Finding['severity'],
  code: FindingCode,
  message: string,
  place: Place,
): Finding => ({
  severity,
  code,
  message: cut(message, MOST_CHARACTERS.message),
  file: place.file ?? null,
  row: place.row ?? null,
  column: place.column ?? null,
  text: place.text == null ? null : cut(place.text, MOST_CHARACTERS.text),
  remedy: place.remedy == null ? null : cut(place.remedy, MOST_CHARACTERS.remedy),
})

export const error = (code: FindingCode, message: string, place: Place = {}): Finding =>
  finding('error', code, message, place)
export const warning = (code: FindingCode, message: string, place: Place = {}): Finding =>
  finding('warning', code, message, place)

export const note = (code: FindingCode, message: string, place: Place = {}): Finding =>
  finding('note', code, message, place)

/** Those that ask for something, as pages show and count them. */
export const withoutNotes = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ severity }) => severity !== 'note')

export const hasErrors = (findings: readonly Finding[]): boolean =>
  findings.some((found) => found.severity === 'error')

/** Thrown when work cannot continue. It carries all findings, for exit code 3. */
export class FindingsError extends Error {
  readonly code = 'findings'
  readonly findings: readonly Finding[]
  constructor(findings: readonly Finding[]) {
    const errors = findings.filter((found) => found.severity === 'error')
    super(`${errors.length} finding${errors.length === 1 ? '' : 's'} in the input; nothing was published`)
    this.findings = findings
  }
}

/** What an error says; of findings the errors themselves, each with its place. */
export const reasonOf = (problem: Error): string =>
  problem instanceof FindingsError
    ? problem.findings
        .filter(({ severity }) => severity === 'error')
        .map(lineOf)
        .join('; ')
    : problem.message

function lineOf(found: Finding): string {
  const place = placeOf(found)
  return place === '' ? found.message : `${place}: ${found.message}`
}

/** The place of a finding, for people: `ledger/2025.csv:17, column amount`. */
export function placeOf(found: Finding): string {
  const row = found.row === null ? '' : `:${found.row}`
  const column = found.column === null ? '' : `${found.file === null ? '' : ', '}column ${found.column}`
  return `${found.file ?? ''}${row}${column}`
}
