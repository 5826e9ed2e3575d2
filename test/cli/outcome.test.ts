/** Exit codes, what goes to stdout and what to stderr, JSON, colours, and how findings look. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { badCompany, goodCompany, inFolder, inWorkspaceOf, MAIN, tieout } from './command.ts'

const exits = suite('exit codes')

exits('0 for help and version, and help has an example', async () => {
  const commands = [
    ['init'],
    ['add'],
    ['check'],
    ['build'],
    ['serve'],
    ['start'],
    ['snapshots', 'list'],
    ['user', 'add'],
    ['user', 'set-password'],
    ['user', 'set-companies'],
    ['client', 'add'],
    ['client', 'new-secret'],
    ['token'],
  ]
  await inFolder(async (cwd) => {
    assert.match((await tieout(['--version'], { cwd })).out, /^\d+\.\d+\.\d+\+[0-9a-f]{8}\n$/)
    assert.is((await tieout(['--help'], { cwd })).code, 0)
    const helps = await Promise.all(commands.map((command) => tieout([...command, '--help'], { cwd })))
    for (const [i, { code, out }] of helps.entries()) {
      assert.is(code, 0)
      assert.match(out, new RegExp(`\\$ tieout ${commands[i]!.join(' ')}`))
    }
  })
})

exits('1 with a sentence and no stack where the machine says no; --debug shows the stack', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    writeFileSync(join(cwd, 'snapshots'), 'a file where the folder should be')
    const { code, out, err } = await tieout(['build'], { cwd })
    assert.is(code, 1)
    assert.match(out, /acme failed: .*snapshots/)
    assert.not.match(out + err, /\n {4}at /)
    assert.match((await tieout(['build', '--debug'], { cwd })).err, /\n {4}at /)
  }),
)

exits('1 while another process builds the company', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    assert.is((await tieout(['build'], { cwd })).code, 0)
    const { hostname } = await import('node:os')
    writeFileSync(join(cwd, 'snapshots/acme/.lock'), JSON.stringify({ pid: process.pid, host: hostname() }))
    const { code, out } = await tieout(['build'], { cwd })
    assert.is(code, 1)
    assert.match(out, new RegExp(`process ${process.pid} .*is building this company`))
    const json = JSON.parse((await tieout(['build', '--json'], { cwd })).out)
    assert.is(json.companies[0].outcome, 'failed')
    assert.is(json.companies[0].error.code, 'locked')
  }),
)

const output = suite('output')

output('--json is one document with all findings, and nothing else on stdout or stderr', () =>
  inWorkspaceOf({ acme: goodCompany('acme'), broken: badCompany('broken') }, async (cwd) => {
    for (const command of ['check', 'build']) {
      const { code, out, err } = await tieout([command, '--json'], { cwd })
      assert.is(code, 3)
      assert.is(err, '')
      const [acme, broken] = JSON.parse(out).companies
      const keys = [
        'candidate',
        'changes',
        'company',
        'controlsAgreed',
        'coverage',
        'documents',
        'error',
        'findings',
        'logHead',
        'outcome',
        'postings',
        'reportsAgreed',
        'restatement',
        'rolledBackFrom',
        'seconds',
        'snapshotId',
        'tieOuts',
        'transactions',
      ]
      for (const each of [acme, broken]) assert.equal(Object.keys(each).sort(), keys)
      assert.is(broken.outcome, 'refused')
      for (const finding of broken.findings)
        assert.equal(Object.keys(finding).sort(), [
          'code',
          'column',
          'file',
          'ledgerText',
          'message',
          'remedy',
          'row',
          'severity',
          'text',
        ])
      assert.ok(acme.tieOuts.length > 0)
    }
    const list = JSON.parse((await tieout(['snapshots', 'list', '--json'], { cwd })).out)
    assert.is(list.companies[0].snapshots[0].current, true)
  }),
)

output('steps are plain lines on stderr where that is no terminal', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    const { err } = await tieout(['build'], { cwd })
    assert.equal(err.trimEnd().split('\n'), [
      'acme: reading the exports',
      'acme: checking the books',
      'acme: composing statements',
      'acme: publishing',
    ])
  }),
)

output('a colour in a name is shown, and colours nothing, also beside colours of the program', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    const file = join(cwd, 'datasets/acme/company.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^name: .*/m, 'name: "A\\u001b[31mcme\\u001b[0m"'))
    await tieout(['build'], { cwd })
    const { out } = await tieout(['show', 'acme'], { cwd, env: { FORCE_COLOR: '1' } })
    assert.ok(out.includes('\u001b[1m'), 'colours of the program')
    assert.not(out.includes('\u001b[31m'))
    assert.ok(out.includes('A\\u001b[31mcme\\u001b[0m'))
  }),
)

output('colours are asked for by FORCE_COLOR, and NO_COLOR wins', () =>
  inWorkspaceOf({ acme: { 'company.yaml': 'id: acme\n' } }, async (cwd) => {
    const colour = '\u001b['
    const of = async (env: Record<string, string>) => (await tieout(['check'], { cwd, env })).out
    assert.ok((await of({ FORCE_COLOR: '1' })).includes(colour))
    assert.not((await of({ FORCE_COLOR: '1', NO_COLOR: '1' })).includes(colour))
    assert.not((await of({ CI: 'true' })).includes(colour))
  }),
)

/** `count` transactions, each with an account that does not exist. */
const manyErrors = (count: number): string =>
  Array.from({ length: count }, (_, i) => `m${i} 2025-03-01 bank 1.00; m${i} 2025-03-01 gone${i} -1.00`).join(
    ';',
  )

output('a long list is cut after each code, counted, and whole with --verbose and --json', () =>
  inWorkspaceOf({ acme: goodCompany('acme', manyErrors(130)) }, async (cwd) => {
    const shown = (text: string) => text.match(/^error /gm)?.length ?? 0
    const short = await tieout(['check'], { cwd })
    assert.is(shown(short.out), 100)
    assert.match(short.out, /and 30 more unknown-account; --verbose shows all/)
    assert.is(shown((await tieout(['check', '--verbose'], { cwd })).out), 130)
    const json = JSON.parse((await tieout(['check', '--json'], { cwd })).out)
    assert.is(json.companies[0].findings.length, 130)
  }),
)

output('a reader that goes away early is no failure', () =>
  inWorkspaceOf({ acme: goodCompany('acme', manyErrors(130)) }, async (cwd) => {
    const { execa } = await import('execa')
    const { stderr } = await execa({
      cwd,
      shell: true,
      reject: false,
    })`"${process.execPath}" "${MAIN}" check --json | head -c 10`
    assert.not.match(stderr, /EPIPE|\n {4}at /)
  }),
)
