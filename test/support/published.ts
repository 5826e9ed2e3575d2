/** Companies that are published once, for tests that ask and change nothing. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openWorkspace, type Workspace } from '../../builder/workspace/workspace.ts'
import { suite, type Test } from '../suite.ts'
import { type Built, buildIn, CHART, COMPANY, companyYaml, type Files, writeFiles } from './workspace.ts'

export interface Published extends Workspace {
  readonly built: Built
}

/** A suite whose tests get the workspace of a published company made of `files`, with {@link CHART} and a plain company.yaml unless given. */
export function publishedSuite(name: string, files: Files, settings = ''): Test<Published> {
  const test = suite<Published>(name)
  test.before(async (at) => {
    const root = mkdtempSync(join(tmpdir(), 'tieout-published-'))
    writeFileSync(join(root, 'tieout.yaml'), settings)
    writeFiles(join(root, 'datasets', COMPANY), {
      'company.yaml': companyYaml(),
      'chart.csv': CHART,
      ...files,
    })
    const workspace = openWorkspace(root)
    const built = await buildIn(workspace, COMPANY)
    built.path('')
    Object.assign(at, workspace, { built })
  })
  test.after(({ root }) => rmSync(root, { recursive: true, force: true }))
  return test
}
