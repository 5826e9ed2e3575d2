/** `tieout close` and `tieout reopen`, as an accountant runs them. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { addDays } from '../../builder/contract/calendar.ts'
import { suite } from '../suite.ts'
import { companyYaml, type Files, writeFiles } from '../support/workspace.ts'
import { flat, goodCompany, inWorkspaceOf, says, tieout } from './command.ts'

const close = suite('cli close')

const acme = (settings = '', rent = '40.00'): Files => ({
  ...goodCompany('acme', `3 2025-02-20 rent ${rent}; 3 2025-02-20 bank -${rent}`),
  'company.yaml': companyYaml(`id: acme\n${settings}`),
})

close(
  'closed, guarded, reopened with a reason: nothing is published for it, and the log says who and why',
  () =>
    inWorkspaceOf({ acme: acme() }, async (cwd) => {
      const folder = join(cwd, 'datasets/acme')
      const done = async (command: string) => flat(await says(0, command, { cwd }))
      const refused = async (code: number, said: RegExp, command: string) =>
        assert.match(flat(await says(code, command, { cwd })), said)
      await refused(1, /nothing is published of company "acme"/, 'close acme 2025-02')
      await done('build')
      await refused(1, /no month of acme is closed/, 'reopen acme 2025-02 --reason "for no reason at all"')
      await refused(2, /"2025-13" is not a month/, 'close acme 2025-13')
      await refused(
        1,
        /2025-03 of acme is not published: \S+ covers 2025-01 to 2025-02\. Build it first/,
        'close acme 2025-03',
      )
      await refused(1, /2024-12 lies before the books of acme/, 'close acme 2024-12')

      const closed = await done('close acme 2025-02')
      assert.match(
        closed,
        /^acme: the books are closed through 2025-02-28 now; until now no month was\. Head of the log: [0-9a-f]{64} $/,
      )
      const [, hash] = /log: (\S+)/.exec(closed)!
      await done(`verify acme --expect ${hash}`)
      assert.match(await done('close acme 2025-02'), /closed through 2025-02-28 already; nothing was changed/)
      await refused(
        1,
        /2025-01 of acme is closed already: .* \(close, .*\)\. To open it: tieout reopen acme 2025-01/,
        'close acme 2025-01',
      )
      assert.match(await done('build'), /unchanged/)
      assert.is(
        JSON.parse((await tieout(['snapshots', 'list', '--json'], { cwd })).out).companies[0].snapshots
          .length,
        1,
      )

      writeFiles(folder, acme('', '41.00'))
      await refused(3, /months up to 2025-02-28 are closed \[closed-month-restated\]/, 'build')
      await refused(2, /required option '--reason <text>'/, 'reopen acme 2025-02')
      for (const blank of ['', '   ', 'too short', '1234567890123'])
        await refused(2, /too short: an auditor reads it/, `reopen acme 2025-02 --reason "${blank}"`)
      await refused(
        1,
        /2025-03 of acme is open: the books are closed through 2025-02-28/,
        'reopen acme 2025-03 --reason "for no reason at all"',
      )
      const reopened = JSON.parse(
        (await tieout(['reopen', 'acme', '2025-02', '--reason', 'the bill came late', '--json'], { cwd }))
          .out,
      )
      assert.equal(
        [reopened.changed, reopened.before, reopened.closedThrough, reopened.note],
        [true, '2025-02-28', '2025-01-31', null],
      )
      await done('build')
      const log = await done('snapshots log acme')
      assert.match(
        log,
        /close 2025-02-r1-\w+ 2025-02-28 .*reopen 2025-02-r1-\w+ 2025-01-31 \S+ the bill came late .*publish 2025-02-r2/,
      )
      assert.not.match(await done('verify acme'), /note|damage/)

      // What company.yaml says is looked at too.
      writeFiles(folder, acme('lockDate: 2025-01-31', '41.00'))
      await done('build')
      assert.match(
        await done('close acme 2025-02'),
        /still says lockDate: 2025-01-31\. Take it out, or write 2025-02-28: until then builds are refused/,
      )
      await refused(3, /lock-date-moved-back/, 'build')
      writeFiles(folder, acme('lockDate: 2025-02-28', '41.00'))
      await done('build')
      assert.match(
        await done('reopen acme 2025-01 --reason "the bill came late"'),
        /closed through 2024-12-31 now; until now they were through 2025-02-28.*still says lockDate: 2025-02-28\. .* until then these months stay closed/,
      )
      writeFiles(folder, acme('', '41.00'))
      await done('build')
      rmSync(folder, { recursive: true })
      await done('close acme 2025-02')
    }),
)

close('after a close, what is posted in open months is no finding', () =>
  inWorkspaceOf({ acme: acme() }, async (cwd) => {
    const run = (...args: string[]) => tieout(args, { cwd })
    assert.is((await run('build')).code, 0)
    assert.is((await run('close', 'acme', '2025-01')).code, 0)
    const { code, out } = await run('check', 'acme')
    assert.is(code, 0, out)
    assert.not.match(out, /after-lock-date/)
  }),
)

close('a rollback says which figures of closed months it changes, and the log with it', () =>
  inWorkspaceOf({ acme: acme() }, async (cwd) => {
    const done = (command: string) => says(0, command, { cwd })
    await done('build')
    writeFiles(join(cwd, 'datasets/acme'), acme('', '41.00'))
    await done('build')
    await done('close acme 2025-02')
    const { companies } = JSON.parse(await done('snapshots list --json'))
    const [first, second] = companies[0].snapshots.map(({ id }: { id: string }) => id)
    const back = await done(`use acme ${first} --reason "the bill was not ours"`)
    assert.match(back, /^profit and loss, accrual +6000 Rent +2025-02 +41\.00 +40\.00$/m)
    const [told, figures] =
      /In closed months (\d+) figures in \d+ documents differ from (\S+), in 2025-02\./.exec(flat(back))!
    assert.ok(told.includes(second))
    assert.match(
      flat(await done('snapshots log acme')),
      `the bill was not ours (closed months: ${figures} figures in `,
    )
    const forward = JSON.parse(await done(`use acme ${second} --reason "it was ours after all" --json`))
    assert.equal(
      [forward.changed, forward.before, forward.restatement.Figures],
      [true, first, Number(figures)],
    )
    assert.not.match(await done('verify acme'), /note|damage/)
  }),
)

close('a month that is not over', () =>
  inWorkspaceOf({ acme: acme() }, async (cwd) => {
    const today = new Date().toISOString().slice(0, 10)
    const ahead = addDays(today, 40)
    const [folder, entries] = [join(cwd, 'datasets/acme'), `3 ${ahead} rent 1.00; 3 ${ahead} bank -1.00`]
    writeFiles(folder, goodCompany('acme', entries))
    assert.is((await tieout(['build'], { cwd })).code, 0)
    const said = await says(1, `close acme ${ahead.slice(0, 7)}`, { cwd })
    assert.match(flat(said), new RegExp(`${ahead.slice(0, 7)} is not over: it ends on .*, and today is `))
    assert.not.match(readFileSync(join(cwd, 'snapshots/acme/log.jsonl'), 'utf8'), /"close"/)
  }),
)
