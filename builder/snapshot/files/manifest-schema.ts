/**
 * Defines the schema that every manifest must satisfy before anything in it is used. Format 1 has fewer members than format 2, and
 * unknown members are allowed. Whether the values agree with the snapshot is checked elsewhere.
 */
import { z } from 'zod'
import { isCalendarDate } from '../../contract/calendar.ts'

const text = z.string()
const count = z.number().int().nonnegative()
const day = z.string().refine(isCalendarDate, 'a date is expected')
const month = z.string().regex(/^\d{4}-\d{2}$/, 'a month is expected')
/** The hash of a source is the name of its kept copy: another text would be a path, or leave the source unchecked. */
const hash = text.regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hexadecimal digits is expected')
const amount = z.string().regex(/^-?\d+(\.\d+)?$/, 'an amount is expected')

export const pointerSchema = z.strictObject({ SnapshotId: text, ManifestSha256: text })

const fileEntry = z.object({ Path: text, Bytes: count, Sha256: text })

const inputEntry = z.looseObject({
  File: text,
  Sheet: text.nullish(),
  Role: text,
  Format: text.optional(),
  Bytes: count,
  Sha256: hash.nullable(),
  ETag: text.optional(),
  VersionId: text.optional(),
  Encoding: text.nullable(),
  Delimiter: text.nullish(),
  RowsRead: count,
  RowsRejected: count,
  Debit: amount.nullable(),
  Credit: amount.nullable(),
  Postings: count.optional(),
  PostedDebit: amount.optional(),
  PostedCredit: amount.optional(),
  Figures: count.optional(),
  Report: text.optional(),
  Stated: z.array(text).optional(),
  Numbers: z.array(text).optional(),
  Values: count.nullish(),
  Total: amount.nullish(),
  Scale: z.number().optional(),
  FirstDate: text.nullable(),
  LastDate: text.nullable(),
  Kept: z.boolean().optional(),
})

const tieOut = z.looseObject({
  Identity: text,
  Statement: text,
  Basis: text,
  Scopes: count,
  Checks: count,
  Left: text,
  Right: text,
  LargestDifference: text,
  Result: text,
})

const finding = z.looseObject({
  severity: text,
  code: text,
  message: text,
  file: text.nullable(),
  row: z.number().nullable(),
  column: text.nullable(),
  text: text.nullable(),
  remedy: text.nullable(),
  ledgerText: z.array(text).nullish(),
})

const facts = z.looseObject({
  Since: text,
  LockDate: day,
  Uncompared: text.optional(),
  Figures: count,
  Documents: count,
  Days: count.optional(),
  Months: z.array(month),
  GoneMonths: z.array(month),
  NewMonths: z.array(month).optional(),
})

const restatement = facts.extend({
  Reason: text.nullable(),
  Labels: z.array(z.looseObject({ Kind: text, Id: text, Old: text, New: text })).optional(),
  First: z.array(z.looseObject({ Statement: text, Id: text, Name: text, Month: text })),
})

/** The members that only some lines of the log have, as far as the program reads them. */
export const detailsSchema = z.looseObject({
  Format: count.optional(),
  Adopted: z.array(pointerSchema).optional(),
  Also: z.array(pointerSchema).optional(),
  Restatement: facts.nullish(),
})

export const manifestSchema = z.looseObject({
  Format: z.number(),
  CompanyId: text,
  SnapshotId: text,
  Month: month,
  Revision: count,
  ContentHash: text,
  Previous: pointerSchema.nullable(),
  ComparedWith: pointerSchema.nullish(),
  Tool: z.looseObject({ Name: text, Version: text, Rules: count.optional() }),
  Currency: text,
  Coverage: z.object({ StartDate: day, EndDate: day }),
  LockedThrough: day.nullish(),
  Inputs: z.array(inputEntry),
  Configuration: z.looseObject({ Sha256: text, KeepInputs: z.boolean() }).optional(),
  Totals: z.looseObject({ Postings: count, Transactions: count, Documents: count }),
  TieOuts: z.array(tieOut),
  ControlsAgreed: count.optional(),
  Warnings: z.array(finding),
  Restatement: restatement.nullish(),
  Files: z.array(fileEntry),
  Build: z.looseObject({
    At: text,
    Host: text.optional(),
    Node: text,
    Program: text.optional(),
    Seconds: z.number(),
    LogSha256: text.nullish(),
    KeyId: text.optional(),
    Approvers: z.array(z.looseObject({ Name: text, Key: text })).optional(),
  }),
})

/** The members of a manifest that no format has, such as `Build.Auditor`; those of restatements and tie-outs are compared as a whole. */
export function unknownMembers(manifest: Readonly<Record<string, unknown>>): string[] {
  const { shape } = manifestSchema
  const beyond = (value: object, known: object, place: string) =>
    Object.keys(value).flatMap((name) => (Object.hasOwn(known, name) ? [] : [place + name]))
  const parts = Object.entries({
    Tool: shape.Tool.shape,
    Coverage: shape.Coverage.shape,
    Configuration: shape.Configuration.unwrap().shape,
    Totals: shape.Totals.shape,
    Build: shape.Build.shape,
    Inputs: inputEntry.shape,
    Warnings: finding.shape,
    Files: fileEntry.shape,
  })
  const found = parts.flatMap(([part, known]) =>
    [manifest[part] ?? []].flat().flatMap((value) => beyond(value as object, known, `${part}.`)),
  )
  return [...beyond(manifest, shape, ''), ...new Set(found)]
}
