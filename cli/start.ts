/**
 * `tieout start`, which `npm start` runs: builds everything, serves it with demo credentials that are deleted at
 * the end, and prints one command to try.
 */
import type { Command } from 'commander'
import { type Demo, demoWorkspace, endDemo, makeDemo } from './demo.ts'
import { type Builds, buildAll, buildsText } from './pool/builds.ts'
import { outliveOutput } from './serve.ts'
import { action, examples } from './terminal/command.ts'
import { RefusedError } from './terminal/exit.ts'
import { portOption, withPort } from './terminal/port.ts'
import { SIGNALS } from './terminal/stopping.ts'
import type { Terminal } from './terminal/terminal.ts'
import { DEFAULT_MINUTES } from './token.ts'

export function declareStart(program: Command): void {
  const command = program
    .command('start')
    .summary('build all, make demo credentials, serve')
    .description(
      'Build every company, and serve them on this computer until Ctrl-C to a demo user and client, which are gone when it ends. The users and clients of access.yaml are not served.',
    )
    .addOption(portOption())
    .option('--log', 'write the log to stderr, one JSON line per request')
  examples(command, 'tieout start', 'tieout start --port 0')
  action<{ port?: number; log?: boolean }>(command, async ({ terminal, open }, { port, log }) => {
    if (process.env.npm_lifecycle_event === 'start') endWithParent()
    const { isLoopback, listCompanies } = await import('../builder/workspace/workspace.ts')
    const { closeOnSignals, startServer } = await import('../serve/server.ts')
    const workspace = await withPort(await open(), port)
    const { host, issuer } = workspace.server
    if (!isLoopback(host) || !isLoopback(new URL(issuer).hostname))
      throw new RefusedError(
        `tieout.yaml makes the server reachable as ${issuer} on ${host}: demo secrets are for 127.0.0.1 only. Use "tieout build" and "tieout serve".`,
      )
    const built = await buildAll(workspace, listCompanies(workspace), { publish: true }, terminal)
    const shown = demoWorkspace(workspace)
    try {
      const demo = await makeDemo(shown)
      const { logToStderr } = await import('./serving/log.ts')
      const running = await startServer(shown, log ? logToStderr() : {})
      const close = () => running.close().finally(() => endDemo(shown))
      // The demonstration ends with the terminal in which it was started.
      closeOnSignals({ close }, SIGNALS)
      outliveOutput()
      terminal.show({ address: running.address, ...demo, companies: built.builds }, () =>
        startText(running.address, demo, built, terminal),
      )
    } catch (problem) {
      endDemo(shown)
      throw problem
    }
  })
}

/**
 * npm passes SIGTERM on to the shell that runs its script. The shell ends without signalling this process, so that
 * the parent is watched.
 */
function endWithParent(): void {
  const parent = process.ppid
  const looking = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(looking)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  looking.unref()
}

function startText(
  address: string,
  { user, client, curl }: Demo,
  { builds }: Builds,
  terminal: Terminal,
): string {
  const { bold, dim } = terminal.paint
  return [
    ...(builds.length > 0 ? [buildsText(builds, terminal), ''] : []),
    `Tieout serves at ${bold(address)}`,
    '',
    `  Demo user      ${user.email}`,
    `  Password       ${user.password}`,
    `  Client id      ${client.id}`,
    `  Client secret  ${client.secret}`,
    `  Redirect URI   ${client.redirectUri} (any port)`,
    '',
    `Try it, within ${DEFAULT_MINUTES} minutes:`,
    '',
    curl,
    '',
    dim('Passwords and secrets are new each time. Ctrl-C ends the server.'),
    '',
    `Look at the statements, signed in as the demo user: ${bold(`${address}/reports/`)}`,
  ].join('\n')
}
