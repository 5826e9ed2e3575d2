/** The style sheet as a document. Its address contains its hash, so that it may be cached for a year. */
import { PAGE_STYLE } from '../../pages/style.ts'
import { PATHS } from '../discovery.ts'
import { digest } from '../keys/secret.ts'
import type { PublicDocument } from '../reply.ts'

export const styleDocument: PublicDocument = {
  type: 'text/css; charset=utf-8',
  body: PAGE_STYLE,
  maxAgeSeconds: 365 * 24 * 3600,
}

const version = digest(PAGE_STYLE).slice(0, 8)
export const styleHref = (base: string): string => `${base}${PATHS.style}?v=${version}`
