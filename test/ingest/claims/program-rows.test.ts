/**
 * Lines that a program lists and never posts do not count, unasked: they are reported with their number and amount. The inputs are small
 * exports with such lines; what is right was worked out by hand.
 */
import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'

cases(suite('rows that a program never counts'), new URL('cases/program-rows.yaml', import.meta.url))
