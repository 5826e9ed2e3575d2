/**
 * What is made of `/openapi.json`: clients that generators of others write compile and read all fourteen endpoints,
 * validators find nothing, and requests that are made of it at random find nothing either.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import * as assert from 'uvu/assert'
import { type RunningServer, startServer } from '../../../serve/server.ts'
import { alike } from '../../seed.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { authorizeUrl, Browser, REDIRECT_URI, redeem, SECRET } from '../oauth/harness.ts'
import { type Client, client } from './client.ts'
import { type BuiltWorkspace, builtWorkspace } from './workspace.ts'

const test = suite('generators')
rememberPasswords(test)

/** The folder with packages of npm in `node_modules` and of Maven in `java`, which `.ci/run` fetches. */
const PEERS = process.env.TIEOUT_GENERATORS ?? ''
const hasModule = async (name: string): Promise<boolean> =>
  (await execa('python3', ['-c', `import ${name}`], { reject: false })).exitCode === 0
const hasPackage = (name: string): boolean => existsSync(join(PEERS, 'node_modules', name))
const hasJava = async (): Promise<boolean> =>
  existsSync(join(PEERS, 'java')) && (await execa('javac', ['-version'], { reject: false })).exitCode === 0

/** A test that is skipped, and says so, where its peer is missing. */
function withPeer(name: string, isThere: boolean, run: () => Promise<void>): void {
  if (isThere) return void test(name, run)
  process.stdout.write(`missing: ${name}\n`)
  test.skip(name, run)
}

let built: BuiltWorkspace
let server: RunningServer
let browser: Browser
let ask: Client
let folder: string
let tokens: { readonly access_token: string; readonly refresh_token: string }
test.before(async () => {
  built = await builtWorkspace()
  server = await startServer(built.workspace)
  browser = new Browser(server.address)
  tokens = await newTokens()
  ask = client(server.address, tokens.access_token)
  folder = mkdtempSync(join(tmpdir(), 'tieout-generators-'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'api.json'), (await ask('/openapi.json')).text)
  if (PEERS !== '') symlinkSync(join(PEERS, 'node_modules'), join(folder, 'node_modules'))
})
test.after(async () => {
  await server.close()
  built.remove()
  rmSync(folder, { recursive: true })
})

async function newTokens() {
  const back = await browser.allow(authorizeUrl(server.address), ['acme', 'solo'])
  return (await redeem(server.address, back.searchParams.get('code')!)).body
}

const run = async (
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string> => {
  // A JVM that lives for seconds spends more on a good compilation than it gains.
  const java = { JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' }
  const done = await execa(command, args, { cwd: folder, env: { ...java, ...env }, all: true, reject: false })
  assert.is(done.exitCode, 0, `${command} ${args.slice(0, 4).join(' ')}\n${done.all?.slice(-6000)}`)
  return done.stdout
}
const peer = (name: string): string => join(PEERS, 'node_modules', name)
const TSC = [
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--target',
  'es2022',
  '--module',
  'esnext',
  '--moduleResolution',
  'bundler',
]
const TSX = fileURLToPath(new URL('../../../node_modules/tsx/dist/loader.mjs', import.meta.url))
const copy = (name: string): void =>
  cpSync(fileURLToPath(new URL(`generated/${name}.txt`, import.meta.url)), join(folder, name))

/** What a program read of each endpoint is what the server answers. */
async function readsAll(command: string, ...args: string[]): Promise<void> {
  const { access_token: ACCESS, refresh_token: REFRESH } = await newTokens()
  const env = { BASE: server.address, ACCESS, REFRESH, SECRET, REDIRECT: REDIRECT_URI }
  const read = JSON.parse((await run(command, args, env)).trim().split('\n').at(-1)!)
  const range = 'StartDate=2025-01-01&EndDate=2025-03-31'
  const of = async (route: string) => (await ask(`/companies/acme/${route}`)).json
  const count = async (list: string) => (await of(list)).Pagination.total
  const total = async (route: string, index: number) =>
    (await of(`${route}?${range}&AccountingBasis=ACCRUAL`)).Summary.at(index).Values[0]
  const { json: metric } = await ask('/companies/acme/non-financial', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ NonFinancialIds: ['units'], StartDate: '2024-01-01', EndDate: '2024-03-31' }),
  })
  assert.equal(read, {
    getOAuthDiscovery: server.address,
    authorize: 303,
    getTokens: 'Bearer',
    getUserInfo: 'ann@example.com',
    getInfo: 'USD',
    getChartOfAccounts: await count('chart-of-accounts'),
    getBudgets: await count('budgets'),
    getClasses: await count('classes'),
    getDepartments: await count('departments'),
    getNonFinancialList: await count('non-financial-list'),
    getNonFinancial: metric.Data[0].Values[0],
    getProfitAndLoss: await total('profit-loss', -1),
    getCashFlow: await total('cash-flow-statement', -1),
    getBalanceSheet: await total('balance-sheet', 0),
  })
  assert.type(read.getNonFinancial, 'number')
}

