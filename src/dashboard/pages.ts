import type { PagePath } from './contract.ts'

export const DASHBOARD_API = '/api/dashboard'

/** Every page has to be named here: the contract has types only, for the web pages to import. */
const PAGES: Readonly<Record<PagePath, true>> = {
  '/': true,
  '/calls': true,
  '/servers': true,
  '/connections': true,
  '/access': true,
  '/agents': true,
  '/playground': true,
  '/audit': true,
  '/config': true,
  '/code': true,
  '/knowledge': true,
  '/traces': true,
  '/scripts': true,
}

/** Whether a path is a page of the dashboard; a slash at its end does not matter. */
export function isPage(path: string): boolean {
  return Object.hasOwn(PAGES, path.replace(/(.)\/$/, '$1'))
}
