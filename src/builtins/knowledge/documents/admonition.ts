const LABEL =
  /^(?:notes?|tips?|hints?|cautions?|warnings?|important|danger|attention|remarks?|hinweis|achtung)\s*[:!]?$/i

/** Whether a heading only labels a box ("Note", "Tip"); the text after the box is not under it. */
export function isAdmonition(heading: string): boolean {
  return LABEL.test(heading.trim())
}
