/**
 * A process that dies: an operation is the last one, also half done where it writes; nothing happens afterwards. Of all these deaths the
 * seed draws one in ten.
 */

import * as assert from 'uvu/assert'
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { drawn } from '../seed.ts'
import { suite } from '../suite.ts'
import { ACME, makeRoot } from '../support/snapshots.ts'
import { APPROVAL_SCENARIOS } from './approval-scenarios.ts'
import { buryHolder, Died, deathsAmong, dyingAt, quick } from './effects.ts'
import { assertDone, assertSound, type Context, prepared, SCENARIOS } from './scenarios.ts'

const test = suite<Context>('killed')
test.before.each(async (context) => {
  Object.assign(context, makeRoot())
  context.signer = await openSigner(context.state)
})

for (const scenario of [...SCENARIOS, ...APPROVAL_SCENARIOS])
  test(`${scenario.name}: before each operation, and in the middle of each that writes`, async (context) => {
    const { signer } = context
    const { fresh, operations } = await prepared(scenario, context)
    assert.ok(operations.length >= 8, `${operations.length} operations`)
    for (const { at, how } of drawn(deathsAmong(operations))) {
      const where = `${operations[at - 1]}, ${at} of ${operations.length}, ${how}`
      const root = fresh('killed')
      const died = await scenario.act(root, signer, dyingAt(at, how)).then(
        () => null,
        (problem: unknown) => problem,
      )
      // What is left to do then is tidying up, whose failure hurts nobody.
      if (died !== null && !(died instanceof Died) && !(died as Error).message.includes('died at')) throw died
      buryHolder(root, ACME)
      await assertSound(scenario, root, signer, where)
      await scenario.act(root, signer, quick)
      await assertDone(scenario, root, signer, where)
    }
  })
