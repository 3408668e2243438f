/** Cuts a text into windows of `size` words; each overlaps the next by half. */
export function textWindows(text: string, size: number): string[] {
  const words = text.split(/\s+/).filter(Boolean)
  const step = Math.max(1, size >> 1)
  const windows: string[] = []
  for (let start = 0; start === 0 || start + step < words.length; start += step) {
    windows.push(words.slice(start, start + size).join(' '))
  }
  return windows
}

const SENTENCE_END = /(?<=[.!?;])\s+|\n+/
const MIN_WORDS = 3
/** Each is compared with every window of every candidate, on the thread that serves all clients. */
const MAX_SENTENCES = 8
/** No question is longer; any text beyond this belongs to a document. */
const MAX_QUESTION_LENGTH = 4_000

/** Returns the whole question and, if it has several sentences, the first of them. */
export function queryPieces(query: string): string[] {
  const question = query.slice(0, MAX_QUESTION_LENGTH)
  const sentences = question
    .split(SENTENCE_END)
    .filter((one) => one.split(/\s+/).length >= MIN_WORDS)
  return sentences.length > 1 ? [question, ...sentences.slice(0, MAX_SENTENCES)] : [question]
}
