/**
 * Columns, elements, labels, tags, titles and names of sheets that change the meaning of records, put into correct exports of each format
 * by seed, in the languages that are read: each is told by its name. And the same exports without them, or with columns that say of all
 * records that they count, are not asked.
 */

import * as assert from 'uvu/assert'
import type { Finding } from '../../../builder/workspace/findings/finding.ts'
import { alike } from '../../seed.ts'
import { suite } from '../../suite.ts'
import { column } from '../../support/fields.ts'
import { EXPORTS, type Export, findingsOf, findingsWith } from './exports.ts'

const claims = suite('columns and titles by seed')
const SEEDS = alike(Array.from({ length: 120 }, (_, seed) => seed))

/** Header, what all records of the books say, and what some say that may not be of the books. */
type Column = readonly [header: string, usual: string, other: string]
const ROWS: readonly Column[] = [
  ['Status', 'Posted', 'Draft'],
  ['Status', 'Approved', 'Voided'],
  ['Document status', 'P', 'U'],
  ['Statut', 'Comptabilisé', 'Brouillon'],
  ['Buchungsstatus', 'Gebucht', 'Storniert'],
  ['Bokföringsstatus', 'Bokförd', 'Makulerad'],
  ['Status', 'Bogført', 'Kladde'],
  ['Status', 'Geboekt', 'Concept'],
  ['Estado del asiento', 'Contabilizado', 'Borrador'],
  ['Situação', 'Lançado', 'Estornado'],
  ['Stato', 'Registrato', 'Bozza'],
  ['Posting', 'Yes', 'No'],
  ['Posted', 'TRUE', 'FALSE'],
  ['Gebucht', 'Ja', 'Nein'],
  ['Bokförd', 'Ja', 'Nej'],
  ['Comptabilisé', 'Oui', 'Non'],
  ['Voided', '', 'Yes'],
  ['Annullerad', '', 'X'],
  ['Storniert', 'Nein', 'Ja'],
  ['Deleted', 'false', 'true'],
  ['Remarks', 'ok', 'void'],
  ['Company', 'Acme Ltd', 'Beta Ltd'],
  ['Buchungskreis', '1000', '2000'],
  ['Bolag', 'Acme AB', 'Beta AB'],
  ['Société', 'Acme SA', 'Beta SA'],
  ['Legal entity', 'A', 'B'],
  ['Unit', 'kUSD', 'kUSD'],
  ['Enhet', 'TSEK', 'TSEK'],
  ['Skala', '1', 'thousands'],
  ['Period type', 'Month', 'YTD'],
  ['Periodentyp', 'Monat', 'kumuliert'],
]
const LEDGER: readonly Column[] = [
  ['Scenario', 'Actual', 'Budget'],
  ['Szenario', 'Ist', 'Prognose'],
  ['Escenario', 'Real', 'Presupuesto'],
  ['Scénario', 'Réalisé', 'Prévision'],
  ['Version', 'Utfall', 'Budget'],
  ['ACTUAL_FLAG', 'A', 'B'],
  ['Kind', 'x', 'Forecast'],
]
const BUDGET: readonly Column[] = [
  ['Scenario', 'Budget', 'Actual'],
  ['Szenario', 'Plan', 'Ist'],
  ['Version', 'Budget', 'Utfall'],
  ['Scénario', 'Budget', 'Réalisé'],
  ['Kind', 'x', 'Quantity'],
]
const METRICS: readonly Column[] = [
  ['Scenario', 'Actual', 'Target'],
  ['Szenario', 'Ist', 'Ziel'],
  ['Version', 'Utfall', 'Prognos'],
  ['Kind', 'x', 'Budget'],
]
const COLUMNS = { ledger: [...ROWS, ...LEDGER], budget: [...ROWS, ...BUDGET], metrics: [...ROWS, ...METRICS] }

const ANY_TITLES = ['Draft', 'Utkast', 'Entwurf', 'Cumulative', 'Kumuliert', 'Year to date', 'Brouillon']
const TITLES = {
  ledger: [...ANY_TITLES, 'Budget 2025', 'Forecast', 'Presupuesto', 'Previsión', 'Prognos'],
  budget: [...ANY_TITLES, 'Actual 2025', 'Utfall', 'Istwerte', 'Réalisé', 'Prior year'],
  metrics: [...ANY_TITLES, 'Budget 2025', 'Targets', 'Prognose', 'Mål'],
}
const UNITS = ['Amounts in thousands of USD', 'TSEK', 'kUSD']

const isAsked = ({ code, severity }: Finding): boolean => /^meaning-of/.test(code) || severity === 'error'
/** Told by name, or as lines that the program lists and never counts. */
const isTold = (findings: readonly Finding[], name: string): boolean =>
  findings.some(
    ({ code, message }) =>
      code === 'rows-left-out' ||
      (/^meaning-of/.test(code) && message.toLowerCase().includes(name.toLowerCase())),
  )

interface Change {
  readonly each: Export
  readonly what: string
  readonly changed: string | Buffer
  readonly usual: string | Buffer | null
}

async function changeOf(seed: number): Promise<Change> {
  const each = EXPORTS[seed % EXPORTS.length]!
  const round = Math.floor(seed / EXPORTS.length)
  const kind = each.of ?? 'ledger'
  const titles = each.of === undefined && each.name !== 'sie' ? [...TITLES[kind], ...UNITS] : TITLES[kind]
  const title = titles[(seed + round) % titles.length]!
  if (each.withSheet !== undefined && round % 4 === 1)
    return { each, what: title, changed: await each.withSheet(title), usual: null }
  if (each.withTitle !== undefined && round % 4 === 2)
    return { each, what: title, changed: await each.withTitle(title), usual: null }
  const [header, usual, other] = COLUMNS[kind][(seed * 7 + round) % COLUMNS[kind].length]!
  const isSmall = each.name !== 'netsuite' && EXPORTS.indexOf(each) > 14
  const step = 2 + (seed % (isSmall ? 1 : 3))
  const valueAt = (record: number) => (record % step === step - 1 ? other : usual)
  return {
    ...{ each, what: each.nameOf(header), changed: await each.withColumn(header, valueAt) },
    usual: usual === other || usual === '' ? null : await each.withColumn(header, () => usual),
  }
}

claims('exports as their programs write them are not asked', async () => {
  for (const each of EXPORTS)
    assert.equal(column((await findingsOf(each)).filter(isAsked), 'message'), [], each.name)
})

claims(`${SEEDS.length} columns and titles: none is passed over, none is asked in vain`, async () => {
  const passed: string[] = []
  const needless: string[] = []
  const seen = new Set<string>()
  for (const seed of SEEDS) {
    const { each, what, changed, usual } = await changeOf(seed)
    assert.is.not(String(changed), String(each.files[each.ledger]), `${each.name}: ${what}`)
    seen.add(`${each.name} ${what}`)
    const findings = await findingsWith(each, changed)
    if (!isTold(findings, what))
      passed.push(`${seed} ${each.name}: ${what}: ${findings.map(({ code }) => code).join()}`)
    if (usual === null) continue
    const asked = (await findingsWith(each, usual)).filter(isAsked)
    needless.push(...asked.map(({ message }) => `${seed} ${each.name}: ${message}`))
  }
  assert.equal(passed, [])
  assert.equal(needless, [])
  assert.ok(seen.size > SEEDS.length * 0.66, String(seen.size))
})
