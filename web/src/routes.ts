import type { ComponentType } from 'preact'
import type { PagePath } from '../../src/dashboard/contract.ts'
import type { Role } from '../../src/dashboard/contract/access.ts'

export interface Route {
  readonly path: PagePath
  readonly name: string
  /** The shortcut: `g`, then this letter. */
  readonly key: string
  readonly group: 'Watch' | 'Govern' | 'Library'
  /** Shown also to visitors with the role agent, because it has their own data. */
  readonly forEverybody?: true
  /** Each page is a separate file, loaded when first needed. */
  readonly load: () => Promise<ComponentType>
}

export const ROUTES: readonly Route[] = [
  {
    path: '/',
    name: 'Overview',
    key: 'o',
    group: 'Watch',
    load: async () => (await import('./pages/overview/overview.tsx')).Overview,
  },
  {
    path: '/calls',
    name: 'Live calls',
    key: 'l',
    group: 'Watch',
    load: async () => (await import('./pages/calls/calls.tsx')).Calls,
  },
  {
    path: '/servers',
    name: 'Servers',
    key: 's',
    group: 'Watch',
    load: async () => (await import('./pages/servers/servers.tsx')).Servers,
  },
  {
    path: '/run',
    name: 'Run a tool',
    key: 'x',
    group: 'Watch',
    load: async () => (await import('./pages/run/run.tsx')).RunPage,
  },
  {
    path: '/connections',
    name: 'Connections',
    key: 'n',
    group: 'Watch',
    forEverybody: true,
    load: async () => (await import('./pages/connections/connections.tsx')).Connections,
  },
  {
    path: '/approvals',
    name: 'Approvals',
    key: 'v',
    group: 'Watch',
    forEverybody: true,
    load: async () => (await import('./pages/approvals/approvals.tsx')).Approvals,
  },
  {
    path: '/agents',
    name: 'Agents',
    key: 'a',
    group: 'Govern',
    load: async () => (await import('./pages/agents/agents.tsx')).Agents,
  },
  {
    path: '/access',
    name: 'Access',
    key: 'y',
    group: 'Govern',
    forEverybody: true,
    load: async () => (await import('./pages/access/access.tsx')).Access,
  },
  {
    path: '/playground',
    name: 'Playground',
    key: 'p',
    group: 'Govern',
    load: async () => (await import('./pages/playground/playground.tsx')).Playground,
  },
  {
    path: '/audit',
    name: 'Audit',
    key: 'u',
    group: 'Govern',
    load: async () => (await import('./pages/audit/audit.tsx')).Audit,
  },
  {
    path: '/costs',
    name: 'Costs',
    key: 'm',
    group: 'Govern',
    load: async () => (await import('./pages/costs/costs.tsx')).Costs,
  },
  {
    path: '/config',
    name: 'Config',
    key: 'f',
    group: 'Govern',
    load: async () => (await import('./pages/config/config.tsx')).ConfigPage,
  },
  {
    path: '/history',
    name: 'History',
    key: 'h',
    group: 'Govern',
    load: async () => (await import('./pages/history/history.tsx')).HistoryPage,
  },
  {
    path: '/code',
    name: 'Code',
    key: 'c',
    group: 'Library',
    load: async () => (await import('./pages/code/code.tsx')).Code,
  },
  {
    path: '/knowledge',
    name: 'Knowledge',
    key: 'k',
    group: 'Library',
    load: async () => (await import('./pages/knowledge/knowledge.tsx')).Knowledge,
  },
  {
    path: '/traces',
    name: 'Traces',
    key: 't',
    group: 'Library',
    load: async () => (await import('./pages/traces/traces.tsx')).Traces,
  },
  {
    path: '/scripts',
    name: 'Scripts',
    key: 'r',
    group: 'Library',
    load: async () => (await import('./pages/scripts/scripts.tsx')).Scripts,
  },
]

/** Whether a page is shown to visitors with this role. */
export function isFor({ forEverybody }: Route, role: Role | undefined): boolean {
  return role !== 'agent' || forEverybody === true
}

export function findRoute(path: string): Route | undefined {
  return ROUTES.find((route) => route.path === path)
}
