/** How much a finding weighs: `high` is hardly ever innocent, `low` is only worth knowing. */
export type ScanClass = 'high' | 'medium' | 'low'

/** Something in a text of a server that is aimed at the model, or hides from people. */
export interface ScanFinding {
  readonly class: ScanClass
  /** The rule that found it, such as `hidden-text`. */
  readonly rule: string
  /** What was found, safe for a terminal, in at most 160 characters. */
  readonly quote: string
  readonly reason: string
  /** Which text it is in, such as `description` or `inputSchema.properties.path.description`. */
  readonly where: string
}

/** What a scan of one text finds; the caller knows which text it is. */
export type TextFinding = Omit<ScanFinding, 'where'>

const ORDER: readonly ScanClass[] = ['low', 'medium', 'high']

/** Returns the worst class among findings; undefined if there are none. */
export function worstClass(findings: readonly ScanFinding[]): ScanClass | undefined {
  return ORDER.findLast((each) => findings.some((finding) => finding.class === each))
}
