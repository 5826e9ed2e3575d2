/** Edits `access.yaml`: users, clients, passwords and secrets. It keeps comments. New secrets are returned once and stored as hashes. */
import { createHash, randomBytes } from 'node:crypto'
import { chownSync, existsSync, type Stats, statSync } from 'node:fs'
import { basename } from 'node:path'
import { type Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml'
import { parseAccess } from './access.ts'
import { replaceFile } from './durable.ts'
import { disk, type Effects } from './effects.ts'
import { error, FindingsError } from './finding.ts'
import { hashPassword, PASSWORD_LENGTH_MIN } from './password.ts'
import { readFileSync } from './plain-file.ts'
import { ChangeRefusedError } from './refusals.ts'

const HEADER = ` Who may sign in, which companies they may see, and which clients may ask for them.
 Only hashes of passwords and secrets stand here: "tieout user" and "tieout client" write them.
 The server reads the file again when it changes; removing an entry takes effect at once.
`

export interface NewUser {
  readonly id?: string
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly companies: readonly string[]
  /** The companies among these whose ledger entries the user may see. */
  readonly ledger?: readonly string[]
  /** If absent, a random password is made and returned. */
  readonly password?: string
}

export interface NewClient {
  readonly id?: string
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly requirePkce?: boolean
  readonly allowLoopbackPort?: boolean
  readonly allowLedger?: boolean
}

/** Adds a user. Like all functions here it throws {@link FindingsError} and writes nothing if the result would not be a valid file. */
export async function addUser(path: string, user: NewUser): Promise<{ id: string; password: string }> {
  const { id = randomId(), password = randomSecret(), ...rest } = user
  const hash = await passwordHash(password)
  edit(path, (doc) => append(doc, 'users', { id, ...rest, password: hash }))
  return { id, password }
}

export async function setPassword(
  path: string,
  userId: string,
  password = randomSecret(),
): Promise<{ password: string }> {
  const hash = await passwordHash(password)
  edit(path, (doc) => entry(doc, 'users', userId).set('password', hash))
  return { password }
}

/** Sets the companies that a user may see. `ledger` holds those of them whose entries the user may see. */
export async function setCompanies(
  path: string,
  userId: string,
  companies: readonly string[],
  ledger: readonly string[] = [],
): Promise<void> {
  edit(path, (doc) => {
    const user = entry(doc, 'users', userId)
    user.set('companies', doc.createNode(companies, { flow: true }))
    if (ledger.length > 0) user.set('ledger', doc.createNode(ledger, { flow: true }))
    else user.delete('ledger')
  })
}

/** Removes a user. The server ends the user's sessions and grants. */
export async function removeUser(path: string, userId: string): Promise<void> {
  edit(path, (doc) => remove(doc, 'users', userId))
}

/** Removes a client. The server ends its grants. */
export async function removeClient(path: string, clientId: string): Promise<void> {
  edit(path, (doc) => remove(doc, 'clients', clientId))
}

export async function addClient(path: string, client: NewClient): Promise<{ id: string; secret: string }> {
  const { id = randomId(), name, ...rest } = client
  const secret = randomSecret()
  edit(path, (doc) => append(doc, 'clients', { id, name, secretHashes: [secretHash(secret)], ...rest }))
  return { id, secret }
}

/** Makes a new secret. With `keepPrevious`, the present one remains valid until the next call without it. */
export async function setSecret(
  path: string,
  clientId: string,
  { keepPrevious = false }: { keepPrevious?: boolean } = {},
): Promise<{ secret: string }> {
  const secret = randomSecret()
  edit(path, (doc) => {
    const client = entry(doc, 'clients', clientId)
    const hashes = client.get('secretHashes')
    const present = isSeq(hashes) && keepPrevious ? [hashes.toJSON()[0] as string] : []
    client.set('secretHashes', doc.createNode([secretHash(secret), ...present]))
  })
  return { secret }
}

/** The hash of a random secret. With at least 128 random bits nothing can be guessed, so no slow hash is needed (ASVS 6.5.2). */
export const secretHash = (secret: string): string =>
  `sha256:${createHash('sha256').update(secret).digest('hex')}`

const randomSecret = (): string => randomBytes(24).toString('base64url')
/** A random id in hex, because an id must not begin with a dash, as base64url may. */
const randomId = (): string => randomBytes(8).toString('hex')

async function passwordHash(password: string): Promise<string> {
  if ([...password].length < PASSWORD_LENGTH_MIN)
    throw new FindingsError([
      error('weak-password', `the password has fewer than ${PASSWORD_LENGTH_MIN} characters`, {
        remedy: 'use a longer one, or none to have one made up',
      }),
    ])
  return hashPassword(password)
}

function append(doc: Document, kind: 'users' | 'clients', value: Record<string, unknown>): void {
  const node = doc.createNode(value) as YAMLMap
  const companies = node.get('companies')
  if (isSeq(companies)) companies.flow = true
  const list = doc.get(kind)
  if (isSeq(list)) {
    list.flow = false
    list.add(node)
  } else doc.set(kind, doc.createNode([node]))
}

const ONE = { users: 'user', clients: 'client' } as const

function entry(doc: Document, kind: 'users' | 'clients', id: string): YAMLMap {
  const list = doc.get(kind)
  const found = isSeq(list) ? list.items.find((item) => isMap(item) && item.get('id') === id) : undefined
  if (!isMap(found))
    throw new FindingsError([
      error(`unknown-${ONE[kind]}`, `there is no ${ONE[kind]} with the id "${id}"`, {
        remedy: `look for its id among the ${kind} of access.yaml`,
      }),
    ])
  return found as YAMLMap
}

function remove(doc: Document, kind: 'users' | 'clients', id: string): void {
  const found = entry(doc, kind, id)
  const list = doc.get(kind) as YAMLSeq
  list.items.splice(list.items.indexOf(found), 1)
}

function edit(path: string, change: (doc: Document) => void): void {
  const before = existsSync(path) ? readFileSync(path, 'utf8') : null
  if (before !== null) refuseFindings(before, path)
  const doc = parseDocument(before ?? 'users: []\nclients: []\n')
  if (before === null) doc.commentBefore = HEADER
  if (doc.contents === null) doc.contents = doc.createNode({}) as never
  change(doc)
  const after = doc.toString({ lineWidth: 0 })
  refuseFindings(after, path)
  // Somebody else changed the file meanwhile, and that change must not be lost.
  if ((existsSync(path) ? readFileSync(path, 'utf8') : null) !== before)
    throw new FindingsError([
      error('access-changed', 'changed while it was being edited', {
        file: basename(path),
        remedy: 'try again',
      }),
    ])
  replaceKeepingOwner(path, after)
}

/** Replaces the file and keeps its owner, group and mode, so that the server can still read it, whoever edits it. */
function replaceKeepingOwner(path: string, text: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) {
    replaceFile(path, text, 0o600)
    return
  }
  const owned: Effects = {
    ...disk,
    create: (next, bytes, mode) => {
      disk.create(next, bytes, mode)
      keepOwner(next, stats)
    },
  }
  // A file that everybody can read is a mistake; one that a group can read may be intended.
  const mode = (stats.mode & 0o007) === 0 ? stats.mode & 0o640 : 0o600
  replaceFile(path, text, mode, owned)
}

/** Restores owner and group. Only root can change the owner; others can choose a group to which they belong. */
function keepOwner(path: string, { uid, gid }: Stats): void {
  const made = statSync(path)
  if (made.uid === uid && made.gid === gid) return
  try {
    chownSync(path, process.getuid?.() === 0 ? uid : made.uid, gid)
  } catch {
    throw new ChangeRefusedError(
      'access.yaml belongs to a group that you are not in, so that the server could not read it any more; change it as its owner',
    )
  }
}

function refuseFindings(text: string, path: string): void {
  const parsed = parseAccess(text, basename(path))
  if (parsed.value === null) throw new FindingsError(parsed.findings)
}
