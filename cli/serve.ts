/** `tieout serve`: serves the API over published snapshots until it is stopped. */
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import type { Workspace } from '../builder/workspace/workspace.ts'
import type { RunningServer } from '../serve/server.ts'
import { action, examples } from './command.ts'
import { leftDemo, leftDemoText } from './demo.ts'
import { EXIT, RefusedError, UsageError } from './exit.ts'
import { portOption, withPort } from './port.ts'
import type { ServerLog } from './serving/log.ts'
import { plural } from './terminal.ts'

export function declareServe(program: Command): void {
  const command = program
    .command('serve')
    .summary('serve what is published')
    .description(
      'Serve the current snapshots until Ctrl-C or SIGTERM; answers under way are finished, a second signal ends it at once. The log has one JSON line per request, on stderr or in the file that server.log of tieout.yaml names, which SIGHUP opens anew.',
    )
    .addOption(portOption())
    .option('--processes <number>', 'how many processes answer, instead of server.processes in tieout.yaml')
    .option('--quiet', 'write no log')
  examples(
    command,
    'tieout serve',
    'tieout serve --port 8090 2>access.log',
    'tieout serve --processes 4 --quiet',
  )
  action<Options>(command, async ({ terminal, folder }, { port, processes, quiet }) => {
    // A server is told to open its log again whenever logs are rotated, also while it starts.
    process.on('SIGHUP', () => {})
    const { openWorkspace } = await import('../builder/workspace/workspace.ts')
    const { createAccess } = await import('../builder/workspace/access.ts')
    const { listCompanyIds } = await import('../builder/snapshot/open.ts')
    const { closeOnSignals } = await import('../serve/server.ts')
    const { openServerLog } = await import('./serving/log.ts')
    const workspace = await settingsOf(openWorkspace(folder), port, processes)
    const log: Partial<ServerLog> = quiet ? {} : openServerLog(workspace.server)
    const running = await startAll(workspace, log, quiet === true)
    closeOnSignals(running)
    outliveOutput()
    const left = leftDemo(createAccess(workspace.access))
    if (left.length > 0) log.line?.({ event: 'demo-access', detail: leftDemoText(left) })
    const companies = await listCompanyIds(workspace.snapshots)
    const { issuer } = workspace.server
    const { address, adminPort, givenUp } = running
    const { processes: count } = workspace.server
    terminal.show({ address, issuer, companies, adminPort, processes: count }, () =>
      [
        `Tieout serves ${plural(companies.length, 'company', 'companies')} at ${terminal.paint.bold(address)}${companies.length > 0 ? `: ${companies.join(', ')}` : ''}`,
        ...(count === 1 ? [] : [`${count} processes answer`]),
        ...(adminPort === null ? [] : [`Health and metrics are on port ${adminPort}`]),
        ...(issuer === address ? [] : [`Clients reach it as ${issuer}`]),
        ...(companies.length > 0
          ? []
          : ['Nothing is published yet: what "tieout build" publishes is served at once.']),
        ...(left.length > 0 ? [`${terminal.paint.yellow('note')}: ${leftDemoText(left)}`] : []),
        terminal.paint.dim('Ctrl-C ends it.'),
      ].join('\n'),
    )
    if (givenUp !== null) {
      const reason = await givenUp
      await running.close()
      throw new RefusedError(`the server has ended: ${reason}`)
    }
    return EXIT.done
  })
}

interface Options {
  readonly port?: number
  readonly processes?: string
  readonly quiet?: boolean
}

/** The options of one run. All processes must use one port, so that a free one is found before they start. */
async function settingsOf(
  workspace: Workspace,
  port: number | undefined,
  asked: string | undefined,
): Promise<Workspace> {
  const processes = asked === undefined ? workspace.server.processes : await processesOf(asked)
  const isAnyPort = processes > 1 && workspace.server.port === 0
  const { server, ...rest } = await withPort(workspace, port ?? (isAnyPort ? 0 : undefined))
  return { ...rest, server: { ...server, processes } }
}

async function processesOf(asked: string): Promise<number> {
  const { MOST_PROCESSES } = await import('../builder/workspace/workspace.ts')
  const processes = /^\d{1,4}$/.test(asked) ? Number(asked) : 0
  if (processes < 1 || processes > MOST_PROCESSES)
    throw new UsageError(
      `--processes must be a number from 1 to ${MOST_PROCESSES}, not "${asked}"; one for each core, but one, is a good choice`,
    )
  return processes
}

/** `givenUp` resolves where several processes ended again and again. */
async function startAll(
  workspace: Workspace,
  log: Partial<ServerLog>,
  quiet: boolean,
): Promise<Pick<RunningServer, 'address' | 'adminPort' | 'close'> & { givenUp: Promise<string> | null }> {
  if (workspace.server.processes === 1) {
    const { startServer } = await import('../serve/server.ts')
    return { ...(await startServer(workspace, log)), givenUp: null }
  }
  const { startProcesses } = await import('../serve/process/primary.ts')
  const module = fileURLToPath(new URL(`./serving/process${extname(import.meta.url)}`, import.meta.url))
  return startProcesses(workspace, { ...log, module, quiet })
}

/** A server continues when nobody reads its output any more, where a command ends (`main.ts`). */
export function outliveOutput(): void {
  process.stdout.removeAllListeners('error')
  process.stdout.on('error', () => {})
}
