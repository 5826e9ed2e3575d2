/** Closed months through the command: refused with a table, published with a reason, the reason seen afterwards. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { companyYaml, type Files } from '../support/workspace.ts'
import { goodCompany, inWorkspaceOf, says, tieout } from './command.ts'

const restatement = suite('cli restatement')

const locked = (id: string, rent: string): Files => ({
  ...goodCompany(id, `3 2025-01-20 rent ${rent}; 3 2025-01-20 bank -${rent}`),
  'company.yaml': companyYaml(`id: ${id}\nlockDate: 2025-01-31`),
})

restatement(
  'refused with a table and exit code 3; other companies are published; a reason is kept and shown',
  () =>
    inWorkspaceOf({ acme: locked('acme', '40.00'), beta: goodCompany('beta') }, async (cwd) => {
      assert.is((await tieout(['build'], { cwd })).code, 0)
      writeFileSync(join(cwd, 'datasets/acme/ledger.csv'), locked('acme', '1240.50')['ledger.csv']!)
      const more = goodCompany('beta', '3 2025-03-01 rent 1.00; 3 2025-03-01 bank -1.00')
      writeFileSync(join(cwd, 'datasets/beta/ledger.csv'), more['ledger.csv']!)

      assert.match(
        await says(0, 'check acme', { cwd }),
        /warning .*\n.*closed; "tieout build" would refuse this \[closed-month-restated\]/,
      )

      const build = await tieout(['build'], { cwd })
      assert.is(build.code, 3, build.out)
      assert.match(build.out, /error .*company\.yaml, column lockDate/)
      assert.match(build.out, /to fix .*tieout build acme --restate "reason"/)
      assert.match(build.out, /^profit and loss, accrual +6000 Rent +2025-01 +40\.00 +1,240\.50$/m)
      assert.match(build.out, /^balance sheet, accrual +1000 Bank +2025-01 +960\.00 +-240\.50$/m)
      assert.match(build.out, /^acme +refused/m)
      assert.match(build.out, /^beta +published/m)

      for (const args of [
        ['build', 'acme', '--restate', ''],
        ['build', 'acme', '--restate', ' \t'],
        ['build', 'acme', '--restate', 'x'.repeat(1001)],
        ['build', '--restate', 'for all of them'],
      ])
        assert.is((await tieout(args, { cwd })).code, 2, args.join(' '))
      const machine = await tieout(['build', 'acme', '--json'], { cwd })
      const [refused] = JSON.parse(machine.out).companies
      assert.is(refused.outcome, 'refused')
      assert.is(refused.restatement.Reason, null)
      assert.is(refused.restatement.First[0].Month, '2025-01')

      assert.match(
        await says(0, 'build acme --restate "booked twice"', { cwd }),
        /acme: in closed months \d+ figures .*Reason: booked twice \(kept in the manifest\)/,
      )
      const list = await tieout(['snapshots', 'list'], { cwd })
      assert.match(list.out, /^acme 2025-02-r2-\w+ restates closed months: .*Reason: booked twice$/m)
      const listed = JSON.parse((await tieout(['snapshots', 'list', 'acme', '--json'], { cwd })).out)
      const reasons = listed.companies[0].snapshots.map(
        ({ restatement: found }: { restatement: { Reason: string } | null }) => found?.Reason ?? null,
      )
      assert.equal(reasons, [null, 'booked twice'])

      const log = await tieout(['snapshots', 'log', 'acme'], { cwd })
      assert.match(log.out, /publish +2025-02-r2-\w+ .*booked twice$/m)

      assert.match(
        await says(0, 'build acme --restate "the same once more"', { cwd }),
        /closed months are as published; no reason was needed, and none is kept/,
      )
    }),
)
