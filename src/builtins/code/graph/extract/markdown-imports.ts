import type { ImportRef } from '../import-ref.ts'

/** Group 2 is empty if the link is not closed. */
const LINK = /\[[^[\]]*\]\(\s*<?([^)\s>#]+)(?:#[^)\s]*)?[^)]*(\)?)/g
const INLINE =
  /`((?:[\w.-]+\/)+[\w.-]+\.\w+|[\w-]+\.(?:ts|tsx|js|py|go|rs|java|rb|php|md|ya?ml|json|toml|sh))`/g
/** With at least one folder: a bare name in code is usually something else. */
const PATH = /(?<![\w./:@-])(?:\.{1,2}\/)?((?:[\w.-]+\/)+[\w-][\w.-]*\.[A-Za-z]\w{0,7})\b/g
const FRONTMATTER = /(?<![\w./:@-])((?:[\w.-]+\/)*[\w-][\w.-]*\.[A-Za-z]\w{0,7})\b/g

type Pattern = readonly [pattern: RegExp, kind: string]
const IN_FRONT: readonly Pattern[] = [[FRONTMATTER, 'doc_frontmatter']]
const IN_BLOCK: readonly Pattern[] = [[PATH, 'doc_code_block']]
const IN_TEXT: readonly Pattern[] = [
  [LINK, 'doc_link'],
  [INLINE, 'doc_inline_code'],
]

/** Finds the files a document refers to: in links, inline code, front matter and code blocks. */
export function markdownImports(lines: readonly string[]): ImportRef[] {
  const found: ImportRef[] = []
  for (const [line, text, patterns] of partsOf(lines))
    for (const [pattern, kind] of patterns)
      for (const [, specifier = '', end] of text.matchAll(pattern))
        if (end !== '') found.push({ specifier, kind, line, type: 'reference' })
  return found.filter(({ specifier }) => !/^[a-z][a-z0-9+.-]*:/i.test(specifier))
}

/** Yields each line that may name a file, with the patterns for its part of the document. */
function* partsOf(lines: readonly string[]): Generator<[number, string, readonly Pattern[]]> {
  const frontEnds = lines[0] === '---' ? lines.indexOf('---', 1) : -1
  let fence: string | undefined
  for (const [at, text] of lines.entries()) {
    const [, mark] = /^\s*(```+|~~~+)/.exec(text) ?? []
    const part = (fence ?? mark) ? IN_BLOCK : IN_TEXT
    if (fence === undefined) fence = mark
    else if (mark?.startsWith(fence)) fence = undefined
    if (/[./]/.test(text)) yield [at + 1, text, at <= frontEnds ? IN_FRONT : part]
  }
}
