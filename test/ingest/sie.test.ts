/** SIE: what real files must tie to, by plain integer sums over the intake, and one small file per finding. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ControlRow } from '../../builder/ingest/intake.ts'
import { readSie, type SieIntake } from '../../builder/ingest/sie.ts'
import type { Company, LedgerSetting } from '../../builder/workspace/company.ts'
import { hasErrors } from '../../builder/workspace/finding.ts'

const samples = resolve(import.meta.dirname, '../../../shared/samples/sie')
const company: Company = {
  id: 'test',
  name: 'Test AB',
  fiscalMonthEnd: 12,
  currency: 'SEK',
  ledger: [{ files: '*.se' }],
}
const setting: LedgerSetting = { files: '*.se' }

const sample = (name: string) => ({ file: `ledger/${name}`, bytes: readFileSync(resolve(samples, name)) })
const minor = (text: string) => Math.round(Number(text) * 100)

/** Controls that tie out: [those that do, all]. Independent of the importer: nothing but integer sums. */
function tie(intake: SieIntake, wanted: readonly ControlRow[]): [number, number] {
  const postings = intake.ledger.flatMap(({ rows }) => rows)
  const first = intake.openings.map(({ yearStart }) => yearStart).sort()[0]
  const ties = wanted.filter((control) => {
    const carries = (row: { account: string | null; class: string | null; department: string | null }) =>
      row.account === control.account &&
      (control.class === null || row.class === control.class) &&
      (control.department === null || row.department === control.department)
    const from = control.kind === 'movement' ? `${control.date.slice(0, 7)}-01` : '0000'
    const moved = postings
      .filter((row) => carries(row) && row.date! >= from && row.date! <= control.date)
      .reduce((sum, row) => sum + minor(row.amount!), 0)
    const opened = intake.openings
      .filter((row) => row.yearStart === first && carries(row))
      .reduce((sum, row) => sum + minor(row.amount), 0)
    return minor(control.amount) === moved + (control.kind === 'closing' ? opened : 0)
  })
  return [ties.length, wanted.length]
}
const of = (intake: SieIntake, ...kinds: ControlRow['kind'][]) =>
  intake.controls.filter(({ kind }) => kinds.includes(kind))
const isTagged = (control: ControlRow) => control.class !== null || control.department !== null
const codes = (intake: SieIntake, severity?: 'error' | 'warning') =>
  intake.findings
    .filter((found) => severity === undefined || found.severity === severity)
    .map(({ code }) => code)

const real = suite('SIE files of real programs')
const realTest = existsSync(samples) ? real : real.skip
if (!existsSync(samples)) console.log('skipped: ../shared/samples/sie is not there')

realTest('transaktioner_ovnbolag.se: closings, results and months tie', () => {
  const intake = readSie([sample('transaktioner_ovnbolag.se')], setting, company)
  assert.is(hasErrors(intake.findings), false)
  assert.equal(tie(intake, of(intake, 'closing', 'result')), [82, 82])
  assert.equal(tie(intake, of(intake, 'movement')), [158, 158])
  assert.is(intake.ledger[0]!.rows.length, 671)
  assert.is(intake.files[0]!.encoding, 'cp437')
})
realTest.run()
