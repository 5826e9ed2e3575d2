/** `tieout diff`, and the summary of changes that a build ends with, as people see them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { goodCompany, inWorkspaceOf, says, tieout } from './command.ts'

const diff = suite('cli diff')

diff('as text, JSON and CSV; the build says what changed', () =>
  inWorkspaceOf(
    { acme: goodCompany('acme', '3 2025-03-01 rent 40.00; 3 2025-03-01 bank -40.00') },
    async (cwd) => {
      const first = await tieout(['build'], { cwd })
      assert.not.match(first.out, /since/)
      assert.match(await says(2, 'diff acme', { cwd }), /is the first snapshot of acme/)
      const changed = goodCompany('acme', '3 2025-03-01 rent 1240.50; 3 2025-03-01 bank -1240.50')
      writeFileSync(join(cwd, 'datasets/acme/ledger.csv'), changed['ledger.csv']!)
      const second = await tieout(['build'], { cwd })
      assert.match(
        second.out,
        /acme: since 2025-03-r1-\w+ \d+ figures of accounts and \d+ totals changed, in 2025-03 \(tieout diff acme\)\./,
      )
      const text = await says(0, 'diff acme', { cwd })
      assert.match(text, /profit and loss, accrual +6000 Rent +2025-03 +40\.00 +1,240\.50 +1,200\.50/)
      assert.match(text, /^- +rent +2025-03-01 +3 .*40\.00 +ledger\.csv:\d+$/m)
      assert.match(text, /^\+ +rent +2025-03-01 +3 .*1,240\.50 +ledger\.csv:\d+$/m)
      const json = JSON.parse((await tieout(['diff', 'acme', '--json'], { cwd })).out)
      assert.equal(
        json.changes.find((each: { id: string }) => each.id === 'rent'),
        {
          statement: 'ProfitAndLoss',
          basis: 'ACCRUAL',
          budgetId: null,
          id: 'rent',
          name: '6000 Rent',
          total: false,
          month: '2025-03',
          before: '40.00',
          now: '1240.50',
          change: '1200.50',
        },
      )
      const csv = await tieout(['diff', 'acme', json.before, json.now, '--csv'], { cwd })
      assert.match(csv.out, /^statement,basis,budget,id,name,total,month,old,new,change\n/)
      assert.match(csv.out, /\nProfitAndLoss,accrual,,rent,6000 Rent,no,2025-03,40\.00,1240\.50,1200\.50\n/)
      assert.is((await tieout(['diff', 'acme', '--csv', '--json'], { cwd })).code, 2)
      const lines = await tieout(['diff', 'acme', '--lines', '--csv'], { cwd })
      assert.match(
        lines.out,
        /^side,basis,kind,date,transaction,account,class,department,amount,memo,file,row\n/,
      )
      assert.match(lines.out, /\nadded,accrual,activity,2025-03-01,3,rent,,,1240\.50,,ledger\.csv,6\n/)
      assert.match(await says(2, 'diff acme --class nobody', { cwd }), /acme has no class "nobody"/)
      const rest = await tieout(['diff', 'acme', '--class', 'unassigned'], { cwd })
      assert.match(rest.out, /^acme, .*, class unassigned$/m)
    },
  ),
)
