/**
 * Power failures: after each operation, with any part of what was not synchronised lost, kept or torn. What is current is
 * old or new and whole, verify finds nothing, and the next run succeeds. Of all these crashes the seed draws one in ten.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { drawn } from '../seed.ts'
import { suite } from '../suite.ts'
import { ACME, makeRoot } from '../support/snapshots.ts'
import { APPROVAL_SCENARIOS } from './approval-scenarios.ts'
import { buryHolder, quick } from './effects.ts'
import { digest, type Recording, record, restore } from './power.ts'
import { assertDone, assertSound, type Context, prepared, SCENARIOS } from './scenarios.ts'

const test = suite<Context>('power failure')
test.before.each(async (context) => {
  Object.assign(context, makeRoot())
  context.signer = await openSigner(context.state)
})

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

const diskAfter = (recording: Recording, { until, fates }: Crash) =>
  recording.crash(until, (_, index) => fates.get(index)!)

for (const scenario of [...SCENARIOS, ...APPROVAL_SCENARIOS])
  for (const allAtOnce of scenario.syncsAll ? [true, false] : [false])
    test(`${scenario.name}, ${allAtOnce ? 'with one sync of everything' : 'file by file'}`, async (context) => {
      const { scratch, signer } = context
      const { fresh } = await prepared(scenario, context)
      const recording = record(fresh('recorded'), quick, allAtOnce)
      await scenario.act(join(scratch, 'recorded'), signer, recording.effects)
      const different = new Map<string, Crash>()
      for (const crash of crashesOf(recording)) {
        const left = digest(diskAfter(recording, crash))
        if (!different.has(left)) different.set(left, crash)
      }
      assert.ok(different.size > 8, `${different.size} different crashes`)
      const root = join(scratch, 'crashed')
      for (const crash of drawn([...different.values()])) {
        const disk = diskAfter(recording, crash)
        rmSync(root, { recursive: true, force: true })
        mkdirSync(root)
        restore(disk, root)
        buryHolder(root, ACME)
        const said = `after ${crash.until} of ${recording.steps.length}: ${crash.where}`
        await assertSound(scenario, root, signer, said)
        await scenario.act(root, signer, quick)
        await assertDone(scenario, root, signer, said)
      }
    })
