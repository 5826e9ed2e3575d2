/** The same as `kill.all.test.ts` with real processes, which end by SIGKILL at a sample of the operations. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { alike } from '../seed.ts'
import { suite } from '../suite.ts'
import { CHILD_OPTIONS } from '../support/child.ts'
import { makeRoot } from '../support/snapshots.ts'
import { quick } from './effects.ts'
import { assertDone, assertSound, type Context, prepared, SCENARIOS } from './scenarios.ts'

const test = suite<Context>('kill -9')
test.before.each(async (context) => {
  Object.assign(context, makeRoot())
  context.signer = await openSigner(context.state)
})

const VICTIM = fileURLToPath(new URL('victim.ts', import.meta.url))
/** Every which operation a real process is killed at, in three days. */
const STEP = 7

for (const scenario of [SCENARIOS[1]!, SCENARIOS[4]!])
  test(`${scenario.name}: a real process, killed in the middle`, async (context) => {
    const { signer, state } = context
    const { fresh, operations } = await prepared(scenario, context)
    const at = alike(operations.map((_, i) => i + 1).filter((n) => n % STEP === STEP - 1))
    const kill = async (n: number): Promise<void> => {
      const root = fresh(`killed-${n}`)
      const child = spawn(
        process.execPath,
        [...CHILD_OPTIONS, VICTIM, scenario.name, root, state, String(n)],
        {
          stdio: ['ignore', 'ignore', 'inherit'],
        },
      )
      const [, signal] = (await once(child, 'exit')) as [number, string]
      const where = `${operations[n - 1]}, ${n} of ${operations.length}`
      assert.is(signal, 'SIGKILL', where)
      await assertSound(scenario, root, signer, where)
      await scenario.act(root, signer, quick)
      await assertDone(scenario, root, signer, where)
    }
    const lane = async (): Promise<void> => {
      for (let n = at.shift(); n !== undefined; n = at.shift()) await kill(n)
    }
    await Promise.all([lane(), lane()])
  })
