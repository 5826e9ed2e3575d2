/** The bridge between two closes: old, corrected, since and new by account, worked by hand and on random restatements. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parseXlsx } from '../../builder/ingest/workbook/xlsx.ts'
import { ageing } from '../../builder/inspect/audit/ageing.ts'
import { type Bridge, bridge } from '../../builder/inspect/audit/bridge.ts'
import { ageingSheets, bridgeSheets, writeSheets } from '../../builder/report/export/audit-workbook.ts'
import { exportPack } from '../../builder/report/export/pack.ts'
import type { Sheet } from '../../builder/report/export/xlsx.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { seeded } from '../support/random.ts'
import { buildIn, CHART, COMPANY, companyYaml, inWorkspace, ledgerCsv } from '../support/workspace.ts'

const test = suite('bridge')

const company = (run: (workspace: Workspace) => Promise<void>): Promise<void> =>
  inWorkspace({ 'company.yaml': companyYaml(), 'chart.csv': CHART }, run)

/** Publishes these entries; the id of the snapshot. */
async function publish(workspace: Workspace, entries: string): Promise<string> {
  writeFileSync(join(workspace.datasets, COMPANY, 'ledger.csv'), ledgerCsv(entries))
  const { result } = await buildIn(workspace, COMPANY)
  assert.is(result.outcome, 'published')
  return result.snapshotId!
}

async function between(workspace: Workspace, before: string | null, now: string | null): Promise<Bridge> {
  const { value, findings } = await bridge(workspace.snapshots, {
    company: COMPANY,
    before,
    now,
    basis: null,
  })
  assert.is(findings, undefined, JSON.stringify(findings))
  assert.ok(value!.addsUp)
  return value!
}

type Cells = ReadonlyMap<string, readonly (readonly string[])[]>

/** The cells of the rows of each sheet of its workbook. */
async function sheetsOf(found: Bridge, file: string): Promise<Cells> {
  return written(bridgeSheets(found, 'this program'), file)
}

async function written(of: readonly Sheet[], file: string): Promise<Cells> {
  await writeSheets(of, file)
  return cellsOf(file)
}

async function cellsOf(file: string): Promise<Cells> {
  const { sheets } = await parseXlsx(readFileSync(file), '.', file)
  return new Map(sheets.map(({ name, rows }) => [name, rows.map(({ cells }) => cells)]))
}

/** `id old corrections activity new` */
const texts = ({ rows }: Bridge): string[] =>
  rows.map((row) => `${row.id} ${row.old} ${row.corrections} ${row.activity} ${row.new}`)

const NOVEMBER = `1 2025-01-01 bank 1000.00; 1 2025-01-01 capital -1000.00
  2 2025-11-10 bank 250.00; 2 2025-11-10 sales -250.00
  3 2025-11-12 rent 40.00; 3 2025-11-12 bank -40.00`

test('a pack has bridge and ageing as the commands write them, after the statements and in its contents', () =>
  company(async (workspace) => {
    const before = await publish(workspace, NOVEMBER)
    const sold = '4 2025-12-03 debtors 100.00; 4 2025-12-03 sales -100.00'
    const now = await publish(workspace, `${NOVEMBER.replaceAll('40.00', '45.00')}\n${sold}`)
    const file = (name: string) => join(workspace.root, `${name}.xlsx`)
    const asked = { company: COMPANY, snapshotId: null, month: null, basis: null, budgetId: null }
    const request = { ...asked, classId: null, departmentId: null, cents: true, software: 'this program' }
    const aged = await ageing(workspace.snapshots, { ...asked, account: null, asOf: '2025-12-31' })
    const alone = [
      ...(await sheetsOf(await between(workspace, before, now), file('bridge'))),
      ...(await written(ageingSheets(aged.value!, 'this program'), file('ageing'))),
    ]
    assert.equal(
      alone.map(([name]) => name),
      ['Bridge', 'Corrections', 'Equity', 'Receivables', 'Payables'],
    )
    const to = file('pack')
    const besides = { ageing: true, bridge: '2025-11' }
    const { findings } = await exportPack(workspace.snapshots, { ...request, to }, besides)
    assert.is(findings, undefined, JSON.stringify(findings))
    const pack = await cellsOf(to)
    for (const [name, rows] of alone) assert.equal(pack.get(name), rows, name)
    const contents = pack.get('Contents')!.map(([name]) => name)
    for (const [name] of alone) assert.ok(contents.includes(name), name)
    const first = { ...request, snapshotId: before, to: file('first') }
    const refused = await exportPack(workspace.snapshots, first, { ageing: false, bridge: null })
    assert.equal(
      refused.findings?.map(({ code }) => code),
      ['no-previous'],
    )
    assert.not(existsSync(first.to))
    const plain = file('plain')
    await exportPack(workspace.snapshots, { ...request, to: plain })
    assert.not([...(await cellsOf(plain)).keys()].some((name) => alone.some(([each]) => each === name)))
  }))

