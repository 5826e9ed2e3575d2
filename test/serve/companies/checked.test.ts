/** What the `Tie-Out` header may say; what it says is in http/budgets.test.ts. */
import * as assert from 'uvu/assert'
import { CHECKED, STATEMENT_CHECKS, STATEMENTS } from '../../../builder/contract/vocabulary.ts'
import { IDENTITIES } from '../../../builder/statements/tie-outs/identities.ts'
import { suite } from '../../suite.ts'

const checked = suite('the Tie-Out header')

checked('every identity that holds under filters has a name, and each statement those of its own', () => {
  for (const statement of STATEMENTS) {
    const own = IDENTITIES.filter((each) => each.statement === statement && each.on === 'every scope')
    assert.equal(
      [...new Set(own.map(({ id }) => CHECKED[id]))].sort(),
      [...STATEMENT_CHECKS[statement]].sort(),
      statement,
    )
  }
})
