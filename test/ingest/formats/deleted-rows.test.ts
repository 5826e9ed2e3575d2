/** A row that was deleted from a ledger with balances is told once, at the first balance that breaks. */

import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'

const test = suite('deleted rows')

cases(test, new URL('cases/deleted-rows.yaml', import.meta.url))
