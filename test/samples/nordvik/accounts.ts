/** Nordvik's chart of accounts (BAS 97, shortened) with account kinds, tax-return codes and last year's balances. */

export interface Account {
  readonly number: string
  readonly name: string
  /** `#KTYP`: T assets, S debts and equity, I income, K costs. */
  readonly kind: 'T' | 'S' | 'I' | 'K'
  readonly sru: string
}

const CHART = `
1110 Byggnader
1119 Ackumulerade avskrivningar på byggnader
1130 Mark
1210 Maskiner och andra tekniska anläggningar
1219 Ackumulerade avskrivningar på maskiner
1220 Inventarier och verktyg
1229 Ackumulerade avskrivningar på inventarier och verktyg
1240 Bilar och andra transportmedel
1249 Ackumulerade avskrivningar på bilar
1250 Datorer
1259 Ackumulerade avskrivningar på datorer
1380 Andra långfristiga fordringar
1410 Lager av byggmaterial
1470 Pågående arbeten
1480 Förskott till leverantörer
1510 Kundfordringar
1513 Kundfordringar, delad faktura (ROT)
1515 Osäkra kundfordringar
1519 Nedskrivning av kundfordringar
1610 Fordringar hos anställda
1620 Upparbetad men ej fakturerad intäkt
1630 Avräkning för skatter och avgifter (skattekonto)
1650 Momsfordran
1680 Andra kortfristiga fordringar
1710 Förutbetalda hyreskostnader
1720 Förutbetalda leasingavgifter
1730 Förutbetalda försäkringspremier
1790 Övriga förutbetalda kostnader
1910 Kassa
1920 PlusGiro
1930 Företagskonto
1940 Byggkonto, Sundsvallsbanken
2081 Aktiekapital
2086 Reservfond
2091 Balanserad vinst eller förlust
2098 Vinst eller förlust från föregående år
2099 Årets resultat
2123 Periodiseringsfond 2023
2124 Periodiseringsfond 2024
2125 Periodiseringsfond 2025
2150 Ackumulerade överavskrivningar
2220 Avsättningar för garantier
2330 Checkräkningskredit
2350 Skulder till kreditinstitut
2393 Lån från aktieägare
2420 Förskott från kunder
2440 Leverantörsskulder
2450 Fakturerad men ej upparbetad intäkt
2510 Skatteskulder
2512 Beräknad inkomstskatt
2514 Beräknad särskild löneskatt på pensionskostnader
2518 Betald F-skatt
2611 Utgående moms på försäljning inom Sverige, 25 %
2614 Utgående moms omvänd skattskyldighet, 25 %
2641 Debiterad ingående moms
2647 Ingående moms omvänd skattskyldighet
2650 Redovisningskonto för moms
2710 Personalskatt
2731 Avräkning lagstadgade sociala avgifter
2890 Övriga kortfristiga skulder
2898 Outtagen vinstutdelning
2910 Upplupna löner
2920 Upplupna semesterlöner
2940 Upplupna lagstadgade sociala avgifter
2960 Upplupna räntekostnader
2990 Övriga upplupna kostnader
3041 Försäljning av byggtjänster, 25 % moms
3051 Försäljning av material, 25 % moms
3231 Försäljning inom byggsektorn, omvänd skattskyldighet
3590 Övriga fakturerade kostnader
3731 Lämnade kassarabatter
3740 Öres- och kronutjämning
3910 Hyresintäkter
3973 Vinst vid avyttring av maskiner och inventarier
3994 Försäkringsersättningar
4010 Inköp av byggmaterial
4425 Underentreprenader, omvänd skattskyldighet
4500 Övriga inköp till projekt
4731 Erhållna kassarabatter
4910 Förändring av lager av byggmaterial
4970 Förändring av pågående arbeten
5010 Lokalhyra
5020 El för belysning och verktyg
5030 Värme
5060 Städning och renhållning
5070 Reparation och underhåll av lokaler
5210 Hyra av maskiner och ställningar
5410 Förbrukningsinventarier
5420 Programvaror
5460 Förbrukningsmaterial
5480 Arbetskläder och skyddsmaterial
5611 Drivmedel för bilar
5612 Försäkring och skatt för bilar
5613 Reparation och underhåll av bilar
5615 Leasing av bilar
5710 Frakter och transporter
5810 Biljetter
5831 Kost och logi i Sverige
5910 Annonsering
6071 Representation, avdragsgill
6072 Representation, ej avdragsgill
6110 Kontorsmateriel
6212 Mobiltelefon
6230 Datakommunikation
6250 Porto
6310 Företagsförsäkringar
6351 Konstaterade förluster på kundfordringar
6361 Garantikostnader
6420 Revision
6530 Redovisningstjänster
6540 IT-tjänster
6550 Konsultarvoden
6570 Bankkostnader
6580 Advokat- och rättegångskostnader
6980 Föreningsavgifter
6992 Övriga externa kostnader, ej avdragsgilla
7010 Löner till kollektivanställda
7081 Sjuklöner till kollektivanställda
7090 Förändring av semesterlöneskuld
7210 Löner till tjänstemän
7321 Skattefria traktamenten
7331 Skattefria bilersättningar
7410 Pensionsförsäkringspremier
7510 Lagstadgade sociala avgifter
7519 Sociala avgifter för semesterlöner
7533 Särskild löneskatt på pensionskostnader
7570 Premier för arbetsmarknadsförsäkringar
7610 Utbildning
7620 Sjuk- och hälsovård
7690 Övriga personalkostnader
7820 Avskrivningar på byggnader
7831 Avskrivningar på maskiner
7832 Avskrivningar på inventarier och verktyg
7834 Avskrivningar på bilar
7835 Avskrivningar på datorer
7973 Förlust vid avyttring av maskiner och inventarier
8310 Ränteintäkter från omsättningstillgångar
8314 Skattefria ränteintäkter
8410 Räntekostnader för långfristiga skulder
8420 Räntekostnader för kortfristiga skulder
8423 Räntekostnader för skatter och avgifter
8811 Avsättning till periodiseringsfond
8850 Förändring av överavskrivningar
8910 Skatt som belastar årets resultat
8999 Årets resultat
`

