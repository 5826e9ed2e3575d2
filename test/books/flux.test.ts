/** Which lines need a word: by amount, percentage or both, against the month before, the year before and the budget. */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { tieout } from '../cli/command.ts'
import { suite } from '../suite.ts'
import {
  CHART,
  COMPANY,
  companyYaml,
  type Files,
  findingsOf,
  inWorkspace,
  ledgerCsv,
  writeFiles,
} from '../support/workspace.ts'

const test = suite('flux')

/** Rent of 100 a month, 150 in March 2025; sales of 1000, and 1040 in March 2025. */
const LEDGER = ledgerCsv(
  ['2024-03', '2025-01', '2025-02', '2025-03']
    .map((month, i) => {
      const [sales, rent] = i === 3 ? [1040, 150] : [1000, 100]
      return `s${i} ${month}-05 bank ${sales}.00; s${i} ${month}-05 sales -${sales}.00; r${i} ${month}-06 rent ${rent}.00; r${i} ${month}-06 bank -${rent}.00`
    })
    .join('\n'),
)
const files = (materiality: string, more: Files = {}): Files => ({
  'company.yaml': companyYaml(
    `materiality: ${materiality}\nbudgets: [{ id: plan, name: Plan, files: plan.csv }]`,
  ),
  'ledger.csv': LEDGER,
  'plan.csv': 'account,2025-01,2025-02,2025-03\n4000,1000,1000,1000\n6000,100,100,100\n',
  ...more,
})
const missing = async (of: Files): Promise<readonly (string | null)[]> =>
  (await findingsOf(of)).filter(({ code }) => code === 'commentary-missing').map(({ text }) => text)

test('an account needs a word by amount, by percentage, or by both', async () => {
  // Of the bank 890 came in: 33 % of what it was a month before.
  assert.equal(await missing(files('{ amount: 40 }')), ['1000', '4000', '6000'])
  assert.equal(await missing(files('{ amount: 40.01 }')), ['1000', '6000'])
  assert.equal(await missing(files('{ percent: 4 }')), ['1000', '4000', '6000'])
  assert.equal(await missing(files('{ percent: 50 }')), ['1000', '6000'])
  assert.equal(await missing(files('{ amount: 60, percent: 4, both: true }')), ['1000'])
  assert.equal(await missing(files('{ amount: 60, percent: 50 }')), ['1000', '6000'])
  assert.equal(await missing({ ...files('{ amount: 1 }'), 'company.yaml': companyYaml() }), [])
})

test('the finding says what is compared, and where to write', async () => {
  const [found] = (await findingsOf(files('{ percent: 50 }'))).filter(({ text }) => text === '6000')
  assert.is(
    found!.message,
    '6000 Rent, 2025-03: 150.00 against 100.00 in 2025-02 (+50.00), 100.00 in 2024-03 (+50.00), 100.00 in the budget Plan (+50.00), and no note says why',
  )
  assert.equal([found!.severity, found!.file], ['warning', 'commentary/2025-03.md'])
})

test('a note on the account answers, in each month that has commentary', async () => {
  const note = (text: string) => files('{ amount: 45 }', { 'commentary/2025-03.md': text })
  assert.equal(await missing(note('# 6000\nOf two months.\n')), ['1000'])
  assert.equal(await missing(note('# Rent\nOf two months.\n\n# Bank\nIt grows.\n')), [])
  assert.equal(await missing(note('Nothing.\n')), ['1000', '6000'])
  const february = files('{ amount: 45 }', { 'commentary/2025-02.md': 'All is well.\n' })
  // In February of the year before nothing was booked.
  assert.equal(await missing(february), ['1000', '4000', '6000', '1000', '6000'])
})

test('a month is closed only with its notes, where that is required', () => {
  const required = companyYaml(
    'materiality: { percent: 50 }\nclosing: { commentary: required }\ntimeZone: Europe/Stockholm',
  )
  const before = { 'chart.csv': CHART, ...files(''), 'company.yaml': required }
  return inWorkspace(before, async ({ root }) => {
    const run = async (...args: string[]) => {
      const { code, err } = await tieout(args, { cwd: root })
      return [code, err] as const
    }
    // No figure changes with a materiality that is stated later.
    writeFiles(join(root, 'datasets', COMPANY), { 'company.yaml': companyYaml('timeZone: Europe/Stockholm') })
    assert.is((await run('build'))[0], 0)
    writeFiles(join(root, 'datasets', COMPANY), { 'company.yaml': required })
    assert.match(
      (await run('close', COMPANY, '2025-03'))[1],
      'company.yaml was changed since the snapshot was built',
    )
    assert.is((await run('build'))[0], 0)
    const [code, said] = await run('close', COMPANY, '2025-03')
    assert.is(code, 1)
    assert.match(said, '2 lines have no note:')
    assert.match(said, '6000 Rent, 2025-03: 150.00 against 100.00 in 2025-02')
    assert.match((await run('close', COMPANY, '2025-02'))[1], 'commentary/2025-02.md was not there')
    writeFiles(join(root, 'datasets', COMPANY), { 'company.yaml': `${required}closing: {}\n` })
    assert.is((await run('close', COMPANY, '2025-03'))[0], 3, 'settings that cannot be read require nothing')
    writeFiles(join(root, 'datasets', COMPANY), { 'company.yaml': required })
    writeFiles(join(root, 'datasets', COMPANY), {
      'commentary/2025-03.md': '# Rent\nTwo months.\n\n# 1000\nIt grows.\n',
    })
    assert.is((await run('build'))[0], 0)
    // A build of other settings that makes the same publishes nothing, and is enough.
    const other = required.replace('percent: 50', 'percent: 49')
    writeFiles(join(root, 'datasets', COMPANY), { 'company.yaml': other })
    assert.is((await run('close', COMPANY, '2025-03'))[0], 1)
    assert.match((await tieout(['build'], { cwd: root })).out, 'unchanged')
    assert.is((await run('close', COMPANY, '2025-03'))[0], 0)
  })
})
