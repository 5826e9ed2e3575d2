/** The paths of the pages of a report, and how other pages link to them. */
import { BASES, type Basis } from '../../contract/vocabulary.ts'
import { segment } from '../../snapshot/files/layout.ts'

/** The page that browsers open first. */
export const FIRST_PAGE = 'index.html'
export const STYLE_SHEET = 'report.css'
/** The style of pages that no snapshot keeps; published pages keep the style that they were published with. */
export const STYLE_SHEET_AROUND = 'around.css'
export const CERTIFICATE = 'certificate.html'
export const HISTORY = 'history.html'
export const SEARCH = 'search.html'

/** A member of a dimension that statements are filtered by. */
export interface Filter {
  readonly kind: 'all' | 'class' | 'department'
  readonly id: string | null
  readonly label: string
}

export const ALL: Filter = { kind: 'all', id: null, label: 'All' }

/** Every page of statements lies in a folder of its basis and filter. */
export const statementFolder = (basis: Basis, { kind, id }: Filter): string =>
  `${basis.toLowerCase()}/${id === null ? 'all' : `${kind}-${segment(id, 'all')}`}/`

/** Pages of statements for another month than that of the report lie in a folder of the month, below which they have the same paths. */
export const monthFolder = (month: string): string => `months/${month}/`

/** Reads the month and the path below its folder; null where the page does not lie in the folder of a month. */
export function placeInMonth(path: string): { readonly month: string; readonly path: string } | null {
  const [, month = '', below = ''] = /^months\/(\d{4}-\d{2})\/(.+)$/.exec(path) ?? []
  return month === '' ? null : { month, path: below }
}

/**
 * The page of an account and a fiscal year, below the pages of statements that lead there: short addresses, since every figure
 * has one. `start` is the first month that the books have of the year. The month is a place on the page.
 */
export const accountPagePath = (basis: Basis, account: string, start: string): string =>
  `${statementFolder(basis, ALL)}accounts/${segment(account, 'all')}/${start}.html`

/** Reads the account of a page from its path; null where it is not a page of an account. */
export function accountOfPage(path: string): { readonly basis: Basis; readonly segment: string } | null {
  for (const basis of BASES) {
    const folder = `${statementFolder(basis, ALL)}accounts/`
    const [name, ...rest] = path.startsWith(folder) ? path.slice(folder.length).split('/') : []
    if (name !== undefined && rest.length > 0) return { basis, segment: name }
  }
  return null
}

/** Encodes a path as an address: a folder's name may hold a percent sign, which an address would decode. */
export const addressOf = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** The relative path from a page to the report's folder. */
export const wayUp = (path: string): string => '../'.repeat(path.split('/').length - 1)
