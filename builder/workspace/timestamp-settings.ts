/** The setting `timestamp` of tieout.yaml: the time-stamping authority (RFC 3161) that stamps what is published. */
import { resolve } from 'node:path'
import { z } from 'zod'

const ANSWER_SECONDS = 20
const authorityUrl = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' })

export const timestampSetting = z.union(
  [
    authorityUrl,
    z.strictObject({
      url: authorityUrl,
      certificate: z.string().min(1, 'must not be empty').optional(),
      seconds: z.number().int().positive('must be a positive number of seconds').default(ANSWER_SECONDS),
      policy: z
        .string()
        .regex(/^\d+(\.\d+)+$/, 'must be a number such as 1.3.6.1.4.1.1234.1')
        .optional(),
    }),
  ],
  { error: 'must be an http(s) URL, or have one as "url"' },
)

export interface TimestampSettings {
  readonly url: string
  /** Absolute path of the trusted certificates in PEM; null if none are named. */
  readonly certificate: string | null
  /** How long the authority may take to answer. */
  readonly seconds: number
  /** The policy (OID) that its stamps must be made by; null for its own choice. */
  readonly policy: string | null
}

export function timestampOf(
  given: z.output<typeof timestampSetting> | undefined,
  root: string,
): TimestampSettings | null {
  if (given === undefined) return null
  const {
    url,
    seconds,
    certificate = null,
    policy = null,
  } = typeof given === 'string' ? { url: given, seconds: ANSWER_SECONDS } : given
  return { url, seconds, policy, certificate: certificate === null ? null : resolve(root, certificate) }
}
