/** The company's colour and logo: in the style sheet of every page, readable, and judged by a verification. */
import * as assert from 'uvu/assert'
import { verifyCompanies } from '../../builder/evidence/verify/verify.ts'
import { styleOf } from '../../builder/report/pages/brand.ts'
import { paperFiles } from '../../builder/report/pages/paper.ts'
import { renderedFile } from '../../builder/report/rendered.ts'
import { suite } from '../suite.ts'
import { reportOf } from '../support/asked.ts'
import { inPublished } from '../support/published.ts'
import { CHART, COMPANY, companyYaml, ledgerCsv } from '../support/workspace.ts'

const brand = suite("the company's colour and logo")

const channel = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
function luminance(colour: string): number {
  const [r, g, b] = [0, 2, 4].map((at) =>
    channel(Number.parseInt(colour.slice(1).slice(at, at + 2), 16) / 255),
  )
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
}
function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a) + 0.05, luminance(b) + 0.05]
  return Math.max(x, y) / Math.min(x, y)
}

brand('any colour can be read on light and dark pages; one that can be read stays as it is', () => {
  const grid = ['00', '33', '66', '99', 'cc', 'ff']
  for (const colour of grid.flatMap((r) => grid.flatMap((g) => grid.map((b) => `#${r}${g}${b}`)))) {
    const style = styleOf({ presentation: { brand: { colour } } })
    const own = style.slice(styleOf({}).length)
    const [light = '', dark = ''] = [...own.matchAll(/--accent: (#[0-9a-f]{6});/g)].map(([, text]) => text)
    for (const [shown, grounds] of [
      [light, ['#ffffff', '#f2f5f3']],
      [dark, ['#101513', '#1a2320']],
    ] as const) {
      const least = (each: string) => Math.min(...grounds.map((ground) => contrast(each, ground)))
      assert.ok(least(shown) >= 4.5, `${colour} is shown as ${shown}: ${least(shown)}`)
      if (least(colour) >= 4.5) assert.is(shown, colour)
    }
  }
})

/** 40 × 20 points of one colour. */
const LOGO =
  'iVBORw0KGgoAAAANSUhEUgAAACgAAAAUAQMAAADFiO34AAAAA1BMVEUPXIq3RQKBAAAADElEQVR42mNgGBgAAAB4AAE1M26kAAAAAElFTkSuQmCC'

brand('on pages that are kept, opened and printed; a verification makes them again', () =>
  inPublished(
    {
      'company.yaml': companyYaml('brand: { colour: "#FFCC00", logo: logo.png }'),
      'chart.csv': CHART,
      'ledger.csv': ledgerCsv('1 2025-01-05 bank 1.00; 1 2025-01-05 sales -1.00'),
      'logo.png': Buffer.from(LOGO, 'base64'),
    },
    async (workspace) => {
      const opened = await reportOf(workspace)
      const { snapshot, source, month } = opened
      const kept = (await snapshot.read('report/report.css')).toString('utf8')
      const paper = await paperFiles({ snapshot, source, month, basis: 'ACCRUAL' })
      for (const style of [
        kept,
        await renderedFile(opened, 'around.css', { entries: true, hosts: false }),
        paper.get('report.css'),
      ]) {
        assert.match(style!, 'border-top: .25rem solid #ffcc00')
        assert.match(style!, `url(data:image/png;base64,${LOGO})`)
      }
      const { Inputs } = snapshot.manifest
      assert.ok(Inputs.some(({ File, Role }) => File === 'logo.png' && Role === 'logo'))
      const { verified, companies } = await verifyCompanies(workspace.snapshots, [COMPANY], {
        figures: true,
        known: null,
      })
      assert.ok(verified, JSON.stringify(companies))
    },
  ),
)
