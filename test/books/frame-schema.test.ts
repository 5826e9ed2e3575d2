/** `frame.json` may come from anybody: what is not a frame is told with the member that is wrong. */

import * as assert from 'uvu/assert'
import { parseFrame } from '../../builder/books/reference/frame-schema.ts'
import { frameText } from '../../builder/books/store/store.ts'
import { suite } from '../suite.ts'
import { buildWith, CHART, companyYaml, ledgerCsv } from '../support/workspace.ts'

const frames = suite('frame.json')
const FILES = {
  'company.yaml': companyYaml(),
  'chart.csv': CHART,
  'ledger.csv': ledgerCsv('1 2025-01-02 bank 10.00; 1 2025-01-02 sales -10.00'),
}
const failing = (text: string): string => {
  try {
    parseFrame(text, (problem) => new Error(problem))
  } catch (problem) {
    return (problem as Error).message
  }
  return 'it was read'
}

frames('what a build writes is read back as it was', () =>
  buildWith(FILES, async ({ books: open }) => {
    const books = await open()
    const text = frameText(books.frame)
    assert.equal(
      parseFrame(text, (problem) => new Error(problem)),
      JSON.parse(text),
    )
  }),
)

frames('a truncated or foreign one names what is wrong', () =>
  buildWith(FILES, async ({ books: open }) => {
    const books = await open()
    const text = frameText(books.frame)
    assert.is(failing(text.slice(0, -20)), 'frame.json is not JSON')
    assert.match(failing('null'), /^frame\.json: /)
    assert.match(failing('[]'), /^frame\.json: /)
    const changes: [RegExp, (frame: Record<string, unknown>) => void][] = [
      [/^frame\.json: currency: /, (frame) => delete frame.currency],
      [
        /^frame\.json: accounts\.0\.classification: /,
        (frame) => ((frame.accounts as { classification: string }[])[0]!.classification = 'Thing'),
      ],
      [
        /^frame\.json: coverage\.endDate: is not a day/,
        (frame) => ((frame.coverage as { endDate: string }).endDate = 'soon'),
      ],
      [/^frame\.json: classes: /, (frame) => (frame.classes = 5)],
    ]
    for (const [told, change] of changes) {
      const frame = JSON.parse(text) as Record<string, unknown>
      change(frame)
      assert.match(failing(JSON.stringify(frame)), told)
    }
  }),
)

frames('one of an earlier version lacks what came later', () =>
  buildWith(FILES, async ({ books: open }) => {
    const books = await open()
    const { disposals: _, ...older } = books.frame
    assert.equal(parseFrame(JSON.stringify(older), (problem) => new Error(problem)).disposals, [])
  }),
)
