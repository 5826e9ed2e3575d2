/** A running balance that does not follow from the lines above it names its own row, in every program that writes one. */
import * as assert from 'uvu/assert'
import { present } from '../../../builder/contract/present.ts'
import { suite } from '../../suite.ts'
import { column } from '../../support/fields.ts'
import { intakeOf } from '../../support/readings.ts'
import { findingsText } from '../../support/workspace.ts'
import { ledgerOf, packed, seedOf } from '../fuzz/corpus.ts'

const test = suite('running balances')

/** Corpus, header of the running balance, and which rows are lines. */
const PROGRAMS: readonly (readonly [corpus: string, header: string, line: RegExp])[] = [
  ['quickbooks', 'Balance', /^,\d\d\/\d\d\/\d{4},/],
  ['quickbooks-desktop', 'Balance', /^,\w[^,]*,\d\d\/\d\d\/\d{4},/],
  ['xero', 'Running Balance', /^\d\d? \w{3} \d{4},/],
  ['odoo', 'Balance', /,\d\d\/\d\d\/\d{4},/],
  ['erpnext', 'Balance (USD)', /^\d{4}-\d\d-\d\d,/],
  ['netsuite', 'Balance', /^,\w[^,]*,\d\d\/\d\d\/\d{4},/],
]

const cellsOf = (line: string): string[] => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
const otherDigit = (figure: string): string =>
  figure.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10))

for (const [corpus, header, line] of PROGRAMS)
  test(corpus, async () => {
    const files = packed(seedOf(corpus))
    const file = ledgerOf(corpus)
    const rows = files[file]!.toString('latin1').split(/\r?\n/)
    const heading = rows.map(cellsOf).find((cells) => cells.includes(header))
    const at = present(heading, header).indexOf(header)
    const stated = [...rows.keys()].filter((i) => line.test(rows[i]!) && /\d/.test(cellsOf(rows[i]!)[at]!))
    assert.ok(stated.length > 10, `${stated.length} rows with a running balance`)
    for (const i of stated) {
      const cells = cellsOf(rows[i]!)
      const changed = rows.with(i, cells.with(at, otherDigit(cells[at]!)).join(','))
      const { findings, differing } = await intakeOf({
        ...files,
        [file]: Buffer.from(changed.join('\n'), 'latin1'),
      })
      const told = [...findings, ...differing.map(({ finding }) => finding)].filter(
        ({ severity }) => severity === 'error',
      )
      assert.equal(column(told, 'row'), [i + 1], `row ${i + 1}: ${findingsText(told)}`)
      // The first balance of an account that nothing is brought forward to says what it would begin with.
      assert.ok(['balance-differs', 'opening-missing'].includes(told[0]!.code), told[0]!.code)
    }
  })
