import { GatewayError } from '../errors.ts'

/** Nothing was done, because the server wants the person to sign in first, or to allow more than before. */
export class SignInNeeded extends GatewayError {
  constructor(server: string, why: string, { hint }: { readonly hint?: string } = {}) {
    super('SIGN_IN_REQUIRED', `Server '${server}' ${why}`, {
      reason: 'sign_in_needed',
      inconclusive: true,
      hint,
    })
  }
}
