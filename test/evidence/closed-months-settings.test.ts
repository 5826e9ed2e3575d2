/** Attempts on closed months by what company.yaml and the sources say: no figure of one differs without a reason in the log. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { CHART } from '../support/workspace.ts'
import { type Attempt, endOf, ledger, MARCH, makeCompany, SALE, settings } from './closed-months.ts'

const test = suite<{ top: string }>('closed months: settings and sources')
test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-closed-'))
  for (const by of ['command', 'setting'] as const) await makeCompany(context.top, by)
})
test.after(({ top }) => rmSync(top, { recursive: true, force: true }))

const WANTED = ledger(SALE.wanted)
const GONE = /lockDate is gone: closed months are not opened by a setting/
const LOWER = /but lockDate says 20\d\d-\d\d-\d\d/
const RESTATED = /closed-month-restated/
const CHANGED = CHART.replace('sales,4000,Sales,Income,Sales', 'sales,4000,Sales,OtherIncome,OtherIncome')

const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  'nothing is attempted: another month is added': {
    by: 'command',
    act: (world) => world.build(ledger(SALE.closed, MARCH)),
    ends: 'same',
  },
  'January changed, closed by the command': {
    by: 'command',
    act: (world) => world.build(WANTED),
    ends: 'refused',
    says: RESTATED,
  },
  'January changed, closed by the setting': {
    by: 'setting',
    act: (world) => world.build(WANTED),
    ends: 'refused',
    says: RESTATED,
  },
  'January changed with a reason': {
    by: 'command',
    act: (world) => world.build(WANTED, 'invoice 17 was booked twice'),
    ends: 'reason',
  },
  'the setting deleted and January changed in one edit': {
    by: 'setting',
    act: (world) => world.build({ ...settings(null), ...WANTED }),
    ends: 'refused',
    says: GONE,
  },
  'the setting deleted, built; January changed, built; the setting put back': {
    by: 'setting',
    async act(world) {
      await world.build(settings(null))
      assert.match(world.said.at(-1)!, GONE)
      await world.build(WANTED)
      await world.build(settings('2025-01-31'))
    },
    ends: 'refused',
    says: RESTATED,
  },
  'the setting deleted with a reason for other figures': {
    by: 'setting',
    act: (world) => world.build({ ...settings(null), ...WANTED }, 'invoice 17 was booked twice'),
    ends: 'refused',
    says: GONE,
  },
  'the setting deleted after many builds': {
    by: 'setting',
    async act(world) {
      for (const rent of ['41.00', '42.00', '43.00'])
        await world.build(ledger(SALE.closed, MARCH.replaceAll('41.00', rent)))
      await world.build({ ...settings(null), ...ledger(SALE.closed, MARCH) })
      await world.build(ledger(SALE.wanted, MARCH))
    },
    ends: 'refused',
    says: GONE,
  },
  'the setting without a value': {
    by: 'setting',
    act: (world) =>
      world.build({
        'company.yaml': settings('2025-01-31')['company.yaml']!.toString().replace('2025-01-31', ''),
        ...WANTED,
      }),
    ends: 'refused',
  },
  'the setting as a comment': {
    by: 'setting',
    act: (world) => world.build({ ...settings(null, '# lockDate: 2025-01-31\n'), ...WANTED }),
    ends: 'refused',
    says: GONE,
  },
  'the setting lowered by a month': {
    by: 'setting',
    act: (world) => world.build({ ...settings('2024-12-31'), ...WANTED }),
    ends: 'refused',
    says: LOWER,
  },
  'the setting lowered by a day, built, lowered again, changed': {
    by: 'setting',
    async act(world) {
      await world.build(settings('2025-01-30'))
      await world.build(settings('2025-01-15'))
      await world.build(WANTED)
    },
    ends: 'refused',
    says: LOWER,
  },
  'the setting raised, built, lowered, February changed': {
    by: 'setting',
    async act(world) {
      await world.build(settings('2025-02-28'))
      await world.build({
        ...settings('2025-01-31'),
        ...ledger(SALE.closed, '5 2025-02-11 rent 9.00; 5 2025-02-11 bank -9.00'),
      })
    },
    ends: 'refused',
    says: LOWER,
  },
  'the setting raised beyond the books': {
    by: 'setting',
    act: (world) => world.build({ ...settings('2030-12-31'), ...WANTED }),
    ends: 'refused',
    says: /lock-date-too-late/,
  },
  'a setting below what the command closed': {
    by: 'command',
    act: (world) => world.build({ ...settings('2024-12-31'), ...WANTED }),
    ends: 'refused',
    says: LOWER,
  },
  'a setting as the command closed, then deleted': {
    by: 'command',
    async act(world) {
      await world.build(settings('2025-01-31'))
      await world.build({ ...settings(null), ...WANTED })
    },
    ends: 'refused',
    says: RESTATED,
  },
  'blanks as the reason': {
    by: 'command',
    async act(world) {
      world.write(WANTED)
      await world.command('build', 'acme', '--restate', '            ')
      await world.command('build', 'acme', '--restate', '0123456789 …')
      await world.command('build', 'acme', '--restate', '')
    },
    ends: 'refused',
    says: /too short: an auditor reads it/,
  },
  'blanks as the reason for opening January': {
    by: 'command',
    async act(world) {
      await world.command('reopen', 'acme', '2025-01', '--reason', '            ')
      await world.command('reopen', 'acme', '2025-01')
      await world.build(WANTED)
    },
    ends: 'refused',
    says: RESTATED,
  },
  'a reason once, other figures twice': {
    by: 'command',
    async act(world) {
      await world.build(WANTED, 'invoice 17 was booked twice')
      assert.is(world.steps.at(-1), 'done')
      await world.build(ledger('991.00'))
      assert.is(world.steps.at(-1), 'refused')
    },
    ends: 'reason',
    says: RESTATED,
  },
  'opened with a reason, changed, closed again': {
    by: 'command',
    async act(world) {
      await world.reopen('2025-01')
      await world.build(WANTED)
      await world.close('2025-01')
      assert.equal(world.steps, ['done', 'done', 'done'])
      await world.build(ledger(SALE.closed))
    },
    ends: 'refused',
    says: RESTATED,
  },
  'opened, but the setting closes still': {
    by: 'setting',
    async act(world) {
      await world.reopen('2025-01')
      await world.build(WANTED)
    },
    ends: 'refused',
    says: RESTATED,
  },
  'a later month opened, an earlier one changed': {
    by: 'command',
    async act(world) {
      await world.close('2025-02')
      await world.reopen('2025-02')
      await world.build(WANTED)
    },
    ends: 'refused',
    says: RESTATED,
  },
  'a month closed that is not over, or before the closed one, or not published': {
    by: 'command',
    async act(world) {
      await world.close('2025-02', '2025-02-27')
      await world.close('2024-12')
      await world.close('2025-03')
      assert.equal(world.steps, ['refused', 'refused', 'refused'])
    },
    ends: 'refused',
    says: /2025-02 is not over[\s\S]*2024-12 of acme is closed already[\s\S]*2025-03 of acme is not published/,
  },
  'February closed too, then changed': {
    by: 'command',
    async act(world) {
      await world.close('2025-02')
      await world.build(ledger(SALE.closed, '5 2025-02-11 rent 9.00; 5 2025-02-11 bank -9.00'))
    },
    ends: 'refused',
    says: RESTATED,
  },
  'two accounts that exchange their names': {
    by: 'command',
    act: (world) =>
      world.build({
        'chart.csv': CHART.replace(',Bank,Asset', ',Sales,Asset').replace(',Sales,Income', ',Bank,Income'),
      }),
    ends: 'refused',
    says: /names are others than published/,
  },
  'an account that changes its kind': {
    by: 'command',
    act: (world) => world.build({ 'chart.csv': CHANGED }),
    ends: 'refused',
    says: RESTATED,
  },
  'a class renamed': {
    by: 'command',
    act: (world) => world.build({ 'classes.csv': 'id,name\neast,West\nwest,East\n' }),
    ends: 'refused',
    says: /names are others/,
  },
  'the unit of a metric changed': {
    by: 'command',
    act: (world) =>
      world.build({
        'company.yaml': settings(null)
          ['company.yaml']!.toString()
          .replace('name: Heads,', 'name: Heads, unit: dozens,'),
      }),
    ends: 'refused',
    says: /1 name is another/,
  },
  'a class moved to another entry': {
    by: 'command',
    act: (world) =>
      world.build({ 'ledger.csv': ledger(SALE.closed)['ledger.csv']!.toString().replace(',east', ',west') }),
    ends: 'refused',
    says: RESTATED,
  },
  'an entry moved inside January': {
    by: 'command',
    act: (world) =>
      world.build({
        'ledger.csv': ledger(SALE.closed)['ledger.csv']!.toString().replaceAll('2025-01-10', '2025-01-20'),
      }),
    ends: 'refused',
    says: /moved inside of months/,
  },
  'an entry moved to February': {
    by: 'command',
    act: (world) =>
      world.build({
        'ledger.csv': ledger(SALE.closed)['ledger.csv']!.toString().replaceAll('2025-01-10', '2025-02-10'),
      }),
    ends: 'refused',
    says: RESTATED,
  },
  'a second ledger with entries of January': {
    by: 'command',
    act: (world) =>
      world.build({
        'company.yaml': `${settings(null)['company.yaml']!.toString().replace('ledger.csv }]', 'ledger.csv }, { files: more.csv }]')}`,
        'more.csv':
          'transaction_id,date,account,amount\n77,2025-01-05,bank,5.00\n77,2025-01-05,sales,-5.00\n',
      }),
    ends: 'refused',
    says: RESTATED,
  },
  'the ledger replaced by one of another year': {
    by: 'command',
    act: (world) =>
      world.build({
        'ledger.csv': ledger(SALE.closed)['ledger.csv']!.toString().replaceAll('2025-', '2024-'),
      }),
    ends: 'refused',
  },
  'a budget of January changed': {
    by: 'command',
    act: (world) => world.build({ 'plan.csv': 'account,2025-01,2025-02\nrent,1.00,45.00\n' }),
    ends: 'refused',
    says: RESTATED,
  },
  'a budget taken away': {
    by: 'command',
    act: (world) =>
      world.build({
        'company.yaml': settings(null)
          ['company.yaml']!.toString()
          .replace(/^budgets:.*$/m, ''),
      }),
    ends: 'refused',
    says: RESTATED,
  },
  'a budget added': {
    by: 'command',
    act: (world) =>
      world.build({
        'company.yaml': settings(null)
          ['company.yaml']!.toString()
          .replace('plan.csv }]', 'plan.csv }, { id: new, name: New, files: new.csv }]'),
        'new.csv': 'account,2025-01,2025-02\nrent,1.00,2.00\n',
      }),
    ends: 'same',
  },
  'a metric of January changed': {
    by: 'command',
    act: (world) => world.build({ 'metrics.csv': 'metric,2025-01,2025-02\nheads,9,6\n' }),
    ends: 'refused',
    says: RESTATED,
  },
  'the end of the fiscal year moved': {
    by: 'command',
    act: (world) => world.build(settings(null, 'fiscalMonthEnd: 1')),
    ends: 'refused',
    says: RESTATED,
  },
  'the first month left out of the fiscal years': {
    by: 'command',
    act: (world) =>
      world.build({
        ...settings(null, 'fiscalYears: [{ start: 2025-02-01, end: 2025-12-31 }]'),
        'ledger.csv':
          'transaction_id,date,account,amount\n3,2025-02-10,rent,40.00\n3,2025-02-10,bank,-40.00\n',
      }),
    ends: 'refused',
    says: /2025-01 is not covered any more/,
  },
  'months left out with a reason, and back with other figures': {
    by: 'command',
    async act(world) {
      const short = 'transaction_id,date,account,amount\n3,2025-02-10,rent,40.00\n3,2025-02-10,bank,-40.00\n'
      const years = settings(null, 'fiscalYears: [{ start: 2025-02-01, end: 2025-12-31 }]')
      await world.build({ ...years, 'ledger.csv': short }, 'the books begin in February')
      assert.is(world.steps.at(-1), 'done')
      await world.build({ ...settings(null), ...WANTED })
      assert.is(world.steps.at(-1), 'refused')
    },
    ends: 'reason',
    says: /2025-01, closed before, was not covered by it/,
  },
  'another currency': {
    by: 'command',
    act: (world) => world.build(settings(null, 'currency: EUR')),
    ends: 'refused',
    says: RESTATED,
  },
  'another time zone': {
    by: 'command',
    act: (world) => world.build(settings(null, 'timeZone: Pacific/Kiritimati')),
    ends: 'same',
  },
  'another id of the company': {
    by: 'command',
    act: (world) => world.build({ ...settings(null, 'id: other'), ...WANTED }),
    ends: 'refused',
  },
  'documents linked, so that there is a cash basis from now on': {
    by: 'command',
    act: (world) =>
      world.build({
        'ledger.csv': `transaction_id,date,account,amount,class,settles
1,2025-01-01,bank,1000.00,,
1,2025-01-01,capital,-1000.00,,
2,2025-01-10,bank,250.00,,
2,2025-01-10,sales,-250.00,east,
3,2025-02-10,rent,40.00,,
3,2025-02-10,bank,-40.00,,
4,2025-03-01,debtors,10.00,,
4,2025-03-01,sales,-10.00,,
5,2025-03-05,debtors,-10.00,,4
5,2025-03-05,bank,10.00,,
`,
      }),
    ends: 'same',
  },
}

for (const [name, attempt] of Object.entries(ATTEMPTS))
  test(name, async ({ top }) => {
    const { end, said } = await endOf(attempt, top)
    assert.is(end, attempt.ends, said)
    if (attempt.says) assert.match(said, attempt.says)
  })

test.run()
