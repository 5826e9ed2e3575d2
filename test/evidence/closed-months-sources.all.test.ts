/** Attempts on closed months by what the sources say of accounts, entries, budgets, metrics and the calendar. */
import * as assert from 'uvu/assert'
import { CHART } from '../support/workspace.ts'
import { catalogue, ledger, RESTATED, SALE, settings, WANTED } from './closed-months.ts'

const CHANGED = CHART.replace('sales,4000,Sales,Income,Sales', 'sales,4000,Sales,OtherIncome,OtherIncome')

catalogue('closed months: sources', {
  'two accounts that exchange their names': {
    by: 'command',
    act: (world) =>
      world.build({
        'chart.csv': CHART.replace(',Bank,Asset', ',Sales,Asset').replace(',Sales,Income', ',Bank,Income'),
      }),
    ends: 'refused',
    says: /names differ from those published/,
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
    says: /names differ/,
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
    says: /1 name differs/,
  },
  'the aggregation of a metric changed': {
    by: 'command',
    act: (world) =>
      world.build({
        'company.yaml': settings(null)
          ['company.yaml']!.toString()
          .replace('aggregation: last', 'aggregation: sum'),
      }),
    ends: 'refused',
    says: /1 name differs/,
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
    says: /moved within months/,
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
})
