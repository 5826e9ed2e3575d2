/** Which objects of a bucket a pattern names, and what is read of them. */

import * as assert from 'uvu/assert'
import { present } from '../../builder/contract/present.ts'
import { openTables } from '../../builder/snapshot/places/bucket/tables.ts'
import { parseTableAddress } from '../../builder/workspace/table-address.ts'
import { suite } from '../suite.ts'
import { missing, type Store, startStore } from '../support/s3.ts'
import { keepVersions, put } from '../support/table-bucket.ts'

const tables = suite('objects of a table')
let store: Store
let bucket: string

const open = () => openTables({ endpoint: store.endpoint, region: 'us-east-1' }, { attempts: 1 })
const list = async (pattern: string, scheme = 's3a') => {
  const found = await open().list(present(parseTableAddress(`${scheme}://${bucket}/${pattern}`), 'address'))
  const short = (file: string) => file.replace(`${scheme}://${bucket}/`, '')
  return { objects: found.objects.map(({ file }) => short(file)), others: found.others.map(short) }
}

tables.needs(missing)
tables.before(async () => {
  store = await startStore()
  bucket = await store.bucket()
  for (const key of [
    'gl/b.parquet',
    'gl/a.parquet',
    'gl/x.csv',
    'gl/y=24/c.parquet',
    'gl/[1].parquet',
    'gl/1.parquet',
    'glx/d.parquet',
    'gl/.e.parquet',
  ])
    await put(store, bucket, key, Buffer.from(`content of ${key}`))
  await put(store, bucket, 'gl/folder/', Buffer.alloc(0))
})
tables.after(() => store.stop())

tables('a pattern is one of file names, and what it does not name is told apart', async () => {
  assert.equal(await list('gl/*.parquet'), {
    objects: ['gl/1.parquet', 'gl/[1].parquet', 'gl/a.parquet', 'gl/b.parquet'],
    others: ['gl/.e.parquet', 'gl/x.csv', 'gl/y=24/c.parquet'],
  })
  assert.equal((await list('gl/**/*.parquet', 's3')).objects.slice(-2), ['gl/b.parquet', 'gl/y=24/c.parquet'])
  assert.equal((await list('gl/{a,b}.parquet')).objects, ['gl/a.parquet', 'gl/b.parquet'])
  assert.equal((await list('**/d.parquet')).objects, ['glx/d.parquet'])
  assert.equal((await list('gl/y=*/c.parquet')).objects, ['gl/y=24/c.parquet'])
})

tables('an object is taken by its own name, even if that has characters of patterns', async () => {
  assert.equal((await list('gl/[1].parquet')).objects, ['gl/[1].parquet'])
  assert.equal((await list('gl/a.parquet')).objects, ['gl/a.parquet'])
  assert.equal((await list('gl/none.parquet')).objects, [])
})

const logOf = async (pattern: string) => {
  const address = present(parseTableAddress(`s3a://${bucket}/${pattern}`), 'address')
  const opened = open()
  const log = await opened.log(address, await opened.list(address))
  return log && `${log.format}: ${log.where.replace(`s3a://${bucket}/`, '')}`
}

tables(
  'the log of a table is found beside its files, below and above the folder that is listed',
  async () => {
    for (const key of [
      'delta/_delta_log/00000000000000000000.json',
      'delta/day=24/a.parquet',
      'hudi/.hoodie/hoodie.properties',
      'hudi/americas/brazil/a.parquet',
      'iceberg/metadata/snap-1.avro',
      'iceberg/metadata/v1.gz.metadata.json',
      'iceberg/data/2d3905f8/a.parquet',
      'own/metadata/report.pdf.metadata.json',
      'own/a.parquet',
    ])
      await put(store, bucket, key, Buffer.from(key))
    for (const pattern of ['delta/**/*.parquet', 'delta/day=24/*.parquet', 'delta/day=*/a.parquet'])
      assert.is(await logOf(pattern), 'Delta Lake: delta/_delta_log')
    for (const pattern of ['hudi/**/*.parquet', 'hudi/americas/brazil/a.parquet'])
      assert.is(await logOf(pattern), 'Apache Hudi: hudi/.hoodie')
    for (const pattern of ['iceberg/**/*.parquet', 'iceberg/data/2d3905f8/*.parquet'])
      assert.is(await logOf(pattern), 'Apache Iceberg: iceberg/metadata')
    for (const pattern of ['own/**/*.parquet', 'gl/*.parquet', '{gl,own}/*.parquet'])
      assert.is(await logOf(pattern), null)
  },
)

tables(
  'logs above a table are asked for once, whatever its folders; where nobody may look, there is none',
  async () => {
    for (let day = 10; day < 30; day++)
      await put(store, bucket, `lake/gl/2025/day=${day}/a.parquet`, Buffer.from(String(day)))
    const asked: string[] = []
    store.fail(({ url = '' }) => {
      asked.push(new URL(url, store.endpoint).searchParams.get('prefix') ?? '')
      return false
    })
    assert.is(await logOf('lake/gl/2025/**/*.parquet'), null)
    const above = (folder: string) => ['_delta_log/', 'metadata/', '.hoodie/'].map((log) => folder + log)
    assert.equal(asked, ['lake/gl/2025/', ...['lake/gl/', 'lake/', ''].flatMap(above)])
    store.fail(({ url = '' }, response) => {
      if (new URL(url, store.endpoint).searchParams.get('prefix') === 'lake/gl/2025/') return false
      response.writeHead(403, { 'content-type': 'application/xml' })
      response.end('<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>')
      return true
    })
    assert.is(await logOf('lake/gl/2025/**/*.parquet'), null)
    store.fail(null)
  },
)

tables('the end of an object is read if it is still the one that was listed', async () => {
  const opened = open()
  const address = present(parseTableAddress(`s3a://${bucket}/gl/b.parquet`), 'address')
  const [object] = (await opened.list(address)).objects
  const tail = await opened.tail(object!, 7)
  assert.equal([tail?.bytes.toString(), tail?.version], ['parquet', null])
  assert.is((await opened.tail(object!, 1000))?.bytes.toString(), 'content of gl/b.parquet')
  assert.is(opened.bytesRead, 7 + 'content of gl/b.parquet'.length)
  await keepVersions(store, bucket)
  await put(store, bucket, 'gl/b.parquet', Buffer.from('another'))
  assert.is(await opened.tail(object!, 7), null)
  const [now] = (await opened.list(address)).objects
  assert.not.equal(now!.etag, object!.etag)
  assert.type((await opened.tail(now!, 7))?.version, 'string')
  assert.is(await opened.tail({ ...now!, file: `s3a://${bucket}/gl/gone.parquet` }, 7), null)
})
