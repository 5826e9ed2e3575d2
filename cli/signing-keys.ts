/** `tieout keys signing`: lists and changes the keys that sign snapshots and logs. */
import type { Command } from 'commander'
import type { KeyDecision, KeyInfo, Pending } from '../builder/snapshot/signing/keys.ts'
import { action, examples, type Surroundings } from './terminal/command.ts'
import { EXIT, RefusedError, UsageError } from './terminal/exit.ts'
import { visible } from './terminal/money.ts'
import { reasonFrom } from './terminal/reason.ts'
import { tableText } from './terminal/table.ts'
import { wrap } from './terminal/terminal.ts'

export function declareSigningKeys(keys: Command): void {
  const signing = keys
    .command('signing')
    .summary('list and change the keys that sign snapshots and their logs')
    .description(
      'The keys that snapshots and their logs are signed with. Every change of them is a line in the log of each company, so that an auditor who has the first key can follow to the present one. "tieout snapshots key" prints the public keys.',
    )
  declareList(signing)
  declareRotate(signing)
  declareRevoke(signing)
}

function declareList(signing: Command): void {
  const list = signing
    .command('list', { isDefault: true })
    .description(
      'List the keys, the one that signs first, and the companies whose logs lack a change of them.',
    )
  examples(list, 'tieout keys signing', 'tieout keys signing list --json')
  action(list, async ({ terminal, read }) => {
    const { listSigningKeys } = await import('../builder/snapshot/signing/keys.ts')
    const found = await listSigningKeys(await read(null))
    if (found === null) throw new RefusedError('there is no key yet: the first build makes it')
    const { dim, green, red } = terminal.paint
    const colours = { signs: green, replaced: dim, revoked: red, trusted: dim }
    terminal.show(found, () =>
      [
        tableText(
          found.keys,
          [
            { title: 'Key', of: ({ kid }: KeyInfo) => kid },
            { title: 'Status', of: ({ status }) => status, colour: ({ status }) => colours[status] },
            { title: 'Until', of: ({ endedAt }) => endedAt?.slice(0, 10) ?? '' },
            { title: 'Reason', of: ({ reason }) => visible(reason ?? '') },
          ],
          terminal,
        ),
        ...pendingLines(found.pending, terminal),
      ].join('\n'),
    )
  })
}

interface RotateOptions {
  readonly reason?: string
  readonly to?: string
  readonly lost?: boolean
}

function declareRotate(signing: Command): void {
  const rotate = signing
    .command('rotate')
    .description(
      'Replace the key that signs. The old key signs which one comes after it, and every log says so; from then on the old one counts no more for what is new, and what it signed stays as it is. Where an earlier change is not in every log yet, that is finished instead.',
    )
    .option('--reason <text>', 'why: it is kept in the signed logs')
    .option(
      '--to <file>',
      'public key (PEM or JWK) of a command that signs from now on: the "signer" of tieout.yaml',
    )
    .option(
      '--lost',
      'the file with the keys is gone, and there is no backup: a new key begins, with nothing but your word that it is yours',
    )
  examples(
    rotate,
    'tieout keys signing rotate --reason "every year in January"',
    'tieout keys signing rotate --to token.pem --reason "the key lies in a token now"',
    'tieout keys signing rotate --lost --reason "the disk of the office computer broke"',
  )
  action<RotateOptions>(rotate, async ({ terminal, read }, { reason, to, lost = false }) => {
    if (lost && to !== undefined)
      throw new UsageError(
        '--lost begins with the key of this workspace, or of the "signer" in tieout.yaml; leave out --to',
      )
    const because = reason === undefined ? null : reasonFrom(reason)
    const { replaceLostKey, rotateSigningKey } = await import('../builder/snapshot/signing/keys.ts')
    const workspace = await read(null)
    const done = lost
      ? await replaceLostKey(workspace, whyLost(because))
      : await rotateSigningKey(workspace, because, to === undefined ? null : await publicKeyIn(to))
    const next =
      to !== undefined && done.decided
        ? ' Now name the command and this public key under "signer" in tieout.yaml.'
        : workspace.signer !== null && done.decided && !lost
          ? ' Now take "signer" out of tieout.yaml: the new key lies in the workspace.'
          : ''
    const said = done.decided
      ? `The key ${done.keyId} signs from now on.${next} Give the new "tieout snapshots key" to your auditor, and back up .tieout/manifest-keys.json.`
      : `An earlier change of keys was entered where it was missing; ${done.keyId} signs. Run it again to replace that key.`
    return show(done, said, terminal)
  })
}

function whyLost(reason: string | null): string {
  if (reason === null) throw new UsageError('--lost needs a --reason: an auditor will ask what happened')
  return reason
}

function declareRevoke(signing: Command): void {
  const revoke = signing
    .command('revoke')
    .description(
      'Revoke a key that does not sign any more, such as one that somebody else got hold of. What it signed before stays; whatever it signs from now on is damage, also in an archive.',
    )
    .argument(
      '<key>',
      'its id, or the beginning of it, as "tieout keys signing" shows it; write -- before one that begins with a hyphen',
    )
    .requiredOption('--reason <text>', 'why: it is kept in the signed logs')
  examples(revoke, 'tieout keys signing revoke 3p6xFzqR --reason "the old laptop was stolen"')
  action<{ reason?: string }, [key: string]>(revoke, async ({ terminal, read }, { reason = '' }, [key]) => {
    const { revokeSigningKey } = await import('../builder/snapshot/signing/keys.ts')
    const done = await revokeSigningKey(await read(null), key, reasonFrom(reason))
    return show(done, `The key ${done.keyId} is revoked${done.decided ? '' : ' already'}.`, terminal)
  })
}

async function publicKeyIn(path: string) {
  const { readPublicKey } = await import('../builder/workspace/signer-command.ts')
  return readPublicKey(path).export({ format: 'jwk' }) as import('../builder/snapshot/keys/sign.ts').JWK
}

function show(done: KeyDecision, said: string, terminal: Surroundings['terminal']) {
  terminal.show(done, () => [wrap(said, terminal.width), ...pendingLines(done.pending, terminal)].join('\n'))
  return done.pending.some(({ failed }) => failed) ? EXIT.failed : EXIT.done
}

const pendingLines = (pending: readonly Pending[], { paint, width }: Surroundings['terminal']): string[] =>
  pending.map(
    ({ company, why }) =>
      `${paint.yellow('note')}     ${wrap(`${visible(company)}: not entered in its log yet: ${visible(why)}`, width, 9)}`,
  )
