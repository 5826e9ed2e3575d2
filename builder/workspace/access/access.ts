/** Reads `access.yaml` (mode 0600): who may sign in, which companies they may see, and which clients may ask. It holds hashes only. */
import { type BigIntStats, statSync } from 'node:fs'
import { basename } from 'node:path'
import { z } from 'zod'
import { byCodePoint } from '../../contract/vocabulary.ts'
import { isPasswordHash } from '../../system/password.ts'
import { readFileSync } from '../../system/plain-file.ts'
import { companyId } from '../company.ts'
import { error, type Finding, FindingsError, hasErrors, warning } from '../findings/finding.ts'
import { type Parsed, parseYaml } from '../yaml-file.ts'

const text = z.string({ error: 'must be text' }).min(1, 'must not be empty').max(200, 'is too long')
/** Ids occur in tokens, form bodies and the Basic header, so they hold only characters that need no escape there. */
const id = text.regex(
  /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/,
  'must be 1 to 128 letters, digits, ".", "_", "~" or "-", and begin with a letter or digit',
)
const email = text.regex(/^[^\s@<>"]+@[^\s@<>"]+$/, 'must be an e-mail address')

/**
 * What is wrong with a redirect URI, or null (RFC 6749 §3.1.2, RFC 9700 §4.1.3). It is checked when it is registered, because
 * requests are only compared with it.
 */
export function redirectUriMistake(uri: string): string | null {
  if (!/^[\x21-\x7e]+$/.test(uri) || uri.includes('\\'))
    return 'must be plain ASCII without blanks or backslashes'
  const url = URL.canParse(uri) ? new URL(uri) : null
  if (url === null || !/^https?:\/\//.test(uri))
    return 'must be an absolute URL that begins with https:// or http://'
  if (uri.includes('#')) return 'must not have a fragment'
  if (uri.includes('*')) return 'must not have a wildcard: it is compared character by character'
  if (url.username !== '' || url.password !== '' || hostOf(uri).includes('@'))
    return 'must not carry a user name or password'
  if (!/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d+)?$/i.test(hostOf(uri)))
    return 'must name a host of letters, digits, dots and hyphens'
  if (url.protocol === 'http:' && !isLoopback(url))
    return 'must be https; http is for loopback addresses only (127.0.0.1, [::1], localhost)'
  return null
}

