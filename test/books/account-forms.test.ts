/** Accounts as people and programs write them: read where exactly one account of the chart is meant, by one rule for all tables. */

import { suite } from '../suite.ts'
import { cases } from '../support/case-file.ts'

const forms = suite('forms of accounts')

cases(forms, new URL('cases/account-forms.yaml', import.meta.url))
