/** SAF-T Financial: of Norway, in its two versions, and of Portugal, which has no dimensions. */
import { type Business, type BusinessLine, decimal } from '../../support/business.ts'
import { companyYamlOf, type Exported } from './exported.ts'

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const element = (name: string, ...content: readonly string[]): string =>
  `<${name}>${content.join('\n')}</${name}>`
const value = (name: string, text: string): string => element(name, escaped(text))

interface Sums {
  readonly debit: string
  readonly credit: string
}

function sumsOf({ transactions }: Business): Sums {
  const amounts = transactions.flatMap(({ lines }) => lines.map(({ amount }) => amount))
  const sum = (numbers: readonly number[]) => decimal(numbers.reduce((total, number) => total + number, 0))
  return {
    debit: sum(amounts.filter((amount) => amount > 0)),
    credit: sum(amounts.filter((amount) => amount < 0).map((amount) => -amount)),
  }
}

function closingsOf({ accounts, transactions }: Business): Map<string, number> {
  const closings = new Map(accounts.map(({ number, opening }) => [number, opening]))
  for (const { lines } of transactions)
    for (const { account, amount } of lines) closings.set(account, closings.get(account)! + amount)
  return closings
}

const entries = (business: Business, transactions: readonly string[]): string => {
  const { debit, credit } = sumsOf(business)
  return element(
    'GeneralLedgerEntries',
    value('NumberOfEntries', String(business.transactions.length)),
    value('TotalDebit', debit),
    value('TotalCredit', credit),
    element('Journal', value('JournalID', 'GL'), value('Description', 'All'), ...transactions),
  )
}

const norwegian = (version: '1.20' | '1.30') =>
  function saftNo(business: Business): Exported {
    const { start, end } = business.year
    const closings = closingsOf(business)
    const balance = (which: string, amount: number) =>
      value(`${which}${amount < 0 ? 'Credit' : 'Debit'}Balance`, decimal(Math.abs(amount)))
    const analysis = (type: string, id: string | null, amount: number) => {
      if (id === null) return ''
      const [side, text] = [amount < 0 ? 'Credit' : 'Debit', value('Amount', decimal(Math.abs(amount)))]
      return element(
        'Analysis',
        value('AnalysisType', type),
        value('AnalysisID', id),
        element(version === '1.20' ? 'AnalysisAmount' : `${side}AnalysisAmount`, text),
      )
    }
    const line = (each: BusinessLine, i: number) =>
      element(
        'Line',
        value('RecordID', String(i + 1)),
        value('AccountID', each.account),
        analysis('A', each.department, each.amount),
        analysis('P', each.class, each.amount),
        value('Description', each.memo),
        element(
          each.amount < 0 ? 'CreditAmount' : 'DebitAmount',
          value('Amount', decimal(Math.abs(each.amount))),
        ),
      )
    const table = [
      ...business.departments.map((name) => ['A', 'Avdeling', name]),
      ...business.classes.map((name) => ['P', 'Prosjekt', name]),
    ] as const
    const text = element(
      'AuditFile xmlns="urn:StandardAuditFile-Taxation-Financial:NO"',
      element(
        'Header',
        value('AuditFileVersion', version),
        value('AuditFileCountry', 'NO'),
        element('Company', value('RegistrationNumber', '999999999'), value('Name', business.name)),
        value('DefaultCurrencyCode', business.currency),
        element('SelectionCriteria', value('SelectionStartDate', start), value('SelectionEndDate', end)),
      ),
      element(
        'MasterFiles',
        element(
          'GeneralLedgerAccounts',
          ...business.accounts.map(({ number, name, opening }) =>
            element(
              'Account',
              value('AccountID', number),
              value('AccountDescription', name),
              value('AccountType', 'GL'),
              balance('Opening', opening),
              balance('Closing', closings.get(number)!),
            ),
          ),
        ),
        element(
          'AnalysisTypeTable',
          ...table.map(([type, typeName, name]) =>
            element(
              'AnalysisTypeTableEntry',
              value('AnalysisType', type!),
              value('AnalysisTypeDescription', typeName!),
              value('AnalysisID', name!),
              value('AnalysisIDDescription', name!),
            ),
          ),
        ),
      ),
      entries(
        business,
        business.transactions.map(({ id, date, type, lines }) =>
          element(
            'Transaction',
            value('TransactionID', String(id)),
            value('Period', String(Number(date.slice(5, 7)))),
            value('PeriodYear', date.slice(0, 4)),
            value('TransactionDate', date),
            value('Description', type),
            value('GLPostingDate', end),
            ...lines.map(line),
          ),
        ),
      ),
    ).replace(/<\/AuditFile [^>]*>$/, '</AuditFile>')
    return {
      name: `Norway ${version}`,
      files: {
        'company.yaml': companyYamlOf(business, 'ledger: [{ files: "*.xml" }]'),
        // As most programs write it, with a prefix.
        '2025.xml': `<?xml version="1.0" encoding="UTF-8"?>\n${version === '1.20' ? prefixed(text) : text}\n`,
      },
      dimensions: ['class', 'department'],
    }
  }

