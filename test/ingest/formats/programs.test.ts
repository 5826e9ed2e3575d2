/**
 * Odoo, ERPNext, NetSuite, GnuCash, Business Central and Sage 50: what `tieout add` asks about their exports, what the
 * statements show of them, and what is refused. The expected figures are computed by hand from test/support/programs.ts.
 */

import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { recognise } from '../../../builder/ingest/add/recognise.ts'
import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'

const test = suite('programs')

for (const [file, kind] of [
  ['chart-of-accounts.csv', 'chart'],
  ['classes.csv', 'members'],
  ['ledger/accrual-2025.csv', 'ledger'],
] as const)
  test(`the canonical ${file} is of no program`, async () => {
    const path = join(import.meta.dirname, '../../../datasets/harbor', file)
    assert.is((await recognise(path)).kind, kind)
  })

cases(test, new URL('cases/programs.yaml', import.meta.url))
