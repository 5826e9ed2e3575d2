/** Addresses of PostgreSQL databases in tieout.yaml, and the failures of a database in words. */
import { z } from 'zod'
import { DatabaseError } from '../system/refusals.ts'

const URL_FORM =
  'must be the address of a PostgreSQL database, such as postgres://tieout@db.example.com/tieout'

/** A password never stands in tieout.yaml: it comes from where every client of PostgreSQL looks for it. */
const NO_PASSWORD =
  'must not hold a password: it belongs into the environment variable PGPASSWORD, or into the file .pgpass (PGPASSFILE)'

const parsed = (text: string): URL | null =>
  URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol) ? new URL(text) : null

/** The path of the URL names the database; `sslmode` and other parameters are those of PostgreSQL. */
export const databaseUrl = z
  .string(URL_FORM)
  .refine((text) => (parsed(text)?.pathname.length ?? 0) > 1, URL_FORM)
  .refine((text) => {
    const url = parsed(text)
    return url === null || (url.password === '' && !url.searchParams.has('password'))
  }, NO_PASSWORD)

/** What the error codes of the operating system and of PostgreSQL (appendix A of its manual) mean, and what to do. */
const REASONS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there; start PostgreSQL, or correct host and port',
  ECONNRESET: 'it closed the connection',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  ETIMEDOUT: 'it does not answer; a firewall may be in between',
  EHOSTUNREACH: 'its host cannot be reached',
  '28P01': 'it refuses the password; set PGPASSWORD, or correct .pgpass',
  '28000': 'it refuses this user; its pg_hba.conf says who may connect from where',
  '3D000': 'this database does not exist there; create it (createdb)',
  '42501': 'this user may not do that; let the user own the database (ALTER DATABASE ... OWNER TO ...)',
  '53300': 'it has no connection left (max_connections)',
  '53100': 'its disk is full',
  '57P01': 'it is being stopped',
  '57P03': 'it is starting or stopping',
}

/** `url` without what a log should not hold: user and parameters. */
export function databaseName(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/** An error of the package `pg` as a sentence that names the database. */
export function databaseProblem(url: string, problem: unknown): DatabaseError {
  const { code = '', message } = problem as { readonly code?: string; readonly message: string }
  const noPassword = /password must be a string/.test(message) // What SCRAM says where no password is given.
  const reason = noPassword ? REASONS['28P01'] : REASONS[code]
  return new DatabaseError(
    `the database ${databaseName(url)} cannot be used: ${reason ?? message}${reason ? '' : code && ` (${code})`}`,
    { cause: problem },
  )
}
