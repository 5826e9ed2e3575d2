/**
 * Chooses the rules of accounting by which a build makes the books (accounting.md §13). A company with closed months that newer rules
 * would state differently goes on under its rules until somebody adopts the newer ones; any other one is built by the newest.
 */
import { isDeepStrictEqual } from 'node:util'
import { type AccountingRules, NEWEST_RULES, rulesOfFormat } from '../books/post/accounting-rules.ts'
import { restatedText } from '../snapshot/closing/closed-months.ts'
import type { Restatement } from '../snapshot/files/manifest.ts'
import { error, type Finding, warning } from '../workspace/findings/finding.ts'
import { make } from './pipeline.ts'
import { type BuildResult, refusal } from './result.ts'
import type { Order } from './step.ts'

/** Findings by which the guard over closed months refuses a build without a reason. */
const RESTATED: readonly Finding['code'][] = ['closed-month-restated', 'restatement-unknown']

export async function makeByRules(order: Order): Promise<BuildResult> {
  const { currentSnapshot, lockDate, company, startedAt } = order
  const before = currentSnapshot && rulesOfFormat(currentSnapshot.manifest.Format)
  const { adopt, restate, ...asked } = order.options
  const dry = { ...asked, publish: false }
  if (before === null || before === NEWEST_RULES || lockDate.through === null)
    return make(order, NEWEST_RULES)
  if (adopt === undefined) {
    // The first attempt gets no reason: the reason is for what the sources change.
    const newest = await make({ ...order, options: asked }, NEWEST_RULES)
    const { restatement } = newest
    if (restatement === null || !newest.findings.some(({ code }) => RESTATED.includes(code))) return newest
    // A damaged snapshot cannot be compared: it is replaced under its own rules.
    if (restatement.Uncompared !== undefined) return make(order, before)
    if (restate !== undefined) {
      const { restatement: ofSources } = await make({ ...order, options: dry }, before)
      // The sources alone state closed months differently: the newer rules take nothing away.
      if (isDeepStrictEqual(ofSources, restatement)) return make(order, NEWEST_RULES)
    }
    return make({ ...order, remarks: [notAdopted(company.id, before, restatement)] }, before)
  }
  // Under the rules of before only the sources can change closed months, and adopting newer rules is no reason for that.
  const checked = await make({ ...order, options: dry }, before)
  const differing = checked.findings.find(({ code }) => RESTATED.includes(code))
  if (checked.outcome === 'refused') return checked
  if (differing !== undefined)
    return refusal(
      company.id,
      startedAt,
      [
        error(
          'rules-and-sources',
          `the rules of before do not give closed months as they were published: ${differing.message}`,
          {
            remedy: `publish what the sources say first: tieout build ${company.id} --restate "reason"; then adopt the rules`,
          },
        ),
      ],
      checked.restatement,
    )
  return make({ ...order, options: { ...asked, restate: adopt } }, NEWEST_RULES)
}

/** What changed with the formats after a snapshot's. */
const CHANGED = {
  3: 'the cash flow follows the entries (§5), and closing entries inside a year are matched to the results that they clear (§4)',
  4: 'money on the derived cash basis is unapplied until its document is there (§7)',
}

function notAdopted(company: string, before: AccountingRules, restatement: Restatement): Finding {
  const changed = [...(before < 3 ? [CHANGED[3]] : []), CHANGED[4]].join('; ')
  return warning(
    'rules-not-adopted',
    `by the newer rules of this version closed months would be stated differently: ${restatedText(restatement)}. With them ${changed}. Until they are adopted the rules of before go on`,
    {
      remedy: `adopt them: tieout rules adopt ${company} --reason "reason"; or go on under the rules of before`,
    },
  )
}
