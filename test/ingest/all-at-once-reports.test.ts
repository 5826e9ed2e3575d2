/** As all-at-once.test.ts, of the reports that accounting programs export: a line that cannot be read hides no other mistake. */

import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { readBooksIn } from '../support/mutations.ts'
import { inWorkspace } from '../support/workspace.ts'
import { packed, seedOf } from './fuzz/corpus.ts'

const test = suite('findings of reports all at once')

type Change = readonly [from: RegExp, to: string]

/** Codes of the errors and what is said not to have been checked, of a corpus with one file changed. */
const errorsOf = (corpus: string, file: string, changes: readonly Change[]): Promise<string[]> => {
  const files = packed(seedOf(corpus))
  const text = changes.reduce((read, [from, to]) => {
    const changed = read.replace(from, to)
    assert.is.not(changed, read, from.source)
    return changed
  }, files[file]!.toString('latin1'))
  return inWorkspace({ ...files, [file]: Buffer.from(text, 'latin1') }, async (workspace) => {
    const { findings } = await readBooksIn(workspace)
    return findings
      .flatMap(({ severity, code, message }) =>
        severity === 'error' ? [code] : code === 'not-checked' ? [message] : [],
      )
      .sort()
  })
}

/** Corpus, file, a line that then cannot be read, what is not checked for lack of it, and a balance that then is another one. */
const CASES: readonly (readonly [string, string, Change, readonly RegExp[], Change])[] = [
  [
    'quickbooks',
    'gl.csv',
    [/(01\/11\/2025.*?)47\.13/, '$147.1x'],
    [/^Total for 1000 Bank/, /^the closing balance of account 1000/],
    [/8,734\.08/, '8,735.08'],
  ],
  [
    'xero',
    'gl.csv',
    [/47\.13,0\.00,/, '47.1x,0.00,'],
    [/^Total Bank, the total of the report/, /^the closing balance of account Bank/],
    [/8,734\.08/, '8,735.08'],
  ],
  [
    'odoo',
    'odoo/general_ledger.csv',
    [/Ann,,2500\.00/, 'Ann,,2500.x'],
    [/^Total 1010 Checking/],
    [/3000\.00,0\.00,5500\.00/, '3000.00,0.00,5501.00'],
  ],
  [
    'erpnext',
    'erpnext/general-ledger.csv',
    [/CO,2500\.00,0\.00,12500/, 'CO,2500.x,0.00,12500'],
    [/^what account 1010 moved by/],
    [/3000\.00,0\.00,5500\.00/, '3000.00,0.00,5501.00'],
  ],
  [
    'netsuite',
    'netsuite/GeneralLedger.csv',
    [/\$2,500\.00",,/, '$$2,500.x",,'],
    [/^Total 1010 - Checking/],
    [/\$5,500\.00/, '$$5,501.00'],
  ],
  [
    'sage50',
    'sage50/gl.csv',
    [/December,"2,500\.00"/, 'December,"2,500.x"'],
    [/^the closing balance of account 1010/, /^what account 1010 moved by/],
    [/(1100,[\s\S]*?Ending Balance,,,"\d,\d\d)\d/, '$19'],
  ],
]

for (const [corpus, file, unread, unchecked, balance] of CASES) {
  test(`${corpus}: what follows from a line that cannot be read is no other mistake`, async () => {
    const [code, ...sentences] = (await errorsOf(corpus, file, [unread])).sort((a, b) => a.length - b.length)
    assert.is(code, 'unreadable-amount')
    assert.is(sentences.length, unchecked.length, sentences.join('\n'))
    for (const sentence of unchecked) assert.ok(sentences.some((each) => sentence.test(each)))
  })

  test(`${corpus}: a line that cannot be read, and a balance of another account`, async () => {
    const errors = (await errorsOf(corpus, file, [unread, balance])).filter((each) => !each.includes(' '))
    assert.ok(errors.includes('unreadable-amount'))
    assert.ok(errors.includes('balance-differs'))
    assert.not(errors.includes('total-differs'))
  })
}
