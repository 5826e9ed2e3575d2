/** Two mistakes that have nothing to do with one another are told in one check, and nothing that is only their consequence. */

import { chosen } from '../seed.ts'
import { suite } from '../suite.ts'
import { cases } from '../support/case-file.ts'

const test = suite('findings all at once')

cases(test, new URL('cases/all-at-once.yaml', import.meta.url), chosen)
