/** Proof of a group: the snapshots of members that it was made from are checked beside it, and pruning leaves them. */
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { monthOf, monthText } from '../../builder/contract/calendar.ts'
import { numberedParquet, openDatabase, parquetSql } from '../../builder/database/database.ts'
import { archiveSnapshot } from '../../builder/evidence/archive/archive.ts'
import { verifyArchive } from '../../builder/evidence/verify/archive.ts'
import { verifyCompanies, verifyFolder } from '../../builder/evidence/verify/verify.ts'
import { snapshotFolder } from '../../builder/snapshot/files/layout.ts'
import { checkedOnce, checkMemberSnapshots } from '../../builder/snapshot/files/member-snapshots.ts'
import { openCurrent } from '../../builder/snapshot/files/open.ts'
import { planPruning, prune } from '../../builder/snapshot/log/prune.ts'
import { thisProgram } from '../../builder/system/version.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { tieout } from '../cli/command.ts'
import { onCores } from '../one-core.ts'
import { suite } from '../suite.ts'
import { GROUP, groupYaml, inGroup, memberYaml } from '../support/group.ts'
import { buildIn, type Files, ledgerCsv } from '../support/workspace.ts'

const test = suite('proof of a group')

const LEDGER = ledgerCsv('1 2025-01-10 bank 7.00; 1 2025-01-10 capital -7.00')
const MEMBER: Files = { 'company.yaml': memberYaml('alpha'), 'ledger.csv': LEDGER }
const SUB: Files = { 'company.yaml': `${groupYaml('members: [{ company: alpha }]')}`.replace(GROUP, 'sub') }
const TOP: Files = { 'company.yaml': groupYaml('members: [{ company: sub }]') }
const OPTIONS = { figures: true, known: null }

/** Alpha is a member of sub, which is a member of the group. */
const built = <T>(run: (workspace: Workspace, ids: Record<string, string>) => Promise<T>): Promise<T> =>
  inGroup({ alpha: MEMBER, sub: SUB, [GROUP]: TOP }, async (workspace) => {
    const ids: Record<string, string> = {}
    for (const id of ['alpha', 'sub', GROUP]) ids[id] = (await buildIn(workspace, id)).result.snapshotId!
    return run(workspace, ids)
  })

test('a figure of a budget says where it stands among those of the member, on any number of cores', () => {
  const months = Array.from({ length: 120 }, (_, i) => monthText(monthOf('2025-01-01') + i))
  const figures = ['tax', 'sales', 'rent', 'gain', 'cogs', 'returns', 'depreciation'].flatMap((account) =>
    months.map((month, i) => `${account},${month},${i + 1}.00\n`),
  )
  const member = memberYaml('alpha', 'budgets: [{ id: plan, name: Plan, files: plan.csv }]\n')
  const alpha = { ...MEMBER, 'company.yaml': member, 'plan.csv': `account,month,amount\n${figures.join('')}` }
  const group = { 'company.yaml': groupYaml('members: [{ company: alpha }]') }
  return inGroup({ alpha, [GROUP]: group }, async (workspace) => {
    const own = await buildIn(workspace, 'alpha')
    const ofGroup = await onCores(4, () => buildIn(workspace, GROUP))
    const { outcome } = await verifyCompanies(workspace.snapshots, [GROUP], { ...OPTIONS, sources: true })
    assert.is(outcome, 'verified')
    const db = await openDatabase({ folders: null })
    try {
      const [{ found } = { found: '' }] = await db.rows<{ found: string }>(`
        SELECT count(*)::VARCHAR AS found FROM ${numberedParquet(own.path('books/budgets.parquet'))} own
        JOIN ${parquetSql(ofGroup.path('books/budgets.parquet'))} figure
        ON own.file_row_number + 1 = figure.row AND own.month = figure.month AND own.account = figure.account`)
      assert.is(found, String(figures.length))
    } finally {
      db.close()
    }
  })
})

test('a group is verified with the snapshots of its members beside it, and of their members', () =>
  built(async ({ snapshots }) => {
    const { outcome } = await verifyCompanies(snapshots, [GROUP], OPTIONS)
    assert.is(outcome, 'verified')
  }))

test('damage in a member is named with the member, and another snapshot in its place is no better', () =>
  built(async ({ snapshots }, ids) => {
    const alpha = snapshotFolder(snapshots, 'alpha', ids.alpha!)
    writeFileSync(join(alpha, 'books/postings.parquet'), 'x')
    const { outcome, companies } = await verifyCompanies(snapshots, [GROUP], OPTIONS)
    assert.is(outcome, 'damaged')
    const [damage] = companies[0]!.snapshots[0]!.damages
    assert.is(damage?.snapshotId, ids[GROUP])
    assert.match(damage!.message, new RegExp(`^member alpha/${ids.alpha}: books/postings.parquet `))
    writeFileSync(join(alpha, 'manifest.json'), '{}')
    const again = await verifyCompanies(snapshots, [GROUP], OPTIONS)
    assert.match(
      JSON.stringify(again.companies[0]!.snapshots[0]!.damages),
      /manifest\.json is not the one that .* was made from/,
    )
  }))

