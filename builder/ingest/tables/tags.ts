/** Reads the class and the department of a row of a spreadsheet. */
import { addTo } from '../../contract/grouping.ts'
import { present } from '../../contract/present.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { type Keys, resolve } from '../format/keys.ts'
import { type TextRow, textAt } from '../text/csv.ts'
import type { Parents } from './parents/parents.ts'
import { cellPlace, type Table } from './table.ts'

export interface Dimensions {
  readonly classes: Keys
  readonly departments: Keys
  /** Ids of classes and of departments → ids of their parents. */
  readonly parents: { readonly class: Parents; readonly department: Parents }
}

export interface Tags {
  readonly class: string | null
  readonly department: string | null
}

/** What sheets call a department or a class, in the languages that are read. */
const CLASS = 'class|klass|klasse|classe|tracking|project|projekt|projet|prosjekt'
const DEPARTMENT =
  'department|dept|division|location|region|territory|store|shop|branch|office|site|team|business unit|(?:cost|profit) ?cent(?:er|re)|avdelning|kostnadsställe|butik|kontor|abteilung|kostenstelle|filiale|standort|bereich|département|service|centre de coûts?|magasin|région|agence|succursale|avdeling|koststed|kostnadssted|butikk|afdeling|omkostningssted|kostenplaats|vestiging'
const MEMBERS = new RegExp(`^(?:(${CLASS})|${DEPARTMENT})s?[.]?(?: (?:full name|name|code|id|no[.]?))?$`, 'i')

/** Whether a header names classes or departments, by whatever word. */
export const isMemberHeader = (header: string): boolean => MEMBERS.test(header.trim())

/**
 * The columns of departments and classes: those of these names, else one that is called a location, a region or a
 * project, and whose cells all name departments, or all classes.
 */
export function memberColumns<At extends { readonly class?: number; readonly department?: number }>(
  { header, rows }: Table,
  { at, others }: { readonly at: At; readonly others: readonly number[] },
  { classes, departments }: Dimensions,
): { readonly at: At; readonly others: readonly number[] } {
  const found: { -readonly [kind in keyof At]: At[kind] } = { ...at }
  for (const column of others) {
    const called = MEMBERS.exec(textAt(header, column))
    if (called === null) continue
    const texts = new Set(rows.map(({ cells }) => textAt(cells, column)).filter((text) => text !== ''))
    const named = (keys: Keys) => [...texts].filter((text) => keys.has(text)).length
    const kinds = [
      { kind: 'department', count: named(departments) },
      { kind: 'class', count: named(classes) },
    ] as const
    const best = kinds.toSorted((a, b) => b.count - a.count || (called[1] === undefined ? 0 : 1))[0]
    if (best !== undefined && best.count > 0 && found[best.kind] === undefined) found[best.kind] = column
  }
  const taken = new Set<number | undefined>(Object.values(found))
  return { at: { ...at, ...found }, others: others.filter((column) => !taken.has(column)) }
}

/** Ids of the members that the row names; null, with findings, where one of them does not exist. */
export function readTags(
  table: Table,
  row: TextRow,
  at: { readonly class?: number | undefined; readonly department?: number | undefined },
  dimensions: Dimensions,
): { readonly tags: Tags | null; readonly findings: readonly Finding[] } {
  const findings: Finding[] = []
  const read = (kind: 'class' | 'department', keys: Keys): string | null => {
    const column = at[kind]
    if (column === undefined || row.cells[column] === '') return null
    const found = resolve(keys, textAt(row.cells, column))
    if (found.problem === undefined) return found.id
    const place = cellPlace(table, row, column)
    findings.push(
      found.problem === 'unknown'
        ? error(`unknown-${kind}`, `there is no ${kind} "${place.text}"`, {
            ...place,
            remedy: `write the id of a ${kind}, or leave it empty for none`,
          })
        : error(`ambiguous-${kind}`, `"${place.text}" means more than one ${kind}`, {
            ...place,
            remedy: 'write the id of the one that is meant',
          }),
    )
    return null
  }
  const tags = {
    class: read('class', dimensions.classes),
    department: read('department', dimensions.departments),
  }
  return { tags: findings.length > 0 ? null : tags, findings }
}

/** One finding for each column in which cells name no member, with these texts and their counts. */
export function mergedMembers(findings: readonly Finding[]): Finding[] {
  const groups = new Map<string, Finding[]>()
  for (const found of findings) {
    const isMember = /^(unknown|ambiguous)-(class|department)$/.test(found.code)
    const column = isMember ? found.column?.replace(/ \([A-Z]+\d+\)$/, '') : groups.size
    const key = JSON.stringify([found.code, found.file, column])
    addTo(groups, key, found)
  }
  return [...groups.values()].map((group) => {
    const [first] = group
    const counts = new Map<string, number>()
    for (const { text } of group) counts.set(text ?? '', (counts.get(text ?? '') ?? 0) + 1)
    const listed = [...counts].map(([text, count]) => `"${text}" (${count} row${count === 1 ? '' : 's'})`)
    const what = present(first, 'finding')
    return group.length === 1
      ? what
      : { ...what, message: what.message.replace(`"${what.text}"`, listed.join(', ')) }
  })
}
