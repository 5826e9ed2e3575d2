/**
 * `tieout approvers`: lists who approves what a company publishes, as its log states it; makes their keys, and
 * proposes other approvers.
 */
import { relative, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Approver } from '../builder/snapshot/approval/approval.ts'
import { action, examples } from './terminal/command.ts'
import { EXIT, RefusedError, UsageError } from './terminal/exit.ts'
import { publishedCompanies } from './terminal/location.ts'
import { visible } from './terminal/money.ts'
import { newPassphrase } from './terminal/password.ts'
import { reasonFrom } from './terminal/reason.ts'
import { tableText } from './terminal/table.ts'
import { wrap } from './terminal/terminal.ts'
import { waitingText } from './terminal/waiting.ts'

export function declareApprovers(program: Command): void {
  const approvers = program
    .command('approvers')
    .summary('list who approves what is published, and propose others')
    .description(
      'Who approves what is published, before it is served: one of them, with a key of their own, never whoever built it. "approval: required" and the approvers of tieout.yaml count from the first build that one of them approves; from then on the log of the company names them, and only an approval changes that.',
    )
  declareList(approvers)
  declareKey(approvers)
  declareKeys(approvers)
  declarePropose(approvers)
}

function declareList(approvers: Command): void {
  const list = approvers
    .command('list', { isDefault: true })
    .description('List who approves what is published of companies, as their logs name them.')
    .argument('[company...]', 'ids of companies (default: all that are published)')
  examples(list, 'tieout approvers', 'tieout approvers list acme --json')
  action(list, async ({ terminal, read }, _options, ids) => {
    const { readHistory } = await import('../builder/snapshot/log/history.ts')
    const { keyIdOf } = await import('../builder/snapshot/keys/sign.ts')
    const { areSame } = await import('../builder/snapshot/approval/approval.ts')
    const workspace = await read(ids.length > 0 ? ids : null)
    const published = await publishedCompanies(workspace.snapshots, ids)
    const companies = await Promise.all(
      published.map(async (company) => {
        const inForce = (await readHistory(workspace.snapshots, company)).approvers
        const named = await Promise.all(
          inForce.map(async ({ Name, Key }) => ({ name: Name, key: Key, keyId: await keyIdOf(Key) })),
        )
        return { company, approvers: named, asInSettings: areSame(inForce, workspace.approvers) }
      }),
    )
    terminal.show({ companies }, () => {
      const rows = companies.flatMap(({ company, approvers: all }) =>
        all.length > 0
          ? all.map((each) => ({ company, ...each }))
          : [{ company, name: 'nobody has to', key: '', keyId: '' }],
      )
      if (rows.length === 0) return 'Nothing is published yet.'
      const table = tableText(
        rows,
        [
          { title: 'Company', of: ({ company }) => company },
          { title: 'Approved by', of: ({ name }) => visible(name) },
          { title: 'Public key', of: ({ key }) => key },
          { title: 'Key id', of: ({ keyId }) => keyId },
        ],
        terminal,
      )
      const others = companies.filter(({ asInSettings }) => !asInSettings)
      return [
        table,
        ...others.map(({ company }) =>
          wrap(
            `${company}: tieout.yaml says something else; the log counts. To bring it into the log: tieout approvers propose ${company} --reason "…"`,
            terminal.width,
          ),
        ),
      ].join('\n')
    })
  })
}

function declareKey(approvers: Command): void {
  const key = approvers
    .command('key')
    .description(
      'Make a key for somebody who approves: a private key in a file of their own, outside of the workspace, and the public part, which goes into tieout.yaml. A passphrase is asked for, or taken from TIEOUT_APPROVER_PASSPHRASE; empty: the file is not encrypted.',
    )
    .requiredOption('--to <file>', 'where the private key is written; only its owner can read it')
    .option('--name <name>', 'who approves with it', 'Ann Berg')
  examples(key, 'tieout approvers key --to ~/approver.pem --name "Ann Berg"')
  action<{ to: string; name: string }>(key, async ({ terminal, open }, { to, name }) => {
    const { makeApproverKey } = await import('../builder/snapshot/approval/approver-key.ts')
    const path = resolve(to)
    // The check applies only within a workspace; a key may be made before there is one.
    const state = await open().then(
      (workspace) => workspace.state,
      () => null,
    )
    if (state !== null && !relative(state, path).startsWith('..'))
      throw new UsageError(
        `${to} is where the workspace keeps its own keys: whoever builds has them, and must not have this one`,
      )
    const passphrase = await newPassphrase(terminal.io)
    const publicKey = makeApproverKey(path, passphrase)
    terminal.show({ file: path, name, key: publicKey, encrypted: passphrase !== null }, () =>
      [`approval: required`, `approvers:`, `  - { name: ${JSON.stringify(name)}, key: ${publicKey} }`].join(
        '\n',
      ),
    )
    terminal.note(
      `The private key is in ${path}${passphrase === null ? ', not encrypted' : ', encrypted'}: keep it where whoever builds cannot read it. The lines above go into tieout.yaml.`,
    )
  })
}

function declareKeys(approvers: Command): void {
  const keys = approvers
    .command('keys')
    .description(
      'Print the public keys of those who approve what is published of a company, as a JWK Set. Give it to your auditor: "tieout verify --approvers <file>" then knows whose approvals count.',
    )
    .argument('<company>', 'its id')
  examples(keys, 'tieout approvers keys acme > acme-approvers.jwks.json')
  action<object, [company: string]>(keys, async ({ terminal, read }, _options, [company]) => {
    const { readHistory } = await import('../builder/snapshot/log/history.ts')
    const { jwkOf } = await import('../builder/snapshot/keys/sign.ts')
    const { approvers: all } = await readHistory((await read([company])).snapshots, company)
    if (all.length === 0) throw new RefusedError(`nobody has to approve what is published of "${company}"`)
    const set = { keys: await Promise.all(all.map(({ Key }: Approver) => jwkOf(Key))) }
    // The output is the same with and without --json, because programs read it.
    terminal.show(set, () => JSON.stringify(set, null, 2))
  })
}

function declarePropose(approvers: Command): void {
  const propose = approvers
    .command('propose')
    .description(
      'Propose that the approvers of tieout.yaml are those of a company from now on: others than before, or none, where tieout.yaml does not require approval any more. One of the present approvers has to approve it; where there are none yet, one of the new.',
    )
    .argument('<company>', 'its id')
    .requiredOption('--reason <text>', 'why, in at least ten letters: it is kept in the signed log')
  examples(propose, 'tieout approvers propose acme --reason "Bo Ek approves in the place of Ann Berg"')
  action<{ reason: string }, [company: string]>(
    propose,
    async ({ terminal, changing }, { reason }, [company]) => {
      const { changeOptions } = await import('../builder/snapshot/signing/change-options.ts')
      const { proposeApprovers } = await import('../builder/snapshot/approval/approvers.ts')
      const { change } = await changing()
      const candidate = await change(company, async (workspace) => {
        const { snapshots, approvers: wanted } = workspace
        const options = await changeOptions(workspace)
        return proposeApprovers(snapshots, company, wanted, reasonFrom(reason), options)
      })
      terminal.show({ company, candidate }, () => waitingText(company, candidate, terminal.width))
      return EXIT.waiting
    },
  )
}
