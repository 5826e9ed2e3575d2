/**
 * Time stamps (RFC 3161): the word of an authority that a manifest was there at a time. What is kept is the answer of the
 * authority as it came, so that "openssl ts -verify" reads it. The only file that knows ASN.1 and CMS, by pkijs.
 */
import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import * as asn1 from 'asn1js'
import * as pkijs from 'pkijs'

const SHA_256 = '2.16.840.1.101.3.4.2.1'
const EKU = '2.5.29.37'
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8'
const TST_INFO = '1.2.840.113549.1.9.16.1.4'
/** RFC 5816 §2.2 and RFC 3161 §2.4.2: which certificate signed it, inside of what is signed. */
const SIGNING_CERTIFICATES = ['1.2.840.113549.1.9.16.2.47', '1.2.840.113549.1.9.16.2.12']
/** ESSCertID names no algorithm (SHA-1), ESSCertIDv2 one that its length tells. */
const HASH_BY_BYTES: Readonly<Record<number, string>> = {
  20: 'sha1',
  32: 'sha256',
  48: 'sha384',
  64: 'sha512',
}

export interface StampRequest {
  /** DER, for `application/timestamp-query`. */
  readonly query: Buffer
  readonly nonce: Buffer
}

/** Asks for a stamp over a manifest with this SHA-256, together with the authority's certificates. */
export function stampRequest(manifestHash: string): StampRequest {
  const nonce = randomBytes(8)
  // An INTEGER without a sign and without leading zeros is the same in every encoding.
  nonce[0] = (nonce[0]! & 0x3f) | 0x40
  const request = new pkijs.TimeStampReq({
    version: 1,
    messageImprint: new pkijs.MessageImprint({
      hashAlgorithm: new pkijs.AlgorithmIdentifier({
        algorithmId: SHA_256,
        algorithmParams: new asn1.Null(),
      }),
      hashedMessage: new asn1.OctetString({ valueHex: bufferOf(Buffer.from(manifestHash, 'hex')) }),
    }),
    nonce: new asn1.Integer({ valueHex: bufferOf(nonce) }),
    certReq: true,
  })
  return { query: Buffer.from(request.toSchema().toBER()), nonce }
}

export interface Stamp {
  /** When the authority saw it; ISO 8601, UTC. */
  readonly at: string
  /** Who says so: the subject of the certificate that signed; null where the stamp carries none. */
  readonly by: string | null
  readonly nonce: Buffer | null
}

export type ReadStamp =
  | { readonly stamp: Stamp; readonly problem: null }
  | { readonly stamp: null; readonly problem: string }

/** Trusted certificates, as a file in PEM holds them: of the authority itself, or of who vouches for it. */
export type Authority = readonly X509Certificate[]

/** Throws where the text holds no certificate. */
export function parseAuthority(pem: string): Authority {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw new Error('it holds no certificate in PEM')
  return blocks.map((block) => new X509Certificate(block))
}

