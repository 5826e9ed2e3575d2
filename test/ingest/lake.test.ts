/** What is read of a table in a bucket before an engine is asked: the ends of its files, by a store in memory. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { KnownFiles } from '../../builder/ingest/known-files.ts'
import { readTableOf } from '../../builder/ingest/lake.ts'
import { BucketError } from '../../builder/system/refusals.ts'
import type { LedgerSetting } from '../../builder/workspace/company.ts'
import { parseTableAddress, type TableStore } from '../../builder/workspace/table-address.ts'
import { inFolder } from '../cli/command.ts'
import { suite } from '../suite.ts'
import { writeParquet } from '../support/parquet.ts'
import { codes } from '../support/workspace.ts'

const lake = suite('the ends of a table')

const ROWS = `SELECT 'E' || (range // 2) AS transaction_id, DATE '2025-01-05' AS date, 'bank' AS account,
  range::DECIMAL(18, 2) AS amount, 'memo ' || range AS memo FROM range(40000)`

/** A store with these objects, and the lengths for which it was asked. */
function storeOf(
  objects: Readonly<Record<string, Buffer>>,
  fault: (file: string) => 'gone' | 'fails' | null,
) {
  const asked: number[] = []
  const store: TableStore = {
    bytesRead: 0,
    list: async () => ({
      objects: Object.entries(objects).map(([file, { length }], i) => ({
        file,
        bytes: length,
        etag: `e${i}`,
      })),
      others: [],
    }),
    log: async () => null,
    tail: async ({ file }, length) => {
      asked.push(length)
      if (fault(file) === 'fails') throw new BucketError('the bucket s3://lake cannot be used: for a test')
      return fault(file) === 'gone' ? null : { bytes: objects[file]!.subarray(-length), version: 'v1' }
    },
  }
  return { asked, store }
}

const read = (store: TableStore | null, files: string) =>
  readTableOf(
    {
      ...{ setting: { files, engine: 'spark' } as LedgerSetting, key: 'ledger.0' },
      address: parseTableAddress(files)!,
    },
    new KnownFiles(),
    store,
  )

const withFile = (options: string, work: (bytes: Buffer) => Promise<void>): Promise<void> =>
  inFolder(async (root) => {
    await writeParquet(join(root, 'a.parquet'), ROWS, options)
    await work(readFileSync(join(root, 'a.parquet')))
  })

const sound = () => null

lake('one request reads a footer; a longer one is asked for once more, with its length', () =>
  withFile('ROW_GROUP_SIZE 2048', async (usual) => {
    const one = storeOf({ 's3a://lake/gl/a.parquet': usual }, sound)
    const { inputs, sources } = await read(one.store, 's3a://lake/gl/*.parquet')
    assert.equal(one.asked, [65_536])
    const [input] = inputs
    assert.equal(input?.kind === 'parquet' && [input.rows, input.path], [40_000, 's3a://lake/gl/a.parquet'])
    const [source] = sources
    assert.equal(
      [source?.bytes, source?.sha256, source?.etag, source?.version],
      [usual.length, null, 'e0', 'v1'],
    )
    // The same file whose footer is behind 64 kB of its own metadata.
    const columns = Array.from({ length: 60 }, (_, i) => `range AS other_${i}`).join(', ')
    await inFolder(async (root) => {
      await writeParquet(
        join(root, 'b.parquet'),
        ROWS.replace(' FROM', `, ${columns} FROM`),
        'ROW_GROUP_SIZE 2048',
      )
      const large = storeOf({ 's3a://lake/gl/b.parquet': readFileSync(join(root, 'b.parquet')) }, sound)
      assert.is((await read(large.store, 's3a://lake/gl/*.parquet')).inputs.length, 1)
      assert.is(large.asked.length, 2)
      assert.ok(large.asked[1]! > 65_536)
    })
  }),
)

lake('an object that is another by then, a store that fails, and none', () =>
  withFile('', async (bytes) => {
    const files = { 's3a://lake/gl/a.parquet': bytes, 's3a://lake/gl/b.parquet': bytes.subarray(0, 100) }
    const of = async (fault: Parameters<typeof storeOf>[1]) =>
      codes((await read(storeOf(files, fault).store, 's3a://lake/gl/*.parquet')).findings)
    assert.equal(await of((file) => (file.includes('a.') ? 'gone' : null)), [
      'source-changed',
      'unreadable-parquet',
    ])
    assert.equal(await of((file) => (file.includes('b.') ? 'fails' : null)), ['table-unreachable'])
    assert.equal(codes((await read(null, 's3a://lake/gl/*.parquet')).findings), ['table-unreachable'])
  }),
)

lake('names that engines pass over are refused below the pattern, and not in what it says itself', () =>
  withFile('', async (bytes) => {
    const of = async (key: string, pattern: string) =>
      codes(
        (await read(storeOf({ [`s3a://lake/${key}`]: bytes }, sound).store, `s3a://lake/${pattern}`))
          .findings,
      )
    assert.equal(await of('gl/_log/a.parquet', 'gl/**/*.parquet'), ['table-file-hidden'])
    assert.equal(await of('gl/_a.parquet', 'gl/_a.parquet'), ['table-file-hidden'])
    assert.equal(await of('_raw/gl/a.parquet', '_raw/gl/*.parquet'), [])
    assert.equal(await of('_raw/gl/a.parquet', '_raw/gl/a.parquet'), [])
    assert.equal(await of('gl/_part=1/a.parquet', 'gl/**/*.parquet'), [])
  }),
)

lake('a table with a log is refused by its pattern, and none of its files is read', () =>
  withFile('', async (bytes) => {
    const { store, asked } = storeOf({ 's3a://lake/gl/a.parquet': bytes }, sound)
    const log = async () => ({ format: 'Delta Lake', where: 's3a://lake/gl/_delta_log' })
    const { inputs, findings } = await read({ ...store, log }, 's3a://lake/gl/*.parquet')
    assert.equal([inputs, codes(findings), asked], [[], ['table-with-log'], []])
    assert.match(
      findings[0]!.message,
      /^"s3a:\/\/lake\/gl\/\*\.parquet" belongs to a table of Delta Lake \(s3a:\/\/lake\/gl\/_delta_log\)/,
    )
  }),
)
