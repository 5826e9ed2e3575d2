/** How a build of the queue ended, as the database keeps it. */
import { z } from 'zod'
import { type Finding, SEVERITIES } from '../../workspace/findings/finding.ts'

const findingSchema = z.object({
  severity: z.enum(SEVERITIES),
  code: z.string(),
  message: z.string(),
  file: z.string().nullable(),
  row: z.number().nullable(),
  column: z.string().nullable(),
  text: z.string().nullable(),
  remedy: z.string().nullable(),
  ledgerText: z.array(z.string()).nullish(),
}) as unknown as z.ZodType<Finding>

export const endedSchema = z.object({
  /** As of `tieout build`; `failed` where the program or the machine did, which is tried again. */
  outcome: z.enum(['published', 'unchanged', 'waiting', 'checked', 'refused', 'failed']),
  snapshotId: z.string().nullable(),
  /** The reason for a failure. */
  message: z.string().nullable(),
  /** The first {@link MOST_FINDINGS} findings. */
  findings: z.array(findingSchema).readonly(),
  /** The machine and process id of the worker; null where it ended in the middle. */
  worker: z.string().nullable(),
})
export type Ended = z.output<typeof endedSchema>

/** How many findings of a build are kept; "tieout check" shows all of them. */
export const MOST_FINDINGS = 50
