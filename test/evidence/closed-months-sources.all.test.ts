/** Attempts on closed months by what the sources say of accounts, entries, budgets, metrics and the calendar. */
import * as assert from 'uvu/assert'
import { CHART, type Files } from '../support/workspace.ts'
import { type Attempt, catalogue, ledger, RESTATED, SALE, settings, WANTED } from './closed-months.ts'

const CHANGED = CHART.replace('sales,4000,Sales,Income,Sales', 'sales,4000,Sales,OtherIncome,OtherIncome')

const companyWith = (from: string | RegExp, to: string): string =>
  settings(null)['company.yaml']!.toString().replace(from, to)
const ledgerWith = (from: string, to: string): string =>
  ledger(SALE.closed)['ledger.csv']!.toString().replaceAll(from, to)

const same = (files: Files): Attempt => ({ by: 'command', act: (world) => world.build(files), ends: 'same' })
const refused = (files: Files, says: RegExp | null = RESTATED): Attempt => ({
  ...same(files),
  ends: 'refused',
  ...(says === null ? {} : { says }),
})

catalogue('closed months: sources', {
  'two accounts that exchange their names': refused(
    {
      'chart.csv': CHART.replace(',Bank,Asset', ',Sales,Asset').replace(',Sales,Income', ',Bank,Income'),
    },
    /names differ from those published/,
  ),
  'an account that changes its kind': refused({ 'chart.csv': CHANGED }),
  'a class renamed': refused({ 'classes.csv': 'id,name\neast,West\nwest,East\n' }, /names differ/),
  'the unit of a metric changed': refused(
    {
      'company.yaml': companyWith('name: Heads,', 'name: Heads, unit: dozens,'),
    },
    /1 name differs/,
  ),
  'the aggregation of a metric changed': refused(
    {
      'company.yaml': companyWith('aggregation: last', 'aggregation: sum'),
    },
    /1 name differs/,
  ),
  'a class moved to another entry': refused({ 'ledger.csv': ledgerWith(',east', ',west') }),
  'an entry moved inside January': refused(
    {
      'ledger.csv': ledgerWith('2025-01-10', '2025-01-20'),
    },
    /moved within months/,
  ),
  'an entry moved to February': refused({
    'ledger.csv': ledgerWith('2025-01-10', '2025-02-10'),
  }),
  'a second ledger with entries of January': refused({
    'company.yaml': companyWith('ledger.csv }]', 'ledger.csv }, { files: more.csv }]'),
    'more.csv': 'transaction_id,date,account,amount\n77,2025-01-05,bank,5.00\n77,2025-01-05,sales,-5.00\n',
  }),
  'the ledger replaced by one of another year': refused(
    {
      'ledger.csv': ledgerWith('2025-', '2024-'),
    },
    null,
  ),
  'a budget of January changed': refused({ 'plan.csv': 'account,2025-01,2025-02\nrent,1.00,45.00\n' }),
  'a budget taken away': refused({
    'company.yaml': companyWith(/^budgets:.*$/m, ''),
  }),
  'a budget added': same({
    'company.yaml': companyWith('plan.csv }]', 'plan.csv }, { id: new, name: New, files: new.csv }]'),
    'new.csv': 'account,2025-01,2025-02\nrent,1.00,2.00\n',
  }),
  'a metric of January changed': refused({ 'metrics.csv': 'metric,2025-01,2025-02\nheads,9,6\n' }),
  'the end of the fiscal year moved': refused(settings(null, 'fiscalMonthEnd: 1')),
  'the first month left out of the fiscal years': refused(
    {
      ...settings(null, 'fiscalYears: [{ start: 2025-02-01, end: 2025-12-31 }]'),
      'ledger.csv': 'transaction_id,date,account,amount\n3,2025-02-10,rent,40.00\n3,2025-02-10,bank,-40.00\n',
    },
    /2025-01 is not covered any more/,
  ),
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
  'another currency': refused(settings(null, 'currency: EUR')),
  'another time zone': same(settings(null, 'timeZone: Pacific/Kiritimati')),
  'another id of the company': refused({ ...settings(null, 'id: other'), ...WANTED }, null),
  'documents linked, so that there is a cash basis from now on': same({
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
})
