/** `tieout client`: registers the applications that may ask for data, and their secrets. */
import type { Command } from 'commander'
import { action, examples } from './terminal/command.ts'

interface AddOptions {
  readonly redirectUri: readonly string[]
  readonly requirePkce?: boolean
  readonly loopbackPort?: boolean
  readonly ledger?: boolean
}

export function declareClient(program: Command): void {
  const client = program
    .command('client')
    .summary('register the applications that may ask for data')
    .description('Register the applications that may ask for data.')
  declareClientAdd(client)
  declareNewSecret(client)
  declareClientRemove(client)
}

function declareClientAdd(client: Command): void {
  const add = client
    .command('add')
    .description('Register an application. Its secret is printed once; only the hash is stored.')
    .argument('<name>', 'as users see it on the consent page')
    .requiredOption('--redirect-uri <uri...>', 'where answers may be sent; compared character by character')
    .option('--require-pkce', 'refuse authorizations without PKCE')
    .option('--ledger', 'allow it to ask users for every posting (scope read:ledger)')
    .option('--loopback-port', 'accept any port of a registered http://127.0.0.1 or http://[::1] address')
  examples(
    add,
    'tieout client add "Reporting Cloud" --redirect-uri https://app.reporting.example/callback',
    'tieout client add "My laptop" --redirect-uri http://127.0.0.1/callback --loopback-port',
  )
  action<AddOptions, [name: string]>(add, async ({ terminal, open }, options, [name]) => {
    const { addClient } = await import('../builder/workspace/access/access-edit.ts')
    const { withAccess } = await import('../serve/oauth/state/shared-access.ts')
    const { id, secret } = await withAccess(await open(), (place) =>
      addClient(place, {
        name,
        redirectUris: options.redirectUri,
        ...(options.requirePkce ? { requirePkce: true } : {}),
        ...(options.loopbackPort ? { allowLoopbackPort: true } : {}),
        ...(options.ledger ? { allowLedger: true } : {}),
      }),
    )
    terminal.show({ id, name, secret, redirectUris: options.redirectUri }, () =>
      [
        `${terminal.paint.green('Added')} the client ${name}.`,
        `Client id:     ${id}`,
        `Client secret: ${secret}`,
        'The secret is shown this once; only its hash is stored.',
      ].join('\n'),
    )
  })
}

function declareNewSecret(client: Command): void {
  const renew = client
    .command('new-secret')
    .description('Make a new secret for a client, and print it once.')
    .argument('<client-id>', 'as "tieout client add" printed it')
    .option('--keep-previous', 'keep the present secret valid until this is called again without the option')
  examples(renew, 'tieout client new-secret 4f1c2a90b7d3e856 --keep-previous')
  action<{ keepPrevious?: boolean }, [id: string]>(renew, async ({ terminal, open }, options, [id]) => {
    const { setSecret } = await import('../builder/workspace/access/access-edit.ts')
    const { withAccess } = await import('../serve/oauth/state/shared-access.ts')
    const keepPrevious = options.keepPrevious === true
    const { secret } = await withAccess(await open(), (place) => setSecret(place, id, { keepPrevious }))
    terminal.show({ id, secret }, () =>
      [
        `Client secret: ${secret}`,
        `It is shown this once; the previous one ${options.keepPrevious ? 'works on' : 'has ended'}.`,
      ].join('\n'),
    )
  })
}

function declareClientRemove(client: Command): void {
  const remove = client
    .command('remove')
    .description('Remove an application. What users have granted it ends at once.')
    .argument('<client-id>', 'as "tieout client add" printed it')
  examples(remove, 'tieout client remove 4f1c2a90b7d3e856')
  action<object, [id: string]>(remove, async ({ terminal, open }, _options, [id]) => {
    const { removeClient } = await import('../builder/workspace/access/access-edit.ts')
    const { withAccess } = await import('../serve/oauth/state/shared-access.ts')
    await withAccess(await open(), (place) => removeClient(place, id))
    terminal.show({ id }, () => `${terminal.paint.green('Removed')} the client ${id}.`)
  })
}
