/** SIE 4E: openings as #IB, class as dimension 6, department as dimension 1, closings for the check of the whole. */
import { type Business, decimal } from '../../support/business.ts'
import { companyYamlOf, type Exported } from './exported.ts'

const quoted = (text: string): string => `"${text.replaceAll('"', '\\"')}"`
const compact = (date: string): string => date.replaceAll('-', '')

export function sie(business: Business): Exported {
  const { start, end } = business.year
  const moved = new Map<string, number>()
  for (const { lines } of business.transactions)
    for (const { account, amount } of lines) moved.set(account, (moved.get(account) ?? 0) + amount)
  const objects = (line: { class: string | null; department: string | null }) =>
    [
      ...(line.department === null ? [] : [`1 ${quoted(line.department)}`]),
      ...(line.class === null ? [] : [`6 ${quoted(line.class)}`]),
    ].join(' ')
  const isBalance = (account: string) => account < '4000'
  const text = [
    '#FLAGGA 0',
    '#FORMAT PC8',
    '#SIETYP 4',
    `#FNAMN ${quoted(business.name)}`,
    `#RAR 0 ${compact(start)} ${compact(end)}`,
    `#VALUTA ${business.currency}`,
    '#DIM 1 "Department"',
    '#DIM 6 "Class"',
    ...business.classes.map((name) => `#OBJEKT 6 ${quoted(name)} ${quoted(name)}`),
    ...business.departments.map((name) => `#OBJEKT 1 ${quoted(name)} ${quoted(name)}`),
    ...business.accounts.map(({ number, name }) => `#KONTO ${number} ${quoted(name)}`),
    ...business.accounts.flatMap(({ number, opening }) =>
      isBalance(number)
        ? [
            `#IB 0 ${number} ${decimal(opening)}`,
            `#UB 0 ${number} ${decimal(opening + (moved.get(number) ?? 0))}`,
          ]
        : [`#RES 0 ${number} ${decimal(moved.get(number) ?? 0)}`],
    ),
    ...business.transactions.flatMap(({ id, date, type, lines }) => [
      `#VER A ${id} ${compact(date)} ${quoted(type)}`,
      '{',
      ...lines.map(
        (line) =>
          `#TRANS ${line.account} {${objects(line)}} ${decimal(line.amount)} ${compact(date)} ${quoted(line.memo)}`,
      ),
      '}',
    ]),
  ].join('\r\n')
  return {
    name: 'SIE 4',
    files: {
      'company.yaml': companyYamlOf(business, 'ledger: [{ files: "*.se", encoding: utf-8 }]'),
      '2025.se': `${text}\r\n`,
    },
    dimensions: ['class', 'department'],
  }
}
