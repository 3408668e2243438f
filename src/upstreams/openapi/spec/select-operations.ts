import { compileWildcards } from '../../../base/text/glob.ts'
import type { Operation } from './operation.ts'

export interface Selection {
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
}

type Named = Pick<Operation, 'id' | 'path' | 'method' | 'tags'>

/** Patterns name an operation id, `METHOD /path`, a path, or `tag:name`; `*` stands for anything. */
export function selects(operation: Named, { include, exclude }: Selection): boolean {
  const names = [
    operation.id ?? '',
    operation.path,
    `${operation.method.toUpperCase()} ${operation.path}`,
    ...operation.tags.map((tag) => `tag:${tag}`),
  ]
  const matches = (pattern: string) =>
    names.some(compileWildcards(pattern, { signs: '*', ignoreCase: true }))
  return (include?.some(matches) ?? true) && !(exclude?.some(matches) ?? false)
}
