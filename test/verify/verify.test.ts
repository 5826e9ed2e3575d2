/** Verification: whatever is done to a copy of published snapshots is found, and named where it was done. */

import { spawnSync } from 'node:child_process'
import { createPublicKey, verify as verifySignature } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openDatabase } from '../../builder/database/database.ts'
import { prove } from '../../builder/evidence/verify/prove.ts'
import {
  folderKind,
  type Prove,
  type Verification,
  verifyFolder,
} from '../../builder/evidence/verify/verify.ts'
import { contentHashOf } from '../../builder/snapshot/files/files.ts'
import {
  isReport,
  LOG,
  MANIFEST,
  POINTER,
  REPORT,
  reportPath,
  SIGNATURE,
  statementPath,
} from '../../builder/snapshot/files/layout.ts'
import type { Manifest, Pointer } from '../../builder/snapshot/files/manifest.ts'
import { openSigner, publicKeys, type Signer, signingKeyPath } from '../../builder/snapshot/keys/key-file.ts'
import { checkSignature, keyCarriedBy } from '../../builder/snapshot/keys/sign.ts'
import { readLog } from '../../builder/snapshot/log/log.ts'
import { prune } from '../../builder/snapshot/log/prune.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { FindingsError } from '../../builder/workspace/findings/finding.ts'
import { addLine, manifestOf, ofAnotherProgram, writeManifest } from '../evidence/attacker.ts'
import { suite } from '../suite.ts'
import {
  buildIn,
  CHART,
  COMPANY,
  companyYaml,
  inWorkspace,
  ledgerCsv,
  scopeOf,
} from '../support/workspace.ts'

const LEDGER = `1 2025-01-01 bank 1000.00; 1 2025-01-01 capital -1000.00
  2 2025-02-10 bank 250.00; 2 2025-02-10 sales -250.00; 3 2025-02-11 rent 40.00; 3 2025-02-11 bank -40.00`

interface Copy {
  /** A copy of the company's folder, writable. */
  folder: string
  /** The snapshots, oldest first. */
  ids: [string, string, string]
  /** The key of the workspace that published them, and somebody else's. */
  known: ReadonlySet<string>
  signer: Signer
  forger: Signer
}

const test = suite<Copy & { origin: string; top: string }>('verify')

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-verify-'))
  context.origin = join(context.top, 'origin')
  const files = { 'company.yaml': companyYaml(), 'chart.csv': CHART, 'ledger.csv': ledgerCsv(LEDGER) }
  await inWorkspace(files, async (workspace) => {
    const ids: string[] = []
    for (const amount of ['5.00', '6.00', '7.00']) {
      const entries = `${LEDGER}; 4 2025-03-05 rent ${amount}; 4 2025-03-05 bank -${amount}`
      writeFileSync(join(workspace.datasets, COMPANY, 'ledger.csv'), ledgerCsv(entries))
      ids.push((await buildIn(workspace, COMPANY)).result.snapshotId!)
    }
    context.ids = ids as [string, string, string]
    cpSync(join(workspace.snapshots, COMPANY), context.origin, { recursive: true })
    context.signer = await openSigner(workspace.state)
    context.known = new Set([context.signer.keyId])
    context.forger = await openSigner(join(context.top, 'forger'))
  })
})
test.before.each((context) => {
  context.folder = join(context.top, 'copy')
  cpSync(context.origin, context.folder, { recursive: true })
  for (const entry of readdirSync(context.folder, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
})
test.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }))
test.after(({ top }) => rmSync(top, { recursive: true, force: true }))

const verify = async (
  folder: string,
  figures = false,
  known: ReadonlySet<string> | null = null,
): Promise<Verification> => verifyFolder(folder, (await folderKind(folder))!, { figures, known })

/** `kind snapshot path` of every damage. */
const damagesOf = ({ companies }: Verification): string[] =>
  companies.flatMap(({ damages, snapshots }) =>
    [...damages, ...snapshots.flatMap((snapshot) => snapshot.damages)].map(({ kind, snapshotId, path }) =>
      [kind, snapshotId ?? '-', path].join(' '),
    ),
  )

