/** `tieout restore` as people run it: from one workspace into another, and what it says where it refuses. */
import { appendFileSync, chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { addLine, manifestOf, point, snapshotsIn, writeManifest } from '../evidence/attacker.ts'
import { suite } from '../suite.ts'
import { begin, goodCompany, inFolder, inWorkspaceOf, printed, type Ran, tieout } from './command.ts'

const restoring = suite('cli restore')

restoring('a snapshot comes back, is served and asked; a damaged archive leaves nothing', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, (publisher) =>
    inFolder(async (cwd) => {
      assert.is((await tieout(['build'], { cwd: publisher })).code, 0)
      const zip = join(cwd, 'acme.zip')
      await tieout(['archive', 'acme', '--to', zip], { cwd: publisher })
      await tieout(['archive', 'acme', '--to', join(cwd, 'bag')], { cwd: publisher })
      writeFileSync(join(cwd, 'keys.json'), (await tieout(['snapshots', 'key'], { cwd: publisher })).out)
      await tieout(['init', '.'], { cwd })

      appendFileSync(join(cwd, 'bag/README.txt'), ' ')
      const damaged = await tieout(['restore', 'bag'], { cwd })
      assert.is(damaged.code, 1)
      assert.match(damaged.out, /damage +the bag: README\.txt was changed/)
      assert.match(damaged.out, /\nNothing was restored\.\n$/)
      assert.equal(readdirSync(join(cwd, 'snapshots')), [])

      const restored = await tieout(['restore', zip, '--key', 'keys.json'], { cwd })
      assert.is(restored.code, 0, restored.err)
      assert.match(restored.out, /^Restored acme 2025-02-r1-\w{6}; it is the current one\.\n$/)
      assert.match(restored.err, /restore: unpacking\nrestore: computing the figures again\n/)
      const verified = await tieout(['verify'], { cwd })
      assert.is(verified.code, 0, verified.out)
      assert.match((await tieout(['trial-balance', 'acme', '2025-02'], { cwd })).out, /1,250\.00/)
      const again = await tieout(['restore', zip, '--json'], { cwd })
      assert.equal([again.code, JSON.parse(again.out).outcome], [0, 'present'])

      const server = begin(['serve', '--port', '0'], { cwd })
      try {
        const [address] = /http:\/\/[\w.]+:\d+/.exec(await printed(server, /http:\/\/\S+/))!
        const health = await fetch(`${address}/readyz`)
        assert.is(health.status, 200, await health.text())
      } finally {
        server.kill('SIGTERM')
        await server
      }

      for (const [args, text] of [
        [['nothing.zip'], /neither a zip nor the folder of a bag/],
        [[zip, '--key', 'nowhere'], /there is no file nowhere/],
      ] as const) {
        const wrong = await tieout(['restore', ...args], { cwd })
        assert.is(wrong.code, 2)
        assert.match(wrong.err, text)
      }
      mkdirSync(join(cwd, 'elsewhere'))
      assert.is((await tieout(['restore', zip], { cwd: join(cwd, 'elsewhere') })).code, 0, 'found upwards')
    }),
  ),
)

restoring('with the sources that an archive keeps, an auditor checks with a materiality of their own', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, (publisher) =>
    inFolder(async (cwd) => {
      await tieout(['build'], { cwd: publisher })
      await tieout(['archive', 'acme', '--to', join(cwd, 'bare.zip')], { cwd: publisher })
      appendFileSync(join(publisher, 'tieout.yaml'), 'keepInputs: true\n')
      await tieout(['build'], { cwd: publisher })
      await tieout(['archive', 'acme', '--to', join(cwd, 'kept.zip')], { cwd: publisher })
      await tieout(['init', '.'], { cwd })

      const bare = await tieout(['restore', 'bare.zip', '--sources'], { cwd })
      assert.is(bare.code, 1)
      assert.match(bare.out, /Restored acme/)
      const said = bare.out.replace(/\s+/g, ' ')
      assert.match(said, 'sources that are not in the archive: company.yaml, chart.csv, ledger.csv; ask')
      assert.match(said, '"keepInputs: true"')
      assert.equal(readdirSync(join(cwd, 'datasets')), [])
      const unread = await tieout(['check', 'acme'], { cwd })
      assert.is(unread.code, 2)
      assert.match(unread.err, /snapshots here, but no sources: "tieout restore <archive> --sources"/)

      const kept = await tieout(['restore', 'kept.zip', '--sources'], { cwd })
      assert.is(kept.code, 0, kept.out)
      appendFileSync(join(cwd, 'datasets/acme/company.yaml'), '\nmateriality: { amount: 100 }\n')
      const { out, code } = await tieout(['check', 'acme'], { cwd })
      assert.is(code, 0, out)
      assert.match(out, /4000 Sales, 2025-02: 250\.00 against 0\.00 in 2025-01/)
      const again = await tieout(['restore', 'kept.zip', '--sources'], { cwd })
      assert.is(again.code, 1)
      assert.match(again.out.replace(/\s+/g, ' '), 'datasets/acme is there already')
    }),
  ),
)

restoring('sources under names that cannot lie in one folder: said so, and nothing of them stays', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, (publisher) =>
    inFolder(async (cwd) => {
      appendFileSync(join(publisher, 'tieout.yaml'), 'keepInputs: true\n')
      await tieout(['build'], { cwd: publisher })
      await tieout(['init', '.'], { cwd })
      const folder = join(publisher, 'snapshots/acme')
      const signer = await openSigner(join(publisher, '.tieout'))
      const [id] = snapshotsIn(folder)
      const { Inputs } = manifestOf(folder, id!)
      const chart = Inputs.find(({ Role }) => Role === 'chart')!
      for (const [i, [name, says]] of (
        [
          ['ledger.csv/x', /"ledger\.csv\/x" cannot lie in the company's folder beside its other sources/],
          ['ledger.csv/x/y', /cannot lie in the company's folder/],
          ['n'.repeat(300), /"n+" cannot lie in the company's folder/],
          ['', /"" is not a file in a company's folder/],
          ['lists/', /"lists\/" is not a file in a company's folder/],
        ] as const
      ).entries()) {
        chmodSync(join(folder, id!), 0o755)
        rmSync(join(folder, 'log.jsonl'))
        const pointer = await writeManifest(folder, id!, signer, (manifest) => ({
          ...manifest,
          Inputs: [...Inputs, { ...chart, File: name }],
        }))
        await addLine(folder, 'publish', pointer, signer)
        point(folder, pointer)
        const flat = ({ out, err }: Ran) => `${out}${err}`.replace(/\s+/g, ' ')
        const verified = await tieout(['verify', 'acme', '--sources'], { cwd: publisher })
        assert.is(verified.code, 1, flat(verified))
        assert.match(flat(verified), says)
        await tieout(['archive', 'acme', '--to', join(cwd, `${i}.zip`)], { cwd: publisher })
        const restored = await tieout(['restore', `${i}.zip`, '--sources'], { cwd })
        assert.is(restored.code, 1, flat(restored))
        assert.match(flat(restored), says)
        assert.equal(readdirSync(join(cwd, 'datasets')), [])
        rmSync(join(cwd, 'snapshots/acme'), { recursive: true })
      }
    }),
  ),
)
