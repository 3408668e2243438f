import { serveStandalone } from '../../app/builtins/serve-standalone.ts'
import type { Service } from '../../protocol/service.ts'
import { untilStopped } from '../shared/serve/until-stopped.ts'
import { createCalendar } from './sample-calendar.ts'
import { createTickets } from './sample-tickets.ts'

const SAMPLES: Readonly<Record<string, () => Service>> = {
  tickets: createTickets,
  calendar: createCalendar,
}

/** Runs a sample server on stdio, as any MCP server is run. */
export async function serveSample(name: string): Promise<void> {
  const create = SAMPLES[name]
  if (!create) throw new Error(`there is no sample "${name}": ${Object.keys(SAMPLES).join(', ')}`)
  await serveStandalone(create(), {
    transport: { kind: 'stdio' },
    env: process.env,
    onListening: () => undefined,
    untilStopped: async () => untilStopped(async () => undefined),
  })
}
