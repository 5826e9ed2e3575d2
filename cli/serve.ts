/** `tieout serve`: serves the API over published snapshots until it is stopped. */
import type { Command } from 'commander'
import { queueLoad } from './queue/queue.ts'
import type { ServerLog } from './serving/log.ts'
import { action, examples } from './terminal/command.ts'
import { portOption, withPort } from './terminal/port.ts'
import { plural } from './terminal/terminal.ts'

export function declareServe(program: Command): void {
  const command = program
    .command('serve')
    .summary('serve what is published')
    .description(
      'Serve the current snapshots until Ctrl-C or SIGTERM; answers under way are finished, a second signal ends it at once. The log has one JSON line per request, on stderr or in the file that server.log of tieout.yaml names, which SIGHUP opens anew.',
    )
    .addOption(portOption())
    .option('--quiet', 'write no log')
  examples(command, 'tieout serve', 'tieout serve --port 8090 2>access.log')
  action<Options>(command, async ({ terminal, open }, { port, quiet }) => {
    // A server is told to open its log again whenever logs are rotated, also while it starts.
    process.on('SIGHUP', () => {})
    const { listCompanyIds } = await import('../builder/snapshot/files/open.ts')
    const { closeOnSignals, startServer } = await import('../serve/server.ts')
    const { openServerLog } = await import('./serving/log.ts')
    const workspace = await withPort(await open(), port)
    const log: Partial<ServerLog> = quiet ? {} : openServerLog(workspace.server)
    const queue = workspace.queue && (() => queueLoad(workspace))
    const running = await startServer(workspace, { ...log, queue })
    closeOnSignals(running)
    outliveOutput()
    const companies = await listCompanyIds(workspace.snapshots)
    const { issuer } = workspace.server
    const { address, adminPort } = running
    terminal.show({ address, issuer, companies, adminPort }, () =>
      [
        `Tieout serves ${plural(companies.length, 'company', 'companies')} at ${terminal.paint.bold(address)}${companies.length > 0 ? `: ${companies.join(', ')}` : ''}`,
        ...(adminPort === null ? [] : [`Health and metrics are on port ${adminPort}`]),
        ...(issuer === address ? [] : [`Clients reach it as ${issuer}`]),
        ...(companies.length > 0
          ? []
          : ['Nothing is published yet: what "tieout build" publishes is served at once.']),
        terminal.paint.dim('Ctrl-C ends it.'),
      ].join('\n'),
    )
  })
}

interface Options {
  readonly port?: number
  readonly quiet?: boolean
}

/** A server continues when nobody reads its output any more, where a command ends (`process.ts`). */
export function outliveOutput(): void {
  process.stdout.removeAllListeners('error')
  process.stdout.on('error', () => {})
}
