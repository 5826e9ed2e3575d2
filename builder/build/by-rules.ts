/**
 * Chooses the rules of accounting by which a build makes the books (accounting.md §13). A company with closed months that newer rules
 * would state differently goes on under its rules until somebody adopts the newer ones; any other one is built by the newest.
 */
import { isDeepStrictEqual } from 'node:util'
import { NEWEST_RULES, rulesOfFormat } from '../books/accounting-rules.ts'
import type { StatementName } from '../contract/vocabulary.ts'
import { restatedText } from '../period-lock/closed-months.ts'
import type { Restatement } from '../snapshot/manifest.ts'
import { error, type Finding, warning } from '../workspace/finding.ts'
import { make } from './pipeline.ts'
import { type BuildResult, refusal } from './result.ts'
import type { Order } from './step.ts'

const RESTATED: Finding['code'] = 'closed-month-restated'

export async function makeByRules(order: Order): Promise<BuildResult> {
  const { currentSnapshot, lockDate, company, startedAt } = order
  const before = currentSnapshot && rulesOfFormat(currentSnapshot.manifest.Format)
  const { adopt, restate, ...asked } = order.options
  const dry = { ...asked, publish: false }
  if (before === null || before === NEWEST_RULES || lockDate.through === null)
    return make(order, NEWEST_RULES)
  if (adopt === undefined) {
    // Without the reason: that one is for what the sources change.
    const newest = await make({ ...order, options: asked }, NEWEST_RULES)
    const { restatement } = newest
    if (restatement === null || !newest.findings.some(({ code }) => code === RESTATED)) return newest
    if (restate !== undefined) {
      const { restatement: ofSources } = await make({ ...order, options: dry }, before)
      // The sources alone state closed months differently: the newer rules take nothing away.
      if (isDeepStrictEqual(ofSources, restatement)) return make(order, NEWEST_RULES)
    }
    return make({ ...order, remarks: [notAdopted(company.id, restatement)] }, before)
  }
  // Under the rules of before only the sources can state closed months differently, and adopting rules is no reason for that.
  const checked = await make({ ...order, options: dry }, before)
  const differing = checked.findings.find(({ code }) => code === RESTATED)
  if (checked.outcome === 'refused') return checked
  if (differing !== undefined)
    return refusal(
      company.id,
      startedAt,
      [
        error('rules-and-sources', `closed months differ by the rules of before too: ${differing.message}`, {
          remedy: `publish what the sources say first: tieout build ${company.id} --restate "reason"; then adopt the rules`,
        }),
      ],
      checked.restatement,
    )
  return make({ ...order, options: { ...asked, restate: adopt } }, NEWEST_RULES)
}

/** What changed with format 3, by the statement on which it shows. */
const CHANGED: Readonly<Record<StatementName, string>> = {
  CashFlow: 'the cash flow follows the entries (§5)',
  BalanceSheet: 'closing entries inside a year are matched to the results that they clear (§4)',
  ProfitAndLoss:
    'on the cash basis, receipts and payments before their documents count when they are made (§7)',
}

function notAdopted(company: string, restatement: Restatement): Finding {
  const statements = new Set(restatement.First?.map(({ Statement }) => Statement))
  const changed = Object.entries(CHANGED).flatMap(([name, says]) => (statements.has(name) ? [says] : []))
  return warning(
    'rules-not-adopted',
    `by the newer rules of this version closed months would be stated differently: ${restatedText(restatement)}${changed.length > 0 ? `; ${changed.join('; ')}` : ''}. Until they are adopted the rules of before go on`,
    {
      remedy: `adopt them: tieout rules adopt ${company} --reason "reason"; or go on under the rules of before`,
    },
  )
}
