/**
 * Requests and checks time stamps (RFC 3161), by which an authority confirms that a manifest existed at a time. The authority's
 * answer is kept as it came, so that "openssl ts -verify" can read it. No other file knows ASN.1 and CMS (pkijs).
 */
import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import * as asn1 from 'asn1js'
import * as pkijs from 'pkijs'

const SHA_256 = '2.16.840.1.101.3.4.2.1'
const EKU = '2.5.29.37'
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8'
const TST_INFO = '1.2.840.113549.1.9.16.1.4'
/** The signed attributes that name the signing certificate (RFC 5816 §2.2 and RFC 3161 §2.4.2). */
const SIGNING_CERTIFICATES = ['1.2.840.113549.1.9.16.2.47', '1.2.840.113549.1.9.16.2.12']
/** Hash algorithms by the length of the hash. ESSCertID always uses SHA-1; for ESSCertIDv2 the length tells the algorithm. */
const HASH_BY_BYTES: Readonly<Record<number, string>> = {
  20: 'sha1',
  32: 'sha256',
  48: 'sha384',
  64: 'sha512',
}

interface StampRequest {
  /** DER, for `application/timestamp-query`. */
  readonly query: Buffer
  readonly nonce: Buffer
}

/** The request for a stamp over a manifest with this SHA-256 (hex), by this policy if one is named. It asks for the certificates too. */
export function stampRequest(manifestHash: string, policy: string | null): StampRequest {
  const nonce = randomBytes(8)
  // A positive INTEGER without leading zeros has the same bytes in every encoding.
  nonce.writeUInt8((nonce.readUInt8(0) & 0x3f) | 0x40, 0)
  const request = new pkijs.TimeStampReq({
    version: 1,
    messageImprint: new pkijs.MessageImprint({
      hashAlgorithm: new pkijs.AlgorithmIdentifier({
        algorithmId: SHA_256,
        algorithmParams: new asn1.Null(),
      }),
      hashedMessage: new asn1.OctetString({ valueHex: bufferOf(Buffer.from(manifestHash, 'hex')) }),
    }),
    ...(policy === null ? {} : { reqPolicy: policy }),
    nonce: new asn1.Integer({ valueHex: bufferOf(nonce) }),
    certReq: true,
  })
  return { query: Buffer.from(request.toSchema().toBER()), nonce }
}

/** Hash algorithms for which other content with the same hash can be made, so that a signature over it proves nothing. */
const FORGEABLE: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'SHA-1',
  '1.2.840.113549.1.1.5': 'SHA-1',
  '1.2.840.10045.4.1': 'SHA-1',
  '1.2.840.113549.2.5': 'MD5',
  '1.2.840.113549.1.1.4': 'MD5',
}
const RSA_PSS = '1.2.840.113549.1.1.10'
const CRL_REASON = '2.5.29.21'
/** The reasons for which stamps from before the revocation stay valid: the key was not compromised (RFC 3161 §4). */
const NOT_COMPROMISED = [0, 3, 4, 5]

interface Stamp {
  /** The time of the stamp; ISO 8601, UTC. */
  readonly at: string
  /** The policy by which the authority stamps: the number that its practice statement has. */
  readonly policy: string
  /** The hash algorithm under the signature where it can be forged, such as SHA-1; else null. */
  readonly forgeable: string | null
  /** The subject of the signing certificate; null if the stamp carries none. */
  readonly by: string | null
  readonly nonce: Buffer | null
}

export type ReadStamp =
  | { readonly stamp: Stamp; readonly problem: null }
  | { readonly stamp: null; readonly problem: string }

/** What a PEM file says of an authority. */
export interface Authority {
  /** Trusted: of the authority itself, or of one that issued its certificate. */
  readonly certificates: readonly X509Certificate[]
  /** Lists of revoked certificates (CRL, RFC 5280 §5). */
  readonly revocations: readonly pkijs.CertificateRevocationList[]
}

/** Parses the certificates in a PEM text, and lists of revoked ones beside them. Throws if it holds no certificate. */
export function parseAuthority(pem: string): Authority {
  const blocks = (what: string) =>
    pem.match(new RegExp(`-----BEGIN ${what}-----[\\s\\S]*?-----END ${what}-----`, 'g')) ?? []
  const certificates = blocks('CERTIFICATE').map((block) => new X509Certificate(block))
  if (certificates.length === 0) throw new Error('it holds no certificate in PEM')
  const revocations = blocks('X509 CRL').map((block) =>
    pkijs.CertificateRevocationList.fromBER(
      bufferOf(Buffer.from(block.replace(/-----.*?-----/g, ''), 'base64')),
    ),
  )
  return { certificates, revocations }
}