const prefixed = (text: string): string =>
  text.replace('xmlns=', 'xmlns:n1=').replaceAll('<', '<n1:').replaceAll('<n1:/', '</n1:')

export const saftNo120 = norwegian('1.20')
export const saftNo130 = norwegian('1.30')

export function saftPt(business: Business): Exported {
  const { start, end } = business.year
  const closings = closingsOf(business)
  const balance = (which: string, amount: number) =>
    value(`${which}DebitBalance`, decimal(Math.max(amount, 0))) +
    value(`${which}CreditBalance`, decimal(Math.max(-amount, 0)))
  const text = element(
    'AuditFile xmlns="urn:OECD:StandardAuditFile-Tax:PT_1.04_01"',
    element(
      'Header',
      value('AuditFileVersion', '1.04_01'),
      value('TaxRegistrationNumber', '500000000'),
      value('TaxAccountingBasis', 'C'),
      value('CompanyName', business.name),
      value('FiscalYear', start.slice(0, 4)),
      value('StartDate', start),
      value('EndDate', end),
      value('CurrencyCode', business.currency),
    ),
    element(
      'MasterFiles',
      element(
        'GeneralLedgerAccounts',
        value('TaxonomyReference', 'S'),
        ...business.accounts.map(({ number, name, opening }) =>
          element(
            'Account',
            value('AccountID', number),
            value('AccountDescription', name),
            balance('Opening', opening),
            balance('Closing', closings.get(number)!),
            value('GroupingCategory', 'GM'),
          ),
        ),
      ),
    ),
    entries(
      business,
      business.transactions.map(({ id, date, type, lines }) =>
        element(
          'Transaction',
          value('TransactionID', `${date} GL ${id}`),
          value('Period', String(Number(date.slice(5, 7)))),
          value('TransactionDate', date),
          value('Description', type),
          value('DocArchivalNumber', String(id)),
          value('TransactionType', 'N'),
          value('GLPostingDate', date),
          element(
            'Lines',
            ...lines.map((line, i) => {
              const side = line.amount < 0 ? 'Credit' : 'Debit'
              return element(
                `${side}Line`,
                value('RecordID', String(i + 1)),
                value('AccountID', line.account),
                value('SystemEntryDate', `${date}T12:00:00`),
                value('Description', line.memo),
                value(`${side}Amount`, decimal(Math.abs(line.amount))),
              )
            }),
          ),
        ),
      ),
    ),
  ).replace(/<\/AuditFile [^>]*>$/, '</AuditFile>')
  return {
    name: 'Portugal 1.04_01',
    files: {
      'company.yaml': companyYamlOf(business, 'ledger: [{ files: "*.xml" }]'),
      // All on one line, in the encoding that Portuguese programs use.
      'saft.xml': Buffer.from(
        `<?xml version="1.0" encoding="Windows-1252"?>${text.replaceAll('\n', '')}`,
        'latin1',
      ),
    },
    dimensions: [],
  }
}
