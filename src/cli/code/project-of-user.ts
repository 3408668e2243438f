import type { Environment } from '../../base/environment.ts'

/** Returns the user's project: from the environment, or else the current folder. */
export function projectOfUser(env: Environment = process.env): {
  path: string
  source: 'env' | 'cwd'
} {
  const path = env['PORTOLAN_PROJECT']
  return path ? { path, source: 'env' } : { path: process.cwd(), source: 'cwd' }
}
