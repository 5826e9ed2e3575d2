/** Exit codes, what goes to stdout and what to stderr, JSON, colours, and how findings look. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { badCompany, goodCompany, inFolder, inWorkspaceOf, MAIN, tieout } from './command.ts'

const exits = suite('exit codes')

const WRONG_USAGE: [what: string, args: string[]][] = [
  ['no command', []],
  ['an unknown command', ['biuld']],
  ['an unknown option', ['build', '--fast']],
  ['a missing argument', ['add']],
  ['a missing option', ['user', 'add', 'ann@example.com']],
  ['a port that is none', ['serve', '--port', '70000']],
  ['minutes that are none', ['token', '--user', 'a@b.c', '--client', 'x', '--minutes', '0']],
  ['a company that is none', ['build', 'nobody']],
  ['nothing published of a company', ['snapshots', 'list', 'nobody']],
  ['too many arguments', ['init', 'a', 'b']],
]
exits('2 for wrong usage', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    for (const [what, args] of WRONG_USAGE) {
      const { code, out, err } = await tieout(args, { cwd })
      assert.is(code, 2, `${what}: ${out}${err}`)
      assert.is(out, '', what)
      assert.match(err, /^error {4}\S|^Usage/, what)
    }
  }),
)

exits('3 outside of a workspace, with what would mend it; with --json a failure is a document too', () =>
  inFolder(async (cwd) => {
    const { code, err } = await tieout(['build'], { cwd })
    assert.is(code, 3)
    assert.match(err, /tieout init/)
    const usage = await tieout(['build', '--fast', '--json'], { cwd })
    assert.is(usage.code, 2)
    assert.is(JSON.parse(usage.out).error.code, 'usage')
    const input = await tieout(['build', '--json'], { cwd })
    assert.is(input.code, 3)
    assert.is(JSON.parse(input.out).error.findings[0].code, 'no-workspace')
  }),
)

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

exits('1 where a snapshot was damaged, and its name', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    await tieout(['build'], { cwd })
    const folder = readdirSync(join(cwd, 'snapshots/acme')).find((name) => name.startsWith('2025-'))!
    const { chmodSync } = await import('node:fs')
    const path = join(cwd, 'snapshots/acme', folder, 'manifest.json')
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    chmodSync(path, 0o644)
    writeFileSync(path, JSON.stringify({ ...manifest, CompanyId: 'other' }))
    const { code, err } = await tieout(['snapshots', 'list'], { cwd })
    assert.is(code, 1)
    assert.match(err, new RegExp(folder))
    assert.not.match(err, /\n {4}at /)
  }),
)

const several = suite('several companies')

several('one that is refused does not stop the others; the exit code is the worst', () =>
  inWorkspaceOf(
    { acme: goodCompany('acme'), broken: badCompany('broken'), zeta: goodCompany('zeta') },
    async (cwd) => {
      const { code, out } = await tieout(['build'], { cwd })
      assert.is(code, 3)
      assert.match(out, /acme +published/)
      assert.match(out, /broken +refused/)
      assert.match(out, /zeta +published/)
      assert.not(existsSync(join(cwd, 'snapshots/broken/current.json')))
      assert.is((await tieout(['build', 'zeta', 'acme'], { cwd })).code, 0)
    },
  ),
)

several('a company that breaks keeps its current snapshot', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    await tieout(['build'], { cwd })
    const folder = join(cwd, 'snapshots/acme')
    const before = [readdirSync(folder).sort(), readFileSync(join(folder, 'current.json'), 'utf8')]
    writeFileSync(join(cwd, 'datasets/acme/ledger.csv'), badCompany('acme')['ledger.csv']!)
    assert.is((await tieout(['build'], { cwd })).code, 3)
    assert.equal([readdirSync(folder).sort(), readFileSync(join(folder, 'current.json'), 'utf8')], before)
  }),
)

const output = suite('output')

output('findings name file and row, column, the text found and what to fix', () =>
  inWorkspaceOf({ broken: badCompany('broken') }, async (cwd) => {
    const { code, out } = await tieout(['check'], { cwd })
    assert.is(code, 3)
    assert.match(out, /^error {4}datasets\/broken\/ledger\.csv:6, column amount$/m)
    assert.match(out, /^ {2}found {2}12\.5x$/m)
    assert.match(out, /^ {2}to fix {1}\S/m)
    assert.match(out, /datasets\/broken\/ledger\.csv:7, column account/)
    assert.match(out, /found {2}nowhere/)
    assert.not(out.includes('\u001b'), 'no colours in a pipe')
  }),
)

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

output('a company with a damaged snapshot is a line of the list, and the others are listed', () =>
  inWorkspaceOf({ acme: goodCompany('acme'), bolt: goodCompany('bolt') }, async (cwd) => {
    await tieout(['build'], { cwd })
    mkdirSync(join(cwd, 'snapshots/acme/2031-01-r1-000000'))
    const { code, out, err } = await tieout(['snapshots', 'list'], { cwd })
    assert.is(code, 1)
    assert.match(out, /^bolt +2\d{3}-\d\d-r1-\S+ +current/m)
    assert.match(err, /^error +acme: .*2031-01-r1-000000/m)
    const { companies } = JSON.parse((await tieout(['snapshots', 'list', '--json'], { cwd })).out)
    assert.equal(
      companies.map(({ snapshots, problem }: never) => [(snapshots as []).length, problem !== undefined]),
      [
        [0, true],
        [1, false],
      ],
    )
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