test('each account from left to right, equity first; lines that were corrected, and lines that moved equity since', () =>
  company(async (workspace) => {
    const before = await publish(workspace, NOVEMBER)
    const now = await publish(
      workspace,
      `${NOVEMBER.replaceAll('40.00', '45.00')}
       4 2025-12-03 bank 100.00; 4 2025-12-03 sales -100.00
       5 2025-12-20 drawings 60.00; 5 2025-12-20 bank -60.00`,
    )
    const found = await between(workspace, before, now)
    assert.equal(texts(found), [
      'capital -1000.00 0.00 0.00 -1000.00',
      'drawings 0.00 0.00 60.00 60.00',
      'bank 1210.00 -5.00 40.00 1245.00',
      'sales -250.00 0.00 -100.00 -350.00',
      'rent 40.00 5.00 0.00 45.00',
    ])
    assert.equal(
      found.corrected.map(({ side, account, amount }) => `${side} ${account} ${amount}`),
      ['removed bank -40.00', 'added bank -45.00', 'removed rent 40.00', 'added rent 45.00'],
    )
    assert.equal(
      found.equity.map(
        ({ account, date, entry, amount, row }) => `${account} ${date} ${entry} ${amount} ${row}`,
      ),
      ['drawings 2025-12-20 5 60.00 10'],
    )
    assert.equal([found.before.endDate, found.now.endDate], ['2025-11-30', '2025-12-31'])
    assert.equal(texts(await between(workspace, null, null)), texts(found), 'the last two by default')
    const sheets = await sheetsOf(found, join(workspace.datasets, 'bridge.xlsx'))
    assert.equal(
      sheets
        .get('Bridge')!
        .slice(2, 7)
        .map(([, , ...amounts]) => amounts.map(Number)),
      found.rows.map((row) => [row.old, row.corrections, row.activity, row.new].map(Number)),
    )
    assert.equal(
      sheets
        .get('Corrections')!
        .slice(2)
        .map(([side, , , account, amount]) => [side, account, Number(amount)]),
      found.corrected.map(({ side, account, amount }) => [side, account, Number(amount)]),
    )
    assert.equal(
      sheets
        .get('Equity')!
        .slice(2)
        .map(([day, , account, amount]) => [day, account, Number(amount)]),
      [['2025-12-20', 'drawings', 60]],
    )
    const wrong = await bridge(workspace.snapshots, {
      company: COMPANY,
      before: now,
      now: before,
      basis: null,
    })
    assert.is(wrong.findings?.[0]?.code, 'no-months')
  }))

test('over the end of a year results move to earlier years', () =>
  company(async (workspace) => {
    const before = await publish(workspace, `${NOVEMBER}; 4 2025-12-31 rent 10.00; 4 2025-12-31 bank -10.00`)
    const now = await publish(
      workspace,
      `${NOVEMBER}; 4 2025-12-31 rent 10.00; 4 2025-12-31 bank -10.00; 5 2026-01-05 rent 7.00; 5 2026-01-05 bank -7.00`,
    )
    assert.equal(texts(await between(workspace, before, now)), [
      'capital -1000.00 0.00 0.00 -1000.00',
      'prior-years-not-closed 0.00 0.00 -200.00 -200.00',
      'bank 1200.00 0.00 -7.00 1193.00',
      'sales -250.00 0.00 250.00 0.00',
      'rent 50.00 0.00 -43.00 7.00',
    ])
  }))

test('random restatements: every account as its lines add up', () =>
  company(async (workspace) => {
    const random = seeded('bridge')
    const accounts = ['bank', 'debtors', 'plant', 'creditors', 'capital', 'drawings', 'sales', 'rent', 'cogs']
    const entry = (month: number) => {
      const [debit, credit] = [random.pick(accounts), random.pick(accounts)]
      const day = `2025-${String(month).padStart(2, '0')}-${random.between(10, 28)}`
      return { day, debit, credit, cents: random.between(1, 500_000) }
    }
    const first = Array.from({ length: 60 }, (_, i) => entry((i % 6) + 1))
    const second = [
      ...first.map((each) => (random.chance(10) ? { ...each, cents: random.between(1, 500_000) } : each)),
      ...Array.from({ length: 20 }, () => entry(7)),
    ]
    const csv = (entries: typeof first) =>
      entries
        .map(({ day, debit, credit, cents }, i) =>
          [
            `${i} ${day} ${debit} ${(cents / 100).toFixed(2)}`,
            `${i} ${day} ${credit} -${(cents / 100).toFixed(2)}`,
          ].join(';'),
        )
        .join('\n')
    const balance = (entries: typeof first, account: string, until: string) =>
      entries
        .filter(({ day }) => day <= until)
        .reduce(
          (sum, { debit, credit, cents }) =>
            sum + (debit === account ? cents : 0) - (credit === account ? cents : 0),
          0,
        )
    const before = await publish(workspace, csv(first))
    const found = await between(workspace, before, await publish(workspace, csv(second)))
    const money = (cents: number) => (cents / 100).toFixed(2)
    for (const { id, ...row } of found.rows) {
      const [old, again, now] = [
        balance(first, id, '2025-06-30'),
        balance(second, id, '2025-06-30'),
        balance(second, id, '2025-07-31'),
      ]
      assert.equal(
        [row.old, row.corrections, row.activity, row.new],
        [money(old), money(again - old), money(now - again), money(now)],
        id,
      )
    }
    assert.is(found.rows.length, accounts.length)
  }))
