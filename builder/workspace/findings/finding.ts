/** Owns findings: problems in what people wrote or exported. They are values, not exceptions, so that all of them are reported together. */
import type { FindingCode } from './finding-codes.ts'

export const SEVERITIES = ['error', 'warning', 'note'] as const

export interface Finding {
  /** An error prevents publication. A warning asks for something; a note does not. Both are shown and stored in the manifest. */
  readonly severity: (typeof SEVERITIES)[number]
  /** The stable code; docs/findings.md explains it. */
  readonly code: FindingCode
  /** What was found, in an accountant's words, with the figures; `[…]` stands for each text of `ledgerText`. */
  readonly message: string
  /** Path with `/`, relative to the company's folder, or to the workspace for tieout.yaml; the full path of published files. */
  readonly file: string | null
  /** Row of the spreadsheet or CSV (the header is row 1), or line of a text file. */
  readonly row: number | null
  /** Column header, or key of a YAML file. */
  readonly column: string | null
  /** The text in that place. */
  readonly text: string | null
  /** What to fix, and how; `[…]` as in the message. */
  readonly remedy: string | null
  /**
   * What message and remedy quote of entries (their ids, memos, parties and references), in their order; null where they quote nothing.
   * Only who may read the ledger gets it. Absent in manifests of earlier versions, which quote in the message.
   */
  readonly ledgerText?: readonly string[] | null
}

export type Place = Partial<Pick<Finding, 'file' | 'row' | 'column' | 'text' | 'remedy'>>

/** A cell of a file may hold megabytes, and messages quote cells. What is longer is cut in its middle: the end of a message says what is wrong. */
const MOST_CHARACTERS = { message: 4000, text: 200, remedy: 4000 }

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
): Finding => {
  const quoted: string[] = []
  const said = (text: string, most: number) =>
    cut(
      text.replace(QUOTED, (_, of: string) => {
        quoted.push(cut(of, most))
        return LEFT_OUT_TEXT
      }),
      most,
    )
  return {
    severity,
    code,
    message: said(message, MOST_CHARACTERS.message),
    file: place.file ?? null,
    row: place.row ?? null,
    column: place.column ?? null,
    text: place.text == null ? null : cut(place.text, MOST_CHARACTERS.text),
    remedy: place.remedy == null ? null : said(place.remedy, MOST_CHARACTERS.remedy),
    ledgerText: quoted.length === 0 ? null : quoted,
  }
}

/** Stands in a message in place of a text of the ledger. */
export const LEFT_OUT_TEXT = '[…]'
/** Two control characters around a text of the ledger, on its way into a finding. */
const [BEGIN, END] = ['\u0002', '\u0003']
const QUOTED = new RegExp(`${BEGIN}([^${BEGIN}${END}]*)${END}?`, 'g')

/** Marks a text of an entry (id, memo, party, reference) in a message, so that the finding keeps it apart, in `ledgerText`. */
export const ofLedger = (text: string): string => BEGIN + text.replace(/[\u0002\u0003]/g, '') + END

/** The finding with the texts of the ledger in its message, for whoever may read the ledger; `ledgerText` has those without a place there. */
export function spelledOut<F extends Pick<Finding, 'message' | 'remedy' | 'ledgerText'>>(found: F): F {
  const left = [...(found.ledgerText ?? [])]
  const filled = (text: string) => text.replaceAll(LEFT_OUT_TEXT, () => left.shift() ?? LEFT_OUT_TEXT)
  return {
    ...found,
    message: filled(found.message),
    remedy: found.remedy === null ? null : filled(found.remedy),
    ledgerText: left.length > 0 ? left : null,
  }
}

export const error = (code: FindingCode, message: string, place: Place = {}): Finding =>
  finding('error', code, message, place)
export const warning = (code: FindingCode, message: string, place: Place = {}): Finding =>
  finding('warning', code, message, place)

export const note = (code: FindingCode, message: string, place: Place = {}): Finding =>
  finding('note', code, message, place)

/** The findings that ask for something, as pages show and count them. */
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

/** The text of an error; that of a {@link FindingsError} lists its errors, each with its place. */
export const reasonOf = (problem: Error): string =>
  problem instanceof FindingsError
    ? problem.findings
        .filter(({ severity }) => severity === 'error')
        .map(lineOf)
        .join('; ')
    : problem.message

function lineOf(found: Finding): string {
  const place = placeOf(found)
  const { message } = spelledOut(found)
  return place === '' ? message : `${place}: ${message}`
}

/** The findings without repetitions: one mistake in company.yaml is found in every file that it affects. */
export const distinct = (findings: readonly Finding[]): Finding[] => [
  ...new Map(findings.map((found) => [JSON.stringify(found), found])).values(),
]

/** The place of a finding, for people: `ledger/2025.csv:17, column amount`. */
function placeOf(found: Finding): string {
  const row = found.row === null ? '' : `:${found.row}`
  const column = found.column === null ? '' : `${found.file === null ? '' : ', '}column ${found.column}`
  return `${found.file ?? ''}${row}${column}`
}
