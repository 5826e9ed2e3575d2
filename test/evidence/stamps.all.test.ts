/** Time stamps by an authority that openssl plays: fetched, kept, archived, restored, and held against what they are over. */
import { constants, sign } from 'node:crypto'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as asn1 from 'asn1js'
import * as pkijs from 'pkijs'
import * as assert from 'uvu/assert'
import { checkStamp, parseAuthority, type ReadStamp } from '../../builder/snapshot/keys/stamp.ts'
import { goodCompany, type Ran, tieout } from '../cli/command.ts'
import { suite } from '../suite.ts'
import {
  type Authority,
  answering,
  type Handler,
  makeAuthority,
  queryFor,
  revoked,
  StampServer,
} from '../support/authority.ts'
import { missing, openssl } from '../support/openssl.ts'
import { writeFiles } from '../support/workspace.ts'
import { copyOf, pointerTo, snapshotsIn } from './attacker.ts'

interface Context {
  top: string
  authority: Authority
  stranger: Authority
  server: StampServer
  url: string
  cwd: string
  folder: string
  /** A workspace that published one snapshot without a stamp. */
  unstamped: string
}
const test = suite<Context>('time stamps')

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-stamps-'))
  context.authority = makeAuthority(context.top, 'Authority', { rsa: true })
  context.stranger = makeAuthority(context.top, 'Stranger')
  context.server = new StampServer(answering(context.authority))
  context.url = await context.server.open()
  context.unstamped = mkdtempSync(join(context.top, 'unstamped-'))
  const plain = { ...context, cwd: context.unstamped }
  settings(plain, '')
  books(plain, '10.00')
  await run(plain.cwd, 'build')
})
test.after(({ server }) => server.close())
test.before.each((context) => {
  context.server.handler = answering(context.authority)
  context.server.asked.length = 0
  context.cwd = mkdtempSync(join(context.top, 'workspace-'))
  context.folder = join(context.cwd, 'snapshots/acme')
  settings(
    context,
    `timestamp: { url: "${context.url}", certificate: "${context.authority.root}", seconds: 2 }`,
  )
  books(context, '10.00')
})

const settings = ({ cwd }: Context, text: string) => writeFileSync(join(cwd, 'tieout.yaml'), `${text}\n`)
const books = ({ cwd }: Context, rent: string) =>
  writeFiles(
    join(cwd, 'datasets/acme'),
    goodCompany('acme', `3 2025-03-01 rent ${rent}; 3 2025-03-01 bank -${rent}`),
  )
const flat = ({ out, err }: Ran): string => `${out} ${err}`.replace(/\s+/g, ' ')
async function run(cwd: string, ...args: string[]): Promise<string> {
  const ran = await tieout(args, { cwd })
  assert.is(ran.code, 0, `${args.join(' ')}: ${ran.out}${ran.err}`)
  return flat(ran)
}
const stampsIn = (folder: string): string[] =>
  existsSync(join(folder, 'stamps')) ? readdirSync(join(folder, 'stamps')).sort() : []
const stampOf = (folder: string, i = 0): string =>
  join(folder, 'stamps', `${pointerTo(folder, snapshotsIn(folder)[i]!).ManifestSha256}.tsr`)

