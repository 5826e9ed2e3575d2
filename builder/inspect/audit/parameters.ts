/** Reads the parameters of journal tests as an auditor writes them (`round-amount.of=5000`) into SQL. Nothing else of them reaches a query. */
import { decimalsOf, type Frame } from '../../books/reference/frame.ts'
import { isCalendarDate } from '../../contract/calendar.ts'
import { quoted } from '../../database/database.ts'
import type { Finding } from '../../workspace/findings/finding.ts'
import { oneOf, unknown } from '../inspect.ts'
import type { JournalRule, Parameter, ParameterKind } from './rules.ts'

/** Texts by the names of parameters, as `rule.parameter`. */
export type AskedParameters = ReadonlyMap<string, string>

/** The SQL of a parameter, or what it must be. */
type Reading = { readonly sql: string } | { readonly expected: string }

const items = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

const list = (values: readonly string[]): Reading => ({
  sql: `[${values.map(quoted).join(', ')}]::VARCHAR[]`,
})

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

const READERS: Readonly<Record<ParameterKind, (text: string, decimals: number) => Reading>> = {
  count: (text) => (/^\d{1,9}$/.test(text) ? { sql: text } : { expected: 'a whole number, such as 5' }),
  amount: (text, decimals) => {
    const [, whole = '', part = ''] = /^(\d{1,12})(?:\.(\d+))?$/.exec(text) ?? []
    const minor = `${whole}${part.padEnd(decimals, '0')}`
    return whole === '' || part.length > decimals || /^0+$/.test(minor)
      ? { expected: `an amount above zero with at most ${decimals} decimals, such as 5000` }
      : { sql: `${minor}::BIGINT` }
  },
  percent: (text) => {
    const [, whole = '', part = ''] = /^(\d{1,2})(?:\.(\d{1,2}))?$/.exec(text) ?? []
    return whole === ''
      ? { expected: 'a percentage below 100, such as 5' }
      : { sql: `${whole}${part.padEnd(2, '0')}` }
  },
  texts: (text) => list(items(text.toLowerCase())),
  weekdays: (text) =>
    items(text.toLowerCase()).every((day) => WEEKDAYS.includes(day))
      ? list(items(text.toLowerCase()))
      : { expected: 'days of the week in English, divided by commas' },
  days: (text) =>
    items(text).every((day) => isCalendarDate(day.length === 5 ? `2024-${day}` : day))
      ? list(items(text))
      : { expected: 'days like 2025-04-18, or like 12-25 for each year, divided by commas' },
}

/** The texts of a rule's parameters: those asked for, else the defaults. */
export const textsOf = (rule: JournalRule, asked: AskedParameters): Record<string, string> =>
  Object.fromEntries(
    Object.entries(rule.parameters).map(([name, parameter]) => [
      name,
      asked.get(`${rule.id}.${name}`) ?? parameter.default,
    ]),
  )

/** The SQL of a parameter that {@link parameterFindings} has nothing to say of. */
export function sqlOf(rule: JournalRule, asked: AskedParameters, frame: Frame): (name: string) => string {
  const stated = textsOf(rule, asked)
  return (name) => {
    const parameter = rule.parameters[name]
    const read = parameter && READERS[parameter.kind](stated[name] ?? '', decimalsOf(frame))
    if (read === undefined || !('sql' in read)) throw new Error(`parameter ${rule.id}.${name} cannot be used`)
    return read.sql
  }
}

/** What is wrong with the parameters asked for. */
export function parameterFindings(
  rules: readonly JournalRule[],
  asked: AskedParameters,
  frame: Frame,
): Finding[] {
  const known = new Map<string, Parameter>(
    rules.flatMap(({ id, parameters }) =>
      Object.entries(parameters).map(([name, parameter]) => [`${id}.${name}`, parameter] as const),
    ),
  )
  return [...asked].flatMap(([name, text]): Finding[] => {
    const parameter = known.get(name)
    if (parameter === undefined)
      return [
        unknown(
          'unknown-parameter',
          `no journal test has a parameter "${name}"`,
          name,
          oneOf(name, [...known.keys()]),
        ),
      ]
    const read = READERS[parameter.kind](text, decimalsOf(frame))
    return 'sql' in read
      ? []
      : [
          unknown(
            'unknown-parameter',
            `${name}: "${text}" is not ${read.expected}`,
            text,
            `write it like ${name}=${parameter.default || '5000'}`,
          ),
        ]
  })
}
