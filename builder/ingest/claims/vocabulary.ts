/**
 * The words by which columns, values, titles and sheets say that rows mean something else than they seem: in English, Swedish, French,
 * German, Danish, Norwegian, Dutch, Spanish, Portuguese and Italian. Data only; all of them in the plain form of {@link plainWords}.
 */

export const MEANINGS = [
  'status',
  'posted',
  'mark',
  'scenario',
  'company',
  'unit',
  'period',
  'currency',
  'rate',
] as const
export type Meaning = (typeof MEANINGS)[number]

/** Small letters without accents; all signs are blanks. `Annulé` is `annule`, `non-posting` is `non posting`, `DocStatus` is `doc status`. */
export const plainWords = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/(\p{Ll}\p{M}?)(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/ø/g, 'o')
    .replace(/æ/g, 'ae')
    .replace(/ß/g, 'ss')
    .replace(/[^\p{L}\p{N}%']+/gu, ' ')
    .trim()

const words = (...lists: readonly string[]): ReadonlySet<string> =>
  new Set(lists.flatMap((list) => list.split('|')))

/** Headers of columns. The first meaning counts that has one of these words; `whole`: the header is nothing else. */
export const HEADERS: { readonly [meaning in Meaning]: readonly [within: string, whole: string] } = {
  status: [
    'status|statut|stato|estado del asiento|bokforingsstatus|buchungsstatus|bogforingsstatus|toestand|situacao',
    'workflow|doc state|document state|entry state|approval|post type|posting type',
  ],
  posted: [
    'posting status',
    'posting|posted|is posted|non posting|gebucht|verbucht|bokford|bokfort|bogfort|comptabilise|comptabilisee|geboekt|definitief|contabilizado|contabilizada|lancado|registrato|contabilizzato|approved|is approved|godkand|genehmigt|approuve',
  ],
  mark: [
    'voided|void|cancelled|canceled|unposted|storniert|annullerad|makulerad|annule|annulee|geannuleerd|anulado|anulada|estornado|annullato|stornato|annulleret|annullert',
    'deleted|is deleted|reversed|is reversed|reversal|draft|is draft|parked|storno|stornokennzeichen|geloscht|raderad|slettet|supprime|verwijderd|vervallen|eliminado|eliminata|eliminato|excluido|entwurf|utkast|kladde|brouillon|concept|borrador|rascunho|bozza|planned|simulation|provisional|preliminar',
  ],
  scenario: [
    'scenario|szenario|scenariot|scenarie|escenario|cenario',
    'version|actual flag|actual budget|actual or budget|actual plan|plan actual|balance type|value type|data type|amount type|figure type|ledger type|budget type|budget flag|plan version|wertart|datenart|budget|forecast|typ av varde|tipo de valor|type de valeur',
  ],
  company: [
    'company|entity|subsidiary|legal entity|buchungskreis|mandant|gesellschaft|bolag|selskab|selskap|societe|sociedad|sociedade|societa|azienda|vennootschap|administratie|firma',
    'co|org|organisation|organization|ledger name|set of books|book|books|ledger|rldnr|accounting book|accounting books|ledger group|accounting principle|accounting standard|empresa|unternehmen|foretag|virksomhed|entite|entidad|entidade|dossier',
  ],
  unit: [
    'unit of measure|einheit|massstab',
    'unit|units|uom|scale|multiplier|enhet|enhed|unite|eenheid|unidad|unidade|unita|skala|schaal|factor|facteur|faktor|in thousands|thousands',
  ],
  period: [
    'period type|periodentyp|periodtyp',
    'basis of figures|amount basis|ytd|year to date|cumulative|type of period',
  ],
  currency: [
    'currency|wahrung|valuta|devise|moneda|moeda|divisa|valutakod',
    'curr|cur|ccy|fx|waers|currency code|txn currency',
  ],
  rate: [
    'exchange rate|fx rate|currency rate|conversion rate|wechselkurs|umrechnungskurs|vaxelkurs|valutakurs|valutakoers|taux de change|tipo de cambio|taxa de cambio|tasso di cambio|wisselkoers|vekslingskurs',
    'rate|kurs|cours|koers|cambio|taux|umrechnungsfaktor',
  ],
}
/** Columns that have such a word and are about something else: days, people, texts, numbers of another thing, taxes. */
export const ABOUT_OTHERS =
  /\b(dates?|time|datum|dato|fecha|by|user|name of (customer|vendor)|period|group|notes?|reason|comment|id|memo|description|tax|vat|moms|mwst|ust|tva|btw|iva|contact|customer|vendor|supplier|bank|reconciliation|cleared|clearing)\b/

/** What a row is that counts. */
export const COUNTS = words(
  'posted|approved|final|finalised|finalized|confirmed|booked|completed|complete|processed|released|actual|actuals|validated|authorised|authorized|recorded|active|normal|regular|ok|open|closed|paid|unpaid|partially paid|overdue|cleared|uncleared|reconciled|unreconciled|ordinary|standard|not voided|not cancelled|current year|monthly|month',
  'bokford|bokfort|godkand|aktiv|utfall|verklig|betald|obetald|oppen|stangd|gebucht|verbucht|genehmigt|festgeschrieben|endgultig|ist|istwert|offen|bezahlt|ausgeglichen',
  'comptabilise|comptabilisee|valide|validee|realise|reel|paye|payee|ouvert|lettre|bogfort|bogforte|godkendt|godkjent|faktisk|betalt|geboekt|definitief|verwerkt|goedgekeurd|werkelijk|realisatie|betaald',
  'contabilizado|contabilizada|registrado|registrada|aprobado|aprobada|real|pagado|pagada|publicado|publicada|lancado|lancada|aprovado|aprovada|realizado|pago|registrato|registrata|contabilizzato|contabilizzata|confermato|consuntivo|effettivo|pagato|pagata',
)
export const YES = words(
  'yes|y|true|t|1|x|ja|j|oui|o|si|s|sim|vero|wahr|sann|sant|vrai|waar|verdadero|verdadeiro',
)
export const NO = words(
  'no|n|false|f|0|nein|nej|nei|non|nee|nao|falso|falsch|falskt|falsk|faux|onwaar|none|not',
)

/** What a row is that may not count, in any column; these words have no other meaning as a value. */
export const NEVER_COUNTS: { readonly status: ReadonlySet<string>; readonly scenario: ReadonlySet<string> } =
  {
    status: words(
      'draft|drafts|void|voided|cancel|cancelled|canceled|deleted|parked|unposted|not posted|non posting|nonposting|unapproved|not approved|draft invoice|draft entry|draft bill|preliminary',
      'utkast|makulerad|makulerat|annullerad|annullerat|ej bokford|ej bokfort|parkerad|raderad|preliminar|preliminart|preliminara|entwurf|storniert|geloscht|geparkt|nicht gebucht|ungebucht|vorerfasst',
      'brouillon|brouillons|brouillard|brouillards|annule|annulee|supprime|supprimee|non comptabilise|non comptabilisee|non valide|en attente de validation|kladde|annulleret|annullert|slettet|ikke bogfort|ikke bokfort|parkeret|parkert|concept|geannuleerd|vervallen|verwijderd|niet geboekt|niet verwerkt',
      'borrador|anulado|anulada|cancelado|cancelada|eliminado|eliminada|no contabilizado|no contabilizada|rascunho|estornado|estornada|excluido|nao lancado|nao contabilizado|bozza|annullato|annullata|stornato|stornata|eliminato|non registrato|non contabilizzato',
    ),
    scenario: words(
      'budget|budgets|forecast|forecasts|budgeted|statistical|statistics|prior year|previous year|last year|reforecast|rolling forecast|base budget|high case|low case',
      'budgeterad|prognos|foregaende ar|fjolaret|plan|planwert|planung|prognose|vorjahr|previsionnel|prevision|previsions|annee precedente|exercice precedent|budsjett|forrige ar|begroting|begroot|vorig jaar',
      'presupuesto|pronostico|ano anterior|orcamento|orcado|previsao|preventivo|previsione|anno precedente|esercizio precedente',
    ),
  }
/** The same where the header or a title says that it is about this; these words have other meanings elsewhere. */
export const MAY_NOT_COUNT: ReadonlySet<string> = words(
  'hold|on hold|held|pending|pending approval|awaiting approval|planned|proposed|rejected|declined|suspended|reversed|inactive|simulated|memo|provisional|template|recurring|in progress|submitted|new|entered|test|target|targets|goal|goals|plan|planned|base|high|low|stretch|statistical',
  'vantande|avvisad|planerad|mal|malvarde|wartend|abgelehnt|geplant|ziel|zielwert|soll|sollwert|en attente|rejete|prevu|objectif|cible|afventer|planlagt|in afwachting|afgewezen|gepland|doel|streefwaarde|pendiente|rechazado|planificado|objetivo|meta|pendente|rejeitado|planejado|in attesa|respinto|pianificato|obiettivo',
)
const PRIOR =
  'prior year|previous year|last year|py|foregaende ar|fjolaret|vorjahr|annee precedente|exercice precedent|forrige ar|vorig jaar|ano anterior|anno precedente|esercizio precedente'
export const PRIOR_YEAR = words(PRIOR)
/** Values of what has happened, and of another year: no budget. */
export const ACTUAL = words(
  'actual|actuals|utfall|verklig|verkligt|ist|istwert|istwerte|realise|reel|faktisk|regnskab|regnskap|werkelijk|realisatie|real|ejecutado|realizado|consuntivo|effettivo|actual flag',
  PRIOR,
)
/** What is planned or aimed at: a budget, no value that was measured. */
export const PLANNED = words(
  'budget|budgets|budgeted|forecast|forecasts|reforecast|plan|planned|target|targets|goal|goals|prognos|mal|malvarde|planwert|planung|prognose|ziel|zielwert|soll|sollwert|prevision|previsions|previsionnel|objectif|cible|budsjett|begroting|doel|streefwaarde|presupuesto|pronostico|objetivo|meta|orcamento|previsao|previsione|preventivo|obiettivo',
)
/** What a row of a budget measures that is not money. */
export const MEASURES = words(
  'units|unit|quantity|qty|volume|price|unit price|average price|hours|headcount|fte|ftes|rate',
  'antal|volym|pris|timmar|menge|stuck|preis|stunden|quantite|prix|heures|antall|timer|aantal|prijs|uren|cantidad|precio|horas|quantidade|preco|quantita|prezzo|ore',
)
/** Figures that are not those of the period alone. */
export const CUMULATIVE = words(
  'ytd|year to date|cumulative|cumulated|accumulated|running total|itd',
  "ackumulerat|ackumulerad|hittills i ar|kumuliert|aufgelaufen|seit jahresbeginn|cumule|cumulee|cumul|depuis le debut de l'annee|akkumuleret|akkumulert|ar til dato|hittil i ar|cumulatief|jaar tot nu toe|acumulado|acumulada|acumulado anual|cumulato|cumulativo|progressivo|da inizio anno",
)
/** Types of documents that accounting programs list and never post. */
export const NO_POSTING_TYPES = words(
  'estimate|estimates|sales order|sales orders|purchase order|purchase orders|quote|quotation|opportunity|requisition|purchase requisition|proforma|pro forma|pro forma invoice|simulation|simulated|simulations|delayed charge|delayed credit|statistical|statistical journal|item fulfillment request|budget',
  'offert|offerte|order|inkopsorder|forsaljningsorder|angebot|auftrag|bestellung|devis|commande|bon de commande|tilbud|ordre|inkooporder|verkooporder|presupuesto|pedido|orcamento|preventivo|ordine',
)

/** A header of an amount: in the company's currency, or in that of the document. */
export const AMOUNT =
  /\b(amounts?|amt|debits?|credits?|dr|cr|betrag|soll|haben|belopp|belob|debet|kredit|montant|bedrag|importe|valor|importo|debe|haber|debito|credito|dare|avere|value)\b/
export const BASE =
  /\b(lcy|base|basis|local|functional|home|accounted|domestic|reporting|company currency|in company|hauswahrung|eigenwahrung|landeswahrung|basvaluta|redovisningsvaluta|lokal|locale|devise locale|devise de tenue|basisvaluta|eigen valuta|moneda (local|base)|moeda (local|base)|valuta (base|locale))\b/
export const FOREIGN =
  /\b(currency|foreign|fcy|fc|document|doc|entered|source|transaction currency|original|txn|tcy|acy|fremdwahrung|belegwahrung|utlandsk|valuta|valutabelopp|devise|etranger|extranjera|estrangeira|estera|vreemde)\b/

/** What is doubted, in an accountant's words. */
export const DOUBTS: { readonly [meaning in Meaning]: string } = {
  status: 'do all of these rows count?',
  posted: 'do all of these rows count?',
  mark: 'do rows that are marked so count?',
  scenario: 'do all of these rows hold actual figures?',
  company: 'do the rows of each of them belong to this company?',
  unit: 'are the figures stated in this unit?',
  period: 'is each figure that of its own period alone?',
  currency: 'are the amounts that are read in the currency of the company?',
  rate: 'are the amounts that are read in the currency of the company?',
}
