/** Reads a workbook. */
import { parseXlsx, type Workbook } from '../../../builder/ingest/workbook/xlsx.ts'

export const parsed = (bytes: Buffer): Promise<Workbook> => parseXlsx(bytes, '.', 'w.xlsx')
