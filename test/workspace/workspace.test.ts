/** tieout.yaml: found from any folder inside the workspace; mistakes with their line. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { FindingsError } from '../../builder/workspace/finding.ts'
import { listCompanies, openWorkspace } from '../../builder/workspace/workspace.ts'

const test = suite('tieout.yaml')

function inFolder<T>(tieout: string | null, look: (root: string) => T): T {
  const root = mkdtempSync(join(tmpdir(), 'tieout-workspace-'))
  try {
    if (tieout !== null) writeFileSync(join(root, 'tieout.yaml'), tieout)
    return look(root)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
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

test('companies are the folders with a company.yaml', () => {
  inFolder('datasets: data\n', (root) => {
    for (const name of ['b', 'a', 'empty']) mkdirSync(join(root, 'data', name), { recursive: true })
    for (const name of ['b', 'a']) writeFileSync(join(root, 'data', name, 'company.yaml'), '')
    assert.equal(listCompanies(openWorkspace(root)), ['a', 'b'])
  })
})

test.run()
