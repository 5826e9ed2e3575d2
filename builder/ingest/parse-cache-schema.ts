/** The schema of the parse cache: entries are checked when they are read back, so that a damaged one is never used. */
import { z } from 'zod'
import { BASES, CASH_FLOW_CATEGORIES, CLASSIFICATIONS } from '../contract/vocabulary.ts'
import { SCALES } from '../workspace/company.ts'
import { SEVERITIES } from '../workspace/finding.ts'
import { FINDING_CODES, type FindingCode } from '../workspace/finding-codes.ts'
import type { FormatContent } from './format/content.ts'
import { LEDGER_COLUMNS, ROLES } from './format/intake.ts'

const text = z.string()
const texts = z.array(text)
const textOrNull = text.nullable()
const row = z.number().int()
const origin = { file: text, row }
const basis = z.enum(BASES)
const tags = { class: textOrNull, department: textOrNull }

const finding = z.strictObject({
  severity: z.enum(SEVERITIES),
  code: z.enum(Object.values(FINDING_CODES).flat() as [FindingCode, ...FindingCode[]]),
  message: text,
  file: textOrNull,
  row: row.nullable(),
  column: textOrNull,
  text: textOrNull,
  remedy: textOrNull,
  ledgerText: texts.nullable(),
})

const ledgerInput = z.strictObject({
  file: text,
  basis: basis.nullable(),
  dateFormat: text,
  decimal: z.enum(['.', ',']),
  thousands: text,
  kind: z.literal('csv'),
  path: text,
  delimiter: text,
  columns: z.partialRecord(z.enum(LEDGER_COLUMNS), text),
  header: texts,
  isHeaderless: z.boolean().exactOptional(),
  mayHoldBlankRows: z.boolean().exactOptional(),
  sha256: text.exactOptional(),
  rowColumn: text.exactOptional(),
})
const member = { ...origin, id: text, name: text, parentId: textOrNull, isActive: z.boolean() }

const budgetRow = z.strictObject({
  ...origin,
  ...tags,
  account: text,
  month: text,
  amount: text,
  scale: z.literal(SCALES).exactOptional(),
})

const contentSchema: z.ZodType<FormatContent> = z.strictObject({
  accounts: z.array(
    z.strictObject({
      ...member,
      number: text,
      classification: z.enum(CLASSIFICATIONS),
      type: text,
      cashFlow: z.enum(CASH_FLOW_CATEGORIES).nullable(),
    }),
  ),
  classes: z.array(z.strictObject(member)),
  departments: z.array(z.strictObject(member)),
  fiscalYears: z.array(z.strictObject({ start: text, end: text })),
  ledger: z.array(ledgerInput),
  openings: z.array(
    z.strictObject({
      ...origin,
      ...tags,
      account: text,
      amount: text,
      yearStart: text,
      basis: basis.nullable(),
    }),
  ),
  statesOpenings: z.boolean(),
  priorResults: z.array(z.strictObject({ ...origin, account: text, amount: text, yearStart: text })),
  controls: z.array(
    z.strictObject({
      ...origin,
      ...tags,
      kind: z.enum(['closing', 'result', 'movement']),
      account: text,
      date: text,
      amount: text,
      from: text.exactOptional(),
      begins: text.exactOptional(),
    }),
  ),
  budgets: z.array(z.strictObject({ id: text, name: text, rows: z.array(budgetRow) })),
  closingAccounts: texts,
  openingJournals: texts,
  closingTypes: texts,
  sources: z.array(
    z.strictObject({
      file: text,
      path: text.exactOptional(),
      sheet: text.exactOptional(),
      delimiter: text.exactOptional(),
      format: text.exactOptional(),
      bytes: z.number(),
      sha256: text,
      encoding: text,
      // Commentary is text, and is never in the cache.
      role: z.enum(ROLES).exclude(['commentary']),
      rows: z.number().nullable(),
    }),
  ),
  unread: z.array(
    z.strictObject({
      ...origin,
      of: z.enum(['entry', 'opening', 'either', 'statement']),
      account: textOrNull,
      entry: textOrNull.optional(),
    }),
  ),
  differing: z.array(z.strictObject({ finding, off: z.number(), isOfAll: z.literal(true).optional() })),
  findings: z.array(finding),
})

/** In the place of its path a plan has the number of its copy, or of the source itself (`copy 0`, `source 2`). */
export const entrySchema = z.strictObject({
  carried: contentSchema,
  /** The hash of each copy. */
  copies: z.array(text),
})
