/** Proposes `words` in company.yaml: what the files call the two dimensions, where that is not class or department. */
import { capitalised } from '../../contract/listed.ts'
import type { CompanyEdit, Setting } from '../../workspace/company-edit.ts'
import { isMemberHeader } from '../tables/tags.ts'

/** A dimension or column of the files, and what it is read as. */
export interface Called {
  readonly name: string
  readonly target: string
}

const PLAIN = {
  class: /^(?:class|klass|klasse|classe)(?:s|es)?$/i,
  department: /^(?:department|dept|dep)s?[.]?$/i,
} as const
const LONGEST = 40

/** Writes what the files call each dimension, unless several are read as the same one. Nothing where the company has its words. */
export function proposeWords(edit: CompanyEdit, called: readonly Called[]): void {
  const words: Record<string, string> = {}
  for (const target of ['class', 'department'] as const) {
    const names = new Set(called.filter((each) => each.target === target).map(({ name }) => wordIn(name)))
    const [name = ''] = names
    if (names.size === 1 && name !== '' && name.length <= LONGEST && !PLAIN[target].test(name))
      words[target] = name
  }
  if (Object.keys(words).length > 0)
    edit.answer('words', words, 'what your files call classes and departments, and what statements call them')
}

/** The columns of a ledger's column map whose headers say what they are. */
export const calledInMap = (columns: Setting = {}): Called[] =>
  Object.entries(columns).flatMap(([target, name]) =>
    typeof name === 'string' && isMemberHeader(name) ? [{ name, target }] : [],
  )

/** `Location Full Name` → `Location` */
const wordIn = (name: string): string =>
  capitalised(name.replace(/ (?:full name|name|code|id|no[.]?)$/i, '').trim())

/** What the name of a file says that a list of ids and names is; null where it does not say it. */
export const listKind = (name: string): 'classes' | 'departments' | null => {
  const isClass = /class|klass|proje[ck]t/i.test(name)
  const isDepartment = /dep|avd|cost.?cent|location/i.test(name)
  return isClass === isDepartment ? null : isClass ? 'classes' : 'departments'
}
