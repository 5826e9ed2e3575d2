/** `tieout add`: what the accountant states by options, and what is asked on a terminal (a real pseudo terminal, by script(1)). */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../suite.ts'
import { CHART, ledgerCsv } from '../support/workspace.ts'
import { inFolder, MAIN, SIE, says, tieout } from './command.ts'

const questions = suite('questions of tieout add')

const inWorkspace = (run: (folder: string, companyFile: () => string) => Promise<void>) => () =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, 'tieout.yaml'), 'datasets: datasets\nsnapshots: snapshots\n')
    writeFileSync(join(folder, 'chart.csv'), CHART)
    writeFileSync(join(folder, 'ledger.csv'), ledgerCsv('1 2025-01-02 bank 10.00; 1 2025-01-02 sales -10.00'))
    await run(folder, () => readFileSync(join(folder, 'datasets/acme/company.yaml'), 'utf8'))
  })
/** The questions that somebody of this machine answered today. */
const answeredIn = (company: string): string[] => {
  const { answered } = parse(company) as { answered: Record<string, string> }
  const today = new Date().toISOString().slice(0, 10)
  return Object.keys(answered)
    .filter((key) => answered[key] === `${userInfo().username}, ${today}`)
    .sort()
}
const FILES = ['acme', 'chart.csv', 'ledger.csv']

questions(
  'what is stated stands in company.yaml, without a mark',
  inWorkspace(async (folder, companyFile) => {
    const options = ['--currency', 'eur', '--year-end', 'June', '--basis', 'cash', '--name', 'Acme: "Ltd"']
    const { code, out } = await tieout(['add', ...FILES, ...options], { cwd: folder })
    assert.is(code, 0, out)
    const text = companyFile()
    assert.match(text, /^name: 'Acme: "Ltd"' # as reports show it$/m)
    assert.match(text, /^fiscalMonthEnd: 6 # last month/m)
    assert.match(text, /^currency: EUR # ISO/m)
    assert.match(text, /basis: cash/)
    assert.equal(answeredIn(text), ['currency', 'fiscalMonthEnd', 'ledger.0.basis', 'name'])
    assert.not(text.replace('opening: FILL IN', '').split('\n').slice(3).join('\n').includes('FILL IN'))
    assert.match(
      await says(3, 'add acme ledger.csv --replace --currency USD', {
        cwd: folder,
      }),
      /currency cannot be USD: company\.yaml says EUR/,
    )
    assert.is(companyFile(), text)
  }),
)

questions(
  'what cannot be is refused before anything is written',
  inWorkspace(async (folder) => {
    for (const [options, said] of [
      [['--currency', 'euros'], /ISO 4217/],
      [['--year-end', '13'], /must be a month/],
      [['--year-end', 'Smarch'], /must be a month/],
      [['--basis', 'modified'], /accrual, cash/],
    ] as const) {
      const { code, err } = await tieout(['add', ...FILES, ...options], { cwd: folder })
      assert.is(code, 2)
      assert.match(err, said)
    }
    writeFileSync(join(folder, 'a.se'), SIE)
    const { code, out } = await tieout(['add', 'acme', 'a.se', '--currency', 'EUR'], { cwd: folder })
    assert.is(code, 3, out)
    assert.match(out, /currency cannot be EUR: the files say SEK/)
    assert.match(out, /Nothing was added/)
  }),
)

const hasScript = spawnSync('script', ['--version']).status === 0
if (!hasScript) process.stdout.write('questions on a terminal: skipped, script(1) is not there\n')

/** Types one answer after each prompt. */
function onTerminal(
  folder: string,
  answers: readonly string[],
  files: readonly string[] = FILES,
): Promise<{ out: string; code: number | null }> {
  return new Promise((resolve) => {
    const command = [process.execPath, MAIN, 'add', ...files].map((word) => `'${word}'`).join(' ')
    const { CI: _, ...env } = process.env
    const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: folder, env })
    let out = ''
    let asked = 0
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString('utf8')
      while (out.split('\n> ').length - 1 > asked && asked < answers.length)
        child.stdin.write(answers[asked++]!)
    })
    child.on('close', (code) => resolve({ out, code }))
  })
}

if (hasScript)
  questions(
    'on a terminal each question is asked, a wrong answer again, and an empty one leaves it open',
    inWorkspace(async (folder, companyFile) => {
      const { out } = await onTerminal(folder, ['13\n', '12\n', 'EUR\n', 'accrual\n', '\n'])
      assert.match(out, /must be 1 to 12/)
      assert.match(out, /Ready/)
      assert.match(companyFile(), /^currency: EUR # ISO 4217/m)
      assert.match(companyFile(), /^fiscalMonthEnd: 12 # /m)
      assert.match(companyFile(), /^opening: FILL IN/m)
      assert.equal(answeredIn(companyFile()), ['currency', 'fiscalMonthEnd', 'ledger.0.basis'])
    }),
  )

if (hasScript)
  questions(
    'Ctrl-C keeps what was answered and leaves the rest as it is',
    inWorkspace(async (folder, companyFile) => {
      const { out, code } = await onTerminal(folder, ['6\n', '\u0003'])
      assert.match(out, /stopped; what was answered is in company\.yaml/)
      assert.is(code, 130)
      assert.match(companyFile(), /^fiscalMonthEnd: 6 # /m)
      assert.match(companyFile(), /^currency: FILL IN/m)
    }),
  )

if (hasScript)
  questions(
    'where the input ends, what is left stays open',
    inWorkspace(async (folder, companyFile) => {
      const { out, code } = await onTerminal(folder, ['6\n', '\u0004'])
      assert.match(out, /Not ready yet/)
      assert.not(/readline|ERR_/.test(out), out)
      assert.is(code, 0)
      assert.match(companyFile(), /^fiscalMonthEnd: 6 # /m)
      assert.match(companyFile(), /^currency: FILL IN/m)
    }),
  )

if (hasScript)
  questions(
    'the question about a metric names it and says what may be answered',
    inWorkspace(async (folder, companyFile) => {
      writeFileSync(join(folder, 'staff.csv'), 'Month,Headcount\n2025-01,4\n2025-02,5\n')
      const answers = ['12\n', 'EUR\n', 'accrual\n', 'last\n', '\n']
      const { out } = await onTerminal(folder, answers, [...FILES, 'staff.csv'])
      assert.match(out, /Headcount: sum, average, last, min or max/)
      assert.match(companyFile(), /name: Headcount.*aggregation: last/)
    }),
  )