/**
 * Checks that an answer is a stamp over these bytes with a valid signature; with an `authority`, that it vouches for the
 * signer. The certificate must have been valid when the stamp was made, not today. It never throws, whatever the answer.
 */
export async function checkStamp(
  answer: Uint8Array,
  manifest: Uint8Array,
  authority: Authority | null,
): Promise<ReadStamp> {
  try {
    const opened = open(answer)
    return typeof opened === 'string' ? wrong(opened) : await judge(opened, manifest, authority)
  } catch {
    return wrong('is not an answer of a time-stamping authority')
  }
}

const wrong = (problem: string): ReadStamp => ({ stamp: null, problem })

interface Opened {
  readonly signed: pkijs.SignedData
  readonly info: pkijs.TSTInfo
}

function open(answer: Uint8Array): Opened | string {
  const { result, offset } = asn1.fromBER(bufferOf(answer))
  const response = new pkijs.TimeStampResp({ schema: result })
  if (offset !== answer.length) return 'is followed by bytes that are no part of it'
  const status = response.status.status
  // granted, grantedWithMods
  if (status !== 0 && status !== 1) return `was refused by the authority (status ${status})`
  if (!response.timeStampToken) return 'holds no time stamp'
  const signed = new pkijs.SignedData({ schema: response.timeStampToken.content })
  const { eContentType, eContent } = signed.encapContentInfo
  if (eContentType !== TST_INFO || !eContent) return 'signs something else than a time'
  return { signed, info: pkijs.TSTInfo.fromBER(eContent.getValue()) }
}

async function judge(
  { signed, info }: Opened,
  manifest: Uint8Array,
  authority: Authority | null,
): Promise<ReadStamp> {
  const { hashAlgorithm, hashedMessage } = info.messageImprint
  const hash = createHash('sha256').update(manifest).digest()
  if (hashAlgorithm.algorithmId !== SHA_256 || !hash.equals(Buffer.from(hashedMessage.getValue())))
    return wrong('is over something else than this manifest')
  const [signature, ...more] = signed.signerInfos
  if (signature === undefined || more.length > 0) return wrong('is not signed by one authority')
  const given = authority?.certificates.map(({ raw }) => pkijs.Certificate.fromBER(bufferOf(raw))) ?? []
  const signer = signerOf(signature, [...certificatesIn(signed), ...given])
  if (signer === null) return wrong('does not carry the certificate that signed it')
  const certificate = new X509Certificate(Buffer.from(signer.toSchema().toBER()))
  if (!isForTimeStamps(signer)) return wrong('is signed by a certificate that is not for time stamps')
  if (!namesCertificate(signature, certificate))
    return wrong('names another certificate than the one that signed it')
  if (!(await isSigned(signed, given, manifest))) return wrong('was changed: its signature does not hold')
  const at = info.genTime
  if (at < signer.notBefore.value || at > signer.notAfter.value)
    return wrong(`is of ${at.toISOString()}, when the certificate of the authority was not valid`)
  if (authority && !(await isVouchedFor(signed, signer, certificate, authority, given, at)))
    return wrong(
      `is signed by "${nameOf(certificate)}", for which the authority that was named does not vouch`,
    )
  const revoked = authority && (await revokedOn(signer, authority, [...certificatesIn(signed), ...given], at))
  if (revoked)
    return wrong(`is signed by "${nameOf(certificate)}", whose certificate was revoked on ${revoked}`)
  const nonce = info.nonce ? Buffer.from(info.nonce.valueBlock.valueHexView) : null
  return {
    stamp: {
      at: at.toISOString(),
      policy: info.policy,
      by: nameOf(certificate),
      nonce,
      forgeable: forgeableUnder(signature),
    },
    problem: null,
  }
}

/** The hash under a signature that can be forged. RSA-PSS names its hash in parameters, and means SHA-1 without (RFC 4055 §3.1). */
function forgeableUnder({ digestAlgorithm, signatureAlgorithm }: pkijs.SignerInfo): string | null {
  const algorithms = [digestAlgorithm, signatureAlgorithm]
  if (signatureAlgorithm.algorithmId === RSA_PSS)
    algorithms.push(new pkijs.RSASSAPSSParams({ schema: signatureAlgorithm.algorithmParams }).hashAlgorithm)
  return algorithms.flatMap(({ algorithmId }) => FORGEABLE[algorithmId] ?? [])[0] ?? null
}

