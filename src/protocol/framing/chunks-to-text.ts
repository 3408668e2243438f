/** Decodes a body that arrived in chunks; a single chunk is not copied. */
export function chunksToText(chunks: readonly Buffer[]): string {
  const [only] = chunks
  return (chunks.length === 1 && only ? only : Buffer.concat(chunks)).toString('utf8')
}
