/** Charts of accounts, classes and departments: what they may look like, and one test per finding. */

import * as assert from 'uvu/assert'
import { accountKeys, resolve } from '../../../builder/ingest/format/keys.ts'
import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'

const chart = suite('chart')

chart('a text that is the id of one account and the number of another is ambiguous', () => {
  const keys = accountKeys([
    { id: '1', number: '1000' },
    { id: '1000', number: '2' },
    { id: '3', number: '3' },
    { id: '4', number: '' },
  ])
  assert.equal(resolve(keys, '1'), { id: '1' })
  assert.equal(resolve(keys, '3'), { id: '3' })
  assert.equal(resolve(keys, '1000'), { problem: 'ambiguous' })
  assert.equal(resolve(keys, ''), { problem: 'unknown' })
  assert.equal(resolve(keys, '__proto__'), { problem: 'unknown' })
})

cases(chart, new URL('cases/chart.yaml', import.meta.url))
