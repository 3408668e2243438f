import { afterAll, beforeAll } from 'vitest'
import type { JsonObject } from '../../../src/base/json/json.ts'
import { type Opened, openGateway } from '../open-gateway.ts'
import { stdioUpstream } from '../start.ts'
import type { Later, TempFolder } from '../temp-folder.ts'
import { dashboardOf } from './dashboard-client.ts'
import { localPass } from './local-pass.ts'

export const RULES = {
  agents: {
    ada: { allow: { servers: ['*'] }, deny: { tools: { files: ['crash'] } } },
    bob: { allow: { servers: ['notes'], tools: { notes: ['echo'] } } },
    dashboard: { allow: { servers: ['*'] } },
  },
}

export interface More {
  readonly rules?: JsonObject
  readonly settings?: JsonObject
  readonly servers?: JsonObject
  /** An existing folder, to start a gateway again. */
  readonly folder?: TempFolder
  readonly later?: Later
}

/** Opens a real gateway with two real servers, and its dashboard. */
export async function openDashboard(more: More = {}) {
  const gateway = await openGateway({
    ...(more.later && { later: more.later }),
    ...(more.folder && { folder: more.folder }),
    servers: {
      files: stdioUpstream('--tools', '20'),
      notes: { ...stdioUpstream(), description: 'Notes' },
      ...more.servers,
    },
    rules: more.rules ?? RULES,
    settings: { cache: { readOnly: true }, ...more.settings },
  })
  const home = gateway.folder.file('data')
  return {
    ...gateway,
    /** Reads as anybody, and changes as the person of the data folder. */
    ask: dashboardOf(gateway.url, {}, home),
    ownerAsks: dashboardOf(gateway.url, {
      authorization: `Bearer ${localPass(home, gateway.url)}`,
    }),
  }
}

export type Gateway = Awaited<ReturnType<typeof openDashboard>>

/** Shares one gateway among all tests of a block, because starting one takes seconds. */
export function sharedDashboard(more: More = {}): () => Gateway {
  const undo: (() => void | Promise<void>)[] = []
  let gateway: Gateway | undefined
  beforeAll(async () => {
    gateway = await openDashboard({ ...more, later: (step) => void undo.push(step) })
  })
  afterAll(async () => {
    for (const step of undo.toReversed()) await step()
  })
  return () => {
    if (!gateway) throw new Error('it did not start')
    return gateway
  }
}

export async function as(gateway: Opened, agent: string, query = '') {
  return gateway.connect({ headers: { 'x-agent-id': agent }, query })
}
