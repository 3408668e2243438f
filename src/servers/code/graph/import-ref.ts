/** Something a file says it needs, as written: not yet looked up. */
export interface ImportRef {
  readonly specifier: string
  /** What kind of statement asked: `import`, `require`, `include`, `image`, `doc_link`… */
  readonly kind: string
  /** 1-based. */
  readonly line: number
  /** The names taken from it, where the statement lists them. */
  readonly names?: readonly string[]
  /** References are mentions that nothing executes: links in documents, images, templates. */
  readonly type?: 'import' | 'reference'
}

/** The kind of a statement that asks for nothing but says by which name others may ask for this file. */
export const DECLARES = 'declares'

export function declaredBy(imports: readonly ImportRef[]): string[] {
  return imports.filter(({ kind }) => kind === DECLARES).map(({ specifier }) => specifier)
}
