/** A description that cannot be used, said so that its owner can mend it. */
export class SpecError extends Error {
  override readonly name = 'SpecError'
  readonly hint: string

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(`${message} ${hint}`, options)
    this.hint = hint
  }
}
