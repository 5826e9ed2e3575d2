/** Says in which order companies are built: a group after its members. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { readFileSync } from '../system/plain-file.ts'
import { COMPANY_FILE, datasetFolder, readCompany, type Workspace } from './workspace.ts'

/** The ids of the members of a group; none where the company is no group, or where its settings cannot be read. */
export function membersOf(workspace: Pick<Workspace, 'datasets'>, id: string): string[] {
  const file = join(datasetFolder(workspace, id), COMPANY_FILE)
  // To parse the settings of each company would keep those waiting who have hundreds.
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() ?? false
  if (!isFile || !/^group:/m.test(readFileSync(file, 'utf8'))) return []
  return readCompany(workspace, id).value?.group?.members.map(({ company }) => company) ?? []
}

/** The members of a group and theirs, without those of which it is a member itself: these would wait for each other. */
export function allMembersOf(workspace: Pick<Workspace, 'datasets'>, id: string): string[] {
  // Each company's settings are read once, though many groups may name it.
  const read = new Map<string, readonly string[]>()
  const own = (of: string): readonly string[] => {
    const members = read.get(of) ?? membersOf(workspace, of)
    read.set(of, members)
    return members
  }
  const below = (of: string): Set<string> => {
    const found = new Set<string>()
    const waiting = [...own(of)]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (found.has(next)) continue
      found.add(next)
      waiting.push(...own(next))
    }
    return found
  }
  return [...below(id)].filter((member) => member !== id && !below(member).has(id))
}

/** The companies in stages: those of one stage may be built at once, after all stages before it. */
export function buildStages(workspace: Pick<Workspace, 'datasets'>, ids: readonly string[]): string[][] {
  const waiting = new Map(
    ids.map((id) => [id, membersOf(workspace, id).filter((each) => ids.includes(each))]),
  )
  const stages: string[][] = []
  while (waiting.size > 0) {
    const ready = [...waiting].flatMap(([id, members]) =>
      members.some((each) => waiting.has(each)) ? [] : [id],
    )
    // Groups that are members of each other are all built, and each says what it lacks.
    const stage = ready.length > 0 ? ready : [...waiting.keys()]
    for (const id of stage) waiting.delete(id)
    stages.push(stage)
  }
  return stages
}
