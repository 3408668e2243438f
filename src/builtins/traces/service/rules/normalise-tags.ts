const VALID = /^[a-z0-9._+#-]+$/
const LONGEST = 50

export interface NormalisedTags {
  readonly tags: readonly string[]
  /** What was left out, as it was written, so that the answer can name it. */
  readonly ignored: readonly string[]
}

/** Trimmed, lower case, cut, each once; what is then no tag is left out. */
export function normaliseTags(raw: readonly string[]): NormalisedTags {
  const tags = new Set<string>()
  const ignored: string[] = []
  for (const text of raw) {
    const tag = text.trim().toLowerCase().slice(0, LONGEST)
    if (VALID.test(tag)) tags.add(tag)
    else ignored.push(text)
  }
  return { tags: [...tags], ignored }
}
