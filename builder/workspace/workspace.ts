/**
 * Finds, parses and validates `tieout.yaml`, which says where a workspace's datasets, snapshots, state and server are. Owns, as
 * the first file of its room, what people write (tieout.yaml, company.yaml, access.yaml), and findings about it. Must not
 * read any ledger.
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { kindOfFile } from '../system/plain-file.ts'
import { type Company, companySchema, MAY_WAIT } from './company.ts'
import { databaseUrl } from './database.ts'
import { type EngineSettings, engineOf, engineSetting } from './engine-setting.ts'
import { error, FindingsError } from './findings/finding.ts'
import { canonicalKey, isPublicKey } from './public-key.ts'
import { type BucketSettings, snapshotsOf, snapshotsSetting } from './snapshots-setting.ts'
import { type TimestampSettings, timestampOf, timestampSetting } from './timestamp-settings.ts'
import { type Parsed, readYaml } from './yaml-file.ts'

const path = z.string().min(1, 'must not be empty')
const proxy = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
const seconds = (fallback: number) =>
  z.number().int().positive('must be a positive number of seconds').default(fallback)

const count = z.number().int().positive('must be a whole number, 1 or more')

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== null
  } catch {
    return false
  }
}

export const workspaceSchema = z.strictObject({
  datasets: path.default('datasets'),
  /** A folder, or a bucket (s3://bucket/prefix). */
  snapshots: snapshotsSetting,
  /** Whether source files are kept with the snapshots that are made from them. */
  keepInputs: z.boolean({ error: 'must be true or false' }).default(false),
  /** The snapshots that "tieout prune" keeps: those that at least one rule names. If absent, all are kept. */
  retention: z
    .strictObject({
      /** Keeps this number of the newest snapshots of a company. */
      keepLast: count.optional(),
      /** Keeps those published in this number of last days. */
      keepDays: count.optional(),
      /** Keeps the last snapshot of each month, for this number of years back from today. */
      keepMonthEnds: z.strictObject({ years: count }).optional(),
      /** Keeps all that were published less than this number of years ago, as the law may require. */
      minimumYears: count.optional(),
    })
    .refine(
      (rules) => Object.keys(rules).length > 0,
      'must name a rule: keepLast, keepDays, keepMonthEnds or minimumYears',
    )
    .optional(),
  /** Whether somebody else must approve what is published. The rule begins with a first approval, and only an approval ends it. */
  approval: z.literal('required', { error: 'must be "required", or left out' }).optional(),
  /** The approvers, by name and public key ("tieout approvers key" makes one). */
  approvers: z
    .array(
      z.strictObject({
        name: z.string().trim().min(1, 'must not be empty').max(100, 'must have at most 100 characters'),
        key: z
          .string()
          .refine(
            isPublicKey,
            'must be a public key as "tieout approvers key" prints it: 43 letters and digits',
          )
          .transform(canonicalKey),
      }),
    )
    .refine((all) => new Set(all.map(({ key }) => key)).size === all.length, 'must not name one key twice')
    .default([]),
  /** A time-stamping authority (RFC 3161), which is asked for a stamp of each manifest after its publication. */
  timestamp: timestampSetting.optional(),
  /** A command that signs, for keys outside the workspace, such as those of a hardware token or a key service. */
  signer: z
    .strictObject({
      /** The program and its arguments; no shell reads them. */
      command: z
        .array(z.string())
        .min(1, 'must name a program')
        .refine(([program]) => program !== '', 'must name a program'),
      /** File with the public Ed25519 key of the command, as PEM or JWK. */
      publicKey: path,
      seconds: seconds(30),
    })
    .optional(),
  /** How a cluster is asked to read ledgers with "engine: spark". */
  engine: engineSetting,
  /** The PostgreSQL database with the queue of builds, for "tieout enqueue" and "tieout worker". */
  queue: z
    .union(
      [
        databaseUrl,
        z.strictObject({
          database: databaseUrl,
          nightly: z
            .strictObject({
              /** When all companies are enqueued: minute, hour, day, month and day of the week, as cron has them. */
              schedule: z
                .string()
                .regex(
                  /^[\d*,/a-z-]+( [\d*,/a-z-]+){4}$/i,
                  'must be five fields as of cron, such as "30 2 * * *"',
                ),
              timezone: z
                .string()
                .refine(isTimeZone, 'must be a time zone such as Europe/Berlin')
                .default('UTC'),
            })
            .optional(),
        }),
      ],
      { error: 'must be the address of a PostgreSQL database, or have one as "database"' },
    )
    .optional(),
  /** The PostgreSQL database with the state of all servers of this workspace; the default is the folder of `server.state`. */
  state: databaseUrl.optional(),
  server: z
    .strictObject({
      host: z.string().default('127.0.0.1'),
      port: z.number().int().min(0).max(65535).default(8080),
      /** The issuer has no query and no fragment (RFC 8414 §2). It is never taken from a Host header. */
      issuer: z
        .url({ error: 'must be an http(s) URL' })
        .refine(
          (url) => /^https?:\/\/[^?#]+[^/?#]$/.test(url),
          'must be http(s), without query, fragment or trailing "/"',
        )
        .optional(),
      /** For tests only: allows http to another machine, where anybody on the way can read passwords and cookies. */
      insecureIssuer: z.boolean({ error: 'must be true or false' }).default(false),
      /**
       * The proxies whose X-Forwarded-For is trusted: how many are in front of the server, or their addresses and CIDR blocks.
       * With 0, the address of the connection counts.
       */
      trustedProxies: z
        .union([z.number().int().min(0).max(8), z.array(proxy)], {
          error: 'must be a number of proxies (0 to 8) or a list of their addresses',
        })
        .default(0),
      /** How long a client's sync reads the snapshot that it began with, at most. */
      pinSeconds: seconds(600),
      accessTokenSeconds: seconds(900),
      /** Seconds after SIGTERM in which the server still accepts requests while /readyz says "stopping"; longer than a proxy's probe interval. */
      noticeSeconds: z.number().int().min(0, 'must be a number of seconds, 0 or more').default(0),
      /** Seconds after SIGTERM in which running answers may end. */
      drainSeconds: seconds(10),
      /** The number of requests that one grant may send in a number of seconds. A sync of 100 companies with all filters stays below the default. */
      rateLimit: z
        .strictObject({ requests: z.number().int().positive().default(30_000), seconds: seconds(300) })
        .prefault({}),
      /** The host names for which the server answers, with or without port. Any other Host gets 421. If absent, all are accepted. */
      hosts: z.array(z.string().min(1).toLowerCase()).min(1, 'must name a host').optional(),
      /** Origins whose pages may read the interface. If absent, none. */
      origins: z
        .array(z.string().regex(/^https?:\/\/[^/?#@\s]+$/, 'must be origins such as https://app.example.com'))
        .optional(),
      /** Query parameters that are not refused although no route knows them, such as `_` of clients that avoid caches. */
      ignoredParameters: z
        .array(z.string().regex(/^[A-Za-z0-9_.-]+$/, 'must be names of parameters'))
        .optional(),
      /** The folder of the server's own state: keys, sign-ins, grants, and what clients are reading. The default is `.tieout`. */
      state: path.optional(),
      /** The file to which the log is appended. The default is stderr. */
      log: path.optional(),
      /** Address of metrics and health for operators; the default is none. It has no password and no TLS, so it must not be public. */
      admin: z
        .strictObject({ host: z.string().default('127.0.0.1'), port: z.number().int().min(0).max(65535) })
        .optional(),
    })
    .prefault({}),
})

const settingsSchema = workspaceSchema.refine(
  ({ approval, approvers }) => (approval === undefined) === (approvers.length === 0),
  { path: ['approvers'], error: 'must name who approves, together with "approval: required"' },
)

export interface QueueSettings {
  readonly database: string
  /** Null if nothing is built without an order. */
  readonly nightly: { readonly schedule: string; readonly timezone: string } | null
}

function queueOf(given: z.output<typeof workspaceSchema>['queue']): QueueSettings | null {
  if (given === undefined) return null
  const { database, nightly = null } = typeof given === 'string' ? { database: given } : given
  return { database, nightly }
}

export type SignerSettings = NonNullable<z.output<typeof workspaceSchema>['signer']>
export type Retention = NonNullable<z.output<typeof workspaceSchema>['retention']>

type ServerSettings = Omit<z.output<typeof workspaceSchema>['server'], 'log' | 'state'>

/** Where servers keep sign-ins, grants, keys, and what clients are reading. */
export interface StatePlace {
  /** Absolute path; the default is the state folder of the workspace. */
  readonly folder: string
  /** Address of the PostgreSQL database that keeps them instead; null where the folder does. */
  readonly database: string | null
}

export interface Workspace {
  /** Absolute folder of tieout.yaml. */
  readonly root: string
  readonly datasets: string
  /** The folder in which snapshots are found: that of tieout.yaml, or the working copy of the bucket. */
  readonly snapshots: string
  /** Where snapshots are published; null for that folder alone. */
  readonly bucket: BucketSettings | null
  readonly keepInputs: boolean
  /** Null if every snapshot is kept. */
  readonly retention: Retention | null
  /** The approvers; if there are none, no approval is required. Approvers that a company's log names take precedence. */
  readonly approvers: readonly { readonly Name: string; readonly Key: string }[]
  /** Null if nothing is stamped. */
  readonly timestamp: TimestampSettings | null
  /** Null if the signing key is in the workspace. */
  readonly signer: SignerSettings | null
  readonly engine: EngineSettings
  /** Null if builds are not queued. */
  readonly queue: QueueSettings | null
  /** The folder of private state: the signing key, trusted keys, the cache. */
  readonly state: string
  readonly access: string
  readonly server: ServerSettings & {
    readonly issuer: string
    /** Whether tieout.yaml states the issuer; else it follows from host and port, whichever port is opened. */
    readonly statesIssuer: boolean
    readonly state: StatePlace
    /** Absolute path; null for stderr. */
    readonly log: string | null
  }
}

/** The address of a server that listens on `host`, as URLs write it. */
export const baseUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Whether only this computer reaches `host`, which may be written as in a URL. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)

/**
 * Throws {@link FindingsError} where clients and browsers must not be sent to `server.issuer`: no address at all, or http
 * to another machine, over which cookies are neither `Secure` nor pinned to the host.
 */
export function requireSafeIssuer({ server: { issuer, insecureIssuer } }: Pick<Workspace, 'server'>): void {
  const { protocol, hostname } = new URL(issuer)
  const refuse = (message: string, remedy: string): never => {
    throw new FindingsError([
      error('issuer', message, { file: WORKSPACE_FILE, column: 'server.issuer', text: issuer, remedy }),
    ])
  }
  if (UNSPECIFIED.includes(hostname))
    refuse(
      `${issuer} is no address that a client can reach: ${hostname} means every address of this computer`,
      'write the public address as server.issuer, for example https://reports.example.com',
    )
  if (protocol !== 'https:' && !isLoopback(hostname) && !insecureIssuer)
    refuse(
      `${issuer} is another machine over http: anybody on the way could read passwords and tokens`,
      'put a TLS proxy in front and write its https address as server.issuer; for a test, "insecureIssuer: true" beside it',
    )
}

const UNSPECIFIED: readonly string[] = ['0.0.0.0', '[::]', '[::ffff:0:0]']

export const WORKSPACE_FILE = 'tieout.yaml'
export const COMPANY_FILE = 'company.yaml'

/** The outermost unpacked archive in which a folder lies; null where it lies in none. */
function archiveAround(folder: string): string | null {
  const parent = dirname(folder)
  const above = parent === folder ? null : archiveAround(parent)
  return above ?? (existsSync(join(folder, 'bagit.txt')) ? folder : null)
}

/** Looks for tieout.yaml in `from` and its parents, and reads it. Throws {@link FindingsError} if there is none, or an invalid one. */
export function openWorkspace(from: string): Workspace {
  let root = resolve(from)
  while (!existsSync(join(root, WORKSPACE_FILE))) {
    const parent = dirname(root)
    if (parent === root) {
      const archive = archiveAround(resolve(from))
      throw new FindingsError([
        error('no-workspace', `there is no ${WORKSPACE_FILE} in ${resolve(from)} or above it`, {
          remedy:
            archive === null
              ? 'run "tieout init" to make a workspace, or change into one'
              : `${archive} is an unpacked archive: "tieout verify" checks it as it is; for all other commands make a workspace ("tieout init"), and there run "tieout restore ${archive}"`,
        }),
      ])
    }
    root = parent
  }
  const parsed = readYaml(join(root, WORKSPACE_FILE), WORKSPACE_FILE, settingsSchema)
  if (parsed.value === null) throw new FindingsError(parsed.findings)
  const {
    server,
    datasets,
    snapshots,
    keepInputs,
    retention = null,
    signer = null,
    timestamp,
    approvers,
    engine,
    queue,
    state: database = null,
  } = parsed.value
  const state = join(root, '.tieout')
  return {
    root,
    datasets: resolve(root, datasets),
    ...snapshotsOf(snapshots, root, state),
    keepInputs,
    retention,
    approvers: approvers.map(({ name, key }) => ({ Name: name, Key: key })),
    signer,
    timestamp: timestampOf(timestamp, root),
    engine: engineOf(engine, root, state),
    queue: queueOf(queue),
    state,
    access: join(root, 'access.yaml'),
    server: {
      ...server,
      issuer: server.issuer ?? baseUrl(server.host, server.port),
      statesIssuer: server.issuer !== undefined,
      state: { folder: server.state === undefined ? state : resolve(root, server.state), database },
      log: server.log === undefined ? null : resolve(root, server.log),
    },
  }
}

/** Ids of the companies that have a company.yaml, in code point order. */
export function listCompanies(workspace: Workspace): string[] {
  if (!existsSync(workspace.datasets)) return []
  return readdirSync(workspace.datasets, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(workspace.datasets, entry.name, COMPANY_FILE)))
    .map((entry) => entry.name)
    .sort()
}

