import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '../../src/base/json/json.ts'
import { findChromium } from '../support/chromium.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { removeFolder } from '../support/temporary-folder.ts'
import { startWebSite } from '../support/web-site.ts'
import { CHROMIUM, FOLDER, PAGE, type Published, type Step } from './servers.ts'

export interface OpenedServer {
  readonly gateway: Opened
  readonly story: readonly Step[] | undefined
  readonly close: () => Promise<void>
}

const HTML = '<!doctype html><title>A page for tests</title><h1>A page for tests</h1>'

/**
 * A gateway with this one server behind it, and what its arguments stand for. Without a program, the
 * entry has npx.
 */
export async function openPublished(
  server: Published,
  program: string | undefined,
  more: JsonObject = {},
): Promise<OpenedServer> {
  const undo: (() => void | Promise<void>)[] = []
  const later = (step: () => void | Promise<void>) => void undo.unshift(step)
  const folder = mkdtempSync(join(tmpdir(), 'portolan-compat-'))
  later(() => removeFolder(folder))
  const wants = JSON.stringify([server.args, server.story?.map(({ args }) => args)])
  const site = wants.includes(PAGE)
    ? await startWebSite({ '/': { type: 'text/html', body: HTML } })
    : undefined
  if (site) later(async () => site.close())
  const chromium = wants.includes(CHROMIUM) ? await findChromium() : ''
  const fill = (text: string) =>
    text
      .replaceAll(FOLDER, folder)
      .replaceAll(PAGE, `${site?.origin}/`)
      .replaceAll(CHROMIUM, chromium)
  const args = (server.args ?? []).map(fill)
  const entry = {
    ...(program === undefined
      ? { command: 'npx', args: ['-y', `${server.name}@${server.version}`, ...args] }
      : { command: process.execPath, args: [program, ...args] }),
    env: Object.fromEntries(
      Object.entries(server.env ?? {}).map(([name, value]) => [name, fill(value)]),
    ),
    ...more,
  }
  const gateway = await openGateway({
    servers: { it: entry },
    settings: {
      builtins: { code: false, knowledge: false, traces: false },
      deadlines: { connectMs: 60_000 },
    },
    later,
  })
  return {
    gateway,
    story: server.story?.map((step) => ({
      ...step,
      args: JSON.parse(fill(JSON.stringify(step.args))),
    })),
    async close() {
      for (const step of undo) await step()
    },
  }
}
