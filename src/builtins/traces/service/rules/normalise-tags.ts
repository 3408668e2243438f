const VALID = /^[a-z0-9._+#-]+$/
const MAX_LENGTH = 50

export interface NormalisedTags {
  readonly tags: readonly string[]
  /** The invalid tags as they were written, for the response. */
  readonly ignored: readonly string[]
}

/** Trims, lower-cases, shortens and deduplicates tags; invalid ones are left out. */
export function normaliseTags(raw: readonly string[]): NormalisedTags {
  const tags = new Set<string>()
  const ignored: string[] = []
  for (const text of raw) {
    const tag = text.trim().toLowerCase().slice(0, MAX_LENGTH)
    if (VALID.test(tag)) tags.add(tag)
    else ignored.push(text)
  }
  return { tags: [...tags], ignored }
}
