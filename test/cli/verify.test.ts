/** `tieout verify` as people run it: in a workspace, on a copy without one, and what it says and exits with. */
import { chmodSync, cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { POINTER } from '../../builder/snapshot/files/layout.ts'
import { readPointer } from '../../builder/snapshot/files/open.ts'
import { suite } from '../suite.ts'
import { goodCompany, inFolder, inWorkspaceOf, says, tieout } from './command.ts'

const verify = suite('cli verify')

verify('all, one company, and a copied folder; damage is named and the exit code is 1', () =>
  inWorkspaceOf({ acme: goodCompany('acme'), bolt: goodCompany('bolt') }, (cwd) =>
    inFolder(async (elsewhere) => {
      assert.match(await says(2, 'verify', { cwd }), /nothing is published yet/)
      assert.is((await tieout(['build'], { cwd })).code, 0)

      assert.match(
        await says(0, 'verify', { cwd }),
        /Verified: 2 snapshots are as published, and every figure follows from the books\./,
      )

      cpSync(join(cwd, 'snapshots/acme'), join(elsewhere, 'evidence'), { recursive: true })
      const copy = await says(0, 'verify evidence --json', { cwd: elsewhere })
      assert.is(JSON.parse(copy).companies[0].company, 'acme')

      const keys = await tieout(['snapshots', 'key'], { cwd })
      writeFileSync(join(elsewhere, 'acme.jwks.json'), keys.out)
      assert.not.match(await says(0, 'verify evidence --key acme.jwks.json', { cwd: elsewhere }), /note/)
      assert.match(copy, /ask the publisher whether that is theirs/)
      assert.is((await tieout(['verify', '--key', 'nowhere'], { cwd })).code, 2)

      const id = (await readPointer(join(cwd, 'snapshots'), 'acme'))!.SnapshotId
      const info = join(elsewhere, 'evidence', id, 'info.json')
      chmodSync(info, 0o644)
      writeFileSync(info, '{}')
      const damaged = await says(1, 'verify ./evidence --files-only', { cwd: elsewhere })
      assert.match(damaged, /damage +acme \S+: info\.json was cut: 2 of \d+ bytes are left/)
      assert.match(damaged, /Damaged: 1 thing is not as published\./)
      assert.is((await tieout(['verify', 'acme'], { cwd })).code, 0, 'the original is sound')

      writeFileSync(join(cwd, 'snapshots/bolt', POINTER), '{')
      const torn = await says(1, 'verify bolt --json', { cwd })
      assert.is(JSON.parse(torn).companies[0].damages[0].kind, 'pointer-unreadable')

      for (const [at, asked] of [
        [cwd, 'nobody'],
        [elsewhere, './evidence/nothing'],
      ] as const) {
        assert.match(
          await says(2, `verify ${asked}`, { cwd: at }),
          /neither a company with snapshots nor a folder or archive that holds any/,
        )
      }
    }),
  ),
)