test('a build fetches one, verification shows it, openssl reads it, an archive takes it along', async (context) => {
  const { cwd, folder, authority, server, stranger, top } = context
  await run(cwd, 'build')
  assert.equal(
    server.asked.map(({ type }) => type),
    ['application/timestamp-query'],
  )
  assert.ok(existsSync(stampOf(folder)))
  const verified = await run(cwd, 'verify', '--files-only')
  assert.match(verified, /1 of 1 manifests is stamped on \d{4}-\S+ by "CN=Authority", policy 1\.2\.3\.4\.1/)
  const [id] = snapshotsIn(folder)
  const data = join(folder, id!, 'manifest.json')
  openssl(cwd, 'ts', '-verify', '-data', data, '-in', stampOf(folder), '-CAfile', authority.root)

  // Built again: nothing is asked for that is there.
  await run(cwd, 'build')
  assert.is(server.asked.length, 1)

  const zip = join(cwd, 'acme.zip')
  await run(cwd, 'archive', 'acme', '--to', zip)
  for (const trusted of [authority.root, authority.own])
    assert.match(
      await run(top, 'verify', zip, '--files-only', '--tsa', trusted),
      /is stamped on \S+ by "CN=Authority"/,
    )
  assert.match(
    await run(top, 'verify', zip, '--files-only'),
    /whether that is who it says, --tsa <certificate\.pem> tells/,
  )
  const other = await tieout(['verify', zip, '--files-only', '--tsa', stranger.root], { cwd: top })
  assert.is(other.code, 1)
  assert.match(
    flat(other),
    /is signed by "CN=Authority", for which the authority that was named does not vouch/,
  )

  const empty = mkdtempSync(join(top, 'empty-'))
  writeFileSync(join(empty, 'tieout.yaml'), '\n')
  await run(empty, 'restore', zip)
  assert.equal(stampsIn(join(empty, 'snapshots/acme')), stampsIn(folder))

  const bag = join(cwd, 'evidence.zip')
  await run(cwd, 'evidence', 'acme', '--from', '2025-01', '--through', '2025-03', '--to', bag)
  assert.match(
    await run(top, 'verify', bag, '--files-only', '--tsa', authority.root),
    /1 of 1 manifests is stamped/,
  )
})

test('taken back with an approval: it has its stamp, and the months that it closed are closed', async (context) => {
  const { cwd, folder, top } = context
  await run(cwd, 'build')
  const other = join(mkdtempSync(join(top, 'other-')), 'workspace')
  cpSync(cwd, other, { recursive: true })
  books(context, '20.00')
  appendFileSync(join(cwd, 'datasets/acme/company.yaml'), 'lockDate: 2025-02-28\n')
  await run(cwd, 'build')
  const zip = join(cwd, 'acme.zip')
  await run(cwd, 'archive', 'acme', '--to', zip)
  const key = join(top, 'ann.pem')
  const made = await tieout(['approvers', 'key', '--to', key, '--json'], { cwd: top })
  const approver = `{ name: Ann, key: ${JSON.parse(made.out).key} }`
  writeFileSync(join(other, 'tieout.yaml'), `approval: required\napprovers: [${approver}]\n`)
  assert.is((await tieout(['restore', zip], { cwd: other })).code, 5)
  await run(other, 'approve', 'acme', '--key', key)
  assert.equal(stampsIn(join(other, 'snapshots/acme')), stampsIn(folder))
  const line = readFileSync(join(other, 'snapshots/acme/log.jsonl'), 'utf8').trimEnd().split('\n').at(-1)!
  assert.match(line, /"Event":"restore".*"ClosedThrough":"2025-02-28"/)
  await run(other, 'verify', 'acme', '--files-only')
})

test('an authority that cannot be reached leaves it unstamped, and is asked again', async (context) => {
  const { cwd, folder, server } = context
  server.handler = (_query, response) => void response.writeHead(500).end()
  const built = await tieout(['build'], { cwd })
  assert.is(built.code, 0, flat(built))
  assert.match(
    flat(built),
    /acme: 1 snapshot is unstamped \(\S+\): the authority at 127\S+ answered with HTTP 500/,
  )
  assert.equal(stampsIn(folder), [])
  assert.match(
    await run(cwd, 'verify', '--files-only'),
    /unstamped: 2025-03-r1-\S+; "tieout snapshots stamp" asks/,
  )
  assert.match(await run(cwd, 'snapshots', 'list'), /acme: unstamped: 2025-03-r1-\S+;/)
  assert.match(
    await run(cwd, 'snapshots', 'log', 'acme'),
    /unstamped: 2025-03-r1-\S+; "tieout snapshots stamp" asks/,
  )
  const failed = await tieout(['snapshots', 'stamp'], { cwd })
  assert.is(failed.code, 1)
  server.handler = answering(context.authority)
  assert.match(await run(cwd, 'snapshots', 'stamp', 'acme'), /1 snapshot was stamped/)
  assert.match(await run(cwd, 'snapshots', 'stamp'), /every snapshot has its time stamp/)
  for (const args of [
    ['verify', '--files-only'],
    ['snapshots', 'list'],
    ['snapshots', 'log', 'acme'],
  ])
    assert.not.match(await run(cwd, ...args), /unstamped/)
})

