/** A person who has signed in, through whatever client. */
export interface Person {
  /** Their name in rules, audit and credentials: the same on every sign-in, and nobody else's. */
  readonly user: string
  /** Their groups, as told by the provider that signed them in. */
  readonly groups: readonly string[]
  /** Other claims about them, by which rules may select. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined
}
