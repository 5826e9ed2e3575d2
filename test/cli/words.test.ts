/** What a company calls its two dimensions, from the export to the terminal and the board pack. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import readWorkbook from 'read-excel-file/node'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { says, tieout, wordsOf } from './command.ts'

const CHART = `id,number,name,classification,type
1000,1000,Bank,Asset,Bank
4000,4000,Sales,Income,Sales
`
const LEDGER = `Transaction no,Date,Account code,Debit,Credit,Location name,Class
1,2025-01-10,1000,10.00,,North,Retail
1,2025-01-10,4000,,10.00,North,Retail
`

const words = suite<{ cwd: string; yaml: string }>('words of a company')

words.before(async (at) => {
  at.cwd = mkdtempSync(join(tmpdir(), 'tieout-words-'))
  writeFileSync(join(at.cwd, 'tieout.yaml'), '')
  const files = {
    ...{ 'chart.csv': CHART, 'gl.csv': LEDGER },
    ...{ 'classes.csv': 'id,name\nRetail,Retail\n', 'locations.csv': 'id,name\nNorth,North\n' },
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at.cwd, name), text)
  const stated = wordsOf('--currency USD --year-end 12 --basis accrual --map "department=Location name"')
  await tieout(['add', 'acme', ...Object.keys(files), ...stated], { cwd: at.cwd })
  at.yaml = join(at.cwd, 'datasets/acme/company.yaml')
  writeFileSync(at.yaml, readFileSync(at.yaml, 'utf8').replace('opening: FILL IN', 'opening: none'))
  await says(0, 'build acme', { cwd: at.cwd })
})

words('add proposes the word of the export, and none where it is the usual one', ({ yaml }) => {
  assert.match(readFileSync(yaml, 'utf8'), /^words: \{ department: Location \}/m)
})

words('show, explain, diff and their refusals use it', async ({ cwd }) => {
  const run = (...args: string[]) => tieout(args, { cwd, env: { COLUMNS: '200' } })
  assert.match(
    (await run('show', 'acme', '--department', 'North')).out,
    /^accrual, Location North, whole USD$/m,
  )
  const { out } = await run(...wordsOf('explain acme 4000 2025-01 --department North --class Retail'))
  assert.match(out, /^acme, profit and loss, accrual, class Retail, Location North$/m)
  assert.match(out, / Class +Location +/)
  assert.match((await run('show', 'acme', '--department', 'Nort')).err, /acme has no Location "Nort"/)
})

words('documents of the interface and tables keep their names', async ({ cwd }) => {
  const { out } = await tieout(['explain', 'acme', '4000', '2025-01', '--json'], { cwd })
  const { words: stated, departmentId, lines } = JSON.parse(out)
  assert.equal([stated, departmentId, lines[0].departmentId], [{ department: 'Location' }, null, 'North'])
  const csv = await tieout(['explain', 'acme', '4000', '2025-01', '--csv'], { cwd })
  assert.match(csv.out, /^part,kind,date,transaction_id,line_id,account,class,department,/)
})

words('pages name their filter, tables and links by it', async ({ cwd }) => {
  const to = join(cwd, 'report')
  await says(0, `report acme --to ${to}`, { cwd })
  const page = readFileSync(join(to, 'accrual/all/profit-loss-by-year.html'), 'utf8')
  assert.match(page, /<summary>Location: /)
  assert.match(page, /<caption>By Location in the month/)
  assert.not.match(page, /Department/)
  assert.match(page, /Classes in the month/, 'the company has no word of its own for classes')
})

words('a board pack names its filter by it', async ({ cwd }) => {
  const to = join(cwd, 'pack.xlsx')
  await says(0, `export acme --what pack --department North --to ${to}`, {
    cwd,
  })
  const cells = (await readWorkbook(to)).flatMap(({ data }) => data.flat()).map(String)
  assert.ok(cells.some((text) => text.includes('accrual basis, Location North')))
})

words('a word that is none is refused with its line', async ({ cwd, yaml }) => {
  const text = readFileSync(yaml, 'utf8')
  writeFileSync(yaml, text.replace('department: Location', 'department: ""'))
  const { code, err, out } = await tieout(['check', 'acme'], { cwd })
  writeFileSync(yaml, text)
  assert.is(code, 3)
  assert.match(out + err, /company\.yaml:\d+[\s\S]*must not be empty/)
})
