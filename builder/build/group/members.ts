/** Opens the published snapshots of a group's members. What is read of them is checked against their manifests first. */
import { join } from 'node:path'
import type { Frame } from '../../books/reference/frame.ts'
import { parseFrame } from '../../books/reference/frame-schema.ts'
import { SnapshotDamagedError } from '../../snapshot/files/damage.ts'
import { bookPath } from '../../snapshot/files/layout.ts'
import { openSnapshot, readPointer, type Snapshot } from '../../snapshot/files/open.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import type { Group } from '../../workspace/group.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'

export const POSTINGS = bookPath('postings.parquet')
export const OPENINGS = bookPath('openings.parquet')
export const BUDGETS = bookPath('budgets.parquet')

export interface Member {
  readonly id: string
  /** The place in the settings, from 0, and what they say of it. */
  readonly at: number
  readonly setting: Group['members'][number]
  /** Company and snapshot, `acme-us/2025-12-r1-3f9c2a`: the name of the source. */
  readonly file: string
  readonly snapshot: Snapshot
  readonly frame: Frame
}

/** The place of a finding about a member as a whole: the line of the settings that names it. */
export const settingPlace = ({ at }: Pick<Member, 'at'>) => ({
  file: COMPANY_FILE,
  column: `group.members.${at}`,
})

/** The first and last day that a group covers, or a member of it, `YYYY-MM-DD`. */
export interface Span {
  readonly from: string
  readonly until: string
}

export interface DatedMember extends Member {
  /** The days of the group on which the member belongs to it. */
  readonly days: Span
  /** What its departments are in the group, where they are called otherwise. */
  readonly departments: ReadonlyMap<string, string>
}

/** The members that belong to the group on some of these days. */
export const membersIn = (
  members: readonly Member[],
  { from, until }: Span,
  departments: readonly ReadonlyMap<string, string>[],
): DatedMember[] =>
  members
    .map((member, i) => {
      const { from: joins = from, to: leaves = until } = member.setting
      return {
        ...member,
        departments: departments[i] ?? new Map(),
        days: { from: joins > from ? joins : from, until: leaves < until ? leaves : until },
      }
    })
    .filter(({ days }) => days.from <= days.until)

/** The path of a member's postings, which were checked. */
export const booksPath = ({ snapshot }: Member): string => join(snapshot.folder, POSTINGS)

/** Opens the snapshot of a member; null where it has published none. */
export type OpenMember = (company: string) => Promise<Snapshot | null>

/** What the members have published below `root`. */
export const currentBelow =
  (root: string): OpenMember =>
  async (company) => {
    const pointer = await readPointer(root, company)
    return pointer && openSnapshot(root, company, pointer.SnapshotId, pointer.ManifestSha256)
  }

/** The snapshots of all members. One that has none, or a damaged one, is an error. */
export async function openMembers(
  open: OpenMember,
  { members }: Group,
): Promise<{ readonly members: readonly Member[]; readonly findings: readonly Finding[] }> {
  const opened: Member[] = []
  const findings: Finding[] = []
  for (const [at, setting] of members.entries()) {
    const { company: id } = setting
    const place = { file: COMPANY_FILE, column: `group.members.${at}.company`, text: id }
    try {
      const member = await openMember(open, at, setting)
      if (member !== null) opened.push(member)
      else
        findings.push(
          error('group-member-unpublished', `${id} has published no snapshot`, {
            ...place,
            remedy: `publish it first: tieout build ${id}`,
          }),
        )
    } catch (problem) {
      if (!(problem instanceof SnapshotDamagedError)) throw problem
      findings.push(
        error('group-member-damaged', `the snapshot of ${id} is not sound: ${problem.message}`, {
          ...place,
          remedy: `look at it: tieout verify ${id}; then publish it again: tieout build ${id}`,
        }),
      )
    }
  }
  return { members: opened, findings }
}

async function openMember(open: OpenMember, at: number, setting: Member['setting']): Promise<Member | null> {
  const { company: id } = setting
  const snapshot = await open(id)
  if (snapshot === null) return null
  for (const path of [POSTINGS, OPENINGS, BUDGETS]) await snapshot.check(path)
  const text = (await snapshot.read(bookPath('frame.json'))).toString('utf8')
  const frame = parseFrame(text, (problem) => new SnapshotDamagedError(problem))
  return { id, at, setting, file: `${id}/${snapshot.id}`, snapshot, frame }
}
