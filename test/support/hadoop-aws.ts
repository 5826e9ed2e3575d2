/**
 * What lets a cluster of Spark read buckets: the jars of hadoop-aws, in the folder that `TIEOUT_HADOOP_AWS` names (spark/pom.xml says how
 * to get them). Without it tests skip and say so.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.env.TIEOUT_HADOOP_AWS ?? ''

/** Paths of the jars; null where they are missing. */
export const HADOOP_AWS: readonly string[] | null = existsSync(folder)
  ? readdirSync(folder)
      .filter((name) => name.endsWith('.jar'))
      .map((name) => join(folder, name))
  : null

/** Why tests that need them are skipped. */
export const NO_HADOOP_AWS =
  'hadoop-aws is missing (name a folder with its jars as TIEOUT_HADOOP_AWS; test/support/spark/pom.xml gets them): tests of Spark with a bucket are skipped'

/** Settings of a cluster by which it finds buckets of a store. Credentials are taken from the environment. */
export const sparkSettings = (endpoint: string): Readonly<Record<string, string>> => ({
  'spark.jars': (HADOOP_AWS ?? []).join(','),
  'spark.hadoop.fs.s3a.endpoint': endpoint,
  'spark.hadoop.fs.s3a.endpoint.region': 'us-east-1',
  'spark.hadoop.fs.s3a.path.style.access': 'true',
  // Some clouds call it s3.
  'spark.hadoop.fs.s3.impl': 'org.apache.hadoop.fs.s3a.S3AFileSystem',
  // Faults are answered in seconds.
  'spark.hadoop.fs.s3a.attempts.maximum': '2',
  'spark.hadoop.fs.s3a.retry.limit': '2',
  'spark.hadoop.fs.s3a.retry.interval': '100ms',
})
