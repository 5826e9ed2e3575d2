/** Board packs, read back by programs that did not write them: LibreOffice, which calculates every formula anew, openpyxl, and the validation of Open XML. */
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import readWorkbook, { type SheetData } from 'read-excel-file/node'
import * as assert from 'uvu/assert'
import { holdsFigures, own, packSuite } from './packs.ts'
import { withoutResults, writeParts } from './parts.ts'

const test = packSuite('board pack in other programs')

const office = spawnSync('soffice', ['--version'])
if (office.error)
  process.stdout.write(
    'LibreOffice is not installed (apt-get install libreoffice-calc): its calculation is skipped\n',
  )
const calculated = office.error ? test.skip : test

/** Has LibreOffice read and write workbooks, all at once. */
function throughOffice(top: string, paths: readonly string[]): string {
  const out = join(top, 'office')
  execFileSync(
    'soffice',
    [
      `-env:UserInstallation=file://${join(top, 'profile')}`,
      '--headless',
      '--convert-to',
      'xlsx',
      '--outdir',
      out,
      ...paths,
    ],
    { stdio: 'ignore', timeout: 180_000 },
  )
  return out
}

calculated(
  'LibreOffice calculates the published figures, without being given any, and others where an account is another',
  async ({ packs, top }) => {
    const paths: string[] = []
    for (const [i, { parts }] of packs.entries()) {
      paths.push(join(top, `calculated-${i}.xlsx`))
      await writeParts(paths[i]!, withoutResults(parts))
    }
    const changed = join(top, 'changed.xlsx')
    const { parts, sheets } = own({ top, packs })
    const place = 'xl/worksheets/sheet3.xml'
    const sales = sheets.get('Profit and loss')!.findIndex((row) => String(row[1]).startsWith('-2+3')) + 1
    const xml = parts
      .get(place)!
      .replace(new RegExp(`(<c r="C${sales}"[^>]*>)<v>7.00</v>`), '$1<v>1007.00</v>')
    assert.is.not(xml, parts.get(place))
    await writeParts(changed, withoutResults(new Map([...parts, [place, xml]])))
    const out = throughOffice(top, [...paths, changed])
    for (const [i, packed] of packs.entries()) {
      const book = await readWorkbook(join(out, `calculated-${i}.xlsx`))
      await holdsFigures(packed, new Map(book.map(({ sheet, data }) => [sheet, data])))
    }
    const profit = (data: SheetData) => data.findLast((row) => row[1] === 'Profit')![2] as number
    const other = (await readWorkbook(join(out, 'changed.xlsx'))).find(
      ({ sheet }) => sheet === 'Profit and loss',
    )!.data
    assert.is(profit(other).toFixed(2), (profit(sheets.get('Profit and loss')!) + 1000).toFixed(2))
  },
)

const READ = `
import json, sys, warnings
warnings.simplefilter('error')
import openpyxl
book = openpyxl.load_workbook(sys.argv[1])
print(json.dumps([{
  'name': s.title, 'titles': s.print_title_rows, 'columns': s.print_title_cols, 'freeze': s.freeze_panes,
  'landscape': s.page_setup.orientation, 'wide': s.page_setup.fitToWidth, 'high': s.page_setup.fitToHeight,
  'fit': s.sheet_properties.pageSetUpPr is not None and s.sheet_properties.pageSetUpPr.fitToPage,
  'links': [c.hyperlink.location for row in s.iter_rows() for c in row if c.hyperlink],
  'levels': max([d.outlineLevel for d in s.row_dimensions.values()] or [0]),
  'formats': sorted({c.number_format for row in s.iter_rows() for c in row if c.value is not None}),
  'dates': [str(c.value) for row in s.iter_rows(min_row=6, max_row=6) for c in row if c.is_date],
} for s in book.worksheets]))
`
const peer = spawnSync('python3', ['-c', 'import openpyxl'])
if (peer.status !== 0)
  process.stdout.write('no python3 with openpyxl (pip install openpyxl): it does not read packs\n')
const read = peer.status === 0 ? test : test.skip

read(
  'openpyxl reads it without a warning: titles on each page, frozen heads, links, groups, dates, formats',
  ({ packs }) => {
    for (const { path, sheets } of packs) {
      const found = JSON.parse(execFileSync('python3', ['-c', READ, path], { encoding: 'utf8' })) as {
        readonly [key: string]: unknown
        readonly name: string
      }[]
      assert.equal(
        found.map(({ name }) => name),
        [...sheets.keys()],
      )
      const [summary, contents, result, , position] = found
      assert.equal(
        contents!.links,
        [summary!, ...found.slice(2)].map(({ name }) => `'${name}'!A1`),
      )
      for (const sheet of found)
        assert.equal(
          [sheet.landscape, sheet.wide ?? 1, sheet.high, sheet.fit],
          ['landscape', 1, 0, true],
          sheet.name,
        )
      assert.equal([result!.titles, result!.columns, result!.freeze], ['$6:$6', '$A:$B', 'C7'])
      assert.ok((result!.levels as number) > 0)
      assert.ok((result!.formats as string[]).includes('#,##0_);(#,##0);"–"_)'))
      assert.match((position!.dates as string[])[0]!, /^20\d\d-\d\d-(28|29|30|31) 00:00:00$/)
    }
  },
)

const VALIDATE = `
import json, sys
from openxml_audit import FileFormat, OpenXmlValidator
for path in sys.argv[1:]:
  found = OpenXmlValidator(file_format=FileFormat.OFFICE_2019, max_errors=0).validate(path)
  print(json.dumps([path, [f'{e.part_uri}: {e.description}' for e in found.errors if 'inline-string' not in e.description]]))
`
const validator = spawnSync('python3', ['-c', 'import openxml_audit'])
if (validator.status !== 0)
  process.stdout.write('no python3 with openxml_audit (pip install openxml-audit): packs are not validated\n')
const validated = validator.status === 0 ? test : test.skip

/** Excel moves inline texts elsewhere when somebody saves; it opens them as they are. */
validated(
  "Microsoft's validation of Open XML finds nothing in a pack, and finds what is wrong",
  async ({ packs }) => {
    const paths = packs.map(({ path }) => path)
    const broken = `${paths[0]!}.broken.xlsx`
    const changed = (xml: string) => xml.replace('<sheetData>', '<sheetDatum/><sheetData>')
    await writeParts(broken, new Map([...packs[0]!.parts].map(([name, xml]) => [name, changed(xml)])))
    const out = execFileSync('python3', ['-c', VALIDATE, ...paths, broken], { encoding: 'utf8' })
    const found = new Map(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as [string, string[]]),
    )
    for (const path of paths) assert.equal(found.get(path), [], path)
    assert.ok(found.get(broken)!.length > 0)
  },
)
