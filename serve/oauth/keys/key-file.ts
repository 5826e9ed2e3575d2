/** The keys as they are stored, as one JSON document. */
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'
import { exportJWK } from 'jose/key/export'
import { generateKeyPair } from 'jose/key/generate/keypair'
import { z } from 'zod'
import { randomToken } from './secret.ts'

const schema = z.object({
  /** The newest whose time has come signs; all that have not ended verify tokens and are published. */
  signing: z
    .array(
      z.object({
        kid: z.string(),
        useFrom: z.number(),
        /** When the last token signed with it expires; null while it has no successor. */
        endsAt: z.number().nullable().default(null),
        jwk: z.record(z.string(), z.unknown()),
      }),
    )
    .min(1),
  refresh: z.string(),
  pages: z.string(),
})
export type KeyFile = z.output<typeof schema>
export type StoredKey = KeyFile['signing'][number]

export const ALG = 'RS256'

/** Throws where the text is not such a document. */
export const parseKeys = (text: string): KeyFile => schema.parse(JSON.parse(text))

export const encodeKeys = (keys: KeyFile): string => JSON.stringify(keys, null, 2)

/** The first keys of a state. */
export const newKeys = async (now: number): Promise<KeyFile> => ({
  signing: [await newSigningKey(now)],
  ...newSecrets(),
})

export const newSecrets = (): Pick<KeyFile, 'refresh' | 'pages'> => ({
  refresh: randomToken(),
  pages: randomToken(),
})

export async function newSigningKey(useFrom: number): Promise<StoredKey> {
  const { privateKey } = await generateKeyPair(ALG, { modulusLength: 2048, extractable: true })
  const jwk = await exportJWK(privateKey)
  return { kid: await calculateJwkThumbprint(jwk), useFrom, endsAt: null, jwk: { ...jwk } }
}
