/** What threads do where files are scanned ahead. */

import { sha256OfFile } from '../../../workspace/hash.ts'
import { type ScannedText, scanText } from '../../text/scan.ts'
import type { PartHands } from '../part-hands.ts'

export const WORK = {
  hash: (path: string): Promise<string> => sha256OfFile(path),
  scan: (path: string): Promise<ScannedText> => scanText(path),
}

export type ScanHands = PartHands<typeof WORK>
