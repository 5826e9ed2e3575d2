/** `tieout verify` as people run it: in a workspace, on a copy without one, and what it says and exits with. */
import { chmodSync, cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { POINTER } from '../../builder/snapshot/files/layout.ts'
import { readPointer } from '../../builder/snapshot/files/open.ts'
import { suite } from '../suite.ts'
import { goodCompany, inFolder, inWorkspaceOf, tieout } from './command.ts'

const verify = suite('cli verify')

verify('all, one company, and a copied folder; damage is named and the exit code is 1', () =>
  inWorkspaceOf({ acme: goodCompany('acme'), bolt: goodCompany('bolt') }, (cwd) =>
    inFolder(async (elsewhere) => {
      const none = await tieout(['verify'], { cwd })
      assert.is(none.code, 2)
      assert.match(none.err, /nothing is published yet/)
      assert.is((await tieout(['build'], { cwd })).code, 0)

      const all = await tieout(['verify'], { cwd })
      assert.is(all.code, 0, all.out + all.err)
      assert.match(
        all.out,
        /Verified: 2 snapshots are as published, and every figure follows from the books\./,
      )

      cpSync(join(cwd, 'snapshots/acme'), join(elsewhere, 'evidence'), { recursive: true })
      const copy = await tieout(['verify', 'evidence', '--json'], { cwd: elsewhere })
      assert.is(copy.code, 0, copy.out + copy.err)
      assert.is(JSON.parse(copy.out).companies[0].company, 'acme')

      const keys = await tieout(['snapshots', 'key'], { cwd })
      writeFileSync(join(elsewhere, 'acme.jwks.json'), keys.out)
      const known = await tieout(['verify', 'evidence', '--key', 'acme.jwks.json'], { cwd: elsewhere })
      assert.is(known.code, 0, known.out + known.err)
      assert.not.match(known.out, /note/)
      assert.match(copy.out, /ask the publisher whether that is theirs/)
      assert.is((await tieout(['verify', '--key', 'nowhere'], { cwd })).code, 2)

      const id = (await readPointer(join(cwd, 'snapshots'), 'acme'))!.SnapshotId
      const info = join(elsewhere, 'evidence', id, 'info.json')
      chmodSync(info, 0o644)
      writeFileSync(info, '{}')
      const damaged = await tieout(['verify', './evidence', '--files-only'], { cwd: elsewhere })
      assert.is(damaged.code, 1)
      assert.match(damaged.out, /damage +acme \S+: info\.json was cut: 2 of \d+ bytes are left/)
      assert.match(damaged.out, /Damaged: 1 thing is not as published\./)
      assert.is((await tieout(['verify', 'acme'], { cwd })).code, 0, 'the original is sound')

      writeFileSync(join(cwd, 'snapshots/bolt', POINTER), '{')
      const torn = await tieout(['verify', 'bolt', '--json'], { cwd })
      assert.is(torn.code, 1, torn.out + torn.err)
      assert.is(JSON.parse(torn.out).companies[0].damages[0].kind, 'pointer-unreadable')

      for (const [at, asked] of [
        [cwd, 'nobody'],
        [elsewhere, './evidence/nothing'],
      ] as const) {
        const unknown = await tieout(['verify', asked], { cwd: at })
        assert.is(unknown.code, 2)
        assert.match(unknown.err, /neither a company with snapshots nor a folder or archive that holds any/)
      }
    }),
  ),
)
