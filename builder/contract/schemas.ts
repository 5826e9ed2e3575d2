/**
 * Defines the schema of every response body. `openapi.json` is generated from these schemas, and the tests
 * validate every answer with them. Renaming a member on the wire means editing this file and the encoder, and
 * nothing else.
 */
import { z } from 'zod'
import { PROBLEMS } from './problem.ts'
import { PRINTABLE } from './requests.ts'
import {
  ACCOUNT_TYPES,
  AGGREGATIONS,
  BASES,
  BASIS_SOURCES,
  CASH_FLOW_CATEGORIES,
  CLASSIFICATIONS,
  NOT_STATED_REASONS,
  SECTIONS,
  STATEMENTS,
  type StatementName,
  SUMMARY_NAMES,
} from './vocabulary.ts'

/** The schemas under `#/components/schemas` of openapi.json, by id. */
export const components = z.registry<{ id: string; title: string; description: string }>()

export const id = z.string().min(1).meta({ pattern: PRINTABLE })
export const date = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .meta({ format: 'date' })
const month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/)
export const currency = z.string().regex(/^[A-Z]{3}$/)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const money = z.number().meta({
  format: 'decimal',
  description: 'Exact: with the decimals of the currency, below 2^53 of its smallest units',
})
const figure = money.nullable().describe('null only where a budget has no figure for the month')

// Company.

export const companyInfo = z
  .strictObject({
    Id: id,
    Name: z.string(),
    FiscalMonthEnd: z.int().min(1).max(12).describe('Month number in which the latest fiscal year ends'),
    Currency: currency.describe('ISO 4217 code of the one functional currency'),
    BooksThrough: month.describe('Last covered month'),
    LockedThrough: date.nullable().describe('Lock date of the books, or null'),
    FiscalYears: z.array(z.strictObject({ StartDate: date, EndDate: date })),
    AccountingBases: z.array(z.enum(BASES)).describe('The bases under which actuals are answered'),
  })
  .register(components, {
    id: 'CompanyInfo',
    title: 'Company information',
    description: 'Name, fiscal calendar, currency and coverage of a company.',
  })

// Reference lists.

const pagination = z
  .strictObject({
    offset: z.int().min(0).describe('Records skipped'),
    limit: z.int().min(1).max(1000).describe('Greatest number of records returned'),
    total: z.int().min(0).describe('Records available in all'),
  })
  .register(components, {
    id: 'PaginationMetadata',
    title: 'Pagination',
    description: 'Where a page of a list stands in the whole list.',
  })

const account = z
  .strictObject({
    Id: id,
    Number: z.string(),
    Name: z.string(),
    Classification: z.enum(CLASSIFICATIONS),
    Type: z.enum(['', ...Object.keys(ACCOUNT_TYPES)]).describe('Empty means "other" of the classification'),
    ParentId: id.nullable(),
    IsHeader: z.boolean().describe('Has children and no posting, opening or budget of its own'),
    IsActive: z.boolean(),
    IsComputed: z.boolean().describe('A row of statements that no posting account stands behind'),
    NormalBalance: z.enum(['Debit', 'Credit']),
    CashFlowCategory: z.enum(CASH_FLOW_CATEGORIES).nullable(),
    Statements: z.array(z.enum(STATEMENTS)).describe('The statements on which the account can appear'),
  })
  .register(components, {
    id: 'Account',
    title: 'Chart-of-accounts entry',
    description: 'One account. An account on both balance sheet and cash flow is one entry.',
  })

export const budget = z
  .strictObject({ Id: id, Name: z.string(), StartMonth: month, EndMonth: month })
  .register(components, {
    id: 'Budget',
    title: 'Budget',
    description: 'A named budget and the months that it covers.',
  })

const member = { Id: id, Name: z.string(), ParentId: id.nullable(), IsActive: z.boolean() }
const classMember = z
  .strictObject(member)
  .register(components, { id: 'Class', title: 'Class', description: 'A class; `unassigned` stands last.' })
export const department = z.strictObject(member).register(components, {
  id: 'Department',
  title: 'Department',
  description: 'A department; `unassigned` stands last.',
})

const nonFinancialItem = z
  .strictObject({
    Id: id,
    Name: z.string(),
    Unit: z.string(),
    Aggregation: z.enum(AGGREGATIONS).describe('How days become a month'),
  })
  .register(components, {
    id: 'NonFinancialItem',
    title: 'Non-financial metric',
    description: 'A metric or KPI that is not derived from the general ledger.',
  })

const listOf = <T extends z.ZodType>(entry: T, listId: string, title: string) =>
  z.strictObject({ Data: z.array(entry), Pagination: pagination }).register(components, {
    id: listId,
    title,
    description: 'A page of the list; an empty list is an empty array.',
  })

export const chartOfAccounts = listOf(account, 'ChartOfAccounts', 'Chart of accounts')
export const budgets = listOf(budget, 'Budgets', 'Budgets')
export const classes = listOf(classMember, 'Classes', 'Classes')
export const departments = listOf(department, 'Departments', 'Departments')
export const nonFinancialList = listOf(nonFinancialItem, 'NonFinancialList', 'Non-financial metrics')

// Statements and metrics.

const period = z.strictObject({ Month: month, StartDate: date, EndDate: date }).register(components, {
  id: 'Period',
  title: 'Period',
  description: 'The part of one month that lies inside the requested range and the coverage.',
})

/** All names of the statement, always in this order. */
const summaryOf = (names: readonly [string, ...string[]]) =>
  z
    .array(z.strictObject({ Name: z.enum(names), Values: z.array(figure) }))
    .refine((rows) => rows.map(({ Name }) => Name).join() === names.join(), 'must be all totals in order')
    .describe(`The totals ${names.join(', ')}, always all and in this order`)

const filters = {
  BudgetId: id.nullable().describe('The filter as requested; null means actuals'),
  ClassId: id.nullable(),
  DepartmentId: id.nullable(),
}

export const notStated = z.array(
  z.strictObject({
    Month: month,
    Reason: z.enum(NOT_STATED_REASONS),
    Detail: z.string().describe('The same for people'),
  }),
)

export const withoutCash = z.array(
  z.strictObject({ Section: z.enum(['Investing', 'Financing']), Values: z.array(figure) }),
)

const statementOf = (statement: StatementName, title: string, description: string) =>
  z
    .strictObject({
      CompanyId: id,
      Statement: z.literal(statement),
      AccountingBasis: z.enum(BASES),
      BasisSource: z.enum(BASIS_SOURCES).describe('How the figures of this basis came about'),
      StartDate: date,
      EndDate: date,
      ...filters,
      Currency: currency,
      Periods: z.array(period),
      ...(statement === 'CashFlow'
        ? {
            NotStated: notStated
              // Published documents of actuals do not have it; every answer does.
              .default([])
              .describe(
                'With a BudgetId: the months that are null, since its balance sheet does not give them; else empty',
              ),
            WithoutCash: withoutCash
              .optional()
              .describe(
                'What entries that moved no cash would have added to these sections, where there are any: a machine bought by a loan is -2000 investing and 2000 financing here, and in no row',
              ),
          }
        : {}),
      Data: z.array(
        z.strictObject({
          AccountId: id,
          AccountNumber: z.string(),
          AccountName: z.string(),
          Section: z.enum(SECTIONS[statement]),
          Values: z.array(figure).describe('One per entry of Periods, in that order'),
        }),
      ),
      Summary: summaryOf(SUMMARY_NAMES[statement]),
    })
    .register(components, { id: statement, title, description })

export const statements = {
  ProfitAndLoss: statementOf(
    'ProfitAndLoss',
    'Profit and loss statement',
    'Each value is the activity of its period; income and expenses are positive.',
  ),
  BalanceSheet: statementOf(
    'BalanceSheet',
    'Balance sheet',
    'Each value is the balance at the end of its period, in the natural sign of its section.',
  ),
  CashFlow: statementOf(
    'CashFlow',
    'Cash flow statement',
    'Indirect method; each value is the cash change of its period, positive when cash comes in. Computed rows: net-income and balancing (Operating); since format 3 of snapshots disposal-proceeds (Investing), what disposals of assets brought, and without-cash (Operating), which takes up equity that moved no cash. A gain or loss on a disposal has a row of its own account under Operating, against net income.',
  ),
} satisfies Record<StatementName, z.ZodType>

export const nonFinancial = z
  .strictObject({
    CompanyId: id,
    StartDate: date,
    EndDate: date,
    ...filters,
    Periods: z.array(period),
    Data: z.array(
      z.strictObject({
        NonFinancialId: id,
        Values: z
          .array(z.number().nullable())
          .describe('null where the metric has no value; missing is not 0'),
      }),
    ),
  })
  .register(components, {
    id: 'NonFinancial',
    title: 'Values of non-financial metrics',
    description: 'One row per requested metric, in request order.',
  })

// Extensions: the list of versions, and the proof that one ties out.

export const snapshots = z
  .strictObject({
    Data: z.array(
      z.strictObject({
        SnapshotId: id,
        BooksThrough: month,
        PublishedAt: z
          .string()
          .meta({ format: 'date-time' })
          .nullable()
          .describe('As the log has it; null where it has no line of it'),
        ManifestSha256: sha256,
        IsCurrent: z.boolean(),
      }),
    ),
  })
  .register(components, {
    id: 'Snapshots',
    title: 'Retained snapshots',
    description: 'Versions that the parameter SnapshotId can name, newest first.',
  })

