import { configGrammarOf } from '../../src/builtins/code/languages/config-grammars.ts'
import { languageOf } from '../../src/builtins/code/languages/language-of.ts'
import { DependencyGraph } from '../../src/builtins/code/graph/dependency-graph.ts'
import { extractImports } from '../../src/builtins/code/graph/extract/extract-imports.ts'
import { declaredBy } from '../../src/builtins/code/graph/import-ref.ts'
import { offeredNames } from '../../src/builtins/code/graph/offered-names.ts'
import { createProjectFiles } from '../../src/builtins/code/graph/project-files.ts'
import { scanSymbols } from '../../src/builtins/code/scan/scan-symbols.ts'

/** The content of files, by path. */
export type Texts = Readonly<Record<string, string>>

/** Builds the graph of files that exist only in memory. */
export function graphOf(texts: Texts): DependencyGraph {
  const paths = Object.keys(texts)
  const sources = paths.map((path) => {
    const text = texts[path] ?? ''
    const grammar = configGrammarOf(path, text)?.id
    const language = languageOf(path, text)?.id ?? 'text'
    return { path, language, imports: extractImports(language, grammar, text) }
  })
  return new DependencyGraph(
    () =>
      createProjectFiles(paths, (path) => texts[path], {
        declared: sources.map(({ path, imports }) => [path, declaredBy(imports)]),
        offers: (path) =>
          offeredNames(
            languageOf(path)?.id ?? '',
            scanSymbols(languageOf(path)?.id ?? '', (texts[path] ?? '').split('\n')),
          ),
        mentioning: (name) =>
          paths.filter((path) => new RegExp(`\\b${name}\\b`).test(texts[path] ?? '')),
      }),
    sources,
  )
}

/** Returns the dependencies of a file, sorted; `outside` for those not in the project. */
export const targets = (texts: Texts, path: string): string[] =>
  graphOf(texts)
    .dependencies(path)
    .map(({ target }) => target ?? 'outside')
    .toSorted()
