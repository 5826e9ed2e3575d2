/**
 * Metadata by RFC 8414: the seven members of the interface's specification, and at the well-known address further
 * ones.
 */

import { ALG } from './keys/key-file.ts'
import type { PublicDocument } from './reply.ts'
import { SCOPES } from './tokens/grant.ts'

export const DISCOVERY_PATH = '/auth/oauth-discovery'
export const PATHS = {
  authorize: '/oauth2/authorize',
  login: '/oauth2/login',
  logout: '/oauth2/logout',
  consent: '/oauth2/consent',
  account: '/account',
  endGrant: '/account/end-access',
  password: '/account/password',
  endSessions: '/account/end-sessions',
  signOut: '/account/sign-out',
  token: '/oauth2/token',
  revoke: '/oauth2/revoke',
  userInfo: '/oauth2/user-info',
  jwks: '/oauth2/jwks',
  style: '/oauth2/style.css',
} as const

/** RFC 8414 §3.1: the well-known part stands between the host and the path of the issuer. */
export const wellKnownPath = (base: string): string => `/.well-known/oauth-authorization-server${base}`

/**
 * OpenID Connect Discovery §4: the well-known part stands behind the path of the issuer. Clients look there unless
 * they are told that this is plain OAuth.
 */
export const openIdPath = (base: string): string => `${base}/.well-known/openid-configuration`

/** The document of the interface's specification, with exactly its seven members. */
export const discoveryDocument = (issuer: string): PublicDocument => published(specified(issuer))

/**
 * The document at the well-known addresses, where clients look for what the specification does not state (PKCE, RFC
 * 9207, OpenID Connect).
 */
export const serverMetadata = (issuer: string): PublicDocument =>
  published({
    ...specified(issuer),
    userinfo_endpoint: issuer + PATHS.userInfo,
    jwks_uri: issuer + PATHS.jwks,
    revocation_endpoint: issuer + PATHS.revoke,
    revocation_endpoint_auth_methods_supported: ['client_secret_post'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    // OpenID Connect Discovery §3.
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [ALG],
    claims_supported: CLAIMS,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  })

/** The claims of ID tokens. */
const CLAIMS = [
  ...['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'at_hash'],
  ...['name', 'given_name', 'family_name', 'email'],
]

const specified = (issuer: string) => ({
  issuer,
  authorization_endpoint: issuer + PATHS.authorize,
  token_endpoint: issuer + PATHS.token,
  grant_types_supported: ['authorization_code', 'refresh_token'],
  response_types_supported: ['code'],
  scopes_supported: SCOPES,
  token_endpoint_auth_methods_supported: ['client_secret_post'],
})

const published = (metadata: object): PublicDocument => ({
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(metadata),
  maxAgeSeconds: 3600,
})