async function found(
  folder: string,
  expected: readonly string[],
  figures = false,
  known: ReadonlySet<string> | null = null,
): Promise<Verification> {
  const verification = await verify(folder, figures, known)
  assert.equal(damagesOf(verification), expected)
  assert.is(verification.verified, expected.length === 0)
  return verification
}

const INFO = 'info.json'
const SHEET = statementPath(scopeOf('BalanceSheet'))
const PROFIT = statementPath(scopeOf('ProfitAndLoss'))

test('what nobody touched is verified, figures and tie-outs included, under any name', async ({
  folder,
  ids,
  known,
}) => {
  const { companies } = await found(folder, [], true, known)
  const [company] = companies
  assert.is(company!.company, COMPANY)
  assert.equal(company!.notes, [], 'nothing that should be known')
  assert.is(company!.current, ids[2])
  assert.equal(
    company!.snapshots.map(({ snapshotId }) => snapshotId),
    ids,
  )
  for (const { recomputed } of company!.snapshots)
    assert.ok(recomputed!.documents > 5 && recomputed!.comparisons > 50)
  assert.equal(company!.notes, [])
})

test('one snapshot by itself is verified, and told that nothing vouches for its manifest', async ({
  folder,
  ids,
  known,
}) => {
  const alone = join(folder, '..', 'evidence')
  cpSync(join(folder, ids[1]), alone, { recursive: true })
  try {
    const { companies } = await found(alone, [], true)
    assert.match(
      companies[0]!.notes.join('\n'),
      /^signed with key .*\nnothing beside the snapshot vouches for its manifest/s,
    )
    assert.equal((await found(alone, [], false, known)).companies[0]!.notes, [])
  } finally {
    rmSync(alone, { recursive: true })
  }
})

test('all companies of a folder; a company in the folder of another is named', async ({ folder }) => {
  const all = join(folder, '..', 'all')
  cpSync(folder, join(all, COMPANY), { recursive: true })
  cpSync(folder, join(all, 'other'), { recursive: true })
  writeFileSync(join(all, 'README.md'), 'notes')
  try {
    const verification = await verify(all)
    assert.equal(
      verification.companies.map(({ company, damages }) => [company, damages.map(({ kind }) => kind)]),
      [
        [COMPANY, []],
        ['other', ['manifest-misplaced', 'manifest-misplaced', 'manifest-misplaced']],
      ],
    )
  } finally {
    rmSync(all, { recursive: true })
  }
})

const PLANTED: Readonly<Record<string, string>> = {
  stamps: 'no-file - stamps',
  pruned: 'no-file - pruned',
  candidates: 'no-file - candidates',
  inputs: 'no-file - inputs',
  '2025-03-r9-abcdef': 'manifest-missing 2025-03-r9-abcdef manifest.json',
}
for (const [name, damage] of Object.entries(PLANTED))
  test(`an empty file in the place of the folder ${name}: damage of that company, not the end of verification`, async ({
    folder,
  }) => {
    rmSync(join(folder, name), { recursive: true, force: true })
    writeFileSync(join(folder, name), '')
    assert.ok(damagesOf(await verify(folder)).includes(damage))
  })

for (const damaged of [false, true])
  test(`snapshots that are pruned while they are verified are no damage${damaged ? '; what is damaged beside them is' : ''}`, async ({
    folder,
    ids,
    signer,
  }) => {
    const all = join(folder, '..', 'all')
    cpSync(folder, join(all, COMPANY), { recursive: true })
    let proofs = 0
    const run: Prove = async (request, progress) => {
      if (proofs++ === 0) {
        const asked = { company: COMPANY, policy: { keepLast: 1 }, inUse: async () => new Set<string>() }
        await prune(all, asked, 'room on the disk', { signer })
        if (damaged) rmSync(join(all, COMPANY, ids[2], INFO))
      }
      return prove(request, progress)
    }
    try {
      const options = { figures: true, known: null, prove: { run, atOnce: 1 } }
      const verified = await verifyFolder(join(all, COMPANY), 'company', options)
      assert.equal(damagesOf(verified), damaged ? [`missing ${ids[2]} ${INFO}`] : [])
      assert.equal(
        verified.companies[0]!.snapshots.map(({ snapshotId }) => snapshotId),
        [ids[2]],
      )
    } finally {
      rmSync(all, { recursive: true })
    }
  })

