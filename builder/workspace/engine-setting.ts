/** Defines `engine` of tieout.yaml: the command and the folder by which a cluster reads ledgers with "engine: spark". */
import { join, resolve } from 'node:path'
import { z } from 'zod'

/** `spark.hadoop.fs.s3a.secret.key=…`, `--password=…`, `--password` before its value; but no reference to a secret of Kubernetes, nor a file. */
const SECRET =
  /^(?:--conf=)?(?!.*\.(?:secretKeyRef|secrets)\.)[^=]*(?:(?:secret|password|passwd|token|(?:secret|access|account|private)[._-]?key)(?:=.|$)|account\.key\.[^=]*=.)/i
const holdsSecret = (argument: string, i: number): boolean =>
  i > 0 && SECRET.test(argument) && (argument.includes('=') || argument.startsWith('-'))

export const engineSetting = z
  .strictObject({
    /** The program and its arguments; no shell reads them. `{sql}` stands for the file with the statements, else `-f FILE` follows. */
    command: z
      .array(z.string())
      .min(1, 'must name a program')
      .refine(([program]) => program !== '', 'must name a program')
      .refine((command) => !command.some(holdsSecret), {
        error:
          'holds a credential, which everybody on this machine sees among the arguments of a process: state it in the configuration of Spark (spark-defaults.conf), or in the environment',
        abort: true,
      })
      .default(['spark-sql']),
    /** A folder that this machine and those of the cluster see under one path. The default is in `.tieout`. */
    scratch: z.string().min(1, 'must not be empty').optional(),
    /** The address of the store that has the tables, where it is not Amazon's. */
    endpoint: z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }).optional(),
    region: z.string().min(1, 'must not be empty').optional(),
  })
  .prefault({})

export interface EngineSettings {
  readonly command: readonly string[]
  /** Absolute path of the folder through which the files of a job and of its results go. */
  readonly scratch: string
  /** The address of the store with the tables; null: what the environment says, or Amazon's. */
  readonly endpoint: string | null
  /** Null: what the environment or the profile says. */
  readonly region: string | null
}

export const engineOf = (
  { command, scratch, endpoint, region }: z.output<typeof engineSetting>,
  root: string,
  state: string,
): EngineSettings => ({
  command,
  scratch: scratch === undefined ? join(state, 'engine') : resolve(root, scratch),
  endpoint: endpoint ?? null,
  region: region ?? null,
})
