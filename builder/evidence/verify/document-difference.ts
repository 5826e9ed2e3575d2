/**
 * Says how a published document differs from the one that its books or sources give. Another program may word a document differently:
 * its layout, the names of computed rows and explanations. Whatever else it states counts as much as its figures.
 */

import { changesBetween } from '../../contract/document-changes.ts'
import { notJson, parseJson } from '../../contract/json.ts'
import { andMore } from '../../contract/listed.ts'
import { COMPUTED_ROWS } from '../../contract/vocabulary.ts'

interface DocumentDifference {
  /** `unreadable`: no program publishes such a document. `stated`: a figure or another statement differs. */
  readonly what: 'unreadable' | 'stated' | 'wording'
  readonly text: string
}

/**
 * Names the first figure that differs and the number of further ones, or else the first other statement. Null where nothing differs
 * but identities that its program did not check yet (`unchecked`).
 */
export function differenceOf(
  path: string,
  published: string,
  given: string,
  from = 'the books',
  unchecked: readonly string[] = [],
): DocumentDifference | null {
  let was: unknown
  try {
    was = parseJson(published)
  } catch (problem) {
    return { what: 'unreadable', text: `${path} ${notJson(problem)}` }
  }
  const stated = (text: string): DocumentDifference => ({ what: 'stated', text })
  const [first, ...others] = changesBetween(published, given) ?? []
  if (first)
    return stated(
      `${path} is not what ${from} give: ${first.name} in ${first.month} is published as ${first.before ?? 'nothing'}, ${from} give ${first.now ?? 'nothing'}${andMore(others.length)}`,
    )
  const [found] = differences(was, JSON.parse(given), unchecked, path)
  if (found) return stated(`${found.place} is published as ${found.was}, ${from} give ${found.is}`)
  if (unchecked.length === 0 && numbersIn(published) !== numbersIn(given))
    return stated(`${path} writes numbers in another form than ${from} give`)
  return unchecked.length > 0
    ? null
    : { what: 'wording', text: `${path} differs in wording from what ${from} give; no figure differs` }
}

/** The numbers of a document as they are written, in any order of members: as numbers of this program 1.00 and 1.0000000000000000001 are one. */
const numbersIn = (text: string): string =>
  (text.match(/"(?:[^"\\]|\\.)*"|[^\s",:{}[\]]+/g) ?? [])
    .filter((token) => !token.startsWith('"'))
    .sort()
    .join()

interface Found {
  readonly place: string
  readonly was: string
  readonly is: string
}

function* differences(
  was: unknown,
  is: unknown,
  unchecked: readonly string[],
  place: string,
): Generator<Found> {
  if (Array.isArray(was) && Array.isArray(is)) {
    const checked = is.filter((each) => !unchecked.includes(each?.Identity))
    for (let i = 0; i < Math.max(was.length, checked.length); i++)
      yield* differences(was[i], checked[i], unchecked, `${place}, entry ${i + 1}`)
  } else if (isObject(was) && isObject(is)) {
    for (const name of new Set([...Object.keys(was), ...Object.keys(is)]))
      if (!isWording(name, is)) yield* differences(was[name], is[name], unchecked, `${place}, ${name}`)
  } else if (was !== is) yield { place, was: textOf(was), is: textOf(is) }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a member is mere wording of the program: the name of a computed row, and why a figure is not stated. */
const isWording = (member: string, is: Readonly<Record<string, unknown>>): boolean =>
  Object.hasOwn(is, member) &&
  (member === 'Detail' ||
    (/^(Account)?Name$/.test(member) && Object.hasOwn(COMPUTED_ROWS, String(is.AccountId ?? is.Id))))

const textOf = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))
