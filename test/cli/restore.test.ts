/** `tieout restore` as people run it: from one workspace into another, and what it says where it refuses. */
import { appendFileSync, chmodSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { addLine, manifestOf, point, snapshotsIn, writeManifest } from '../evidence/attacker.ts'
import { suite } from '../suite.ts'
import { goodCompany, inFolder, inWorkspaceOf, type Ran, tieout } from './command.ts'

const restoring = suite('cli restore')

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
