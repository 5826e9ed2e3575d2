/** What to do about failures of a job whose reason Spark names: what its log says is for those who know Hadoop. */
import { FindingsError } from '../workspace/finding.ts'

const REMEDIES: readonly (readonly [reason: RegExp, remedy: string])[] = [
  [
    /S3AFileSystem not found|No FileSystem for scheme|UNSUPPORTED_FILE_SYSTEM/i,
    'give the cluster hadoop-aws: "--packages", "org.apache.hadoop:hadoop-aws:3.4.1" in engine.command of tieout.yaml, of the version of its Hadoop; if it calls buckets otherwise (s3:// or s3a://), write that under "table"',
  ],
  [
    /NoAuthWithAWSException|NoAwsCredentialsException|Unable to load credentials|No AWS Credentials/i,
    'give the cluster credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or a role; never as an argument',
  ],
  [
    /AccessDeniedException.*s3|status code: 403|Status Code: 403/i,
    'allow the credentials of the cluster s3:GetObject and s3:ListBucket; they need not be those of Tieout',
  ],
]

/** The same findings, with a remedy for the reason where it is known. */
export const explained = (problem: FindingsError): FindingsError =>
  new FindingsError(
    problem.findings.map((found) => {
      const [, remedy] =
        found.code === 'engine-failed' ? (REMEDIES.find(([reason]) => reason.test(found.message)) ?? []) : []
      return remedy === undefined ? found : { ...found, remedy: `${remedy}; ${found.remedy ?? ''}` }
    }),
  )
