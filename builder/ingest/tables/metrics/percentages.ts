/**
 * A metric that is in percent in some cells and a plain number in others: beside 71.6%, 0.65 of a metric in percent may mean 65 %, and so
 * may 65 of a share.
 */
import { type Finding, warning } from '../../../workspace/findings/finding.ts'
import type { cellPlace } from '../table.ts'

type Place = ReturnType<typeof cellPlace>

export class Percentages {
  readonly #first = new Map<string, { percent: Place | null; plain: Place | null }>()

  /** `text` is in the cell, `value` what is read of it. */
  add(metric: string, isInPercent: boolean, text: string, value: string, place: () => Place): void {
    const isPercent = text.endsWith('%')
    if (!isPercent && (value === '0' || isShare(value) !== isInPercent)) return
    const first = this.#first.get(metric) ?? { percent: null, plain: null }
    if (isPercent) first.percent ??= place()
    else first.plain ??= place()
    this.#first.set(metric, first)
  }

  findings(): Finding[] {
    return [...this.#first].flatMap(([metric, { percent, plain }]) =>
      percent === null || plain === null
        ? []
        : [
            warning(
              'percent-beside-numbers',
              `metric ${metric} is ${plain.text} here, and ${percent.text} in row ${percent.row} of ${percent.file}: is this in percent too?`,
              {
                ...plain,
                remedy:
                  'write all values of the metric in one way; as it stands, this one counts as the number that it is',
              },
            ),
          ],
    )
  }
}

const isShare = (value: string): boolean => /^-?(0\.|1$)/.test(value)
