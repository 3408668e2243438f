import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Grammars that are packages of their own; all others come with `@vscode/tree-sitter-wasm`. */
const OWN_PACKAGE: Readonly<Record<string, string>> = {
  kotlin: '@lumis-sh/wasm-kotlin/tree-sitter-kotlin.wasm',
  scala: '@lumis-sh/wasm-scala/tree-sitter-scala.wasm',
}

/** Returns the path of a grammar's wasm; undefined if the optional package is not installed. */
export function grammarFile(grammar: string): string | undefined {
  try {
    return require.resolve(
      OWN_PACKAGE[grammar] ?? `@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`,
    )
  } catch {
    return undefined
  }
}