/** Clients, of which a third is made a day: each must read all endpoints. */
const clients: Parameters<typeof withPeer>[] = []
const madeBy = (...made: Parameters<typeof withPeer>) => void clients.push(made)

madeBy('a client with the types of openapi-typescript', hasPackage('openapi-typescript'), async () => {
  mkdirSync(join(folder, 'types'))
  await run('node', [peer('openapi-typescript/bin/cli.js'), 'api.json', '-o', 'types/api.ts'])
  assert.not.match(
    readFileSync(join(folder, 'types/api.ts'), 'utf8'),
    /components\["schemas"\]\["\w+"\] \| string/,
  )
  copy('types.ts')
  await run('node', [peer('typescript/bin/tsc'), ...TSC, 'types.ts'])
  await readsAll('node', '--import', TSX, 'types.ts')
})

madeBy('a client that @hey-api/openapi-ts writes', hasPackage('@hey-api/openapi-ts'), async () => {
  await run('node', [peer('@hey-api/openapi-ts/bin/run.js'), '-i', 'api.json', '-o', 'sdk'])
  copy('functions.ts')
  await run('node', [peer('typescript/bin/tsc'), ...TSC, 'functions.ts'])
  await readsAll('node', '--import', TSX, 'functions.ts')
})

madeBy('a client that openapi-python-client writes', await hasModule('openapi_python_client'), async () => {
  // Of media types it knows a few, and takes others for one of these where it is told so.
  writeFileSync(
    join(folder, 'python.yaml'),
    'post_hooks: []\ncontent_type_overrides: { application/zip: application/octet-stream }\n',
  )
  const make = ['generate', '--path', 'api.json', '--output-path', 'python', '--config', 'python.yaml']
  await run('python3', ['-m', 'openapi_python_client', ...make, '--fail-on-warning'])
  copy('client.py')
  cpSync(join(folder, 'client.py'), join(folder, 'python/client.py'))
  await readsAll('python3', 'python/client.py')
})

madeBy('a client of Java that openapi-generator writes', await hasJava(), async () => {
  const jars = join(PEERS, 'java', '*')
  const make = ['generate', '-i', 'api.json', '-g', 'java', '--library', 'native', '-o', 'java']
  await run('java', ['-cp', jars, 'org.openapitools.codegen.OpenAPIGenerator', ...make])
  copy('Read.java')
  const sources = (await run('find', ['java/src/main', '-name', '*.java'])).split('\n')
  await run('javac', ['-nowarn', '-d', 'classes', '-cp', jars, ...sources, 'Read.java'])
  await readsAll('java', '-cp', `${jars}:classes`, 'Read')
})

for (const made of alike(clients)) withPeer(...made)

withPeer('redocly finds nothing', hasPackage('@redocly/cli'), async () => {
  const said = await run('node', [peer('@redocly/cli/bin/cli.js'), 'lint', 'api.json', '--format', 'json'])
  assert.equal(JSON.parse(said).totals, { errors: 0, warnings: 0, ignored: 0 })
})

withPeer('openapi-spec-validator finds nothing', await hasModule('openapi_spec_validator'), async () => {
  await run('python3', ['-m', 'openapi_spec_validator', 'api.json'])
})

withPeer('schemathesis finds nothing', await hasModule('schemathesis'), async () => {
  const [snapshot] = (await ask('/companies/acme/snapshots')).json.Data
  writeFileSync(
    join(folder, 'schemathesis.toml'),
    `[parameters]\n"path.CompanyId" = "acme"\n"path.SnapshotId" = "${snapshot.SnapshotId}"\n"path.Path" = "info.json"\n`,
  )
  await run('python3', [
    ...['-m', 'schemathesis.cli', '--config-file', 'schemathesis.toml', 'run', 'api.json'],
    ...['--url', server.address, '-H', `Authorization: Bearer ${tokens.access_token}`],
    ...['--max-examples', '5', '--workers', '1', '--seed', '1', '--no-color'],
    // A client and a return address that are registered, and a code, cannot be made up.
    ...['--exclude-operation-id', 'authorize', '--exclude-operation-id', 'getTokens'],
    // No schema can say that a range ends after it begins, or that an id is one of a list.
    ...['--exclude-checks', 'positive_data_acceptance'],
  ])
})