/**
 * The day on which a certificate was revoked, by the lists that its issuer signed, if that touches a stamp of this time: any stamp
 * where the key may be compromised or no reason is stated, else those from the revocation on (RFC 3161 §4). Null otherwise.
 */
async function revokedOn(
  signer: pkijs.Certificate,
  { revocations }: Authority,
  certificates: readonly pkijs.Certificate[],
  at: Date,
): Promise<string | null> {
  for (const list of revocations.filter(({ issuer }) => issuer.isEqual(signer.issuer))) {
    const issuers = certificates.filter(({ subject }) => subject.isEqual(list.issuer))
    const isSigned = await Promise.all(issuers.map((issuerCertificate) => list.verify({ issuerCertificate })))
    const entry = list.revokedCertificates?.find(({ userCertificate }) =>
      userCertificate.isEqual(signer.serialNumber),
    )
    if (!entry || !isSigned.includes(true)) continue
    const stated = entry.crlEntryExtensions?.extensions.find(({ extnID }) => extnID === CRL_REASON)
    const reason = stated && asn1.fromBER(stated.extnValue.getValue()).result
    const isHarmless =
      reason instanceof asn1.Enumerated && NOT_COMPROMISED.includes(reason.valueBlock.valueDec)
    const on = entry.revocationDate.value
    if (!isHarmless || at >= on) return on.toISOString()
  }
  return null
}

/** Whether the certificate is for time stamps only, in a critical extension (RFC 3161 §2.3). */
function isForTimeStamps({ extensions = [] }: pkijs.Certificate): boolean {
  const usage = extensions.find(({ extnID }) => extnID === EKU)
  const purposes = (usage?.parsedValue as pkijs.ExtKeyUsage | undefined)?.keyPurposes ?? []
  return usage?.critical === true && purposes.length === 1 && purposes[0] === TIME_STAMPING
}

const certificatesIn = ({ certificates = [] }: pkijs.SignedData): pkijs.Certificate[] =>
  certificates.filter((each) => each instanceof pkijs.Certificate)

/** The signer's certificate among these, by issuer and serial number; null if it is not there. */
function signerOf(
  { sid }: pkijs.SignerInfo,
  certificates: readonly pkijs.Certificate[],
): pkijs.Certificate | null {
  if (!(sid instanceof pkijs.IssuerAndSerialNumber)) return null
  return (
    certificates.find(
      ({ issuer, serialNumber }) => issuer.isEqual(sid.issuer) && serialNumber.isEqual(sid.serialNumber),
    ) ?? null
  )
}

/** Whether a signed attribute names this certificate by its hash. */
function namesCertificate({ signedAttrs }: pkijs.SignerInfo, { raw }: X509Certificate): boolean {
  const attributes = signedAttrs?.attributes ?? []
  const named = attributes.find(({ type }) => SIGNING_CERTIFICATES.includes(type))
  const [certificates] = childrenOf(named?.values[0])
  const [first] = childrenOf(certificates)
  const hash = childrenOf(first).find((each) => each instanceof asn1.OctetString)
  if (hash === undefined) return false
  const value = Buffer.from(hash.getValue())
  const algorithm = HASH_BY_BYTES[value.length]
  return algorithm !== undefined && createHash(algorithm).update(raw).digest().equals(value)
}

const childrenOf = (value: unknown): asn1.AsnType[] =>
  value instanceof asn1.Sequence ? (value.valueBlock.value as asn1.AsnType[]) : []

async function isSigned(
  signed: pkijs.SignedData,
  given: readonly pkijs.Certificate[],
  manifest: Uint8Array,
): Promise<boolean> {
  // A stamp without certificates is checked with those of the authority.
  if (!signed.certificates?.length) signed.certificates = [...given]
  return signed.verify({ signer: 0, checkChain: false, data: bufferOf(manifest) })
}

/** Whether the authority vouches for the signer: its own certificate signed, or a chain led to it at the time of the stamp. */
async function isVouchedFor(
  signed: pkijs.SignedData,
  signer: pkijs.Certificate,
  certificate: X509Certificate,
  authority: Authority,
  given: readonly pkijs.Certificate[],
  at: Date,
): Promise<boolean> {
  if (authority.certificates.some(({ raw }) => raw.equals(certificate.raw))) return true
  const others = certificatesIn(signed).filter((each) => each !== signer)
  const chain = new pkijs.CertificateChainValidationEngine({
    trustedCerts: [...given],
    certs: [...others, signer],
    checkDate: at,
  })
  return (await chain.verify()).result
}

const nameOf = ({ subject }: X509Certificate): string => subject.replaceAll('\n', ', ')

/** A copy of the bytes in a buffer of its own, as pkijs needs it. */
const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer
