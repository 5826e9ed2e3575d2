/** Small SAF-T files for tests, written from short texts: only what a test is about needs to be said. */
export interface SaftFile {
  readonly country?: 'NO' | 'PT' | 'DK'
  readonly version?: string
  readonly currency?: string
  readonly registration?: string
  /** `2025-01-01 2025-12-31`, or `1 2025 12 2025`. */
  readonly selection?: string
  readonly fiscalYear?: string
  /** `1920 Bank 1000.00 1120.00 [standard | GA:21]`: number, name, opening and closing, debit positive; `-` states none. */
  readonly accounts: string
  /** `A Avdeling 10 Oslo`: type, its name, code, name. */
  readonly analyses?: string
  /** `17 2025-01-05 1920 100.00 [A:10 | A:10=60.00] [t:A] [p:13/2025] [j:BANK]`: number, date, account, amount, codes and more. */
  readonly lines: string
  /** Parts of the text that are replaced at the end. */
  readonly replace?: readonly (readonly [RegExp | string, string])[]
  readonly totals?: { readonly debit?: string; readonly credit?: string; readonly entries?: string }
}

const rowsOf = (text: string): string[][] =>
  text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([first]) => first !== '')

const side = (amount: string): readonly ['Debit' | 'Credit', string] =>
  amount.startsWith('-') ? ['Credit', amount.slice(1)] : ['Debit', amount]
const minor = (amount: string): number => Math.round(Number(amount) * 100)

export function saftFile(file: SaftFile): string {
  const isPt = file.country === 'PT'
  const version = file.version ?? (isPt ? '1.04_01' : '1.30')
  const lines = rowsOf(file.lines)
  const sum = (sign: number) =>
    (lines.reduce((total, [, , , amount]) => total + Math.max(sign * minor(amount!), 0), 0) / 100).toFixed(2)
  const groups = new Map<string, string[][]>()
  for (const line of lines) groups.set(line[0]!, [...(groups.get(line[0]!) ?? []), line])
  const tag = (rest: readonly string[], name: string) =>
    rest.find((each) => each.startsWith(`${name}:`))?.slice(name.length + 1)
  const transactions = [...groups].map(([id, own]) => {
    const [, date, , , ...rest] = own[0] as [string, string, string, string]
    const [period, year] = (tag(rest, 'p') ?? `${Number(date.slice(5, 7))}/${date.slice(0, 4)}`).split('/')
    const type = tag(rest, 't') ?? (isPt ? 'N' : 'Normal')
    const xml = own.map(([, , account, amount, ...codes], i) =>
      lineXml(isPt, version, account!, amount!, codes, i),
    )
    return `<Transaction>
<TransactionID>${isPt ? `${date} GL ${id}` : id}</TransactionID>
<Period>${period}</Period>${isPt ? '' : `\n<PeriodYear>${year}</PeriodYear>`}
<TransactionDate>${date}</TransactionDate>
<Description>Entry ${id}</Description>
<TransactionType>${type}</TransactionType>
<GLPostingDate>2031-01-01</GLPostingDate>
${isPt ? `<Lines>\n${xml.join('\n')}\n</Lines>` : xml.join('\n')}
</Transaction>`
  })
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<AuditFile xmlns="${isPt ? 'urn:OECD:StandardAuditFile-Tax:PT_1.04_01' : `urn:StandardAuditFile-Taxation-Financial:${file.country ?? 'NO'}`}">
${headerXml(file, version)}
<MasterFiles>
<GeneralLedgerAccounts>
${rowsOf(file.accounts)
  .map((account) => accountXml(isPt, account))
  .join('\n')}
</GeneralLedgerAccounts>
<AnalysisTypeTable>
${rowsOf(file.analyses ?? '')
  .map(
    ([type, typeName, id, name]) =>
      `<AnalysisTypeTableEntry><AnalysisType>${type}</AnalysisType><AnalysisTypeDescription>${typeName}</AnalysisTypeDescription><AnalysisID>${id}</AnalysisID><AnalysisIDDescription>${name}</AnalysisIDDescription></AnalysisTypeTableEntry>`,
  )
  .join('\n')}
</AnalysisTypeTable>
</MasterFiles>
<GeneralLedgerEntries>
<NumberOfEntries>${file.totals?.entries ?? groups.size}</NumberOfEntries>
<TotalDebit>${file.totals?.debit ?? sum(1)}</TotalDebit>
<TotalCredit>${file.totals?.credit ?? sum(-1)}</TotalCredit>
<Journal>
<JournalID>GL</JournalID>
${transactions.join('\n')}
</Journal>
</GeneralLedgerEntries>
</AuditFile>
`
  return (file.replace ?? []).reduce((all, [from, to]) => all.replace(from, to), text)
}

function headerXml(
  { country = 'NO', currency, registration, selection, fiscalYear }: SaftFile,
  version: string,
) {
  const [start = '2025-01-01', end = '2025-12-31', ...more] = (selection ?? '')
    .split(' ')
    .filter((part) => part)
  if (country === 'PT')
    return `<Header><AuditFileVersion>${version}</AuditFileVersion><TaxRegistrationNumber>${registration ?? '500000000'}</TaxRegistrationNumber>
<TaxAccountingBasis>C</TaxAccountingBasis><CompanyName>Empresa, Lda</CompanyName><FiscalYear>${fiscalYear ?? start.slice(0, 4)}</FiscalYear>
<StartDate>${start}</StartDate><EndDate>${end}</EndDate><CurrencyCode>${currency ?? 'EUR'}</CurrencyCode></Header>`
  const criteria =
    more.length === 2
      ? `<PeriodStart>${start}</PeriodStart><PeriodStartYear>${end}</PeriodStartYear><PeriodEnd>${more[0]}</PeriodEnd><PeriodEndYear>${more[1]}</PeriodEndYear>`
      : `<SelectionStartDate>${start}</SelectionStartDate><SelectionEndDate>${end}</SelectionEndDate>`
  return `<Header><AuditFileVersion>${version}</AuditFileVersion><AuditFileCountry>${country}</AuditFileCountry>
<Company><RegistrationNumber>${registration ?? '999999999'}</RegistrationNumber><Name>Bedriften AS</Name></Company>
<DefaultCurrencyCode>${currency ?? 'NOK'}</DefaultCurrencyCode>
<SelectionCriteria>${criteria}</SelectionCriteria></Header>`
}

function accountXml(isPt: boolean, [id, name, opening, closing, group = '']: readonly string[]): string {
  const balance = (which: string, amount: string | undefined) => {
    if (amount === undefined || amount === '-') return ''
    const [own, text] = side(amount)
    const other = own === 'Debit' ? 'Credit' : 'Debit'
    return isPt
      ? `<${which}${own}Balance>${text}</${which}${own}Balance><${which}${other}Balance>0.00</${which}${other}Balance>`
      : `<${which}${own}Balance>${text}</${which}${own}Balance>`
  }
  const [category, code = ''] = group === '' ? ['GM'] : group.split(':')
  const grouping = isPt
    ? `<GroupingCategory>${category}</GroupingCategory>${code === '' ? '' : `<GroupingCode>${code}</GroupingCode>`}`
    : group === ''
      ? ''
      : group.includes(':')
        ? `<GroupingCategory>${category}</GroupingCategory><GroupingCode>${code}</GroupingCode>`
        : `<StandardAccountID>${group}</StandardAccountID>`
  return `<Account><AccountID>${id}</AccountID><AccountDescription>${name}</AccountDescription>${grouping}${balance('Opening', opening)}${balance('Closing', closing)}</Account>`
}

function lineXml(
  isPt: boolean,
  version: string,
  account: string,
  amount: string,
  rest: readonly string[],
  i: number,
): string {
  const [own, text] = side(amount)
  if (isPt)
    return `<${own}Line>\n<RecordID>${i + 1}</RecordID>\n<AccountID>${account}</AccountID>\n<Description>Linha</Description>\n<${own}Amount>${text}</${own}Amount>\n</${own}Line>`
  const analyses = rest
    .filter((each) => !/^[tpj]:/.test(each))
    .map((each) => {
      const [, type, id, part] = /^(\w+):([^=]+)(?:=(.*))?$/.exec(each)!
      const [partSide, partText] = side(part ?? '')
      const amounts =
        part === undefined
          ? ''
          : version === '1.30'
            ? `<${partSide}AnalysisAmount><Amount>${partText}</Amount></${partSide}AnalysisAmount>`
            : `<AnalysisAmount><Amount>${part}</Amount></AnalysisAmount>`
      return `<Analysis><AnalysisType>${type}</AnalysisType><AnalysisID>${id}</AnalysisID>${amounts}</Analysis>\n`
    })
  return `<Line>\n<RecordID>${i + 1}</RecordID>\n<AccountID>${account}</AccountID>\n${analyses.join('')}<Description>Linje</Description>\n<${own}Amount><Amount>${text}</Amount></${own}Amount>\n</Line>`
}
