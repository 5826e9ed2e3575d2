/** Accounts of reports by what the program writes: numbers of parents before sub-accounts, deleted accounts, and lists of them. */

import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'

const test = suite('sub-accounts')

cases(test, new URL('cases/sub-accounts.yaml', import.meta.url))
