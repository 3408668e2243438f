import type { ImportRef } from './import-ref.ts'

const LINK = /\[[^\]]*\]\(\s*<?([^)\s>#]+)(?:#[^)\s]*)?[^)]*\)/g
const INLINE =
  /`((?:[\w.-]+\/)+[\w.-]+\.\w+|[\w-]+\.(?:ts|tsx|js|py|go|rs|java|rb|php|md|ya?ml|json|toml|sh))`/g
/** At least one folder: a bare name in code is far more often something else. */
const PATH = /(?<![\w./:@-])(?:\.{1,2}\/)?((?:[\w.-]+\/)+[\w-][\w.-]*\.[A-Za-z]\w{0,7})\b/g
const FRONTMATTER = /(?<![\w./:@-])((?:[\w.-]+\/)*[\w-][\w.-]*\.[A-Za-z]\w{0,7})\b/g

/** The files a document refers to: in links and code, in its front matter and in its blocks of code. */
export function markdownImports(lines: readonly string[]): ImportRef[] {
  const found: ImportRef[] = []
  let fence: string | undefined
  const frontEnds = lines[0] === '---' ? lines.indexOf('---', 1) : -1
  for (const [at, text] of lines.entries()) {
    const add = (pattern: RegExp, kind: string): void => {
      for (const [, specifier = ''] of text.matchAll(pattern))
        found.push({ specifier, kind, line: at + 1, type: 'reference' })
    }
    const [, opened] = /^\s*(```+|~~~+)/.exec(text) ?? []
    if (at <= frontEnds) add(FRONTMATTER, 'doc_frontmatter')
    else if (fence !== undefined || opened !== undefined) {
      if (text.includes('/')) add(PATH, 'doc_code_block')
      if (fence === undefined) fence = opened
      else if (opened?.startsWith(fence)) fence = undefined
    } else if (text.includes('](') || text.includes('`')) {
      add(LINK, 'doc_link')
      add(INLINE, 'doc_inline_code')
    }
  }
  return found.filter(({ specifier }) => !/^[a-z][a-z0-9+.-]*:/i.test(specifier))
}
