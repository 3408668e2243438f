import { configImports, hasConfigImports } from './config-imports.ts'
import { ecmaImports } from './ecma-imports.ts'
import type { ImportRef } from '../import-ref.ts'
import { hasLineImports, lineImports } from './line-imports.ts'

const ECMA = new Set(['typescript', 'tsx', 'javascript'])
const EMBEDDING = new Set(['vue', 'svelte'])
/** The front matter of Astro, and scripts; one that is not closed ends with the file. */
const SCRIPT = /^---([^]*?)(?:\n---|$)|<script\b[^>]*(?:>([^]*?)(?:<\/script>|$))?/g

/** Whether references can be extracted from files of a language or grammar. */
export function isExtracted(language: string): boolean {
  return (
    ECMA.has(language) ||
    EMBEDDING.has(language) ||
    hasConfigImports(language) ||
    hasLineImports(language)
  )
}

/** Extracts the references of a file, by its language and, for configuration, its grammar. */
export function extractImports(
  language: string,
  grammar: string | undefined,
  text: string,
): ImportRef[] {
  if (ECMA.has(language)) return ecmaImports(text)
  if (EMBEDDING.has(language)) {
    return scriptImports(text)
  }
  return hasConfigImports(grammar ?? language)
    ? configImports(grammar ?? language, text.split('\n'))
    : lineImports(language, text)
}

/** Extracts the imports of all scripts in a file, with their lines in that file. */
function scriptImports(text: string): ImportRef[] {
  let above = 0
  let counted = 0
  return [...text.matchAll(SCRIPT)].flatMap(({ 1: front = '', 2: script = front, index }) => {
    for (; counted < index; counted++) if (text.charCodeAt(counted) === 10) above++
    const before = above
    return ecmaImports(script).map((ref) => ({ ...ref, line: ref.line + before }))
  })
}
