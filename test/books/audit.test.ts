/** What an auditor asks about next (accounting.md §12): each warning from its own input, none of them a refusal. */

import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { dateAt } from '../../builder/build/result.ts'
import { suite } from '../suite.ts'
import { cases } from '../support/case-file.ts'
import {
  buildIn,
  buildWith,
  CHART,
  COMPANY,
  codes,
  companyYaml,
  type Files,
  findingsOf,
  inWorkspace,
  ledgerCsv,
  only,
  writeFiles,
} from '../support/workspace.ts'

const test = suite('audit findings')
test('postings in the future are told, but not part of what is published', () =>
  buildWith(
    {
      'ledger.csv': ledgerCsv(
        'a 2025-01-10 bank 1.00; a 2025-01-10 sales -1.00; b 2040-01-10 bank 1.00; b 2040-01-10 sales -1.00',
      ),
    },
    ({ result, read }) => {
      const found = result.findings.find((finding) => finding.code === 'future-date')
      assert.match(found!.message, /2 postings are dated in the future, up to 2040-01-10/)
      assert.is(found!.row, 4)
      assert.not.match(read('manifest.json'), /future-date/)
    },
  ))

/** Ten postings of a month, all of one file. */
const busy = (month: string): string =>
  [1, 2, 3, 4, 5]
    .map((day) => `${month}-${day} ${month}-0${day} bank 1; ${month}-${day} ${month}-0${day} sales -1`)
    .join('; ')

test('a month without a posting between months with many, and which file lacks it', async () => {
  const monthly: Files = {
    'company.yaml': companyYaml('ledger: [{ files: "2*.csv" }]'),
    '2025-01.csv': ledgerCsv(busy('2025-01')),
    '2025-03.csv': ledgerCsv(busy('2025-03')),
  }
  const found = only(await findingsOf(monthly), 'silent-month')
  assert.equal([found.severity, found.file, found.row], ['warning', '2025-03.csv', 2])
  assert.match(
    found.message,
    /between 2025-01-05 and 2025-03-01.*: 2025-02 is published as zero; 2025-01\.csv ends on 2025-01-05, 2025-03\.csv begins on 2025-03-01$/,
  )
  const one = only(
    await findingsOf({ 'ledger.csv': ledgerCsv(`${busy('2024-11')}; ${busy('2025-02')}`) }),
    'silent-month',
  )
  assert.match(one.message, /2024-12 to 2025-01 are published as zero; ledger\.csv has nothing between$/)
  assert.equal(codes(await findingsOf({ ...monthly, '2025-02.csv': ledgerCsv(busy('2025-02')) })), [])
})

test('a lock date beyond the year of the last posting is refused', async () => {
  const locked = (date: string): Files => ({
    'company.yaml': companyYaml(`fiscalMonthEnd: 3\nlockDate: ${date}`),
    'ledger.csv': ledgerCsv('a 2025-01-10 bank 1; a 2025-01-10 sales -1'),
  })
  const found = only(await findingsOf(locked('2125-03-31')), 'lock-date-too-late')
  assert.equal([found.severity, found.column, found.row], ['error', 'lockDate', 7])
  assert.match(found.message, /after 2025-03-31, .* \(2025-01-10\): 1202 months/)
  assert.match(found.remedy!, /2025-03-31 at the latest/)
  assert.equal(codes(await findingsOf(locked('2025-04-01'))), ['lock-date-too-late'])
  assert.equal(codes(await findingsOf(locked('2025-03-31'))), [])
})

test("today is the company's, not Greenwich's", async () => {
  // At no time of the day is it the same date on both sides of the date line.
  const today = dateAt(Date.now(), 'Pacific/Kiritimati')
  const dated = (timeZone: string) =>
    findingsOf({
      'company.yaml': companyYaml(`timeZone: ${timeZone}`),
      'ledger.csv': ledgerCsv(`a ${today} bank 1; a ${today} sales -1`),
    })
  assert.equal(codes(await dated('Pacific/Kiritimati')), [])
  assert.equal(codes(await dated('Etc/GMT+12')), ['future-date'])
  const morning = Date.UTC(2026, 2, 31, 20, 30)
  assert.is(dateAt(morning, 'Pacific/Auckland'), '2026-04-01')
  assert.is(dateAt(morning, 'America/New_York'), '2026-03-31')
})

test('an account that stands elsewhere than in the previous snapshot', () =>
  inWorkspace(
    {
      'company.yaml': companyYaml(),
      'chart.csv': CHART,
      'ledger.csv': ledgerCsv('a 2025-01-10 bank 9.00; a 2025-01-10 loan -9.00'),
    },
    async (workspace) => {
      assert.equal((await buildIn(workspace, COMPANY)).result.findings, [])
      writeFiles(join(workspace.datasets, COMPANY), {
        'chart.csv': CHART.replace(
          'Loan,Liability,LongTermLiability',
          'Loan,Liability,OtherCurrentLiability',
        ),
      })
      const { result } = await buildIn(workspace, COMPANY)
      assert.is(result.outcome, 'published')
      const found = result.findings.find((finding) => finding.code === 'account-retyped')
      assert.match(
        found!.message,
        /account loan Loan was Liability \/ LongTermLiability \/ Financing .* is Liability \/ OtherCurrentLiability \/ Operating now/,
      )
    },
  ))

cases(test, new URL('cases/audit.yaml', import.meta.url))
