/** A person who has signed in, whatever client speaks for them. */
export interface Person {
  /** Their name in rules, audit and credentials: the same on every sign-in, and nobody else's. */
  readonly user: string
  /** The groups that whoever signed them in says they are in. */
  readonly groups: readonly string[]
  /** What else was said of them: rules may select by it. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined
}
