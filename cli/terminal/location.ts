/** How commands reach published snapshots, wherever they are: to read them, or to change those of one company. */
import type { Requests, SnapshotLocation } from '../../builder/snapshot/places/location.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { UsageError } from './exit.ts'
import { showWork } from './progress.ts'
import { count, type Terminal } from './terminal.ts'

/**
 * The workspace, with what is published of these companies (null: of all) brought up to date in its folder of snapshots. The snapshots of a group
 * name those of its members, which are brought too.
 */
export async function openToRead(
  folder: string,
  companies: readonly string[] | null,
  terminal: Terminal,
): Promise<Workspace> {
  const { openWorkspace } = await import('../../builder/workspace/workspace.ts')
  const workspace = openWorkspace(folder)
  const needed = companies && (await withMembers(workspace, companies))
  await withLocation(workspace, terminal, (location) => location.read(needed))
  return workspace
}

/** These companies, and the members of those that are groups. */
export async function withMembers(workspace: Workspace, companies: readonly string[]): Promise<string[]> {
  // In a folder all companies lie beside each other.
  if (workspace.bucket === null) return [...companies]
  const { allMembersOf } = await import('../../builder/workspace/group-order.ts')
  return [...new Set(companies.flatMap((company) => [company, ...allMembersOf(workspace, company)]))]
}

export interface Changing {
  readonly workspace: Workspace
  /** Runs `work` where the snapshots of the company are, and publishes what it changed there. */
  readonly change: <T>(company: string, work: (workspace: Workspace) => Promise<T>) => Promise<T>
}

/** The workspace, to change what is published there. */
export async function openToChange(folder: string, terminal: Terminal): Promise<Changing> {
  const { openWorkspace } = await import('../../builder/workspace/workspace.ts')
  const workspace = openWorkspace(folder)
  return { workspace, change: changeIn(workspace, terminal) }
}

/** As `change` of {@link Changing}, in a workspace that is open already. */
export const changeIn =
  (workspace: Workspace, terminal: Terminal): Changing['change'] =>
  (company, work) =>
    withLocation(workspace, terminal, async (location) => {
      const { requireKey } = await import('../../builder/snapshot/signing/signing.ts')
      await requireKey(workspace, location)
      return location.change(company, 'all', (snapshots) => work({ ...workspace, snapshots }))
    })

/** Opens the location and shows what is copied from or to a bucket. Without a bucket nothing is. */
export async function withLocation<T>(
  workspace: Workspace,
  terminal: Terminal,
  work: (location: SnapshotLocation) => Promise<T>,
): Promise<T> {
  const { openLocation } = await import('../../builder/snapshot/places/open.ts')
  if (workspace.bucket === null) return work(await openLocation(workspace))
  return showWork('bucket', terminal, 'files', async (progress) =>
    work(await openLocation(workspace, { progress })),
  )
}

/** The companies asked for, or all of which something is published; throws {@link UsageError} where nothing is. */
export async function publishedCompanies(
  snapshots: string,
  asked: readonly string[],
): Promise<readonly string[]> {
  const { listCompanyIds } = await import('../../builder/snapshot/files/open.ts')
  const published = await listCompanyIds(snapshots)
  const unknown = asked.filter((id) => !published.includes(id))
  if (unknown.length > 0) throw new UsageError(`nothing is published of "${unknown.join('", "')}"`)
  return asked.length > 0 ? [...new Set(asked)] : published
}

/** How many requests a command sent to a bucket, as people read it. */
export const requestsText = (bucket: string, requests: Requests): string =>
  `Requests to ${bucket}: ${Object.entries(requests)
    .map(([kind, times]) => `${count(times)} ${kind}`)
    .join(', ')}`

/** Null if there were none, or no bucket. */
export function sumOfRequests(all: readonly (Requests | null | undefined)[]): Requests | null {
  const sum: Record<string, number> = {}
  for (const requests of all)
    for (const [kind, times] of Object.entries(requests ?? {})) sum[kind] = (sum[kind] ?? 0) + times
  return Object.keys(sum).length === 0 ? null : sum
}
