/** Sends errors from one process to another: each arrives as an error of the class that the receiver distinguishes. */
import { Problem } from '../../builder/contract/problem.ts'
import { type Finding, FindingsError } from '../../builder/workspace/finding.ts'
import { PasswordsBusyError } from '../../builder/workspace/password.ts'
import { AddressError, PlaceError } from '../../builder/workspace/refusals.ts'
import { CompanyUnreadableError } from '../companies/company.ts'

/** An error as plain values, which a message can hold. */
export interface Failure {
  readonly kind: string
  readonly message: string
  /** The code of an error of the operating system, or of a {@link Problem}. */
  readonly code: string | null
  readonly path: string | null
  readonly more: Pick<Problem, 'errors' | 'headers'> | null
  readonly findings: readonly Finding[] | null
}

const CLASSES: Readonly<Record<string, new (message: string) => Error>> = {
  AddressError,
  CompanyUnreadableError,
  PasswordsBusyError,
  PlaceError,
}

export function failureOf(problem: unknown): Failure {
  const { message = String(problem), code, path } = (problem ?? {}) as Partial<NodeJS.ErrnoException>
  const kind = Object.entries(CLASSES).find(([, its]) => problem instanceof its)?.[0]
  const more = problem instanceof Problem ? { errors: problem.errors, headers: problem.headers } : null
  return {
    kind: more === null ? (kind ?? 'Error') : 'Problem',
    message,
    code: typeof code === 'string' ? code : null,
    path: typeof path === 'string' ? path : null,
    more,
    findings: problem instanceof FindingsError ? problem.findings : null,
  }
}

export function errorOf({ kind, message, code, path, more, findings }: Failure): Error {
  if (findings !== null) return new FindingsError(findings)
  if (more !== null) return new Problem(code as Problem['code'], message, more)
  const Class = CLASSES[kind]
  if (Class !== undefined) return new Class(message)
  return Object.assign(new Error(message), code === null ? {} : { code }, path === null ? {} : { path })
}