test('files that grew to 200 GB, and folders 6,000 deep: named at once, and not read', async ({
  folder,
  ids,
}) => {
  const paths = [INFO, 'manifest.json.sig'].map((name) => join(folder, ids[0], name))
  for (const path of [
    ...paths,
    join(folder, ids[1], 'manifest.json'),
    ...['log.jsonl', 'current.json'].map((name) => join(folder, name)),
  ])
    truncateSync(path, 200e9)
  // From the innermost one outwards: no path is longer than the system takes.
  mkdirSync(join(folder, ids[2], 'd'))
  for (let depth = 0; depth < 6000; depth++) {
    mkdirSync(join(folder, ids[2], 'next'))
    renameSync(join(folder, ids[2], 'd'), join(folder, ids[2], 'next/d'))
    renameSync(join(folder, ids[2], 'next'), join(folder, ids[2], 'd'))
  }
  const damages = damagesOf(await verify(folder))
  for (const [id, kind] of [
    ['- log.jsonl', 'no-file'],
    ['- current.json', 'no-file'],
    [ids[0], 'changed'],
    [ids[0], 'signature-missing'],
    [ids[1], 'manifest-missing'],
    [ids[2], 'extra'],
  ])
    assert.ok(
      damages.some((each) => each.startsWith(`${kind} ${id}`)),
      `${kind} ${id}: ${damages.join(', ')}`,
    )
  // rmSync goes in by the whole path, which is too long.
  assert.is(spawnSync('rm', ['-rf', join(folder, ids[2], 'd')]).status, 0)
})

test('a folder without snapshots is none', async ({ top }) => {
  mkdirSync(join(top, 'empty'))
  assert.is(await folderKind(join(top, 'empty')), null)
  assert.is(await folderKind(join(top, 'nowhere')), null)
})

test('damaged books: nothing is computed from them', async ({ folder, ids }) => {
  truncateSync(join(folder, ids[0], 'books/postings.parquet'), 100)
  const { companies } = await found(folder, [`truncated ${ids[0]} books/postings.parquet`], true)
  assert.is(companies[0]!.snapshots[0]!.recomputed, null)
  assert.ok(companies[0]!.snapshots[1]!.recomputed)
})

test('cut, emptied, longer, removed, added, swapped: all at once, each by its name', async ({
  folder,
  ids,
}) => {
  const at = (path: string) => join(folder, ids[1], path)
  truncateSync(at('classes.json'), 3)
  writeFileSync(at('departments.json'), '')
  writeFileSync(at(INFO), `${readFileSync(at(INFO), 'utf8')} `)
  rmSync(at('budgets.json'))
  writeFileSync(at('statements/more.json'), '{}')
  mkdirSync(at('drafts'))
  renameSync(at(SHEET), at('aside'))
  renameSync(at(PROFIT), at(SHEET))
  renameSync(at('aside'), at(PROFIT))
  const verification = await verify(folder)
  const expected = [
    `missing ${ids[1]} budgets.json`,
    `truncated ${ids[1]} classes.json`,
    `truncated ${ids[1]} departments.json`,
    `changed ${ids[1]} ${INFO}`,
    `swapped ${ids[1]} ${SHEET}`,
    `swapped ${ids[1]} ${PROFIT}`,
    `extra ${ids[1]} drafts`,
    `extra ${ids[1]} statements/more.json`,
  ]
  assert.equal(damagesOf(verification).sort(), expected.sort())
  const messages = verification.companies[0]!.snapshots[1]!.damages.map(({ message }) => message)
  assert.ok(messages.includes(`${SHEET} holds what was published as ${PROFIT}`))
})

test('a link in the place of a file, though it leads to the very bytes', async ({ folder, ids }) => {
  const path = join(folder, ids[1], INFO)
  renameSync(path, join(folder, '..', 'elsewhere.json'))
  symlinkSync(join(folder, '..', 'elsewhere.json'), path)
  await found(folder, [`no-file ${ids[1]} ${INFO}`])
})

/** Writes another manifest, and signs it; its hash. */
const forge = async (...how: Parameters<typeof writeManifest>): Promise<string> =>
  (await writeManifest(...how)).ManifestSha256

const point = (folder: string, SnapshotId: string, ManifestSha256: string): void =>
  writeFileSync(join(folder, POINTER), JSON.stringify({ SnapshotId, ManifestSha256 }))