/**
 * Whether an answer is a stamp over these bytes, signed by whom it names; with an `authority`, by that one. Its certificate
 * need not be valid any more: it was when the stamp was made. Never throws on what it is given.
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
    return wrong('is no answer of a time-stamping authority')
  }
}

const wrong = (problem: string): ReadStamp => ({ stamp: null, problem })

interface Opened {
  readonly signed: pkijs.SignedData
  readonly info: pkijs.TSTInfo
}

function open(answer: Uint8Array): Opened | string {
  const response = pkijs.TimeStampResp.fromBER(bufferOf(answer))
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
  if (signed.signerInfos.length !== 1) return wrong('is not signed by one authority')
  const given = authority?.map((each) => pkijs.Certificate.fromBER(bufferOf(each.raw))) ?? []
  const signer = signerOf(signed, given)
  if (signer === null) return wrong('does not carry the certificate that signed it')
  const certificate = new X509Certificate(Buffer.from(signer.toSchema().toBER()))
  if (!isForTimeStamps(signer)) return wrong('is signed by a certificate that is not for time stamps')
  if (!namesCertificate(signed, certificate))
    return wrong('names another certificate than the one that signed it')
  if (!(await isSigned(signed, given, manifest))) return wrong('was changed: its signature does not hold')
  const at = info.genTime
  if (at < signer.notBefore.value || at > signer.notAfter.value)
    return wrong(`is of ${at.toISOString()}, when the certificate of the authority was not valid`)
  if (authority && !(await isVouchedFor(signed, signer, certificate, authority, given, at)))
    return wrong(
      `is signed by "${nameOf(certificate)}", for which the authority that was named does not vouch`,
    )
  const nonce = info.nonce ? Buffer.from(info.nonce.valueBlock.valueHexView) : null
  return { stamp: { at: at.toISOString(), by: nameOf(certificate), nonce }, problem: null }
}

/** RFC 3161 §2.3: that purpose alone, and critical. */
function isForTimeStamps({ extensions = [] }: pkijs.Certificate): boolean {
  const usage = extensions.find(({ extnID }) => extnID === EKU)
  const purposes = (usage?.parsedValue as pkijs.ExtKeyUsage | undefined)?.keyPurposes ?? []
  return usage?.critical === true && purposes.length === 1 && purposes[0] === TIME_STAMPING
}

/** By issuer and number, or by the identifier of its key. */
function signerOf(signed: pkijs.SignedData, given: readonly pkijs.Certificate[]): pkijs.Certificate | null {
  const carried = (signed.certificates ?? []).filter((each) => each instanceof pkijs.Certificate)
  const { sid } = signed.signerInfos[0]!
  if (!(sid instanceof pkijs.IssuerAndSerialNumber)) return null
  return (
    [...carried, ...given].find(
      ({ issuer, serialNumber }) => issuer.isEqual(sid.issuer) && serialNumber.isEqual(sid.serialNumber),
    ) ?? null
  )
}

function namesCertificate(signed: pkijs.SignedData, { raw }: X509Certificate): boolean {
  const attributes = signed.signerInfos[0]!.signedAttrs?.attributes ?? []
  const named = attributes.find(({ type }) => SIGNING_CERTIFICATES.includes(type))
  const [certificates] = childrenOf(named?.values[0])
  const [first] = childrenOf(certificates)
  const hash = childrenOf(first).find((each) => each instanceof asn1.OctetString)
  const algorithm = hash && HASH_BY_BYTES[hash.getValue().byteLength]
  return (
    algorithm !== undefined &&
    createHash(algorithm).update(raw).digest().equals(Buffer.from(hash!.getValue()))
  )
}

const childrenOf = (value: unknown): asn1.AsnType[] =>
  value instanceof asn1.Sequence ? (value.valueBlock.value as asn1.AsnType[]) : []

async function isSigned(
  signed: pkijs.SignedData,
  given: readonly pkijs.Certificate[],
  manifest: Uint8Array,
): Promise<boolean> {
  // A stamp without certificates is judged by those that were named.
  if (!signed.certificates?.length) signed.certificates = [...given]
  return signed.verify({ signer: 0, checkChain: false, data: bufferOf(manifest) })
}

/** The authority's own certificate was named, or one that leads to it was, at the time of the stamp. */
async function isVouchedFor(
  signed: pkijs.SignedData,
  signer: pkijs.Certificate,
  certificate: X509Certificate,
  authority: Authority,
  given: readonly pkijs.Certificate[],
  at: Date,
): Promise<boolean> {
  if (authority.some(({ raw }) => raw.equals(certificate.raw))) return true
  const carried = (signed.certificates ?? []).filter((each) => each instanceof pkijs.Certificate)
  const others = carried.filter((each) => each !== signer)
  const chain = new pkijs.CertificateChainValidationEngine({
    trustedCerts: [...given],
    certs: [...others, signer],
    checkDate: at,
  })
  return (await chain.verify()).result
}

const nameOf = ({ subject }: X509Certificate): string => subject.replaceAll('\n', ', ')

/** A copy that pkijs may take for its own. */
const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer
