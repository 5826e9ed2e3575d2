/**
 * Exports of Odoo, ERPNext, NetSuite, GnuCash, Business Central and Sage 50, changed in every simple way: what moves a figure
 * is refused or told of. What nothing in the file contradicts is stated here as a rule, and on the page of the program.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addCompany } from '../../../builder/add.ts'
import { judge, type Mutation, mutationsOf, sampled, shownMutation } from '../../support/mutations.ts'
import {
  businessCentralEntries,
  CHARTS,
  erpnextLedger,
  gnucashTransactions,
  netsuiteLedger,
  netsuiteSearch,
  odooItems,
  odooLedger,
  sage50Ledger,
} from '../../support/programs.ts'
import { COMPANY, type Files, inWorkspace } from '../../support/workspace.ts'

const test = suite('mutations of programs')

const MOST = 16

/** The company as `tieout add` sets it up, with its questions answered. */
const companyOf = (program: keyof typeof CHARTS, text: string): Promise<Files> =>
  inWorkspace({}, async (workspace) => {
    const folder = mkdtempSync(join(tmpdir(), 'tieout-exports-'))
    try {
      rmSync(join(workspace.datasets, COMPANY), { recursive: true, force: true })
      writeFileSync(join(folder, 'gl.csv'), text)
      writeFileSync(join(folder, 'accounts.csv'), CHARTS[program])
      await addCompany(workspace, COMPANY, [join(folder, 'gl.csv'), join(folder, 'accounts.csv')])
      const yaml = readFileSync(join(workspace.datasets, COMPANY, 'company.yaml'), 'utf8')
        .replace('fiscalMonthEnd: FILL IN', 'fiscalMonthEnd: 12')
        .replace('currency: FILL IN', 'currency: USD')
        .replace(/^opening: FILL IN/m, 'opening: none')
      return { 'company.yaml': yaml, [`${program}/gl.csv`]: Buffer.from(text) }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

interface Case {
  readonly program: keyof typeof CHARTS
  readonly text: string
  /** What lines of one entry share. */
  readonly entryOf?: (line: string) => string | null
  /** What the export says nothing of. */
  readonly isUnstated?: (mutation: Mutation) => boolean
}

/** A list of entries says that each balances, and nothing of how many there are. */
const wholeEntries = ({ kind, what }: Mutation): boolean =>
  kind === 'cut' || ((kind === 'deleted' || kind === 'doubled') && what.startsWith('entry'))
const cellOf = (at: number) => (line: string) => line.split(',')[at] ?? null

const CASES: Readonly<Record<string, Case>> = {
  'Odoo, General Ledger': { program: 'odoo', text: odooLedger() },
  'Odoo, Journal Items': { program: 'odoo', text: odooItems(), entryOf: cellOf(1), isUnstated: wholeEntries },
  ERPNext: { program: 'erpnext', text: erpnextLedger() },
  'NetSuite, General Ledger': { program: 'netsuite', text: netsuiteLedger() },
  'NetSuite, search': {
    program: 'netsuite',
    text: netsuiteSearch(),
    entryOf: cellOf(0),
    isUnstated: wholeEntries,
  },
  GnuCash: {
    program: 'gnucash',
    text: gnucashTransactions(undefined, false),
    entryOf: cellOf(1),
    isUnstated: wholeEntries,
  },
  'Business Central': {
    program: 'business-central',
    text: businessCentralEntries(),
    entryOf: cellOf(2),
    isUnstated: wholeEntries,
  },
  'Sage 50': { program: 'sage50', text: sage50Ledger() },
}

for (const [name, { program, text, entryOf, isUnstated = () => false }] of Object.entries(CASES))
  test(`${name}: what moves a figure is told of`, async () => {
    const files = await companyOf(program, text)
    const all = mutationsOf(Buffer.from(text), entryOf === undefined ? {} : { entryOf })
    const judged = await judge(files, `${program}/gl.csv`, sampled(all, MOST))
    const silent = judged.filter(({ verdict }) => verdict === 'silent').map(({ mutation }) => mutation)
    assert.equal(silent.filter((mutation) => !isUnstated(mutation)).map(shownMutation), [])
    for (const verdict of ['same', 'told']) assert.ok(judged.some((each) => each.verdict === verdict))
  })

test.run()
