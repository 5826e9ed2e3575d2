/** Checks that the files of one folder are of one company, for formats that state a registration number. */
import { error, type Finding } from '../../workspace/findings/finding.ts'

export interface NamedFile {
  readonly file: string
  /** The registration number as the file writes it; null where it states none. */
  readonly registration: string | null
  /** The row, and the tag or element, where it stands. */
  readonly row?: number
  readonly column?: string
}

/**
 * Compares each file with the first that names a company, by the digits alone: programs write 556000-0001 and
 * 5560000001 of one company. `label` stands before the number in messages, such as `SIREN`.
 */
export function ofOneCompany(files: readonly NamedFile[], label = ''): Finding[] {
  const named = files.flatMap(({ registration, ...file }) =>
    registration === null || digitsOf(registration) === '' ? [] : [{ ...file, registration }],
  )
  const [known] = named
  if (known === undefined) return []
  const shown = (registration: string) => `${label} ${registration}`.trimStart()
  return named
    .filter(({ registration }) => digitsOf(registration) !== digitsOf(known.registration))
    .map(({ registration, ...place }) =>
      error(
        'different-companies',
        `this is a file of ${shown(registration)}, ${known.file} one of ${shown(known.registration)}`,
        { ...place, text: registration, remedy: 'give each company its own folder' },
      ),
    )
}

const digitsOf = (registration: string): string => registration.replace(/\D/g, '')
