/** Why a package cannot be installed or started as it is locked. */
export class PackageError extends Error {
  override readonly name = 'PackageError'
  readonly nextStep: string

  constructor(message: string, nextStep: string) {
    super(message)
    this.nextStep = nextStep
  }
}
