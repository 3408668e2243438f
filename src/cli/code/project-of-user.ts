import type { Environment } from '../../base/environment.ts'

/** Where the person works: what the environment says, else the current folder. */
export function projectOfUser(env: Environment = process.env): {
  path: string
  source: 'env' | 'cwd'
} {
  const path = env['COCOSEARCH_PROJECT_PATH'] || env['COCOSEARCH_PROJECT']
  return path ? { path, source: 'env' } : { path: process.cwd(), source: 'cwd' }
}
