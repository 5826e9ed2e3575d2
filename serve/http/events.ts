/**
 * The events that a server logs and counts, each as docs/running.md names it. Their counters are there from the start, with 0: an alert
 * on an increase cannot see the first event of a counter that begins with it.
 */
export const EVENTS: readonly string[] = [
  // Sign-in and access.
  ...[
    'login',
    'login-failed',
    'login-throttled',
    'logout',
    'sessions-ended',
    'password-changed',
    'password-refused',
  ],
  ...['consent', 'consent-denied', 'grant-begun', 'grant-displaced', 'grant-ends-soon', 'grant-revoked'],
  ...['authorization-refused', 'client-refused', 'reuse-detected', 'insecure-issuer', 'access-finding'],
  ...['server_error', 'temporarily_unavailable'],
  // The state of the server.
  ...['keys-unreadable', 'purge-failed', 'mode-corrected', 'pins-not-written'],
  ...['not-closed', 'connections-refused', 'request-refused'],
  // Companies and their snapshots.
  ...['snapshot-current', 'snapshot-refused', 'snapshot-mended', 'company-gone', 'company-unreadable'],
  ...['company-failing', 'company-not-followed', 'bucket-away', 'bucket-back'],
  // Queries of other ranges.
  ...[
    'adhoc-started',
    'adhoc-ended',
    'adhoc-answered',
    'adhoc-refused',
    'adhoc-cancelled',
    'adhoc-time-limit',
  ],
  ...['adhoc-memory-limit', 'adhoc-failed', 'adhoc-recycled', 'adhoc-poisonous'],
]
