/** Reports of accounting programs, changed in every simple way: what moves a figure is refused or told of. */

import { alike } from '../../seed.ts'
import { suite } from '../../suite.ts'
import { holdCorpus } from './held.ts'
import { REPORTS } from './mutation-rules.ts'

const test = suite('mutations of reports')

for (const [corpus, rules] of alike(Object.entries(REPORTS)))
  test(`${corpus}: what moves a figure is told of`, () => holdCorpus(corpus, rules, 4))
