/** Edits `access.yaml`, or what servers share in its place: users, clients, passwords and secrets. It keeps comments. New secrets are returned once and stored as hashes. */
import { createHash, randomBytes } from 'node:crypto'
import { type Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml'
import { hashPassword, PASSWORD_LENGTH_MIN } from '../../system/password.ts'
import { error, FindingsError } from '../findings/finding.ts'
import { requireAccess } from './access.ts'
import type { AccessPlace } from './access-place.ts'

const HEADER = ` Who may sign in, which companies they may see, and which clients may ask for them.
 Only hashes of passwords and secrets stand here: "tieout user" and "tieout client" write them.
 The server reads the file again when it changes; removing an entry takes effect at once.
`

interface NewUser {
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

interface NewClient {
  readonly id?: string
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly requirePkce?: boolean
  readonly allowLoopbackPort?: boolean
  readonly allowLedger?: boolean
}

/** Adds a user. Like all functions here it throws {@link FindingsError} and writes nothing if the result would not be a valid file. */
export async function addUser(place: AccessPlace, user: NewUser): Promise<{ id: string; password: string }> {
  const { id = randomId(), password = randomSecret(), ...rest } = user
  const hash = await passwordHash(password)
  await edit(place, (doc) => append(doc, 'users', { id, ...rest, password: hash }))
  return { id, password }
}

export async function setPassword(
  place: AccessPlace,
  userId: string,
  password = randomSecret(),
): Promise<{ password: string }> {
  const hash = await passwordHash(password)
  await edit(place, (doc) => entry(doc, 'users', userId).set('password', hash))
  return { password }
}

/** Sets the companies that a user may see. `ledger` holds those of them whose entries the user may see. */
export async function setCompanies(
  place: AccessPlace,
  userId: string,
  companies: readonly string[],
  ledger: readonly string[] = [],
): Promise<void> {
  await edit(place, (doc) => {
    const user = entry(doc, 'users', userId)
    user.set('companies', doc.createNode(companies, { flow: true }))
    if (ledger.length > 0) user.set('ledger', doc.createNode(ledger, { flow: true }))
    else user.delete('ledger')
  })
}

/** Removes a user. The server ends the user's sessions and grants. */
export async function removeUser(place: AccessPlace, userId: string): Promise<void> {
  await edit(place, (doc) => remove(doc, 'users', userId))
}

/** Removes a client. The server ends its grants. */
export async function removeClient(place: AccessPlace, clientId: string): Promise<void> {
  await edit(place, (doc) => remove(doc, 'clients', clientId))
}

export async function addClient(
  place: AccessPlace,
  client: NewClient,
): Promise<{ id: string; secret: string }> {
  const { id = randomId(), name, ...rest } = client
  const secret = randomSecret()
  await edit(place, (doc) =>
    append(doc, 'clients', { id, name, secretHashes: [secretHash(secret)], ...rest }),
  )
  return { id, secret }
}

/** Makes a new secret. With `keepPrevious`, the present one remains valid until the next call without it. */
export async function setSecret(
  place: AccessPlace,
  clientId: string,
  { keepPrevious = false }: { keepPrevious?: boolean } = {},
): Promise<{ secret: string }> {
  const secret = randomSecret()
  await edit(place, (doc) => {
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

async function edit(place: AccessPlace, change: (doc: Document) => void): Promise<void> {
  const before = await place.read()
  if (before !== null) requireAccess(before, place.name)
  const doc = parseDocument(before ?? 'users: []\nclients: []\n')
  if (before === null) doc.commentBefore = HEADER
  if (doc.contents === null) doc.contents = doc.createNode({}) as never
  change(doc)
  const after = doc.toString({ lineWidth: 0 })
  requireAccess(after, place.name)
  // Somebody else changed it meanwhile, and that change must not be lost.
  if (!(await place.replace(before, after)))
    throw new FindingsError([
      error('access-changed', 'changed while it was being edited', { file: place.name, remedy: 'try again' }),
    ])
}
