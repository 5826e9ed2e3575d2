/** Workspaces of two machines with the same exports, whose snapshots are in one bucket. */
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { Store } from '../support/s3.ts'
import { writeFiles } from '../support/workspace.ts'
import { goodCompany, inFolder, type Ran, tieout } from './command.ts'

export interface Machine {
  readonly root: string
  run(...args: readonly string[]): Promise<Ran>
  /** Runs a command that succeeds; gives what it printed. */
  done(...args: readonly string[]): Promise<string>
  /** As `done`, with what it prints as JSON. */
  json<T>(...args: readonly string[]): Promise<T>
}

/** Two machines with the same exports and the same keys, and an empty bucket. */
export const onTwoMachines = (
  store: Store,
  run: (one: Machine, other: Machine, bucket: string) => Promise<void>,
): Promise<void> =>
  inFolder(async (folder) => {
    const bucket = await store.bucket()
    const machine = (name: string): Machine => {
      const root = join(folder, name)
      writeFiles(join(root, 'datasets/acme'), goodCompany('acme'))
      writeFileSync(
        join(root, 'tieout.yaml'),
        `snapshots: { bucket: "s3://${bucket}/books", endpoint: "${store.endpoint}" }\nretention: { keepLast: 1 }\n`,
      )
      const run_ = (...args: readonly string[]) => tieout(args, { cwd: root, env: store.env })
      const done = async (...args: readonly string[]): Promise<string> => {
        const { code, out, err } = await run_(...args)
        assert.is(code, 0, `${args.join(' ')}: ${out}${err}`)
        return out
      }
      return {
        root,
        run: run_,
        done,
        json: async <T>(...args: readonly string[]) => JSON.parse(await done(...args, '--json')) as T,
      }
    }
    const [one, other] = [machine('one'), machine('other')]
    await run(one, other, bucket)
  })

let posted = 2
/** Another sale, in the ledgers of both machines. */
export const post = (...machines: readonly Machine[]): void => {
  const tx = ++posted
  const lines = ['bank,5.00', 'sales,-5.00'].map((rest) => `${tx},2025-02-11,${rest},,\n`).join('')
  for (const { root } of machines) appendFileSync(join(root, 'datasets/acme/ledger.csv'), lines)
}

export const shareKeys = (from: Machine, to: Machine): void => {
  mkdirSync(join(to.root, '.tieout'), { recursive: true, mode: 0o700 })
  cpSync(join(from.root, '.tieout/manifest-keys.json'), join(to.root, '.tieout/manifest-keys.json'))
}

export interface Build {
  readonly companies: readonly { readonly outcome: string; readonly snapshotId: string }[]
}
export const built = async (machine: Machine): Promise<string> => {
  const { companies } = await machine.json<Build>('build')
  assert.is(companies[0]!.outcome, 'published')
  return companies[0]!.snapshotId
}
