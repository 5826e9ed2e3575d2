/**
 * Other exports of the programs than those of the corpus, changed in every simple way: what moves a figure is refused or told
 * of. What nothing in the file contradicts is stated here as a rule, and on the page of the program.
 */

import { alike } from '../../seed.ts'
import { suite } from '../../suite.ts'
import {
  BOTH,
  CHARTS,
  erpnextLedger,
  gnucashTransactions,
  netsuiteSearch,
  odooItems,
  sage50Ledger,
} from '../../support/programs.ts'
import { addedCompany } from './added.ts'
import { cellOf, type FileRule, hold, isJudging, isMissingEntry } from './held.ts'

const test = suite('mutations of programs')

interface Case extends FileRule {
  readonly program: keyof typeof CHARTS
  readonly text: string
}

const CASES: Readonly<Record<string, Case>> = {
  'Odoo, Journal Items': {
    program: 'odoo',
    text: odooItems(),
    entryOf: cellOf(1),
    isUnstated: isMissingEntry,
  },
  'ERPNext, accounts without numbers': { program: 'erpnext', text: erpnextLedger(BOTH, { numbered: false }) },
  'NetSuite, search': {
    program: 'netsuite',
    text: netsuiteSearch(),
    entryOf: cellOf(0),
    isUnstated: isMissingEntry,
  },
  'GnuCash, every split with its transaction': {
    program: 'gnucash',
    text: gnucashTransactions(undefined, false),
    entryOf: cellOf(1),
    isUnstated: isMissingEntry,
  },
  'Sage 50, names below numbers': { program: 'sage50', text: sage50Ledger(BOTH, true) },
}

for (const [name, { program, text, ...rule }] of alike(Object.entries(CASES)))
  test(`${name}: what moves a figure is told of`, async () => {
    const company = await addedCompany({ 'gl.csv': text, 'accounts.csv': CHARTS[program] })
    isJudging(await hold(company, `${program}/gl.csv`, rule, 8))
  })