test('list and log name what is unstamped where there are stamps, also without the setting; else nothing', async (context) => {
  const { cwd } = context
  await run(cwd, 'build')
  settings(context, '')
  books(context, '20.00')
  await run(cwd, 'build')
  const asks = [['list'], ['log', 'acme']]
  for (const ask of asks) {
    assert.match(
      await run(cwd, 'snapshots', ...ask),
      /unstamped: 2025-03-r2-\S+; "tieout snapshots stamp" asks/,
    )
    const { out } = await tieout(['snapshots', ...ask, '--json'], { cwd })
    assert.match(out, /"unstamped": \[\s*"2025-03-r2-[0-9a-f]{6}"\s*\]/)
  }
  rmSync(join(context.folder, 'stamps'), { recursive: true })
  for (const ask of asks) assert.not.match(await run(cwd, 'snapshots', ...ask), /unstamped/)
})

const page = (body: string | Buffer, type = 'application/timestamp-reply'): Handler => {
  return (_query, response) => void response.writeHead(200, { 'content-type': type }).end(body)
}
const ANSWERS: Readonly<Record<string, { handler(context: Context): Handler; says: RegExp }>> = {
  'a redirect': {
    handler: (context) => (query, response, request) =>
      request.url === '/tsr'
        ? void response.writeHead(307, { location: '/else' }).end()
        : answering(context.authority)(query, response, request),
    says: /answered with HTTP 307/,
  },
  'a page': { handler: () => page('<html>', 'text/html'), says: /answered with text\/html instead of/ },
  garbage: { handler: () => page('garbage'), says: /is not an answer of a time-stamping authority/ },
  nothing: { handler: () => page(''), says: /is not an answer of a time-stamping authority/ },
  'no end': {
    handler: () => (_query, response) => {
      response.writeHead(200, { 'content-type': 'application/timestamp-reply' })
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65536)));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    },
    says: /sent more than 262144 bytes/,
  },
  'no answer': { handler: () => () => {}, says: /did not answer within 2 seconds/ },
  'an answer that stops': {
    handler: () => (_query, response) =>
      void response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).write('0'),
    says: /did not answer within 2 seconds/,
  },
  'a hang-up': { handler: () => (_query, response) => void response.destroy(), says: /cannot be reached: / },
  'a stamp of something else': {
    handler: ({ authority, top }) => page(authority.answer(queryFor(top, Buffer.from('other')))),
    says: /is over something else than this manifest/,
  },
  'a stamp for another question': {
    handler:
      ({ authority, top, folder }) =>
      (_query, response, request) => {
        const manifest = readFileSync(join(folder, snapshotsIn(folder)[0]!, 'manifest.json'))
        page(authority.answer(queryFor(top, manifest)))(_query, response, request)
      },
    says: /made for another question \(its nonce differs\)/,
  },
  'a stamp of somebody else': {
    handler: ({ stranger }) => answering(stranger),
    says: /is signed by "CN=Stranger", for which the authority that was named does not vouch/,
  },
}
for (const [name, { handler, says }] of Object.entries(ANSWERS))
  test(`an authority that answers with ${name}: told, and unstamped`, async (context) => {
    const { cwd, folder, server, unstamped } = context
    for (const part of ['.tieout', 'snapshots']) copyOf(join(unstamped, part), join(cwd, part))
    server.handler = handler(context)
    const asked = await tieout(['snapshots', 'stamp', 'acme'], { cwd })
    assert.is(asked.code, 1, flat(asked))
    assert.match(flat(asked), says)
    assert.equal(stampsIn(folder), [])
    assert.is(snapshotsIn(folder).length, 1)
  })

