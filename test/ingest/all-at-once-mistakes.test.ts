/**
 * In every format: mistakes that have nothing to do with one another are told in one check, each as itself and once; what follows
 * from a line that cannot be read is said not to have been checked; of a row that says two things none is chosen.
 */
import { chosen } from '../seed.ts'
import { suite } from '../suite.ts'
import { cases } from '../support/case-file.ts'

cases(suite('independent mistakes'), new URL('cases/all-at-once-mistakes.yaml', import.meta.url), chosen)
