/** Closing entries that nobody marked: of a year's last day, in any format (accounting.md §4). */

import { suite } from '../suite.ts'
import { cases } from '../support/case-file.ts'

const test = suite('closing entries without a mark')

cases(test, new URL('cases/year-end-closing.yaml', import.meta.url))
