/**
 * Power failures: after each operation, with any part of what was not synchronised lost, kept or torn. What is current is
 * old or new and whole, verify finds nothing, and the next run succeeds.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openSigner } from '../../builder/snapshot/key-file.ts'
import { suite } from '../suite.ts'
import { ACME, makeRoot, removeRoot } from '../support/snapshots.ts'
import { APPROVAL_SCENARIOS } from './approval-scenarios.ts'
import { buryHolder, quick } from './effects.ts'
import { digest, type Recording, record, restore } from './power.ts'
import { assertDone, assertSound, type Context, prepared, SCENARIOS } from './scenarios.ts'

const test = suite<Context>('power failure')
test.before.each(async (context) => {
  Object.assign(context, makeRoot())
  context.signer = await openSigner(context.state)
})
test.after.each(removeRoot)

type Fate = 'kept' | 'lost' | 'torn'
interface Crash {
  readonly where: string
  readonly until: number
  readonly fates: ReadonlyMap<number, Fate>
}

/** The same numbers in every run. */
function* randomNumbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    yield state / 2 ** 32
  }
}

const RANDOM_PER_STEP = 4

/** All lost, all kept, each of them alone lost, kept or torn, and some at random. */
function* crashesOf({ steps, pending }: Recording): Generator<Crash> {
  const random = randomNumbers(42)
  for (let until = 0; until <= steps.length; until++) {
    const open = pending(until)
    const fates = (of: (index: number) => Fate) => new Map(open.map(({ index }) => [index, of(index)]))
    yield { where: 'all lost', until, fates: fates(() => 'lost') }
    yield { where: 'all kept', until, fates: fates(() => 'kept') }
    for (const { index, change } of open) {
      yield {
        where: `only ${change.what}`,
        until,
        fates: fates((each) => (each === index ? 'kept' : 'lost')),
      }
      yield {
        where: `all but ${change.what}`,
        until,
        fates: fates((each) => (each === index ? 'lost' : 'kept')),
      }
      if (change.isData)
        yield {
          where: `torn ${change.what}`,
          until,
          fates: fates((each) => (each === index ? 'torn' : 'kept')),
        }
    }
    for (let i = 0; i < RANDOM_PER_STEP && open.length > 2; i++) {
      const any = () => (['kept', 'lost', 'torn'] as const)[Math.floor(random.next().value! * 3)]!
      yield { where: `random ${i}`, until, fates: fates(any) }
    }
  }
}

for (const scenario of [...SCENARIOS, ...APPROVAL_SCENARIOS])
  for (const allAtOnce of scenario.syncsAll ? [true, false] : [false])
    test(`${scenario.name}, ${allAtOnce ? 'with one sync of everything' : 'file by file'}`, async (context) => {
      const { scratch, signer } = context
      const { fresh } = await prepared(scenario, context)
      const recording = record(fresh('recorded'), quick, allAtOnce)
      await scenario.act(join(scratch, 'recorded'), signer, recording.effects)
      const seen = new Set<string>()
      const root = join(scratch, 'crashed')
      for (const { where, until, fates } of crashesOf(recording)) {
        const disk = recording.crash(until, (_, index) => fates.get(index)!)
        const left = digest(disk)
        if (seen.has(left)) continue
        seen.add(left)
        rmSync(root, { recursive: true, force: true })
        mkdirSync(root)
        restore(disk, root)
        buryHolder(root, ACME)
        const said = `after ${until} of ${recording.steps.length}: ${where}`
        await assertSound(scenario, root, signer, said)
        await scenario.act(root, signer, quick)
        await assertDone(scenario, root, signer, said)
      }
      assert.ok(seen.size > 8, `${seen.size} different crashes`)
    })

test.run()
