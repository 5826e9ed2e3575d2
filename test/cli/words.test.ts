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
