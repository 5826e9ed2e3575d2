/**
 * Disks that answer with errors: at an operation, once or from then on, with what a full, broken or read-only disk says;
 * and disks that write half without a word. The old snapshot stays, the message is clean, the next run succeeds. Of all these
 * errors the seed draws one in ten.
 */

import * as assert from 'uvu/assert'
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { failureOf } from '../../cli/terminal/exit.ts'
import { alike, drawn } from '../seed.ts'
import { suite } from '../suite.ts'
import { ACME, makeRoot } from '../support/snapshots.ts'
import { APPROVAL_SCENARIOS } from './approval-scenarios.ts'
import { between, buryHolder, failingAt, failuresAmong, quick, tear, writes } from './effects.ts'
import { assertDone, assertSound, type Context, prepared, SCENARIOS } from './scenarios.ts'

const test = suite<Context>('disk errors')
test.before.each(async (context) => {
  Object.assign(context, makeRoot())
  context.signer = await openSigner(context.state)
})

/** In turn, so that each operation meets another one of them in each way. */
const CODES = ['ENOSPC', 'EIO', 'EROFS', 'EDQUOT']

for (const scenario of [...SCENARIOS, ...APPROVAL_SCENARIOS])
  test(`${scenario.name}: an error of each operation, once and for good`, async (context) => {
    const { signer } = context
    const { fresh, operations } = await prepared(scenario, context)
    for (const { at, lasting } of drawn(failuresAmong(operations))) {
      const code = CODES[(at + Number(lasting)) % CODES.length]!
      const where = `${code} of ${operations[at - 1]}, ${at} of ${operations.length}, ${lasting ? 'for good' : 'once'}`
      const root = fresh('failed')
      const failing = failingAt(at, lasting, code)
      const problem = await scenario.act(root, signer, failing).then(
        () => null,
        (found: unknown) => found,
      )
      if (problem !== null) {
        const { code: said, message } = failureOf(problem)
        assert.is.not(said, 'unexpected', `${where}: ${message}`)
        assert.match(message, /disk|quota|next build|next change/, where)
      }
      // What it could not remove itself, its lock too, outlives it as if it had been killed.
      buryHolder(root, ACME)
      await assertSound(scenario, root, signer, where)
      await scenario.act(root, signer, quick)
      await assertDone(scenario, root, signer, where)
    }
  })

test('a disk that writes half of any file without a word publishes nothing of it', async (context) => {
  const { signer } = context
  const scenario = SCENARIOS[1]!
  const { fresh, operations } = await prepared(scenario, context)
  let said = 0
  for (const [i, operation] of alike([...operations.entries()].filter(([, each]) => writes(each)))) {
    const root = fresh('halved')
    const halving = between((n, op, args, run) => (n === i + 1 && tear(op, args) ? undefined : run()), quick)
    const problem = await scenario.act(root, signer, halving).then(
      () => null,
      (found: unknown) => found as Error,
    )
    const where = `${operation}, ${i + 1} of ${operations.length}`
    if (problem) {
      said++
      assert.match(failureOf(problem).message, /reads back differently|the disk reports an error/, where)
    }
    buryHolder(root, ACME)
    await assertSound(scenario, root, signer, where)
    await scenario.act(root, signer, quick)
    await assertDone(scenario, root, signer, where)
  }
  assert.ok(said >= 1, `${said} were noticed at once`)
})