export const datasetFolder = (workspace: Pick<Workspace, 'datasets'>, id: string): string =>
  join(workspace.datasets, id)

/** Reads and validates one company.yaml; its `id` must be the folder's name. */
export function readCompany(workspace: Pick<Workspace, 'datasets'>, id: string): Parsed<Company> {
  const file = join(datasetFolder(workspace, id), COMPANY_FILE)
  if (!existsSync(file))
    return {
      value: null,
      findings: [
        error('unknown-company', `there is no company "${id}": ${file} does not exist`, {
          remedy: 'check the spelling, or set it up with "tieout add"',
        }),
      ],
    }
  const found = statSync(file)
  if (!found.isFile())
    return {
      value: null,
      findings: [
        error('unreadable-file', `is ${kindOfFile(found)}, although it has the name of a file`, {
          file: COMPANY_FILE,
          remedy: 'rename it, and write the file or let "tieout add" write it',
        }),
      ],
    }
  const parsed = readYaml(file, COMPANY_FILE, companySchema, MAY_WAIT)
  if (parsed.value !== null && parsed.value.id !== id)
    return {
      value: null,
      findings: [
        error('company-id', `the id "${parsed.value.id}" differs from the folder's name "${id}"`, {
          file: COMPANY_FILE,
          column: 'id',
          text: parsed.value.id,
          remedy: 'make them the same: the id names the folder, the snapshots and the URLs',
        }),
      ],
    }
  return parsed
}
