/** A description that cannot be used, with what its owner can do about it. */
export class SpecError extends Error {
  override readonly name = 'SpecError'
  readonly hint: string

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(`${message} ${hint}`, options)
    this.hint = hint
  }
}
