/** `price as cost`. */
export type Alias = readonly [name: string, local: string]

/** Something a file says it needs, as written: not yet looked up. */
export interface ImportRef {
  readonly specifier: string
  /** What kind of statement asked: `import`, `require`, `include`, `image`, `doc_link`… */
  readonly kind: string
  /** 1-based. */
  readonly line: number
  /** The names taken from it, where the statement lists them. */
  readonly names?: readonly string[]
  /** Those of them that go by another name in this file. */
  readonly aliases?: readonly Alias[]
  /** References are mentions that nothing executes: links in documents, images, templates. */
  readonly type?: 'import' | 'reference'
}

/** Only where there are any, so that an import without is not saved with an empty list. */
export function withAliases(aliases: readonly Alias[]): { readonly aliases?: readonly Alias[] } {
  const real = aliases.filter(([name, local]) => name !== local && /^[\p{L}_$]/u.test(local))
  return real.length > 0 ? { aliases: real } : {}
}

/** The kind of a statement that asks for nothing but says by which name others may ask for this file. */
export const DECLARES = 'declares'

export function declaredBy(imports: readonly ImportRef[]): string[] {
  return imports.filter(({ kind }) => kind === DECLARES).map(({ specifier }) => specifier)
}

/** The files of the project that a reference means; none when it leads outside. */
export type Resolve = (from: string, reference: ImportRef) => readonly string[]
