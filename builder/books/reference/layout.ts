/**
 * Resolves the company's own layout of a statement (`layout:` in company.yaml) to the accounts of each part. Every account of
 * the statement is in exactly one part, so that the parts add up to the statement.
 */
import { listed } from '../../contract/listed.ts'
import { type Classification, isProfitAndLoss, SECTIONS, type Section } from '../../contract/vocabulary.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import type { LayoutSetting, PartSetting } from '../../workspace/presentation.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import { type Account, accountLabel } from './frame.ts'
import { LAID_OUT, type LaidOut, type Layout, type LayoutPart, RAISING } from './presentation.ts'

const KEYS = { ProfitAndLoss: 'profitAndLoss', BalanceSheet: 'balanceSheet' } as const

/** The layout with the accounts of each part. Findings name accounts in no part or in two, and parts with mixed signs. */
export function layoutOf(
  setting: LayoutSetting,
  accounts: readonly Account[],
): { readonly layout: Layout; readonly findings: readonly Finding[] } {
  const read = LAID_OUT.flatMap((statement) => {
    const parts = setting[KEYS[statement]]
    return parts ? [{ statement, ...new Reading(statement, parts, accounts).result() }] : []
  })
  return {
    layout: Object.fromEntries(read.map(({ statement, parts }) => [statement, parts])),
    findings: read.flatMap(({ findings }) => findings),
  }
}

/** Assigns the accounts of one statement to the parts of its layout. */
class Reading {
  readonly #statement: LaidOut
  readonly #parts: readonly PartSetting[]
  readonly #chart: readonly Account[]
  /** The accounts that have figures on this statement. */
  readonly #own: readonly Account[]
  readonly #holders = new Map<string, number>()
  readonly #restHolders = new Map<Section, number>()
  readonly #findings: Finding[] = []