/** Host and port as they are written; browsers put them into a policy for pages (CSP), where `;` and `,` separate. */
const hostOf = (uri: string): string => uri.split(/[/?#]/)[2] ?? ''

const isLoopback = (url: URL): boolean => ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)

const redirectUri = text.max(2000, 'is too long').superRefine((uri, context) => {
  const mistake = redirectUriMistake(uri)
  if (mistake !== null) context.addIssue({ code: 'custom', message: mistake })
})

const user = z.strictObject({
  id,
  email,
  firstName: text,
  lastName: text,
  /** The companies that the user may see. The list is explicit, so that nobody sees a new company by default. */
  companies: z.array(companyId, { error: 'must be a list of company ids' }).default([]),
  /** The companies among these whose entries the user may see on account pages: dates, memos, names. */
  ledger: z.array(companyId, { error: 'must be a list of company ids' }).default([]),
  /** PHC string, `$scrypt$ln=17,r=8,p=1$salt$hash`. */
  password: text.refine(
    isPasswordHash,
    'is not a scrypt hash of at least ln=17,r=8,p=1; passwords are never written in plain text',
  ),
  disabled: z.boolean().default(false),
})

const client = z.strictObject({
  id,
  name: text,
  /** `sha256:<hex>` of a random secret. There are two while one is being replaced. */
  secretHashes: z
    .array(z.string().regex(/^sha256:[0-9a-f]{64}$/, 'is not "sha256:" and 64 hex digits'))
    .min(1, 'needs at least one secret hash')
    .max(2, 'may hold two secret hashes, the present and the previous one'),
  redirectUris: z.array(redirectUri).min(1, 'needs at least one redirect URI'),
  requirePkce: z.boolean().default(false),
  /** RFC 8252 §7.3: any port on a registered 127.0.0.1 or [::1] redirect URI. */
  allowLoopbackPort: z.boolean().default(false),
  /** Whether the client may ask users for the scope `read:ledger`, which gives access to every posting. */
  allowLedger: z.boolean().default(false),
  disabled: z.boolean().default(false),
})

const list = <T extends z.ZodType>(entry: T) => z.array(entry, { error: 'must be a list' }).default([])
export const accessSchema = z
  .strictObject({ users: list(user), clients: list(client) })
  .superRefine(({ users, clients }, context) => {
    const unique = (kind: string, key: string, values: readonly string[]) => {
      for (const [i, value] of values.entries())
        if (values.indexOf(value) < i)
          context.addIssue({ code: 'custom', path: [kind, i, key], message: `stands here a second time` })
    }
    for (const [i, { companies, ledger }] of users.entries())
      for (const company of ledger)
        if (!companies.includes(company))
          context.addIssue({
            code: 'custom',
            path: ['users', i, 'ledger'],
            message: `names ${company}, which is not among the companies that the user may see`,
          })
    unique(
      'users',
      'id',
      users.map((entry) => entry.id),
    )
    unique(
      'users',
      'email',
      users.map((entry) => emailKey(entry.email)),
    )
    unique(
      'clients',
      'id',
      clients.map((entry) => entry.id),
    )
  })

export type User = Readonly<z.output<typeof user>>
export type Client = Readonly<z.output<typeof client>>

/** The key by which e-mail addresses are compared; case does not count. */
const emailKey = (address: string): string => address.trim().toLowerCase()

/**
 * Answers who may sign in, and reads the file again when it changes. If an invalid version is written, the last valid one stays in
 * force; if the file is missing or empty, nobody may sign in. All functions throw {@link AccessUnreadableError}.
 */
export interface Access {
  user(id: string): User | undefined
  userByEmail(email: string): User | undefined
  client(id: string): Client | undefined
  /** The companies that a user may see, in code point order; empty for an unknown user. */
  companiesOf(userId: string): readonly string[]
  /** Mistakes in the present file. If there are errors, the other functions answer from the last valid version. */
  findings(): readonly Finding[]
}

/** Parses an access.yaml. Findings never repeat the text in place of a hash, because it may be a secret. */
export function parseAccess(yaml: string, file: string): Parsed<z.output<typeof accessSchema>> {
  const parsed = parseYaml(yaml, file, accessSchema)
  if (parsed.value !== null) return parsed
  const secret = /\.(password|secretHashes(\.\d+)?)$/
  return {
    value: null,
    findings: parsed.findings.map((found) =>
      secret.test(found.column ?? '')
        ? { ...found, text: null, remedy: 'write it with "tieout user" or "tieout client"' }
        : found,
    ),
  }
}

/** Thrown when the file exists but cannot be read, so that it is unknown who may still sign in. A later attempt may succeed. */
export class AccessUnreadableError extends Error {
  readonly code = 'access-unreadable'
  constructor(place: string, cause: unknown) {
    super(`${place} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

export interface AccessVersion {
  readonly users: ReadonlyMap<string, User>
  readonly emails: ReadonlyMap<string, User>
  readonly clients: ReadonlyMap<string, Client>
  readonly companies: ReadonlyMap<string, readonly string[]>
}

function index({ users, clients }: z.output<typeof accessSchema>): AccessVersion {
  const enabledUsers = users.filter((entry) => !entry.disabled)
  const enabledClients = clients.filter((entry) => !entry.disabled)
  return {
    users: new Map(enabledUsers.map((entry) => [entry.id, entry])),
    emails: new Map(enabledUsers.map((entry) => [emailKey(entry.email), entry])),
    clients: new Map(enabledClients.map((entry) => [entry.id, entry])),
    companies: new Map(
      enabledUsers.map((entry) => [entry.id, [...new Set(entry.companies)].sort(byCodePoint)]),
    ),
  }
}

const NOBODY = index({ users: [], clients: [] })
const CHECK_EVERY_MS = 250

/**
 * Opens `path`. If the file is missing, nobody may sign in yet. An invalid file throws {@link FindingsError} now; later it only
 * calls `report`. Disabled users and clients count as absent.
 */
export function createAccess(
  path: string,
  {
    report = () => {},
    now = Date.now,
  }: { report?: (findings: readonly Finding[]) => void; now?: () => number } = {},
): Access {
  const watched = new WatchedFile(path, report, now)
  watched.refresh()
  return accessOf(
    () => watched.current(),
    () => watched.findings,
  )
}

/** Answers from the version that is in force at each call; `current` throws {@link AccessUnreadableError} where nobody knows. */
export const accessOf = (
  current: () => AccessVersion,
  findings: () => readonly Finding[] = () => [],
): Access => ({
  user: (userId) => current().users.get(userId),
  userByEmail: (address) => current().emails.get(emailKey(address)),
  client: (clientId) => current().clients.get(clientId),
  companiesOf: (userId) => current().companies.get(userId) ?? [],
  findings: () => {
    current()
    return findings()
  },
})

/** As {@link parseAccess}, but throws {@link FindingsError} where the text is not valid. `name` is where it was found. */
export function requireAccess(text: string, name: string): z.output<typeof accessSchema> {
  const { value, findings } = parseAccess(text, name)
  if (value === null) throw new FindingsError(findings)
  return value
}

/** Throws as {@link requireAccess}. */
export const accessVersion = (text: string, name: string): AccessVersion => index(requireAccess(text, name))

/** An access.yaml that is read again when its times or its size change. */
class WatchedFile {
  readonly #path: string
  readonly #report: (findings: readonly Finding[]) => void
  readonly #now: () => number
  #version = NOBODY
  #findings: readonly Finding[] = []
  /** Identifies the state of the file that was read last; empty before the first time. */
  #seen = ''
  #checkedAt = Number.NEGATIVE_INFINITY
  #unreadable: AccessUnreadableError | null = null

  constructor(path: string, report: (findings: readonly Finding[]) => void, now: () => number) {
    this.#path = path
    this.#report = report
    this.#now = now
  }

  get findings(): readonly Finding[] {
    return this.#findings
  }

  /** The version in force. Throws {@link AccessUnreadableError} if the file cannot be read. */
  current(): AccessVersion {
    try {
      this.refresh()
    } catch (cause) {
      const isKnown = this.#unreadable !== null
      this.#unreadable = new AccessUnreadableError(this.#path, cause)
      // No state of a file is called so, so it is read again next time.
      this.#seen = 'unreadable'
      this.#findings = [
        error('access-unreadable', `cannot be read: ${(cause as Error).message}`, { file: this.#path }),
      ]
      if (!isKnown) this.#report(this.#findings)
    }
    if (this.#unreadable !== null) throw this.#unreadable
    return this.#version
  }

  /** Reads the file if it changed; it looks at most every {@link CHECK_EVERY_MS}. */
  refresh(): void {
    const at = this.#now()
    // The difference may be negative: a clock that was set back must not stop the checks.
    if (Math.abs(at - this.#checkedAt) < CHECK_EVERY_MS) return
    this.#checkedAt = at
    const stats = statSync(this.#path, { bigint: true, throwIfNoEntry: false })
    const state = stats ? `${stats.mtimeNs}-${stats.ctimeNs}-${stats.size}-${stats.ino}` : 'missing'
    if (state === this.#seen) return
    const isFirst = this.#seen === ''
    if (stats) this.#findings = this.#load(stats)
    else {
      this.#version = NOBODY
      this.#findings = isFirst ? [] : [gone(basename(this.#path))]
    }
    this.#seen = state
    this.#unreadable = null
    if (isFirst && hasErrors(this.#findings)) throw new FindingsError(this.#findings)
    if (this.#findings.length > 0) this.#report(this.#findings)
  }

  #load(stats: BigIntStats): readonly Finding[] {
    const text = readFileSync(this.#path, 'utf8')
    const file = basename(this.#path)
    const parsed = parseAccess(text, file)
    if (parsed.value === null) return parsed.findings
    this.#version = index(parsed.value)
    if (text.trim() === '') return [empty(file)]
    return beyondItsReaders(file, Number(stats.mode))
  }
}

/** The warning that more people than should can read or change it. A group may read it, for a server that runs under another account. */
export const beyondItsReaders = (file: string, mode: number): Finding[] =>
  (mode & 0o037) === 0
    ? []
    : [
        warning('access-mode', 'other users of this computer can read the hashes in it, or change it', {
          file,
          remedy: `run "chmod 600 ${file}", or "chmod 640 ${file}" where the server is in its group`,
        }),
      ]
const gone = (file: string): Finding =>
  error('access-missing', 'is no longer there: nobody can sign in, and every session and token is refused', {
    file,
    remedy: 'put it back; what people have granted then holds again',
  })
const empty = (file: string): Finding =>
  warning('access-empty', 'has nothing in it: nobody can sign in, and every session and token is refused', {
    file,
    remedy: 'restore it from a copy, or add users with "tieout user add"',
  })
