/** Code page 437, which SIE calls PC8: the letters that Swedish books need. */

const LETTERS: Record<string, number> = {
  Å: 0x8f,
  Ä: 0x8e,
  Ö: 0x99,
  å: 0x86,
  ä: 0x84,
  ö: 0x94,
  É: 0x90,
  é: 0x82,
  ü: 0x81,
}

export function cp437(text: string): Uint8Array {
  return Uint8Array.from([...text], (letter) => {
    const code = letter.charCodeAt(0)
    const byte = code < 0x80 ? code : LETTERS[letter]
    if (byte === undefined) throw new Error(`"${letter}" is not written in code page 437 here`)
    return byte
  })
}