test('without the snapshots of its members a copy of a group says so, and is not proven', () =>
  built(async ({ root, snapshots }, ids) => {
    const copy = join(root, 'copy')
    cpSync(join(snapshots, GROUP), join(copy, GROUP), { recursive: true })
    const { outcome, companies } = await verifyFolder(copy, 'companies', OPTIONS)
    assert.is(outcome, 'unproven')
    assert.equal(companies[0]!.snapshots[0]!.unproven, [
      `it is made from sub/${ids.sub}, which does not lie beside it`,
    ])
  }))

test('a snapshot that a group was made from is not pruned, until that one is', () =>
  built(async (workspace, ids) => {
    const { root, snapshots } = workspace
    const request = { company: 'alpha', policy: { keepLast: 1 }, inUse: async () => new Set<string>() }
    const more = `${LEDGER}2,2025-02-10,bank,5.00,,\n2,2025-02-10,capital,-5.00,,\n`
    writeFileSync(join(root, 'datasets/alpha/ledger.csv'), more)
    await buildIn(workspace, 'alpha')
    const { snapshots: planned } = await planPruning(snapshots, request)
    assert.equal(planned.find(({ snapshotId }) => snapshotId === ids.alpha)?.keep, [
      `sub ${ids.sub} was made from it`,
    ])
    await buildIn(workspace, 'sub')
    await buildIn(workspace, GROUP)
    const remove = (company: string) => prune(snapshots, { ...request, company }, null)
    const gone = async (company: string) =>
      (await remove(company)).snapshots.filter(({ keep }) => keep.length === 0).length
    assert.is(await gone('alpha'), 0)
    assert.is(await gone(GROUP), 1)
    assert.is(await gone('sub'), 1)
    assert.is(await gone('alpha'), 1)
    const { companies } = await verifyCompanies(snapshots, [GROUP], OPTIONS)
    assert.equal(
      companies[0]!.snapshots.map(({ unproven }) => unproven),
      [[]],
    )
  }))

test('an archive of a group carries the snapshots of its members, and is verified without a workspace', () =>
  built(async ({ root, snapshots, state }, ids) => {
    const to = join(root, 'archive')
    const request = { version: '1.0', software: thisProgram(), baggedAt: new Date(), known: null } as const
    const snapshot = (await openCurrent(snapshots, GROUP))!
    await archiveSnapshot(snapshot, { ...request, to })
    const zip = join(root, 'archive.zip')
    await archiveSnapshot(snapshot, { ...request, to: zip })
    rmSync(snapshots, { recursive: true })
    rmSync(state, { recursive: true, force: true })
    for (const path of [to, zip]) assert.is((await verifyArchive(path, OPTIONS)).outcome, 'verified', path)
    const alpha = join(to, 'data/members/alpha', ids.alpha!)
    const strange = join(to, 'data/members/other', ids.alpha!)
    cpSync(alpha, strange, { recursive: true })
    assert.is((await verifyArchive(to, OPTIONS)).outcome, 'damaged')
    rmSync(strange, { recursive: true })
    rmSync(join(alpha, '../../other'), { recursive: true })
    writeFileSync(join(alpha, 'info.json'), '{}')
    const { outcome, companies } = await verifyArchive(to, OPTIONS)
    assert.is(outcome, 'damaged')
    assert.match(companies[0]!.snapshots[0]!.damages[0]!.message, /^member alpha\/.*: info\.json /)
  }))

test('the archive of a group gives its sources back, and those of its members theirs: all of it can be checked', () =>
  built(async ({ root: cwd }) => {
    const other = join(cwd, 'other')
    mkdirSync(other)
    const run = async (at: string, ...args: string[]): Promise<string> => {
      const { code, out, err } = await tieout(args, { cwd: at })
      assert.is(code, 0, `${args.join(' ')}: ${out}${err}`)
      return out
    }
    writeFileSync(join(cwd, 'keys.json'), await run(cwd, 'snapshots', 'key'))
    await run(other, 'init', '.')
    for (const id of [GROUP, 'sub', 'alpha']) {
      const zip = join(cwd, `${id}.zip`)
      await run(cwd, 'archive', id, '--to', zip)
      await run(other, 'restore', zip, '--sources', '--key', join(cwd, 'keys.json'))
    }
    assert.equal(readdirSync(join(other, 'datasets', GROUP)), ['chart.csv', 'company.yaml'])
    await run(other, 'check', 'alpha', 'sub', GROUP)
    await run(other, 'verify', '--sources')
  }))

test('each hash that a manifest gives for the same snapshot of a member is compared', () =>
  built(async ({ snapshots }) => {
    const { id, folder, manifest } = (await openCurrent(snapshots, GROUP))!
    const again = manifest.Inputs.flatMap((input) => [input, { ...input, ETag: '0'.repeat(64) }])
    const { damages } = await checkMemberSnapshots(
      { id, folder, manifest: { ...manifest, Inputs: again } },
      checkedOnce(null),
    )
    const members = manifest.Inputs.filter(({ Format }) => Format === 'snapshot')
    assert.is(damages.length, members.length)
    for (const { message } of damages) assert.match(message, /is not the one that/)
  }))

test('a manifest is not trusted with a path to a member', async () => {
  const input = { File: '../secrets/2025-01-r1-abcdef', Format: 'snapshot', ETag: '' }
  const snapshot = { id: 'x', folder: '/nowhere/group/x', manifest: { Inputs: [input] } }
  const { damages } = await checkMemberSnapshots(
    snapshot as unknown as Parameters<typeof checkMemberSnapshots>[0],
    checkedOnce(null),
  )
  assert.match(damages[0]!.message, /is no name of a snapshot$/)
})
