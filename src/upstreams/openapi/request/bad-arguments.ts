/** Arguments that cannot be sent; all of them are named at once. */
export class BadArguments extends Error {
  override readonly name = 'BadArguments'
  readonly problems: readonly { readonly argument: string; readonly expected: string }[]

  constructor(problems: BadArguments['problems']) {
    super(problems.map(({ argument, expected }) => `${argument}: ${expected}`).join('; '))
    this.problems = problems
  }
}
