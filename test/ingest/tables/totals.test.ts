/** Rows that sum up others: recognised, checked, left out and told of; never counted twice, never dropped where they differ. */

import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'

const totals = suite('totals')

cases(totals, new URL('cases/totals.yaml', import.meta.url))
