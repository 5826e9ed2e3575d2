/** Companies that are published once, for tests that ask and change nothing. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openWorkspace, type Workspace } from '../../builder/workspace/workspace.ts'
import { suite, type Test } from '../suite.ts'
import {
  type Built,
  buildIn,
  CHART,
  COMPANY,
  companyYaml,
  type Files,
  inWorkspace,
  writeFiles,
} from './workspace.ts'

export interface Published extends Workspace {
  readonly built: Built
}

const whole = (files: Files): Files => ({ 'company.yaml': companyYaml(), 'chart.csv': CHART, ...files })

/** Runs with the workspace of a published company made of `files`, with {@link CHART} and a plain company.yaml unless given. */
export const inPublished = <T>(files: Files, run: (at: Published) => T | Promise<T>): Promise<T> =>
  inWorkspace(whole(files), async (workspace) => run(await published(workspace)))

/** Refuses to go on where it was not published. */
async function published(workspace: Workspace): Promise<Published> {
  const built = await buildIn(workspace, COMPANY)
  built.path('')
  return { ...workspace, built }
}

/** A suite whose tests get one such workspace, and change nothing in it. */
export function publishedSuite<More = unknown>(
  name: string,
  files: Files,
  settings = '',
): Test<Published & More> {
  const test = suite<Published & More>(name)
  test.before(async (at) => {
    const root = mkdtempSync(join(tmpdir(), 'tieout-published-'))
    writeFileSync(join(root, 'tieout.yaml'), settings)
    writeFiles(join(root, 'datasets', COMPANY), whole(files))
    Object.assign(at as object, await published(openWorkspace(root)))
  })
  test.after(({ root }) => rmSync(root, { recursive: true, force: true }))
  return test
}
