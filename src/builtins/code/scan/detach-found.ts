import { detached } from '../../../base/text/detached.ts'
import type { ImportRef } from '../graph/import-ref.ts'
import type { CodeSymbol } from './code-symbol.ts'
import type { CodeBlock } from './scan-blocks.ts'

// What is found in a file lives as long as the index does; the text of the file must not.

export function detachSymbol(symbol: CodeSymbol): CodeSymbol {
  const { name, scope, signature } = symbol
  return {
    ...symbol,
    name: detached(name),
    scope: detached(scope),
    signature: detached(signature),
  }
}

export function detachBlock(block: CodeBlock): CodeBlock {
  return { ...block, hierarchy: detached(block.hierarchy) }
}

export function detachImport(reference: ImportRef): ImportRef {
  const { specifier, names, aliases } = reference
  return {
    ...reference,
    specifier: detached(specifier),
    ...(names && { names: names.map(detached) }),
    ...(aliases && {
      aliases: aliases.map(([name, local]) => [detached(name), detached(local)] as const),
    }),
  }
}