test('signed anew with another key: the chain tells, and so does the key', async ({
  folder,
  ids,
  known,
  forger,
}) => {
  await forge(folder, ids[0], forger, (manifest) => ({ ...manifest, Currency: 'EUR' }))
  const exchanged = `manifest-exchanged ${ids[0]} ${MANIFEST}`
  const { companies } = await found(folder, [exchanged])
  assert.match(companies[0]!.notes.join(), /signed with keys .*, .*: ask the publisher/)
  await found(folder, [exchanged, `foreign-key ${ids[0]} ${SIGNATURE}`], false, known)
  // All of it forged, pointer, chain and log too: only who knows the key can tell.
  rmSync(join(folder, LOG))
  let previous: Manifest['Previous'] = null
  for (const id of ids) {
    const Previous = previous
    const { hashes } = await readLog(folder)
    const hash = await forge(folder, id, forger, (manifest) => ({
      ...manifest,
      Currency: 'EUR',
      Previous,
      ComparedWith: Previous,
      Build: { ...manifest.Build, LogSha256: hashes.at(-1) ?? null },
    }))
    previous = { SnapshotId: id, ManifestSha256: hash }
    await addLine(folder, 'publish', previous, forger)
  }
  point(folder, ids[2], previous!.ManifestSha256)
  await found(folder, [])
  const foreign = await found(
    folder,
    [`log - ${LOG}`, ...ids.map((id) => `foreign-key ${id} ${SIGNATURE}`)],
    false,
    known,
  )
  const { message } = foreign.companies[0]!.snapshots[0]!.damages[0]!
  assert.match(
    message,
    new RegExp(`is of key ${forger.keyId}, which is none of the known ones: ${[...known]}`),
  )
})

test('a signature that is gone, of another manifest, or none', async ({ folder, ids, forger, known }) => {
  const path = join(folder, ids[1], SIGNATURE)
  const text = readFileSync(path, 'utf8')
  rmSync(path)
  await found(folder, [`signature-missing ${ids[1]} ${SIGNATURE}`])
  const [header, , bytes] = text.trim().split('.')
  const unencoded = JSON.parse(Buffer.from(header!, 'base64url').toString())
  const headerOf = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  for (const forged of [
    '',
    'x',
    `${text} `,
    text.trim(),
    `${header}.e30.${bytes}\n`,
    `${header}..${'A'.repeat(86)}\n`,
    `${headerOf({ ...unencoded, alg: 'none' })}..${bytes}\n`,
    `${headerOf({ ...unencoded, b64: true })}..${bytes}\n`,
    `${headerOf({ ...unencoded, jwk: { kty: 'oct', k: 'AAAA' } })}..${bytes}\n`,
    `${headerOf({ alg: 'EdDSA' })}..${bytes}\n`,
    readFileSync(join(folder, ids[0], SIGNATURE), 'utf8'),
  ]) {
    writeFileSync(path, forged)
    await found(folder, [`signature ${ids[1]} ${SIGNATURE}`], false, known)
  }
  // A good signature by a key that the manifest does not name.
  writeFileSync(path, await forger.sign(readFileSync(join(folder, ids[1], MANIFEST))))
  await found(folder, [`foreign-key ${ids[1]} ${SIGNATURE}`])
})

test('the signature holds without this program: RFC 7515 and 7797 by the letter', async ({
  folder,
  ids,
  known,
}) => {
  const [header, , signature] = readFileSync(join(folder, ids[0], SIGNATURE), 'utf8')
    .trim()
    .split('.')
  const { jwk, ...rest } = JSON.parse(Buffer.from(header!, 'base64url').toString())
  assert.equal(rest, { alg: 'EdDSA', b64: false, crit: ['b64'], kid: [...known][0] })
  assert.equal(Object.keys(jwk).sort(), ['crv', 'kty', 'x'])
  const signed = Buffer.concat([Buffer.from(`${header}.`), readFileSync(join(folder, ids[0], MANIFEST))])
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  assert.ok(verifySignature(null, signed, key, Buffer.from(signature!, 'base64url')))
})

