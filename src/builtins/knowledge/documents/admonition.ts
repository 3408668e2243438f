const LABEL =
  /^(?:notes?|tips?|hints?|cautions?|warnings?|important|danger|attention|remarks?|hinweis|achtung)\s*[:!]?$/i

/** "Note" or "Tip" over a box is set like a heading, but the text after the box is not under it. */
export function isAdmonition(heading: string): boolean {
  return LABEL.test(heading.trim())
}
