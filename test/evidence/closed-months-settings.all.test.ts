/** Attempts on closed months by their settings: lowered, deleted, raised, with reasons that are none. */
import * as assert from 'uvu/assert'
import { catalogue, GONE, ledger, MARCH, RESTATED, SALE, settings, WANTED } from './closed-months.ts'

const LOWER = /but lockDate says 20\d\d-\d\d-\d\d/

catalogue('closed months: settings', {
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
})
