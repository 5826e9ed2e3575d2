/** By which path a cluster reads the files of a table, and nothing beside them. */

import * as assert from 'uvu/assert'
import { tablePath } from '../../builder/build/spark/table-path.ts'
import { suite } from '../suite.ts'

const paths = suite('the path of a table in a bucket')
const at = (...keys: string[]): string[] => keys.map((key) => `s3a://lake/${key}`)

for (const [name, files, others, path] of [
  ['a folder in which all is meant', at('gl/a.parquet', 'gl/b.parquet'), [], 'gl'],
  ['one file alone in its folder', at('gl/a.parquet'), [], 'gl'],
  ['the whole bucket', at('a.parquet', 'gl/b.parquet'), [], ''],
  ['what lies elsewhere', at('gl/a.parquet'), at('glx/a.parquet', 'other/b.parquet'), 'gl'],
  [
    'what Spark passes over anyway',
    at('gl/a.parquet'),
    at('gl/_SUCCESS', 'gl/.a.crc', 'gl/_log/1.json'),
    'gl',
  ],
  ['a hidden folder above says nothing', at('_raw/gl/a.parquet'), at('_raw/gl/x.csv'), '_raw/gl/a.parquet'],
  ['a file beside', at('gl/a.parquet', 'gl/b.parquet'), at('gl/x.csv'), '{gl/a.parquet,gl/b.parquet}'],
  [
    'the narrower folders',
    at('gl/y=24/a.parquet', 'gl/y=24/b.parquet', 'gl/y=25/c.parquet', 'gl/y=25/d.parquet'),
    at('gl/y=25/x.csv'),
    '{gl/y=24,gl/y=25/c.parquet,gl/y=25/d.parquet}',
  ],
  [
    'what means something in a pattern or in SQL',
    at('gl/a;{1}[2]*?`\'"\\,--ö.parquet', 'gl/b.parquet'),
    at('gl/x.csv'),
    '{gl/a??1??2????????-??.parquet,gl/b.parquet}',
  ],
  [
    'folders with the same beginning',
    at('gl/ab/x.parquet', 'gl/abc/x.parquet'),
    at('gl/z'),
    '{gl/ab,gl/abc}',
  ],
] as const)
  paths(name, () => assert.is(tablePath(files, others), `s3a://lake/${path}`))
