/** `tieout doctor` of this machine: folders, who can read keys, the port, the clock, a browser. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { goodCompany, inWorkspaceOf, tieout } from './command.ts'

const test = suite('doctor of this machine')

interface Row {
  readonly part: string
  readonly what: string
  readonly outcome: 'holds' | 'warning' | 'fails'
  readonly found: string
  readonly remedy: string | null
}

async function asked(cwd: string, env: Readonly<Record<string, string>> = {}) {
  const { code, out } = await tieout(['doctor', '--json'], { cwd, env })
  const { checks } = JSON.parse(out) as { checks: Row[] }
  return { code, of: (what: string) => checks.find((row) => row.part === 'machine' && row.what === what)! }
}

const inWorkspace = (run: (cwd: string) => Promise<void>) => inWorkspaceOf({ acme: goodCompany('acme') }, run)

test('a workspace that was built holds; the table names program, folders, disks, port and clock', () =>
  inWorkspace(async (cwd) => {
    writeFileSync(join(cwd, 'tieout.yaml'), 'server: { port: 0 }\n')
    assert.is((await tieout(['build'], { cwd })).code, 0)
    const { code, of } = await asked(cwd)
    assert.is(code, 0)
    for (const what of ['program', 'datasets', 'snapshots', 'state', 'private files', 'port', 'clock'])
      assert.is(of(what).outcome, 'holds', what)
    assert.match(of('program').found, /^Tieout \d+\.\d+\.\d+\+[0-9a-f]{8} on Node v\d+/)
    assert.match(of('disk of the snapshots').found, /B( and [\d,]+ files)? free$/)
    assert.match((await tieout(['doctor'], { cwd })).out, /machine +private files +holds/)
  }))

test('a key that others can read fails, with the command that mends it', () =>
  inWorkspace(async (cwd) => {
    await tieout(['build'], { cwd })
    chmodSync(join(cwd, '.tieout/manifest-keys.json'), 0o644)
    assert.is((await asked(cwd)).of('private files').outcome, 'holds', 'nobody else can enter its folder')
    chmodSync(join(cwd, '.tieout'), 0o755)
    const { code, of } = await asked(cwd)
    assert.is(code, 1)
    assert.match(of('private files').remedy!, /^chmod o-rwx \S+\.tieout \S+manifest-keys\.json$/)
    writeFileSync(join(cwd, 'access.yaml'), 'users: []\n')
    chmodSync(join(cwd, 'access.yaml'), 0o620)
    assert.match((await asked(cwd)).of('access.yaml').remedy!, /^run "chmod 600 \S+access\.yaml"/)
  }))

test('no datasets, a port in use, no browser: warnings', async () => {
  const listening = createServer()
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  try {
    await inWorkspaceOf({}, async (cwd) => {
      const { port } = listening.address() as AddressInfo
      writeFileSync(join(cwd, 'tieout.yaml'), `server: { port: ${port} }\n`)
      const { code, of } = await asked(cwd, { CHROMIUM: join(cwd, 'none') })
      assert.is(code, 0)
      for (const what of ['datasets', 'port', 'browser']) assert.is(of(what).outcome, 'warning', what)
      assert.match(of('port').found, /something listens at 127\.0\.0\.1:/)
      assert.match(of('browser').found, /CHROMIUM names/)
    })
  } finally {
    listening.close()
  }
})

test('a clock that is behind what was published, and a certificate that is none, fail', () =>
  inWorkspace(async (cwd) => {
    await tieout(['build'], { cwd })
    mkdirSync(join(cwd, 'keys'))
    writeFileSync(join(cwd, 'keys/tsa.pem'), 'none')
    writeFileSync(
      join(cwd, 'tieout.yaml'),
      'timestamp: { url: https://tsa.example, certificate: keys/tsa.pem }\n',
    )
    const now = Date.now
    const RealDate = Date
    // The wall clock as of last year.
    globalThis.Date = class extends RealDate {
      constructor(...given: [] | [string | number]) {
        if (given.length === 0) super(now() - 366 * 24 * 60 * 60 * 1000)
        else super(given[0])
      }
    } as DateConstructor
    try {
      const { code, of } = await asked(cwd)
      assert.is(code, 1)
      assert.is(of('clock').remedy, 'set the clock')
      assert.match(of('time stamps').found, /tsa\.pem is no certificate/)
    } finally {
      globalThis.Date = RealDate
    }
  }))
