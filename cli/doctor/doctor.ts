/** `tieout doctor`: asks this machine, and what tieout.yaml names outside of it, whether they do what is needed. */
import type { Command } from 'commander'
import type { Check } from '../../builder/workspace/check.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { action, examples } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit.ts'
import { tableText } from '../terminal/table.ts'

/**
 * The checks of each part of the workspace, in the order of the table. A part that the workspace does not name has
 * none.
 */
const PARTS: readonly ((workspace: Workspace) => Promise<readonly Check[]>)[] = [
  async (workspace) => (await import('./this-machine.ts')).checkMachine(workspace),
  checkState,
  checkSnapshots,
  checkQueue,
  checkTables,
]

async function checkSnapshots({ bucket }: Workspace): Promise<readonly Check[]> {
  if (bucket === null) return []
  const { checksOf } = await import('../../builder/workspace/check.ts')
  const { checkBucket } = await import('../../builder/snapshot/places/bucket/checks.ts')
  const { openS3 } = await import('../../builder/snapshot/places/bucket/s3.ts')
  const checks = checksOf('snapshots')
  await checkBucket(await openS3({ ...bucket, attempts: 2, seconds: 10 }), checks)
  return checks.all
}

async function checkState({ server }: Workspace): Promise<readonly Check[]> {
  if (server.state.database === null) return []
  const { checkState } = await import('../../serve/oauth/state/state-checks.ts')
  return checkState(server.state.database)
}

async function checkQueue({ queue }: Workspace): Promise<readonly Check[]> {
  if (queue === null) return []
  const { checksOf } = await import('../../builder/workspace/check.ts')
  const { checkDatabase } = await import('../../builder/workspace/database-checks.ts')
  const checks = checksOf('queue')
  await checkDatabase(queue.database, checks)
  return checks.all
}

/** The tables in buckets that companies name, and the engine, where a company names one. */
async function checkTables(workspace: Workspace): Promise<readonly Check[]> {
  const { listCompanies, readCompany } = await import('../../builder/workspace/workspace.ts')
  const companies = listCompanies(workspace).flatMap((id) => readCompany(workspace, id).value ?? [])
  const entries = companies.flatMap(({ ledger }) => ledger).filter(({ engine }) => engine !== undefined)
  if (entries.length === 0) return []
  const { checksOf } = await import('../../builder/workspace/check.ts')
  const { checkTable, openTables } = await import('../../builder/snapshot/places/bucket/tables.ts')
  const { checkEngine } = await import('../../builder/build/spark/checks.ts')
  const { parseTableAddress } = await import('../../builder/workspace/table-address.ts')
  const [tables, engine] = [checksOf('table'), checksOf('engine')]
  const store = openTables(workspace.engine, { attempts: 2, seconds: 10 })
  const objects: string[] = []
  for (const files of new Set(entries.map((entry) => entry.files))) {
    const address = parseTableAddress(files)
    if (address !== null) objects.push(...(await checkTable(store, files, address, tables)))
  }
  await checkEngine(workspace, objects, engine)
  return [...tables.all, ...engine.all]
}

export function declareDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .summary('say whether this machine, databases, buckets and engines do what is needed')
    .description(
      'Ask this machine (folders, who can read keys, room on disks, the port, the clock, a browser for PDFs), every database and bucket that tieout.yaml names, and every table in a bucket that a company names with its engine, whether it answers and does what is needed, and say how to mend what does not hold. Nothing published and no state is changed. Exit code 1 where something fails.',
    )
  examples(command, 'tieout doctor', 'tieout doctor --json')
  action(command, async ({ terminal, open }) => {
    const workspace = await open()
    const checks = (await Promise.all(PARTS.map((ask) => ask(workspace)))).flat()
    const { green, yellow, red } = terminal.paint
    const colours = { holds: green, warning: yellow, fails: red }
    terminal.show({ checks }, () =>
      tableText(
        checks,
        [
          { title: 'Part', of: ({ part }) => part },
          { title: 'What', of: ({ what }) => what },
          { title: 'Outcome', of: ({ outcome }) => outcome, colour: ({ outcome }) => colours[outcome] },
          { title: 'Found', of: ({ found }) => found },
          { title: 'Remedy', of: ({ remedy }) => remedy ?? '' },
        ],
        terminal,
      ),
    )
    return checks.some(({ outcome }) => outcome === 'fails') ? EXIT.failed : EXIT.done
  })
}
