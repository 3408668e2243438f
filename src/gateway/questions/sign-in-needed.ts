import { GatewayError } from '../errors.ts'

/** The server wants the person to sign in, or to allow more than before; nothing was done. */
export class SignInNeeded extends GatewayError {
  constructor(server: string, why: string, { hint }: { readonly hint?: string } = {}) {
    super('SIGN_IN_REQUIRED', `Server '${server}' ${why}`, {
      reason: 'sign_in_needed',
      inconclusive: true,
      hint,
    })
  }
}
