/** A row, or a title, that says two things: which of them is true is not for us to choose. */

import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { readBooksIn } from '../support/mutations.ts'
import { inWorkspace } from '../support/workspace.ts'
import { packed, seedOf } from './fuzz/corpus.ts'

const test = suite('contradictions inside a file')

const CASES: readonly (readonly [
  corpus: string,
  file: string,
  from: string,
  to: string,
  told: string,
  message: RegExp,
])[] = [
  [
    'plain-text',
    'main.journal.csv',
    '-50.25,$,50.25',
    '-50.25,$,55.25',
    'error amount-differs',
    /stated as -50\.25; debit and credit say -55\.25/,
  ],
  [
    'plain-text',
    'main.journal.csv',
    '20.00,$,,20.00',
    '20.00,$,20.00,',
    'error amount-differs',
    /stated as 20\.00; debit and credit say -20\.00/,
  ],
  [
    'plain-text',
    'main.journal.csv',
    '20.00,$,,20.00',
    '20.00,$,0.00,0.00',
    'error amount-differs',
    /stated as 20\.00; debit and credit say 0\.00/,
  ],
  [
    'quickbooks',
    'gl.csv',
    'January 1 - December 31, 2025',
    'January 1 - January 11, 2025',
    'warning dates-outside-period',
    /says 2025-01-01 to 2025-01-11; 6 lines are dated outside of it, such as 2025-01-12/,
  ],
  [
    'xero',
    'gl.csv',
    '31 December 2025',
    '11 January 2025',
    'warning dates-outside-period',
    /says 2025-01-01 to 2025-01-11; 6 lines are dated outside of it, such as 2025-01-12/,
  ],
  [
    'ads',
    'GL_Detail_20250101_20251231.txt',
    '1|1|Invoice|Invoice|GJ|East|20250110|2025|M01',
    '1|1|Invoice|Invoice|GJ|East|20250110|2025|M02',
    'warning period-differs',
    /^a line is of another Period than the month of Effective_Date/,
  ],
]

for (const [corpus, file, from, to, told, message] of CASES)
  test(`${corpus}: ${to} for ${from}`, async () => {
    const files = packed(seedOf(corpus))
    const text = files[file]!.toString('latin1')
    assert.ok(text.includes(from))
    files[file] = Buffer.from(
      text.replace(from, () => to),
      'latin1',
    )
    const { findings } = await inWorkspace(files, readBooksIn)
    const code = told.split(' ')[1]
    assert.equal(
      findings
        .filter((found) => found.severity === 'error' || found.code === code)
        .map((found) => `${found.severity} ${found.code}`),
      [told],
    )
    assert.match(findings.find((found) => found.code === code)!.message, message)
  })
