/** `price as cost`. */
export type Alias = readonly [name: string, local: string]

/** Parses `price as cost`, `price => cost` and plain `price`. */
export function renamed(text: string): Alias {
  const plain = text.replace(/\s+/g, ' ').trim()
  const [name = '', local = name] = plain.split(/ as | ?=> ?/i)
  return [name, local]
}

/** A reference as written in a file, not yet resolved. */
export interface ImportRef {
  readonly specifier: string
  /** The kind of statement: `import`, `require`, `include`, `image`, `doc_link`… */
  readonly kind: string
  /** 1-based. */
  readonly line: number
  /** The imported names, if the statement lists them. */
  readonly names?: readonly string[]
  /** The imported names that this file renames. */
  readonly aliases?: readonly Alias[]
  /** References are mentions that nothing executes: links in documents, images, templates. */
  readonly type?: 'import' | 'reference'
}

/** Returns the aliases only if there are any, so that no import is saved with an empty list. */
export function withAliases(aliases: readonly Alias[]): { readonly aliases?: readonly Alias[] } {
  const real = aliases.filter(([name, local]) => name !== local && /^[\p{L}_$]/u.test(local))
  return real.length > 0 ? { aliases: real } : {}
}

/** The kind of a statement that only declares a name by which others import this file. */
export const DECLARES = 'declares'

export function declaredBy(imports: readonly ImportRef[]): string[] {
  return imports.filter(({ kind }) => kind === DECLARES).map(({ specifier }) => specifier)
}

/** Returns the project files that a reference means; none if it leads outside. */
export type Resolve = (from: string, reference: ImportRef) => readonly string[]
