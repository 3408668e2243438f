import type { PagePath } from './contract.ts'

export const DASHBOARD_API = '/api/dashboard'

/** Every page, as values: the contract contains only types. */
const PAGES: Readonly<Record<PagePath, true>> = {
  '/': true,
  '/calls': true,
  '/servers': true,
  '/run': true,
  '/connections': true,
  '/access': true,
  '/agents': true,
  '/playground': true,
  '/audit': true,
  '/costs': true,
  '/config': true,
  '/history': true,
  '/approvals': true,
  '/code': true,
  '/knowledge': true,
  '/traces': true,
  '/scripts': true,
}

/** Whether a path is a page of the dashboard, with or without a trailing slash. */
export function isPage(path: string): boolean {
  return Object.hasOwn(PAGES, path.replace(/(.)\/$/, '$1'))
}
