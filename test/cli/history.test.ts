/** `tieout use`, `snapshots log`, `hold`, `release` and `prune`, as an operator goes through them. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { goodCompany, inWorkspaceOf, says } from './command.ts'

const history = suite('cli history')

const withRent = (amount: string) =>
  goodCompany('acme', `3 2025-03-01 rent ${amount}; 3 2025-03-01 bank -${amount}`)

history('back, the same figures again, held, pruned, verified, and all of it in the log', () =>
  inWorkspaceOf({ acme: withRent('10.00') }, async (cwd) => {
    const run = (code: number, command: string) => says(code, command, { cwd })
    for (const amount of ['10.00', '20.00', '30.00']) {
      writeFileSync(join(cwd, 'datasets/acme/ledger.csv'), withRent(amount)['ledger.csv']!)
      await run(0, 'build')
    }
    const ids = readdirSync(join(cwd, 'snapshots/acme')).filter((name) => name.startsWith('2025-'))
    const [first, second, third] = ids.sort() as [string, string, string]
    assert.match(
      await run(1, 'use acme 2025-03-r9-abcdef --reason "a snapshot of my own"'),
      /acme has no snapshot "2025-03-r9-abcdef"/,
    )
    assert.match(
      await run(0, `use acme ${first} --reason "rent was wrong"`),
      `acme: ${first} is current now, ${third} was.`,
    )
    assert.match(
      await run(0, 'build'),
      new RegExp(`these are the figures of ${third}, .* ${first} stays current`),
    )
    assert.match(await run(0, 'snapshots list'), new RegExp(`${third} +later`))

    assert.match(await run(1, 'prune'), /tieout\.yaml has no retention, so every snapshot is kept/)
    writeFileSync(join(cwd, 'tieout.yaml'), 'retention: { keepLast: 0 }\n')
    assert.match(await run(3, 'prune'), /whole number, 1 or more/)
    writeFileSync(join(cwd, 'tieout.yaml'), 'retention: { keepLast: 1 }\n')
    assert.match(await run(2, `snapshots hold acme ${second}`), /--reason/)
    await run(0, `snapshots hold acme ${second} --reason "case 7"`)
    assert.match(await run(0, 'prune'), /Nothing to remove\./)
    await run(0, `snapshots release acme ${second}`)
    const plan = await run(0, 'prune acme')
    assert.match(plan, new RegExp(`${first} .* keep +current\n`))
    assert.match(plan, new RegExp(`${second} .* remove +no rule keeps it\n`))
    assert.match(plan, /Would remove 1 snapshot: .* "tieout prune --yes" removes them/)
    assert.is(readdirSync(join(cwd, 'snapshots/acme')).includes(second), true)
    const { removed, companies } = JSON.parse(await run(0, 'prune --yes --json'))
    assert.is(removed, true)
    assert.ok(companies[0].freedBytes > 0)
    assert.is(readdirSync(join(cwd, 'snapshots/acme')).includes(second), false)

    const log = JSON.parse(await run(0, 'snapshots log acme --json'))
    assert.equal(
      log.records.map(({ Event }: { Event: string }) => Event),
      ['publish', 'publish', 'publish', 'use', 'hold', 'release', 'prune'],
    )
    assert.match(await run(0, 'snapshots log acme'), /use +\S+ +\S+ +rent was wrong/)
    assert.match(await run(0, 'verify'), new RegExp(`${second} was pruned on .*: retention: keepLast 1`))
    assert.match(await run(1, `use acme ${second} --reason "a snapshot of my own"`), /was pruned on/)

    writeFileSync(join(cwd, 'snapshots/acme/log.jsonl'), 'x\ny\nz\n')
    assert.match(await run(1, 'snapshots log acme'), /line 1 of log\.jsonl is not a record/)
    assert.match(await run(3, 'build'), /line 1 of log\.jsonl is not a record/)
  }),
)
