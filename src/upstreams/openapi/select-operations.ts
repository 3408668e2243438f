import type { Operation } from './operation.ts'

export interface Selection {
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
}

/** Patterns name an operation id, `METHOD /path`, a path, or `tag:name`; `*` stands for anything. */
export function selects(operation: Operation, { include, exclude }: Selection): boolean {
  const names = [
    operation.id ?? '',
    operation.path,
    `${operation.method.toUpperCase()} ${operation.path}`,
    ...operation.tags.map((tag) => `tag:${tag}`),
  ]
  const matches = (pattern: string) => names.some((name) => toRegExp(pattern).test(name))
  return (include?.some(matches) ?? true) && !(exclude?.some(matches) ?? false)
}

function toRegExp(pattern: string): RegExp {
  const escaped = pattern.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*')
  return new RegExp(`^${escaped}$`, 'i')
}
