/** All files of `datasets/nordvik`. */
import { readFileSync } from 'node:fs'
import { cp437 } from './cp437.ts'
import { keepBooks } from './ledger.ts'
import { sieFile } from './sie.ts'

export async function nordvikFiles(): Promise<Record<string, string | Uint8Array>> {
  return {
    'company.yaml': readFileSync(new URL('company.yaml', import.meta.url)),
    'ledger/nordvik-2024-2025.se': cp437(sieFile(keepBooks())),
  }
}
