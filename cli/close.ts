/** `tieout close` and `tieout reopen`: record in the signed log through which month a company's books are closed. */
import type { Command } from 'commander'
import type { ChangeOptions } from '../builder/snapshot/log/change.ts'
import type { Closing } from '../builder/snapshot/log/close.ts'
import type { Company } from '../builder/workspace/company.ts'
import { type Finding, FindingsError } from '../builder/workspace/findings/finding.ts'
import type { Workspace } from '../builder/workspace/workspace.ts'
import { action, examples } from './terminal/command.ts'
import { EXIT, UsageError } from './terminal/exit.ts'
import { reasonFrom } from './terminal/reason.ts'
import { waitingText } from './terminal/waiting.ts'

interface Decision {
  readonly workspace: Workspace
  readonly company: string
  readonly month: string
  readonly options: ChangeOptions
  /** The company.yaml of the company; null where it cannot be read. */
  readonly settings: Company | null
}

export function declareClose(program: Command): void {
  const command = program
    .command('close')
    .summary('close a month, and all before it')
    .description(
      'Close a month of a company and all months before it, as the current snapshot states them. From then on a build that would state them differently is refused, unless --restate says why. Nothing is published: who closed them, and when, is a line of the signed log ("tieout snapshots log").',
    )
    .argument('<company>', 'its id')
    .argument('<month>', 'the last month that is closed, such as 2026-02')
  examples(command, 'tieout close acme 2026-02', 'tieout close acme 2026-02 --json')
  declareDecision(command, async ({ workspace, company, month, options, settings }) => {
    const { closeMonth } = await import('../builder/snapshot/log/close.ts')
    const { dateAt } = await import('../builder/build/result.ts')
    const today = dateAt(Date.now(), settings?.timeZone)
    const { COMMENTARY } = await import('../builder/workspace/source-files.ts')
    const isRequired = settings?.closing?.commentary === 'required'
    const commentary = isRequired ? `${COMMENTARY}/${month}.md` : null
    if (isRequired) await refuseOtherSettings(workspace, settings, month)
    return closeMonth(workspace.snapshots, company, month, { today, commentary, ...options })
  })
}

/** What is material, and that commentary is required, may stand in company.yaml only since the snapshot was built. */
async function refuseOtherSettings(workspace: Workspace, settings: Company, month: string): Promise<void> {
  const { isBuiltWith } = await import('../builder/build/up-to-date.ts')
  const { ChangeRefusedError } = await import('../builder/system/refusals.ts')
  if (await isBuiltWith(workspace, settings)) return
  throw new ChangeRefusedError(
    `${month} cannot be closed: closing requires commentary, and company.yaml was changed since the snapshot was built. Build again, and then close: tieout build ${settings.id}`,
  )
}

export function declareReopen(program: Command): void {
  const command = program
    .command('reopen')
    .summary('open a closed month, and all after it, again')
    .description(
      'Open a closed month of a company and all months after it again: the books are closed through the month before. Builds may state the opened months differently from then on. Nothing is published: who opened them, when and why is a line of the signed log ("tieout snapshots log").',
    )
    .argument('<company>', 'its id')
    .argument('<month>', 'the first month that is opened, such as 2026-02')
    .requiredOption('--reason <text>', 'why, in at least ten letters: it is kept in the signed log')
  examples(command, 'tieout reopen acme 2026-02 --reason "the bank statement of 26 February came late"')
  declareDecision(command, async ({ workspace, company, month, options }, reason) => {
    const { reopenMonth } = await import('../builder/snapshot/log/close.ts')
    return reopenMonth(workspace.snapshots, company, month, reasonFrom(reason), options)
  })
}

function declareDecision(
  command: Command,
  decide: (decision: Decision, reason: string) => Promise<Closing>,
): void {
  action<{ reason?: string }, [company: string, month: string]>(
    command,
    async ({ terminal, changing }, { reason = '' }, [company, month]) => {
      const { changeOptions } = await import('../builder/snapshot/signing/change-options.ts')
      if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
        throw new UsageError(`"${month}" is not a month; write it as 2026-02`)
      const { workspace, change } = await changing()
      const { value: settings, findings } = await settingsOf(workspace, company)
      // What closing requires stands there.
      if (command.name() === 'close' && findings.length > 0) throw new FindingsError(findings)
      const decided = await change(company, async (at) =>
        decide({ workspace: at, company, month, options: await changeOptions(at), settings }, reason),
      )
      const { candidate } = decided
      const note = candidate === null ? settingNote(settings, decided.closedThrough) : null
      terminal.show({ company, month, ...decided, note }, () =>
        [
          candidate === null
            ? closingText(company, decided)
            : waitingText(company, candidate, terminal.width),
          ...(note === null ? [] : [note]),
        ].join('\n'),
      )
      return candidate === null ? undefined : EXIT.waiting
    },
  )
}

/** The settings, with why they cannot be read; neither where only snapshots of the company are here. */
async function settingsOf(
  workspace: Workspace,
  company: string,
): Promise<{ readonly value: Company | null; readonly findings: readonly Finding[] }> {
  const { listCompanies, readCompany } = await import('../builder/workspace/workspace.ts')
  if (!listCompanies(workspace).includes(company)) return { value: null, findings: [] }
  const { value, findings } = readCompany(workspace, company)
  return { value, findings: value === null ? findings : [] }
}

function closingText(company: string, { changed, closedThrough, before, logHead }: Closing): string {
  if (!changed) return `${company}: closed through ${closedThrough} already; nothing was changed.`
  const was = before === null ? 'until now no month was' : `until now they were through ${before}`
  return `${company}: the books are closed through ${closedThrough} now; ${was}. Head of the log: ${logHead}`
}

/** Warns where `lockDate` in company.yaml differs from the log, because the next build considers both. */
function settingNote(settings: Company | null, closedThrough: string): string | null {
  const lockDate = settings?.lockDate
  if (lockDate === undefined || lockDate === closedThrough) return null
  return lockDate < closedThrough
    ? `company.yaml still says lockDate: ${lockDate}. Take it out, or write ${closedThrough}: until then builds are refused.`
    : `company.yaml still says lockDate: ${lockDate}. Take it out, or write ${closedThrough}: until then these months stay closed.`
}
