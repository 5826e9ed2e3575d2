/** Lines of a text file that is read in parts, as the rows of a journal or report that has one record per line. */

/** In characters. No line of a real file comes near it; longer ones are cut, so that a file without line ends is not collected in memory. */
export const LONGEST_LINE = 1 << 20

/**
 * Lines of a text that comes in parts. CR CR LF is one line end, which some exports write; a CR inside a line of a file
 * whose lines end with LF is a blank in a label. What goes on beyond the longest line is dropped: that a line is longer shows that it was cut.
 */
export async function* linesOf(
  parts: AsyncIterable<string>,
  head: string,
): AsyncGenerator<readonly string[]> {
  const end = head.includes('\n') ? '\n' : '\r'
  let open = ''
  for await (const part of parts) {
    const lines = (open + part).split(end)
    open = lines.pop() ?? ''
    if (open.length > 2 * LONGEST_LINE) open = open.slice(0, LONGEST_LINE + 1)
    yield lines
  }
  if (open !== '') yield [open]
}
