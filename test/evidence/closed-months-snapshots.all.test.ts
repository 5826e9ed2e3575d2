/** Attempts on closed months by rollbacks, prunings, archives and other workspaces. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { addLine, linesOf, point, pointerTo, writeLines } from './attacker.ts'
import { catalogue, GONE, ledger, MARCH, RESTATED, SALE, settings, WANTED } from './closed-months.ts'

catalogue('closed months: snapshots', {
  'back to a snapshot from before the close': {
    by: 'command',
    act: (world) => world.use(world.ids[0]!),
    ends: 'reason',
  },
  'back, and forward again': {
    by: 'command',
    async act(world) {
      const [first, second] = world.ids
      await world.use(first!)
      await world.use(second!, 'the first one was right after all')
      assert.is(world.explained, 2, 'each says what it changes')
    },
    ends: 'reason',
  },
  'back, with blanks as the reason': {
    by: 'command',
    async act(world) {
      await world.command('use', 'acme', world.ids[0]!, '--reason', '               ')
      await world.command('use', 'acme', world.ids[0]!)
    },
    ends: 'refused',
    says: /too short/,
  },
  'back, and what it changed taken out of its line': {
    by: 'command',
    async act(world) {
      await world.use(world.ids[0]!)
      await world.forge((folder) =>
        writeLines(
          folder,
          linesOf(folder).map((line) => line.replace(/,"Restatement":\{.*?\}(?=,"Signature)/, '')),
        ),
      )
    },
    ends: 'damage',
    says: /line \d of log\.jsonl was changed/,
  },
  'back by a line, signed with the true key, that does not say what it changes': {
    by: 'command',
    async act(world) {
      const signer = await openSigner(world.workspace.state)
      const first = pointerTo(world.folder, world.ids[0]!)
      await world.forge(async (folder) => {
        await addLine(folder, 'use', first, signer)
        point(folder, first)
      })
    },
    ends: 'damage',
    says: /takes \S+ into use, which states closed months differently, and does not say so: \d+ figures/,
  },
  'back, then a build that goes on from there': {
    by: 'command',
    async act(world) {
      await world.use(world.ids[0]!)
      await world.build(ledger(SALE.wanted, MARCH))
      assert.is(world.steps.at(-1), 'refused')
      await world.build(ledger(SALE.first, MARCH))
      assert.is(world.steps.at(-1), 'done')
    },
    ends: 'reason',
  },
  'restated, rolled back, went on': {
    by: 'command',
    async act(world) {
      const before = world.ids.at(-1)!
      await world.build(WANTED, 'invoice 17 was booked twice')
      await world.use(before, 'it was not booked twice')
      await world.build(ledger(SALE.closed, MARCH))
      assert.equal(world.steps, ['done', 'done', 'done'], world.said.join('\n'))
    },
    ends: 'reason',
  },
  'back behind a closed month, which comes back with other figures': {
    by: 'command',
    async act(world) {
      await world.build(ledger(SALE.closed, MARCH))
      await world.close('2025-03')
      await world.use(world.ids[1]!, 'March was published too early')
      await world.build(ledger(SALE.closed, MARCH.replaceAll('41.00', '999.00')))
      assert.equal(world.steps, ['done', 'done', 'done', 'refused'])
    },
    ends: 'reason',
    says: /2025-03, closed before, was not covered by it/,
  },
  'back behind a closed month, which comes back with a reason': {
    by: 'command',
    async act(world) {
      await world.build(ledger(SALE.closed, MARCH))
      await world.close('2025-03')
      await world.use(world.ids[1]!, 'March was published too early')
      await world.build(ledger(SALE.closed, MARCH.replaceAll('41.00', '42.00')), 'the rent of March is final')
      assert.equal(world.steps, ['done', 'done', 'done', 'done'], world.said.join('\n'))
    },
    ends: 'reason',
  },
  'the older snapshot pruned, then January changed': {
    by: 'command',
    async act(world) {
      await world.prune()
      await world.build(WANTED)
    },
    ends: 'refused',
    says: RESTATED,
  },
  'back, the other one pruned, forward again': {
    by: 'command',
    async act(world) {
      const [, second] = world.ids
      await world.use(world.ids[0]!)
      await world.prune()
      await world.use(second!, 'the first one was right after all')
    },
    ends: 'reason',
  },
  'pruned, restored from an archive, taken into use': {
    by: 'command',
    async act(world) {
      const [first, second] = world.ids
      await world.use(first!)
      const archive = await world.archive()
      await world.use(second!, 'the first one was right after all')
      await world.prune()
      await world.restore(archive)
      await world.use(first!, 'the archive is what was filed')
      assert.equal(world.steps, ['done', 'done', 'done', 'done', 'done'], world.said.join('\n'))
    },
    ends: 'reason',
  },
  'archived, restored in a workspace of its own, changed there': {
    by: 'setting',
    async act(world) {
      const other = world.elsewhere(true)
      await other.restore(await world.archive())
      await other.build({ ...settings(null), ...WANTED })
      assert.equal(other.steps, ['done', 'refused'], other.said.join('\n'))
      return other
    },
    ends: 'anchor',
    says: RESTATED,
  },
  'another workspace over the same snapshots, with a key of its own': {
    by: 'command',
    async act(world) {
      rmSync(join(world.root, '.tieout'), { recursive: true })
      await world.build(WANTED)
    },
    ends: 'damage',
    says: /none of the known ones/,
  },
  'another workspace with the true key, without settings': {
    by: 'setting',
    async act(world) {
      rmSync(join(world.root, 'datasets'), { recursive: true })
      await world.build({
        'company.yaml': `id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: USD\nchartOfAccounts: chart.csv\nopening: none\nledger: [{ files: ledger.csv }]\n`,
        'chart.csv':
          'id,number,name,classification,type\nbank,1000,Bank,Asset,Bank\nsales,4000,Sales,Income,Sales\n',
        'ledger.csv':
          'transaction_id,date,account,amount\n1,2025-02-01,bank,1.00\n1,2025-02-01,sales,-1.00\n',
      })
    },
    ends: 'refused',
    says: GONE,
  },
  'a fresh clone without snapshots: the setting counts, and what was noted is not there': {
    by: 'setting',
    async act(world) {
      await world.forge((folder) => rmSync(folder, { recursive: true }))
      await world.build(WANTED)
      await world.build(ledger(SALE.closed))
      assert.equal(world.steps.slice(1), ['done', 'refused'])
    },
    ends: 'anchor',
  },
})
