/** Companies whose ledger both engines read: DuckDB and a cluster of Spark. */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, stringify } from 'yaml'
import { datasetFolder, openWorkspace, type Workspace } from '../../builder/workspace/workspace.ts'
import { until } from './until.ts'
import type { Built } from './workspace.ts'

/** Lets DuckDB read the ledgers of company.yaml as tables. Warnings name lines of company.yaml, so it has as many as for Spark. */
export const useDuckDb = (workspace: Workspace, id: string): void =>
  changeLedger(workspace, id, { format: 'parquet' })

/** Lets Spark read the ledgers of company.yaml, with this command, and this scratch folder unless it is the default one. */
export function useSpark(
  workspace: Workspace,
  id: string,
  command: readonly string[],
  scratch?: string,
): Workspace {
  changeLedger(workspace, id, { engine: 'spark' })
  const engine = stringify({ engine: { command, ...(scratch === undefined ? {} : { scratch }) } })
  appendFileSync(join(workspace.root, 'tieout.yaml'), engine)
  return openWorkspace(workspace.root)
}

type Entry = Readonly<Record<string, unknown>>

function changeLedger(workspace: Workspace, id: string, reader: Entry): void {
  const path = join(datasetFolder(workspace, id), 'company.yaml')
  const settings = parse(readFileSync(path, 'utf8')) as { ledger: Entry[] }
  const ledger = settings.ledger.map(({ files, table, format: _, engine: __, ...others }) => ({
    table: table ?? files,
    ...others,
    ...reader,
  }))
  writeFileSync(path, stringify({ ...settings, ledger }))
}

/** What builds left in the scratch folder of the engine, without the logs. */
export function leftBy({ engine }: Pick<Workspace, 'engine'>): string[] {
  if (!existsSync(engine.scratch)) return []
  return readdirSync(engine.scratch).filter((name) => !name.endsWith('.log'))
}

/** Waits until the first statement of the job writes. A job that starts on a busy machine takes its time. */
export function writing({ engine }: Pick<Workspace, 'engine'>): Promise<void> {
  const begun = () => {
    const [own] = leftBy({ engine })
    assert.ok(own !== undefined && existsSync(join(engine.scratch, own, 'line', '_temporary')))
  }
  return until(() => until(() => until(begun)))
}

/** All of a snapshot but what says how and when it was made: every file with its hash, totals, proofs and warnings. */
export function contentOf(built: Built): unknown {
  const { Files, ContentHash, Totals, TieOuts, Warnings, Inputs } = JSON.parse(
    built.read('manifest.json'),
  ) as Manifest
  return {
    Files: Files.map(({ Path, Sha256 }) => `${Path} ${Sha256}`),
    Inputs: Inputs.filter(({ Role }) => Role === 'ledger'),
    ...{ ContentHash, Totals, TieOuts, Warnings },
  }
}

interface Manifest extends Record<'ContentHash' | 'Totals' | 'TieOuts' | 'Warnings', unknown> {
  readonly Files: readonly { readonly Path: string; readonly Sha256: string }[]
  readonly Inputs: readonly { readonly Role: string }[]
}
