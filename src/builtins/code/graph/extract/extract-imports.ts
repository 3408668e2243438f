import { configImports, hasConfigImports } from './config-imports.ts'
import { ecmaImports } from './ecma-imports.ts'
import type { ImportRef } from '../import-ref.ts'
import { hasLineImports, lineImports } from './line-imports.ts'

const ECMA = new Set(['typescript', 'tsx', 'javascript'])
const EMBEDDING = new Set(['vue', 'svelte'])
const SCRIPT = /<script[^>]*>([\s\S]*?)<\/script>/g

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
    return [...text.matchAll(SCRIPT)].flatMap(({ 1: script = '', index }) => {
      const above = text.slice(0, index).split('\n').length - 1
      return ecmaImports(script).map((ref) => ({ ...ref, line: ref.line + above }))
    })
  }
  return hasConfigImports(grammar ?? language)
    ? configImports(grammar ?? language, text.split('\n'))
    : lineImports(language, text)
}
