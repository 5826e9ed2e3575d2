/** OpenSSL, where there is one: for keys, signatures and time stamps that this program did not make. */
import { execFileSync } from 'node:child_process'

/** Throws what it said where it fails. */
export const openssl = (cwd: string, ...args: string[]): Buffer =>
  execFileSync('openssl', args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })

/** Whether there is version 3; says what is skipped without it. */
export function hasOpenssl(skipped: string): boolean {
  try {
    if (openssl('.', 'version').toString().startsWith('OpenSSL 3')) return true
  } catch {
    // There is none.
  }
  process.stderr.write(`${skipped}: skipped, there is no openssl 3 here\n`)
  return false
}

/** A key of Ed25519 as `<name>.pem`, its public part as `<name>.pub`. */
export function makeEd25519(cwd: string, name: string): void {
  openssl(cwd, 'genpkey', '-algorithm', 'ed25519', '-out', `${name}.pem`)
  openssl(cwd, 'pkey', '-in', `${name}.pem`, '-pubout', '-out', `${name}.pub`)
}