test('keys: made once and private, though two begin at once; the published part holds no secret', async ({
  top,
}) => {
  const state = join(top, 'state')
  const signers = await Promise.all([1, 2, 3].map(() => openSigner(state)))
  assert.is(new Set(signers.map(({ keyId }) => keyId)).size, 1)
  const path = signingKeyPath(state)
  assert.equal(readdirSync(state), ['manifest-keys.json'])
  assert.is(statSync(path).mode & 0o777, 0o600)
  assert.is(statSync(state).mode & 0o777, 0o700)
  const [key] = await publicKeys(path)
  assert.equal(Object.keys(key!).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x'])
  assert.is(key!.kid, signers[0]!.keyId)
  const bytes = Buffer.from('{}')
  assert.is(await signers[0]!.sign(bytes), await signers[1]!.sign(bytes), 'Ed25519 signs alike each time')
  assert.is((await checkSignature(bytes, await signers[2]!.sign(bytes))).keyId, key!.kid)
  // A new key goes last, and the old one stays known.
  const other = await openSigner(join(top, 'other'))
  const keysOf = (folder: string) => JSON.parse(readFileSync(signingKeyPath(folder), 'utf8')).keys
  writeFileSync(path, JSON.stringify({ keys: [...keysOf(state), ...keysOf(join(top, 'other'))] }))
  assert.is((await openSigner(state)).keyId, other.keyId)
  assert.equal(
    (await publicKeys(path)).map(({ kid }) => kid),
    [key!.kid, other.keyId],
  )
  for (const damaged of ['', '{}', '{"keys":[]}', '{"keys":[{"kty":"RSA"}]}']) {
    writeFileSync(path, damaged)
    const problem = await openSigner(state).catch((found: FindingsError) => found)
    assert.ok(problem instanceof FindingsError, damaged)
    assert.is(problem.findings[0]!.code, 'signing-key-unreadable')
  }
  writeFileSync(path, JSON.stringify({ keys: [key] }))
  const publicAlone = await openSigner(state).catch((found: FindingsError) => found)
  assert.is((publicAlone as FindingsError).findings[0]!.code, 'signer-missing')
})

test('the manifest of another snapshot', async ({ folder, ids }) => {
  cpSync(join(folder, ids[0], MANIFEST), join(folder, ids[1], MANIFEST))
  const damages = damagesOf(await verify(folder))
  assert.ok(damages.includes(`manifest-misplaced ${ids[1]} ${MANIFEST}`), damages.join('\n'))
  assert.ok(damages.includes(`manifest-exchanged ${ids[1]} ${MANIFEST}`), damages.join('\n'))
})

test('a manifest that is gone, torn, or no manifest', async ({ folder, ids }) => {
  const path = join(folder, ids[2], MANIFEST)
  for (const text of ['{"Format":1', 'null', '[]', '{"Files":[null],"TieOuts":[]}', '']) {
    writeFileSync(path, text)
    const damages = damagesOf(await verify(folder))
    assert.ok(damages.includes(`manifest-unreadable ${ids[2]} ${MANIFEST}`), `${text}: ${damages.join('\n')}`)
  }
  rmSync(path)
  assert.ok(damagesOf(await verify(folder)).includes(`manifest-missing ${ids[2]} ${MANIFEST}`))
})

test('a manifest that points outside of its folder is not followed', async ({ folder, ids, forger }) => {
  const secret = { Path: '../../secret', Bytes: 1, Sha256: sha256('x') }
  const hash = await forge(folder, ids[2], forger, (manifest) => ({
    ...manifest,
    Files: [...manifest.Files, secret],
  }))
  point(folder, ids[2], hash)
  const damages = damagesOf(await verify(folder))
  assert.ok(damages.includes(`content-hash ${ids[2]} ../../secret`), damages.join('\n'))
})

test('a pointer that was rolled back, with and without its right hash', async ({ folder, ids }) => {
  point(folder, ids[0], sha256(readFileSync(join(folder, ids[0], MANIFEST))))
  const { companies } = await found(folder, [`rolled-back - ${POINTER}`])
  assert.match(
    companies[0]!.damages[0]!.message,
    new RegExp(`names ${ids[0]}, although ${LOG} says that ${ids[2]} is current`),
  )
  // Without the log the chain tells it too.
  rmSync(join(folder, LOG))
  const alone = await found(folder, [`log-missing - ${LOG}`, `rolled-back - ${POINTER}`])
  assert.match(
    alone.companies[0]!.damages[1]!.message,
    new RegExp(`names ${ids[0]}, although ${ids[2]} follows it`),
  )
  point(folder, ids[0], sha256('other'))
  const damages = damagesOf(await verify(folder))
  assert.ok(
    damages.includes(`rolled-back - ${POINTER}`) &&
      damages.includes(`manifest-exchanged ${ids[0]} ${MANIFEST}`),
  )
})

test('a pointer that is gone, torn, or names what is not there', async ({ folder, ids }) => {
  point(folder, '2025-03-r9-abcdef', sha256(''))
  await found(folder, ['snapshot-missing - 2025-03-r9-abcdef'])
  writeFileSync(join(folder, POINTER), '{"Snap')
  await found(folder, [`pointer-unreadable - ${POINTER}`])
  rmSync(join(folder, POINTER))
  await found(folder, [`pointer-missing - ${POINTER}`])
  assert.ok(ids)
})

test('a snapshot that was put beside the chain is told of; so is what a killed build left', async ({
  folder,
  ids,
  forger,
}) => {
  const stray = `${manifestOf(folder, ids[2]).Month}-r9-${manifestOf(folder, ids[0]).ContentHash.slice(0, 6)}`
  cpSync(join(folder, ids[0]), join(folder, stray), { recursive: true })
  await forge(folder, stray, forger, (manifest) => ({
    ...manifest,
    SnapshotId: stray,
    Revision: 9,
    Previous: null,
  }))
  mkdirSync(join(folder, '.stage-0123'))
  const { companies } = await found(folder, [])
  const notes = companies[0]!.notes.join('\n')
  assert.match(notes, new RegExp(`${stray} does not lead to the current snapshot`))
  assert.match(notes, /\.stage-0123 is of a build/)
})

/** Changes a file of the newest snapshot, and everything that states its hash: what hashes alone cannot find. */
async function forgeAll(
  { folder, forger }: Pick<Copy, 'folder' | 'forger'>,
  id: string,
  path: string,
  change: (text: string) => string | Promise<Buffer>,
): Promise<void> {
  const text = await change(readFileSync(join(folder, id, path), 'utf8'))
  writeFileSync(join(folder, id, path), text)
  const next = `${id.slice(0, -6)}`
  let renamed = id
  const hash = await forge(folder, id, forger, (manifest) => {
    const Files = manifest.Files.map((file) =>
      file.Path === path
        ? { Path: path, Bytes: statSync(join(folder, id, path)).size, Sha256: sha256(text) }
        : file,
    )
    const ContentHash = contentHashOf(Files)
    renamed = `${next}${ContentHash.slice(0, 6)}`
    return { ...manifest, SnapshotId: renamed, ContentHash, Files }
  })
  renameSync(join(folder, id), join(folder, renamed))
  await reenter(folder, { SnapshotId: renamed, ManifestSha256: hash }, forger)
}

/** In the place of the last line of the log, and of the pointer; the key before is said to be lost. */
async function reenter(folder: string, pointer: Pointer, forger: Signer): Promise<void> {
  const lines = readFileSync(join(folder, LOG), 'utf8').split('\n').slice(0, -2)
  writeFileSync(join(folder, LOG), lines.map((line) => `${line}\n`).join(''))
  const { x: PublicKey = '' } = (await keyCarriedBy(await forger.sign(Buffer.from('')))) ?? {}
  const said = { At: '2026-11-01T00:00:00Z', By: 'eve@home', Reason: null, Replaces: null, Signature: null }
  const KeyChange = { Event: 'rotate', PublicKey, ...said } as const
  await addLine(folder, 'rotate', pointer, forger, { KeyChange }, null)
  await addLine(folder, 'publish', pointer, forger)
  point(folder, pointer.SnapshotId, pointer.ManifestSha256)
}

test('a figure forged with all its hashes is found, since the books do not give it', async ({
  folder,
  ids,
  forger,
}) => {
  await forgeAll({ folder, forger }, ids[2], PROFIT, (text) => text.replace(/\b250\.00\b/g, '251.00'))
  assert.ok((await verify(folder)).verified, 'no hash gives it away')
  const verification = await verify(folder, true)
  const [damage] = verification.companies[0]!.snapshots[2]!.damages
  assert.is(verification.verified, false)
  assert.is(damage!.kind, 'figures')
  assert.is(damage!.path, PROFIT)
  assert.match(damage!.message, /Sales in 2025-02 is published as 251, the books give 250/)
})

const DIVIDE = 'of the postings that divide closing entries'
const OF_NO_ENTRY = 'of the postings are of a kind that no entry here gives them'

test('postings that the program seems to have booked, but of no entry that gives them, are found', async ({
  folder,
  ids,
  forger,
}) => {
  const pair = (kind: string, tx: string, account: string) =>
    `(900, '${kind}', -5, 'sales', '${tx}'), (901, '${kind}', 5, '${account}', '${tx}')`
  for (const [type, rows, says] of [
    [
      'divided closing',
      "(900, 'closing-prior', -5, 'sales', NULL), (901, 'closing-current', 5, 'sales', NULL)",
      `2 ${DIVIDE}`,
    ],
    [
      'divided closing',
      "(900, 'closing-prior', -5, 'sales', NULL), (901, 'closing-current', 5, 'rent', NULL)",
      `4 ${DIVIDE}`,
    ],
    ['rounding', pair('activity', 'of nothing', 'bank'), `2 ${OF_NO_ENTRY}`],
    ['implied closing', pair('closing-prior', 'closing', 'capital'), `4 ${OF_NO_ENTRY}`],
    ['', pair('closing-current', 'on account', 'bank'), `6 ${OF_NO_ENTRY}`],
    ['', pair('transfer', 'moved', 'bank'), `8 ${OF_NO_ENTRY}`],
  ] as const) {
    const path = 'books/postings.parquet'
    const id = (await verify(folder)).companies[0]!.current ?? ids[2]
    await forgeAll({ folder, forger }, id, path, async () => {
      const db = await openDatabase({ folders: null })
      const file = `'${join(folder, id, path)}'`
      await db.run(`CREATE TABLE t AS FROM ${file};
        COPY (FROM t UNION ALL BY NAME SELECT t.* REPLACE (v.seq AS seq, v.kind AS kind, v.amount AS amount, v.account AS account,
            coalesce(v.tx, t.transaction_id) AS transaction_id, NULL AS line_id, '${type}' AS type, 'rounding difference of the entry' AS memo)
          FROM t, (VALUES ${rows}) AS v(seq, kind, amount, account, tx) WHERE t.seq = 3 ORDER BY seq) TO ${file} (FORMAT parquet)`)
      db.close()
      return readFileSync(join(folder, id, path))
    })
    const damages = (await verify(folder, true)).companies[0]!.snapshots.at(-1)!.damages
    assert.ok(
      damages.some(({ message }) => message.startsWith(says)),
      damages.map(({ message }) => message).join('\n'),
    )
  }
})

const PAGE = reportPath('accrual/all/profit-loss.html')

test('a page forged, added or left out with all its hashes is found, since the statements do not give it', async ({
  folder,
  ids,
  forger,
  known,
}) => {
  await forgeAll({ folder, forger }, ids[2], PAGE, (text) => text.replaceAll('250', '251'))
  assert.ok((await verify(folder)).verified, 'no hash gives it away')
  const pageDamages = async (keys: ReadonlySet<string> | null = null) =>
    (await verify(folder, true, keys)).companies[0]!.snapshots.at(-1)!
  const message = `${PAGE} does not show what the statements give`
  assert.equal(
    (await pageDamages()).damages.map((damage) => damage.message),
    [message],
  )
  const { damages: ofStranger } = await pageDamages(known)
  assert.equal(
    ofStranger.map(({ kind }) => kind),
    ['foreign-key', 'figures'],
    'beside a key that is not known',
  )
  const { current } = (await verify(folder)).companies[0]!
  // Under another program's name its figures are held against the documents as well.
  const named = await forge(folder, current!, forger, (manifest) => ({
    ...manifest,
    ...ofAnotherProgram(manifest),
  }))
  await reenter(folder, { SnapshotId: current!, ManifestSha256: named }, forger)
  for (const keys of [new Set([forger.keyId]), null]) {
    const { damages, readings } = await pageDamages(keys)
    assert.is((keys === null ? readings : damages).length, 0, 'nothing vouches for what the manifest says')
    const [found] = keys === null ? damages : readings
    assert.match(found!.message, /is not what the documents give/)
  }
  const EXTRA = reportPath('accrual/all/summary.html')
  renameSync(join(folder, current!, PAGE), join(folder, current!, EXTRA))
  const moved = await forge(folder, current!, forger, (manifest) => ({
    ...manifest,
    Tool: manifestOf(folder, ids[1]).Tool,
    Build: { ...manifest.Build, Program: manifestOf(folder, ids[1]).Build.Program! },
    Files: manifest.Files.map((file) => (file.Path === PAGE ? { ...file, Path: EXTRA } : file)).sort(
      (one, other) => (one.Path < other.Path ? -1 : 1),
    ),
  }))
  await reenter(folder, { SnapshotId: current!, ManifestSha256: moved }, forger)
  assert.equal(
    (await pageDamages()).damages.map(({ message }) => message),
    [
      `${EXTRA} was published, but such a snapshot has no such page`,
      `${PAGE} was not published, although such a snapshot has that page`,
    ],
  )
  rmSync(join(folder, current!, REPORT), { recursive: true })
  const without = await forge(folder, current!, forger, (manifest) => ({
    ...manifest,
    ...ofAnotherProgram(manifest),
    Files: manifest.Files.filter(({ Path }) => !isReport(Path)),
  }))
  await reenter(folder, { SnapshotId: current!, ManifestSha256: without }, forger)
  const { damages, notes } = await pageDamages()
  assert.equal([...damages, ...notes.filter((note) => note.includes('pages'))], [], 'as of version 1.0')
})

test('a manifest that leaves the books out, or states another tie-out', async ({ folder, ids, forger }) => {
  await forgeAll({ folder, forger }, ids[2], 'tie-outs.json', (text) =>
    text.replace('"Checks":', '"Checks":1'),
  )
  const [changed] = (await verify(folder, true)).companies[0]!.snapshots.at(-1)!.damages
  assert.is(changed!.path, 'tie-outs.json')
  const current = (await verify(folder)).companies[0]!.current!
  const hash = await forge(folder, current, forger, (manifest) => ({
    ...manifest,
    Files: manifest.Files.filter(({ Path }) => Path !== 'books/postings.parquet'),
  }))
  rmSync(join(folder, current, 'books/postings.parquet'))
  await reenter(folder, { SnapshotId: current, ManifestSha256: hash }, forger)
  const kinds = damagesOf(await verify(folder, true))
  assert.ok(kinds.includes(`books ${current} ${MANIFEST}`), kinds.join('\n'))
})

test('another program may word a document differently, where its key vouches for the manifest', async ({
  folder,
  ids,
  forger,
}) => {
  const known = new Set([forger.keyId])
  const last = async (keys: ReadonlySet<string> | null) =>
    (await verify(folder, true, keys)).companies[0]!.snapshots.at(-1)!
  await forgeAll({ folder, forger }, ids[2], INFO, (text) => `${text}\n`)
  const current = (await verify(folder)).companies[0]!.current!
  assert.is((await last(known)).damages.length, 1, 'this program words it as the books give it')
  const hash = await forge(folder, current, forger, (manifest) => ({
    ...manifest,
    ...ofAnotherProgram(manifest),
  }))
  await reenter(folder, { SnapshotId: current, ManifestSha256: hash }, forger)
  const vouched = await last(known)
  assert.equal(vouched.damages, [])
  assert.match(
    vouched.notes.join('\n'),
    /made by Tieout \S+; this is Tieout .*\n.*info\.json differs in wording/s,
  )
  // Whoever forges a document would name another program, too.
  assert.match(
    (await last(null)).damages[0]!.message,
    /names another program than this one, which nothing proves/,
  )
  // Several are counted, with one of them as the example.
  for (const path of ['classes.json', 'departments.json', 'budgets.json'])
    await forgeAll(
      { folder, forger },
      (await verify(folder)).companies[0]!.current!,
      path,
      (text) => `${text}\n`,
    )
  const { notes } = await last(known)
  assert.is(notes.length, 2, notes.join('\n'))
  assert.match(
    notes[1]!,
    /: 4 documents differ in wording from what the books give, and no figure differs; one of them: \w+\.json/,
  )
})
