/** Whether months are closed is served and shown as it is now: they are closed and opened again without a new snapshot. */

import * as assert from 'uvu/assert'
import { renderedFile } from '../../../builder/report/rendered.ts'
import { openReport } from '../../../builder/report/report.ts'
import { openSigner } from '../../../builder/snapshot/keys/key-file.ts'
import { closeMonth, reopenMonth } from '../../../builder/snapshot/log/close.ts'
import { CompanyAnswers } from '../../../serve/companies/answers.ts'
import { Companies } from '../../../serve/companies/companies.ts'
import type { Pins } from '../../../serve/companies/pin.ts'
import { suite } from '../../suite.ts'
import { buildIn, CHART, COMPANY, companyYaml, inWorkspace, ledgerCsv } from '../../support/workspace.ts'

const closing = suite('the state of closing')

/** Nobody's sync is under way. */
const PINS = {
  get: async () => null,
  hold: async (_grant: string, _company: string, snapshotId: string) => snapshotId,
} as unknown as Pins

closing('right after a month is closed, and after it is opened again', () =>
  inWorkspace(
    {
      'company.yaml': companyYaml(),
      'chart.csv': CHART,
      'ledger.csv': ledgerCsv(`
        1 2025-01-15 bank 1.00; 1 2025-01-15 sales -1.00
        2 2025-02-15 bank 1.00; 2 2025-02-15 sales -1.00`),
    },
    async (workspace) => {
      const { result } = await buildIn(workspace, COMPANY)
      assert.ok(result.snapshotId, JSON.stringify(result.findings))
      const { snapshots } = workspace
      const signer = await openSigner(workspace.state)
      const adhoc = { answer: () => Promise.reject(new Error('nothing is computed here')) }
      const answers = new CompanyAnswers({
        snapshots,
        companies: new Companies({ snapshots }),
        pins: PINS,
        adhoc,
      })
      const state = async () => {
        const reader = { grantId: 'g', company: COMPANY }
        const info = await answers.info(reader, { snapshotId: null })
        const { body } = await info.make(new AbortController().signal)
        const opened = (await openReport(snapshots, { company: COMPANY, snapshotId: null, month: null }))
          .value!
        const page = await renderedFile(opened, 'certificate.html', { entries: true, hosts: true })
        return [
          JSON.parse(body.toString()).LockedThrough,
          /Closed through<\/th><td>(?:<code>)?([^<]*)/.exec(page ?? '')?.[1],
        ]
      }
      assert.equal(await state(), [null, 'no month is closed'])
      await closeMonth(snapshots, COMPANY, '2025-02', { signer, today: '2025-03-05' })
      assert.equal(await state(), ['2025-02-28', '2025-02-28'])
      await reopenMonth(snapshots, COMPANY, '2025-02', 'a late invoice of the landlord', { signer })
      assert.equal(await state(), ['2025-01-31', '2025-01-31'])
    },
  ),
)
