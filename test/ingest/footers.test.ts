/** The last rows of a file that are none: left out with a word where they end before the header does; what may be a torn row is refused. */

import { suite } from '../suite.ts'
import { cases } from '../support/case-file.ts'

const footers = suite('footers')

cases(footers, new URL('cases/footers.yaml', import.meta.url))
