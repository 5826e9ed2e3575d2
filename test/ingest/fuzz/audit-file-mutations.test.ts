/** SIE, FEC, SAF-T and Audit Data Standard files, changed in every simple way: what moves a figure is refused or told of. */

import { alike } from '../../seed.ts'
import { suite } from '../../suite.ts'
import { holdCorpus } from './held.ts'
import { AUDIT_FILES } from './mutation-rules.ts'

const test = suite('mutations of audit files')

for (const [corpus, rules] of alike(Object.entries(AUDIT_FILES)))
  test(`${corpus}: what moves a figure is told of`, () => holdCorpus(corpus, rules, 8))
