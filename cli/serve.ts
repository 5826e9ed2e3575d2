/** `tieout serve`: serves the API over published snapshots until it is stopped. */
import type { Command } from 'commander'
import { action, examples } from './command.ts'
import { leftDemo, leftDemoText } from './demo.ts'
import { EXIT } from './exit.ts'
import { portOption, withPort } from './port.ts'
import { plural } from './terminal.ts'

export function declareServe(program: Command): void {
  const command = program
    .command('serve')
    .summary('serve what is published')
    .description(
      'Serve the current snapshots until Ctrl-C or SIGTERM; answers under way are finished, a second signal ends it at once. The log has one JSON line per request, on stderr or in the file that server.log of tieout.yaml names, which SIGHUP opens anew.',
    )
    .addOption(portOption())
    .option('--quiet', 'no log')
  examples(command, 'tieout serve', 'tieout serve --port 8090 2>access.log')
  action<{ port?: number; quiet?: boolean }>(command, async ({ terminal, folder }, { port, quiet }) => {
    const { openWorkspace } = await import('../builder/workspace/workspace.ts')
    const { createAccess } = await import('../builder/workspace/access.ts')
    const { listCompanyIds } = await import('../builder/snapshot/open.ts')
    const { closeOnSignals, startServer } = await import('../serve/server.ts')
    const { openServerLog } = await import('./server-log.ts')
    const workspace = await withPort(openWorkspace(folder), port)
    const log = quiet ? null : openServerLog(workspace.server.log)
    if (log === null) process.on('SIGHUP', () => {})
    const running = await startServer(workspace, log ?? {})
    closeOnSignals(running)
    outliveOutput()
    const left = leftDemo(createAccess(workspace.access))
    if (left.length > 0) log?.line({ event: 'demo-access', detail: leftDemoText(left) })
    const companies = await listCompanyIds(workspace.snapshots)
    const { issuer } = workspace.server
    const { adminPort } = running
    terminal.show({ address: running.address, issuer, companies, adminPort }, () =>
      [
        `Tieout serves ${plural(companies.length, 'company', 'companies')} at ${terminal.paint.bold(running.address)}${companies.length > 0 ? `: ${companies.join(', ')}` : ''}`,
        ...(adminPort === null ? [] : [`Health and metrics are on port ${adminPort}`]),
        ...(issuer === running.address ? [] : [`Clients reach it as ${issuer}`]),
        ...(companies.length > 0
          ? []
          : ['Nothing is published yet: what "tieout build" publishes is served at once.']),
        ...(left.length > 0 ? [`${terminal.paint.yellow('note')}: ${leftDemoText(left)}`] : []),
        terminal.paint.dim('Ctrl-C ends it.'),
      ].join('\n'),
    )
    return EXIT.done
  })
}

/** A server continues when nobody reads its output any more, where a command ends (`main.ts`). */
export function outliveOutput(): void {
  process.stdout.removeAllListeners('error')
  process.stdout.on('error', () => {})
}
