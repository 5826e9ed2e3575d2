/** Reads rates of exchange: of months, average and closing, and of the days of equity. They are exact fractions. */
import { addDays, isCalendarDate, monthOf, monthText } from '../../contract/calendar.ts'
import { currencyDecimals } from '../../contract/currency.ts'
import { listed } from '../../contract/listed.ts'
import type { SourceRecord } from '../../ingest/format/intake.ts'
import { accountKeys } from '../../ingest/format/keys.ts'
import type { Company } from '../../workspace/company.ts'
import { error, type Finding, type Place, warning } from '../../workspace/findings/finding.ts'
import { type Group, groupFiles } from '../../workspace/group.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import { type DatedMember, type Member, type Span, settingPlace } from './members.ts'
import { type GroupRow, noMember, readGroupTable } from './tables.ts'

/** Minor units of the group for one of the member: numerator and denominator, and the rate as it is written. */
export interface Rate {
  readonly num: bigint
  readonly den: bigint
  readonly text: string
}

export interface MemberRates {
  /** By month, from the one before the group begins; the average of that one is not needed. */
  readonly months: ReadonlyMap<number, { readonly average: Rate; readonly closing: Rate }>
  /** Of budgets, by month: the average where there is none of its own. */
  readonly budget: ReadonlyMap<number, Rate & { readonly isAverage: boolean }>
  /** Of equity, for one account of the member or for all (null). */
  readonly days: readonly { readonly day: string; readonly account: string | null; readonly rate: Rate }[]
}

export interface Rates {
  /** By the id of each member that has another currency. */
  readonly of: ReadonlyMap<string, MemberRates>
  readonly sources: readonly SourceRecord[]
  readonly findings: readonly Finding[]
}

/** Currencies whose economies are hyperinflationary: their books are restated by IAS 29 before they are translated. */
const HYPERINFLATION = ['ARS', 'IRR', 'LBP', 'SDG', 'SSP', 'TRY', 'VED', 'VES', 'ZWG', 'ZWL']

/** A rate that changes by more than this part from one month to the next is asked about. */
const JUMP = 0.25

type Found = Map<
  number,
  { average: Written | null; closing: Written | null; budget: Written | null; place: Place }
>
interface Written {
  readonly digits: bigint
  readonly decimals: number
  readonly text: string
}

