/** What a nightly build of many companies prints, which somebody reads every morning. */
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { companyYaml } from '../support/workspace.ts'
import { goodCompany, inWorkspaceOf, tieout } from './command.ts'

const test = suite('nightly')
const IDS = Array.from({ length: 13 }, (_, i) => `c${String(i).padStart(3, '0')}`)

test('where nothing changed each company is one line, also with warnings; they are there with --verbose', () => {
  const files = (id: string) => ({
    ...goodCompany(id),
    'company.yaml': companyYaml(`id: ${id}\nlockDate: 2025-01-31`),
  })
  return inWorkspaceOf(Object.fromEntries(IDS.map((id) => [id, files(id)])), async (cwd) => {
    const lines = async (...args: string[]): Promise<string[]> => {
      const { code, out, err } = await tieout(['build', ...args], { cwd })
      assert.is(code, 0, err)
      return `${out}\n${err}`.split('\n')
    }
    const of = (all: readonly string[], id: string) => all.filter((line) => line.includes(id)).length
    assert.ok(of(await lines(), IDS[0]!) > 1)
    const again = await lines()
    for (const id of IDS) assert.is(of(again, id), 1, again.join('\n'))
    assert.ok(again.length < IDS.length + 8, again.join('\n'))
    assert.match((await lines('--verbose')).join('\n'), /after-lock-date/)
  })
})
