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
