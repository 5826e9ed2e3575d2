/** `tieout snapshots stamp`: asks for the time stamps of what was published, and says for a build what came of it. */
import type { Command } from 'commander'
import type { Stamped } from '../builder/snapshot/keys/fetch-stamps.ts'
import type { TimestampSettings } from '../builder/workspace/timestamp-settings.ts'
import { action, examples } from './terminal/command.ts'
import { EXIT, RefusedError } from './terminal/exit.ts'
import { type Changing, changeIn, publishedCompanies } from './terminal/location.ts'
import { visible } from './terminal/money.ts'
import { plural, type Terminal, wrap } from './terminal/terminal.ts'

export function declareStamp(snapshots: Command): void {
  const stamp = snapshots
    .command('stamp')
    .description(
      'Ask the time-stamping authority of tieout.yaml (RFC 3161) for a stamp of each manifest that has none, pruned ones included. A stamp proves to whoever believes the authority that the snapshot was there at that time: "tieout verify --tsa <certificate.pem>". A build asks by itself; this asks again for what did not come.',
    )
    .argument('[company...]', 'ids of companies (default: all that are published)')
  examples(stamp, 'tieout snapshots stamp', 'tieout snapshots stamp harbor')
  action(stamp, async ({ terminal, read }, _options, ids) => {
    const workspace = await read(null)
    const { snapshots, timestamp } = workspace
    if (timestamp === null)
      throw new RefusedError(
        'tieout.yaml names no time-stamping authority; write for example "timestamp: https://freetsa.org/tsr"',
      )
    const companies = await publishedCompanies(snapshots, ids)
    const done = await stampAll(changeIn(workspace, terminal), timestamp, companies)
    terminal.show({ companies: done }, () => done.map((each) => stampText(each, terminal)).join('\n'))
    return done.some(({ problem }) => problem !== null) ? EXIT.failed : EXIT.done
  })
}

/**
 * Asks for the stamps of each company. Once the authority could not be reached, the remaining companies are only
 * listed.
 */
export async function stampAll(
  change: Changing['change'],
  timestamp: TimestampSettings,
  companies: readonly string[],
): Promise<Stamped[]> {
  const { stampCompany, stampingOf } = await import('../builder/snapshot/keys/fetch-stamps.ts')
  const stamping = await stampingOf(timestamp)
  const done: Stamped[] = []
  for (const company of companies)
    done.push(await change(company, ({ snapshots }) => stampCompany(snapshots, company, stamping)))
  return done
}

export const stampText = (
  { company, stamped, unstamped, problem }: Stamped,
  { width }: Pick<Terminal, 'width'>,
): string =>
  wrap(
    problem === null
      ? `${company}: ${stamped.length === 0 ? 'every snapshot has its time stamp' : `${plural(stamped.length, 'snapshot was', 'snapshots were')} stamped`}.`
      : `${company}: ${plural(unstamped.length, 'snapshot is', 'snapshots are')} unstamped (${unstamped.join(', ')}): ${visible(problem)}. "tieout snapshots stamp ${company}" asks again.`,
    width,
  )
