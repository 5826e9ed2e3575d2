/** `tieout archive` as people run it, and `tieout verify` on what it wrote, far from any workspace. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { goodCompany, inFolder, inWorkspaceOf, says, tieout } from './command.ts'

const archive = suite('cli archive')

archive(
  'a zip and a folder, verified elsewhere against the publisher’s key; damage ends with exit code 1',
  () =>
    inWorkspaceOf({ acme: goodCompany('acme') }, (cwd) =>
      inFolder(async (elsewhere) => {
        assert.is((await tieout(['build'], { cwd })).code, 0)
        const zip = join(elsewhere, 'acme.zip')
        const first = await tieout(['archive', 'acme', '--to', zip], { cwd })
        assert.is(first.code, 0, first.err)
        assert.match(
          first.out,
          /^Archived acme 2025-02-r1-\w{6} as the zip .*acme\.zip: \d+ files, \d+ MB\.\n/,
        )
        assert.match(first.out, /SHA-256 of the manifest [0-9a-f]{64}, signed with key /)
        assert.match(first.err, /acme: archiving/)
        const keys = await tieout(['snapshots', 'key'], { cwd })
        writeFileSync(join(elsewhere, 'keys.json'), keys.out)

        const verified = await tieout(['verify', 'acme.zip', '--key', 'keys.json'], { cwd: elsewhere })
        assert.is(verified.code, 0, verified.out + verified.err)
        assert.match(verified.out, /^The zip .*acme\.zip, BagIt 1\.0: \d+ files of [\d,]+ bytes\n/)
        assert.match(verified.out, /Verified: 1 snapshot is as published, and every figure follows/)
        assert.not.match(verified.out, /note/)
        writeFileSync(join(elsewhere, 'strange.json'), STRANGE)
        assert.match(
          await says(1, 'verify acme.zip --key strange.json', { cwd: elsewhere }),
          /none of the known ones/,
        )

        const { snapshotId } = JSON.parse(
          (await tieout(['archive', 'acme', '--to', join(elsewhere, 'a'), '--json'], { cwd })).out,
        )
        const named = ['archive', 'acme', snapshotId, '--to', join(elsewhere, 'b'), '--bagit', '0.97']
        assert.is((await tieout(named, { cwd })).code, 0)
        assert.match(readFileSync(join(elsewhere, 'b/bagit.txt'), 'utf8'), 'BagIt-Version: 0.97\n')

        writeFileSync(join(elsewhere, 'a/README.txt'), 'Trust me')
        const damaged = await says(1, 'verify a --files-only', { cwd: elsewhere })
        assert.match(damaged, /damage +the bag: README\.txt was changed: sha256 \w{64} instead of \w{64}/)
        assert.match(damaged, /Damaged: 1 thing is not as published\./)
        assert.is(
          JSON.parse((await tieout(['verify', 'a', '--json'], { cwd: elsewhere })).out).verified,
          false,
        )

        assert.match(
          await says(1, `archive acme --to ${zip}`, { cwd }),
          /is there already; name another place/,
        )
        assert.is((await tieout(['archive', 'acme'], { cwd })).code, 2)
        for (const [args, text] of [
          [['nobody'], /nothing is published of company "nobody"/],
          [['acme', '2024-01-r1-abcdef'], /acme has no snapshot "2024-01-r1-abcdef"/],
        ] as const) {
          const unknown = await tieout(['archive', ...args, '--to', join(elsewhere, 'c')], { cwd })
          assert.is(unknown.code, 2)
          assert.match(unknown.err, text)
        }
        writeFileSync(join(elsewhere, 'letter.txt'), 'Dear auditor')
        assert.match(
          (await tieout(['verify', 'letter.txt'], { cwd: elsewhere })).err,
          /nor a folder or archive/,
        )
      }),
    ),
)

/** Somebody else's public key. */
const STRANGE = JSON.stringify({
  keys: [{ crv: 'Ed25519', kty: 'OKP', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }],
})

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

archive('evidence of a year, verified elsewhere; months that are none, or none at all, say what to do', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, (cwd) =>
    inFolder(async (elsewhere) => {
      assert.is((await tieout(['build'], { cwd })).code, 0)
      const zip = join(elsewhere, 'acme-2025.zip')
      const ask = (from: string, through: string, company = 'acme') =>
        tieout(['evidence', company, '--from', from, '--through', through, '--to', zip], { cwd })
      for (const [args, text] of [
        [['2025-13', '2025-12'], /--from "2025-13" is not a month; write for example --from 2025-01/],
        [['2025-12', '2025-01'], /--from 2025-12 is after --through 2025-01/],
        [['2025-01', '2025-12', 'nobody'], /nothing is published of "nobody"/],
      ] as const) {
        const wrong = await ask(args[0], args[1], args[2])
        assert.is(wrong.code, 2)
        assert.match(wrong.err, text)
      }
      const none = await ask('2031-01', '2031-12')
      assert.is(none.code, 1)
      assert.match(none.err, /acme has no snapshot of 2031-01 to 2031-12/)
      const written = await ask('2025-01', '2025-12')
      assert.is(written.code, 0, written.err)
      assert.match(
        written.out,
        /^Written what acme published of 2025-01 to 2025-12 as the zip .*: 1 snapshot in/,
      )
      const head = /SHA-256 of the last one ([0-9a-f]{64})/.exec(written.out)![1]!
      await says(0, `verify ${zip} --expect ${head}`, { cwd: elsewhere })
      assert.is((await tieout(['verify', zip, '--expect', '0'.repeat(64)], { cwd: elsewhere })).code, 1)
    }),
  ),
)
