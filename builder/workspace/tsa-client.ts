/** Asks a time-stamping authority over HTTP (RFC 3161 §3.4), with limits for the time and the size of the answer. */
/** Thrown when there is no stamp. Its message follows the words "the authority". */
export class NoStampError extends Error {
  readonly code = 'no-stamp'
}

/** An answer holds a few certificates and is never larger. */
const MOST_BYTES = 256 * 1024

/** The authority's answer, unchecked. Throws {@link NoStampError}. */
export async function askAuthority(url: string, query: Uint8Array, seconds: number): Promise<Buffer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    body: new Uint8Array(query),
    // Redirects are refused, because their target is not in the settings.
    redirect: 'manual',
    signal: AbortSignal.timeout(seconds * 1000),
  }).catch((problem: Error) => {
    throw unreachable(problem, seconds)
  })
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (response.status !== 200 || type !== 'application/timestamp-reply') {
    await response.body?.cancel().catch(() => {})
    throw new NoStampError(
      response.status === 200
        ? `answered with ${type ?? 'something'} instead of application/timestamp-reply`
        : `answered with HTTP ${response.status}`,
    )
  }
  return bodyOf(response, seconds)
}

async function bodyOf(response: Response, seconds: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > MOST_BYTES) throw new NoStampError(`sent more than ${MOST_BYTES} bytes`)
      chunks.push(chunk)
    }
  } catch (problem) {
    throw problem instanceof NoStampError ? problem : unreachable(problem as Error, seconds)
  }
  return Buffer.concat(chunks)
}

function unreachable(problem: Error, seconds: number): NoStampError {
  if (problem.name === 'TimeoutError') return new NoStampError(`did not answer within ${seconds} seconds`)
  const { code, message } = (problem.cause ?? problem) as NodeJS.ErrnoException
  return new NoStampError(`cannot be reached: ${code ?? message}`)
}
