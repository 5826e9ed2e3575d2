/** Types of values that several files of settings share. */
import { z } from 'zod'

export const text = z.string({ error: 'must be text' }).min(1, 'must not be empty')

/** Company ids name folders and occur in URLs. */
export const COMPANY_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/
