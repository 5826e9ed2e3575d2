/**
 * `tieout keys`: lists and changes the keys that sign access tokens, also while servers run, and those that sign
 * snapshots.
 */
import type { Command } from 'commander'
import type { TokenKeyInfo } from '../serve/oauth/keys/key-rotation.ts'
import { declareSigningKeys } from './signing-keys.ts'
import { action, examples } from './terminal/command.ts'
import { RefusedError } from './terminal/exit.ts'
import { tableText } from './terminal/table.ts'
import { LONGEST_MINUTES } from './token.ts'

export function declareKeys(program: Command): void {
  const keys = program
    .command('keys')
    .summary('list and change the keys that sign access tokens and snapshots')
    .description(
      'The keys that access tokens are signed with, and those of snapshots ("tieout keys signing"). No command shows a secret part of them.',
    )
  declareList(keys)
  declareRotate(keys)
  declareSigningKeys(keys)
}

const NO_KEYS = 'there are no keys yet: a server makes them when it first starts'

function declareList(keys: Command): void {
  const list = keys.command('list', { isDefault: true }).description('List the keys, oldest first.')
  examples(list, 'tieout keys list')
  action(list, async ({ terminal, open }) => {
    const { listKeys } = await import('../serve/oauth/keys/key-rotation.ts')
    const found = await listKeys((await open()).server.state, Date.now())
    if (found === null) throw new RefusedError(NO_KEYS)
    const { dim, green, yellow } = terminal.paint
    const colours = { announced: yellow, signing: green, ending: dim, ended: dim }
    terminal.show({ keys: found.map(documentOf) }, () =>
      tableText(
        found,
        [
          { title: 'Key', of: ({ kid }) => kid },
          { title: 'Status', of: ({ status }) => status, colour: ({ status }) => colours[status] },
          { title: 'Signs from', of: ({ useFrom }) => timeText(useFrom) },
          { title: 'Ends', of: ({ endsAt }) => (endsAt === null ? '-' : timeText(endsAt)) },
        ],
        terminal,
      ),
    )
  })
}

function declareRotate(keys: Command): void {
  const rotate = keys
    .command('rotate')
    .description(
      'Make a new key. Running servers publish it at once and sign with it as soon as nobody can have an older copy of the published keys; the present one works until its last token has expired. Clients notice nothing.',
    )
    .option(
      '--compromised',
      'somebody else may have the keys: all of them end now, and with them every access, every sign-in and every page under way; users have to connect their applications again',
    )
  examples(rotate, 'tieout keys rotate', 'tieout keys rotate --compromised')
  action<{ compromised?: boolean }>(rotate, async ({ terminal, open }, { compromised = false }) => {
    const { rotateKeys } = await import('../serve/oauth/keys/key-rotation.ts')
    const { server } = await open()
    const longestTokenSeconds = Math.max(server.accessTokenSeconds, LONGEST_MINUTES * 60)
    const rotated = await rotateKeys(server.state, Date.now(), {
      longestTokenSeconds,
      compromised,
    })
    if (rotated.outcome === 'no-keys') throw new RefusedError(NO_KEYS)
    if (rotated.outcome === 'changed-meanwhile')
      throw new RefusedError('the keys were changed by somebody else at the same moment; try again')
    const { key } = rotated
    if (rotated.outcome === 'announced-already')
      throw new RefusedError(`a new key is announced already; it signs from ${timeText(key.useFrom)}`)
    terminal.show({ key: documentOf(key) }, () =>
      compromised
        ? `The key ${key.kid} signs from now on. All others have ended, and all access with them: users have to connect their applications again.`
        : `The key ${key.kid} is announced; it signs from ${timeText(key.useFrom)}.`,
    )
  })
}

const documentOf = ({ kid, status, useFrom, endsAt }: TokenKeyInfo) => ({
  kid,
  status,
  signsFrom: new Date(useFrom).toISOString(),
  endsAt: endsAt === null ? null : new Date(endsAt).toISOString(),
})

const timeText = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
