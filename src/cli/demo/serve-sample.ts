import { z } from 'zod'
import { serveStandalone } from '../../app/builtins/serve-standalone.ts'
import { VERSION } from '../../base/version.ts'
import { type AnyTool, createService } from '../../builtins/kit/create-service.ts'
import { defineTool } from '../../builtins/kit/define-tool.ts'
import { untilStopped } from '../shared/serve/until-stopped.ts'

const TITLES = ['Discount is taken twice', 'Invoice shows no VAT', 'Search finds old prices']
const tickets = new Map(TITLES.map((title, index) => [index + 1, { title, status: 'open' }]))
const bookings: { day: string; hour: number; title: string }[] = []

const id = z.int().describe('Number of the ticket')
const day = z.iso.date().describe('Day, as 2027-01-31')
const hour = z.int().min(0).max(23).describe('Hour of the day')

/** A small issue tracker and a small calendar, in memory. */
const SAMPLES: Readonly<Record<string, readonly AnyTool<undefined>[]>> = {
  tickets: [
    defineTool({
      name: 'list_tickets',
      description: 'List tickets, all or by status.',
      input: z.object({ status: z.enum(['open', 'closed']).optional() }),
      annotations: { readOnlyHint: true },
      run: async ({ status }) => {
        const all = [...tickets].map(([number, ticket]) => ({ id: number, ...ticket }))
        const wanted = all.filter((each) => status === undefined || each.status === status)
        return { structured: { tickets: wanted } }
      },
    }),
    defineTool({
      name: 'close_ticket',
      description: 'Close a ticket with a comment that says how it was solved.',
      input: z.object({ id, comment: z.string() }),
      run: async ({ id: wanted, comment }) => {
        const ticket = tickets.get(wanted)
        if (!ticket) return { structured: { error: `no ticket ${wanted}` }, isError: true }
        ticket.status = 'closed'
        return { structured: { id: wanted, ...ticket, comment } }
      },
    }),
    defineTool({
      name: 'delete_ticket',
      description: 'Delete a ticket for good.',
      input: z.object({ id }),
      annotations: { destructiveHint: true },
      run: async ({ id: wanted }) => ({ structured: { deleted: tickets.delete(wanted) } }),
    }),
  ],
  calendar: [
    defineTool({
      name: 'list_bookings',
      description: 'List what is booked on a day.',
      input: z.object({ day }),
      annotations: { readOnlyHint: true },
      run: async (input) => ({
        structured: { bookings: bookings.filter((each) => each.day === input.day) },
      }),
    }),
    defineTool({
      name: 'book_meeting',
      description: 'Book a meeting of an hour.',
      input: z.object({ day, hour, title: z.string() }),
      run: async (booking) => {
        bookings.push(booking)
        return { structured: booking }
      },
    }),
  ],
}

/** Runs a sample server on stdio, as any MCP server is run. */
export async function serveSample(name: string): Promise<void> {
  const tools = SAMPLES[name]
  if (!tools) throw new Error(`there is no sample "${name}": ${Object.keys(SAMPLES).join(', ')}`)
  await serveStandalone(createService({ name, version: VERSION, tools, deps: undefined }), {
    transport: { kind: 'stdio' },
    env: process.env,
    onListening: () => undefined,
    untilStopped: async () => untilStopped(async () => undefined),
  })
}