test('stamps exchanged, of nobody, of another authority, or broken: damage', async (context) => {
  const { cwd, folder, authority, stranger, top } = context
  await run(cwd, 'build')
  books(context, '20.00')
  await run(cwd, 'build')
  const cases: Readonly<Record<string, [(copy: string) => void, RegExp]>> = {
    exchanged: [
      (copy) => cpSync(stampOf(copy, 0), stampOf(copy, 1), { force: true }),
      /is over something else/,
    ],
    garbage: [
      (copy) => writeFileSync(stampOf(copy), 'garbage'),
      /is not an answer of a time-stamping authority/,
    ],
    'a bit': [
      (copy) => {
        const answer = readFileSync(stampOf(copy))
        answer[answer.length - 9]! ^= 1
        writeFileSync(stampOf(copy), answer)
      },
      /was changed: its signature does not hold/,
    ],
    'bytes behind it': [
      (copy) => appendFileSync(stampOf(copy), 'more'),
      /is followed by bytes that are no part of it/,
    ],
    'of another authority': [
      (copy) => {
        const manifest = readFileSync(join(copy, snapshotsIn(copy)[0]!, 'manifest.json'))
        writeFileSync(stampOf(copy), stranger.answer(queryFor(top, manifest)))
      },
      /for which the authority that was named does not vouch/,
    ],
  }
  for (const [name, [act, says]] of Object.entries(cases)) {
    const copy = copyOf(folder, join(mkdtempSync(join(top, 'case-')), 'acme'))
    act(copy)
    const found = await tieout(['verify', copy, '--files-only', '--tsa', authority.root], { cwd: top })
    assert.is(found.code, 1, `${name}: ${flat(found)}`)
    assert.match(flat(found), says)
  }
  const copy = copyOf(folder, join(mkdtempSync(join(top, 'case-')), 'acme'))
  rmSync(stampOf(copy))
  writeFileSync(join(copy, 'stamps', 'note.txt'), 'stray')
  const missing = await run(top, 'verify', copy, '--files-only', '--tsa', authority.root)
  assert.match(missing, /unstamped: 2025-03-r1/)
  assert.match(missing, /stamps\/note\.txt is no time stamp of a manifest here/)
})

const MANIFEST = Buffer.from('{"a manifest":1}')
const judged = (answer: Buffer, pem: string | null): Promise<ReadStamp> =>
  checkStamp(answer, MANIFEST, pem === null ? null : parseAuthority(readFileSync(pem, 'utf8')))

test('elliptic curves; the certificate of the authority itself, or of its root', async ({
  stranger,
  top,
  authority,
}) => {
  const answer = stranger.answer(queryFor(top, MANIFEST))
  for (const pem of [stranger.root, stranger.own, null])
    assert.is((await judged(answer, pem)).stamp?.by, 'CN=Stranger')
  assert.match((await judged(answer, authority.own)).problem!, /does not vouch/)
})

test('a certificate that is not for time stamps, or for more than that', async ({ top }) => {
  for (const [name, extensions] of [
    ['Server', 'extendedKeyUsage=critical,serverAuth\n'],
    ['Both', 'extendedKeyUsage=critical,timeStamping,serverAuth\n'],
    ['Harmless', 'extendedKeyUsage=timeStamping\n'],
    ['Plain', 'basicConstraints=CA:FALSE\n'],
  ] as const) {
    // openssl refuses to stamp with it: the certificate is exchanged afterwards, for the same key and number.
    const made = makeAuthority(top, name)
    const serial = openssl(made.folder, 'x509', '-in', 'tsa.crt', '-noout', '-serial')
      .toString()
      .trim()
      .split('=')[1]!
    writeFileSync(join(made.folder, 'extensions'), extensions)
    openssl(
      made.folder,
      ...[
        'x509',
        '-req',
        '-in',
        'tsa.csr',
        '-CA',
        'ca.crt',
        '-CAkey',
        'ca.key',
        '-set_serial',
        `0x${serial}`,
      ],
      ...['-extfile', 'extensions', '-out', 'wrong.crt', '-days', '30'],
    )
    const query = openssl(made.folder, 'ts', '-query', '-digest', hashOf(MANIFEST), '-sha256')
    const answer = made.answer(query)
    assert.match((await judged(answer, join(made.folder, 'wrong.crt'))).problem!, /not for time stamps/, name)
    assert.is(
      (await judged(answer, made.own)).problem,
      null,
      'without certificates it is judged by the named one',
    )
  }
})

