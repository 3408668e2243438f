/** A person who has signed in, through whatever client. */
export interface Person {
  /** Their name in rules, audit and credentials: the same on every sign-in. */
  readonly user: string
  /** Whose they are, whoever else gets the name later; absent where names are never given again. */
  readonly id?: string | undefined
  /** Their groups, by the provider that signed them in. */
  readonly groups: readonly string[]
  /** Other claims about them, by which rules may select. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined
}
