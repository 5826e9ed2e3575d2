/** `access.yaml` (0600): who may sign in, which companies they may see, and which clients may ask. Hashes only. */
import { type BigIntStats, statSync } from 'node:fs'
import { basename } from 'node:path'
import { z } from 'zod'
import { byCodePoint } from '../contract/vocabulary.ts'
import { companyId } from './company.ts'
import { error, type Finding, FindingsError, hasErrors, warning } from './finding.ts'
import { isPasswordHash } from './password.ts'
import { readFileSync } from './plain-file.ts'
import { type Parsed, parseYaml } from './yaml-file.ts'

export const ACCESS_FILE = 'access.yaml'

const text = z.string({ error: 'must be text' }).min(1, 'must not be empty').max(200, 'is too long')
/** Ids stand in tokens, form bodies and the Basic header: no character there needs an escape. */
const id = text.regex(
  /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/,
  'must be 1 to 128 letters, digits, ".", "_", "~" or "-", and begin with a letter or digit',
)
const email = text.regex(/^[^\s@<>"]+@[^\s@<>"]+$/, 'must be an e-mail address')

/** RFC 6749 §3.1.2, RFC 9700 §4.1.3: what may be registered, since afterwards only equality is tested. */
export function redirectUriMistake(uri: string): string | null {
  if (!/^[\x21-\x7e]+$/.test(uri) || uri.includes('\\'))
    return 'must be plain ASCII without blanks or backslashes'
  const url = URL.canParse(uri) ? new URL(uri) : null
  if (url === null || !/^https?:\/\//.test(uri))
    return 'must be an absolute URL that begins with https:// or http://'
  if (uri.includes('#')) return 'must not have a fragment'
  if (uri.includes('*')) return 'must not have a wildcard: it is compared character by character'
  if (url.username !== '' || url.password !== '' || uri.split(/[/?]/)[2]?.includes('@'))
    return 'must not carry a user name or password'
  if (url.protocol === 'http:' && !isLoopback(url))
    return 'must be https; http is for loopback addresses only (127.0.0.1, [::1], localhost)'
  return null
}

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
  /** An explicit list: a new company is nobody's until somebody says so. */
  companies: z.array(companyId, { error: 'must be a list of company ids' }).default([]),
  /** Companies of these whose entries they may see on pages of accounts: dates, memos, names. */
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
  /** `sha256:<hex>` of a random secret; two at once while one is being replaced. */
  secretHashes: z
    .array(z.string().regex(/^sha256:[0-9a-f]{64}$/, 'is not "sha256:" and 64 hex digits'))
    .min(1, 'needs at least one secret hash')
    .max(2, 'may hold two secret hashes, the present and the previous one'),
  redirectUris: z.array(redirectUri).min(1, 'needs at least one redirect URI'),
  requirePkce: z.boolean().default(false),
  /** RFC 8252 §7.3: any port on a registered 127.0.0.1 or [::1] redirect URI. */
  allowLoopbackPort: z.boolean().default(false),
  /** Whether it may ask users for every posting too (the scope `read:ledger`). */
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

/** Addresses are told apart without regard to case; passwords are taken exactly as typed. */
const emailKey = (address: string): string => address.trim().toLowerCase()

/**
 * Who may sign in, read again when the file changes. The last good version stays in force when a bad one is written; where
 * the file is gone, or has nothing in it, nobody may sign in. All of these throw {@link AccessUnreadableError}.
 */
export interface Access {
  user(id: string): User | undefined
  userByEmail(email: string): User | undefined
  client(id: string): Client | undefined
  /** In code point order; empty for an unknown user. */
  companiesOf(userId: string): readonly string[]
  /** Mistakes of the file as it stands now; the answers above are then those of the last good version. */
  findings(): readonly Finding[]
}

/** All mistakes of an access.yaml. What stands in place of a hash may be a secret, so it is never repeated. */
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

/** The file is there and cannot be read, so that nobody knows who may still sign in. Try again in a moment. */
export class AccessUnreadableError extends Error {
  readonly code = 'access-unreadable'
  constructor(path: string, cause: unknown) {
    super(`${path} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

interface Version {
  readonly users: ReadonlyMap<string, User>
  readonly emails: ReadonlyMap<string, User>
  readonly clients: ReadonlyMap<string, Client>
  readonly companies: ReadonlyMap<string, readonly string[]>
}

function index({ users, clients }: z.output<typeof accessSchema>): Version {
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
 * Opens `path`. A missing file is a workspace in which nobody may sign in yet; a bad one throws
 * {@link FindingsError} now, and later only calls `report`. Disabled users and clients are as if absent.
 */
export function createAccess(
  path: string,
  {
    report = () => {},
    now = Date.now,
  }: { report?: (findings: readonly Finding[]) => void; now?: () => number } = {},
): Access {
  let version = NOBODY
  let findings: readonly Finding[] = []
  let seen = ''
  let checkedAt = Number.NEGATIVE_INFINITY
  let unreadable: AccessUnreadableError | null = null

  const load = (stats: BigIntStats): readonly Finding[] => {
    const text = readFileSync(path, 'utf8')
    const parsed = parseAccess(text, basename(path))
    if (parsed.value === null) return parsed.findings
    version = index(parsed.value)
    if (text.trim() === '') return [empty(basename(path))]
    return (stats.mode & BEYOND_ITS_READERS) === 0n ? [] : [readableByOthers(basename(path))]
  }

  const refresh = () => {
    const at = now()
    // A clock set back must not stop the checks.
    if (Math.abs(at - checkedAt) < CHECK_EVERY_MS) return
    checkedAt = at
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    const mark = stats ? `${stats.mtimeNs}-${stats.ctimeNs}-${stats.size}-${stats.ino}` : 'missing'
    if (mark === seen) return
    const first = seen === ''
    if (stats) findings = load(stats)
    else {
      version = NOBODY
      findings = first ? [] : [gone(basename(path))]
    }
    seen = mark
    unreadable = null
    if (first && hasErrors(findings)) throw new FindingsError(findings)
    if (findings.length > 0) report(findings)
  }
  refresh()

  const current = (): Version => {
    try {
      refresh()
    } catch (cause) {
      const known = unreadable !== null
      unreadable = new AccessUnreadableError(path, cause)
      // No file has this mark: it is read again at the next look.
      seen = 'unreadable'
      findings = [error('access-unreadable', `cannot be read: ${(cause as Error).message}`, { file: path })]
      if (!known) report(findings)
    }
    if (unreadable !== null) throw unreadable
    return version
  }

  return {
    user: (userId) => current().users.get(userId),
    userByEmail: (address) => current().emails.get(emailKey(address)),
    client: (clientId) => current().clients.get(clientId),
    companiesOf: (userId) => current().companies.get(userId) ?? [],
    findings: () => {
      current()
      return findings
    },
  }
}

/** Its owner may let a group read it: the server's, where people of another account write it. */
const BEYOND_ITS_READERS = 0o037n
const readableByOthers = (file: string): Finding =>
  warning('access-mode', 'other users of this computer can read the hashes in it, or change it', {
    file,
    remedy: `run "chmod 600 ${file}", or "chmod 640 ${file}" where the server is in its group`,
  })
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