test('a stamp stays valid when the certificate has expired since; one from outside its time does not count', async ({
  top,
}) => {
  const brief = makeAuthority(top, 'Brief', { valid: ['-days', '1'] })
  const answer = brief.answer(queryFor(top, MANIFEST))
  const later = Date.now() + 400 * 24 * 60 * 60 * 1000
  const now = Date.now
  Date.now = () => later
  try {
    assert.is((await judged(answer, brief.root)).problem, null)
  } finally {
    Date.now = now
  }
  const past = makeAuthority(top, 'Past', { valid: ['-days', '-1'] })
  const late = await judged(past.answer(queryFor(top, MANIFEST)), past.root)
  assert.match(late.problem!, /when the certificate of the authority was not valid/)
})

test('a certificate that was revoked: every stamp where its key may be known to others, else those made after', async ({
  top,
  authority,
  stranger,
}) => {
  const answer = authority.answer(queryFor(top, MANIFEST))
  const problem = async (pem: string) => (await judged(answer, pem)).problem
  for (const [hours, reason] of [
    [1, ''],
    [-1, ''],
    [-1, 'keyCompromise'],
    [1, 'superseded'],
    [1, 'cessationOfOperation'],
  ] as const)
    assert.match(
      (await problem(revoked(authority, hours, reason)))!,
      /"CN=Authority", whose certificate was revoked on \d{4}/,
      `${hours} ${reason}`,
    )
  assert.is(await problem(revoked(authority, -1, 'superseded')), null)
  assert.is(await problem(revoked(authority, -1, 'affiliationChanged')), null)
  // A list of somebody else, or one that its issuer did not sign, says nothing.
  const foreign = readFileSync(revoked(stranger, 1), 'utf8').split(/(?=-----BEGIN X509 CRL)/)[1]!
  const mixed = join(top, 'mixed.pem')
  writeFileSync(mixed, readFileSync(authority.root, 'utf8') + foreign)
  assert.is(await problem(mixed), null)
})

test('a signature over SHA-1: not taken from an authority, and said of a stamp that is there', async (context) => {
  const { cwd, folder, server, top } = context
  const weak = makeAuthority(top, 'Weak', { rsa: true, digest: 'sha1' })
  settings(context, `timestamp: { url: "${context.url}", certificate: "${weak.root}", seconds: 2 }`)
  server.handler = answering(weak)
  const built = await tieout(['build'], { cwd })
  assert.match(flat(built), /whose signature rests on SHA-1, which can be forged/)
  assert.equal(stampsIn(folder), [])
  // As an earlier version kept it.
  const manifest = readFileSync(join(folder, snapshotsIn(folder)[0]!, 'manifest.json'))
  mkdirSync(join(folder, 'stamps'))
  writeFileSync(stampOf(folder), weak.answer(queryFor(top, manifest)))
  const found = await run(cwd, 'verify', '--files-only', '--tsa', weak.root)
  assert.match(
    found,
    /stamps\/\S+, the time stamp of 2025-03-r1-\S+, proves nothing: its signature rests on SHA-1/,
  )
  assert.not.match(found, /manifests is stamped/)
})

