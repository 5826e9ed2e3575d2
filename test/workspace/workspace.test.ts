/** tieout.yaml: found from any folder inside the workspace; mistakes with their line. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { FindingsError } from '../../builder/workspace/findings/finding.ts'
import { listCompanies, openWorkspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'

const test = suite('tieout.yaml')

function inFolder<T>(tieout: string | null, look: (root: string) => T): T {
  const root = mkdtempSync(join(tmpdir(), 'tieout-workspace-'))
  if (tieout !== null) writeFileSync(join(root, 'tieout.yaml'), tieout)
  return look(root)
}

const mistakes = (tieout: string | null): string[] =>
  inFolder(tieout, (root) => {
    try {
      openWorkspace(root)
      return []
    } catch (problem) {
      if (!(problem instanceof FindingsError)) throw problem
      return problem.findings.map(({ code, file, row, column }) => `${file}:${row} ${column}: ${code}`)
    }
  })

test('is found from a folder inside, and an empty one has defaults', () => {
  inFolder('', (root) => {
    mkdirSync(join(root, 'a/b'), { recursive: true })
    const workspace = openWorkspace(join(root, 'a/b'))
    assert.is(workspace.root, root)
    assert.is(workspace.datasets, join(root, 'datasets'))
    assert.is(workspace.server.issuer, 'http://127.0.0.1:8080')
  })
})

test('no workspace is a finding', () => {
  assert.equal(mistakes(null), ['null:null null: no-workspace'])
})

test('all mistakes at once, each with its line', () => {
  assert.equal(
    mistakes(`dataset: x
snapshots: ""
server:
  host: 127.0.0.1
  port: 99999
  issuer: https://example.com/?q
  pinSeconds: 0
`).sort(),
    [
      'tieout.yaml:1 dataset: unknown-key',
      'tieout.yaml:2 snapshots: invalid-setting',
      'tieout.yaml:5 server.port: invalid-setting',
      'tieout.yaml:6 server.issuer: invalid-setting',
      'tieout.yaml:7 server.pinSeconds: invalid-setting',
    ],
  )
})

test('credentials in the command of the engine are refused, and not repeated', () => {
  const said = (...command: string[]): string =>
    inFolder(`engine: { command: ${JSON.stringify(['spark-sql', ...command])} }\n`, (root) => {
      try {
        openWorkspace(root)
        return ''
      } catch (problem) {
        assert.instance(problem, FindingsError)
        return JSON.stringify((problem as FindingsError).findings)
      }
    })
  for (const refused of [
    ['--conf', 'spark.hadoop.fs.s3a.secret.key=hunter2'],
    ['--conf', 'spark.hadoop.fs.s3a.access.key=hunter2'],
    ['--conf=spark.hadoop.fs.s3a.session.token=hunter2'],
    ['--conf', 'spark.ssl.keyPassword=hunter2'],
    ['--conf', 'spark.authenticate.secret=hunter2'],
    ['--conf', 'spark.executorEnv.AWS_SECRET_ACCESS_KEY=hunter2'],
    ['--conf', 'spark.hadoop.fs.azure.account.key.lake.dfs.core.windows.net=hunter2'],
    ['--password', 'hunter2'],
  ]) {
    assert.match(said(...refused), /holds a credential.*configuration of Spark/, refused.join(' '))
    assert.not.match(said(...refused), /hunter2/)
  }
  for (const fine of [
    ['--master', 'spark://master:7077', '--keytab', '/etc/tieout.keytab', '--principal', 'tieout'],
    ['--conf', 'spark.kubernetes.driver.secretKeyRef.AWS_SECRET_ACCESS_KEY=aws:key'],
    ['--conf', 'spark.kubernetes.executor.secrets.lake-password=/etc/secrets'],
    ['--conf', 'spark.kubernetes.authenticate.oauthTokenFile=/var/run/token'],
    ['--conf', 'spark.hadoop.fs.s3a.aws.credentials.provider=org.example.Chain'],
    ['-f', '{sql}'],
  ])
    assert.is(said(...fine), '', fine.join(' '))
})

test('companies are the folders with a company.yaml', () => {
  inFolder('datasets: data\n', (root) => {
    for (const name of ['b', 'a', 'empty']) mkdirSync(join(root, 'data', name), { recursive: true })
    for (const name of ['b', 'a']) writeFileSync(join(root, 'data', name, 'company.yaml'), '')
    assert.equal(listCompanies(openWorkspace(root)), ['a', 'b'])
  })
})