/** Reads the rates that members with another currency need on their days. Nothing is read where all have that of the group. */
export async function readRates(
  folder: string,
  group: Group,
  company: Company,
  members: readonly DatedMember[],
): Promise<Rates> {
  const foreign = members.filter(({ frame }) => frame.currency !== company.currency)
  const findings: Finding[] = foreign
    .filter(({ frame }) => HYPERINFLATION.includes(frame.currency))
    .map(({ id, at, frame }) =>
      error(
        'group-hyperinflation',
        `${id} keeps its books in ${frame.currency}, in an economy of hyperinflation`,
        {
          ...settingPlace({ at }),
          remedy: 'restate its books by IAS 29, and give them to the group in a stable currency',
        },
      ),
    )
  const files = groupFiles(group)
  const named = files.find(({ key }) => key === 'group.rates')
  if (foreign.length === 0) return { of: new Map(), sources: [], findings }
  if (named === undefined) {
    findings.push(...foreign.map((member) => withoutRates(member, company)))
    return { of: new Map(), sources: [], findings }
  }
  const table = await readGroupTable(folder, named, 'rates')
  findings.push(...table.findings)
  const isInverse = directionOf(table.titles, company.currency)
  if (isInverse === null && table.findings.length === 0)
    findings.push(
      error('group-rate-direction', 'does not say in which direction its rates are', {
        file: named.files,
        remedy: `write "1 ${foreign[0]?.frame.currency} = x ${company.currency}" in a row above the header, or "1 ${company.currency} = x ${foreign[0]?.frame.currency}"`,
      }),
    )
  const found = new Map<string, Found>()
  for (const { currency, month, ...cells } of table.rows) {
    // A row without rates is one that is still to be filled in.
    const given = [cells.average, cells.closing, cells.budget].filter(({ text }) => text !== '')
    if (given.length === 0) continue
    const at = /^\d{4}-(0[1-9]|1[0-2])$/.test(month.text) ? monthOf(`${month.text}-01`) : null
    const [average, closing, budget] = [cells.average, cells.closing, cells.budget].map(({ text }) =>
      writtenIn(text),
    )
    const areRead = given.every(({ text }) => writtenIn(text) !== null)
    const known = found.get(currency.text) ?? new Map()
    found.set(currency.text, known)
    if (at === null || !areRead || known.has(at))
      findings.push(
        error(
          'group-rate-unreadable',
          at !== null && known.has(at)
            ? `${currency.text} has two rows of ${month.text}`
            : `${currency.text} ${month.text}: ${given.map(({ text }) => text).join(', ')} are no month and its rates`,
          { ...month, remedy: 'write one row for each month, such as EUR,2025-03,1.0812,1.0825' },
        ),
      )
    else
      known.set(at, {
        average: average ?? null,
        closing: closing ?? null,
        budget: budget ?? null,
        place: cells.closing,
      })
  }
  const historical = files.find(({ key }) => key === 'group.historical')
  const ofDays = historical && (await readGroupTable(folder, historical, 'historical'))
  findings.push(...(ofDays?.findings ?? []))
  const of = new Map<string, MemberRates>()
  for (const member of foreign) {
    const { frame } = member
    const scaled = (written: Written) =>
      rateOf(
        written,
        isInverse === true,
        currencyDecimals(company.currency) - currencyDecimals(frame.currency),
      )
    const own: Found = found.get(frame.currency) ?? new Map()
    of.set(member.id, {
      days: daysOf(member, ofDays?.rows ?? [], scaled, findings),
      months: new Map(
        monthsOf(member, own, named.files, findings).flatMap(([month, { average, closing }]) =>
          closing === null
            ? []
            : [[month, { average: scaled(average ?? closing), closing: scaled(closing) }] as const],
        ),
      ),
      budget: new Map(
        [...own].flatMap(([month, { budget, average }]) => {
          const rate = budget ?? average
          return rate === null ? [] : [[month, { ...scaled(rate), isAverage: budget === null }] as const]
        }),
      ),
    })
  }
  findings.push(...unknownMembers(ofDays?.rows ?? [], group))
  return { of, sources: [...table.sources, ...(ofDays?.sources ?? [])], findings }
}

/** The rates of days, one for each day and account. */
function daysOf(
  { id, frame }: DatedMember,
  rows: readonly GroupRow<'historical'>[],
  scaled: (written: Written) => Rate,
  findings: Finding[],
): MemberRates['days'] {
  const days: MemberRates['days'][number][] = []
  for (const { member, date, account, rate } of rows) {
    if (member.text !== id) continue
    const written = writtenIn(rate.text)
    const own = account.text === '' ? null : accountKeys(frame.accounts).get(account.text)
    const isRead = written !== null && isCalendarDate(date.text) && own !== undefined
    const isTwice = days.some((known) => known.day === date.text && known.account === own)
    if (isRead && !isTwice) days.push({ day: date.text, account: own, rate: scaled(written) })
    else
      findings.push(
        error(
          'group-rate-unreadable',
          isRead
            ? `${id} has two rows of ${date.text}, ${account.text === '' ? 'all accounts of equity' : account.text}`
            : `${date.text}, ${account.text}, ${rate.text} are no day, account and rate`,
          {
            ...rate,
            remedy: isRead
              ? 'write one row for each day and account'
              : `write a date, an account of ${id} or nothing, and a rate`,
          },
        ),
      )
  }
  return days
}

