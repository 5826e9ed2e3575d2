/** What a group's snapshot says of its members' snapshots, held against what they published. */
import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openDatabase } from '../../builder/database/database.ts'
import { type Verification, verifyFolder } from '../../builder/evidence/verify/verify.ts'
import { MEMBER_FORMAT, membersNamed } from '../../builder/snapshot/files/input-state.ts'
import { bookPath } from '../../builder/snapshot/files/layout.ts'
import type { InputEntry } from '../../builder/snapshot/files/manifest.ts'
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { copyOf, manifestOf, rewriteHistory, snapshotsIn } from '../evidence/attacker.ts'
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

test('figures that do not follow from the snapshots of the members, with the key: told with the sources', () =>
  inGroup(
    { alpha: alpha('100.00'), [GROUP]: { 'company.yaml': groupYaml('members: [{ company: alpha }]') } },
    async (workspace) => {
      await buildAll(workspace, ['alpha', GROUP])
      const folder = join(workspace.snapshots, GROUP)
      const [first] = snapshotsIn(folder)
      const [honest] = membersNamed(manifestOf(folder, first!))
      writeFiles(join(workspace.datasets, 'alpha'), alpha('120.00'))
      await buildAll(workspace, ['alpha', GROUP])
      rmSync(join(folder, first!), { recursive: true })
      const [second] = snapshotsIn(folder)
      const file = `${honest!.company}/${honest!.snapshotId}`
      const path = bookPath('postings.parquet')
      const place = join(folder, second!, path)
      chmodSync(place, 0o644)
      const db = await openDatabase({ folders: null })
      await db.run(`CREATE TABLE t AS FROM '${place}';
        COPY (SELECT * REPLACE ('${file}' AS file) FROM t) TO '${place}' (FORMAT parquet, WRITE_BLOOM_FILTER false)`)
      db.close()
      const bytes = readFileSync(place)
      await rewriteHistory(
        copyOf(folder, join(workspace.root, 'forged', GROUP)),
        await openSigner(workspace.state),
        (manifest) => ({
          ...manifest,
          Files: manifest.Files.map((each) =>
            each.Path === path ? { ...each, Bytes: bytes.length, Sha256: sha256(bytes) } : each,
          ),
          Inputs: manifest.Inputs.map((input) =>
            input.Format === MEMBER_FORMAT ? { ...input, File: file, ETag: honest!.manifestHash } : input,
          ),
        }),
      )
      copyOf(join(workspace.snapshots, 'alpha'), join(workspace.root, 'forged/alpha'))
      const told = (sources: boolean) =>
        verifyFolder(join(workspace.root, 'forged', GROUP), 'company', {
          figures: true,
          known: null,
          sources,
        })
      assert.is((await told(false)).outcome, 'verified')
      assert.match(
        messagesIn(await told(true)),
        /the books hold a posting of 2025-01-02, transaction \S+ 1, account bank, 120\.00, attributed to alpha\/\S+; no source holds it/,
      )
    },
  ))
