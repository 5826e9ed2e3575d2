/** `tieout close` and `tieout reopen`, as an accountant runs them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { addDays } from '../../builder/contract/calendar.ts'
import { suite } from '../suite.ts'
import { companyYaml, type Files, writeFiles } from '../support/workspace.ts'
import { flat, goodCompany, inWorkspaceOf, says, tieout } from './command.ts'

const close = suite('cli close')

const acme = (settings = '', rent = '40.00'): Files => ({
  ...goodCompany('acme', `3 2025-02-20 rent ${rent}; 3 2025-02-20 bank -${rent}`),
  'company.yaml': companyYaml(`id: acme\n${settings}`),
})

close('a month that is not over', () =>
  inWorkspaceOf({ acme: acme() }, async (cwd) => {
    const today = new Date().toISOString().slice(0, 10)
    const ahead = addDays(today, 40)
    const [folder, entries] = [join(cwd, 'datasets/acme'), `3 ${ahead} rent 1.00; 3 ${ahead} bank -1.00`]
    writeFiles(folder, goodCompany('acme', entries))
    assert.is((await tieout(['build'], { cwd })).code, 0)
    const said = await says(1, `close acme ${ahead.slice(0, 7)}`, { cwd })
    assert.match(flat(said), new RegExp(`${ahead.slice(0, 7)} is not over: it ends on .*, and today is `))
    assert.not.match(readFileSync(join(cwd, 'snapshots/acme/log.jsonl'), 'utf8'), /"close"/)
  }),
)