/** First digits of the account → code of the tax return (INK2R), longest match first. */
const SRU: Record<string, string> = {
  11: '7214',
  12: '7215',
  13: '7235',
  14: '7241',
  147: '7246',
  151: '7251',
  16: '7261',
  17: '7263',
  19: '7281',
  208: '7301',
  209: '7302',
  212: '7321',
  215: '7322',
  22: '7333',
  23: '7352',
  242: '7364',
  244: '7365',
  245: '7366',
  25: '7368',
  26: '7369',
  27: '7369',
  28: '7369',
  29: '7370',
  3: '7410',
  39: '7413',
  4: '7511',
  49: '7510',
  5: '7513',
  6: '7513',
  7: '7514',
  78: '7515',
  79: '7517',
  83: '7417',
  84: '7522',
  881: '7525',
  885: '7525',
  89: '7528',
  8999: '7450',
}

function sruOf(number: string): string {
  for (let length = 4; length > 0; length--) {
    const code = SRU[number.slice(0, length)]
    if (code !== undefined) return code
  }
  throw new Error(`no tax-return code for ${number}`)
}

const kindOf = (number: string): Account['kind'] =>
  number < '2' ? 'T' : number < '3' ? 'S' : number < '4' || number.startsWith('831') ? 'I' : 'K'

export const ACCOUNTS: readonly Account[] = CHART.trim()
  .split('\n')
  .map((line) => ({
    number: line.slice(0, 4),
    name: line.slice(5),
    kind: kindOf(line.slice(0, 4)),
    sru: sruOf(line.slice(0, 4)),
  }))

/** `#DIM 1` and `#DIM 6` with their objects. */
export const COST_CENTRES: Record<string, string> = {
  10: 'Ledning och kontor',
  20: 'Byggservice',
  30: 'Nyproduktion',
  40: 'Ombyggnad',
  50: 'Förråd och maskiner',
}
export const PROJECTS: Record<string, string> = {
  P2401: 'Kv. Måsen, nyproduktion',
  P2402: 'Skolan i Njurunda, ombyggnad',
  P2403: 'Villa Öberg, tillbyggnad',
  P2404: 'Hamnmagasinet, renovering',
  P2405: 'ROT-arbeten, löpande',
  P2501: 'Äldreboendet Björken, etapp 1',
}

/** Closing balances of 2023/24 in kronor, debit positive; 2091 and 2099 follow from the rest and the result. */
export const LAST_BALANCES: Record<string, number> = {
  1110: 3_200_000,
  1119: -896_000,
  1130: 450_000,
  1210: 2_860_000,
  1219: -1_430_000,
  1220: 615_000,
  1229: -398_000,
  1240: 1_740_000,
  1249: -812_000,
  1250: 186_000,
  1259: -121_000,
  1380: 75_000,
  1410: 342_500,
  1470: 1_265_000,
  1510: 4_318_750,
  1513: 162_400,
  1630: 12_480,
  1710: 96_000,
  1730: 58_200,
  1910: 4_350,
  1920: 31_275,
  1930: 3_184_620,
  1940: 500_000,
  2081: -200_000,
  2086: -40_000,
  2123: -410_000,
  2124: -365_000,
  2150: -290_000,
  2220: -180_000,
  2350: -2_640_000,
  2393: -300_000,
  2440: -2_876_430,
  2514: -118_600,
  2650: -512_345,
  2710: -298_140,
  2731: -341_220,
  2920: -684_300,
  2940: -215_000,
  2960: -18_400,
  2990: -64_500,
}

/** What of the work in progress belongs to which project (`#OIB`). */
export const WORK_IN_PROGRESS: Record<string, number> = { P2401: 745_000, P2403: 118_000, P2404: 402_000 }
