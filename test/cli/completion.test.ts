/** Shells complete what the program itself says: tried in the shells that are here. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { buildIn, CHART, COMPANY, companyYaml, inWorkspace, ledgerCsv } from '../support/workspace.ts'
import { MAIN, tieout } from './command.ts'

const completion = suite('completion')

const FILES = {
  'company.yaml': companyYaml(),
  'chart.csv': CHART,
  'ledger.csv': ledgerCsv('1 2025-01-02 bank 10.00; 1 2025-01-02 sales -10.00'),
}

completion('commands, options, values, companies and snapshots', () =>
  inWorkspace(FILES, async (workspace) => {
    const { result } = await buildIn(workspace, COMPANY)
    const words = async (...typed: string[]) => {
      const { out } = await tieout(['complete', '--', ...typed], { cwd: workspace.root })
      return out.split('\n').filter((word) => word !== '')
    }
    assert.equal(await words('sho'), ['show'])
    assert.ok((await words('')).includes('build') && !(await words('')).includes('complete'))
    assert.equal(await words('show', ''), ['acme'])
    assert.equal(await words('build', 'acme', 'a'), ['acme'], 'several companies')
    assert.equal(await words('show', 'acme', '--state'), ['--statement'])
    assert.equal(await words('show', 'acme', '--statement', 'b'), ['balance-sheet'])
    assert.equal(await words('show', 'acme', '--snapshot', ''), [result.snapshotId])
    assert.equal(await words('use', 'acme', '20'), [result.snapshotId])
    assert.equal(await words('--verbose', 'snapshots', 'lo'), ['log'])
    assert.equal(await words('show', 'acme', '--snapshot'), ['--snapshot'])
    assert.equal(await words('nothing', 'x'), [])
    const elsewhere = await tieout(['complete', '--', 'show', ''], { cwd: tmpdir() })
    assert.equal([elsewhere.code, elsewhere.out.trim()], [0, ''])
  }),
)

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0

/** What each shell does when Tab is pressed after `tieout show acme --statement b`. */
const TRIED: Readonly<Record<string, string>> = {
  bash: `source <(tieout completion bash); COMP_WORDS=(tieout show acme --statement b); COMP_CWORD=4; _tieout; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: `compdef() { :; }; compadd() { print -l "\${(@P)2}"; }; _files() { print files; }; source <(tieout completion zsh); words=(tieout show acme --statement b); CURRENT=5; _tieout`,
  fish: `tieout completion fish | source; complete -C 'tieout show acme --statement b'`,
}
for (const [shell, script] of Object.entries(TRIED))
  if (!has(shell)) process.stdout.write(`completion in ${shell}: skipped, ${shell} is not there\n`)
  else
    completion(`in ${shell}`, () =>
      inWorkspace(FILES, async (workspace) => {
        const folder = mkdtempSync(join(tmpdir(), 'completion-'))
        const program = join(folder, 'tieout')
        writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`)
        chmodSync(program, 0o755)
        const { stdout, stderr } = spawnSync(shell, ['-c', script], {
          cwd: workspace.root,
          encoding: 'utf8',
          env: { ...process.env, HOME: folder, PATH: `${folder}:${process.env.PATH}` },
        })
        assert.is(stdout.trim(), 'balance-sheet', stderr)
      }),
    )
