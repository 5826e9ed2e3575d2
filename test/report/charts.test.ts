/** Charts: labels that never overlap, whatever their number and length. */
import * as assert from 'uvu/assert'
import { PLOT, placeLabels } from '../../builder/report/charts/chart.ts'
import { suite } from '../suite.ts'

const test = suite('charts')

/** The places and texts of labels that have room, with their places spread over the plot: below bars, or from edge to edge. */
function shown(labels: readonly string[], isLine = false): { readonly x: number; readonly label: string }[] {
  const step = (PLOT.right - PLOT.left) / (isLine ? Math.max(1, labels.length - 1) : labels.length)
  return placeLabels(labels, (i) => PLOT.left + (i + (isLine ? 0 : 0.5)) * step).map(({ text }) => {
    const [, x, label] = /x="([\d.]+)"[^>]*>([^<]*)</.exec(text)!
    return { x: Number(x), label: label! }
  })
}

test('labels of a chart stand apart by their length, the last always among them', () => {
  for (const count of [1, 2, 4, 7, 12, 24, 36])
    for (const label of ['Jan', 'Jan 2025', 'Beginning of the year']) {
      const labels = Array.from({ length: count }, (_, i) => `${label}${i}`)
      for (const places of [shown(labels), shown(labels, true)]) {
        assert.is(places.at(-1)?.label, labels.at(-1))
        for (const [i, { x }] of places.entries())
          if (i > 0) assert.ok(x - places[i - 1]!.x >= label.length * 6, `${count} of ${label}`)
      }
    }
  assert.is(shown(Array.from({ length: 12 }, () => 'Jan')).length, 12, 'all that have room')
})
