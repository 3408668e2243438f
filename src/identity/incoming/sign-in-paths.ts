/** The paths of sign-in for browsers and clients. */
export const SIGN_IN_PATHS = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
  pages: '/oauth/sign-in',
  providerCallback: '/oauth/provider/callback',
} as const

/** The visit id for a sign-in to the dashboard. */
export const DASHBOARD_VISIT = 'dashboard'

/** Its step in which somebody who is invited chooses a password. */
export const INVITATION = 'invitation'

/** Whether a path is one of the sign-in paths, or below one. */
export function isSignInPath(path: string): boolean {
  return Object.values(SIGN_IN_PATHS).some((own) => path === own || path.startsWith(`${own}/`))
}
