/** Every run of `size` characters of a word, its ends marked, so that misspelt and partial words still meet. */
export function characterNgrams(word: string, size: number): string[] {
  const marked = `^${word}$`
  if (marked.length <= size) return [marked]
  const grams: string[] = []
  for (let at = 0; at + size <= marked.length; at++) grams.push(marked.slice(at, at + size))
  return grams
}
