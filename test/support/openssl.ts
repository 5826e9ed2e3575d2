/** OpenSSL, where there is one: for keys, signatures and time stamps that this program did not make. */
import { execFileSync } from 'node:child_process'

/** Throws what it said where it fails. */
export const openssl = (cwd: string, ...args: string[]): Buffer =>
  execFileSync('openssl', args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })

/** Why what needs version 3 is skipped, where it is not installed. */
export const missing = hasVersion3() ? null : 'there is no openssl 3 here: what needs it is skipped'

function hasVersion3(): boolean {
  try {
    return openssl('.', 'version').toString().startsWith('OpenSSL 3')
  } catch {
    return false
  }
}

/** A key of Ed25519 as `<name>.pem`, its public part as `<name>.pub`. */
export function makeEd25519(cwd: string, name: string): void {
  openssl(cwd, 'genpkey', '-algorithm', 'ed25519', '-out', `${name}.pem`)
  openssl(cwd, 'pkey', '-in', `${name}.pem`, '-pubout', '-out', `${name}.pub`)
}
