/** `tieout archive` as people run it, and `tieout verify` on what it wrote, far from any workspace. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { goodCompany, inWorkspaceOf, tieout } from './command.ts'

const archive = suite('cli archive')

archive('the same bytes in any time zone', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    assert.is((await tieout(['build'], { cwd })).code, 0)
    for (const [name, TZ] of [
      ['a.zip', 'UTC'],
      ['b.zip', 'Pacific/Auckland'],
    ] as const)
      assert.is((await tieout(['archive', 'acme', '--to', name], { cwd, env: { TZ } })).code, 0)
    const [a, b] = ['a.zip', 'b.zip'].map((name) => readFileSync(join(cwd, name)))
    assert.ok(a!.equals(b!))
    assert.equal(
      readdirSync(cwd).filter((name) => name.includes('partial')),
      [],
    )
  }),
)
