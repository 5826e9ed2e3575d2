/** Exports of other programs through init, add and build, as a person types them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { CHART } from '../support/workspace.ts'
import { inFolder, SIE, says, tieout } from './command.ts'

const exports = suite('exports')

const JOURNAL = [
  'Müller & Söhne;;;;',
  '',
  'Belegnr;Buchungsdatum;Konto;Soll;Haben',
  '1;15.01.2025;1000;1.234,50;',
  '1;15.01.2025;4000;;1.234,50',
  '',
].join('\r\n')

/** A workspace in a folder whose name needs quotes, with a journal in Latin-1 and the answers to the questions. */
async function withJournal(text: string, look: (root: string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const root = join(folder, 'Böcker för året 2025')
    mkdirSync(root)
    assert.is((await tieout(['init'], { cwd: root })).code, 0)
    writeFileSync(join(root, 'Journal (Jan).csv'), Buffer.from(text, 'latin1'))
    writeFileSync(join(root, 'chart.csv'), CHART)
    const said = await says(0, 'add acme "Journal (Jan).csv" chart.csv', { cwd: root })
    assert.match(said, /May be answered later; until then a build warns:\n.*opening: FILL IN/)
    assert.match(said, /answer 3 questions/)
    const path = join(root, 'datasets/acme/company.yaml')
    const answers = ['12', 'EUR', 'accrual', 'none']
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(/(?<=: )FILL IN/g, () => answers.shift()!),
    )
    await look(root)
  })
}

exports('a German journal with a title is published with four answers', () =>
  withJournal(JOURNAL, async (root) => {
    await says(0, 'build', { cwd: root })
    const explained = await tieout(['explain', 'acme', '4000', '2025-01', '--csv'], { cwd: root })
    assert.match(explained.out, /Journal \(Jan\)\.csv/)
    assert.match(explained.out, '1234.50')
  }),
)

exports('--map alone, and beside what is known, in any order', () =>
  withJournal(JOURNAL, async (root) => {
    writeFileSync(
      join(root, 'gl.csv'),
      'Posting Date,Doc,Account,Net\n2025-01-03,1,1000,5.00\n2025-01-03,1,4000,-5.00\n',
    )
    for (const [id, map] of [
      ['alone', ['--map']],
      ['both', ['--map', 'transaction_id=Doc', '--map']],
    ] as const) {
      const { code, out, err } = await tieout(['add', id, 'gl.csv', ...map], { cwd: root })
      assert.is(code, 0, err)
      assert.match(out, /date +Posting Date/)
      assert.match(out, id === 'both' ? 'as you said' : /amount +Net/)
    }
    assert.match(await says(2, 'add x --map gl.csv', { cwd: root }), 'files are named before --map')
  }),
)

exports('ready means that check passes; what does not is named by add itself', () =>
  inFolder(async (root) => {
    assert.is((await tieout(['init'], { cwd: root })).code, 0)
    writeFileSync(join(root, 'good.se'), SIE)
    assert.match(
      await says(0, 'add good good.se', { cwd: root }),
      /Ready: \d+ postings, 2024-01 to 2024-\d\d, all checks passed/,
    )
    const voucher = /#TRANS \d+ \{\} -?[\d.]+/.exec(SIE)![0]
    writeFileSync(join(root, 'bad.se'), SIE.replace(voucher, `${voucher}7`))
    const bad = await tieout(['add', 'bad', 'bad.se'], { cwd: root })
    assert.is(bad.code, 3, bad.out)
    assert.match(bad.out, /Added, but not ready: \d+ error/)
    assert.match(bad.out, /bad\.se:\d+/)
    assert.not.match(bad.out, 'Ready')
    const { check } = JSON.parse((await tieout(['add', 'bad', 'bad.se', '--json'], { cwd: root })).out)
    assert.is(check.outcome, 'refused')
  }),
)

exports(
  'every mistake is named with file and row, what is blank is not shown as found, and nothing is published',
  () =>
    withJournal(JOURNAL, async (root) => {
      const more =
        '2;32.01.2025;1000;1,00;\r\n2;31.01.2025;9999;;1,0x\r\n3;;1000;5,00;\r\n3;31.01.2025;4000;;5,00\r\n'
      writeFileSync(
        join(root, 'datasets/acme/ledger/Journal (Jan).csv'),
        Buffer.from(`${JOURNAL}${more}`, 'latin1'),
      )
      const said = await says(3, 'build', { cwd: root })
      for (const part of [
        /Journal \(Jan\)\.csv:6.*date/,
        /Journal \(Jan\)\.csv:7.*account/,
        /"1,0x" is not an amount/,
        /the row has no date/,
      ])
        assert.match(said, part)
      assert.not.match(said, /found *\n/)
      assert.not.match(said, /\n {4}at /)
      assert.equal(existsSync(join(root, 'snapshots')) ? readdirSync(join(root, 'snapshots')) : [], [])
    }),
)