  constructor(statement: LaidOut, parts: readonly PartSetting[], chart: readonly Account[]) {
    this.#statement = statement
    this.#parts = parts
    this.#chart = chart
    this.#own = chart.filter(
      ({ isHeader, classification }) =>
        !isHeader && isProfitAndLoss(classification) === (statement === 'ProfitAndLoss'),
    )
  }

  result(): { parts: LayoutPart[]; findings: Finding[] } {
    const labels = new Set<string>()
    for (const [i, part] of this.#parts.entries()) {
      const label = labelOf(part)
      if (labels.has(label)) this.#report(i, 'layout-twice', `two parts are called "${label}"`, 'rename one')
      labels.add(label)
      for (const reference of referencesOf(part)) this.#hold(i, reference)
    }
    this.#holdRest()
    for (const i of this.#parts.keys()) this.#refuseMixed(i)
    return { parts: this.#parts.map((part, i) => this.#resolved(part, i)), findings: this.#findings }
  }

  #hold(i: number, reference: string): void {
    const section = (SECTIONS[this.#statement] as readonly Section[]).find((name) => name === reference)
    if (section) {
      const other = this.#restHolders.get(section)
      if (other !== undefined) this.#reportTwice(i, other, `section ${section}`)
      else this.#restHolders.set(section, i)
      return
    }
    const named = accountsNamed(reference, this.#chart)
    const own = this.#own.filter((account) => named.has(account.id))
    if (own.length === 0) {
      this.#report(i, 'layout-account', ...this.#unknown(reference, named.size > 0))
      return
    }
    for (const account of own) {
      const other = this.#holders.get(account.id)
      if (other !== undefined && other !== i) this.#reportTwice(i, other, `account ${accountLabel(account)}`)
      this.#holders.set(account.id, i)
    }
  }

  #unknown(reference: string, isElsewhere: boolean): [message: string, remedy: string] {
    const sections = SECTIONS[this.#statement].join(', ')
    return isElsewhere
      ? [
          `the accounts "${reference}" are not part of this statement`,
          `name accounts of the sections ${sections}`,
        ]
      : [
          `no account has the number or id "${reference}"`,
          `write a number or id of the chart of accounts, a range such as 6000-6099, or one of ${sections}`,
        ]
  }

  #holdRest(): void {
    const leftOut: Account[] = []
    for (const account of this.#own) {
      if (this.#holders.has(account.id)) continue
      const holder = this.#restHolders.get(account.classification as Section)
      if (holder === undefined) leftOut.push(account)
      else this.#holders.set(account.id, holder)
    }
    for (const section of SECTIONS[this.#statement]) {
      const own = leftOut.filter(({ classification }) => classification === section)
      if (own.length === 0) continue
      this.#findings.push(
        error('layout-left-out', `no part of the layout holds ${listed(own.map(accountLabel), MOST_NAMED)}`, {
          ...{ file: COMPANY_FILE, column: `layout.${KEYS[this.#statement]}`, text: section },
          remedy: `add them to a part, or add "- section: ${section}", which holds all that no other part names`,
        }),
      )
    }
  }

  /** The accounts of a part are added up as they stand, so they all need the same sign. */
  #refuseMixed(i: number): void {
    const sides = new Map<string, Account>()
    for (const account of this.#own)
      if (this.#holders.get(account.id) === i) {
        const side = this.#side(account.classification)
        if (!sides.has(side)) sides.set(side, account)
      }
    const [first, second] = sides.values()
    if (first && second)
      this.#report(
        i,
        'layout-mixed',
        `holds ${accountLabel(first)} (${first.classification}) and ${accountLabel(second)} (${second.classification}), whose figures have opposite signs or belong to different totals`,
        this.#statement === 'ProfitAndLoss'
          ? 'make two parts: one of income, one of costs; a total below adds both up'
          : 'make one part for each of assets, liabilities and equity',
      )
  }

  #side(classification: Classification): string {
    if (this.#statement === 'BalanceSheet') return classification
    return RAISING.has(classification as Section) ? 'raises' : 'lowers'
  }

  #resolved(part: PartSetting, i: number): LayoutPart {
    return {
      show: part.kind === 'section' ? 'group' : part.kind,
      label: part.label,
      accounts: this.#own.flatMap(({ id }) => (this.#holders.get(id) === i ? [id] : [])),
      rest: [...this.#restHolders].flatMap(([section, holder]) => (holder === i ? [section] : [])),
    }
  }

  #reportTwice(i: number, other: number, what: string): void {
    const [first, second] = [other, i].map((at) => {
      const part = this.#parts[at]
      return part ? `"${labelOf(part)}"` : ''
    })
    this.#report(i, 'layout-twice', `${what} stands in two parts: ${first} and ${second}`, 'leave it in one')
  }

  #report(
    i: number,
    code: 'layout-account' | 'layout-twice' | 'layout-mixed',
    message: string,
    remedy: string,
  ): void {
    const part = this.#parts[i]
    this.#findings.push(
      error(code, message, {
        ...{ file: COMPANY_FILE, column: `layout.${KEYS[this.#statement]}.${i}` },
        ...{ text: part ? labelOf(part) : '', remedy },
      }),
    )
  }
}

/** A message names at most this number of accounts and counts the others. */
const MOST_NAMED = 5

const labelOf = (part: PartSetting): string =>
  part.kind === 'section' ? (part.label ?? part.section) : part.label

const referencesOf = (part: PartSetting): readonly string[] =>
  part.kind === 'section' ? [part.section] : part.kind === 'total' ? [] : part.accounts

/** The ids of the accounts with a number or id, or in a range of numbers, and of all accounts below them in the chart. */
function accountsNamed(reference: string, chart: readonly Account[]): Set<string> {
  const found = new Set(
    chart.flatMap(({ id, number }) => (id === reference || number === reference ? [id] : [])),
  )
  const [, from = '', to = ''] = /^(\d+)\s*-\s*(\d+)$/.exec(reference) ?? []
  // Account numbers may be longer than the ends of the range: 60105 is in 6000-6099.
  if (found.size === 0 && from !== '' && from.length === to.length)
    for (const { id, number } of chart) {
      const start = number.slice(0, from.length)
      if (/^\d+$/.test(number) && start.length === from.length && start >= from && start <= to) found.add(id)
    }
  // Children may be listed before their parents, so the search repeats until it finds no more.
  for (let before = 0; before !== found.size; ) {
    before = found.size
    for (const { id, parentId } of chart) if (parentId !== null && found.has(parentId)) found.add(id)
  }
  return found
}
