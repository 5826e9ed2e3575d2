/** Openings are state, not activity; later ones must carry on, or book a result into equity (accounting.md §3). */

import { suite } from '../suite.ts'
import { cases } from '../support/case-file.ts'

const test = suite('openings')

cases(test, new URL('cases/openings.yaml', import.meta.url))
