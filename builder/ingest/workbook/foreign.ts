/** Files that users often add and that hold no readable table: what each is, and what to export instead. */
import { error, type Finding } from '../../workspace/finding.ts'

interface Foreign {
  /** Matches the beginning of the file, as text. */
  readonly begins: RegExp
  readonly what: string
  readonly instead: string
}

const AS_TABLE = 'export the same report as .xlsx or CSV'
const UNPACK = 'unpack it, and add the file inside'

const FOREIGN: readonly Foreign[] = [
  {
    begins: /^"?(EXTF|DTVF)"?;/,
    what: 'is a DATEV file (EXTF): each row names account and contra account, and leaves the tax to keys that only DATEV knows',
    instead:
      'export the journal with its lines (Buchungsjournal: number, date, account, Soll and Haben) as CSV or .xlsx, and add it with --map',
  },
  { begins: /^\s*%PDF-/, what: 'is a PDF, which shows figures and holds no table', instead: AS_TABLE },
  {
    begins: /^\s*(<!doctype html|<html|<head|<meta|<table|<style)/i,
    what: 'is a web page (HTML), although it may be called .xls',
    instead: 'open it in a spreadsheet program and save it as .xlsx, then add that',
  },
  {
    begins: /^\s*(<\?xml[^>]*\?>\s*)?(<\?mso-application|<(ss:)?Workbook\b)/i,
    what: 'is a workbook in XML (Excel 2003)',
    instead: 'open it in a spreadsheet program and save it as .xlsx, then add that',
  },
  {
    begins: /^!(Type|Account|Option):/i,
    what: 'is a QIF file: payments of one account, and no entries',
    instead: 'export the general ledger of the accounting program as .xlsx or CSV',
  },
  {
    begins: /^\s*(OFXHEADER|<\?OFX|<OFX>)/i,
    what: 'is a statement of a bank (OFX)',
    instead: 'export the general ledger of the accounting program as .xlsx or CSV',
  },
  {
    begins: /^(Rar!|7z\xbc\xaf|7z¼¯|\x1f[\x8b‹]|BZh\d|\xfd7zXZ)/,
    what: 'is a compressed archive',
    instead: UNPACK,
  },
  { begins: /^.PNG\r\n|^ÿØÿ|^GIF8\d/s, what: 'is a picture', instead: AS_TABLE },
  { begins: /^\s*\{\\rtf/, what: 'is a text document (RTF)', instead: AS_TABLE },
]

/** The finding about such a file; null where it may be a table or of a ledger format. */
export function foreignFile(head: string, file: string): Finding | null {
  const text = head.slice(0, 2000).replace(/^\uFEFF/, '')
  const found = FOREIGN.find(({ begins }) => begins.test(text))
  return found === undefined ? null : error('unreadable-file', found.what, { file, remedy: found.instead })
}

/**
 * Describes an OLE compound file by the names in it: Excel before 2007, a workbook with a password, or another
 * program's file.
 */
export function compoundFile(bytes: Buffer): { readonly what: string; readonly instead: string } {
  const holds = (name: string) => bytes.includes(Buffer.from(name, 'utf16le'))
  if (holds('EncryptedPackage'))
    return {
      what: 'it is protected by a password',
      instead:
        'open it in a spreadsheet program, save it as .xlsx without a password, and copy it here again',
    }
  if (holds('Workbook') || holds('Book'))
    return {
      what: 'it is a workbook of the old form (.xls)',
      instead: 'open it in a spreadsheet program and save it as .xlsx, then add that',
    }
  return {
    what: 'it is protected by a password, or an old .xls file',
    instead: 'open it in a spreadsheet program, save it as .xlsx without a password, and copy it here again',
  }
}

/** Describes a zip archive that is not a workbook, by the names of its files. */
export function foreignArchive(names: readonly string[]): {
  readonly what: string
  readonly instead: string
} {
  if (names.includes('mimetype') && names.includes('content.xml'))
    return {
      what: 'it is an OpenDocument file (.ods)',
      instead: 'open it in a spreadsheet program and save it as .xlsx, then add that',
    }
  if (names.some((name) => name.startsWith('Index/') && name.endsWith('.iwa')))
    return { what: 'it is a Numbers file', instead: 'export it from Numbers as .xlsx or CSV, then add that' }
  return { what: `it is a zip archive of ${names.join(', ')}`, instead: UNPACK }
}