test('a signature by RSA-PSS rests on the hash that its parameters name, SHA-1 where they name none', async ({
  top,
  authority,
}) => {
  const key = readFileSync(join(authority.folder, 'tsa.key'), 'utf8')
  const signedBy = (hash: 'sha1' | 'sha256', parameters: pkijs.RSASSAPSSParams): Buffer => {
    const response = pkijs.TimeStampResp.fromBER(
      new Uint8Array(authority.answer(queryFor(top, MANIFEST))).buffer,
    )
    const signed = new pkijs.SignedData({ schema: response.timeStampToken!.content })
    const [signer] = signed.signerInfos
    const padding = constants.RSA_PKCS1_PSS_PADDING
    const { saltLength } = parameters
    const value = sign(hash, Buffer.from(signer!.signedAttrs!.encodedValue), { key, padding, saltLength })
    signer!.signatureAlgorithm = new pkijs.AlgorithmIdentifier({
      algorithmId: '1.2.840.113549.1.1.10',
      algorithmParams: parameters.toSchema(),
    })
    signer!.signature = new asn1.OctetString({ valueHex: new Uint8Array(value).buffer })
    response.timeStampToken!.content = signed.toSchema(true)
    return Buffer.from(response.toSchema().toBER())
  }
  const sha256 = new pkijs.AlgorithmIdentifier({ algorithmId: '2.16.840.1.101.3.4.2.1' })
  const strong = new pkijs.RSASSAPSSParams({
    hashAlgorithm: sha256,
    maskGenAlgorithm: new pkijs.AlgorithmIdentifier({
      algorithmId: '1.2.840.113549.1.1.8',
      algorithmParams: sha256.toSchema(),
    }),
    saltLength: 32,
  })
  for (const [answer, forgeable] of [
    [signedBy('sha1', new pkijs.RSASSAPSSParams()), 'SHA-1'],
    [signedBy('sha256', strong), null],
  ] as const) {
    const { stamp, problem } = await judged(answer, authority.root)
    assert.is(problem, null)
    assert.is(stamp?.forgeable, forgeable)
  }
})

test('the policy is asked for, and said; a stamp by another one is not taken', async (context) => {
  const { cwd, server, authority } = context
  const asking = (policy: string) =>
    settings(
      context,
      `timestamp: { url: "${context.url}", certificate: "${authority.root}", seconds: 2, policy: ${policy} }`,
    )
  asking('1.2.3.4.2')
  assert.match(flat(await tieout(['build'], { cwd })), /was refused by the authority/)
  // An authority that stamps by its own policy, whatever is asked.
  server.handler = (query, response, request) => {
    const asked = pkijs.TimeStampReq.fromBER(new Uint8Array(query).buffer)
    delete asked.reqPolicy
    answering(authority)(Buffer.from(asked.toSchema().toBER()), response, request)
  }
  assert.match(
    flat(await tieout(['snapshots', 'stamp'], { cwd })),
    /by policy 1\.2\.3\.4\.1, not by 1\.2\.3\.4\.2/,
  )
  asking('1.2.3.4.1')
  server.handler = answering(authority)
  await run(cwd, 'snapshots', 'stamp')
  assert.match(
    await run(cwd, 'verify', '--files-only'),
    /stamped on \S+ by "CN=Authority", policy 1\.2\.3\.4\.1/,
  )
})

test('a stamp of a day that has not come is damage; one from before the time that the log states is said', async (context) => {
  const { cwd, folder } = context
  await run(cwd, 'build')
  const now = Date.now
  Date.now = () => now() - 40 * 24 * 60 * 60 * 1000
  try {
    const found = await tieout(['verify', '--files-only'], { cwd })
    assert.is(found.code, 1)
    assert.match(flat(found), /the time stamp of 2025-03-r1-\S+, is of \S+, a day that has not come here/)
  } finally {
    Date.now = now
  }
  assert.ok(existsSync(stampOf(folder)))
})

test('a query that the authority refuses', async ({ authority, top }) => {
  const data = mkdtempSync(join(top, 'sha1-'))
  const query = openssl(data, 'ts', '-query', '-digest', 'a'.repeat(128), '-sha512')
  assert.match(
    (await judged(authority.answer(query), authority.root)).problem!,
    /was refused by the authority/,
  )
})

const hashOf = (bytes: Buffer): string => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-hash-'))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'data'), bytes)
  const text = openssl(folder, 'dgst', '-sha256', '-r', 'data').toString().slice(0, 64)
  rmSync(folder, { recursive: true })
  return text
}

test.needs(missing)
