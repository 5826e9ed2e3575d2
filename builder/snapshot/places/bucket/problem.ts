/** The failures of a bucket in words. */
import { BucketError } from '../../../system/refusals.ts'

/** What the codes of S3, of the operating system and of its client mean, and what to do. */
const REASONS: Record<string, string> = {
  NoSuchBucket: 'there is no bucket of this name; create it, or correct the address',
  InvalidAccessKeyId: 'it does not know the access key; set AWS_ACCESS_KEY_ID, or correct the profile',
  SignatureDoesNotMatch: 'it refuses the secret key; set AWS_SECRET_ACCESS_KEY, or correct the profile',
  ExpiredToken: 'the credentials have expired; get new ones',
  CredentialsProviderError:
    'there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
  RequestTimeTooSkewed: 'its clock and the one of this computer differ; correct the clock',
  PermanentRedirect: 'it is in another region; set AWS_REGION',
  AuthorizationHeaderMalformed: 'it is in another region; set AWS_REGION',
  SlowDown: 'it asks to slow down, after several attempts; try again later',
  ServiceUnavailable: 'it is not available, after several attempts; try again later',
  TimeoutError: 'it does not answer in time, after several attempts; try again later',
  ECONNREFUSED: 'nothing listens there; correct the endpoint, or start the store',
  ECONNRESET: 'it closed the connection, after several attempts; try again later',
  ENOTFOUND: 'there is no host of this name; correct the endpoint',
  EAI_AGAIN: 'the name of its host cannot be looked up now; try again later',
}

/** The permissions that snapshots need. */
const ALLOWED = 's3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket'

/** What errors of the S3 client have in common. */
export interface ClientFailure {
  readonly name?: string
  readonly message?: string
  /** The code of the operating system. */
  readonly code?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
}

export const statusOf = (problem: unknown): number | undefined =>
  (problem as ClientFailure).$metadata?.httpStatusCode

/** An error of the client as a sentence that names the bucket. `allowed` is what the credentials must be allowed to do. */
export function bucketProblem(bucket: string, problem: unknown, allowed = ALLOWED): BucketError {
  const { name = '', code = '', message = '' } = problem as ClientFailure
  const status = statusOf(problem)
  const reason =
    (name === 'AccessDenied' ? `its rules do not allow this; the credentials need ${allowed}` : null) ??
    REASONS[name] ??
    REASONS[code] ??
    (status === 503 ? REASONS.ServiceUnavailable : `${message} (${name})`)
  return new BucketError(`the bucket ${bucket} cannot be used: ${reason}`, { cause: problem })
}
