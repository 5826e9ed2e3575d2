/** Says why a job of Spark failed, and what to do about it: its log is for people who know Hadoop. */

export interface Why {
  readonly reason: string
  /** Null where it is not known what to do. */
  readonly remedy: string | null
}

interface KnownFailure {
  readonly said: RegExp
  /** Stands in place of what Spark says; null where that names the reason well enough. */
  readonly reason: string | null
  readonly remedy: string
}

const KNOWN: readonly KnownFailure[] = [
  {
    said: /All masters are unresponsive/,
    reason: 'no master of the cluster answers',
    remedy: 'start it, or correct its address in engine.command of tieout.yaml',
  },
  {
    said: /No space left on device|Disk quota exceeded/,
    reason: 'a disk is full',
    remedy: 'make room in engine.scratch of tieout.yaml, and on the disks of the workers',
  },
  {
    said: /S3AFileSystem not found|No FileSystem for scheme|UNSUPPORTED_FILE_SYSTEM/i,
    reason: null,
    remedy:
      'give the cluster hadoop-aws: "--packages", "org.apache.hadoop:hadoop-aws:3.4.1" in engine.command of tieout.yaml, of the version of its Hadoop; if it calls buckets otherwise (s3:// or s3a://), write that under "table"',
  },
  {
    said: /NoAuthWithAWSException|NoAwsCredentialsException|Unable to load credentials|No AWS Credentials/i,
    reason: null,
    remedy:
      'give the cluster credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or a role; never as an argument',
  },
  {
    said: /AccessDeniedException.*s3|status code: 403/i,
    reason: null,
    remedy:
      'allow the credentials of the cluster s3:GetObject and s3:ListBucket; they need not be those of Tieout',
  },
]

/** Spark names the kind of an error in brackets, or the class of an exception. */
const ERROR =
  /^(?:Caused by: |Error in query: |Exception in thread "[^"]*" )?(\[[A-Z][A-Z0-9_.]+\] .+|(?:[\w$]+\.)+[\w$]*(?:Exception|Error): .+)$/

/** The reason that a line of the log gives. A known one counts more than any other, and a later error more than an earlier one. */
export function reasonInLine(line: string, before: Why | null): Why | null {
  const told = ERROR.exec(line.trim())?.[1]?.slice(0, 400)
  const known = KNOWN.find(({ said, reason }) => said.test(reason === null ? (told ?? '') : line))
  const reason = known?.reason ?? told
  if (reason === undefined || (known === undefined && before?.remedy)) return before
  return { reason, remedy: known?.remedy ?? null }
}
