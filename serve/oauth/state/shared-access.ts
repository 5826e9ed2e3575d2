/**
 * Users and clients in the database of the state, so that whoever is removed is gone on every server within seconds, wherever the
 * command ran. It is the text of an access.yaml, put there by `tieout state access`. Until then each machine has its own file.
 */
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { z } from 'zod'
import { createOnce } from '../../../builder/system/durable.ts'
import { ChangeRefusedError, PlaceError } from '../../../builder/system/refusals.ts'
import {
  type Access,
  AccessUnreadableError,
  type AccessVersion,
  accessOf,
  accessVersion,
  createAccess,
  requireAccess,
} from '../../../builder/workspace/access/access.ts'
import { type AccessPlace, accessFile } from '../../../builder/workspace/access/access-place.ts'
import { type Finding, FindingsError, warning } from '../../../builder/workspace/findings/finding.ts'
import type { Workspace } from '../../../builder/workspace/workspace.ts'
import { OLDEST_MS, type RecordKind, type Store } from '../../store/store.ts'

const sharedText = z.object({ yaml: z.string() })
/** One record, under the key {@link PRESENT}. */
export const ACCESS: RecordKind<z.output<typeof sharedText>> = {
  name: 'access',
  schema: sharedText,
  keeps: 'durable',
  forgottenAt: () => null,
}
const PRESENT = 'present'
const NAME = 'access.yaml in the database'

interface Clock {
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
  readonly readEveryMs?: number
}

type Report = (findings: readonly Finding[]) => void

export const accessInStore = (store: Pick<Store, 'get' | 'write'>): AccessPlace => ({
  name: NAME,
  read: async () => (await store.get(ACCESS, PRESENT))?.yaml ?? null,
  replace: async (before, after) =>
    store.write(async (change) => {
      if (((await change.get(ACCESS, PRESENT))?.yaml ?? null) !== before) return false
      change.put(ACCESS, PRESENT, { yaml: after })
      return true
    }),
})

export interface SharedAccess extends Access {
  close(): void
}

/**
 * Answers from the text in `store` where there is one, and else from the file at `path`. What was read longer ago than
 * {@link OLDEST_MS} is no answer: then nobody is let in until the database can be asked again.
 */
export async function openSharedAccess(
  store: Pick<Store, 'get' | 'write'>,
  path: string,
  report: Report,
  { now = () => performance.now(), readEveryMs = 1_000 }: Clock = {},
): Promise<SharedAccess> {
  const place = accessInStore(store)
  let file: Access | null = null
  let text: string | null = null
  let version: AccessVersion | null = null
  let findings: readonly Finding[] = []
  let readAt = Number.NEGATIVE_INFINITY
  let failure: unknown = new Error('the database did not answer')
  let timer: NodeJS.Timeout | null = null
  let isClosed = false

  const take = (found: string): void => {
    if (text === null && existsSync(path)) report([notRead(basename(path))])
    text = found
    version = accessVersion(found, NAME)
    findings = []
  }
  const read = async (): Promise<void> => {
    const begun = now()
    const found = await place.read()
    readAt = begun
    if (found !== null && found !== text) take(found)
    if (text === null) file ??= createAccess(path, { report })
  }
  const readLater = (): void => {
    if (!isClosed) timer = setTimeout(() => void readAgain().then(readLater), readEveryMs).unref()
  }
  const readAgain = async (): Promise<void> => {
    try {
      await read()
    } catch (problem) {
      failure = problem
      // The last version that could be read stays in force, as with a file.
      if (problem instanceof FindingsError) {
        findings = problem.findings
        report(findings)
      }
    }
  }
  await read()
  readLater()

  const shared = accessOf(
    () => version as AccessVersion,
    () => findings,
  )
  const present = (): Access => {
    if (now() - readAt >= OLDEST_MS) throw new AccessUnreadableError(NAME, failure)
    return version === null ? (file as Access) : shared
  }
  return {
    user: (id) => present().user(id),
    userByEmail: (address) => present().userByEmail(address),
    client: (id) => present().client(id),
    companiesOf: (id) => present().companiesOf(id),
    findings: () => present().findings(),
    close: () => {
      isClosed = true
      if (timer !== null) clearTimeout(timer)
    },
  }
}

const notRead = (file: string): Finding =>
  warning('access-not-read', 'is not read: users and clients are in the database of the state', {
    file,
    remedy: `delete it, or put it in their place with "tieout state access --from ${file}"`,
  })

/** Users and clients of a workspace, for a command: where they are kept, and who they are at this moment. */
export async function withAccess<T>(
  { access: path, server }: Pick<Workspace, 'access' | 'server'>,
  work: (place: AccessPlace, access: Access) => Promise<T>,
): Promise<T> {
  const { database } = server.state
  if (database === null) return work(accessFile(path), createAccess(path))
  return withSharedPlace(database, async (place) => {
    const text = await place.read()
    if (text === null) return work(accessFile(path), createAccess(path))
    const version = accessVersion(text, place.name)
    return work(
      place,
      accessOf(() => version),
    )
  })
}

interface Counted {
  readonly users: number
  readonly clients: number
}

/** Puts the text of the file `from` into the database, in place of what is there. Throws {@link FindingsError} where it is not valid. */
export async function putAccess(database: string, from: string): Promise<Counted> {
  const text = await accessFile(from).read()
  if (text === null) throw new PlaceError(`there is no file ${from}`)
  const counted = count(text, basename(from))
  await withSharedPlace(database, async (place) => {
    if (!(await place.replace(await place.read(), text)))
      throw new ChangeRefusedError('somebody else changed users or clients at the same moment: try again')
  })
  return counted
}

/** Writes what is in the database into the new file `to`. */
export async function takeAccess(database: string, to: string): Promise<Counted> {
  const text = await withSharedPlace(database, (place) => place.read())
  if (text === null)
    throw new PlaceError(
      'there are no users and clients in the database: each machine has its own access.yaml',
    )
  if (!createOnce(to, text, 0o600)) throw new PlaceError(`${to} is there already: name another file`)
  return count(text, NAME)
}

function count(text: string, name: string): Counted {
  const { users, clients } = requireAccess(text, name)
  return { users: users.length, clients: clients.length }
}

export async function withSharedPlace<T>(
  database: string,
  work: (place: AccessPlace) => Promise<T>,
): Promise<T> {
  const { openPostgresStore } = await import('../../store/postgres/postgres-store.ts')
  const store = await openPostgresStore(database, [ACCESS])
  try {
    return await work(accessInStore(store))
  } finally {
    await store.close()
  }
}
