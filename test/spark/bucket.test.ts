/**
 * A ledger in a bucket, which a real cluster of Spark reads where it lies: the same figures as of the same files in a folder, and what
 * goes wrong there in words.
 */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { useDuckDb } from '../support/engines.ts'
import { HADOOP_AWS, NO_HADOOP_AWS, sparkSettings } from '../support/hadoop-aws.ts'
import { ledgersToParquet } from '../support/parquet.ts'
import { missing, type Store, startStore } from '../support/s3.ts'
import { skipAll } from '../support/skipped.ts'
import { type Cluster, NO_SPARK, SPARK, startCluster } from '../support/spark.ts'
import { ledgerOf, leftBy, moveToBucket, useBucket } from '../support/table-bucket.ts'
import { buildIn, findingsText, inWorkspace } from '../support/workspace.ts'

const GOLDEN = fileURLToPath(new URL('../golden', import.meta.url))
const lake = suite('a ledger in a bucket')
let store: Store
let cluster: Cluster

/** Publishes the company that `fill` writes with DuckDB from a folder, and with Spark from a bucket, and compares. */
const compare = (id: string, fill: (workspace: Workspace) => unknown, scheme = 's3a'): Promise<void> =>
  inWorkspace(
    {},
    async (workspace) => {
      await fill(workspace)
      useDuckDb(workspace, id)
      const duckdb = await buildIn(workspace, id)
      const said = findingsText(duckdb.result.findings)
      const before = duckdb.result.snapshotId === null ? null : ledgerOf(duckdb)
      const bucket = await moveToBucket(workspace, id, store)
      const address = `${scheme}://${bucket}/`
      const settings = { command: cluster.command, endpoint: store.endpoint, scheme }
      const spark = await buildIn(useBucket(workspace, id, bucket, settings), id)
      assert.is(findingsText(spark.result.findings).replaceAll(address, ''), said)
      assert.is(spark.result.snapshotId === null, before === null)
      assert.equal(leftBy(workspace), [])
      if (before !== null) assert.equal(ledgerOf(spark, address), before)
    },
    id,
  )

const why = SPARK === null ? NO_SPARK : HADOOP_AWS === null ? NO_HADOOP_AWS : missing
if (why !== null) skipAll(why)
else {
  lake.before(async () => {
    store = await startStore()
    cluster = await startCluster(sparkSettings(store.endpoint))
  })
  lake.after(async () => {
    await cluster?.close()
    await store?.stop()
  })
  lake('a company with figures checked by hand', () => {
    const input = join(GOLDEN, 'trading-month', 'input')
    const { id } = parse(readFileSync(join(input, 'company.yaml'), 'utf8')) as { id: string }
    return compare(id, async (workspace) => {
      cpSync(input, join(workspace.datasets, id), { recursive: true })
      await ledgersToParquet(workspace, id)
    })
  })
  lake.run()
}
