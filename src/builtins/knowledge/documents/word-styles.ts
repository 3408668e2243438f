/** Whether paragraphs of a style with this name are code, in a document of a word processor. */
export function isCodeStyle(name: string): boolean {
  return /code|preformatted|verbatim|listing/i.test(name)
}

/** Whether paragraphs of a style with this name are a table of contents. */
export function isContentsStyle(name: string): boolean {
  return /^(?:toc|contents) ?(?:heading|\d)$/i.test(name)
}
