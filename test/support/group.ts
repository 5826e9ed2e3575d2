/** A workspace with several companies and a group of them, built in order. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { verifyCompanies } from '../../builder/evidence/verify/verify.ts'
import { openWorkspace, type Workspace } from '../../builder/workspace/workspace.ts'
import { type Built, buildIn, CHART, type Files, writeFiles } from './workspace.ts'

export const GROUP = 'acme-group'

/** Of the cases of groups, those that take `npm run test:all`: in other currencies, and with members that are owned in part or come and go. */
export const isOfSome = (name: string): boolean =>
  /^(translated|interests|shares|founded|joining|leaving)/.test(name)

/** The company.yaml of a member with the shared chart. */
export const memberYaml = (id: string, more = ''): string =>
  `id: ${id}\nname: ${id[0]?.toUpperCase()}${id.slice(1)}\nfiscalMonthEnd: 12\n${/^currency:/m.test(more) ? '' : 'currency: USD\n'}chartOfAccounts: chart.csv\nledger: [{ files: ledger.csv }]\nopening: none\n${more}`

export const groupYaml = (group: string, more = ''): string =>
  `id: ${GROUP}\nname: Acme Group\nfiscalMonthEnd: 12\ncurrency: USD\nchartOfAccounts: chart.csv\ngroup:\n${group.replace(/^/gm, '  ')}\n${more}`

/** Runs with a fresh workspace of these companies, and removes it afterwards; each has the shared chart unless it gives its own. */
export async function inGroup<T>(
  companies: Readonly<Record<string, Files>>,
  run: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), 'tieout-group-'))
  try {
    writeFileSync(join(root, 'tieout.yaml'), 'datasets: datasets\nsnapshots: snapshots\nkeepInputs: true\n')
    for (const [id, files] of Object.entries(companies))
      writeFiles(join(root, 'datasets', id), { 'chart.csv': CHART, ...files })
    return await run(openWorkspace(root))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** Builds companies in this order, the last of them the group, and verifies all of them, figures too. */
export async function buildAll(workspace: Workspace, ids: readonly string[]): Promise<Built> {
  let built: Built | null = null
  for (const id of ids) built = await buildIn(workspace, id)
  const { companies } = await verifyCompanies(workspace.snapshots, ids, {
    figures: true,
    known: null,
    sources: true,
  })
  const found = companies.flatMap(({ damages, snapshots }) => [
    ...[...damages, ...snapshots.flatMap((each) => [...each.damages, ...each.readings])].map(
      ({ message }) => message,
    ),
    ...snapshots.flatMap(({ unproven }) => unproven),
  ])
  assert.equal(found, [])
  return built!
}
