/** What a group's snapshot says of its members' snapshots, held against what they published. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type Verification, verifyFolder } from '../../builder/evidence/verify/verify.ts'
import { MEMBER_FORMAT } from '../../builder/snapshot/files/input-state.ts'
import type { InputEntry } from '../../builder/snapshot/files/manifest.ts'
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { copyOf, rewriteHistory } from '../evidence/attacker.ts'
import { suite } from '../suite.ts'
import { messagesIn } from '../support/damages.ts'
import { buildAll, GROUP, groupYaml, inGroup, memberYaml } from '../support/group.ts'
import { buildIn, ledgerCsv, writeFiles } from '../support/workspace.ts'

const test = suite('verified members')

const alpha = (amount: string) => ({
  'company.yaml': memberYaml('alpha'),
  'ledger.csv': ledgerCsv(`1 2025-01-02 bank ${amount}; 1 2025-01-02 capital -${amount}`),
})

const verified = (folder: string): Promise<Verification> =>
  verifyFolder(folder, 'company', { figures: false, known: null })

const OTHERS: Readonly<Record<string, (member: InputEntry) => Partial<InputEntry>>> = {
  'another manifest of the snapshot': () => ({ ETag: 'f'.repeat(64) }),
  'a snapshot that was never published': () => ({ File: 'alpha/2025-01-r9-abcdef' }),
  'what is no hash': () => ({ ETag: 'audited' }),
  'a path': ({ File }) => ({ File: `../${File}` }),
}

test('a group whose manifest names something else than its members published is damaged, whoever signed it', () =>
  inGroup(
    { alpha: alpha('100.00'), [GROUP]: { 'company.yaml': groupYaml('members: [{ company: alpha }]') } },
    async (workspace) => {
      await buildAll(workspace, ['alpha', GROUP])
      const signer = await openSigner(workspace.state)
      for (const [name, other] of Object.entries(OTHERS)) {
        const place = copyOf(workspace.snapshots, join(workspace.root, name.replaceAll(' ', '-')))
        await rewriteHistory(join(place, GROUP), signer, (manifest) => ({
          ...manifest,
          Inputs: manifest.Inputs.map((input) =>
            input.Format === MEMBER_FORMAT ? { ...input, ...other(input) } : input,
          ),
        }))
        assert.match(
          messagesIn(await verified(join(place, GROUP))),
          /says that it was made from \S+, manifest \S+, which \S+ did not publish/,
          name,
        )
      }
    },
  ))

test('members that publish more, or are not there: no damage, and the second is said', () =>
  inGroup(
    { alpha: alpha('100.00'), [GROUP]: { 'company.yaml': groupYaml('members: [{ company: alpha }]') } },
    async (workspace) => {
      await buildAll(workspace, ['alpha', GROUP])
      const folder = join(workspace.snapshots, GROUP)
      writeFiles(join(workspace.datasets, 'alpha'), alpha('120.00'))
      await buildIn(workspace, 'alpha')
      assert.equal(
        (await verified(folder)).companies[0]!.notes.filter((note) => note.includes('members')),
        [],
      )
      rmSync(join(workspace.snapshots, 'alpha'), { recursive: true })
      const { outcome, companies } = await verified(folder)
      assert.is(outcome, 'unproven')
      assert.match(companies[0]!.notes.join('\n'), /its members are not here, .*: alpha$/m)
    },
  ))
