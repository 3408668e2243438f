/** Everything of ours that people's browsers and clients are sent to. */
export const SIGN_IN_PATHS = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
  pages: '/oauth/sign-in',
  providerCallback: '/oauth/provider/callback',
} as const

/** Stands for a visit where it is the dashboard that people sign in to. */
export const DASHBOARD_VISIT = 'dashboard'

/** Whether a path is for sign-in: one of those, or below one. */
export function isSignInPath(path: string): boolean {
  return Object.values(SIGN_IN_PATHS).some((own) => path === own || path.startsWith(`${own}/`))
}