/** The rates of the months of the group, and of the one before: findings name those that are missing, or jump. */
function monthsOf(
  { id, frame: { currency }, days: { from, until } }: DatedMember,
  found: Found,
  file: string,
  findings: Finding[],
) {
  const first = monthOf(from)
  const needed = Array.from({ length: monthOf(until) - first + 2 }, (_, i) => first - 1 + i)
  const missing = needed.filter((month) => {
    const at = found.get(month)
    return at == null || at.closing === null || (at.average === null && month >= first)
  })
  if (missing.length > 0)
    findings.push(
      error(
        'group-rate-missing',
        `${currency} of ${id} lacks rates of ${listed(missing.map(monthText), 6)}`,
        {
          file,
          remedy: `add their rows: the average and the closing rate of each month, and the closing rate of ${monthText(first - 1)}, with which it begins`,
        },
      ),
    )
  const value = ({ digits, decimals }: Written) => Number(digits) / 10 ** decimals
  for (const month of needed.slice(1)) {
    const [before, now] = [found.get(month - 1), found.get(month)]
    const factor = before?.closing && now?.closing ? value(now.closing) / value(before.closing) : 1
    if (now?.closing && Math.max(factor, 1 / factor) > 1 + JUMP)
      findings.push(
        warning(
          'group-rate-jump',
          `${currency} closes at ${now.closing.text} in ${monthText(month)}, at ${before?.closing?.text} the month before`,
          { ...now.place, remedy: 'is the direction of the rate right, and its decimal point?' },
        ),
      )
  }
  return needed.flatMap((month) => {
    const rates = found.get(month)
    return rates ? [[month, rates] as const] : []
  })
}

const withoutRates = ({ id, at, frame }: Member, { currency }: Company): Finding =>
  error('group-currency', `${id} keeps its books in ${frame.currency}, the group in ${currency}`, {
    ...settingPlace({ at }),
    remedy: `name a table of rates as group.rates in ${COMPANY_FILE}, with the columns currency, month, average and closing`,
  })

const unknownMembers = (rows: readonly GroupRow<'historical'>[], group: Group): Finding[] =>
  rows
    .filter(({ member }) => !group.members.some(({ company }) => company === member.text))
    .map(({ member }) => noMember(member, group))

/** Whether rates say how much of the other currency one unit of the group's is; null where the head says neither. */
function directionOf(titles: readonly string[], currency: string): boolean | null {
  for (const title of titles) {
    const [, one, other] = /^\s*1\s+([A-Z]{3})\s*=\s*x\s+([A-Z]{3})\s*$/i.exec(title) ?? []
    const [isFrom, isTo] = [one, other].map((each) => each?.toUpperCase() === currency)
    if (isFrom !== isTo) return isFrom === true
  }
  return null
}

/** A positive decimal of at most fifteen digits; null for any other text. */
function writtenIn(text: string): Written | null {
  const [, whole, fraction = ''] = /^(\d{1,15})(?:\.(\d{1,14}))?$/.exec(text.trim()) ?? []
  const digits = BigInt(`${whole ?? ''}${fraction}`)
  if (whole === undefined || digits === 0n || `${whole}${fraction}`.length > 15) return null
  return { digits, decimals: fraction.length, text: text.trim() }
}

const commonDivisor = (a: bigint, b: bigint): bigint => (b === 0n ? a : commonDivisor(b, a % b))

/** `shift`: the decimals of the group's currency less those of the member's. */
function rateOf({ digits, decimals, text }: Written, isInverse: boolean, shift: number): Rate {
  const one = 10n ** BigInt(decimals)
  const [num, den] = isInverse ? [one, digits] : [digits, one]
  const scale = 10n ** BigInt(Math.abs(shift))
  const [above, below] = [shift > 0 ? num * scale : num, shift < 0 ? den * scale : den]
  // Lines at the same rate are rounded together, however it is written.
  const common = commonDivisor(above, below)
  return {
    num: above / common,
    den: below / common,
    text: isInverse ? `÷ ${text}` : `× ${text}`,
  }
}

/** The day at whose rates the balances are with which the group begins. */
export const openingDay = ({ from }: Span): string => addDays(from, -1)