export const decimal = z.string().regex(/^-?\d+(\.\d+)?$/)
export const tieOuts = z
  .strictObject({
    Data: z.array(
      z.strictObject({
        Identity: z.string().describe('What must agree'),
        Statement: z.string(),
        Basis: z.string(),
        BudgetId: id.nullable(),
        ClassId: id.nullable().describe('The filter it was checked under; null means all'),
        DepartmentId: id.nullable(),
        Checks: z.int().min(0).describe('Comparisons made, over all months and rows'),
        Left: decimal.describe('One side in the last month; of several rows, their sum'),
        Right: decimal.describe('The other side'),
        Difference: decimal.describe('The largest of all these comparisons'),
        Result: z.literal('pass').describe('What does not tie out is not published'),
      }),
    ),
  })
  .register(components, {
    id: 'TieOuts',
    title: 'Tie-outs of a snapshot',
    description: 'One entry per identity and combination: both sides and the largest difference.',
  })

// OAuth. Names are those of RFC 6749, RFC 8414 and the interface's own specification.

export const discovery = z
  .strictObject({
    issuer: z.url(),
    authorization_endpoint: z.url(),
    token_endpoint: z.url(),
    grant_types_supported: z.array(z.enum(['authorization_code', 'refresh_token'])),
    response_types_supported: z.array(z.literal('code')),
    scopes_supported: z.array(z.enum(['openid', 'profile', 'email', 'phone', 'read:company'])),
    token_endpoint_auth_methods_supported: z.array(z.literal('client_secret_post')),
    // Further metadata that RFC 8414 defines.
    userinfo_endpoint: z.url().optional(),
    jwks_uri: z.url().optional(),
    revocation_endpoint: z.url().optional(),
    revocation_endpoint_auth_methods_supported: z.array(z.literal('client_secret_post')).optional(),
    code_challenge_methods_supported: z.array(z.literal('S256')).optional(),
    response_modes_supported: z.array(z.literal('query')).optional(),
    authorization_response_iss_parameter_supported: z.boolean().optional(),
    subject_types_supported: z.array(z.literal('public')).optional(),
    id_token_signing_alg_values_supported: z.array(z.literal('RS256')).optional(),
    claims_supported: z.array(z.string()).optional(),
    claims_parameter_supported: z.boolean().optional(),
    request_parameter_supported: z.boolean().optional(),
    request_uri_parameter_supported: z.boolean().optional(),
  })
  .register(components, {
    id: 'OAuthDiscovery',
    title: 'OAuth discovery document',
    description: 'The seven members of the interface, and what else RFC 8414 lets a server say of itself.',
  })

export const tokenResponse = z
  .strictObject({
    access_token: z.string().min(1),
    token_type: z.literal('Bearer'),
    expires_in: z.int().positive().describe('Lifetime of the access token in seconds'),
    scope: z.string(),
    refresh_token: z.string().min(1),
    id_token: z
      .string()
      .optional()
      .describe(
        'With a code for which openid was granted (OpenID Connect Core §3.1.3.3), not with a refresh',
      ),
  })
  .register(components, { id: 'TokenResponse', title: 'Token response', description: 'RFC 6749 §5.1.' })

export const oauthError = z
  .strictObject({
    error: z.string().min(1),
    error_description: z.string().optional(),
    error_uri: z.url().optional(),
  })
  .register(components, { id: 'OAuthError', title: 'OAuth error', description: 'RFC 6749 §5.2.' })

export const userInfo = z
  .strictObject({
    Id: id,
    sub: id.describe('Equals Id; OpenID Connect clients ask for it'),
    Email: z.string(),
    FirstName: z.string(),
    LastName: z.string(),
    CompanyDetails: z.array(
      z.strictObject({
        Id: id,
        Name: z.string(),
        SnapshotId: id.describe('The current snapshot: another one means that something changed'),
        BooksThrough: month.describe('Last covered month'),
      }),
    ),
  })
  .register(components, {
    id: 'UserInfo',
    title: 'User information',
    description:
      'The user and the companies of this grant. Every token with openid or read:company gets all members.',
  })

// Errors.

export const problemDocument = z
  .strictObject({
    type: z.string().min(1),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    code: z.enum(Object.keys(PROBLEMS) as [keyof typeof PROBLEMS]).describe('Stable; programs branch on it'),
    errors: z.array(
      z.strictObject({
        parameter: z.string().describe('Query parameter, key of the body, or `body`'),
        problem: z.string(),
      }),
    ),
  })
  .register(components, { id: 'Problem', title: 'Problem', description: 'RFC 9457 problem details.' })

export type CompanyInfo = z.output<typeof companyInfo>
export type PublishedBudget = z.output<typeof budget>
