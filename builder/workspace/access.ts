/** `access.yaml` (0600): who may sign in, which companies they may see, and which clients may ask. Hashes only. */
import type { Finding } from './finding.ts'

export interface User {
  readonly id: string
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  /** Company ids; an explicit list, so that a new company is nobody's until somebody says so. */
  readonly companies: readonly string[]
  /** PHC string, `$scrypt$ln=17,r=8,p=1$salt$hash`. */
  readonly password: string
}

export interface Client {
  readonly id: string
  readonly name: string
  /** `sha256:<hex>`; two at once while a secret is being rotated. */
  readonly secretHashes: readonly string[]
  readonly redirectUris: readonly string[]
  readonly requirePkce: boolean
  /** RFC 8252 §7.3: any port on a registered loopback redirect URI. */
  readonly allowLoopbackPort: boolean
}

/** Who may sign in, read again when the file changes; the last good version stays in force when a bad one is written. */
export interface Access {
  user(id: string): User | undefined
  userByEmail(email: string): User | undefined
  client(id: string): Client | undefined
  /** In code point order; empty for an unknown user. */
  companiesOf(userId: string): readonly string[]
  /** Mistakes of the file as it stands now; the answers above are then those of the last good version. */
  findings(): readonly Finding[]
}
